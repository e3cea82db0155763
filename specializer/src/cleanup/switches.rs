//! Turns a switch of few cases into a row of branches, which a processor decides sooner than a jump
//! through a table, and predicts by itself.

use smallvec::smallvec;

use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::op::{Const, Op};

/// Most cases of such a row, the default excepted.
const MOST: usize = 4;

pub fn run(function: &mut Function) {
    for block in function.blocks.keys() {
        let term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        match term {
            Terminator::Switch {
                index,
                targets,
                default,
            } if (1..=MOST).contains(&targets.len()) => {
                branches(function, block, index, targets, default);
            }
            term => function.blocks[block].term = term,
        }
    }
}

/// Ends `block` with branches to the target that has the number `index`, or else to `default`.
fn branches(
    function: &mut Function,
    mut block: Block,
    index: Value,
    targets: Vec<Target>,
    default: Target,
) {
    let last = targets.len() - 1;
    let mut default = Some(default);
    for (case, target) in targets.into_iter().enumerate() {
        let other = match case == last {
            true => default.take().expect("one case is the last"),
            false => Target {
                block: function.blocks.push(BlockData {
                    params: Vec::new(),
                    insts: Vec::new(),
                    term: Terminator::Unreachable,
                }),
                args: smallvec![],
            },
        };
        let next = other.block;
        function.blocks[block].term = match case {
            0 => Terminator::Branch {
                cond: index,
                then: other,
                otherwise: target,
            },
            _ => Terminator::Branch {
                cond: equals(function, block, index, case as i32),
                then: target,
                otherwise: other,
            },
        };
        block = next;
    }
}

/// Whether `index` is `case`, computed in `block`.
fn equals(function: &mut Function, block: Block, index: Value, case: i32) -> Value {
    let [constant, equal] = [(); 2].map(|()| function.new_value(Type::I32));
    function.blocks[block].insts.extend([
        Inst {
            op: Op::Const(Const::I32(case)),
            args: smallvec![],
            result: Some(constant),
        },
        Inst {
            op: Op::I32Eq,
            args: smallvec![index, constant],
            result: Some(equal),
        },
    ]);
    equal
}
