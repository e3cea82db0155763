//! What is known of bits, and what comes of it.

use expect_test::{Expect, expect};
use fastrand::Rng;

use super::known::{self, Bits};
use crate::cleanup::regions::MemoryUse;
use crate::cleanup::tests::check_pass;
use crate::ir::Type;
use crate::ir::residual::Function;
use crate::op::{Const, Op, Plain};

fn check(text: &str, expect: Expect) {
    let run = |function: &mut Function, _: &MemoryUse| {
        crate::cleanup::constants::run(function);
        super::run(function);
        crate::cleanup::dce::run(function);
    };
    check_pass(run, text, expect);
}

/// A number that is tagged in its upper half, counted up in a loop, whose tag is tested each round.
#[test]
fn a_tag_is_known_around_a_loop() {
    check(
        "function(i64) -> i64 {
bb0(v0: i64):
    v1: i64 = i64.const -4222124650659840
    v2: i64 = i64.const -281474976710656
    v3: i64 = i64.const 4294967295
    v4: i32 = i32.const 1
    jump bb1(v1)
bb1(v5: i64):
    v6: i64 = i64.and v5, v2
    v7: i32 = i64.ne v6, v1
    branch v7 ? bb3() : bb2()
bb2():
    v8: i32 = i32.wrap_i64 v5
    v9: i32 = i32.add v8, v4
    v10: i64 = i64.extend_i32_u v9
    v11: i64 = i64.or v10, v1
    jump bb4(v11)
bb3():
    v12: f64 = f64.reinterpret_i64 v5
    v13: f64 = f64.add v12, v12
    v14: i64 = i64.reinterpret_f64 v13
    jump bb4(v14)
bb4(v15: i64):
    v16: i32 = i64.lt_u v15, v0
    branch v16 ? bb1(v15) : bb5()
bb5():
    return v15
}
",
        expect![[r#"
            function(i64) -> i64 {
            bb0(v0: i64):
                v1: i64 = i64.const -4222124650659840
                v4: i32 = i32.const 1
                jump bb1(v1)
            bb1(v5: i64):
                jump bb2()
            bb2():
                v8: i32 = i32.wrap_i64 v5
                v9: i32 = i32.add v8, v4
                v10: i64 = i64.extend_i32_u v9
                v11: i64 = i64.or v10, v1
                jump bb4(v11)
            bb3():
                unreachable
            bb4(v15: i64):
                v16: i32 = i64.lt_u v15, v0
                branch v16 ? bb1(v15) : bb5()
            bb5():
                return v15
            }
        "#]],
    );
}

#[test]
fn masks_that_change_nothing_go() {
    check(
        "function(i32) -> i64 {
bb0(v0: i32):
    v1: i32 = i32.load8_u v0
    v2: i32 = i32.const 255
    v3: i32 = i32.and v1, v2
    v4: i64 = i64.extend_i32_u v3
    v5: i64 = i64.const 1
    v6: i64 = i64.shl v4, v5
    v7: i64 = i64.or v6, v5
    v8: i64 = i64.or v7, v5
    return v8
}
",
        expect![[r#"
            function(i32) -> i64 {
            bb0(v0: i32):
                v5: i64 = i64.const 1
                v1: i32 = i32.load8_u v0
                v4: i64 = i64.extend_i32_u v1
                v6: i64 = i64.shl v4, v5
                v7: i64 = i64.or v6, v5
                return v7
            }
        "#]],
    );
}

/// A bit that is tested on one way only is not known; nor is a number that grows.
#[test]
fn what_differs_between_ways_is_not_known() {
    check(
        "function(i32) -> i32 {
bb0(v0: i32):
    v1: i32 = i32.const 4
    v2: i32 = i32.const 6
    v3: i32 = i32.const 2
    branch v0 ? bb1(v1) : bb1(v2)
bb1(v4: i32):
    v5: i32 = i32.and v4, v3
    branch v5 ? bb2() : bb1(v4)
bb2():
    v6: i32 = i32.and v4, v1
    return v6
}
",
        expect![[r#"
            function(i32) -> i32 {
            bb0(v0: i32):
                v1: i32 = i32.const 4
                v2: i32 = i32.const 6
                v3: i32 = i32.const 2
                branch v0 ? bb1(v1) : bb1(v2)
            bb1(v4: i32):
                v5: i32 = i32.and v4, v3
                branch v5 ? bb2() : bb1(v4)
            bb2():
                return v1
            }
        "#]],
    );
}

/// The operators of integers of one or two operands.
fn operators() -> impl Iterator<Item = Plain> {
    let is_integer = |ty: &Type| matches!(ty, Type::I32 | Type::I64);
    Plain::ALL
        .iter()
        .copied()
        .filter(move |plain| plain.operands().iter().all(is_integer) && is_integer(&plain.result()))
}

/// A value of which some bits are known, and values that it may be.
fn some_bits(rng: &mut Rng, ty: Type) -> (Bits, Vec<u64>) {
    let exact = |value: u64| {
        known::result(
            Op::Const(Const::from_bits(ty, value)),
            Default::default(),
            ty,
        )
    };
    let base = match rng.u32(..3) {
        0 => rng.u64(..4),
        1 => u64::MAX << rng.u32(..64),
        _ => rng.u64(..),
    };
    let varied = rng.u64(..) & rng.u64(..) & rng.u64(..);
    let values: Vec<u64> = (0..4)
        .map(|_| Const::from_bits(ty, base ^ rng.u64(..) & varied).bits())
        .collect();
    let bits = values.iter().map(|&value| exact(value));
    (bits.reduce(Bits::meet).expect("there are some"), values)
}

#[test]
fn what_is_known_of_a_result_holds_for_all_operands() {
    let mut rng = Rng::with_seed(7);
    for plain in operators() {
        for _ in 0..400 {
            let types = plain.operands();
            let operands: Vec<_> = types.iter().map(|&ty| some_bits(&mut rng, ty)).collect();
            let args = operands.iter().map(|(bits, _)| *bits).collect();
            let result = known::result(Op::Plain(plain), args, plain.result());
            for _ in 0..16 {
                let values: Vec<Const> = operands
                    .iter()
                    .zip(types)
                    .map(|((_, values), &ty)| Const::from_bits(ty, values[rng.usize(..4)]))
                    .collect();
                let Some(value) = Op::Plain(plain).fold(&values) else {
                    continue;
                };
                let bits = value.bits();
                assert_eq!(
                    bits & !result.can_be(),
                    0,
                    "{plain:?} {values:?}: {result:?}"
                );
                assert_eq!(
                    bits & result.must_be(),
                    result.must_be(),
                    "{plain:?} {values:?}"
                );
            }
        }
    }
}
