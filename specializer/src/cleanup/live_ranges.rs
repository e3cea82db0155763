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

use std::mem;

use super::rename::Renaming;
use super::separate::calls;
use crate::dominators::{Dominators, Order};
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Terminator, Value};
use crate::op::Op;

/// Most blocks of a loop.
const MOST_BLOCKS: usize = 128;

/// How far up the dominator tree the end of a loop is looked for, from where a number is used.
const MOST_STEPS: usize = 256;

pub fn run(function: &mut Function) {
    let is_float = |&ty: &Type| ty == Type::F64;
    if !function.types.values().any(is_float) || !function.blocks.values().any(calls) {
        return;
    }
    let order = Order::new(function);
    if let Some(loops) = Loops::new(function, &order) {
        let mut copies = loops.copy_values(function, &order);
        copies.extend(loops.copy_parameters(function, &order));
        loops.copy_arguments(function, &order);
        insert(function, copies);
    }
}

/// A copy of a number at the beginning of a block.
struct Copy {
    block: Block,
    from: Value,
    to: Value,
}

/// The loops that call nothing and are in no other such loop.
struct Loops {
    /// The head of the loop that a block is in.
    of: Map<Block, Option<Block>>,
    dominators: Dominators,
}

impl Loops {
    /// Nothing if there are none.
    fn new(function: &Function, order: &Order) -> Option<Self> {
        let begins_loop = |&&block: &&Block| order.begins_loop(block);
        let heads: Vec<Block> = order.blocks.iter().filter(begins_loop).copied().collect();
        if heads.is_empty() {
            return None;
        }
        let mut loops = Self {
            of: Map::filled_like(&function.blocks, None),
            dominators: Dominators::new(function, order),
        };
        // Outer loops first.
        for head in heads {
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

    /// By value: the head of the loop that defines it, if it is a floating-point number.
    fn definers(&self, function: &Function) -> Map<Value, Option<Block>> {
        let mut definers = Map::filled_like(&function.types, None);
        for (block, head) in self.of.iter().filter(|(_, head)| head.is_some()) {
            for value in function.blocks[block].defined() {
                if function.value_type(value) == Type::F64 {
                    definers[value] = *head;
                }
            }
        }
        definers
    }

    /// Has what comes after a loop use copies of the loop's numbers, which are still to be made.
    fn copy_values(&self, function: &mut Function, order: &Order) -> Vec<Copy> {
        let definers = self.definers(function);
        let mut copies = Vec::new();
        let mut known: FastMap<(Block, Value), Value> = FastMap::default();
        for &user in &order.blocks {
            let mut data = mem::replace(&mut function.blocks[user], BlockData::empty());
            data.for_each_operand_mut(|value| {
                let Some(head) = definers[*value].filter(|_| self.of[user] != definers[*value])
                else {
                    return;
                };
                let Some(block) = self.end(order, head, user) else {
                    return;
                };
                let from = *value;
                *value = *known.entry((block, from)).or_insert_with(|| {
                    let to = function.types.push(Type::F64);
                    copies.push(Copy { block, from, to });
                    to
                });
            });
            function.blocks[user] = data;
        }
        copies
    }

    /// The same of the parameters of what comes after a loop.
    fn copy_parameters(&self, function: &mut Function, order: &Order) -> Vec<Copy> {
        let comes_after = |&&block: &&Block| {
            let mut preds = order.preds.of(block).iter();
            !order.begins_loop(block)
                && preds.any(|&pred| self.of[pred].is_some_and(|head| self.of[block] != Some(head)))
        };
        let mut copies = Vec::new();
        let mut renaming = Renaming::new(function);
        for &block in order.blocks.iter().filter(comes_after) {
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

    /// The first block on the way from the loop of `head` to `user` that each such way passes, if
    /// it is not the head of another loop.
    fn end(&self, order: &Order, head: Block, user: Block) -> Option<Block> {
        let mut end = user;
        for _ in 0..MOST_STEPS {
            let dominator = self.dominators.parent[end]?;
            if self.of[dominator] == Some(head) {
                return (!order.begins_loop(end)).then_some(end);
            }
            end = dominator;
        }
        None
    }
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

fn insert(function: &mut Function, copies: Vec<Copy>) {
    for Copy { block, from, to } in copies {
        let casts = casts(function, from, to);
        function.blocks[block].insts.splice(..0, casts);
    }
}
