//! What the interpreter says of values that only residual code knows, and what follows from it.

use super::abs::Abs;
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Type, generic};
use crate::op::{Const, Op};

impl<P: Phase> Machine<'_, P> {
    /// A pure operator whose first operand points to a known word; false if it is nothing special.
    pub(super) fn pure_of_pointer(
        &mut self,
        op: Op,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) -> bool {
        let Abs::Pointer(word) = args[0].abs() else {
            return false;
        };
        match op {
            Op::I32WrapI64 => {
                let address = self.phase.emit(op, args, Some(Type::I32));
                let address = self.phase.noting(address, Abs::PointerAddress(word));
                self.set(result, address);
            }
            Op::I64And if args[1].abs() == Abs::Const(Const::I64(1)) => {
                self.set_known(result, Abs::Const(Const::I64(0)));
            }
            _ => return false,
        }
        true
    }

    /// `value.nonzero`.
    pub(super) fn nonzero(&mut self, value: P::Value, result: Option<generic::Value>) {
        self.note(value, Abs::NonZero, result);
    }

    /// `value.immediate`.
    pub(super) fn immediate(&mut self, value: P::Value, result: Option<generic::Value>) {
        self.note(value, Abs::Immediate, result);
    }

    /// `value.points_to`.
    pub(super) fn points_to(
        &mut self,
        value: P::Value,
        word: P::Value,
        result: Option<generic::Value>,
    ) {
        match word.abs() {
            Abs::Symbol(word) => self.note(value, Abs::Pointer(word), result),
            _ => self.set(result, value),
        }
    }

    /// Adds a fact to a value, unless more is known of it.
    fn note(&mut self, value: P::Value, fact: Abs, result: Option<generic::Value>) {
        let is_new = value.abs() == Abs::Dynamic || value.abs() == Abs::NonZero;
        let value = match is_new && self.evaluation.optimisations.facts {
            true => self.phase.noting(value, fact),
            false => value,
        };
        self.set(result, value);
    }
}
