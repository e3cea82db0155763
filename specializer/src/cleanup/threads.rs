//! Straightens control flow:
//!
//! * a branch whose condition is known becomes a jump;
//! * an edge to a block that only jumps on goes where that block goes, and a jump to one that only
//!   returns becomes a return;
//! * branches to equal exits share one;
//! * a block that follows its only predecessor is joined to it.
//!
//! Leaves out threading through blocks that hold instructions.

use super::rename::Renaming;
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Target, Terminator, Value, Values};
use crate::op::{Const, Op};

pub fn run(function: &mut Function) {
    decide(function);
    bypass(function);
    share_exits(function);
    merge(function);
}

/// How many forwarding blocks are followed at once, so that a cycle of them comes to an end. The
/// next run finds what remains.
const CHAIN: usize = 16;

/// Replaces branches whose way is known.
fn decide(function: &mut Function) {
    let mut constants: Map<Value, Option<Const>> = Map::filled_like(&function.types, None);
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        if let (Op::Const(value), Some(result)) = (inst.op, inst.result) {
            constants[result] = Some(value);
        }
    }
    for block in function.blocks.values_mut() {
        simplify(&mut block.term, &constants);
    }
}

fn simplify(term: &mut Terminator, constants: &Map<Value, Option<Const>>) {
    let known = |value: &Value| constants[*value].map(|constant| constant.bits() as u32 as usize);
    let target = match &mut *term {
        Terminator::Branch {
            then, otherwise, ..
        } if then == otherwise => then,
        Terminator::Branch {
            cond,
            then,
            otherwise,
        } => match known(cond) {
            Some(0) => otherwise,
            Some(_) => then,
            None => return,
        },
        Terminator::Switch {
            index,
            targets,
            default,
        } => match known(index) {
            Some(index) => targets.get_mut(index).unwrap_or(default),
            None => {
                while targets.last().is_some_and(|last| last == default) {
                    targets.pop();
                }
                match targets.len() {
                    0 => default,
                    // Index 0 goes to the target, all others to the default.
                    1 => {
                        let (cond, then, otherwise) = (*index, default.clone(), targets.remove(0));
                        *term = Terminator::Branch {
                            cond,
                            then,
                            otherwise,
                        };
                        return;
                    }
                    _ => return,
                }
            }
        },
        Terminator::Jump(_)
        | Terminator::Return(_)
        | Terminator::TailCall { .. }
        | Terminator::Unreachable => {
            return;
        }
    };
    *term = Terminator::Jump(std::mem::replace(
        target,
        Target {
            block: Block::ENTRY,
            args: Default::default(),
        },
    ));
}

/// Sends edges past blocks that hold nothing but a jump, and returns in place of jumps to a return.
fn bypass(function: &mut Function) {
    let forwarding = forwarding_blocks(function);
    for block in function.blocks.keys() {
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            for _ in 0..CHAIN {
                match next(function, &forwarding, target) {
                    Some(further) => *target = further,
                    None => break,
                }
            }
        }
        if let Terminator::Jump(target) = &term
            && forwarding[target.block]
        {
            let data = &function.blocks[target.block];
            match &data.term {
                Terminator::Return(results) => {
                    term = Terminator::Return(substitute(results, &data.params, &target.args));
                }
                Terminator::Unreachable if target.block != block => term = Terminator::Unreachable,
                _ => {}
            }
        }
        function.blocks[block].term = term;
        if let Terminator::Branch {
            then, otherwise, ..
        } = &function.blocks[block].term
            && then == otherwise
        {
            function.blocks[block].term = Terminator::Jump(then.clone());
        }
    }
}

/// Sends edges to equal exits to one of them: one exit is less code than many. What is returned
/// dominates the predecessors of all of these blocks, and so the block that stays.
fn share_exits(function: &mut Function) {
    let mut first: FastMap<Option<Values>, Block> = FastMap::default();
    let mut instead: Map<Block, Option<Block>> = Map::filled_like(&function.blocks, None);
    for (block, data) in function.blocks.iter().skip(1) {
        let exit = match &data.term {
            Terminator::Return(results) => Some(results.clone()),
            Terminator::Unreachable => None,
            _ => continue,
        };
        if data.insts.is_empty() && data.params.is_empty() {
            let shared = *first.entry(exit).or_insert(block);
            instead[block] = (shared != block).then_some(shared);
        }
    }
    for target in function
        .blocks
        .values_mut()
        .flat_map(|block| block.term.targets_mut())
    {
        target.block = instead[target.block].unwrap_or(target.block);
    }
}

/// Whether a block has no instructions, and its parameters are used by its terminator alone.
fn forwarding_blocks(function: &Function) -> Map<Block, bool> {
    let mut forwarding: Map<Block, bool> = function
        .blocks
        .values()
        .map(|block| block.insts.is_empty())
        .collect();
    forwarding[Block::ENTRY] = false;
    let mut home = Map::filled_like(&function.types, Block::ENTRY);
    for (block, data) in &function.blocks {
        data.params.iter().for_each(|&param| home[param] = block);
    }
    for (block, data) in &function.blocks {
        let used = data.insts.iter().flat_map(|inst| &inst.args);
        for &arg in used.chain(data.term.operands()) {
            let home = home[arg];
            if home != block {
                forwarding[home] = false;
            }
        }
    }
    forwarding
}

/// Where `target` leads if its block only jumps on.
fn next(function: &Function, forwarding: &Map<Block, bool>, target: &Target) -> Option<Target> {
    let data = &function.blocks[target.block];
    match &data.term {
        Terminator::Jump(further) if forwarding[target.block] => {
            let args = substitute(&further.args, &data.params, &target.args);
            Some(Target {
                block: further.block,
                args,
            })
        }
        _ => None,
    }
}

fn substitute(values: &[Value], params: &[Value], args: &[Value]) -> Values {
    let actual = |value: &Value| match params.iter().position(|param| param == value) {
        Some(index) => args[index],
        None => *value,
    };
    values.iter().map(actual).collect()
}

/// Joins each block with its successor where they have no others.
fn merge(function: &mut Function) {
    let order = Order::new(function);
    let mut renaming = Renaming::new(function);
    let mut gone = Map::filled_like(&function.blocks, false);
    for &block in &order.blocks {
        if gone[block] {
            continue;
        }
        while let Terminator::Jump(target) = &function.blocks[block].term {
            let next = target.block;
            if next == block || next == Block::ENTRY || order.preds.of(next).len() != 1 {
                break;
            }
            let args = target.args.clone();
            let data = &mut function.blocks[next];
            let params = std::mem::take(&mut data.params);
            let mut insts = std::mem::take(&mut data.insts);
            let term = std::mem::replace(&mut data.term, Terminator::Unreachable);
            for (param, arg) in params.into_iter().zip(args) {
                renaming.replace(param, arg);
            }
            gone[next] = true;
            let data = &mut function.blocks[block];
            data.insts.append(&mut insts);
            data.term = term;
        }
    }
    for (block, data) in &mut function.blocks {
        if !order.reaches(block) {
            data.insts.clear();
            data.params.clear();
            data.term = Terminator::Unreachable;
        }
    }
    renaming.apply(function);
}
