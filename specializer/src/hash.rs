//! A fast hash for maps whose keys are this crate's own small types, and not an adversary's.
//!
//! Invariant: the order of such a map never reaches an output.

pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet};
