//! What the collector calls of the floors above it: OCaml functions, for finalisers and samples,
//! and handlers of signals.

use super::state::{Heap, heap};
use crate::registry::{Outcome, Raised};
use crate::value::Value;

/// The functions that [`super::init`] is given.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Applies an OCaml function to arguments.
    pub apply: fn(Value, &[Value]) -> Outcome,
    /// The calls in progress, innermost first and so many at most, as OCaml sees them.
    pub callstack: fn(usize) -> Value,
    /// Runs the handlers of the signals that have come.
    pub signals: fn() -> Result<(), Raised>,
}

impl Heap {
    pub(super) fn hooks(&self) -> &'static Hooks {
        self.hooks
            .get()
            .expect("OCaml code runs once the heap is initialised")
    }
}

/// Has `actions` run at safepoints in place of what handles signals; what that was.
pub fn replace_actions(actions: fn() -> Result<(), Raised>) -> fn() -> Result<(), Raised> {
    let old = heap().hooks();
    let new = Hooks {
        signals: actions,
        ..*old
    };
    heap().hooks.set(Some(Box::leak(Box::new(new))));
    old.signals
}
