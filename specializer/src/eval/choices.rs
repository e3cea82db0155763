//! Value specialization: evaluation fans out, one context for each outcome.

use super::abs::Abs;
use super::cells::Content;
use super::exit::{Edge, Exit};
use super::transfer::{Machine, Phase};
use crate::ir::generic::Block;
use crate::ir::{Terminator, Type, generic};
use crate::op::{Const, Intrinsic, Op};

impl<P: Phase> Machine<'_, P> {
    /// Fans out at a value specialization, the last instruction of `site`.
    pub(super) fn specialize(
        &mut self,
        site: Block,
        inst: &generic::Inst,
        term: &generic::Terminator,
    ) -> Exit<P::Value> {
        let args = self.values_of(&inst.args);
        let Terminator::Jump(target) = term else {
            unreachable!("preparation ends such blocks with a jump")
        };
        let is_value = match args[0].abs() {
            Abs::Const(_) | Abs::Symbol(_) | Abs::Extended(_) | Abs::Slot(_) => true,
            Abs::Offset { .. } | Abs::Fact(_) | Abs::Dynamic => false,
        };
        if is_value {
            self.set(inst.result, args[0]);
            return self.terminator(term);
        }
        match (
            inst.op,
            args.get(1).map(|arg| arg.abs()),
            args.get(2).map(|arg| arg.abs()),
        ) {
            (Op::Intrinsic(Intrinsic::SpecializeGuess), Some(guess), _)
                if guess.is_known() && self.evaluation.optimisations.guesses =>
            {
                let guess = args[1].abs();
                let cond = self
                    .phase
                    .emit(Op::I32Eq, &[args[0], args[1]], Some(Type::I32));
                let then = self.assume(site, inst, target, guess, args[1]);
                let otherwise = self.assume(site, inst, target, Abs::Dynamic, args[0]);
                Exit::Branch {
                    cond,
                    then,
                    otherwise,
                }
            }
            (op, Some(Abs::Const(Const::I32(low))), Some(Abs::Const(Const::I32(high))))
                if let Some(high) = end(op, high as u32)
                    && high.wrapping_sub(low as u32) <= self.evaluation.budgets.fan_out =>
            {
                let low = low as u32;
                let index = if low == 0 {
                    args[0]
                } else {
                    self.phase
                        .emit(Op::I32Sub, &[args[0], args[1]], Some(Type::I32))
                };
                let targets = (low..high).map(|value| {
                    let value = Abs::Const(Const::I32(value as i32));
                    let known = self.phase.known(value);
                    self.assume(site, inst, target, value, known)
                });
                let targets = targets.collect();
                let default = match inst.op {
                    Op::Intrinsic(Intrinsic::SpecializeRange) => None,
                    _ => Some(self.assume(site, inst, target, Abs::Dynamic, args[0])),
                };
                Exit::Switch {
                    index,
                    targets,
                    default,
                }
            }
            _ => {
                self.set(inst.result, args[0]);
                self.terminator(term)
            }
        }
    }

    /// The edge to `target` in the context where the specialization gave `outcome`.
    fn assume(
        &mut self,
        site: Block,
        inst: &generic::Inst,
        target: &generic::Target,
        outcome: Abs,
        value: P::Value,
    ) -> Edge {
        let context = self.contexts.assume(self.context, site, outcome);
        self.set(inst.result, value);
        self.edge(context, target)
    }
}

/// What follows the last value, given the upper bound.
fn end(op: Op, high: u32) -> Option<u32> {
    match op {
        Op::Intrinsic(Intrinsic::WevalSpecialize) => high.checked_add(1),
        _ => Some(high),
    }
}
