//! Drops unreachable blocks and unused value numbers: blocks and values are renumbered in reverse
//! postorder, so that equal functions print and encode alike whatever path led to them.

use crate::dominators::Order;
use crate::index::Id;
use crate::ir::residual::{Function, Value};
use crate::ir::{Block, Type};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let mut blocks: Vec<_> = order
        .blocks
        .iter()
        .map(|block| std::mem::replace(&mut function.blocks[block.index()], empty()))
        .collect();
    let mut numbering = Numbering {
        old_types: &function.types,
        new: Vec::new(),
        types: Vec::new(),
    };
    numbering.new.resize(function.types.len(), None);
    for block in &mut blocks {
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
    for block in &mut blocks {
        block
            .insts
            .iter_mut()
            .flat_map(|inst| &mut inst.args)
            .for_each(|arg| numbering.rename(arg));
        block.term.for_each_operand_mut(|arg| numbering.rename(arg));
        for target in block.term.targets_mut() {
            target.block = Block(order.number[target.block.index()]);
        }
    }
    function.types = numbering.types;
    function.blocks = blocks;
}

fn empty() -> crate::ir::residual::BlockData {
    let term = crate::ir::residual::Terminator::Unreachable;
    crate::ir::residual::BlockData {
        params: Vec::new(),
        insts: Vec::new(),
        term,
    }
}

struct Numbering<'f> {
    old_types: &'f [Type],
    new: Vec<Option<Value>>,
    types: Vec<Type>,
}

impl Numbering<'_> {
    fn define(&mut self, value: &mut Value) {
        let new = Value::new(self.types.len());
        self.types.push(self.old_types[value.index()]);
        self.new[value.index()] = Some(new);
        *value = new;
    }

    fn rename(&self, value: &mut Value) {
        *value = self.new[value.index()].expect("an operand is defined in a reachable block");
    }
}
