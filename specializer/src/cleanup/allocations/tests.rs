//! What cleanup leaves of allocations. `tests/golden/allocations.wat` runs some.

use expect_test::{Expect, expect};

use crate::allocator::Allocator;
use crate::cleanup::tests::check_with;
use crate::ir::{Func, Global, Sig, Signature, Type};
use crate::optimisations::Optimisations;

pub const ALLOCATOR: Allocator = Allocator {
    allocate: Func(7),
    pointer: 64,
    floor: 68,
    is_counted: false,
};

/// Those of [`crate::random`], and the allocator's.
pub struct Types;

impl crate::op::Types for Types {
    fn function(&self, func: Func) -> Option<&Signature> {
        static ALLOCATE: std::sync::LazyLock<Signature> = std::sync::LazyLock::new(|| Signature {
            params: vec![Type::I32, Type::I64],
            results: vec![Type::I32],
        });
        match func == ALLOCATOR.allocate {
            true => Some(&ALLOCATE),
            false => crate::random::Types.function(func),
        }
    }

    fn signature(&self, sig: Sig) -> Option<&Signature> {
        crate::random::Types.signature(sig)
    }

    fn global(&self, global: Global) -> Option<Type> {
        crate::random::Types.global(global)
    }
}

/// What is left where all blocks are made.
fn check(text: &str, expect: Expect) {
    let optimisations = Optimisations {
        scalar_replacement: false,
        ..Optimisations::default()
    };
    check_with(&optimisations, Some(&ALLOCATOR), &Types, text, expect);
}

#[test]
fn blocks_that_are_allocated_one_after_the_other_take_their_memory_at_once() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 16
    v3: i64 = i64.const 1277
    v4: i32 = call fn7 v2, v3
    i64.store v4, v1
    jump bb1()
bb1():
    v5: i32 = i32.const 24
    v6: i64 = i64.const 2048
    v7: i32 = call fn7 v5, v6
    v8: i64 = i64.extend_i32_u v4
    i64.store v7, v8
    v9: i64 = i64.extend_i32_u v7
    return v9
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const 64
                v3: i32 = i32.const 68
                v4: i32 = i32.const -40
                v5: i32 = i32.const -16
                v6: i32 = i32.const -8
                v7: i32 = i32.const -32
                v8: i32 = i32.const 16
                v9: i64 = i64.const 1277
                v10: i32 = i32.const 24
                v11: i64 = i64.const 2048
                v12: i32 = i32.load v2
                v13: i32 = i32.load v3
                v14: i32 = i32.add v12, v4
                v15: i32 = i32.lt_u v14, v13
                branch v15 ? bb1() : bb2()
            bb1():
                v16: i32 = call fn7 v8, v9
                v17: i32 = call fn7 v10, v11
                jump bb3(v16, v17)
            bb2():
                i32.store v2, v14
                v18: i32 = i32.add v12, v5
                i64.store v18, v9
                v19: i32 = i32.add v12, v6
                i64.store v14, v11
                v20: i32 = i32.add v12, v7
                jump bb3(v19, v20)
            bb3(v21: i32, v22: i32):
                i64.store v21, v1
                v23: i64 = i64.extend_i32_u v21
                i64.store v22, v23
                v24: i64 = i64.extend_i32_u v22
                return v24
            }
        "#]],
    );
}

#[test]
fn a_call_comes_between_two_groups() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 16
    v3: i64 = i64.const 1277
    v4: i32 = call fn7 v2, v3
    i64.store v4, v1
    v5: i64 = i64.extend_i32_u v4
    v6: i64 = call fn0 v0, v5
    v7: i32 = call fn7 v2, v3
    i64.store v7, v6
    v8: i32 = call fn7 v0, v3
    v9: i64 = i64.extend_i32_u v8
    return v9
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const 64
                v3: i32 = i32.const 68
                v4: i32 = i32.const -16
                v5: i32 = i32.const -8
                v6: i32 = i32.const 16
                v7: i64 = i64.const 1277
                v8: i32 = i32.load v2
                v9: i32 = i32.load v3
                v10: i32 = i32.add v8, v4
                v11: i32 = i32.lt_u v10, v9
                branch v11 ? bb1() : bb2()
            bb1():
                v12: i32 = call fn7 v6, v7
                jump bb3(v12)
            bb2():
                i32.store v2, v10
                i64.store v10, v7
                v13: i32 = i32.add v8, v5
                jump bb3(v13)
            bb3(v14: i32):
                i64.store v14, v1
                v15: i64 = i64.extend_i32_u v14
                v16: i64 = call fn0 v0, v15
                v17: i32 = i32.load v2
                v18: i32 = i32.load v3
                v19: i32 = i32.add v17, v4
                v20: i32 = i32.lt_u v19, v18
                branch v20 ? bb4() : bb5()
            bb4():
                v21: i32 = call fn7 v6, v7
                jump bb6(v21)
            bb5():
                i32.store v2, v19
                i64.store v19, v7
                v22: i32 = i32.add v17, v5
                jump bb6(v22)
            bb6(v23: i32):
                i64.store v23, v16
                v24: i32 = call fn7 v0, v7
                v25: i64 = i64.extend_i32_u v24
                return v25
            }
        "#]],
    );
}

#[test]
fn what_is_within_a_region_is_the_same_after_an_allocation() {
    check(
        "function(i32, i32) -> i64 {
bb0(v0: i32, v1: i32):
    v2: i32 = i32.const 16
    v3: i64 = i64.const 1277
    v4: i32 = i32.const 1
    v5: i32 = address.within v0, v4
    v6: i64 = i64.load v5
    v7: i64 = i64.load v1
    v8: i32 = call fn7 v2, v3
    v15: i32 = i32.const 2
    v16: i32 = address.within v8, v15
    i64.store v16, v6
    v9: i32 = address.within v0, v4
    v10: i64 = i64.load v9
    v11: i64 = i64.load v1
    v12: i64 = i64.add v6, v10
    v13: i64 = i64.add v7, v11
    v14: i64 = i64.add v12, v13
    return v14
}
",
        expect![[r#"
            function(i32, i32) -> i64 {
            bb0(v0: i32, v1: i32):
                v2: i32 = i32.const 64
                v3: i32 = i32.const 68
                v4: i32 = i32.const -16
                v5: i32 = i32.const -8
                v6: i32 = i32.const 16
                v7: i64 = i64.const 1277
                v8: i32 = i32.load v2
                v9: i32 = i32.load v3
                v10: i32 = i32.add v8, v4
                v11: i32 = i32.lt_u v10, v9
                branch v11 ? bb1() : bb2()
            bb1():
                v12: i32 = call fn7 v6, v7
                jump bb3(v12)
            bb2():
                i32.store v2, v10
                i64.store v10, v7
                v13: i32 = i32.add v8, v5
                jump bb3(v13)
            bb3(v14: i32):
                v15: i64 = i64.load v0
                v16: i64 = i64.load v1
                i64.store v14, v15
                v17: i64 = i64.load v1
                v18: i64 = i64.add v15, v15
                v19: i64 = i64.add v16, v17
                v20: i64 = i64.add v18, v19
                return v20
            }
        "#]],
    );
}
