//! Bactrian's specializer: the first Futamura projection of an annotated interpreter.
//!
//! Pure: a WebAssembly module's bytes in, bytes out. Modules in pipeline order.

pub mod cleanup;
pub mod exec;
pub mod ir;
pub mod lift;
pub mod lower;
pub mod module;
pub mod op;
#[cfg(test)]
mod random;
pub mod text;
pub mod verify;
