//! Makes the short rounds of a loop, those that call nothing, a loop of their own inside of one of
//! the others.
//!
//! A store that the collector has to hear of and an allocation that finds no room call, once in
//! thousands of rounds. But where a loop calls at all, engines keep values in memory in all of it,
//! and what the call may write is unknown in each round. So a round that comes to a call goes on
//! in a copy of the rest of the round, which leads to the beginning of an outer loop:
//!
//! ```text
//! outer:  jump head                    slow':  call …, jump rest'
//! head:   … branch ? slow' : rest      rest':  …, jump outer
//! rest:   …, jump head
//! ```
//!
//! Leaves out: loops with loops that call nothing, unless these are on the way to a call. (Where
//! the rounds that do not come to such a loop were separated, LU decomposition took 1.14 of its
//! time.)

#[cfg(test)]
mod tests;

use super::compact::empty_unreached;
use super::copies::{self, Copies};
use crate::dominators::{Adjacency, Dominators, Order};
use crate::ir::residual::{Block, BlockData, Function, Target, Terminator};
use crate::op::{Effect, Op};

/// Most blocks of a loop, and most instructions that are copied of it.
const MOST_BLOCKS: usize = 128;
const MOST_INSTS: usize = 160;

/// Most loops of a function that are separated.
const MOST_LOOPS: usize = 32;

pub fn run(function: &mut Function) {
    let mut order = Order::new(function);
    let heads = order.blocks.iter().rev().copied();
    let heads: Vec<Block> = heads.filter(|&block| order.begins_loop(block)).collect();
    if heads.is_empty() {
        return;
    }
    let mut dominators = Dominators::new(function, &order);
    let mut rest = MOST_LOOPS;
    // Inner loops first.
    for head in heads {
        let Some(rounds) = Rounds::new(function, &order, &dominators, head) else {
            continue;
        };
        if copies::are_needed_little(function, &order, &rounds.blocks) {
            order = rounds.separate(function, &order);
            dominators = Dominators::new(function, &order);
        }
        rest -= 1;
        if rest == 0 {
            break;
        }
    }
}

/// The rounds of a loop, some of which are long.
struct Rounds {
    /// The loop's blocks, the head first.
    blocks: Vec<Block>,
    /// Those of the short rounds.
    quick: Vec<Block>,
    /// Those to which a round may come that is not a short one any more.
    late: Vec<Block>,
}

impl Rounds {
    /// Nothing if all rounds are short, or all are long, or there is too much to copy.
    fn new(
        function: &Function,
        order: &Order,
        dominators: &Dominators,
        head: Block,
    ) -> Option<Self> {
        let blocks = order.blocks_of_loop(dominators, head, MOST_BLOCKS)?;
        let quick = quick(function, order, dominators, &blocks)?;
        let leaves = |block| blocks.contains(&block) && !quick.contains(&block);
        let nexts = quick.iter().flat_map(|&block| order.succs.of(block));
        let slow: Vec<Block> = nexts.copied().filter(|&next| leaves(next)).collect();
        let is_late = |block| block != head && blocks.contains(&block);
        let late: Vec<Block> = order.succs.walk(&slow, is_late).collect();
        let twice = late.iter().filter(|block| quick.contains(block));
        let insts: usize = twice.map(|&block| function.blocks[block].insts.len()).sum();
        let is_worthwhile = !late.is_empty() && insts <= MOST_INSTS;
        is_worthwhile.then_some(Self {
            blocks,
            quick,
            late,
        })
    }

    /// The function's order, as `order` was before.
    fn separate(&self, function: &mut Function, order: &Order) -> Order {
        let head = self.blocks[0];
        let outer = outer_head(function, head);
        copies::enter(function, order, &self.blocks, outer);
        let copies = Copies::new(function, &self.late);
        for &block in &self.late {
            copies::lead(&mut function.blocks[copies.of(block)], |to| {
                if to == head { outer } else { to }
            });
        }
        let is_slow = |block| self.late.contains(&block) && !self.quick.contains(&block);
        for &block in &self.quick {
            copies::lead(&mut function.blocks[block], |to| {
                if is_slow(to) { copies.of(to) } else { to }
            });
        }
        let order = Order::new(function);
        empty_unreached(function, &order);
        copies.mend(function, &order);
        order
    }
}

/// The blocks of the short rounds of a loop: neither these nor a loop that begins with one call.
/// Nothing if there are none, or there is a loop within them.
fn quick(
    function: &Function,
    order: &Order,
    dominators: &Dominators,
    blocks: &[Block],
) -> Option<Vec<Block>> {
    let head = blocks[0];
    let begins_loop = |&block: &Block| block != head && order.begins_loop(block);
    let is_long = |block: &Block| match begins_loop(block) {
        true => order
            .blocks_of_loop(dominators, *block, MOST_BLOCKS)
            .is_none_or(|within| within.iter().any(|&block| calls(&function.blocks[block]))),
        false => calls(&function.blocks[*block]),
    };
    let short: Vec<Block> = blocks
        .iter()
        .copied()
        .filter(|block| !is_long(block))
        .collect();
    let walk = |edges: &Adjacency, from: &[Block], within: &[Block]| -> Vec<Block> {
        edges.walk(from, |block| within.contains(&block)).collect()
    };
    let from_head = walk(&order.succs, &[head], &short);
    let quick = walk(&order.preds, order.preds.of(head), &from_head);
    let is_innermost = !quick.iter().any(begins_loop);
    (!quick.is_empty() && is_innermost).then_some(quick)
}

/// A new block that jumps to `head`, with the same parameters.
fn outer_head(function: &mut Function, head: Block) -> Block {
    let params = copies::params_like(function, head);
    let term = Terminator::Jump(Target {
        block: head,
        args: params.iter().copied().collect(),
    });
    function.blocks.push(BlockData {
        params,
        insts: Vec::new(),
        term,
    })
}

/// Whether an engine may call for something in a block.
pub fn calls(data: &BlockData) -> bool {
    let calls = |op: Op| match op.effect() {
        Effect::Calls => true,
        Effect::Writes => !matches!(op, Op::Store { .. }),
        Effect::Pure
        | Effect::Traps
        | Effect::Reads
        | Effect::ReadsGlobal
        | Effect::WritesGlobal => false,
    };
    data.insts.iter().any(|inst| calls(inst.op))
}
