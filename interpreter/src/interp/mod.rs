//! The interpreter loop and calls between activations.

use crate::primitives::registry::Outcome;
use crate::value::Value;

/// Applies a closure to one or more arguments, for primitives that call back. Pushes below
/// `vm().sp` and leaves `vm().sp` as it was; what it runs may collect.
pub fn apply(closure: Value, arguments: &[Value]) -> Outcome {
    let _ = (closure, arguments);
    todo!("interp")
}
