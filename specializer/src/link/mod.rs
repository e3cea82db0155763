//! Joins residual functions to the snapshot they were made from.
//!
//! The module is copied section by section; in it
//! * each call of an annotation becomes the plain operation it stands for, and its import goes;
//! * residual functions are appended, with a table entry each;
//! * request slots (words of memory) get those table indices, and the list of requests is blanked;
//! * relocations in residual bodies become function indices and addresses.
//!
//! Types, globals, tables and memories keep their indices; functions move down by the imports that go.
//! Leaves out: dropping functions that are no longer reachable.

mod copy;
mod data;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

pub use annotations::MODULE as ANNOTATIONS;

use crate::ir::{Func, Sig};
use crate::lower::{Lowered, RelocationKind};
use crate::module::{Import, Module};
use crate::op::{self, Intrinsic};
use crate::request::{Request, Requests};

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
    #[error("the module has no table to hold residual functions")]
    NoTable,
}

/// Links. With `keep_events`, lockstep events stay calls of their import.
pub fn run(
    module: &Module,
    requests: &Requests,
    residues: &[Residue],
    keep_events: bool,
) -> Result<Vec<u8>, LinkError> {
    let layout = Layout::new(module, requests, residues, keep_events)?;
    let bodies = residues
        .iter()
        .map(|residue| layout.relocate(residue))
        .collect::<Result<_, _>>()?;
    copy::run(module, &layout, bodies)
}

/// Where everything is in the linked module.
struct Layout {
    /// By function of the generic module: its new index, or the annotation it was.
    functions: Vec<Place>,
    /// New indices of the annotations that stay imports.
    kept: HashMap<Intrinsic, u32>,
    /// First table index of the residual functions.
    table_base: u32,
    /// New function index and type of each residual function, in order.
    residual: Vec<(u32, Sig)>,
    /// New contents of the words at these addresses.
    slots: BTreeMap<u32, u32>,
    /// Memory that nothing reads any more.
    blank: Range<u32>,
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
        requests: &Requests,
        residues: &[Residue],
        keep_events: bool,
    ) -> Result<Self, LinkError> {
        let functions = places(module, keep_events)?;
        let count = functions
            .iter()
            .filter(|place| matches!(place, Place::Function(_)))
            .count() as u32;
        let table_base = module.table_size;
        let mut kept = HashMap::new();
        for (import, place) in module.imports.iter().zip(&functions) {
            if let (Place::Function(index), Some(intrinsic)) = (place, annotation(import)) {
                kept.insert(intrinsic, *index);
            }
        }
        let mut layout = Self {
            functions,
            kept,
            table_base,
            residual: Vec::new(),
            slots: BTreeMap::new(),
            blank: requests.list.clone(),
            slot_functions: HashMap::new(),
        };
        for request in &requests.requests {
            layout
                .slot_functions
                .insert(request.slot, layout.function(request.generic)?);
        }
        for (index, residue) in (0u32..).zip(residues) {
            layout.residual.push((count + index, residue.request.sig));
            layout
                .slots
                .insert(residue.request.slot, table_base + index);
            layout
                .slot_functions
                .insert(residue.request.slot, count + index);
        }
        Ok(layout)
    }

    fn function(&self, func: Func) -> Result<u32, LinkError> {
        match self.functions.get(func.index()) {
            Some(Place::Function(index)) => Ok(*index),
            Some(Place::Annotation(_)) => Err(LinkError::AnnotationAsValue(func)),
            None => Err(LinkError::Copy(format!("{func} does not exist"))),
        }
    }

    /// The body with its relocations applied. A stored body was checked, an evaluated one knows what exists.
    fn relocate(&self, residue: &Residue) -> Result<Vec<u8>, LinkError> {
        let Residue { request, lowered } = residue;
        lowered.relocated(|kind| match kind {
            RelocationKind::SymbolAddress(symbol) => Ok(request.address(symbol)),
            RelocationKind::CallSlot(symbol) => Ok(self.slot_functions[&request.address(symbol)]),
            RelocationKind::CallFunction(func) => self.function(func),
            RelocationKind::CallIntrinsic(intrinsic) => Ok(self.kept[&intrinsic]),
        })
    }
}

/// The annotation that an import is, if this version knows it.
pub fn annotation(import: &Import) -> Option<Intrinsic> {
    (import.module == ANNOTATIONS)
        .then(|| Intrinsic::named(import.name))
        .flatten()
}

fn is_well_typed(module: &Module, func: Func, intrinsic: Intrinsic) -> bool {
    let signature = module.signature(func);
    signature.is_some_and(|signature| op::intrinsic::agrees(intrinsic, signature))
}

fn places(module: &Module, keep_events: bool) -> Result<Vec<Place>, LinkError> {
    let mut next = 0;
    let mut places = Vec::with_capacity(module.functions.len());
    for func in 0..module.functions.len() as u32 {
        let place = match module.import(Func(func)) {
            Some(import) if import.module == ANNOTATIONS => match annotation(import) {
                Some(Intrinsic::LockstepEvent) if keep_events => None,
                Some(intrinsic) if is_well_typed(module, Func(func), intrinsic) => Some(intrinsic),
                Some(_) | None => return Err(LinkError::UnknownAnnotation(import.name.to_owned())),
            },
            Some(_) | None => None,
        };
        places.push(match place {
            Some(intrinsic) => Place::Annotation(intrinsic),
            None => {
                next += 1;
                Place::Function(next - 1)
            }
        });
    }
    Ok(places)
}
