//! What to do with a snapshot, beside what its requests say.
//!
//! Invariant: an option that changes a residual function is in its cache key (`src/key.rs`).

use crate::eval::Budgets;
use crate::fault::Fault;
use crate::link::{self, Absent};
use crate::op::Intrinsic;
use crate::optimisations::Optimisations;
use crate::profile::Profile;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Keep the calls that report events to lockstep.
    pub lockstep_events: bool,
    /// The linked module is still to be initialised: what does that, and evaluates it then, stays.
    pub to_initialise: bool,
    /// Imports that the linked module is to do without.
    pub absent: Option<Absent>,
    /// Let the module have several stacks ([`annotations::STACKS_MODULE`]), which takes an engine
    /// that can switch them.
    pub stacks: bool,
    /// Leave the names of functions out of the linked module.
    pub strip: bool,
    /// Leave what it cannot reach in the linked module.
    pub keeps_unreached: bool,
    /// Leave imports in the linked module that nothing calls, and give indices of functions two
    /// bytes at least, so that all programs share the machine code of the interpreter's functions.
    pub shares_code: bool,
    /// Count activations of residual functions, but for those that are evaluated in place
    /// ([`Optimisations::inlining`]), in globals that are exported as [`crate::link::counters`]
    /// says, and report callees ([`Intrinsic::ProfileCallee`]).
    pub counts: bool,
    /// What runs of the program have counted.
    pub profile: Option<Profile>,
    pub optimisations: Optimisations,
    pub budgets: Budgets,
    /// A deliberate miscompilation, for tests of lockstep.
    pub fault: Option<Fault>,
    /// Check functions against the rules of [`crate::verify`] after each stage and each pass of
    /// cleanup, and validate the linked module. For tests: a broken rule is a bug of the
    /// specializer and panics.
    pub verify: bool,
}

impl Options {
    /// The intrinsics that residual code calls, as imports.
    pub fn kept(&self) -> &'static [Intrinsic] {
        match (self.lockstep_events, self.counts) {
            (false, false) => &[],
            (true, false) => &[Intrinsic::LockstepEvent],
            (false, true) => &[Intrinsic::ProfileCallee],
            (true, true) => &[Intrinsic::LockstepEvent, Intrinsic::ProfileCallee],
        }
    }

    /// Those that the linker has to know.
    pub fn linking(&self) -> link::Options<'_> {
        link::Options {
            kept: self.kept(),
            dispatch: self.optimisations.dispatch,
            float_registers: self.optimisations.float_registers,
            plain_code: self.optimisations.plain_code,
            to_initialise: self.to_initialise,
            absent: self.absent.as_ref(),
            stacks: self.stacks,
            strip: self.strip,
            counts: self.counts,
            keeps_unreached: self.keeps_unreached,
            shares_code: self.shares_code,
        }
    }
}
