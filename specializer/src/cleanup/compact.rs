//! Renumbers blocks and values in reverse postorder; unreachable blocks and unused numbers go.
//!
//! Invariant: equal functions print and encode alike, whatever path led to them.

use crate::dominators::Order;
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Value};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let take = |&block| std::mem::replace(&mut function.blocks[block], BlockData::empty());
    let mut blocks: Map<Block, BlockData> = order.blocks.iter().map(take).collect();
    let mut numbering = Numbering {
        old_types: &function.types,
        new: Map::filled_like(&function.types, None),
        types: Map::default(),
    };
    for block in blocks.values_mut() {
        block
            .params
            .iter_mut()
            .for_each(|param| numbering.define(param));
        block
            .insts
            .iter_mut()
            .filter_map(|inst| inst.result.as_mut())
            .for_each(|value| numbering.define(value));
    }
    for block in blocks.values_mut() {
        block.for_each_operand_mut(|arg| numbering.rename(arg));
        for target in block.term.targets_mut() {
            target.block = Block(order.number[target.block]);
        }
    }
    function.types = numbering.types;
    function.blocks = blocks;
}

struct Numbering<'f> {
    old_types: &'f Map<Value, Type>,
    new: Map<Value, Option<Value>>,
    types: Map<Value, Type>,
}

impl Numbering<'_> {
    fn define(&mut self, value: &mut Value) {
        let new = self.types.push(self.old_types[*value]);
        self.new[*value] = Some(new);
        *value = new;
    }

    fn rename(&self, value: &mut Value) {
        *value = self.new[*value].expect("an operand is defined in a reachable block");
    }
}

/// Empties the blocks that `order` does not reach.
pub fn empty_unreached(function: &mut Function, order: &Order) {
    for (block, data) in function.blocks.iter_mut() {
        if !order.reaches(block) {
            *data = BlockData::empty();
        }
    }
}
