//! What value numbering leaves of loads, stores and branches.

use expect_test::{Expect, expect};

use crate::cleanup::tests::check_pass;

fn check(text: &str, expect: Expect) {
    check_pass(super::run, text, expect);
}

/// As of an array that is accessed twice: the second time, its length is known, and so is that the
/// index is below it.
#[test]
fn what_was_loaded_and_tested_is_not_again() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const -8
    v3: i32 = i32.add v0, v2
    v4: i64 = i64.load v3
    v5: i32 = i64.ge_u v1, v4
    branch v5 ? bb1() : bb2()
bb1():
    return v1
bb2():
    v6: i32 = i32.add v0, v2
    v7: i64 = i64.load v6
    v8: i32 = i64.ge_u v1, v7
    branch v8 ? bb1() : bb3()
bb3():
    return v7
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -8
                v3: i32 = i32.add v0, v2
                v4: i64 = i64.load v3
                v5: i32 = i64.ge_u v1, v4
                branch v5 ? bb1() : bb2()
            bb1():
                return v1
            bb2():
                v6: i32 = i32.add v0, v2
                v8: i32 = i64.ge_u v1, v4
                jump bb3()
            bb3():
                return v4
            }
        "#]],
    );
}

#[test]
fn a_store_elsewhere_in_the_block_is_told_apart() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 8
    v3: i32 = i32.add v0, v2
    v4: i64 = i64.load v0
    i64.store v3, v1
    v5: i64 = i64.load v0
    v6: i64 = i64.load offset=8 v0
    v7: i64 = i64.load offset=4 v0
    v8: i64 = i64.add v4, v5
    v9: i64 = i64.add v6, v7
    v10: i64 = i64.add v8, v9
    return v10
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const 8
                v3: i32 = i32.add v0, v2
                v4: i64 = i64.load v0
                i64.store v3, v1
                v7: i64 = i64.load offset=4 v0
                v8: i64 = i64.add v4, v4
                v9: i64 = i64.add v1, v7
                v10: i64 = i64.add v8, v9
                return v10
            }
        "#]],
    );
}

#[test]
fn a_store_through_another_address_may_overlap() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.wrap_i64 v1
    v3: i64 = i64.load v0
    i32.store8 v2, v0
    v4: i64 = i64.load v0
    v5: i64 = call fn0 v0, v4
    v6: i64 = i64.load v0
    v7: i64 = i64.add v3, v5
    v8: i64 = i64.add v6, v7
    return v8
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.wrap_i64 v1
                v3: i64 = i64.load v0
                i32.store8 v2, v0
                v4: i64 = i64.load v0
                v5: i64 = call fn0 v0, v4
                v6: i64 = i64.load v0
                v7: i64 = i64.add v3, v5
                v8: i64 = i64.add v6, v7
                return v8
            }
        "#]],
    );
}

/// Both ways to a block know what was loaded before they parted; a loop's beginning does not.
#[test]
fn memory_is_known_where_all_ways_know_it() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load v0
    branch v0 ? bb1() : bb2()
bb1():
    v3: i64 = i64.load offset=8 v0
    jump bb3(v3)
bb2():
    jump bb3(v1)
bb3(v4: i64):
    v5: i64 = i64.load v0
    v6: i64 = i64.load offset=8 v0
    v7: i64 = i64.add v5, v6
    jump bb4(v7)
bb4(v8: i64):
    v9: i64 = i64.load v0
    v10: i64 = i64.add v8, v9
    i64.store v0, v10
    v11: i32 = i64.eqz v10
    branch v11 ? bb5() : bb4(v10)
bb5():
    v12: i64 = i64.load v0
    return v12
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.load v0
                branch v0 ? bb1() : bb2()
            bb1():
                v3: i64 = i64.load offset=8 v0
                jump bb3(v3)
            bb2():
                jump bb3(v1)
            bb3(v4: i64):
                v6: i64 = i64.load offset=8 v0
                v7: i64 = i64.add v2, v6
                jump bb4(v7)
            bb4(v8: i64):
                v9: i64 = i64.load v0
                v10: i64 = i64.add v8, v9
                i64.store v0, v10
                v11: i32 = i64.eqz v10
                branch v11 ? bb5() : bb4(v10)
            bb5():
                return v10
            }
        "#]],
    );
}

/// A condition that was decided stays so, in loops as well, and on neither side where both meet.
#[test]
fn conditions_are_decided_once() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1(v1) : bb4()
bb1(v2: i64):
    branch v0 ? bb2() : bb3()
bb2():
    v3: i64 = call fn0 v0, v2
    jump bb1(v3)
bb3():
    return v2
bb4():
    v4: i32 = i64.eqz v1
    branch v4 ? bb5() : bb6()
bb5():
    jump bb7()
bb6():
    jump bb7()
bb7():
    branch v4 ? bb8() : bb9()
bb8():
    return v1
bb9():
    branch v0 ? bb8() : bb10()
bb10():
    unreachable
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                branch v0 ? bb1(v1) : bb4()
            bb1(v2: i64):
                branch v0 ? bb2() : bb3()
            bb2():
                v3: i64 = call fn0 v0, v2
                jump bb1(v3)
            bb3():
                return v2
            bb4():
                v4: i32 = i64.eqz v1
                branch v4 ? bb5() : bb6()
            bb5():
                jump bb7()
            bb6():
                jump bb7()
            bb7():
                branch v4 ? bb8() : bb9()
            bb8():
                return v1
            bb9():
                jump bb10()
            bb10():
                unreachable
            }
        "#]],
    );
}

/// A loop in which the word at the first parameter, in region 1, is loaded, and something is
/// written to region 2 or, if `region` says so, to the same.
fn loop_that_writes(region: u32) -> String {
    format!(
        "function(i32, i32) -> i64 {{
bb0(v0: i32, v1: i32):
    v2: i32 = i32.const 1
    v3: i32 = i32.const {region}
    v4: i64 = i64.const 7
    v5: i32 = address.within v0, v2
    v6: i64 = i64.load v5
    jump bb1(v6)
bb1(v7: i64):
    v8: i32 = address.within v0, v2
    v9: i64 = i64.load v8
    v10: i64 = i64.add v7, v9
    v11: i32 = address.within v1, v3
    i64.store v11, v10
    v12: i32 = i64.lt_u v10, v4
    branch v12 ? bb1(v10) : bb2()
bb2():
    return v10
}}
"
    )
}

#[test]
fn a_load_from_a_region_that_the_loop_leaves_alone_goes() {
    check(
        &loop_that_writes(2),
        expect![[r#"
        function(i32, i32) -> i64 {
        bb0(v0: i32, v1: i32):
            v2: i32 = i32.const 1
            v3: i32 = i32.const 2
            v4: i64 = i64.const 7
            v5: i32 = address.within v0, v2
            v6: i64 = i64.load v5
            jump bb1(v6)
        bb1(v7: i64):
            v8: i32 = address.within v0, v2
            v10: i64 = i64.add v7, v6
            v11: i32 = address.within v1, v3
            i64.store v11, v10
            v12: i32 = i64.lt_u v10, v4
            branch v12 ? bb1(v10) : bb2()
        bb2():
            return v10
        }
    "#]],
    );
}

#[test]
fn a_load_from_the_region_that_the_loop_writes_to_stays() {
    check(
        &loop_that_writes(1),
        expect![[r#"
        function(i32, i32) -> i64 {
        bb0(v0: i32, v1: i32):
            v2: i32 = i32.const 1
            v3: i32 = i32.const 1
            v4: i64 = i64.const 7
            v5: i32 = address.within v0, v2
            v6: i64 = i64.load v5
            jump bb1(v6)
        bb1(v7: i64):
            v8: i32 = address.within v0, v2
            v9: i64 = i64.load v8
            v10: i64 = i64.add v7, v9
            v11: i32 = address.within v1, v3
            i64.store v11, v10
            v12: i32 = i64.lt_u v10, v4
            branch v12 ? bb1(v10) : bb2()
        bb2():
            return v10
        }
    "#]],
    );
}

#[test]
fn constant_addresses_and_regions_are_apart_and_other_addresses_are_not() {
    check(
        "function(i32, i32) -> i64 {
bb0(v0: i32, v1: i32):
    v2: i32 = i32.const 1
    v3: i32 = i32.const 4096
    v4: i64 = i64.const 7
    v5: i32 = address.within v0, v2
    v6: i64 = i64.load v5
    i64.store v3, v4
    v7: i64 = i64.load v5
    i64.store v1, v4
    v8: i64 = i64.load v5
    v9: i64 = i64.add v6, v7
    v10: i64 = i64.add v8, v9
    return v10
}
",
        expect![[r#"
            function(i32, i32) -> i64 {
            bb0(v0: i32, v1: i32):
                v2: i32 = i32.const 1
                v3: i32 = i32.const 4096
                v4: i64 = i64.const 7
                v5: i32 = address.within v0, v2
                v6: i64 = i64.load v5
                i64.store v3, v4
                i64.store v1, v4
                v8: i64 = i64.load v5
                v9: i64 = i64.add v6, v6
                v10: i64 = i64.add v8, v9
                return v10
            }
        "#]],
    );
}

/// As of code that is moved: what points into one region and is moved by the distance of two others
/// is not within theirs.
#[test]
fn a_distance_between_addresses_is_no_address() {
    check(
        "function(i32, i32, i32) -> i64 {
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.const 1
    v4: i32 = i32.const 2
    v5: i64 = i64.const 7
    v6: i32 = address.within v0, v3
    v7: i64 = i64.load v6
    v8: i32 = address.within v1, v4
    v9: i32 = i32.sub v8, v2
    v10: i32 = i32.add v0, v9
    i64.store v10, v5
    v11: i64 = i64.load v6
    v12: i64 = i64.add v7, v11
    return v12
}
",
        expect![[r#"
            function(i32, i32, i32) -> i64 {
            bb0(v0: i32, v1: i32, v2: i32):
                v3: i32 = i32.const 1
                v4: i32 = i32.const 2
                v5: i64 = i64.const 7
                v6: i32 = address.within v0, v3
                v7: i64 = i64.load v6
                v8: i32 = address.within v1, v4
                v9: i32 = i32.sub v8, v2
                v10: i32 = i32.add v0, v9
                i64.store v10, v5
                v11: i64 = i64.load v6
                v12: i64 = i64.add v7, v11
                return v12
            }
        "#]],
    );
}
