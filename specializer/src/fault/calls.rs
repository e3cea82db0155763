//! Effects that are missing, or in the wrong order.

use super::{Place, Sites};
use crate::index::Map;
use crate::ir::residual::{BlockData, Function, Inst, Terminator, Value};
use crate::op::{Effect, Op};

pub fn drop_global(function: &mut Function, place: Place) -> Sites {
    remove_first(function, place, |_, inst| {
        matches!(inst.op, Op::GlobalSet(_))
    })
}

pub fn drop_effect(function: &mut Function, place: Place) -> Sites {
    remove_first(function, place, |used, inst| {
        let acts = match inst.op.effect() {
            Effect::Writes | Effect::WritesGlobal | Effect::Calls => true,
            // Whether it traps depends on operands: most do not.
            Effect::Traps | Effect::Pure | Effect::Reads | Effect::ReadsGlobal => false,
        };
        acts && inst.result.is_none_or(|result| !used[result])
    })
}

/// Removes an instruction of which `is_candidate` says so, given which values are used.
fn remove_first(
    function: &mut Function,
    mut place: Place,
    is_candidate: impl Fn(&Map<Value, bool>, &Inst) -> bool,
) -> Sites {
    let used = used(function);
    for (id, block) in &mut function.blocks {
        for index in 0..block.insts.len() {
            if is_candidate(&used, &block.insts[index]) && place.here() {
                let removed = block.insts.remove(index);
                return Sites::inst(id, index).unless_stored(&removed);
            }
        }
    }
    Sites::none()
}

/// Whether anything takes a value as an operand.
pub fn used(function: &Function) -> Map<Value, bool> {
    let mut used = Map::filled_like(&function.types, false);
    for block in function.blocks.values() {
        block.operands().for_each(|&value| used[value] = true);
    }
    used
}

/// Exchanges two neighbours of which the second depends on the effect of the first.
pub fn reorder(function: &mut Function, mut place: Place) -> Sites {
    for (id, block) in &mut function.blocks {
        for index in 1..block.insts.len() {
            let (first, second) = (&block.insts[index - 1], &block.insts[index]);
            if depends(first, second) && place.here() {
                block.insts.swap(index - 1, index);
                return Sites::block(id);
            }
        }
    }
    Sites::none()
}

/// Whether the two do something to one place, or to anything; not the same thing twice, of which
/// either may come first.
fn depends(first: &Inst, second: &Inst) -> bool {
    let takes_result = first
        .result
        .is_some_and(|result| second.args.contains(&result));
    let is_same = first.result.is_none()
        && second.result.is_none()
        && (first.op, &first.args) == (second.op, &second.args);
    !takes_result
        && !is_same
        && match (first.op, second.op) {
            (Op::Call(_) | Op::Intrinsic(_), Op::Call(_) | Op::Intrinsic(_)) => true,
            (Op::GlobalSet(one), Op::GlobalSet(other) | Op::GlobalGet(other))
            | (Op::GlobalGet(one), Op::GlobalSet(other)) => one == other,
            (Op::Store { .. }, Op::Store { .. } | Op::Load { .. })
            | (Op::Load { .. }, Op::Store { .. }) => accessed(first) == accessed(second),
            _ => false,
        }
}

/// Base and offset of an access.
fn accessed(inst: &Inst) -> Option<(Value, u32)> {
    match inst.op {
        Op::Load { offset, .. } | Op::Store { offset, .. } => Some((inst.args[0], offset)),
        _ => None,
    }
}

/// Ends a block with one of its calls, which has the type of the function.
pub fn tail_call(function: &mut Function, mut place: Place) -> Sites {
    let (types, results) = (&function.types, &function.signature.results);
    for (id, block) in &mut function.blocks {
        for index in 0..block.insts.len() {
            let inst = &block.insts[index];
            let Op::Call(callee) = inst.op else { continue };
            let result = inst.result.map(|result| types[result]);
            if result.as_slice() == results && place.here() {
                let args = inst.args.clone();
                end(block, index, Terminator::TailCall { callee, args });
                return Sites::block(id);
            }
        }
    }
    Sites::none()
}

/// Ends a block before the instruction at `index`.
fn end(block: &mut BlockData, index: usize, term: Terminator) {
    block.insts.truncate(index);
    block.term = term;
}
