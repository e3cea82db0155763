//! Wrong plans of a body: labels, the order of blocks, locals, the operand stack.

use std::collections::HashSet;

use super::{Blocks, Muddle, Place};
use crate::ir::residual::{Block, Function, Inst, Value};
use crate::lower::Plan;
use crate::lower::stackify::Item;
use crate::lower::structure::Step;
use crate::op::Op;

/// Plants a fault in the plan for `function`, if there is such a place: the blocks whose code is
/// wrong.
pub fn plant(muddle: Muddle, nth: usize, function: &Function, plan: &mut Plan) -> Blocks {
    let place = Place(nth);
    match muddle {
        Muddle::BranchDepth => change_depth(plan, place),
        Muddle::BlockOrder => exchange_blocks(plan, place),
        Muddle::SharedLocal => share_local(function, plan, place),
        Muddle::LostLocal => lose_local(plan, place),
        Muddle::StackOrder => exchange_operands(function, plan, place),
    }
}

/// Leaves one frame more, or one less, where code lies between the two.
fn change_depth(plan: &mut Plan, mut place: Place) -> Blocks {
    let (mut open, mut current) = (Vec::new(), Block::ENTRY);
    for index in 0..plan.steps.len() {
        match &plan.steps[index] {
            Step::OpenBlock | Step::OpenLoop | Step::OpenIf(_) => open.push(index),
            Step::End => {
                open.pop();
            }
            Step::Body(block) | Step::Condition(block) | Step::Edge(block, _) => {
                current = *block;
            }
            Step::Branch(depth) | Step::BranchIf(depth, _) => {
                let depths = [*depth + 1, depth.wrapping_sub(1)];
                let here = label(plan, &open, *depth);
                let other = depths.into_iter().find(|&depth| {
                    let there = label(plan, &open, depth);
                    there.is_some() && there != here
                });
                if let Some(other) = other
                    && place.here()
                {
                    match &mut plan.steps[index] {
                        Step::Branch(depth) | Step::BranchIf(depth, _) => *depth = other,
                        _ => unreachable!("the step is a branch"),
                    }
                    return vec![current];
                }
            }
            Step::Else | Step::BranchTable(..) | Step::Leave(_) => {}
        }
    }
    Blocks::new()
}

/// The first step after a branch out of `depth` of the open frames, not counting ends of frames.
fn label(plan: &Plan, open: &[usize], depth: u32) -> Option<usize> {
    let start = *open.iter().rev().nth(depth as usize)?;
    if plan.steps[start] == Step::OpenLoop {
        return Some(start);
    }
    let mut inside = 0;
    for (index, step) in plan.steps.iter().enumerate().skip(start) {
        match step {
            Step::OpenBlock | Step::OpenLoop | Step::OpenIf(_) => inside += 1,
            Step::End if inside > 0 => inside -= 1,
            _ if inside > 0 || *step == Step::End => {}
            _ => return Some(index),
        }
    }
    None
}

/// Emits the code of two blocks that follow each other in exchanged places, if both have some.
fn exchange_blocks(plan: &mut Plan, mut place: Place) -> Blocks {
    let code = &plan.code;
    let bodies: Vec<(usize, Block)> = (plan.steps.iter().enumerate())
        .filter_map(|(index, step)| match step {
            Step::Body(block) if !code.body(*block).is_empty() => Some((index, *block)),
            _ => None,
        })
        .collect();
    for pair in bodies.windows(2) {
        let [(at, first), (then, second)] = [pair[0], pair[1]];
        if place.here() {
            plan.steps[at] = Step::Body(second);
            plan.steps[then] = Step::Body(first);
            return vec![first, second];
        }
    }
    Blocks::new()
}

/// Gives a value the local of another value of its type, where a block reads both before it sets
/// either.
fn share_local(function: &Function, plan: &mut Plan, mut place: Place) -> Blocks {
    for block in function.blocks.keys() {
        let read = live_in(plan.code.block(block));
        for (index, &value) in read.iter().enumerate() {
            let ty = function.value_type(value);
            let differs = |other: &Value| {
                function.value_type(*other) == ty && plan.locals.of(*other) != plan.locals.of(value)
            };
            if let Some(&other) = read[..index].iter().rev().find(|other| differs(other))
                && place.here()
            {
                plan.locals.share(value, other);
                return vec![block];
            }
        }
    }
    Blocks::new()
}

/// The values that are read from a local before anything is written to it, each once.
fn live_in(items: &[Item]) -> Vec<Value> {
    let (mut written, mut read) = (HashSet::new(), Vec::new());
    for item in items {
        match *item {
            Item::Get(value) | Item::CopyGet(value, _) => {
                if !written.contains(&value) && !read.contains(&value) {
                    read.push(value);
                }
            }
            Item::Set(value) | Item::Tee(value) | Item::CopySet(_, value) => {
                written.insert(value);
            }
            Item::Op(..) | Item::Drop => {}
        }
    }
    read
}

fn lose_local(plan: &mut Plan, mut place: Place) -> Blocks {
    for index in 0..plan.code.items.len() {
        if let Item::Set(value) = plan.code.items[index]
            && place.here()
        {
            plan.code.items[index] = Item::Drop;
            return readers(plan, value);
        }
    }
    Blocks::new()
}

/// Exchanges the two reads before an operator that tells its operands apart.
fn exchange_operands(function: &Function, plan: &mut Plan, mut place: Place) -> Blocks {
    for index in 2..plan.code.items.len() {
        let [Item::Get(first), Item::Get(second), Item::Op(block, inst)] =
            plan.code.items[index - 2..=index]
        else {
            continue;
        };
        let inst = &function.blocks[block].insts[inst as usize];
        let differ = plan.locals.of(first) != plan.locals.of(second);
        if differ && tells_apart(inst) && place.here() {
            plan.code.items.swap(index - 2, index - 1);
            return home(plan, index);
        }
    }
    Blocks::new()
}

/// The blocks that read a value from its local.
fn readers(plan: &Plan, value: Value) -> Blocks {
    let readers = plan.code.blocks.keys().filter(|&block| {
        let mut items = plan.code.block(block).iter();
        items.any(|item| matches!(item, Item::Get(read) | Item::CopyGet(read, _) if *read == value))
    });
    readers.collect()
}

/// The block that an item belongs to.
fn home(plan: &Plan, item: usize) -> Blocks {
    let blocks = plan.code.blocks.iter();
    let homes = blocks.filter(|(_, block)| block.all.contains(&(item as u32)));
    homes.map(|(block, _)| block).collect()
}

fn tells_apart(inst: &Inst) -> bool {
    const COMMUTE: &[Op] = &[
        Op::I32Add,
        Op::I32Mul,
        Op::I32And,
        Op::I32Or,
        Op::I32Xor,
        Op::I32Eq,
        Op::I32Ne,
        Op::I64Add,
        Op::I64Mul,
        Op::I64And,
        Op::I64Or,
        Op::I64Xor,
        Op::I64Eq,
        Op::I64Ne,
        Op::F64Add,
        Op::F64Mul,
    ];
    !COMMUTE.contains(&inst.op)
}
