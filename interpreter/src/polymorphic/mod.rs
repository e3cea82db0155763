//! What works on values of any type: structural comparison, hashing and marshalling. Bigarrays are
//! here, too, because these three look into them.

pub mod bigarray;
pub mod compare;
pub mod hash;
pub mod marshal;
