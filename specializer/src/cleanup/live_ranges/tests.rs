//! Which numbers are copied, and where.

use expect_test::{Expect, expect};

use crate::cleanup::tests::check_pass;
use crate::ir::residual::Function;

fn check(text: &str, expect: Expect) {
    check_pass(|function, _| super::run(function), text, expect);
}

/// How many copies a function gets that adds to a number in a loop, which may call something in
/// `round`, and then calls what `after` says.
fn copies(round: &str, after: &str) -> usize {
    let text = format!(
        "function(i32, f64) -> f64 {{
bb0(v0: i32, v1: f64):
    jump bb1(v1)
bb1(v2: f64):
    v3: f64 = f64.add v2, v1
    {round}
    v4: i32 = f64.lt v3, v1
    branch v4 ? bb1(v3) : bb2()
bb2():
    {after}
    return v3
}}
"
    );
    let mut function: Function = crate::text::parse(&text).expect("the test's function parses");
    let before = function.types.len();
    super::run(&mut function);
    crate::verify::residual(&function, &crate::random::Types).expect("it stays valid");
    (function.types.len() - before) / 2
}

#[test]
fn numbers_are_copied_where_a_loop_begins_and_ends() {
    check(
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    v2: i64 = i64.const 1
    v3: i64 = call fn0 v0, v2
    jump bb1(v1, v3)
bb1(v4: f64, v5: i64):
    v6: f64 = f64.mul v4, v4
    v7: i32 = i64.eq v5, v2
    branch v7 ? bb2() : bb3()
bb2():
    v8: i32 = f64.lt v6, v4
    branch v8 ? bb5(v6) : bb4()
bb3():
    v9: i64 = i64.sub v5, v2
    jump bb1(v6, v9)
bb4():
    v10: i64 = call fn0 v0, v2
    v11: f64 = f64.add v6, v4
    return v11
bb5(v12: f64):
    return v12
}
",
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1
                v3: i64 = call fn0 v0, v2
                v16: i64 = i64.reinterpret_f64 v1
                v15: f64 = f64.reinterpret_i64 v16
                jump bb1(v15, v3)
            bb1(v4: f64, v5: i64):
                v6: f64 = f64.mul v4, v4
                v7: i32 = i64.eq v5, v2
                branch v7 ? bb2() : bb3()
            bb2():
                v18: i64 = i64.reinterpret_f64 v4
                v14: f64 = f64.reinterpret_i64 v18
                v17: i64 = i64.reinterpret_f64 v6
                v13: f64 = f64.reinterpret_i64 v17
                v8: i32 = f64.lt v13, v14
                branch v8 ? bb5(v13) : bb4()
            bb3():
                v9: i64 = i64.sub v5, v2
                jump bb1(v6, v9)
            bb4():
                v10: i64 = call fn0 v0, v2
                v11: f64 = f64.add v13, v14
                return v11
            bb5(v12: f64):
                return v12
            }
        "#]],
    );
}

#[test]
fn loops_that_call_and_functions_that_do_not_are_left_alone() {
    let call = |value| format!("v{value}: i64 = call fn0 v0, v9");
    let constant = "v9: i64 = i64.const 1";
    assert_eq!(copies("", &format!("{constant}\n{}", call(10))), 2);
    assert_eq!(copies(&format!("{constant}\n{}", call(10)), ""), 0);
    assert_eq!(copies("", ""), 0);
}

#[test]
fn a_nest_of_loops_is_one_loop() {
    check(
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    v2: i64 = i64.const 1
    v3: i64 = call fn0 v0, v2
    jump bb1(v1)
bb1(v4: f64):
    jump bb2(v4)
bb2(v5: f64):
    v6: f64 = f64.add v5, v1
    v7: i32 = f64.lt v6, v1
    branch v7 ? bb2(v6) : bb3()
bb3():
    v8: i32 = f64.gt v6, v1
    branch v8 ? bb1(v6) : bb4()
bb4():
    v9: i64 = call fn0 v0, v2
    return v6
}
",
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1
                v3: i64 = call fn0 v0, v2
                v12: i64 = i64.reinterpret_f64 v1
                v11: f64 = f64.reinterpret_i64 v12
                jump bb1(v11)
            bb1(v4: f64):
                jump bb2(v4)
            bb2(v5: f64):
                v6: f64 = f64.add v5, v1
                v7: i32 = f64.lt v6, v1
                branch v7 ? bb2(v6) : bb3()
            bb3():
                v8: i32 = f64.gt v6, v1
                branch v8 ? bb1(v6) : bb4()
            bb4():
                v13: i64 = i64.reinterpret_f64 v6
                v10: f64 = f64.reinterpret_i64 v13
                v9: i64 = call fn0 v0, v2
                return v10
            }
        "#]],
    );
}

/// One of the loop's ends calls, and goes on where the other does; the other end of the loop begins
/// another one.
#[test]
fn each_end_of_a_loop_has_copies_of_its_own() {
    check(
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    v2: i64 = i64.const 1
    jump bb1(v1)
bb1(v3: f64):
    v4: f64 = f64.add v3, v1
    v5: i32 = f64.lt v4, v1
    branch v5 ? bb3() : bb2()
bb2():
    v6: i32 = f64.gt v4, v3
    branch v6 ? bb1(v4) : bb5(v4)
bb3():
    v7: i64 = call fn0 v0, v2
    jump bb4(v3)
bb4(v8: f64):
    v9: f64 = f64.sub v8, v4
    return v9
bb5(v10: f64):
    v11: f64 = f64.mul v10, v1
    v12: i32 = f64.lt v11, v1
    branch v12 ? bb5(v11) : bb4(v11)
}
",
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1
                v20: i64 = i64.reinterpret_f64 v1
                v19: f64 = f64.reinterpret_i64 v20
                jump bb1(v19)
            bb1(v3: f64):
                v4: f64 = f64.add v3, v1
                v5: i32 = f64.lt v4, v1
                branch v5 ? bb3() : bb2()
            bb2():
                v6: i32 = f64.gt v4, v3
                branch v6 ? bb1(v4) : bb6()
            bb3():
                v24: i64 = i64.reinterpret_f64 v4
                v15: f64 = f64.reinterpret_i64 v24
                v23: i64 = i64.reinterpret_f64 v3
                v13: f64 = f64.reinterpret_i64 v23
                v7: i64 = call fn0 v0, v2
                jump bb4(v13, v15)
            bb4(v8: f64, v18: f64):
                v9: f64 = f64.sub v8, v18
                return v9
            bb5(v10: f64):
                v11: f64 = f64.mul v10, v1
                v12: i32 = f64.lt v11, v1
                branch v12 ? bb5(v11) : bb7()
            bb6():
                v25: i64 = i64.reinterpret_f64 v4
                v16: f64 = f64.reinterpret_i64 v25
                v22: i64 = i64.reinterpret_f64 v16
                v21: f64 = f64.reinterpret_i64 v22
                jump bb5(v21)
            bb7():
                v26: i64 = i64.reinterpret_f64 v11
                v17: f64 = f64.reinterpret_i64 v26
                jump bb4(v17, v16)
            }
        "#]],
    );
}
