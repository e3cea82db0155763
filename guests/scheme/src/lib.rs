//! A Scheme: source text becomes bytecode, which an interpreter runs. It is the larger example of a
//! guest for Bactrian; `docs/scheme.md` says what of the language there is.
//!
//! From the bottom up; a module knows those before it only:
//! * [`memory`]: 32-bit addresses; [`value`]: what a word means; [`vm`]: the machine state;
//!   [`output`]: what the program writes; [`heap`]: allocation and the collector;
//! * [`code`]: instructions; [`datum`]: the reader; [`runtime`]: primitives; [`compile`]: data
//!   become bytecode;
//! * [`interp`]: the interpreter loop; [`load`]: a compiled program becomes memory; [`start`]: the
//!   module's entry points.

pub mod code;
pub mod compile;
pub mod datum;
pub mod heap;
pub mod interp;
pub mod load;
pub mod memory;
pub mod output;
pub mod runtime;
pub mod start;
#[cfg(test)]
mod tests;
pub mod value;
pub mod vm;
