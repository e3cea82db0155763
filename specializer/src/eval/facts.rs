//! What the interpreter says of values that only residual code knows, and what follows from it.

use smallvec::SmallVec;

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Type, generic};
use crate::op::intrinsic::{NAMED_REGIONS, UNKNOWN_REGION};
use crate::op::{Const, Effect, Intrinsic, Op};

impl<P: Phase> Machine<'_, P> {
    /// The lower half of a value of which something is known; false if that says nothing of it, or
    /// the operator is another.
    pub(super) fn half_of_known(
        &mut self,
        op: Op,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) -> bool {
        if op != Op::I32WrapI64 {
            return false;
        }
        let known = match args[0].abs() {
            Abs::Fact(Fact::Pointer(word)) => Fact::PointerAddress(word),
            Abs::Fact(Fact::Immediate) => Fact::ImmediateHalf,
            _ => return false,
        };
        let half = self.phase.emit(op, args, Some(Type::I32));
        let half = self.phase.noting(half, Abs::Fact(known));
        self.set(result, half);
        true
    }

    /// `address.within`, which value numbering looks at: residual code keeps it until then. A
    /// region that there is not says nothing.
    pub(super) fn address_within(&mut self, args: &[P::Value], result: Option<generic::Value>) {
        let known = args[0].abs();
        let is_on = self.evaluation.optimisations.value_numbering;
        let is_address = matches!(known, Abs::Dynamic | Abs::Fact(Fact::PointerAddress(_)));
        let is_named = match args[1].abs() {
            Abs::Const(Const::I32(region)) => NAMED_REGIONS.contains(&(region as u32)),
            _ => false,
        };
        if !is_on || !is_address || !is_named {
            return self.set(result, args[0]);
        }
        let op = Op::Intrinsic(Intrinsic::AddressWithin);
        let address = self.phase.emit(op, args, Some(Type::I32));
        let address = match known {
            Abs::Fact(_) => self.phase.noting(address, known),
            _ => address,
        };
        self.set(result, address);
    }

    /// The arguments of an access. An address that is constant here, and not in the interpreter's
    /// code, may be within a region all the same: what said so is gone.
    pub(super) fn accessing(
        &mut self,
        access: &generic::Inst,
        mut args: SmallVec<[P::Value; 4]>,
    ) -> SmallVec<[P::Value; 4]> {
        let known = args[0].abs();
        let is_on = self.evaluation.optimisations.value_numbering;
        if is_on && matches!(known, Abs::Const(_)) && !self.prepared.literals[access.args[0]] {
            let unknown = self
                .phase
                .known(Abs::Const(Const::I32(UNKNOWN_REGION as i32)));
            let op = Op::Intrinsic(Intrinsic::AddressWithin);
            let address = self.phase.emit(op, &[args[0], unknown], Some(Type::I32));
            args[0] = self.phase.noting(address, known);
        }
        args
    }

    /// `value.points_to`.
    pub(super) fn points_to(
        &mut self,
        value: P::Value,
        word: P::Value,
        result: Option<generic::Value>,
    ) {
        match word.abs() {
            Abs::Symbol(word) => self.note(value, Fact::Pointer(word), result),
            _ => self.set(result, value),
        }
    }

    /// `value.nonzero` and its kin: adds a fact to a value, unless more is known of it.
    pub(super) fn note(&mut self, value: P::Value, fact: Fact, result: Option<generic::Value>) {
        let (fact, known, frames) = (Abs::Fact(fact), value.abs(), self.cells.window.frames);
        let is_new = known != fact && !frames.may_have(known) && known.join(fact, frames) == known;
        let value = match is_new && self.evaluation.optimisations.facts {
            true => self.phase.noting(value, fact),
            false => value,
        };
        self.set(result, value);
    }
}

/// Whether after this something may wait for a safepoint that did not before; see
/// [`Intrinsic::SafepointPassed`].
pub(super) fn may_ask_for_safepoint<V: Content>(op: Op, args: &[V]) -> bool {
    let makes_box = args.iter().any(|arg| arg.abs().is_virtual());
    let asks = match op.effect() {
        Effect::Pure | Effect::Traps | Effect::Reads | Effect::ReadsGlobal => false,
        Effect::Writes => match op {
            Op::Store { .. } => matches!(args[0].abs(), Abs::Const(_) | Abs::Symbol(_)),
            _ => true,
        },
        Effect::WritesGlobal | Effect::Calls => true,
    };
    makes_box || asks
}
