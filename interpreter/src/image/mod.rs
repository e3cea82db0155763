//! Bytecode executables: parsed, verified, then loaded into guest memory.

pub mod requests;
