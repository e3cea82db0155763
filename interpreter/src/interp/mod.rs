//! The interpreter loop and calls between activations.
//!
//! * [`run`]: the loop, one activation of one function; [`registers`]: what it keeps, and its operations;
//!   `blocks`: allocation; `primitive`: C_CALL, with [`shortcut`]s; [`events`]: what lockstep compares;
//! * [`entries`]: activations by arity; [`calls`]: applications that are not exact.

mod blocks;
pub mod calls;
pub mod entries;
pub mod events;
mod primitive;
pub mod registers;
pub mod run;
pub mod shortcut;
#[cfg(test)]
mod tests;

pub use calls::apply;
