//! Finds out which bits of integers are known, and what they decide.
//!
//! Interpreters with tagged values test tags that they have just written: a number is added, tagged
//! and put into a variable, and the next operation asks whether the variable is a number. So bits
//! are followed through operators, and through the parameters of blocks, loops included. What
//! follows an edge that no known bits allow does not count (Wegman and Zadeck, "Constant
//! propagation with conditional branches", 1991, with bits in the place of constants): else the
//! variable might be what it becomes if the test fails, and so on round the loop.
//!
//! Invariant: what is known holds for each execution; so a value that is wholly known is a
//! constant, and a branch of which one way cannot be taken is none.
//!
//! Leaves out what a branch says about its operands ([`super::numbering`] has conditions), memory,
//! and floats.

mod known;
#[cfg(test)]
mod tests;

use known::Bits;

use super::compact::empty_unreached;
use super::constants::Constants;
use super::rename::Renaming;
use crate::dominators::Order;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Target, Terminator, Value};
use crate::op::{Const, Effect, Op};

/// How often the function is gone through, at most: nothing is decided if that is not enough.
const MOST_ROUNDS: usize = 16;

/// A parameter that has changed so often loses bits faster, see [`Bits::widened`].
const MOST_CHANGES: u8 = 2;

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    if let Some(analysis) = Analysis::new(function, &order) {
        analysis.apply(function);
    }
}

struct Analysis {
    /// Nothing of values that are not reached.
    bits: Map<Value, Option<Bits>>,
    reached: Map<Block, bool>,
}

impl Analysis {
    /// Nothing if it would take too long.
    fn new(function: &Function, order: &Order) -> Option<Self> {
        let mut analysis = Self {
            bits: Map::filled_like(&function.types, None),
            reached: Map::filled_like(&function.blocks, false),
        };
        let mut changes = Map::filled_like(&function.types, 0);
        analysis.reached[Block::ENTRY] = true;
        for &param in &function.blocks[Block::ENTRY].params {
            analysis.bits[param] = Some(Bits::of_type(function.value_type(param)));
        }
        for _ in 0..MOST_ROUNDS {
            if !analysis.round(function, order, &mut changes) {
                return Some(analysis);
            }
        }
        None
    }

    /// Goes through all blocks that are reached; whether there was something new.
    fn round(&mut self, function: &Function, order: &Order, changes: &mut Map<Value, u8>) -> bool {
        let mut is_new = false;
        for &block in &order.blocks {
            if !self.reached[block] {
                continue;
            }
            let data = &function.blocks[block];
            for inst in &data.insts {
                if let Some(result) = inst.result {
                    let args = inst.args.iter().map(|&arg| self.of(arg)).collect();
                    let ty = function.value_type(result);
                    self.bits[result] = Some(known::result(inst.op, args, ty));
                }
            }
            for target in self.taken(&data.term) {
                is_new |= self.pass(function, target, changes);
            }
        }
        is_new
    }

    fn of(&self, value: Value) -> Bits {
        self.bits[value].expect("a definition is reached before its uses")
    }

    /// The ways on that what is known allows.
    fn taken<'a>(&self, term: &'a Terminator) -> impl Iterator<Item = &'a Target> + use<'a> {
        let decided = self.decided(term);
        let all = decided.is_none().then(|| term.targets());
        decided.into_iter().chain(all.into_iter().flatten())
    }

    /// The only way on of a branch or switch, if that is known.
    fn decided<'a>(&self, term: &'a Terminator) -> Option<&'a Target> {
        let is_branch = matches!(term, Terminator::Branch { .. });
        term.way(|value| match self.of(value).is_zero() {
            // Whichever: a branch goes the same way for all but 0.
            Some(false) if is_branch => Some(1),
            _ => Some(self.of(value).constant()? as u32),
        })
    }

    /// Goes on with a target; whether that tells something new about it.
    fn pass(&mut self, function: &Function, target: &Target, changes: &mut Map<Value, u8>) -> bool {
        let mut is_new = !std::mem::replace(&mut self.reached[target.block], true);
        let params = &function.blocks[target.block].params;
        for (&param, &arg) in params.iter().zip(&target.args) {
            let (before, here) = (self.bits[param], self.of(arg));
            let mut after = before.map_or(here, |before| before.meet(here));
            if before == Some(after) {
                continue;
            }
            changes[param] += 1;
            if changes[param] > MOST_CHANGES {
                after = after.widened();
            }
            self.bits[param] = Some(after);
            is_new = true;
        }
        is_new
    }

    fn apply(self, function: &mut Function) {
        let mut constants = Constants::of(function);
        let mut renaming = Renaming::new(function);
        let mut has_decided = false;
        for (block, &is_reached) in self.reached.iter() {
            if !is_reached {
                continue;
            }
            for index in 0..function.blocks[block].insts.len() {
                let inst = &function.blocks[block].insts[index];
                if let Some((value, by)) = self.replacement(inst) {
                    let by = match by {
                        By::Value(by) => by,
                        By::Bits(bits) => {
                            let constant = Const::from_bits(function.value_type(value), bits);
                            constants.value(function, constant)
                        }
                    };
                    renaming.replace(value, by);
                }
            }
            let data = &mut function.blocks[block];
            if let Some(target) = self.decided(&data.term) {
                data.term = Terminator::Jump(target.clone());
                has_decided = true;
            }
        }
        constants.place(function);
        renaming.apply(function);
        if has_decided {
            let order = Order::new(function);
            empty_unreached(function, &order);
        }
    }

    /// What an instruction's result is, if it is something simpler.
    fn replacement(&self, inst: &Inst) -> Option<(Value, By)> {
        let result = inst.result?;
        if matches!(inst.op, Op::Const(_)) || inst.op.effect() != Effect::Pure {
            return None;
        }
        if let Some(bits) = self.of(result).constant() {
            return Some((result, By::Bits(bits)));
        }
        // Clears or sets nothing that is not so anyway.
        let &[left, right] = &inst.args[..] else {
            return None;
        };
        let (kept, mask) = (self.of(left), self.of(right).constant()?);
        let changes_nothing = match inst.op {
            Op::I32And | Op::I64And => kept.can_be() & !mask == 0,
            Op::I32Or | Op::I64Or => kept.must_be() & mask == mask,
            _ => false,
        };
        changes_nothing.then_some((result, By::Value(left)))
    }
}

/// What replaces a value.
enum By {
    Value(Value),
    /// A constant.
    Bits(u64),
}
