//! Joins residual functions to the snapshot they were made from.
//!
//! The module is copied section by section; in it
//! * each call of an intrinsic becomes the plain operation it stands for, and its import goes; what
//!   that leaves is simplified ([`plain`]);
//! * residual functions are appended, with a table entry each, those of a type side by side;
//! * versions of them for what a call gives are appended as well, without one, for calls by name;
//! * request slots (words of memory) get those table indices, and the table of requests is blanked,
//!   with all that it leads to;
//! * relocations in residual bodies become function indices and addresses;
//! * dispatchers call residual functions by name ([`dispatch`]);
//! * functions of an import module that the result is to do without become functions that answer a
//!   constant ([`stubs`]), and so do those by which a program has several stacks, unless it may and
//!   makes one ([`stacks`]);
//! * residual functions count their activations, if that is asked for ([`counters`]);
//! * what engines have no registers for is passed in others ([`passing`]);
//! * the name section is made anew ([`names`]), and other custom sections that would be wrong go
//!   ([`custom`]);
//! * what the result cannot reach is left out: functions, entries of the table, data ([`reach`]).
//!
//! [`layout`] decides where all of this is before anything is written.
//!
//! Types, tables and memories keep their indices, as do the globals and element segments that are
//! there, and functions in the table; functions move down by those that go.

mod copy;
pub mod counters;
mod custom;
mod data;
mod dispatch;
mod elements;
mod layout;
mod names;
mod passing;
mod plain;
mod reach;
mod stacks;
mod stubs;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

pub use self::dispatch::Case;
pub use self::layout::Layout;
use self::names::Names;
use crate::ir::Func;
use crate::lower::Lowered;
use crate::module::{Import, Module};
use crate::op::Intrinsic;
use crate::request::Request;

/// A residual function and the request it answers.
pub struct Residue<'a> {
    pub request: &'a Request,
    pub lowered: &'a Lowered,
}

/// An import module that hosts need not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absent {
    pub module: String,
    /// What each of its functions answers, as an integer of its type.
    pub answer: i64,
}

/// How to link, beside what is linked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Intrinsics that stay calls of their imports.
    pub kept: &'a [Intrinsic],
    /// Dispatchers call residual functions by name.
    pub dispatch: bool,
    /// Integers are passed as floating-point numbers where engines have registers for these only.
    pub float_registers: bool,
    /// Generic functions that ask whether they are compiled are simplified.
    pub plain_code: bool,
    /// The linked module is still to be initialised.
    pub to_initialise: bool,
    pub absent: Option<&'a Absent>,
    /// The module may have several stacks.
    pub stacks: bool,
    /// Functions have no names.
    pub strip: bool,
    /// Residual functions count their activations.
    pub counts: bool,
    /// What cannot be reached stays.
    pub keeps_unreached: bool,
    /// Imports that cannot be reached stay, and indices are [`crate::lower::Indices::Even`].
    pub shares_code: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("the snapshot cannot be copied: {0}")]
    Copy(String),
    #[error("import `{module}.{name}` is no intrinsic that this version knows")]
    UnknownIntrinsic { module: String, name: String },
    #[error("{0} is a removed intrinsic but is used other than by a call")]
    IntrinsicAsValue(Func),
    #[error("the module has no table to hold residual functions")]
    NoTable,
    #[error("import `{module}.{name}` cannot be left out: it returns other than one integer")]
    NoAnswer { module: String, name: String },
}

/// The module cannot be read.
impl From<wasmparser::BinaryReaderError> for LinkError {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Copy(error.to_string())
    }
}

/// A linked module.
pub struct Linked {
    pub module: Vec<u8>,
    /// Size of the residual bodies in it.
    pub residual_bytes: usize,
}

/// Writes the linked module as it was laid out for these residual functions.
pub fn write(module: &Module, layout: &Layout, residues: &[Residue]) -> Result<Linked, LinkError> {
    let bodies = residues.par_iter().enumerate().map(|(number, residue)| {
        let body = layout.counters.counting(number, layout.relocate(residue)?);
        layout.passing.apply(module, residue.request.sig, body)
    });
    let bodies: Vec<_> = bodies.collect::<Result<_, _>>()?;
    let names = (!layout.strip).then(|| Names::new(module, layout, residues));
    let residual_bytes = bodies.iter().map(Vec::len).sum();
    Ok(Linked {
        module: copy::run(module, layout, bodies, names)?,
        residual_bytes,
    })
}

impl Options<'_> {
    fn leaves_out(&self, import: &Import) -> bool {
        import.module == annotations::STACKS_MODULE
            || self
                .absent
                .is_some_and(|absent| absent.module == import.module)
    }
}

/// The intrinsic that an import is, if this version knows it.
pub fn intrinsic(import: &Import) -> Option<Intrinsic> {
    Intrinsic::imported(import.module, import.name)
}
