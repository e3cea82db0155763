//! What works on values of any type: structural comparison, hashing and marshalling; and bigarrays,
//! whose contents only these know beside their own primitives.

pub mod bigarray;
pub mod compare;
pub mod hash;
pub mod marshal;
