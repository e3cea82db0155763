//! Copies the first round of loops out of them: what it loads and tests, value numbering takes out
//! of the other rounds. So what does not change leaves the loop, and nothing is done before its
//! turn: neither a load that traps nor a test that fails.
//!
//! Only of loops that are short, have no loop within them, and load something that does not change
//! in them. A value of the loop that is used after it becomes a parameter of the blocks between,
//! as it comes from the copy or from the loop; parameters that turn out needless go later.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use super::regions::{Areas, Loops};
use crate::allocator::Allocator;
use crate::dominators::{Dominators, Order};
use crate::hash::FastMap;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::op::{Effect, Op};

/// Blocks and instructions of the longest loop that is copied.
const MOST_BLOCKS: usize = 32;
const MOST_INSTS: usize = 160;

/// Most parameters that a copy may add to the blocks after its loop.
const MOST_PARAMS: usize = 512;

/// Most loops of a function that are copied.
const MOST_LOOPS: usize = 32;

pub fn run(function: &mut Function, allocator: Option<&Allocator>) {
    let order = Order::new(function);
    if !order.blocks.iter().any(|&block| order.begins_loop(block)) {
        return;
    }
    for blocks in find(function, &order, allocator) {
        Peel::new(function, blocks).run();
    }
}

/// The loops to copy, each by its blocks, the head first.
fn find(function: &Function, order: &Order, allocator: Option<&Allocator>) -> Vec<Vec<Block>> {
    let dominators = Dominators::new(function, order);
    let areas = Areas::new(function, order, allocator);
    let written = Loops::new(function, order, &dominators, &areas);
    let heads = order.blocks.iter().copied();
    let heads = heads.filter(|&block| block != Block::ENTRY && order.begins_loop(block));
    let loops = heads.filter_map(|head| {
        let blocks = order.blocks_of_loop(&dominators, head, MOST_BLOCKS)?;
        let is_innermost = !blocks[1..].iter().any(|&block| order.begins_loop(block));
        let insts = blocks
            .iter()
            .map(|&block| function.blocks[block].insts.len());
        let is_short = insts.sum::<usize>() <= MOST_INSTS;
        let pays = || {
            let mut constant = Unchanging::new(function, order, &blocks);
            constant.loads(|address| written.leaves(head, areas.of(address)))
        };
        (is_innermost && is_short && pays()).then_some(blocks)
    });
    loops.take(MOST_LOOPS).collect()
}

/// What is the same in all rounds of a loop.
struct Unchanging<'f> {
    function: &'f Function,
    /// The loop's blocks, in the order of their evaluation.
    blocks: Vec<Block>,
    /// Values that the loop defines and that may change from one round to the next.
    changing: HashSet<Value>,
}

impl<'f> Unchanging<'f> {
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

/// One loop that is being copied.
struct Peel<'f> {
    function: &'f mut Function,
    blocks: Vec<Block>,
    order: Order,
    /// By block and by value of the loop, its copy.
    copies: FastMap<Block, Block>,
    values: FastMap<Value, Value>,
}

impl<'f> Peel<'f> {
    fn new(function: &'f mut Function, blocks: Vec<Block>) -> Self {
        Self {
            order: Order::new(function),
            function,
            blocks,
            copies: FastMap::default(),
            values: FastMap::default(),
        }
    }

    fn run(mut self) {
        let Some(needed) = self.needed_later() else {
            return;
        };
        let enters = self.order.preds.of(self.blocks[0]).iter().copied();
        let enters: Vec<Block> = enters.filter(|pred| !self.blocks.contains(pred)).collect();
        self.copy();
        for pred in enters {
            self.redirect(pred);
        }
        for (value, places) in needed {
            self.join(value, places);
        }
    }

    /// The loop's values that are used after it, each with the blocks on whose entry it is needed;
    /// nothing if these are too many.
    fn needed_later(&self) -> Option<Vec<(Value, Vec<Block>)>> {
        let uses = self.uses_elsewhere();
        let mut needed = Vec::new();
        let mut count = 0;
        for &block in &self.blocks {
            let data = &self.function.blocks[block];
            for value in defined(data) {
                let Some(users) = uses.get(&value) else {
                    continue;
                };
                let mut places = Vec::new();
                let mut seen: HashSet<Block> = HashSet::new();
                let mut work = users.clone();
                while let Some(block) = work.pop() {
                    if !self.blocks.contains(&block) && seen.insert(block) {
                        places.push(block);
                        work.extend(self.order.preds.of(block));
                    }
                    if count + places.len() > MOST_PARAMS {
                        return None;
                    }
                }
                count += places.len();
                needed.push((value, places));
            }
        }
        Some(needed)
    }

    /// By value of the loop, the other blocks that use it.
    fn uses_elsewhere(&self) -> HashMap<Value, Vec<Block>> {
        let blocks = self
            .blocks
            .iter()
            .map(|&block| &self.function.blocks[block]);
        let mut uses: HashMap<Value, Vec<Block>> = blocks
            .flat_map(defined)
            .map(|value| (value, Vec::new()))
            .collect();
        let others = self.order.blocks.iter();
        for &block in others.filter(|block| !self.blocks.contains(block)) {
            let data = &self.function.blocks[block];
            let args = data.insts.iter().flat_map(|inst| &inst.args);
            for arg in args.chain(data.term.operands()) {
                if let Some(users) = uses.get_mut(arg) {
                    users.push(block);
                }
            }
        }
        uses.retain(|_, users| !users.is_empty());
        uses
    }

    /// Copies the loop's blocks. Jumps back lead to the loop itself.
    fn copy(&mut self) {
        for &block in &self.blocks {
            self.copies
                .insert(block, self.function.blocks.push(BlockData::empty()));
            let data = &self.function.blocks[block];
            for value in defined(data).collect::<Vec<_>>() {
                let ty = self.function.value_type(value);
                self.values.insert(value, self.function.new_value(ty));
            }
        }
        for &block in &self.blocks {
            let data = &self.function.blocks[block];
            let copy = BlockData {
                params: data
                    .params
                    .iter()
                    .map(|&param| self.copied(param))
                    .collect(),
                insts: data.insts.iter().map(|inst| self.inst(inst)).collect(),
                term: self.terminator(&data.term),
            };
            self.function.blocks[self.copies[&block]] = copy;
        }
    }

    fn copied(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn inst(&self, inst: &Inst) -> Inst {
        Inst {
            op: inst.op,
            args: inst.args.iter().map(|&arg| self.copied(arg)).collect(),
            result: inst.result.map(|result| self.copied(result)),
        }
    }

    fn terminator(&self, term: &Terminator) -> Terminator {
        let mut copy = term.clone();
        copy.for_each_operand_mut(|operand| *operand = self.copied(*operand));
        for target in copy.targets_mut() {
            if target.block != self.blocks[0]
                && let Some(&block) = self.copies.get(&target.block)
            {
                target.block = block;
            }
        }
        copy
    }

    /// Leads the jumps of `pred` to the loop to the copy of its first round.
    fn redirect(&mut self, pred: Block) {
        let head = self.blocks[0];
        let copy = self.copies[&head];
        let targets = self.function.blocks[pred].term.targets_mut();
        let to_head = |target: &&mut Target| target.block == head;
        targets
            .filter(to_head)
            .for_each(|target| target.block = copy);
    }

    /// Makes `value` a parameter of each of the blocks `places`, and uses that there.
    fn join(&mut self, value: Value, places: Vec<Block>) {
        let ty = self.function.value_type(value);
        let params: FastMap<Block, Value> = places
            .iter()
            .map(|&block| (block, self.function.new_value(ty)))
            .collect();
        for (&block, &param) in &params {
            let data = &mut self.function.blocks[block];
            data.params.push(param);
            let args = data.insts.iter_mut().flat_map(|inst| &mut inst.args);
            args.filter(|arg| **arg == value)
                .for_each(|arg| *arg = param);
            data.term.for_each_operand_mut(|arg| {
                if *arg == value {
                    *arg = param;
                }
            });
        }
        let copies: Vec<(Block, Value)> = self
            .copies
            .values()
            .map(|&copy| (copy, self.values[&value]))
            .collect();
        let inside = self.blocks.iter().map(|&block| (block, value));
        let inside: Vec<(Block, Value)> = inside.chain(copies).collect();
        let between = params.iter().map(|(&block, &param)| (block, param));
        for (block, value) in inside.into_iter().chain(between.collect::<Vec<_>>()) {
            for target in self.function.blocks[block].term.targets_mut() {
                if params.contains_key(&target.block) {
                    target.args.push(value);
                }
            }
        }
    }
}

/// The values that a block defines.
fn defined(data: &BlockData) -> impl Iterator<Item = Value> {
    let results = data.insts.iter().filter_map(|inst| inst.result);
    data.params.iter().copied().chain(results)
}
