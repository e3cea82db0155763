//! What cleanup leaves of each shape of code.
//!
//! That whole functions keep their meaning is tested with lowering ([`crate::lower`]).

use expect_test::{Expect, expect};

use super::Trapped;
use super::regions::MemoryUse;
use crate::allocator::Allocator;
use crate::ir::residual::Function;
use crate::op::Types;
use crate::optimisations::Optimisations;

fn check(text: &str, expect: Expect) {
    let optimisations = Optimisations::default();
    check_with(&optimisations, None, &crate::random::Types, text, expect);
}

/// What cleanup leaves of a function whose module has this allocator.
pub(super) fn check_with(
    optimisations: &Optimisations,
    allocator: Option<&Allocator>,
    types: &dyn Types,
    text: &str,
    expect: Expect,
) {
    let mut function: Function = crate::text::parse(text).expect("the test's function parses");
    crate::verify::residual(&function, types).expect("the test's function is valid");
    super::run(
        &mut function,
        &[],
        allocator,
        Trapped::Ends,
        optimisations,
        &mut |pass, function| {
            if let Err(fault) = crate::verify::residual(function, types) {
                panic!("{pass} leaves a function that breaks a rule: {fault}");
            }
        },
    );
    expect.assert_eq(&function.to_string());
}

/// What one pass leaves of a function.
pub(super) fn check_pass(run: fn(&mut Function, &MemoryUse), text: &str, expect: Expect) {
    let mut function: Function = crate::text::parse(text).expect("the test's function parses");
    let types = &crate::random::Types;
    crate::verify::residual(&function, types).expect("the test's function is valid");
    let memory = MemoryUse::new(&function, None);
    run(&mut function, &memory);
    crate::verify::residual(&function, types).expect("the function left is valid");
    expect.assert_eq(&function.to_string());
}

#[test]
fn a_tagged_comparison_is_tested_as_it_is() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    v3: i64 = i64.shr_s v1, v2
    v4: i64 = i64.const 2
    v5: i32 = i64.ge_s v3, v4
    v6: i64 = i64.extend_i32_u v5
    v7: i64 = i64.shl v6, v2
    v8: i64 = i64.or v7, v2
    v9: i32 = i64.ne v8, v2
    branch v9 ? bb1() : bb2()
bb1():
    return v1
bb2():
    return v2
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 4
                v3: i64 = i64.const 1
                v4: i32 = i64.ge_s v1, v2
                branch v4 ? bb1() : bb2()
            bb1():
                return v1
            bb2():
                return v3
            }
        "#]],
    );
}

#[test]
fn parameters_that_are_one_value_go() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    jump bb1(v1, v0)
bb1(v2: i64, v3: i32):
    v4: i64 = call fn0 v3, v2
    v5: i32 = i64.eqz v4
    branch v5 ? bb2(v2, v3) : bb3(v2, v4)
bb2(v6: i64, v7: i32):
    jump bb1(v6, v7)
bb3(v8: i64, v9: i64):
    v10: i64 = i64.add v8, v9
    return v10
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1()
            bb1():
                v2: i64 = call fn0 v0, v1
                v3: i32 = i64.eqz v2
                branch v3 ? bb1() : bb2()
            bb2():
                v4: i64 = i64.add v1, v2
                return v4
            }
        "#]],
    );
}

#[test]
fn parameters_that_go_together_become_one() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    jump bb1(v1, v1)
bb1(v2: i64, v3: i64):
    v4: i64 = call fn0 v0, v2
    v5: i64 = call fn0 v0, v3
    v6: i32 = i64.eqz v5
    branch v6 ? bb1(v4, v4) : bb2()
bb2():
    return v3
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1(v1)
            bb1(v2: i64):
                v3: i64 = call fn0 v0, v2
                v4: i64 = call fn0 v0, v2
                v5: i32 = i64.eqz v4
                branch v5 ? bb1(v3) : bb2()
            bb2():
                return v2
            }
        "#]],
    );
}

#[test]
fn what_nothing_depends_on_goes() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 0
    jump bb1(v2)
bb1(v3: i64):
    v4: i64 = i64.add v3, v1
    v5: i64 = i64.load offset=0 v0
    v6: i64 = call fn0 v0, v1
    v7: i32 = i64.eqz v6
    branch v7 ? bb1(v4) : bb2()
bb2():
    return v6
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1()
            bb1():
                v2: i64 = call fn0 v0, v1
                v3: i32 = i64.eqz v2
                branch v3 ? bb1() : bb2()
            bb2():
                return v2
            }
        "#]],
    );
}

#[test]
fn returned_calls_are_tail_calls() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    v2: i64 = call fn0 v0, v1
    jump bb3(v2)
bb2():
    v3: i64 = i64.const 3
    v4: i64 = call fn0 v0, v3
    jump bb3(v4)
bb3(v5: i64):
    return v5
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 3
                branch v0 ? bb1() : bb2()
            bb1():
                tail_call fn0 v0, v1
            bb2():
                tail_call fn0 v0, v2
            }
        "#]],
    );
}

#[test]
fn equal_ways_out_are_one() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = call fn0 v0, v1
    v3: i32 = i64.eqz v2
    branch v3 ? bb1() : bb2()
bb1():
    v4: i64 = i64.const 0
    return v4
bb2():
    v5: i64 = call fn0 v0, v2
    v6: i32 = i64.eqz v5
    branch v6 ? bb3() : bb4()
bb3():
    v7: i64 = i64.const 0
    return v7
bb4():
    v8: i64 = i64.mul v5, v2
    return v8
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 0
                v3: i64 = call fn0 v0, v1
                v4: i32 = i64.eqz v3
                branch v4 ? bb2() : bb1()
            bb1():
                v5: i64 = call fn0 v0, v3
                v6: i32 = i64.eqz v5
                branch v6 ? bb2() : bb3()
            bb2():
                return v2
            bb3():
                v7: i64 = i64.mul v5, v3
                return v7
            }
        "#]],
    );
}

#[test]
fn decided_branches_go_one_way() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 2
    switch v2 [bb1(), bb1(), bb2(v1)] default bb1()
bb1():
    unreachable
bb2(v3: i64):
    branch v0 ? bb3(v3) : bb3(v3)
bb3(v4: i64):
    return v4
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                return v1
            }
        "#]],
    );
}

#[test]
fn what_both_arms_begin_with_comes_before_the_branch() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    i64.store offset=8 v0, v1
    v2: i64 = i64.load offset=0 v0
    v3: i64 = call fn0 v0, v2
    jump bb3(v3)
bb2():
    i64.store offset=8 v0, v1
    v4: i64 = i64.load offset=0 v0
    v5: i64 = i64.mul v4, v1
    jump bb3(v5)
bb3(v6: i64):
    v7: i64 = i64.add v6, v1
    return v7
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                i64.store offset=8 v0, v1
                v2: i64 = i64.load v0
                branch v0 ? bb1() : bb2()
            bb1():
                v3: i64 = call fn0 v0, v2
                jump bb3(v3)
            bb2():
                v4: i64 = i64.mul v2, v1
                jump bb3(v4)
            bb3(v5: i64):
                v6: i64 = i64.add v5, v1
                return v6
            }
        "#]],
    );
}

#[test]
fn a_frame_that_nothing_is_called_under_goes() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = global.get global0
    v3: i32 = i32.const 16
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    i64.store offset=8 v4, v1
    branch v0 ? bb1() : bb2()
bb1():
    v5: i64 = i64.load offset=8 v4
    v6: i32 = i32.wrap_i64 v5
    branch v6 ? bb1() : bb2()
bb2():
    v7: i32 = i32.add v4, v3
    global.set global0 v7
    v8: i64 = call fn0 v0, v1
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -16
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                i64.store offset=8 v4, v1
                branch v0 ? bb1() : bb2()
            bb1():
                v5: i64 = i64.load offset=8 v4
                v6: i32 = i32.wrap_i64 v5
                branch v6 ? bb1() : bb2()
            bb2():
                v7: i64 = call fn0 v0, v1
                return v1
            }
        "#]],
    );
}

#[test]
fn a_frame_under_a_call_stays() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = global.get global0
    v3: i32 = i32.const 16
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    branch v0 ? bb1() : bb2()
bb1():
    v5: i64 = call fn0 v4, v1
    jump bb2()
bb2():
    global.set global0 v2
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -16
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                global.set global0 v4
                branch v0 ? bb1() : bb2()
            bb1():
                v5: i64 = call fn0 v4, v1
                jump bb2()
            bb2():
                global.set global0 v3
                return v1
            }
        "#]],
    );
}

#[test]
fn a_global_that_a_loop_changes_is_read_in_it() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    global.set global0 v0
    jump bb1()
bb1():
    v2: i32 = global.get global0
    v3: i32 = i32.const 1
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    branch v4 ? bb1() : bb2()
bb2():
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -1
                global.set global0 v0
                jump bb1()
            bb1():
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                global.set global0 v4
                branch v4 ? bb1() : bb2()
            bb2():
                return v1
            }
        "#]],
    );
}

#[test]
fn a_switch_of_few_cases_is_a_row_of_branches() {
    let switch = |cases: &str| {
        format!(
            "function(i32) -> i32 {{
bb0(v0: i32):
    switch v0 [{cases}] default bb3()
bb1():
    v1: i32 = i32.const 10
    return v1
bb2():
    v2: i32 = i32.const 20
    return v2
bb3():
    unreachable
}}
"
        )
    };
    check(
        &switch("bb1(), bb2(), bb1()"),
        expect![[r#"
            function(i32) -> i32 {
            bb0(v0: i32):
                v1: i32 = i32.const 3
                v2: i32 = i32.const 1
                v3: i32 = i32.const 10
                v4: i32 = i32.const 20
                v5: i32 = i32.eq v0, v2
                branch v5 ? bb1() : bb2()
            bb1():
                return v4
            bb2():
                v6: i32 = i32.ge_u v0, v1
                branch v6 ? bb3() : bb4()
            bb3():
                unreachable
            bb4():
                return v3
            }
        "#]],
    );
    check(
        &switch(&["bb1()"; 5].join(", bb2(), ")),
        expect![[r#"
        function(i32) -> i32 {
        bb0(v0: i32):
            v1: i32 = i32.const 10
            v2: i32 = i32.const 20
            switch v0 [bb2(), bb1(), bb2(), bb1(), bb2(), bb1(), bb2(), bb1(), bb2()] default bb3()
        bb1():
            return v2
        bb2():
            return v1
        bb3():
            unreachable
        }
    "#]],
    );
}
