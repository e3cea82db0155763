//! What works on values of any type: structural comparison, hashing and marshalling. Bigarrays are
//! here, too, because these three look into them, and the set of blocks that a walk has met.

pub mod bigarray;
pub mod compare;
pub mod hash;
pub mod marshal;
pub mod seen;
