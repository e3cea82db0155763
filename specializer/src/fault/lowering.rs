//! Wrong plans of a body: labels, the order of blocks, locals, the operand stack.

use std::collections::HashSet;

use super::{Muddle, Place, Site, Sites};
use crate::ir::residual::{Block, Function, Inst, Terminator, Value};
use crate::lower::Plan;
use crate::lower::stackify::Item;
use crate::lower::structure::{Sense, Step};
use crate::op::Op;

/// Plants a fault in the plan for `function`, if there is such a place: where the code is wrong.
pub fn plant(muddle: Muddle, nth: usize, function: &Function, plan: &mut Plan) -> Sites {
    let place = Place(nth);
    match muddle {
        Muddle::BranchDepth => change_depth(plan, place),
        Muddle::BlockOrder => exchange_blocks(function, plan, place),
        Muddle::SharedLocal => share_local(function, plan, place),
        Muddle::LostLocal => lose_local(plan, place),
        Muddle::StackOrder => exchange_operands(function, plan, place),
    }
}

/// Leaves one frame more, or one less, where code lies between the two.
fn change_depth(plan: &mut Plan, mut place: Place) -> Sites {
    let (mut open, mut current) = (Vec::new(), Site::Block(Block::ENTRY));
    for index in 0..plan.steps.len() {
        match &plan.steps[index] {
            Step::OpenBlock | Step::OpenLoop | Step::OpenIf(_) => open.push(index),
            Step::End => {
                open.pop();
            }
            Step::Body(block) | Step::Condition(block) => current = Site::Block(*block),
            Step::Edge(block, edge) => current = Site::Edge(*block, *edge as usize),
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
                    return vec![match (&mut plan.steps[index], current) {
                        (Step::BranchIf(depth, sense), Site::Block(block)) => {
                            *depth = other;
                            Site::Edge(block, usize::from(*sense == Sense::Zero))
                        }
                        (Step::Branch(depth) | Step::BranchIf(depth, _), site) => {
                            *depth = other;
                            site
                        }
                        _ => unreachable!("the step is a branch"),
                    }]
                    .into();
                }
            }
            Step::Else | Step::BranchTable(..) | Step::Leave(_) => {}
        }
    }
    Sites::none()
}

/// The step with code at which a branch out of so many of the open frames goes on.
fn label(plan: &Plan, open: &[usize], depth: u32) -> Option<usize> {
    let mut index = target(plan, open, depth)?;
    for _ in &plan.steps {
        index = match plan.steps.get(index)? {
            Step::OpenBlock | Step::OpenLoop | Step::End => index + 1,
            Step::Body(block) if plan.code.body(*block).is_empty() => index + 1,
            Step::Edge(block, edge) if is_nothing(plan, *block, *edge) => index + 1,
            Step::Else => end(plan, *open_at(plan, index).last()?)?,
            Step::Branch(depth) => target(plan, &open_at(plan, index), *depth)?,
            Step::Body(_) | Step::Edge(..) | Step::OpenIf(_) | Step::Condition(_) => {
                return Some(index);
            }
            Step::BranchIf(..) | Step::BranchTable(..) | Step::Leave(_) => return Some(index),
        };
    }
    None
}

/// The step that a branch out of so many of the open frames leads to.
fn target(plan: &Plan, open: &[usize], depth: u32) -> Option<usize> {
    let start = *open.iter().rev().nth(depth as usize)?;
    match plan.steps[start] {
        Step::OpenLoop => Some(start),
        _ => end(plan, start),
    }
}

/// The end of the frame that a step opens.
fn end(plan: &Plan, start: usize) -> Option<usize> {
    let mut inside = 0;
    for (index, step) in plan.steps.iter().enumerate().skip(start) {
        match nesting(step) {
            Nesting::Opens => inside += 1,
            Nesting::Closes => {
                inside -= 1;
                if inside == 0 {
                    return Some(index);
                }
            }
            Nesting::Stays => {}
        }
    }
    None
}

/// What a step does to the frames that are open.
enum Nesting {
    Opens,
    Closes,
    Stays,
}

fn nesting(step: &Step) -> Nesting {
    match step {
        Step::OpenBlock | Step::OpenLoop | Step::OpenIf(_) => Nesting::Opens,
        Step::End => Nesting::Closes,
        Step::Else
        | Step::Body(_)
        | Step::Condition(_)
        | Step::Edge(..)
        | Step::Branch(_)
        | Step::BranchIf(..)
        | Step::BranchTable(..)
        | Step::Leave(_) => Nesting::Stays,
    }
}

/// The frames that are open at a step, outermost first.
fn open_at(plan: &Plan, index: usize) -> Vec<usize> {
    let mut open = Vec::new();
    for (index, step) in plan.steps[..index].iter().enumerate() {
        match nesting(step) {
            Nesting::Opens => open.push(index),
            Nesting::Closes => {
                open.pop();
            }
            Nesting::Stays => {}
        }
    }
    open
}

/// Whether an edge copies nothing but values to the locals that they are in.
fn is_nothing(plan: &Plan, block: Block, edge: u32) -> bool {
    let locals = &plan.locals;
    plan.code.edge(block, edge).iter().all(|item| match *item {
        Item::CopyGet(from, to) | Item::CopySet(from, to) => locals.of(from) == locals.of(to),
        Item::Op(..) | Item::Get(_) | Item::Set(_) | Item::Tee(_) | Item::Drop => false,
    })
}

/// Emits the code of two blocks that follow each other in exchanged places, if both have some. Not
/// where boxes are made one after the other: which of them comes first, hence where they lie, may
/// nobody see.
fn exchange_blocks(function: &Function, plan: &mut Plan, mut place: Place) -> Sites {
    let code = &plan.code;
    let bodies: Vec<(usize, Block)> = (plan.steps.iter().enumerate())
        .filter_map(|(index, step)| match step {
            Step::Body(block) if !code.body(*block).is_empty() => Some((index, *block)),
            _ => None,
        })
        .collect();
    for pair in bodies.windows(2) {
        let [(at, first), (then, second)] = [pair[0], pair[1]];
        let is_box = runs_into(function, plan, first, second) && take_places(function, plan, pair);
        if !is_box && place.here() {
            plan.steps[at] = Step::Body(second);
            plan.steps[then] = Step::Body(first);
            return vec![Site::Block(first), Site::Block(second)].into();
        }
    }
    Sites::none()
}

/// Whether the first block leads to the second, and else only to traps; in between may be blocks
/// that only decide. Nothing else leads there.
fn runs_into(function: &Function, plan: &Plan, first: Block, second: Block) -> bool {
    let edges = |from: Block| function.blocks[from].term.targets();
    let traps = |block: Block| matches!(function.blocks[block].term, Terminator::Unreachable);
    let mut at = first;
    for _ in function.blocks.keys() {
        let mut ways = edges(at).filter(|target| !traps(target.block));
        let (Some(next), None) = (ways.next(), ways.next()) else {
            return false;
        };
        let all = function.blocks.keys().flat_map(edges);
        if all.filter(|target| target.block == next.block).count() != 1 {
            return false;
        }
        at = next.block;
        if at == second || !plan.code.body(at).is_empty() {
            break;
        }
    }
    at == second
}

/// Whether two blocks begin with a store to the same place of what one makes of the same local with
/// a constant: so a place for a box is taken.
fn take_places(function: &Function, plan: &Plan, blocks: &[(usize, Block)]) -> bool {
    let start = |block: Block| {
        let items = plan.code.body(block).iter();
        let ops = items.map(move |item| match *item {
            Item::Op(block, inst) => (Some(function.blocks[block].insts[inst as usize].op), None),
            Item::Get(value) | Item::Tee(value) => (None, Some(plan.locals.of(value))),
            Item::Set(_) | Item::CopyGet(..) | Item::CopySet(..) | Item::Drop => (None, None),
        });
        ops.take(5).collect::<Vec<_>>()
    };
    match [blocks[0].1, blocks[1].1]
        .map(start)
        .map(<[_; 5]>::try_from)
    {
        [
            Ok([place, base, _, add, store]),
            Ok([there, other, _, sum, last]),
        ] => {
            (place, base, add, store) == (there, other, sum, last)
                && matches!(store, (Some(Op::Store { .. }), None))
        }
        [_, _] => false,
    }
}

/// Gives a value the local of another value of its type, where a block reads both before it sets
/// either.
fn share_local(function: &Function, plan: &mut Plan, mut place: Place) -> Sites {
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
                return Sites::block(block).with_values(vec![value, other]);
            }
        }
    }
    Sites::none()
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

fn lose_local(plan: &mut Plan, mut place: Place) -> Sites {
    for index in 0..plan.code.items.len() {
        if let Item::Set(value) = plan.code.items[index]
            && place.here()
        {
            plan.code.items[index] = Item::Drop;
            return Sites::from(home(plan, index)).with_values(vec![value]);
        }
    }
    Sites::none()
}

/// Exchanges the two reads before an operator that tells its operands apart.
fn exchange_operands(function: &Function, plan: &mut Plan, mut place: Place) -> Sites {
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
            return home(plan, index).into();
        }
    }
    Sites::none()
}

/// The block that an item belongs to.
fn home(plan: &Plan, item: usize) -> Vec<Site> {
    let blocks = plan.code.blocks.iter();
    let homes = blocks.filter(|(_, block)| block.all.contains(&(item as u32)));
    homes.map(|(block, _)| Site::Block(block)).collect()
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
