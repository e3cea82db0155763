//! Replacing values by others: passes record replacements and apply them together.
//!
//! Invariant: a replacement's definition dominates every use of what it replaces; recording such a
//! pair is up to the pass. Chains are followed, cycles are a bug.

use crate::index::Map;
use crate::ir::residual::{Function, Value};

/// For each value, what to use in its place: itself, or a value to be looked up in turn.
pub struct Renaming {
    to: Map<Value, Value>,
    changed: bool,
}

impl Renaming {
    pub fn new(function: &Function) -> Self {
        Self {
            to: function.types.keys().collect(),
            changed: false,
        }
    }

    pub fn replace(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        assert!(by != value, "a value cannot be replaced by itself");
        self.to[value] = by;
        self.changed = true;
    }

    /// The value to use in place of `value`.
    pub fn resolve(&mut self, mut value: Value) -> Value {
        // Values made since have no replacement.
        while let Some(&next) = self.to.get(value) {
            if next == value {
                break;
            }
            let after = self.to.get(next).copied().unwrap_or(next);
            self.to[value] = after;
            value = after;
        }
        value
    }

    /// Renames all operands of the function.
    pub fn apply(mut self, function: &mut Function) {
        if !self.changed {
            return;
        }
        for block in function.blocks.values_mut() {
            block.for_each_operand_mut(|arg| *arg = self.resolve(*arg));
        }
    }
}
