//! Moves what both arms of a branch begin with to before the branch.
//!
//! A guarded call stores the same slots whether or not the guess holds: once is enough. The order
//! of effects stays, as nothing comes between a branch and the start of its arms.
//!
//! Leaves out switches, and equal instructions further down.

use super::rename::Renaming;
use crate::dominators::Order;
use crate::ir::residual::{Block, Function, Inst, Terminator};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let mut renaming = Renaming::new(function);
    // Later blocks first, so that what has come up from below can go on.
    for &block in order.blocks.iter().rev() {
        if let Some((first, second)) = arms(function, &order, block) {
            let mut common = take_common(function, first, second, &mut renaming);
            function.blocks[block].insts.append(&mut common);
        }
    }
    renaming.apply(function);
}

/// The two blocks to which only `block` branches.
fn arms(function: &Function, order: &Order, block: Block) -> Option<(Block, Block)> {
    let Terminator::Branch {
        then, otherwise, ..
    } = &function.blocks[block].term
    else {
        return None;
    };
    let alone = |arm: Block| order.preds.of(arm).len() == 1;
    (alone(then.block) && alone(otherwise.block)).then_some((then.block, otherwise.block))
}

/// Removes the instructions that both blocks begin with, and returns them. The second block's
/// results become the first's.
fn take_common(
    function: &mut Function,
    first: Block,
    second: Block,
    renaming: &mut Renaming,
) -> Vec<Inst> {
    let mut count = 0;
    loop {
        let left = function.blocks[first].insts.get(count);
        let right = function.blocks[second].insts.get(count);
        let (Some(left), Some(right)) = (left, right) else {
            break;
        };
        let mut args = left.args.iter().zip(&right.args);
        let equal = left.op == right.op
            && left.args.len() == right.args.len()
            && args.all(|(&left, &right)| renaming.resolve(left) == renaming.resolve(right));
        if !equal {
            break;
        }
        if let (Some(left), Some(right)) = (left.result, right.result) {
            renaming.replace(right, left);
        }
        count += 1;
    }
    function.blocks[second].insts.drain(..count);
    function.blocks[first].insts.drain(..count).collect()
}
