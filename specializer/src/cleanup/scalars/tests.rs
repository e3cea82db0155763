//! What scalar replacement leaves of blocks. `tests/golden/scalars.wat` runs some.

use expect_test::{Expect, expect};

use crate::cleanup::allocations::tests::{ALLOCATOR, Types};
use crate::cleanup::regions::MemoryUse;
use crate::ir::residual::Function;

/// What the pass leaves of code that begins with constants: `v2` and `v3` make a block of 16 bytes,
/// `v4` and `v5` one of 24.
fn check(blocks: &str, expect: Expect) {
    let text = format!(
        "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 16
    v3: i64 = i64.const 1277
    v4: i32 = i32.const 24
    v5: i64 = i64.const 2048
    v6: i64 = i64.const 1
    v7: i32 = i32.const 8
{blocks}}}
"
    );
    let mut function: Function = crate::text::parse(&text).expect("the test's function parses");
    crate::verify::residual(&function, &Types).expect("the test's function is valid");
    let memory = MemoryUse::new(&function, Some(&ALLOCATOR));
    super::run(&mut function, &memory);
    crate::verify::residual(&function, &Types).expect("the function left is valid");
    let text = function.to_string();
    let rest = text.split_once("i32.const 8\n").expect("constants stay").1;
    expect.assert_eq(rest);
}

#[test]
fn a_block_that_is_taken_apart_is_not_made() {
    check(
        "    v8: i32 = call fn7 v4, v5
    i64.store v8, v1
    v9: i32 = i32.add v8, v7
    i64.store v9, v6
    v10: i64 = i64.extend_i32_u v8
    v11: i32 = i32.wrap_i64 v10
    v12: i64 = i64.load offset=8 v11
    v13: i64 = i64.load v11
    v14: i64 = i64.add v12, v13
    return v14
",
        expect![[r#"
                v14: i64 = i64.add v6, v1
                return v14
            }
        "#]],
    );
}

#[test]
fn a_block_within_a_block_goes_as_well() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    v9: i64 = i64.extend_i32_u v8
    v10: i32 = call fn7 v2, v3
    i64.store v10, v9
    v11: i64 = i64.load v10
    v12: i32 = i32.wrap_i64 v11
    v13: i64 = i64.load v12
    return v13
",
        expect![[r#"
                return v1
            }
        "#]],
    );
}

#[test]
fn tests_of_an_address_and_of_the_header_are_decided() {
    check(
        "    v8: i32 = call fn7 v2, v3
    v9: i64 = i64.extend_i32_u v8
    v10: i64 = i64.and v9, v6
    v11: i32 = i64.eq v9, v6
    v12: i32 = i32.const -8
    v13: i32 = i32.add v8, v12
    v14: i64 = i64.load8_u v13
    v15: i64 = i64.add v10, v14
    v16: i64 = i64.extend_i32_u v11
    v17: i64 = i64.add v15, v16
    return v17
",
        expect![[r#"
                v12: i32 = i32.const -8
                v15: i64 = i64.add v18, v20
                v16: i64 = i64.extend_i32_u v19
                v17: i64 = i64.add v15, v16
                return v17
            }
        "#]],
    );
}

#[test]
fn a_block_is_made_on_the_way_that_hands_it_on() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    v9: i64 = i64.load v8
    v10: i64 = i64.extend_i32_u v8
    branch v0 ? bb1(v10) : bb2()
bb1(v11: i64):
    return v11
bb2():
    return v9
",
        expect![[r#"
                branch v0 ? bb3() : bb2()
            bb1(v11: i64):
                return v11
            bb2():
                return v1
            bb3():
                v12: i32 = call fn7 v2, v3
                i64.store v12, v1
                v13: i64 = i64.extend_i32_u v12
                jump bb1(v13)
            }
        "#]],
    );
}

#[test]
fn a_block_that_is_handed_on_anyway_stays() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    v9: i64 = i64.load v8
    i64.store v0, v9
    v10: i64 = i64.extend_i32_u v8
    return v10
",
        expect![[r#"
                v8: i32 = call fn7 v2, v3
                i64.store v8, v1
                v9: i64 = i64.load v8
                i64.store v0, v9
                v10: i64 = i64.extend_i32_u v8
                return v10
            }
        "#]],
    );
}

#[test]
fn a_block_that_would_be_made_twice_stays() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    v9: i64 = i64.extend_i32_u v8
    jump bb1()
bb1():
    branch v0 ? bb2() : bb3()
bb2():
    i64.store v0, v9
    jump bb1()
bb3():
    return v1
",
        expect![[r#"
                v8: i32 = call fn7 v2, v3
                i64.store v8, v1
                v9: i64 = i64.extend_i32_u v8
                jump bb1()
            bb1():
                branch v0 ? bb2() : bb3()
            bb2():
                i64.store v0, v9
                jump bb1()
            bb3():
                return v1
            }
        "#]],
    );
}

#[test]
fn a_field_that_others_may_have_written_stays() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    branch v0 ? bb1() : bb2()
bb1():
    v9: i64 = i64.extend_i32_u v8
    i64.store v0, v9
    v10: i64 = i64.load v8
    return v10
bb2():
    return v1
",
        expect![[r#"
                v8: i32 = call fn7 v2, v3
                i64.store v8, v1
                branch v0 ? bb1() : bb2()
            bb1():
                v9: i64 = i64.extend_i32_u v8
                i64.store v0, v9
                v10: i64 = i64.load v8
                return v10
            bb2():
                return v1
            }
        "#]],
    );
}

#[test]
fn a_field_with_two_values_stays() {
    check(
        "    v8: i32 = call fn7 v2, v3
    i64.store v8, v1
    branch v0 ? bb1() : bb2()
bb1():
    i64.store v8, v6
    jump bb2()
bb2():
    v9: i64 = i64.load v8
    return v9
",
        expect![[r#"
                v8: i32 = call fn7 v2, v3
                i64.store v8, v1
                branch v0 ? bb1() : bb2()
            bb1():
                i64.store v8, v6
                jump bb2()
            bb2():
                v9: i64 = i64.load v8
                return v9
            }
        "#]],
    );
}

#[test]
fn each_round_of_a_loop_has_a_block_of_its_own() {
    check(
        "    jump bb1(v1)
bb1(v8: i64):
    v9: i32 = call fn7 v2, v3
    i64.store v9, v8
    v10: i64 = i64.load v9
    v11: i64 = i64.add v10, v6
    v12: i64 = i64.extend_i32_u v9
    branch v0 ? bb1(v11) : bb2(v12)
bb2(v13: i64):
    return v13
",
        expect![[r#"
                jump bb1(v1)
            bb1(v8: i64):
                v11: i64 = i64.add v8, v6
                branch v0 ? bb1(v11) : bb3()
            bb2(v13: i64):
                return v13
            bb3():
                v14: i32 = call fn7 v2, v3
                i64.store v14, v8
                v15: i64 = i64.extend_i32_u v14
                jump bb2(v15)
            }
        "#]],
    );
}
