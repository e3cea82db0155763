//! Deliberate miscompilations, with which tests show that lockstep notices one.
//!
//! Each fault is planted in residual SSA before cleanup, at the `nth` place where it is possible. A
//! planted fault is part of the options, hence of every cache key: a faulty function is never taken for a
//! good one.

use std::collections::HashMap;

use crate::ir::{Block, Terminator, residual};
use crate::op::{Const, Op};

/// A kind of miscompilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// An integer constant that is stored, returned or passed on is off by two.
    FlippedConstant,
    /// A conditional branch goes the other way.
    SwappedEdge,
    /// A store to the heap does not happen.
    DroppedStore,
    /// A cell is not brought to memory where it should be.
    MissingSync,
    /// A cell is not reloaded after a call: a value from before it is used.
    StaleValue,
}

/// One fault to plant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Fault {
    pub kind: Kind,
    /// The place, counted over the function's blocks in order.
    pub nth: usize,
    /// Index of the request whose function gets it.
    pub request: usize,
}

/// Plants `fault`. Returns whether there was a place for it.
pub fn plant(function: &mut residual::Function, fault: Fault) -> bool {
    match fault.kind {
        Kind::FlippedConstant => flip_constant(function, fault.nth),
        Kind::SwappedEdge => swap_edge(function, fault.nth),
        Kind::DroppedStore => drop_store(function, fault.nth, false),
        Kind::MissingSync => drop_store(function, fault.nth, true),
        Kind::StaleValue => keep_stale(function, fault.nth),
    }
}

fn flip_constant(function: &mut residual::Function, nth: usize) -> bool {
    let insts = function
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.insts);
    let mut constants = insts.filter_map(|inst| match &mut inst.op {
        Op::Const(Const::I64(value)) => Some(value),
        _ => None,
    });
    constants
        .nth(nth)
        .map(|value| *value = value.wrapping_add(2))
        .is_some()
}

fn swap_edge(function: &mut residual::Function, nth: usize) -> bool {
    let terms = function.blocks.iter_mut().map(|block| &mut block.term);
    let mut branches = terms.filter_map(|term| match term {
        Terminator::Branch {
            then, otherwise, ..
        } => Some((then, otherwise)),
        _ => None,
    });
    branches
        .nth(nth)
        .map(|(then, otherwise)| std::mem::swap(then, otherwise))
        .is_some()
}

fn drop_store(function: &mut residual::Function, nth: usize, of_cell: bool) -> bool {
    let frames = frames(function);
    let mut count = 0;
    for block in &mut function.blocks {
        for index in 0..block.insts.len() {
            let inst = &block.insts[index];
            if !matches!(inst.op, Op::Store { .. }) || frames.contains(&inst.args[0]) != of_cell {
                continue;
            }
            if count == nth {
                block.insts.remove(index);
                return true;
            }
            count += 1;
        }
    }
    false
}

/// Uses the value stored to a cell before a call in place of the load after it.
fn keep_stale(function: &mut residual::Function, nth: usize) -> bool {
    let frames = frames(function);
    let predecessors = single_predecessors(function);
    let mut count = 0;
    for number in 0..function.blocks.len() {
        for index in 0..function.blocks[number].insts.len() {
            let inst = &function.blocks[number].insts[index];
            let Op::Load { offset, .. } = inst.op else {
                continue;
            };
            if !frames.contains(&inst.args[0]) {
                continue;
            }
            let Some(stale) = stored_before_call(function, &predecessors, number, index, offset)
            else {
                continue;
            };
            if count == nth {
                let fresh = inst.result.expect("a load has a result");
                function.blocks[number].insts.remove(index);
                replace(function, fresh, stale);
                return true;
            }
            count += 1;
        }
    }
    false
}

/// The value last stored to the cell, if a call lies between that and instruction `index` of the block.
fn stored_before_call(
    function: &residual::Function,
    predecessors: &HashMap<usize, usize>,
    block: usize,
    index: usize,
    cell: u32,
) -> Option<residual::Value> {
    let (mut block, mut end, mut called) = (block, index, false);
    for _ in 0..64 {
        for inst in function.blocks[block].insts[..end].iter().rev() {
            match inst.op {
                Op::Call(_) => called = true,
                Op::Store { offset, .. }
                    if offset == cell && frames(function).contains(&inst.args[0]) =>
                {
                    return called.then_some(inst.args[1]);
                }
                _ => {}
            }
        }
        block = *predecessors.get(&block)?;
        end = function.blocks[block].insts.len();
    }
    None
}

/// The bases from which cells are addressed: the differences computed in the entry.
fn frames(function: &residual::Function) -> Vec<residual::Value> {
    let entry = &function.blocks[0];
    let frames = entry
        .insts
        .iter()
        .filter(|inst| inst.op == Op::I32Sub && entry.params.contains(&inst.args[0]));
    frames.filter_map(|inst| inst.result).collect()
}

fn single_predecessors(function: &residual::Function) -> HashMap<usize, usize> {
    let mut found: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for target in block.term.targets() {
            found.entry(target.block.index()).or_default().push(number);
        }
    }
    found
        .into_iter()
        .filter(|(_, from)| from.len() == 1)
        .map(|(block, from)| (block, from[0]))
        .collect()
}

fn replace(function: &mut residual::Function, old: residual::Value, new: residual::Value) {
    let rename = |value: &mut residual::Value| {
        if *value == old {
            *value = new;
        }
    };
    for block in (0..function.blocks.len()).map(|number| Block(number as u32)) {
        let data = &mut function.blocks[block.index()];
        data.insts
            .iter_mut()
            .flat_map(|inst| &mut inst.args)
            .for_each(rename);
        data.term.for_each_operand_mut(rename);
    }
}
