//! The interpreter loop and calls between activations.
//!
//! * [`run`]: the loop, one activation of one function; [`registers`]: what it keeps, and its
//!   operations; `fields`: accesses to blocks; `blocks`: allocation; [`boxes`]: boxed numbers;
//!   `methods`: methods of objects by their labels; `polls`: safepoints, and what is known of what
//!   waits for them; `unwind`: where a backtrace goes on; [`events`]: what lockstep compares;
//! * `primitive`: C_CALL, with [`shortcut`]s; those of boxed integers are in `integers`, those of
//!   bigarrays in `bigarrays`, those of several bytes at once in `words`;
//! * [`entries`]: activations by arity; `begin`: those that begin where something waits for a
//!   safepoint; `leave`: those that go on in another function; `restarted`: those that begin at a
//!   RESTART;
//! * [`calls`]: applications that are not exact; `known`: such applications of what is known;
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

pub use calls::{apply, apply_after_poll, apply_code, generic_slots};
