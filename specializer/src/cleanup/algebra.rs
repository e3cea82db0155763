//! Cleanup's algebra is exact: random chains of operators give the same results after it, for
//! corner values too.

use crate::exec::{self, NoHost, State};
use crate::ir::residual::{Block, BlockData, Function, Terminator, Value, Values};
use crate::ir::{Signature, Type};
use crate::op::{Const, Op, Plain};
use fastrand::Rng;

/// Integer operators without effect.
fn operators() -> Vec<Plain> {
    let integer = |ty: &Type| matches!(ty, Type::I32 | Type::I64);
    let all = Plain::ALL.iter().copied().filter(|plain| !plain.may_trap());
    all.filter(|plain| plain.operands().iter().all(integer) && integer(&plain.result()))
        .collect()
}

/// A chain of operators on the parameters, each on the result of the one before where types permit.
fn chain(random: &mut Rng, operators: &[Plain], length: usize) -> Function {
    let types = vec![Type::I32, Type::I64];
    let signature = Signature {
        params: types.clone(),
        results: vec![Type::I64],
    };
    let block = BlockData {
        params: vec![Value(0), Value(1)],
        insts: Vec::new(),
        term: Terminator::Unreachable,
    };
    let mut function = Function {
        signature,
        blocks: vec![block].into(),
        types: types.into(),
    };
    let mut last = Value(random.usize(..2) as u32);
    let mut made = 0;
    while made < length {
        let plain = operators[random.usize(..operators.len())];
        let Some(place) = plain
            .operands()
            .iter()
            .position(|&ty| ty == function.value_type(last))
        else {
            continue;
        };
        let mut args = Vec::new();
        for (index, &ty) in plain.operands().iter().enumerate() {
            let small = [
                -8,
                -2,
                -1,
                0,
                1,
                1,
                2,
                3,
                4,
                5,
                7,
                31,
                32,
                33,
                63,
                64,
                i64::from(u32::MAX),
                i64::MIN,
            ];
            let constant = Const::from_bits(ty, small[random.usize(..small.len())] as u64);
            args.push(match index == place {
                true => last,
                false if random.usize(..8) == 0 => Value(u32::from(ty == Type::I64)),
                false => function.append(Block::ENTRY, Op::Const(constant), &[], ty),
            });
        }
        last = function.append(Block::ENTRY, Op::Plain(plain), &args, plain.result());
        made += 1;
    }
    if function.value_type(last) == Type::I32 {
        last = function.append(Block::ENTRY, Op::I64ExtendI32U, &[last], Type::I64);
    }
    function.blocks[Block::ENTRY].term = Terminator::Return(Values::from_slice(&[last]));
    function
}

#[test]
fn the_algebra_is_exact() {
    let all = operators();
    // Operators that rules are about come up more often.
    let known = "eqz eq ne lt_s le_s gt_s ge_s add sub and or xor shl shr_s \
        shr_u wrap_i64 extend_i32_u extend_i32_s";
    let known: Vec<&str> = known.split(' ').collect();
    let is_known = |plain: &Plain| {
        plain
            .name()
            .split_once('.')
            .is_some_and(|(_, name)| known.contains(&name))
    };
    let chosen: Vec<Plain> = all.iter().copied().filter(is_known).collect();
    for seed in 0..20_000 {
        let mut random = Rng::with_seed(seed);
        let operators = if seed % 8 == 0 { &all } else { &chosen };
        let length = 1 + random.usize(..5);
        check_chain(&chain(&mut random, operators, length));
    }
}

/// Checks that a function of an `i32` and an `i64` gives the same after cleanup, which is returned.
pub(super) fn check_chain(function: &Function) -> Function {
    let mut clean = function.clone();
    super::run(
        &mut clean,
        &[],
        None,
        super::Trapped::Ends,
        &Default::default(),
        &mut |_, _| {},
    );
    for narrow in [0, 1, 2, 3, -1, 7, i32::MIN, i32::MAX] {
        for wide in [0, 1, 2, 3, -1, -2, 5, 1 << 31, 1 << 32, i64::MIN, i64::MAX] {
            let args = [Const::I32(narrow), Const::I64(wide)];
            let run = |function| {
                exec::run(
                    function,
                    &args,
                    &mut State::new(0, Vec::new(), 10),
                    &mut NoHost,
                )
            };
            assert_eq!(
                run(&clean),
                run(function),
                "of {args:?} in {function} as {clean}"
            );
        }
    }
    clean
}
