//! Divides in 32 bits what is small enough.
//!
//! A processor takes up to three times as long for a 64-bit division as for one of 32 bits, and
//! most numbers that programs divide are small. So a division by what is not a constant becomes a
//! test of both numbers and two divisions. (By constants, engines multiply.) Where both numbers
//! have no bit beyond the 32nd, signed and unsigned division agree; division by zero traps in
//! either.
//!
//! Leaves out numbers that cannot be small, and those that are small in any case: constants.

use super::constants::{self, ByValue, Constants};
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::op::{Const, Op};

pub fn run(function: &mut Function) {
    let known = constants::by_value(function);
    let mut divisions: Vec<(Block, usize)> = function
        .blocks
        .iter()
        .flat_map(|(block, data)| {
            let indices = (0..).map(move |index| (block, index));
            indices.zip(&data.insts)
        })
        .filter(|(_, inst)| is_worth_it(inst, &known))
        .map(|(division, _)| division)
        .collect();
    if divisions.is_empty() {
        return;
    }
    let mut constants = Constants::of(function);
    let half = constants.value(function, Const::I64(32));
    // From the back, so that indices of instructions stay right.
    while let Some((block, index)) = divisions.pop() {
        split(function, block, index, half);
    }
    constants.place(function);
}

fn is_worth_it(inst: &Inst, known: &ByValue) -> bool {
    let &[dividend, divisor] = &inst.args[..] else {
        return false;
    };
    let may_be_small = match known[dividend] {
        Some(Const::I64(dividend)) => u32::try_from(dividend).is_ok(),
        _ => true,
    };
    in_32_bits(inst.op).is_some() && known[divisor].is_none() && may_be_small
}

/// What does the same with numbers of 32 bits, of which the upper halves are zero.
fn in_32_bits(op: Op) -> Option<Op> {
    match op {
        Op::I64DivS | Op::I64DivU => Some(Op::I32DivU),
        Op::I64RemS | Op::I64RemU => Some(Op::I32RemU),
        _ => None,
    }
}

/// Splits a block at a division, whose result becomes a parameter of what follows.
fn split(function: &mut Function, block: Block, index: usize, half: Value) {
    let mut division = function.blocks[block].insts.remove(index);
    let result = division.result.expect("a division has a result");
    let after = function.split(block, index, vec![result]);
    let [small, large] = [(); 2].map(|()| function.blocks.push(BlockData::empty()));

    let both = function.append(block, Op::I64Or, &division.args, Type::I64);
    let upper = function.append(block, Op::I64ShrU, &[both, half], Type::I64);
    let is_large = function.append(block, Op::I32WrapI64, &[upper], Type::I32);
    function.blocks[block].term = Terminator::Branch {
        cond: is_large,
        then: Target::new(large, []),
        otherwise: Target::new(small, []),
    };

    let op = in_32_bits(division.op).expect("it is a division");
    let operands: Values = division
        .args
        .iter()
        .map(|&operand| function.append(small, Op::I32WrapI64, &[operand], Type::I32))
        .collect();
    let narrow = function.append(small, op, &operands, Type::I32);
    let result = function.append(small, Op::I64ExtendI32U, &[narrow], Type::I64);
    function.blocks[small].term = Terminator::Jump(Target::new(after, [result]));

    let result = function.new_value(Type::I64);
    division.result = Some(result);
    function.blocks[large].insts.push(division);
    function.blocks[large].term = Terminator::Jump(Target::new(after, [result]));
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::regions::MemoryUse;
    use super::super::tests::check_pass;
    use super::*;
    use crate::exec::{self, NoHost, State};

    #[test]
    fn both_numbers_are_tested() {
        let pass = |function: &mut Function, _: &MemoryUse| run(function);
        check_pass(
            pass,
            "function(i64, i64) -> i64 {
bb0(v0: i64, v1: i64):
    v2: i64 = i64.rem_s v0, v1
    v3: i64 = i64.add v2, v0
    return v3
}
",
            expect![[r#"
                function(i64, i64) -> i64 {
                bb0(v0: i64, v1: i64):
                    v4: i64 = i64.const 32
                    v5: i64 = i64.or v0, v1
                    v6: i64 = i64.shr_u v5, v4
                    v7: i32 = i32.wrap_i64 v6
                    branch v7 ? bb3() : bb2()
                bb1(v2: i64):
                    v3: i64 = i64.add v2, v0
                    return v3
                bb2():
                    v8: i32 = i32.wrap_i64 v0
                    v9: i32 = i32.wrap_i64 v1
                    v10: i32 = i32.rem_u v8, v9
                    v11: i64 = i64.extend_i32_u v10
                    jump bb1(v11)
                bb3():
                    v12: i64 = i64.rem_s v0, v1
                    jump bb1(v12)
                }
            "#]],
        );
    }

    #[test]
    fn what_is_constant_says_whether_it_is_worth_it() {
        for (operands, expected) in [
            ("v0, v2", false),
            ("v2, v0", true),
            ("v3, v0", false),
            ("v4, v0", false),
            ("v0, v3", false),
        ] {
            let mut function = parsed("i64.div_s", operands);
            run(&mut function);
            assert_eq!(function.blocks.len() > 1, expected, "{operands}");
        }
    }

    #[test]
    fn it_divides_as_before() {
        let numbers = [
            0,
            1,
            -1,
            2,
            7,
            i64::MIN,
            i64::MAX,
            1 << 31,
            (1 << 32) - 1,
            1 << 32,
            -1 << 32,
        ];
        for op in ["i64.div_s", "i64.div_u", "i64.rem_s", "i64.rem_u"] {
            let before = parsed(op, "v0, v1");
            let mut after = before.clone();
            run(&mut after);
            assert!(after.blocks.len() > 1, "{op}");
            for (dividend, divisor) in numbers
                .iter()
                .flat_map(|&dividend| numbers.map(|divisor| (dividend, divisor)))
            {
                let [before, after] = [&before, &after].map(|function| {
                    let mut state = State {
                        fuel: 10,
                        ..State::default()
                    };
                    let args = [dividend, divisor].map(Const::I64);
                    exec::run(function, &args, &mut state, &mut NoHost)
                });
                assert_eq!(before, after, "{op} {dividend} {divisor}");
            }
        }
    }

    /// A function that divides once.
    fn parsed(op: &str, operands: &str) -> Function {
        crate::text::parse(&format!(
            "function(i64, i64) -> i64 {{
bb0(v0: i64, v1: i64):
    v2: i64 = i64.const 1000
    v3: i64 = i64.const -1000
    v4: i64 = i64.const 4294967296
    v5: i64 = {op} {operands}
    return v5
}}
"
        ))
        .expect("the text is valid")
    }
}
