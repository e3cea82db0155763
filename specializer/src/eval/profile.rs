//! Callees that a profile knows, and reports of callees for a profile.
//!
//! Invariant: what a profile says of a call is in the read log, and that it says something is in
//! the key of the request whose code the call is in, or, if that is evaluated in place, in the
//! digest of the request, which is in the read log as well.

use super::abs::Abs;
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Type, generic};
use crate::op::{Const, Intrinsic, Op};

impl<P: Phase> Machine<'_, P> {
    /// The intrinsic of this name: `args` are a call and the code that it calls.
    pub(super) fn profile_callee(&mut self, args: &[P::Value], result: Option<generic::Value>) {
        let known = match args[0].abs() {
            Abs::Symbol(_) if self.evaluation.counts => {
                let report = Op::Intrinsic(Intrinsic::ProfileCallee);
                self.emit_value(report, args, Some(Type::I32));
                None
            }
            Abs::Symbol(call) => {
                let image = self.evaluation.image;
                image.usual_callee(call, self.reads)
            }
            Abs::Const(_)
            | Abs::Extended(_)
            | Abs::Slot(_)
            | Abs::Offset { .. }
            | Abs::Fact(_)
            | Abs::Dynamic => None,
        };
        let known = known.map_or(Abs::Const(Const::I32(0)), Abs::Symbol);
        self.set_known(result, known);
    }
}
