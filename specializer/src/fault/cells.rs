//! Wrong accesses of cells and of other memory.

use std::collections::HashSet;

use super::{Place, Sites, values};
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Value};
use crate::op::{Effect, Intrinsic, Op};

/// Bytes of a cell.
const CELL: u32 = 8;

/// Which stores are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Store {
    ToCell,
    Elsewhere,
}

pub fn drop_store(function: &mut Function, mut place: Place, which: Store) -> Sites {
    let frames = frames(function);
    for (id, block) in &mut function.blocks {
        for index in 0..block.insts.len() {
            let inst = &block.insts[index];
            let is_store = matches!(inst.op, Op::Store { .. });
            let of_cell = is_store && frames.contains(&inst.args[0]);
            let is_meant = is_store && of_cell == (which == Store::ToCell);
            if is_meant && !is_overwritten(&block.insts[index..]) && place.here() {
                let removed = block.insts.remove(index);
                return Sites::inst(id, index).unless_stored(&removed);
            }
        }
    }
    Sites::none()
}

/// Whether the same block stores to the place of its first instruction, a store, again, before
/// anything may read that. Where an instruction between the two traps, memory is nobody's.
fn is_overwritten(insts: &[Inst]) -> bool {
    let Op::Store { kind, offset } = insts[0].op else {
        return false;
    };
    for later in &insts[1..] {
        match later.op {
            Op::Store { .. } if later.args[0] != insts[0].args[0] => {}
            Op::Store {
                kind: other,
                offset: there,
            } => {
                if there <= offset && offset + kind.width() <= there + other.width() {
                    return true;
                }
            }
            _ => match later.op.effect() {
                Effect::Pure | Effect::Traps | Effect::ReadsGlobal | Effect::WritesGlobal => {}
                Effect::Reads | Effect::Writes | Effect::Calls => return false,
            },
        }
    }
    false
}

/// Reads or writes the next cell.
pub fn move_access(function: &mut Function, place: Place) -> Sites {
    let frames = frames(function);
    move_one(function, place, |_, address| frames.contains(&address))
}

/// Reads or writes the next word where no cell is, but something at an offset from an address.
pub fn move_offset(function: &mut Function, place: Place) -> Sites {
    let frames = frames(function);
    let is_meant = |offset, address| offset > 0 && !frames.contains(&address);
    move_one(function, place, is_meant)
}

fn move_one(
    function: &mut Function,
    mut place: Place,
    is_meant: impl Fn(u32, Value) -> bool,
) -> Sites {
    for (id, block) in &mut function.blocks {
        for (index, inst) in block.insts.iter_mut().enumerate() {
            if let Op::Load { offset, .. } | Op::Store { offset, .. } = &mut inst.op
                && is_meant(*offset, inst.args[0])
                && place.here()
            {
                *offset += CELL;
                let Some(result) = inst.result else {
                    return Sites::inst(id, index);
                };
                return Sites::inst(id, index + 1)
                    .with_values(vec![result])
                    .unless_result(result, inst.op, inst.args.clone());
            }
        }
    }
    Sites::none()
}

/// Uses the value stored to a cell before a call in place of the load after it.
pub fn keep_stale(function: &mut Function, mut place: Place) -> Sites {
    let frames = frames(function);
    let predecessors = single_predecessors(function);
    for id in function.blocks.keys() {
        for index in 0..function.blocks[id].insts.len() {
            let inst = &function.blocks[id].insts[index];
            let Some(cell) = loaded_cell(inst, &frames) else {
                continue;
            };
            let before = Before {
                function,
                frames: &frames,
                predecessors: &predecessors,
            };
            if let Some(stale) = before.call(id, index, cell)
                && place.here()
            {
                let fresh = inst.result.expect("a load has a result");
                function.blocks[id].insts.remove(index);
                values::replace(function, fresh, stale);
                return Sites::inst(id, index + 1)
                    .with_values(vec![fresh])
                    .unless_same(fresh, stale);
            }
        }
    }
    Sites::none()
}

fn loaded_cell(inst: &Inst, frames: &HashSet<Value>) -> Option<u32> {
    match inst.op {
        Op::Load { offset, .. } if frames.contains(&inst.args[0]) => Some(offset),
        _ => None,
    }
}

/// What comes before an instruction.
struct Before<'f> {
    function: &'f Function,
    frames: &'f HashSet<Value>,
    predecessors: &'f Map<Block, Option<Block>>,
}

/// How many blocks are looked at, backwards.
const FAR: usize = 64;

impl Before<'_> {
    /// The value last stored to the cell or read from it, if a call lies between that and the
    /// instruction.
    fn call(&self, block: Block, index: usize, cell: u32) -> Option<Value> {
        let (mut block, mut end, mut called) = (block, index, false);
        for _ in 0..FAR {
            for inst in self.function.blocks[block].insts[..end].iter().rev() {
                let here = |offset| offset == cell && self.frames.contains(&inst.args[0]);
                match inst.op {
                    Op::Call(_) => called = true,
                    Op::Store { offset, .. } if here(offset) => {
                        return called.then_some(inst.args[1]);
                    }
                    Op::Load { offset, .. } if here(offset) => {
                        return inst.result.filter(|_| called);
                    }
                    _ => {}
                }
            }
            block = self.predecessors[block]?;
            end = self.function.blocks[block].insts.len();
        }
        None
    }
}

/// The bases from which cells are addressed, and the constants that these are computed with. No
/// fault is planted in them: it would move all cells alike, which changes nothing where only this
/// function looks at them.
pub fn bases(function: &Function) -> HashSet<Value> {
    let entry = &function.blocks[Block::ENTRY];
    let bases = entry.insts.iter().filter(|inst| {
        matches!(inst.op, Op::I32Sub | Op::I32Add) && entry.params.contains(&inst.args[0])
    });
    let parts = bases.flat_map(|inst| inst.result.into_iter().chain([inst.args[1]]));
    parts.collect()
}

/// The bases from which cells are addressed: the differences computed in the entry.
fn frames(function: &Function) -> HashSet<Value> {
    let entry = &function.blocks[Block::ENTRY];
    let mut frames = HashSet::new();
    for inst in &entry.insts {
        let is_frame = match inst.op {
            Op::I32Sub => entry.params.contains(&inst.args[0]),
            Op::Intrinsic(Intrinsic::AddressWithin) => frames.contains(&inst.args[0]),
            _ => false,
        };
        if is_frame {
            frames.extend(inst.result);
        }
    }
    frames
}

/// The predecessor of each block that one edge leads to.
fn single_predecessors(function: &Function) -> Map<Block, Option<Block>> {
    let mut edges = Map::filled_like(&function.blocks, 0);
    let mut predecessors = Map::filled_like(&function.blocks, None);
    for (block, data) in &function.blocks {
        for target in data.term.targets() {
            edges[target.block] += 1;
            predecessors[target.block] = (edges[target.block] == 1).then_some(block);
        }
    }
    predecessors
}
