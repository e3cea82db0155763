//! OCaml 4.13's bytecode interpreter and runtime, compiled to WebAssembly and annotated for
//! Bactrian's specializer. The only place where OCaml's semantics are written.
//!
//! From the bottom up:
//! * [`memory`]: the guest's 32-bit address space; [`value`]: what a word of it means; [`vm`]: the
//!   machine state that all of the runtime shares;
//! * [`heap`]: allocation and the collector; [`custom`]: blocks that only their own code understands;
//! * [`outside`]: memory that is not OCaml heap; `allocator`: that of Rust's own data;
//! * [`image`]: bytecode executables, parsed and verified, then loaded;
//! * [`interp`]: the interpreter loop and calls between activations;
//! * [`backtrace`]: what is recorded of exceptions, and where that is in the source;
//! * [`primitives`]: what bytecode calls by name; [`os`]: the outside world, over WASI or natively;
//! * [`parameters`]: what `OCAMLRUNPARAM` asks for; [`stack`]: the OCaml stack's memory and limit;
//! * [`start`]: the module's entry points; `loading`: how a program is loaded for a snapshot.

mod allocator;
pub mod backtrace;
pub mod custom;
pub mod heap;
pub mod image;
pub mod interp;
#[cfg(target_family = "wasm")]
mod loading;
pub mod memory;
pub mod os;
pub mod outside;
pub mod parameters;
pub mod primitives;
pub mod raise;
pub mod stack;
pub mod start;
#[cfg(test)]
mod testing;
pub mod value;
pub mod vm;
