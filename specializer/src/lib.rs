//! Bactrian's specializer: the first Futamura projection of an annotated interpreter.
//!
//! Pure: a WebAssembly module's bytes in, bytes out; no file, no engine, no knowledge of any guest
//! language. Modules in pipeline order:
//!
//! * [`module`], [`request`], [`image`]: what the snapshot holds, and what it asks for;
//! * [`index`], [`ir`], [`op`]: the SSA form and its operators; [`lift`] makes it from Wasm;
//! * [`eval`]: partial evaluation, request by request;
//! * [`cleanup`] and [`lower`]: back to Wasm, both in the order of [`dominators`];
//! * `key` and [`residue`]: under which key and in which form results are stored;
//! * [`link`]: residual functions and snapshot become one module.
//!
//! [`specialize()`] is the entry point and shows the stages in order. Beside the pipeline: [`text`]
//! prints and parses the SSA form, [`verify`] checks it, [`exec`] runs it, [`fault`] breaks it on
//! purpose.

#![forbid(unsafe_code)]

pub mod cleanup;
pub mod dominators;
pub mod eval;
pub mod exec;
pub mod fault;
mod hash;
pub mod image;
pub mod index;
pub mod ir;
mod key;
pub mod lift;
pub mod link;
pub mod lower;
pub mod module;
pub mod op;
mod optimisations;
#[cfg(test)]
mod random;
pub mod request;
pub mod residue;
mod specialize;
pub mod text;
pub mod verify;

pub use link::Absent;
pub use optimisations::Optimisations;
pub use specialize::{
    Error, Observer, Options, Outcome, Output, Report, RequestReport, Store, link_generic,
    residual_text, specialize,
};
