//! What the arms of an allocation take over.

use expect_test::{Expect, expect};

use crate::cleanup::tests::check_pass;

fn check(text: &str, expect: Expect) {
    check_pass(|function, _| super::run(function), text, expect);
}

/// A function with an allocation, behind whose arms there is this.
fn behind_arms(behind: &str) -> String {
    format!(
        "function(i32, f64) -> f64 {{
bb0(v0: i32, v1: f64):
    v2: i64 = i64.const 1277
    v3: f64 = f64.load offset=8 v0
    branch v0 ? bb1() : bb2()
bb1():
    i64.store offset=0 v0, v2
    jump bb3(v0)
bb2():
    v4: i64 = call fn0 v0, v2
    v5: i32 = i32.wrap_i64 v4
    jump bb3(v5)
bb3(v6: i32):
{behind}
}}
"
    )
}

#[test]
fn a_number_that_is_not_used_behind_its_store_is_stored_on_each_arm() {
    check(
        &behind_arms(
            "    v7: f64 = f64.add v3, v1
    f64.store offset=0 v6, v7
    v8: i64 = call fn0 v6, v2
    return v1",
        ),
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1277
                v3: f64 = f64.load offset=8 v0
                branch v0 ? bb1() : bb2()
            bb1():
                i64.store v0, v2
                v9: f64 = f64.add v3, v1
                f64.store v0, v9
                jump bb3(v0)
            bb2():
                v4: i64 = call fn0 v0, v2
                v5: i32 = i32.wrap_i64 v4
                v10: f64 = f64.add v3, v1
                f64.store v5, v10
                jump bb3(v5)
            bb3(v6: i32):
                v8: i64 = call fn0 v6, v2
                return v1
            }
        "#]],
    );
}

#[test]
fn what_the_arms_compute_and_others_use_comes_from_them() {
    check(
        &behind_arms(
            "    v7: f64 = f64.add v3, v1
    v8: i64 = i64.extend_i32_u v6
    i64.store offset=8 v6, v8
    f64.store offset=0 v6, v7
    i64.store offset=16 v6, v8
    return v7",
        ),
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1277
                v3: f64 = f64.load offset=8 v0
                branch v0 ? bb1() : bb2()
            bb1():
                i64.store v0, v2
                v9: f64 = f64.add v3, v1
                v10: i64 = i64.extend_i32_u v0
                i64.store offset=8 v0, v10
                f64.store v0, v9
                jump bb3(v0, v9)
            bb2():
                v4: i64 = call fn0 v0, v2
                v5: i32 = i32.wrap_i64 v4
                v11: f64 = f64.add v3, v1
                v12: i64 = i64.extend_i32_u v5
                i64.store offset=8 v5, v12
                f64.store v5, v11
                jump bb3(v5, v11)
            bb3(v6: i32, v7: f64):
                v8: i64 = i64.extend_i32_u v6
                i64.store offset=16 v6, v8
                return v7
            }
        "#]],
    );
}

#[test]
fn numbers_that_are_used_behind_it_anyway_stay_where_they_are() {
    for behind in [
        "    f64.store offset=0 v6, v3
    return v3",
        "    f64.store offset=0 v6, v3
    branch v6 ? bb4() : bb5()
bb4():
    return v3
bb5():
    return v1",
        // It is an integer behind the arms.
        "    v7: i64 = i64.reinterpret_f64 v3
    f64.store offset=0 v6, v3
    i64.store offset=8 v6, v7
    return v1",
        // Something is loaded before it is stored.
        "    v7: f64 = f64.load offset=16 v0
    f64.store offset=0 v6, v3
    return v1",
    ] {
        let text = behind_arms(behind);
        let mut function = crate::text::parse(&text).expect("the test's function parses");
        let before = format!("{function}");
        super::run(&mut function);
        assert_eq!(function.to_string(), before);
    }
}

/// In each round the number is another one, so that of the round before is not used behind it.
#[test]
fn uses_in_other_rounds_of_a_loop_do_not_count() {
    check(
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    v2: i64 = i64.const 1277
    jump bb1()
bb1():
    v3: f64 = f64.load offset=8 v0
    branch v0 ? bb2() : bb3()
bb2():
    f64.store offset=24 v0, v3
    jump bb7()
bb3():
    branch v0 ? bb4() : bb5()
bb4():
    v4: i64 = call fn0 v0, v2
    v5: i32 = i32.wrap_i64 v4
    jump bb6(v5)
bb5():
    i64.store offset=0 v0, v2
    jump bb6(v0)
bb6(v6: i32):
    f64.store offset=0 v6, v3
    jump bb7()
bb7():
    v7: i32 = i32.load offset=0 v0
    branch v7 ? bb1() : bb8()
bb8():
    return v1
}
",
        expect![[r#"
            function(i32, f64) -> f64 {
            bb0(v0: i32, v1: f64):
                v2: i64 = i64.const 1277
                jump bb1()
            bb1():
                v3: f64 = f64.load offset=8 v0
                branch v0 ? bb2() : bb3()
            bb2():
                f64.store offset=24 v0, v3
                jump bb7()
            bb3():
                branch v0 ? bb4() : bb5()
            bb4():
                v4: i64 = call fn0 v0, v2
                v5: i32 = i32.wrap_i64 v4
                f64.store v5, v3
                jump bb6(v5)
            bb5():
                i64.store v0, v2
                f64.store v0, v3
                jump bb6(v0)
            bb6(v6: i32):
                jump bb7()
            bb7():
                v7: i32 = i32.load v0
                branch v7 ? bb1() : bb8()
            bb8():
                return v1
            }
        "#]],
    );
}
