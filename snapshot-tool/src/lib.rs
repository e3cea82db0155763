//! `bactrian` as a library: what the command does, and the only crate that knows Wasmtime.
//!
//! The modules, from the ground up (`tests/tests/floors.rs` holds the order):
//!
//! * `notice`, [`status_line`], [`stats`], `progress`: what is said and shown, and what it cost;
//!   `heap`: free memory; `texts`: blobs with remarks; `exports`: those of a module; `file_limit`:
//!   `ulimit -f`; `user_directories`: the cache and stubs of a user;
//! * [`precompiled`] (machine code that came with the command), [`known_code`] (that, and what the
//!   cache keeps), [`engine`] (Wasmtime) and [`jit_dump`] (what profilers are told);
//! * [`guest`] (the embedded interpreter, and what is known of its programs), [`stubs`] (functions
//!   in C that are joined to it) and [`input`] (what a file is);
//! * what a guest finds outside of itself: [`limits`], [`streams`], `memory`, [`strings`] (its
//!   arguments and variables), `ticker` (so that its threads take turns), [`unconfined`] (the way
//!   out of the sandbox), [`host`] (its state),
//!   [`wasi`], [`imports`] (all of its functions, defined by [`import_linker`]);
//! * [`specialize`] (the specializer, as this tool calls it), [`evaluation`] (a loaded program runs
//!   up to its first effect), [`snapshot`] (the guest loads the program and is frozen) and [`run`];
//!   [`interpreted`] (a module initialises itself without machine code), [`weval`] (modules for
//!   weval do so); [`product`] (what a build writes, and its
//!   key); [`pipeline`] puts them together, with the cache;
//! * [`lockstep`] (generic and residual code side by side) and [`precompile`] (which makes what
//!   [`precompiled`] holds);
//! * [`report`] (what a build did, in words and as JSON);
//! * [`cli`] is the command line, [`bench`] measures, [`commands`] is one function a command.

#[macro_use]
mod notice;

pub mod bench;
mod cells;
mod check;
pub mod cli;
pub mod commands;
pub mod engine;
pub mod evaluation;
mod exports;
mod file_limit;
pub mod guest;
mod heap;
pub mod host;
pub mod import_linker;
pub mod imports;
pub mod input;
pub mod interpreted;
pub mod jit_dump;
pub mod known_code;
pub mod limits;
pub mod lockstep;
mod memory;
pub mod pipeline;
pub mod precompile;
pub mod precompiled;
pub mod product;
pub mod profile;
mod progress;
pub mod report;
pub mod run;
pub mod snapshot;
pub mod specialize;
pub mod stats;
pub mod status_line;
pub mod streams;
pub mod strings;
pub mod stubs;
mod texts;
mod ticker;
pub mod unconfined;
mod user_directories;
pub mod wasi;
pub mod weval;
