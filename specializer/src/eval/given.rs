//! Calls that give a function which is known to a function that may have a version for it.
//!
//! The call says what it gives; [`crate::versions`] makes the versions, and the linker finds them.

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Callee, Given, Parameter, Symbol};
use crate::request::Request;

impl<P: Phase> Machine<'_, P> {
    /// The callee, with what it is given, if it may have a version for that.
    pub(super) fn giving(&mut self, callee: Callee, args: &[P::Value]) -> Callee {
        match callee {
            Callee::Slot {
                sig, slot, numbers, ..
            } => Callee::Slot {
                sig,
                slot,
                given: self.given_to(slot, args),
                numbers,
            },
            Callee::Direct(_) | Callee::Indirect { .. } => callee,
        }
    }

    fn given_to(&mut self, slot: Symbol, args: &[P::Value]) -> Option<Given> {
        let evaluation = self.evaluation;
        // Counters are by slot.
        if !evaluation.optimisations.versions || evaluation.counts {
            return None;
        }
        let is_fact = |arg: &P::Value| matches!(arg.abs(), Abs::Fact(Fact::Pointer(_)));
        if !args.iter().any(is_fact) {
            return None;
        }
        let callee = evaluation.image.request(slot, self.reads)?;
        let limits = evaluation.inlining.of(callee)?;
        let is_small = callee.code_len <= limits.given;
        given_function(slot, callee, args).filter(|_| is_small)
    }
}

/// The first argument of the callee, which is reached through `slot`, that points to code which is
/// known, other than its own as reached from there.
pub(super) fn given_function<V: Content>(
    slot: Symbol,
    callee: &Request,
    args: &[V],
) -> Option<Given> {
    let own = Abs::Symbol(slot).plus(callee.distance(callee.anchor));
    let mut given = (0..).zip(args).filter_map(|(param, arg)| match arg.abs() {
        Abs::Fact(Fact::Pointer(word)) => Some(Given {
            param: Parameter(param),
            word,
        }),
        _ => None,
    });
    given.find(|given| Some(Abs::Symbol(given.word)) != own)
}
