//! Joins residual functions to the snapshot they were made from.
//!
//! The module is copied section by section; in it
//! * each call of an intrinsic becomes the plain operation it stands for, and its import goes; what
//!   that leaves is simplified ([`plain`]);
//! * residual functions are appended, with a table entry each, those of a type side by side;
//! * versions of them for what a call gives are appended as well, for calls by name only;
//! * request slots (words of memory) get those table indices, and the table of requests is blanked,
//!   with all that it leads to;
//! * relocations in residual bodies become function indices and addresses;
//! * dispatchers call residual functions by name ([`dispatch`]);
//! * functions of an import module that the result is to do without become functions that answer a
//!   constant, after all others, and so do those by which a program has several stacks, unless it
//!   may and makes one ([`stacks`]);
//! * residual functions count their activations, if that is asked for ([`counters`]);
//! * what engines have no registers for is passed in others ([`passing`]);
//! * the name section is made anew ([`names`]), and other custom sections that would be wrong go
//!   ([`custom`]).
//!
//! * what the result cannot reach is left out: functions, entries of the table, data ([`reach`]).
//!
//! Types, tables and memories keep their indices, as do the globals and element segments that are
//! there, and functions in the table; functions move down by those that go.

mod copy;
pub mod counters;
mod custom;
mod data;
mod dispatch;
mod elements;
mod names;
mod passing;
mod plain;
mod reach;
mod stacks;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use annotations::{NO_STACKS, StackFunction};
use rayon::prelude::*;

use self::counters::Counters;
use self::data::Memory;
pub use self::dispatch::Case;
use self::dispatch::Cases;
use self::names::Names;
use self::passing::Passing;
use self::plain::Plain;
use self::reach::Reached;
use self::stacks::Stacks;
use crate::index::Map;
use crate::ir::{Func, Numbers, Sig, Type};
use crate::lower::{LinkedAs, Lowered, RelocationKind};
use crate::module::{Import, Module};
use crate::op::{self, Intrinsic};
use crate::request::{Request, Requests, Version};

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
pub struct Choices<'a> {
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
    /// Imports that cannot be reached stay.
    pub keeps_imports: bool,
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

/// Where everything is in the linked module.
pub struct Layout {
    /// By function of the generic module: its new index, or the intrinsic it was.
    functions: Map<Func, Place>,
    /// New indices of the intrinsics that stay imports.
    kept: HashMap<Intrinsic, u32>,
    /// New function index and type of each residual function, in order.
    residual: Vec<(u32, Sig)>,
    /// The same as the table has them, from the index [`Layout::table_base`] on: by type.
    table: Vec<(u32, Sig)>,
    table_base: u32,
    /// Functions whose calls are switches, and the cases of these.
    dispatchers: HashSet<Func>,
    cases: HashMap<Sig, Cases>,
    /// By index in the snapshot's table: whether the linked module has it.
    elements: Vec<bool>,
    memory: Memory,
    /// Address to the word from which residual code loads it.
    cells: HashMap<u32, u32>,
    /// Function to call for a call through the slot at an address.
    slot_functions: HashMap<u32, u32>,
    /// The same where the call gives something that the function has a version for.
    versions: HashMap<Version, u32>,
    /// Functions in the place of absent imports, and the new index of the first.
    stubs: Vec<Stub>,
    stub_base: u32,
    /// What its stacks are made of, if it has several.
    stacks: Option<Stacks>,
    /// The linked module is still to be initialised.
    to_initialise: bool,
    /// Functions have no names.
    strip: bool,
    /// The counter of each residual function; none where nothing is counted.
    counters: Counters,
    passing: Passing,
    /// Bodies of generic functions that are not copied.
    plain: HashMap<Func, Lowered>,
}

/// A function in the place of an import.
#[derive(Clone, Copy)]
struct Stub {
    sig: Sig,
    body: StubBody,
}

#[derive(Clone, Copy)]
enum StubBody {
    /// It only answers.
    Answers(Type, i64),
    /// It has to do with stacks.
    OfStacks(StackFunction),
}

#[derive(Clone, Copy)]
enum Place {
    Function(u32),
    Intrinsic(Intrinsic),
    /// Nothing calls it.
    Dropped,
    /// A function in the place of an import: its number among the stubs.
    Stub(u32),
}

impl Choices<'_> {
    fn leaves_out(&self, import: &Import) -> bool {
        import.module == annotations::STACKS_MODULE
            || self
                .absent
                .is_some_and(|absent| absent.module == import.module)
    }
}

impl Layout {
    pub fn new(
        module: &Module,
        requests: &Requests,
        residues: &[Residue],
        choices: Choices,
    ) -> Result<Self, LinkError> {
        let table_base = module.table_size;
        let mut slots: Vec<_> = (residues.iter().enumerate())
            .filter(|(_, residue)| residue.request.version().is_of_slot())
            .collect();
        slots.sort_by_key(|(_, residue)| residue.request.sig);
        let filled = slots.iter().zip(table_base..);
        let filled = filled.map(|((_, residue), index)| {
            let index = index.to_le_bytes();
            (residue.request.slot, index.to_vec())
        });
        let mut memory = Memory::new(module, filled.chain(requests.writes.iter().cloned()));
        memory.blank(&requests.lists);
        // Switches are over indices of 32 bits.
        let has_narrow_table = module.wide_tables.first() != Some(&true);
        let dispatchers = match choices.dispatch && has_narrow_table {
            true => dispatch::dispatchers(module).collect(),
            false => HashSet::new(),
        };
        let plain = Plain::new(module, choices.kept, &dispatchers, choices.plain_code);
        let reached = match choices.keeps_unreached {
            false => Reached::find(module, &memory, residues, plain, |name| {
                copy::keeps(module, choices.to_initialise, name)
            })?,
            true => Reached::all(module, plain)?,
        };
        memory.blank(&reached.idle);
        let functions = places(module, &reached, choices)?;
        let count = functions
            .values()
            .filter(|place| matches!(place, Place::Function(_)))
            .count() as u32;
        let mut kept = HashMap::new();
        for (import, place) in module.imports.iter().zip(functions.values()) {
            if let (Place::Function(index), Some(intrinsic)) = (place, intrinsic(import)) {
                kept.insert(intrinsic, *index);
            }
        }
        let stubs = stubs(module, &reached, choices)?;
        let stub_base = count + residues.len() as u32;
        let counters = match choices.counts {
            true => Counters::new(module, requests, residues),
            false => Counters::default(),
        };
        let makes_stacks = |stub: &Stub| {
            choices.stacks && matches!(stub.body, StubBody::OfStacks(StackFunction::New))
        };
        let stacks = match stubs.iter().any(makes_stacks) {
            true => {
                let globals = module.globals.len() as u32 + counters.count();
                Stacks::find(module, globals, stub_base + stubs.len() as u32)?
            }
            false => None,
        };
        let types = stacks.as_ref().map_or(0, |_| Stacks::TYPES) + module.types.len() as u32;
        let linked = module.functions.values().zip(functions.values());
        let linked = linked.filter(|(_, place)| matches!(place, Place::Function(_)));
        let residual = residues.iter().map(|residue| residue.request.sig);
        let sigs = linked.map(|(&sig, _)| sig).chain(residual);
        let sigs = sigs.chain(stubs.iter().map(|stub| stub.sig)).collect();
        let passing = Passing::new(module, sigs, types, choices.float_registers);
        let mut layout = Self {
            functions,
            kept,
            residual: Vec::new(),
            table: Vec::new(),
            table_base,
            dispatchers,
            cases: HashMap::new(),
            elements: reached.elements,
            memory,
            cells: requests.cells.clone(),
            slot_functions: HashMap::new(),
            versions: HashMap::new(),
            stubs,
            stub_base,
            stacks,
            to_initialise: choices.to_initialise,
            strip: choices.strip,
            counters,
            passing,
            plain: reached.plain,
        };
        for request in &requests.requests {
            // Nothing calls a generic function that was left out: the request has an answer.
            if !matches!(layout.functions.get(request.generic), Some(Place::Dropped)) {
                let generic = layout.function(request.generic)?;
                layout.slot_functions.insert(request.slot, generic);
            }
        }
        for (index, residue) in (0u32..).zip(residues) {
            let (request, function) = (residue.request, count + index);
            layout.residual.push((function, request.sig));
            let version = request.version();
            match version.is_of_slot() {
                true => layout.slot_functions.insert(request.slot, function),
                false => layout.versions.insert(version, function),
            };
        }
        let table = slots.iter().map(|(index, _)| layout.residual[*index]);
        layout.table = table.collect();
        if choices.dispatch {
            let generic = (0..)
                .zip(layout.table_of(module))
                .filter_map(|(index, func)| {
                    let func = func?;
                    Some((index, layout.function(func).ok()?, module.functions[func]))
                });
            let residual = (table_base..).zip(&layout.table);
            let residual = residual.map(|(index, &(function, sig))| (index, function, sig));
            layout.cases = dispatch::cases(module, generic.chain(residual));
        }
        Ok(layout)
    }

    /// What dispatchers do where they find the function in a request's slot; what else they may do
    /// with a call of its type, but call the generic function, which does the same.
    pub fn case_of(&mut self, request: &Request) -> Option<(&mut Case, Vec<Case>)> {
        let function = *self.slot_functions.get(&request.slot)?;
        let generic = self.function(request.generic).ok().map(Case::Calls);
        let (case, mut others) = self.cases.get_mut(&request.sig)?.of(function)?;
        others.retain(|other| Some(*other) != generic);
        Some((case, others))
    }

    /// The snapshot's table, as far as the linked module has it.
    fn table_of(&self, module: &Module) -> impl Iterator<Item = Option<Func>> {
        let elements = module.table.iter().zip(&self.elements);
        elements.map(|(&func, is_there)| func.filter(|_| *is_there))
    }

    /// The code of a function in the place of an import.
    fn code_of(&self, stub: &Stub) -> wasm_encoder::Function {
        match (stub.body, &self.stacks) {
            (StubBody::Answers(result, answer), _) => copy::answering(result, answer),
            (StubBody::OfStacks(function), Some(stacks)) => stacks.code(function),
            (StubBody::OfStacks(_), None) => copy::answering(Type::I32, NO_STACKS.into()),
        }
    }

    fn function(&self, func: Func) -> Result<u32, LinkError> {
        match self.functions.get(func) {
            Some(Place::Function(index)) => Ok(*index),
            Some(Place::Stub(number)) => Ok(self.stub_base + number),
            Some(Place::Intrinsic(_)) => Err(LinkError::IntrinsicAsValue(func)),
            Some(Place::Dropped) => Err(LinkError::Copy(format!("{func} was left out"))),
            None => Err(LinkError::Copy(format!("{func} does not exist"))),
        }
    }

    /// The body of a generic function with its relocations applied.
    fn relocate_plain(&self, lowered: &Lowered) -> Result<Vec<u8>, LinkError> {
        lowered.linked(|kind| Ok(LinkedAs::Value(self.imported_or_generic(kind)?)))
    }

    /// The index of the import or the generic function that a relocation names.
    fn imported_or_generic(&self, kind: RelocationKind) -> Result<u32, LinkError> {
        match kind {
            RelocationKind::CallFunction(func) => self.function(func),
            RelocationKind::CallIntrinsic(intrinsic) => Ok(self.kept[&intrinsic]),
            RelocationKind::SymbolAddress(_) | RelocationKind::CallSlot { .. } => {
                unreachable!("only residual code has these, and it has a request")
            }
        }
    }

    /// The body with its relocations applied. What they name exists: a stored body was checked, and
    /// evaluation names nothing else.
    fn relocate(&self, residue: &Residue) -> Result<Vec<u8>, LinkError> {
        let Residue { request, lowered } = residue;
        lowered.linked(|kind| {
            let value = match kind {
                RelocationKind::SymbolAddress(symbol) => {
                    if let Some(&cell) = self.cells.get(&request.bases[symbol.base]) {
                        let offset = symbol.offset;
                        return Ok(LinkedAs::Loaded { cell, offset });
                    }
                    request.address(symbol)
                }
                RelocationKind::CallSlot {
                    slot,
                    given,
                    numbers,
                } => {
                    let version = request.version_of(slot, given, numbers);
                    let mut others = version.itself_and_others();
                    let found = others.find_map(|version| self.versions.get(&version));
                    *found.unwrap_or_else(|| {
                        assert!(numbers == Numbers::Boxed, "{version:?} takes bits");
                        &self.slot_functions[&version.slot]
                    })
                }
                RelocationKind::CallFunction(_) | RelocationKind::CallIntrinsic(_) => {
                    self.imported_or_generic(kind)?
                }
            };
            Ok(LinkedAs::Value(value))
        })
    }
}

/// The intrinsic that an import is, if this version knows it.
pub fn intrinsic(import: &Import) -> Option<Intrinsic> {
    Intrinsic::imported(import.module, import.name)
}

fn is_well_typed(module: &Module, func: Func, intrinsic: Intrinsic) -> bool {
    let signature = module.signature(func);
    signature.is_some_and(|signature| op::intrinsic::agrees(intrinsic, signature))
}

fn places(
    module: &Module,
    reached: &Reached,
    choices: Choices,
) -> Result<Map<Func, Place>, LinkError> {
    let (mut next, mut next_stub) = (0, 0);
    let mut places = Map::default();
    for func in module.functions.keys() {
        let import = module.import(func);
        let place = match import {
            Some(import) if annotations::has_intrinsics(import.module) => match intrinsic(import) {
                Some(intrinsic) if choices.kept.contains(&intrinsic) => None,
                Some(intrinsic) if is_well_typed(module, func, intrinsic) => {
                    Some(Place::Intrinsic(intrinsic))
                }
                Some(_) | None => {
                    return Err(LinkError::UnknownIntrinsic {
                        module: import.module.to_owned(),
                        name: import.name.to_owned(),
                    });
                }
            },
            Some(import) if choices.leaves_out(import) && reached.functions[func] => {
                next_stub += 1;
                Some(Place::Stub(next_stub - 1))
            }
            Some(import) if choices.keeps_imports && !choices.leaves_out(import) => None,
            Some(_) | None => (!reached.functions[func]).then_some(Place::Dropped),
        };
        places.push(place.unwrap_or_else(|| {
            next += 1;
            Place::Function(next - 1)
        }));
    }
    Ok(places)
}

/// A stub for each function import that is left out though it is called, in order.
fn stubs(module: &Module, reached: &Reached, choices: Choices) -> Result<Vec<Stub>, LinkError> {
    let mut stubs = Vec::new();
    for (func, import) in (0..).map(Func).zip(&module.imports) {
        let is_needed = choices.leaves_out(import) && reached.functions[func];
        if !is_needed {
            continue;
        }
        let sig = module.functions[func];
        if let Some(function) = stacks::function(module, func, import)? {
            let body = StubBody::OfStacks(function);
            stubs.push(Stub { sig, body });
            continue;
        }
        let Some(absent) = choices.absent else {
            continue;
        };
        let results = module.signature(func).map(|sig| &sig.results[..]);
        let Some(&[result @ (Type::I32 | Type::I64)]) = results else {
            return Err(LinkError::NoAnswer {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
            });
        };
        let body = StubBody::Answers(result, absent.answer);
        stubs.push(Stub { sig, body });
    }
    Ok(stubs)
}
