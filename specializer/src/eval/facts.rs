//! What the interpreter says of values that only residual code knows, and what follows from it.

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Type, generic};
use crate::op::Op;

impl<P: Phase> Machine<'_, P> {
    /// A pure operator whose first operand points to a known word; false if it is nothing special.
    pub(super) fn pure_of_pointer(
        &mut self,
        op: Op,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) -> bool {
        let Abs::Fact(Fact::Pointer(word)) = args[0].abs() else {
            return false;
        };
        if op != Op::I32WrapI64 {
            return false;
        }
        let address = self.phase.emit(op, args, Some(Type::I32));
        let known = Abs::Fact(Fact::PointerAddress(word));
        let address = self.phase.noting(address, known);
        self.set(result, address);
        true
    }

    /// `value.nonzero`.
    pub(super) fn nonzero(&mut self, value: P::Value, result: Option<generic::Value>) {
        self.note(value, Abs::Fact(Fact::NonZero), result);
    }

    /// `value.immediate`.
    pub(super) fn immediate(&mut self, value: P::Value, result: Option<generic::Value>) {
        self.note(value, Abs::Fact(Fact::Immediate), result);
    }

    /// `value.points_to`.
    pub(super) fn points_to(
        &mut self,
        value: P::Value,
        word: P::Value,
        result: Option<generic::Value>,
    ) {
        match word.abs() {
            Abs::Symbol(word) => self.note(value, Abs::Fact(Fact::Pointer(word)), result),
            _ => self.set(result, value),
        }
    }

    /// Adds a fact to a value, unless more is known of it.
    fn note(&mut self, value: P::Value, fact: Abs, result: Option<generic::Value>) {
        let is_new = value.abs() == Abs::Dynamic || value.abs() == Abs::Fact(Fact::NonZero);
        let value = match is_new && self.evaluation.optimisations.facts {
            true => self.phase.noting(value, fact),
            false => value,
        };
        self.set(result, value);
    }
}
