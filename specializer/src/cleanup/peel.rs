//! Copies the first round of loops out of them: what it loads and tests, value numbering takes out
//! of the other rounds. So what does not change leaves the loop, and nothing is done before its
//! turn: neither a load that traps nor a test that fails.
//!
//! Only of loops that are short, have no loop within them, and load something that does not change
//! in them. Loops that call now and then are separated from these calls before
//! ([`super::separate`]).

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::copies::{self, Copies};
use super::regions::{Areas, MemoryUse, WrittenInLoops};
use crate::dominators::{Dominators, Order};
use crate::ir::residual::{Block, Function, Value};
use crate::op::{Effect, Op};

/// Most loops of a function that are copied.
const MOST_LOOPS: usize = 32;

pub fn run(function: &mut Function, memory: &MemoryUse) {
    let mut order = Order::new(function);
    if !order.blocks.iter().any(|&block| order.begins_loop(block)) {
        return;
    }
    for blocks in find(function, &order, memory) {
        if copies::are_needed_little(function, &order, &blocks) {
            let copies = Copies::new(function, &blocks);
            let [head, first] = [blocks[0], copies.of(blocks[0])];
            for &block in &blocks {
                copies::lead(&mut function.blocks[copies.of(block)], |to| {
                    if to == first { head } else { to }
                });
            }
            copies::enter(function, &order, &blocks, first);
            order = Order::new(function);
            copies.mend(function, &order);
        }
    }
}

/// The loops to copy, each by its blocks, the head first.
fn find(function: &Function, order: &Order, memory: &MemoryUse) -> Vec<Vec<Block>> {
    let dominators = Dominators::new(function, order);
    let areas = Areas::new(function, order, memory);
    let written = WrittenInLoops::new(function, order, &dominators, &areas);
    let heads = order.blocks.iter().copied();
    let heads = heads.filter(|&block| block != Block::ENTRY && order.begins_loop(block));
    let loops = heads.filter_map(|head| {
        let blocks = copies::short_loop(function, order, &dominators, head)?;
        let mut constant = UnchangingLoads::new(function, order, &blocks);
        let pays = constant.loads(|address| written.leaves(head, areas.of(address, 0)));
        pays.then_some(blocks)
    });
    loops.take(MOST_LOOPS).collect()
}

/// Finds loads that are the same in all rounds of a loop.
struct UnchangingLoads<'f> {
    function: &'f Function,
    /// The loop's blocks, in the order of their evaluation.
    blocks: Vec<Block>,
    /// Values that the loop defines and that may change from one round to the next.
    changing: HashSet<Value>,
}

impl<'f> UnchangingLoads<'f> {
    fn new(function: &'f Function, order: &Order, blocks: &[Block]) -> Self {
        let mut blocks = blocks.to_vec();
        blocks.sort_unstable_by_key(|&block| order.number[block]);
        let params = blocks
            .iter()
            .flat_map(|&block| &function.blocks[block].params);
        Self {
            function,
            changing: params.copied().collect(),
            blocks,
        }
    }

    /// Whether something is loaded from an address that does not change and to which, as
    /// `is_left_alone` says, the loop does not write.
    fn loads(&mut self, is_left_alone: impl Fn(Value) -> bool) -> bool {
        let insts = self
            .blocks
            .iter()
            .flat_map(|&block| &self.function.blocks[block].insts);
        let mut found = false;
        for inst in insts {
            let is_same = !inst.args.iter().any(|arg| self.changing.contains(arg));
            let stays = match (inst.op, inst.op.effect()) {
                (Op::Load { .. }, _) => {
                    let stays = is_same && is_left_alone(inst.args[0]);
                    found |= stays;
                    stays
                }
                (_, Effect::Pure | Effect::Traps) => is_same,
                (
                    _,
                    Effect::Reads
                    | Effect::ReadsGlobal
                    | Effect::Writes
                    | Effect::WritesGlobal
                    | Effect::Calls,
                ) => false,
            };
            if !stays {
                self.changing.extend(inst.result);
            }
        }
        found
    }
}
