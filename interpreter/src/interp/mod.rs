//! The interpreter loop and calls between activations.
//!
//! * [`run`]: the loop, one activation of one function; [`registers`]: what it keeps, and its operations;
//!   `primitive`: C_CALL; [`events`]: what lockstep compares;
//! * [`entries`]: activations by arity; [`calls`]: applications that are not exact.

pub mod calls;
pub mod entries;
pub mod events;
mod primitive;
pub mod registers;
pub mod run;

pub use calls::apply;
