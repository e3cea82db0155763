//! Splits the live ranges of floating-point numbers where loops that call nothing begin and end.
//!
//! No floating-point register survives a call. Register allocators split the range of a number that
//! is live over calls, but only so often (Cranelift's: twice); after that the number is in memory
//! between any two instructions that use it. In a loop without calls each round then waits for what
//! the round before has stored. So a number goes into such a loop, and comes out of it, as a copy,
//! whose range is the loop. What copies it is a cast there and back, which engines leave alone.
//!
//! Leaves out integers, as some registers for these survive calls, and numbers that do not change
//! in the loop.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::mem;

use super::copies::mend;
use super::rename::Renaming;
use super::separate::calls;
use crate::dominators::{Dominators, Order};
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::op::Op;

/// Most blocks of a loop.
const MOST_BLOCKS: usize = 128;

/// Most numbers of loops that are copied after them.
const MOST_VALUES: usize = 64;

pub fn run(function: &mut Function) {
    let is_float = |&ty: &Type| ty == Type::F64;
    if !function.types.values().any(is_float) || !function.blocks.values().any(calls) {
        return;
    }
    let mut order = Order::new(function);
    let Some(mut loops) = QuietLoops::new(function, &order) else {
        return;
    };
    if loops.end_apart(function, &order) {
        order = Order::new(function);
        loops = QuietLoops::new(function, &order).expect("there were loops before");
    }
    let ends = loops.ends(&order);
    let mut copies = loops.copy_values(function, &order, &ends);
    copies.extend(copy_parameters(function, &ends));
    loops.copy_arguments(function, &order);
    insert(function, copies);
}

/// The blocks to which edges lead out of each loop, by its head.
type Ends = BTreeMap<Block, Vec<Block>>;

/// A copy of a number at the beginning of a block.
struct Copy {
    block: Block,
    from: Value,
    to: Value,
}

/// The loops that call nothing and are in no other such loop.
struct QuietLoops {
    /// The head of the loop that a block is in.
    of: Map<Block, Option<Block>>,
    dominators: Dominators,
}

impl QuietLoops {
    /// Nothing if there are none.
    fn new(function: &Function, order: &Order) -> Option<Self> {
        if !order.blocks.iter().any(|&block| order.begins_loop(block)) {
            return None;
        }
        let mut loops = Self {
            of: Map::filled_like(&function.blocks, None),
            dominators: Dominators::new(function, order),
        };
        // Outer loops first.
        for &head in order
            .blocks
            .iter()
            .filter(|&&block| order.begins_loop(block))
        {
            if loops.of[head].is_some() {
                continue;
            }
            let blocks = order.blocks_of_loop(&loops.dominators, head, MOST_BLOCKS);
            let calls_nothing = |blocks: &Vec<Block>| {
                let mut data = blocks.iter().map(|&block| &function.blocks[block]);
                !data.any(calls)
            };
            for block in blocks.filter(calls_nothing).into_iter().flatten() {
                loops.of[block] = Some(head);
            }
        }
        loops.of.values().any(Option::is_some).then_some(loops)
    }

    /// Puts a block between a loop and what other blocks lead to as well, such as the head of
    /// another loop, so that there is a place for what is done when the loop ends. Returns whether
    /// there is a new one.
    fn end_apart(&self, function: &mut Function, order: &Order) -> bool {
        let blocks = function.blocks.len();
        for &block in order
            .blocks
            .iter()
            .filter(|&&block| self.of[block].is_some())
        {
            let mut term = mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
            for target in term.targets_mut() {
                let mut preds = order.preds.of(target.block).iter();
                if self.of[target.block] != self.of[block]
                    && preds.any(|&pred| self.of[pred] != self.of[block])
                {
                    let between = function.blocks.push(BlockData::empty());
                    let after = mem::replace(target, Target::new(between, []));
                    function.blocks[between].term = Terminator::Jump(after);
                }
            }
            function.blocks[block].term = term;
        }
        function.blocks.len() > blocks
    }

    /// Each block there has no other loop before it, see [`Self::end_apart`].
    fn ends(&self, order: &Order) -> Ends {
        let mut ends = Ends::new();
        for &block in &order.blocks {
            let head = order
                .preds
                .of(block)
                .first()
                .and_then(|&pred| self.of[pred]);
            if let Some(head) = head.filter(|&head| self.of[block] != Some(head)) {
                ends.entry(head).or_default().push(block);
            }
        }
        ends
    }

    /// The numbers of loops that are used after them, each with the block that defines it.
    fn used_after(&self, function: &Function, order: &Order) -> Vec<(Block, Value)> {
        let mut definers: Map<Value, Option<Block>> = Map::filled_like(&function.types, None);
        for &block in order
            .blocks
            .iter()
            .filter(|&&block| self.of[block].is_some())
        {
            for value in function.blocks[block].defined() {
                if function.value_type(value) == Type::F64 {
                    definers[value] = Some(block);
                }
            }
        }
        let mut found = Vec::new();
        for &user in &order.blocks {
            for &value in function.blocks[user].operands() {
                if let Some(block) = definers[value]
                    && self.of[block] != self.of[user]
                {
                    definers[value] = None;
                    found.push((block, value));
                }
            }
        }
        found
    }

    /// Has what comes after a loop use copies of the loop's numbers, which are still to be made.
    fn copy_values(&self, function: &mut Function, order: &Order, ends: &Ends) -> Vec<Copy> {
        let mut copies = Vec::new();
        let mut values = Vec::new();
        let used = self.used_after(function, order);
        for (definer, from) in used.into_iter().take(MOST_VALUES) {
            let head = self.of[definer].expect("a loop defines it");
            let mut definitions = vec![(definer, from)];
            for &block in &ends[&head] {
                if self.dominators.dominates(definer, block) {
                    let to = function.new_value(Type::F64);
                    copies.push(Copy { block, from, to });
                    definitions.push((block, to));
                }
            }
            values.push(definitions);
        }
        mend(function, order, &values);
        let mut is_used = Map::filled_like(&function.types, false);
        let operands = function.blocks.values().flat_map(BlockData::operands);
        operands.for_each(|&value| is_used[value] = true);
        copies.retain(|copy| is_used[copy.to]);
        copies
    }

    /// Has loops begin with copies.
    fn copy_arguments(&self, function: &mut Function, order: &Order) {
        for &block in order
            .blocks
            .iter()
            .filter(|&&block| self.of[block].is_none())
        {
            let mut term = mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
            let into_loops = term
                .targets_mut()
                .filter(|target| self.of[target.block].is_some());
            for value in into_loops.flat_map(|target| &mut target.args) {
                if function.value_type(*value) == Type::F64 {
                    let to = function.new_value(Type::F64);
                    let casts = casts(function, *value, to);
                    function.blocks[block].insts.extend(casts);
                    *value = to;
                }
            }
            function.blocks[block].term = term;
        }
    }
}

/// Has what comes after a loop use copies of its own parameters, which are still to be made.
fn copy_parameters(function: &mut Function, ends: &Ends) -> Vec<Copy> {
    let mut copies = Vec::new();
    let mut renaming = Renaming::new(function);
    for &block in ends.values().flatten() {
        for from in function.blocks[block].params.clone() {
            if function.value_type(from) == Type::F64 {
                let to = function.new_value(Type::F64);
                renaming.replace(from, to);
                copies.push(Copy { block, from, to });
            }
        }
    }
    renaming.apply(function);
    copies
}

/// What makes `to` a copy of `from`.
fn casts(function: &mut Function, from: Value, to: Value) -> [Inst; 2] {
    let bits = function.new_value(Type::I64);
    let cast = |op, from, to| Inst {
        op,
        args: [from].into_iter().collect(),
        result: Some(to),
    };
    [
        cast(Op::I64ReinterpretF64, from, bits),
        cast(Op::F64ReinterpretI64, bits, to),
    ]
}

/// Puts copies where their blocks begin, the last ones first.
fn insert(function: &mut Function, copies: Vec<Copy>) {
    let mut beginnings: BTreeMap<Block, Vec<[Inst; 2]>> = BTreeMap::new();
    for Copy { block, from, to } in copies {
        let casts = casts(function, from, to);
        beginnings.entry(block).or_default().push(casts);
    }
    for (block, casts) in beginnings {
        let insts = &mut function.blocks[block].insts;
        insts.splice(..0, casts.into_iter().rev().flatten());
    }
}
