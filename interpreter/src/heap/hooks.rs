//! What the collector calls of the floors above it: OCaml functions, for finalisers and samples,
//! and handlers of signals.

use super::state::Heap;
use crate::registry::{Outcome, Raised};
use crate::value::Value;

/// The functions that [`super::init`] is given.
#[derive(Debug)]
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
