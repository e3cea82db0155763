//! A fast hash for maps whose keys are this crate's own small types, and not an adversary's.
//!
//! Invariant: nothing iterates over such a map, so its order never reaches an output.

pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet};
