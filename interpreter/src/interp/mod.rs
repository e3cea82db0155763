//! The interpreter loop and calls between activations.
//!
//! * [`run`]: the loop, one activation of one function; [`registers`]: what it keeps, and its operations;
//!   `blocks`: allocation; `primitive`: C_CALL; [`events`]: what lockstep compares;
//! * [`entries`]: activations by arity; [`calls`]: applications that are not exact.

mod blocks;
pub mod calls;
pub mod entries;
pub mod events;
mod primitive;
pub mod registers;
pub mod run;
#[cfg(test)]
mod tests;

pub use calls::apply;
