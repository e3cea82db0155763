//! What is copied of loops.

use expect_test::{Expect, expect};

use crate::cleanup::regions::MemoryUse;
use crate::cleanup::tests::check_pass;
use crate::ir::residual::Function;

fn check(text: &str, expect: Expect) {
    check_pass(super::run, text, expect);
}

/// Whether a loop with these instructions is copied. `v8` is what it loads from `v5`, in region 1;
/// `v2` is 1.
fn is_copied(body: &str) -> bool {
    let text = format!(
        "function(i32, i32) -> i64 {{
bb0(v0: i32, v1: i32):
    v2: i32 = i32.const 1
    v3: i32 = i32.const 2
    v4: i64 = i64.const 7
    v5: i32 = address.within v0, v2
    jump bb1(v0, v4)
bb1(v6: i32, v7: i64):
    {body}
    v12: i32 = i64.lt_u v7, v4
    branch v12 ? bb1(v6, v8) : bb2()
bb2():
    return v4
}}
"
    );
    let mut function: Function = crate::text::parse(&text).expect("the test's function parses");
    crate::verify::residual(&function, &crate::random::Types).expect("it is valid");
    let memory = MemoryUse::new(&function, None);
    super::run(&mut function, &memory);
    function.blocks.len() > 3
}

#[test]
fn only_loops_that_load_what_does_not_change_are_copied() {
    assert!(is_copied("v8: i64 = i64.load v5"));
    // From an address that changes.
    assert!(!is_copied(
        "v9: i32 = address.within v6, v2\n v8: i64 = i64.load v9"
    ));
    // From nobody knows where.
    assert!(!is_copied("v8: i64 = i64.load v0"));
    // While another region is written to, and the same.
    let writes = |region| {
        format!("v8: i64 = i64.load v5\n v9: i32 = address.within v1, {region}\n i64.store v9, v8")
    };
    assert!(is_copied(&writes("v3")));
    assert!(!is_copied(&writes("v2")));
    assert!(!is_copied("v8: i64 = i64.load v5\n i64.store v1, v8"));
    assert!(!is_copied(
        "v8: i64 = i64.load v5\n v9: i64 = call fn0 v1, v7"
    ));
}

#[test]
fn what_is_used_after_the_loop_comes_from_the_copy_or_from_the_loop() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 1
    v3: i64 = i64.const 7
    v4: i32 = address.within v0, v2
    jump bb1(v1)
bb1(v5: i64):
    v6: i64 = i64.load v4
    v7: i32 = i64.ge_u v5, v6
    branch v7 ? bb2() : bb3()
bb2():
    return v5
bb3():
    v8: i64 = i64.add v5, v3
    v9: i32 = i64.eq v8, v3
    branch v9 ? bb4() : bb1(v8)
bb4():
    v10: i64 = i64.add v6, v8
    jump bb5()
bb5():
    v11: i64 = i64.add v10, v5
    return v11
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const 1
                v3: i64 = i64.const 7
                v4: i32 = address.within v0, v2
                jump bb6(v1)
            bb1(v5: i64):
                v6: i64 = i64.load v4
                v7: i32 = i64.ge_u v5, v6
                branch v7 ? bb2(v5) : bb3()
            bb2(v17: i64):
                return v17
            bb3():
                v8: i64 = i64.add v5, v3
                v9: i32 = i64.eq v8, v3
                branch v9 ? bb4(v5, v6, v8) : bb1(v8)
            bb4(v18: i64, v19: i64, v20: i64):
                v10: i64 = i64.add v19, v20
                jump bb5()
            bb5():
                v11: i64 = i64.add v10, v18
                return v11
            bb6(v12: i64):
                v13: i64 = i64.load v4
                v14: i32 = i64.ge_u v12, v13
                branch v14 ? bb2(v12) : bb7()
            bb7():
                v15: i64 = i64.add v12, v3
                v16: i32 = i64.eq v15, v3
                branch v16 ? bb4(v12, v13, v15) : bb1(v15)
            }
        "#]],
    );
}

#[test]
fn of_two_loops_within_each_other_the_inner_one_is_copied() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 1
    v3: i64 = i64.const 7
    v4: i32 = address.within v0, v2
    jump bb1(v1)
bb1(v5: i64):
    v6: i64 = i64.add v5, v3
    jump bb2(v6)
bb2(v7: i64):
    v8: i64 = i64.load v4
    v9: i64 = i64.add v7, v8
    v10: i32 = i64.eq v9, v3
    branch v10 ? bb3() : bb2(v9)
bb3():
    v11: i32 = i64.lt_u v9, v3
    branch v11 ? bb1(v9) : bb4()
bb4():
    return v6
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const 1
                v3: i64 = i64.const 7
                v4: i32 = address.within v0, v2
                jump bb1(v1)
            bb1(v5: i64):
                v6: i64 = i64.add v5, v3
                jump bb5(v6)
            bb2(v7: i64):
                v8: i64 = i64.load v4
                v9: i64 = i64.add v7, v8
                v10: i32 = i64.eq v9, v3
                branch v10 ? bb3(v9) : bb2(v9)
            bb3(v16: i64):
                v11: i32 = i64.lt_u v16, v3
                branch v11 ? bb1(v16) : bb4()
            bb4():
                return v6
            bb5(v12: i64):
                v13: i64 = i64.load v4
                v14: i64 = i64.add v12, v13
                v15: i32 = i64.eq v14, v3
                branch v15 ? bb3(v14) : bb2(v14)
            }
        "#]],
    );
}
