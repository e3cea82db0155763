//! OCaml 4.13's bytecode interpreter and runtime, compiled to WebAssembly and annotated for
//! Bactrian's specializer. The only place where OCaml's semantics are written.
//!
//! From the bottom up; a module knows those before it only (a test holds that order):
//! * [`memory`]: the guest's 32-bit address space; [`value`]: what a word of it means;
//!   [`registry`]: how a primitive is written, and what a call that may raise returns; [`os`]: the
//!   outside world, over WASI or natively; [`waiting`]: what lets other threads run; [`pending`]:
//!   signals that have come; [`vm`]: the machine state that all of the runtime shares;
//!   [`evaluation`]: whether the program runs at build time, and what it may not do then;
//! * [`outside`]: memory that is not OCaml heap; [`exception`]: exceptions that need no memory;
//! * [`foreign`]: primitives in C that were joined to the module; [`heap`]: allocation and the
//!   collector; `allocator`: memory for Rust's own data; [`custom`]:
//!   blocks that only their own code understands; [`parameters`]: what `OCAMLRUNPARAM` asks for;
//!   [`stack`]: the OCaml stack's memory and limit; [`raise`]: exceptions with arguments;
//! * [`md5`]; [`code`]: instructions, and the cells of loaded code; [`polymorphic`]: comparison,
//!   hashing, marshalling; [`backtrace`]: what is recorded of exceptions, and where that is in the
//!   source;
//! * [`image`]: bytecode executables, parsed and verified; [`interp`]: the interpreter loop and
//!   calls between activations; [`threads`]: who runs when; [`primitives`]: what bytecode calls by
//!   name;
//! * `stubs`: what primitives in C call; [`program`]: an executable becomes a loaded program;
//!   `loading`: where in memory, for a snapshot; `first_effect`: the program is run at build time
//!   up to its first effect; [`start`]: the module's entry points.

mod allocator;
pub mod backtrace;
pub mod code;
pub mod custom;
pub mod evaluation;
pub mod exception;
#[cfg(target_family = "wasm")]
mod first_effect;
pub mod foreign;
pub mod heap;
pub mod image;
pub mod interp;
#[cfg(target_family = "wasm")]
mod loading;
pub mod md5;
pub mod memory;
pub mod os;
pub mod outside;
pub mod parameters;
pub mod pending;
pub mod polymorphic;
pub mod primitives;
pub mod program;
pub mod raise;
pub mod registry;
pub mod stack;
pub mod start;
#[cfg(target_family = "wasm")]
mod stubs;
#[cfg(test)]
mod testing;
pub mod threads;
pub mod value;
pub mod vm;
pub mod waiting;
