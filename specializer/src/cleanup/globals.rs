//! Keeps global variables in values between calls: a read of a known value goes, and so does a
//! write that is overwritten before anything looks.
//!
//! That removes the prologue and epilogue of a frame on a shadow stack from functions that call
//! nothing while the frame exists, even where the frame is used.
//!
//! Two data flows for each global. Forwards: the value that it holds. Backwards: whether anything
//! may look at it before it is written again. Calls and returns look at globals; calls change them.
//!
//! Whether a trap counts as looking, the caller says ([`Trapped`]). Leaves out frames that exist
//! while something is called: for them one would have to know which global is the stack pointer.

#[cfg(test)]
mod tests;

use super::Trapped;
use super::rename::Renaming;
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::Global;
use crate::ir::residual::{Block, BlockData, Function, Inst, Terminator, Value};
use crate::op::{Effect, Op};

/// Most globals of a function that are looked at: the function is gone through for each.
const MOST_GLOBALS: usize = 64;

pub fn run(function: &mut Function, trapped: Trapped) {
    let order = Order::new(function);
    for global in globals(function, &order) {
        let pass = Pass {
            order: &order,
            global,
            trapped,
        };
        pass.forward(function);
        if pass.drop_unseen_writes(function) {
            pass.forward(function);
        }
    }
}

/// The first globals that are accessed more than once.
fn globals(function: &Function, order: &Order) -> Vec<Global> {
    let mut counts: FastMap<Global, u32> = FastMap::default();
    let mut globals = Vec::new();
    let blocks = order.blocks.iter();
    for inst in blocks.flat_map(|block| &function.blocks[*block].insts) {
        if let Op::GlobalGet(global) | Op::GlobalSet(global) = inst.op {
            let count = counts.entry(global).or_insert(0);
            *count += 1;
            if *count == 1 {
                globals.push(global);
            }
        }
    }
    globals.retain(|global| counts[global] > 1);
    globals.truncate(MOST_GLOBALS);
    globals
}

/// What a global holds at some point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Nothing has reached the point yet.
    Unreached,
    Value(Value),
    /// Different values on different paths, or what somebody else has put there.
    Anything,
}

impl Holds {
    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Holds::Unreached, known) | (known, Holds::Unreached) => known,
            (left, right) if left == right => left,
            _ => Holds::Anything,
        }
    }

    /// After `inst`, given what the global held before.
    fn after(self, inst: &Inst, global: Global) -> Self {
        match inst.op {
            Op::GlobalSet(set) if set == global => Holds::Value(inst.args[0]),
            Op::GlobalGet(get) if get == global => match (self, inst.result) {
                (Holds::Anything, Some(result)) => Holds::Value(result),
                _ => self,
            },
            op if op.effect() == Effect::Calls => Holds::Anything,
            _ => self,
        }
    }
}

struct Pass<'o> {
    order: &'o Order,
    global: Global,
    trapped: Trapped,
}

impl Pass<'_> {
    /// Replaces reads of known values, and drops writes of what is there already.
    fn forward(&self, function: &mut Function) {
        let entering = self.flow_forward(function);
        let mut renaming = Renaming::new(function);
        for &block in &self.order.blocks {
            let mut holds = entering[block];
            let data = &mut function.blocks[block];
            data.insts.retain(|inst| {
                let before = holds;
                holds = holds.after(inst, self.global);
                match (inst.op, before) {
                    (Op::GlobalGet(global), Holds::Value(value)) if global == self.global => {
                        renaming.replace(inst.result.expect("a read has a result"), value);
                        false
                    }
                    (Op::GlobalSet(global), Holds::Value(_)) if global == self.global => {
                        before != holds
                    }
                    _ => true,
                }
            });
        }
        renaming.apply(function);
    }

    /// What the global holds where each block begins.
    fn flow_forward(&self, function: &Function) -> Map<Block, Holds> {
        let mut entering = Map::filled_like(&function.blocks, Holds::Unreached);
        entering[Block::ENTRY] = Holds::Anything;
        let mut changed = true;
        // A block's state goes down twice at most, and most graphs settle in two rounds.
        while changed {
            changed = false;
            for &block in &self.order.blocks {
                let insts = function.blocks[block].insts.iter();
                let leaving = insts.fold(entering[block], |holds, inst| {
                    holds.after(inst, self.global)
                });
                for next in self.order.succs.of(block) {
                    let met = entering[*next].meet(leaving);
                    changed |= met != entering[*next];
                    entering[*next] = met;
                }
            }
        }
        entering
    }

    /// Drops writes that are overwritten before anything looks. Returns whether there were any.
    fn drop_unseen_writes(&self, function: &mut Function) -> bool {
        let seen_after = self.flow_backward(function);
        let mut dropped = false;
        for &block in &self.order.blocks {
            let mut seen = seen_after[block];
            let data = &mut function.blocks[block];
            let mut kept: Vec<Inst> = Vec::with_capacity(data.insts.len());
            for inst in std::mem::take(&mut data.insts).into_iter().rev() {
                let is_write = inst.op == Op::GlobalSet(self.global);
                if is_write && !seen {
                    dropped = true;
                    continue;
                }
                seen = self.seen_before(&inst, seen);
                kept.push(inst);
            }
            kept.reverse();
            data.insts = kept;
        }
        dropped
    }

    /// Whether somebody may look at the global after a block's last instruction.
    fn flow_backward(&self, function: &Function) -> Map<Block, bool> {
        let mut before = Map::filled_like(&function.blocks, false);
        let mut after = Map::filled_like(&function.blocks, false);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in self.order.blocks.iter().rev() {
                let data = &function.blocks[block];
                let seen = self.leaves_seen(block, data, &before);
                after[block] = seen;
                let insts = data.insts.iter().rev();
                let seen = insts.fold(seen, |seen, inst| self.seen_before(inst, seen));
                changed |= seen != before[block];
                before[block] = seen;
            }
        }
        after
    }

    fn leaves_seen(&self, block: Block, data: &BlockData, before: &Map<Block, bool>) -> bool {
        match data.term {
            Terminator::Return(_) | Terminator::TailCall { .. } => true,
            Terminator::Unreachable => self.trapped == Trapped::GoesOn,
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                let mut next = self.order.succs.of(block).iter();
                next.any(|next| before[*next])
            }
        }
    }

    fn seen_before(&self, inst: &Inst, seen_after: bool) -> bool {
        match inst.op {
            Op::GlobalSet(global) if global == self.global => false,
            Op::GlobalGet(global) if global == self.global => true,
            op => seen_after || self.is_look(op.effect()),
        }
    }

    /// Whether an instruction with this effect may let somebody look at any global.
    fn is_look(&self, effect: Effect) -> bool {
        match effect {
            Effect::Calls => true,
            Effect::Traps | Effect::Reads | Effect::Writes => self.trapped == Trapped::GoesOn,
            Effect::Pure | Effect::ReadsGlobal | Effect::WritesGlobal => false,
        }
    }
}
