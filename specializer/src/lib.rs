//! Bactrian's specializer: the first Futamura projection of an annotated interpreter.
//!
//! Pure: a WebAssembly module's bytes in, bytes out; no file, no engine, no knowledge of any guest
//! language. [`specialize()`] is the entry point and names the stages in order. The modules, from
//! the ground up (`tests/tests/floors.rs` holds the order):
//!
//! * `index`, `graph`, `entity`, [`op`], [`ir`]: the SSA form; [`text`] prints and parses it,
//!   `verify` checks it, [`exec`] runs it, `dominators` orders its blocks;
//! * [`module`], `allocator`, [`request`], `image`: what the snapshot holds, and what it asks
//!   for;
//! * [`lift`]: the SSA form of a WebAssembly function;
//! * [`eval`]: partial evaluation, request by request, with `optimisations` switched on or off;
//! * `cleanup` and `lower`: back to WebAssembly;
//! * [`link`]: residual functions and snapshot become one module;
//! * `key` and `stored`: under which key and in which form results are stored;
//! * `versions`: which versions of functions are made;
//! * [`fault`]: wrong code on purpose; `watch` plants it between the stages and runs the verifier;
//! * `options`, `report`, `recall`: what is asked for, what became of it, what a store has of it;
//! * `specialize`: the pipeline; [`check`]: what is wrong with an interpreter's annotations.

#![forbid(unsafe_code)]

mod allocator;
pub mod check;
mod cleanup;
mod dominators;
mod entity;
pub mod eval;
pub mod exec;
pub mod fault;
mod graph;
mod hash;
mod image;
mod index;
pub mod ir;
mod key;
pub mod lift;
pub mod link;
mod lower;
pub mod module;
pub mod op;
mod optimisations;
mod options;
pub mod profile;
#[cfg(test)]
mod random;
mod recall;
mod report;
pub mod request;
mod specialize;
mod stored;
pub mod text;
mod verify;
mod versions;
mod watch;

pub use link::Absent;
pub use optimisations::Optimisations;
pub use options::Options;
pub use profile::Profile;
pub use recall::Store;
pub use report::{Outcome, Report, RequestReport};
pub use specialize::{Error, Observer, Output, link_generic, residual_text, specialize};
