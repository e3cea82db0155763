//! `bactrian` as a library: what the command does, and the only crate that knows Wasmtime.
//!
//! In the order of a program's way: [`input`] (what a file is), [`guest`] (the embedded interpreter
//! and what is known of its programs), [`snapshot`] (it loads the program and is frozen),
//! [`specialize`] (the specializer, as this tool calls it), [`engine`] and [`host`] (Wasmtime and
//! the sandbox, with [`limits`], [`wasi`], [`streams`] and `memory`; [`unconfined`] is the way out
//! of it), [`precompiled`] (machine code that came with the command, made by [`precompile`]),
//! [`run`], [`lockstep`]. [`pipeline`] puts them together, with the cache and with [`stats`];
//! [`cli`] is the command line, [`commands`] what it does, `progress` and [`status_line`] what it
//! shows meanwhile, [`bench`] how well.

pub mod bench;
pub mod cli;
pub mod commands;
pub mod engine;
pub mod guest;
pub mod host;
pub mod input;
pub mod limits;
pub mod lockstep;
mod memory;
pub mod pipeline;
pub mod precompile;
pub mod precompiled;
mod progress;
pub mod run;
pub mod snapshot;
pub mod specialize;
pub mod stats;
pub mod status_line;
pub mod streams;
pub mod unconfined;
pub mod wasi;
