//! Joins residual functions to the snapshot they were made from.
//!
//! The module is copied section by section; in it
//! * each call of an annotation becomes the plain operation it stands for, and its import goes;
//! * residual functions are appended, with a table entry each;
//! * request slots (words in data segments) get those table indices;
//! * relocations in residual bodies become function indices and addresses.
//!
//! Types, globals, tables and memories keep their indices; functions move down by the imports that go.
//! Leaves out: dropping functions that are no longer reachable.

mod copy;

use std::collections::HashMap;

use crate::ir::{Func, Sig};
use crate::lower::{Lowered, RelocationKind};
use crate::module::Module;
use crate::op::Intrinsic;
use crate::request::Request;

/// The Wasm module name of annotation imports.
pub const ANNOTATIONS: &str = "bactrian";

/// A residual function and the request it answers.
pub struct Residue<'a> {
    pub request: &'a Request,
    pub lowered: &'a Lowered,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("the snapshot cannot be copied: {0}")]
    Copy(String),
    #[error("import `{ANNOTATIONS}.{0}` is no annotation that this version knows")]
    UnknownAnnotation(String),
    #[error("{0} is a removed annotation but is used other than by a call")]
    AnnotationAsValue(Func),
    #[error("request slot at {0:#x} is not in a data segment")]
    SlotOutsideData(u32),
    #[error("the module has no table to hold residual functions")]
    NoTable,
}

/// Links. With `keep_events`, lockstep events stay calls of their import.
pub fn run(
    module: &Module,
    requests: &[Request],
    residues: &[Residue],
    keep_events: bool,
) -> Result<Vec<u8>, LinkError> {
    let layout = Layout::new(module, requests, residues, keep_events)?;
    let bodies = residues.iter().map(|residue| layout.relocate(residue)).collect();
    copy::run(module, &layout, bodies)
}

/// Where everything is in the linked module.
struct Layout {
    /// By function of the generic module: its new index, or the annotation it was.
    functions: Vec<Place>,
    /// First table index of the residual functions.
    table_base: u32,
    /// New function index and type of each residual function, in order.
    residual: Vec<(u32, Sig)>,
    /// New contents of the words at these addresses.
    slots: HashMap<u32, u32>,
    /// Function to call for a call through the slot at an address.
    slot_functions: HashMap<u32, u32>,
}

#[derive(Clone, Copy)]
enum Place {
    Function(u32),
    Annotation(Intrinsic),
}

impl Layout {
    fn new(
        module: &Module,
        requests: &[Request],
        residues: &[Residue],
        keep_events: bool,
    ) -> Result<Self, LinkError> {
        let functions = places(module, keep_events)?;
        let kept = functions.iter().filter(|place| matches!(place, Place::Function(_))).count() as u32;
        let table_base = module.table_size;
        let mut layout = Self {
            functions,
            table_base,
            residual: Vec::new(),
            slots: HashMap::new(),
            slot_functions: HashMap::new(),
        };
        for request in requests {
            layout.slot_functions.insert(request.slot, layout.function(request.generic)?);
        }
        for (index, residue) in (0u32..).zip(residues) {
            layout.residual.push((kept + index, residue.request.sig));
            layout.slots.insert(residue.request.slot, table_base + index);
            layout.slot_functions.insert(residue.request.slot, kept + index);
        }
        Ok(layout)
    }

    fn function(&self, func: Func) -> Result<u32, LinkError> {
        match self.functions[func.index()] {
            Place::Function(index) => Ok(index),
            Place::Annotation(_) => Err(LinkError::AnnotationAsValue(func)),
        }
    }

    /// The body with its relocations applied.
    fn relocate(&self, residue: &Residue) -> Vec<u8> {
        let mut body = residue.lowered.body.clone();
        for relocation in &residue.lowered.relocations {
            let value = match relocation.kind {
                RelocationKind::SymbolAddress(symbol) => residue.request.address(symbol) as i32 as i64,
                RelocationKind::CallSlot(symbol) => {
                    i64::from(self.slot_functions[&residue.request.address(symbol)])
                }
                RelocationKind::CallFunction(func) => {
                    i64::from(self.function(func).expect("residual code calls no annotations"))
                }
            };
            write_leb(&mut body[relocation.offset as usize..][..5], value);
        }
        body
    }
}

/// Writes a LEB128 of exactly five bytes: unsigned and signed agree where the value is given as it is
/// meant (indices are below 2^31; addresses are sign-extended).
fn write_leb(place: &mut [u8], value: i64) {
    for (index, byte) in place.iter_mut().enumerate() {
        let more = if index < 4 { 0x80 } else { 0 };
        *byte = ((value >> (7 * index)) & 0x7f) as u8 | more;
    }
}

fn places(module: &Module, keep_events: bool) -> Result<Vec<Place>, LinkError> {
    let mut next = 0;
    let mut place = |import: Option<&crate::module::Import>| {
        if let Some(import) = import.filter(|import| import.module == ANNOTATIONS) {
            let intrinsic = Intrinsic::named(import.name);
            let intrinsic = intrinsic.ok_or_else(|| LinkError::UnknownAnnotation(import.name.to_owned()))?;
            if !(keep_events && intrinsic == Intrinsic::LockstepEvent) {
                return Ok(Place::Annotation(intrinsic));
            }
        }
        next += 1;
        Ok(Place::Function(next - 1))
    };
    (0..module.functions.len() as u32).map(|func| place(module.import(Func(func)))).collect()
}
