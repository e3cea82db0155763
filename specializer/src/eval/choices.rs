//! Value specialization: evaluation fans out, one context for each outcome.

use std::ops::Range;

use super::abs::Abs;
use super::cells::Content;
use super::exit::{Edge, Exit};
use super::transfer::{Machine, Phase};
use crate::ir::generic::Block;
use crate::ir::{Terminator, Type, generic};
use crate::op::{Const, Intrinsic, Op};

/// A value specialization: the last instruction of `site`, which goes on at `target`.
struct Choice<'c, V> {
    site: Block,
    inst: &'c generic::Inst,
    target: &'c generic::Target,
    args: &'c [V],
}

impl<P: Phase> Machine<'_, P> {
    /// Fans out at a value specialization, the last instruction of `site`; goes on with the value
    /// as it is if that is known, or if too little is known of what it may be.
    pub(super) fn specialize(
        &mut self,
        site: Block,
        inst: &generic::Inst,
        term: &generic::Terminator,
    ) -> Exit<P::Value> {
        let Terminator::Jump(target) = term else {
            unreachable!("preparation ends such blocks with a jump")
        };
        let args = self.values_of(&inst.args);
        let choice = Choice {
            site,
            inst,
            target,
            args: &args,
        };
        let exit = match args[0].abs() {
            Abs::Const(_) | Abs::Symbol(_) | Abs::Extended(_) | Abs::Slot(_) => None,
            Abs::Offset { .. } | Abs::Fact(_) | Abs::Dynamic => {
                self.guess(&choice).or_else(|| self.range(&choice))
            }
        };
        exit.unwrap_or_else(|| {
            self.set(inst.result, args[0]);
            self.terminator(term)
        })
    }

    /// A test whether the value is the one that is guessed.
    fn guess(&mut self, choice: &Choice<P::Value>) -> Option<Exit<P::Value>> {
        let (
            Op::Intrinsic(Intrinsic::SpecializeGuess | Intrinsic::SpecializeGuessByName),
            &[value, guess],
        ) = (choice.inst.op, choice.args)
        else {
            return None;
        };
        if !guess.abs().is_known() || !self.evaluation.optimisations.guesses {
            return None;
        }
        let cond = self.emit_value(Op::I32Eq, choice.args, Some(Type::I32));
        Some(Exit::Branch {
            cond,
            then: self.assume(choice, guess.abs(), guess),
            otherwise: self.assume(choice, Abs::Dynamic, value),
        })
    }

    /// Whether the value that was specialized last, since the last position, is one guess of many:
    /// callees are not evaluated in place.
    pub(super) fn calls_by_name(&self) -> bool {
        let site = self.contexts.last_assumed(self.context);
        let blocks = &self.evaluation.prepared.function.blocks;
        let op = site
            .and_then(|site| blocks[site].insts.last())
            .map(|inst| inst.op);
        op == Some(Op::Intrinsic(Intrinsic::SpecializeGuessByName))
    }

    /// A switch between the values of a range, and what else there may be.
    fn range(&mut self, choice: &Choice<P::Value>) -> Option<Exit<P::Value>> {
        let &[value, low, _] = choice.args else {
            return None;
        };
        let ways = self.ways(choice.inst)?;
        if ways.end.wrapping_sub(ways.start) > self.evaluation.budgets.fan_out {
            return None;
        }
        let index = match ways.start {
            0 => value,
            _ => self.emit_value(Op::I32Sub, &[value, low], Some(Type::I32)),
        };
        let targets = ways.map(|number| {
            let outcome = Abs::Const(Const::I32(number as i32));
            let known = self.phase.known(outcome);
            self.assume(choice, outcome, known)
        });
        let targets = targets.collect();
        let default = match choice.inst.op {
            Op::Intrinsic(Intrinsic::SpecializeRange) => None,
            _ => Some(self.assume(choice, Abs::Dynamic, value)),
        };
        Some(Exit::Switch {
            index,
            targets,
            default,
        })
    }

    /// The values of the range that a choice is from, if its bounds are known.
    pub(super) fn ways(&self, choice: &generic::Inst) -> Option<Range<u32>> {
        let &[_, low, high] = &choice.args[..] else {
            return None;
        };
        let bound = |value| self.value(value).abs().as_u32();
        Some(bound(low)?..end(choice.op, bound(high)?)?)
    }

    /// The edge to the target in the context where the specialization gave `outcome`.
    fn assume(&mut self, choice: &Choice<P::Value>, outcome: Abs, value: P::Value) -> Edge {
        let context = self.contexts.assume(self.context, choice.site, outcome);
        self.set(choice.inst.result, value);
        self.edge(context, choice.target)
    }
}

/// What follows the last value, given the upper bound.
pub(super) fn end(op: Op, high: u32) -> Option<u32> {
    match op {
        Op::Intrinsic(Intrinsic::WevalSpecialize) => high.checked_add(1),
        _ => Some(high),
    }
}
