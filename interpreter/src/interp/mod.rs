//! The interpreter loop and calls between activations.
//!
//! * [`run`]: the loop, one activation of one function; [`registers`]: what it keeps, and its
//!   operations; `fields`: accesses to blocks; `blocks`: allocation; `boxes`: boxed numbers;
//!   `primitive`: C_CALL, with [`shortcut`]s; `unwind`: where a backtrace goes on; [`events`]: what
//!   lockstep compares;
//! * [`entries`]: activations by arity; [`calls`]: applications that are not exact;
//!   `partial`, `restart`: partial applications; `raising`: calls that may have raised;
//! * [`requests`]: the specializer is asked for a version of the loop for each entry.

mod begin;
mod bigarrays;
mod blocks;
pub mod boxes;
pub mod calls;
pub mod entries;
pub mod events;
mod fields;
mod integers;
mod known;
mod leave;
mod methods;
mod partial;
mod polls;
mod primitive;
mod raising;
pub mod registers;
pub mod requests;
#[cfg(target_family = "wasm")]
mod restart;
mod restarted;
pub mod run;
pub mod shortcut;
#[cfg(test)]
mod tests;
mod unwind;
mod words;

pub use calls::{apply, apply_code, generic_slots};
