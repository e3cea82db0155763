//! Where everything is in the linked module.
//!
//! Each index space begins with what the snapshot has and the linked module keeps, in its order:
//! * functions: residual ones follow, then stubs, then the one that new stacks begin in;
//! * entries of the table: residual functions that slots lead to follow, those of a type side by
//!   side;
//! * globals: counters follow, then that of stacks;
//! * types: those of stacks follow, then those with which functions are passed other registers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::counters::Counters;
use super::data::Memory;
use super::dispatch::{self, Case, Cases};
use super::passing::Passing;
use super::plain::Plain;
use super::reach::Reached;
use super::stacks::Stacks;
use super::stubs::{self, Stub};
use super::{LinkError, Options, Residue, copy, intrinsic};
use crate::index::Map;
use crate::ir::{Func, Numbers, Sig};
use crate::lower::{Indices, LinkedAs, Lowered, RelocationKind};
use crate::module::Module;
use crate::op::{self, Intrinsic};
use crate::request::{Request, Requests, Version};

/// Where everything is in the linked module.
pub struct Layout {
    pub(super) functions: Map<Func, Fate>,
    /// New indices of the intrinsics that stay imports.
    kept: HashMap<Intrinsic, u32>,
    /// New function index and type of each residual function, in order.
    pub(super) residual: Vec<(u32, Sig)>,
    /// The same as the table has them, from the index [`Layout::table_base`] on: by type.
    pub(super) table: Vec<(u32, Sig)>,
    pub(super) table_base: u32,
    /// Functions whose calls are switches, and the cases of these.
    pub(super) dispatchers: HashSet<Func>,
    pub(super) cases: HashMap<Sig, Cases>,
    /// By index in the snapshot's table: whether the linked module has it.
    elements: Vec<bool>,
    /// Functions of which code takes a reference.
    pub(super) taken: BTreeSet<Func>,
    pub(super) memory: Memory,
    /// Whether instructions name data that is placed when the module starts.
    pub(super) names_placed_data: bool,
    /// Address to the word from which residual code loads it.
    cells: HashMap<u32, u32>,
    /// Function to call for a call through the slot at an address.
    slot_functions: HashMap<u32, u32>,
    /// The same where the call gives something that the function has a version for.
    versions: HashMap<Version, u32>,
    /// Functions in the place of absent imports, and the new index of the first.
    pub(super) stubs: BTreeMap<Func, Stub>,
    pub(super) stub_base: u32,
    /// What its stacks are made of, if it has several.
    pub(super) stacks: Option<Stacks>,
    /// The linked module is still to be initialised.
    pub(super) to_initialise: bool,
    /// Functions have no names.
    pub(super) strip: bool,
    pub(super) indices: Indices,
    /// The counter of each residual function; none where nothing is counted.
    pub(super) counters: Counters,
    pub(super) passing: Passing,
    /// Bodies of generic functions that are not copied.
    pub(super) plain: HashMap<Func, Lowered>,
}

/// What becomes of a function of the generic module.
#[derive(Clone, Copy)]
pub(super) enum Fate {
    /// It stays, under this index.
    Function(u32),
    /// Its calls are plain operations.
    Intrinsic(Intrinsic),
    /// Nothing calls it.
    Dropped,
    /// An import, in whose place is the stub of this number.
    Stub(u32),
}

impl Layout {
    pub fn new(
        module: &Module,
        requests: &Requests,
        residues: &[Residue],
        options: Options,
    ) -> Result<Self, LinkError> {
        let in_table = in_table(residues);
        let mut memory = memory(module, requests, residues, &in_table);
        // Switches are over indices of 32 bits.
        let has_narrow_table = module.wide_tables.first() != Some(&true);
        let dispatchers = match options.dispatch && has_narrow_table {
            true => dispatch::dispatchers(module).collect(),
            false => HashSet::new(),
        };
        let reached = reached(module, requests, residues, &memory, &dispatchers, options)?;
        memory.blank(&reached.idle);
        let stubs = stubs::all(module, &reached, options)?;
        let functions = fates(module, &reached, &stubs, options)?;
        let counters = match options.counts {
            true => Counters::new(module, requests, residues),
            false => Counters::default(),
        };

        let mut types = types_that_stay(module, &functions);
        let residual = (types.len() as u32..).zip(residues);
        let residual = residual.map(|(function, residue)| (function, residue.request.sig));
        let residual: Vec<_> = residual.collect();
        types.extend(residual.iter().map(|&(_, sig)| sig));
        let stub_base = types.len() as u32;
        types.extend(stubs.values().map(|stub| stub.sig));
        let stacks = match options.stacks && stubs.values().any(Stub::makes_stacks) {
            true => {
                let globals = module.globals.len() as u32 + counters.count();
                Stacks::find(module, globals, types.len() as u32)?
            }
            false => None,
        };
        let type_count = module.types.len() as u32 + stacks.map_or(0, |_| Stacks::TYPES);

        let mut layout = Self {
            kept: kept(module, &functions),
            functions,
            table: in_table.iter().map(|&number| residual[number]).collect(),
            table_base: module.table_size,
            residual,
            dispatchers,
            cases: HashMap::new(),
            elements: reached.elements,
            taken: reached.taken,
            memory,
            names_placed_data: reached.names_placed_data,
            cells: requests.cells.clone(),
            slot_functions: HashMap::new(),
            versions: HashMap::new(),
            stubs,
            stub_base,
            stacks,
            to_initialise: options.to_initialise,
            strip: options.strip,
            indices: match options.shares_code {
                true => Indices::Even,
                false => Indices::Short,
            },
            counters,
            passing: Passing::new(module, types, type_count, options.float_registers),
            plain: reached.plain,
        };
        layout.fill_slots(requests, residues)?;
        if options.dispatch {
            layout.cases = layout.cases(module);
        }
        Ok(layout)
    }

    /// Decides which function a call through a slot, or of a version, calls by name.
    fn fill_slots(&mut self, requests: &Requests, residues: &[Residue]) -> Result<(), LinkError> {
        for request in &requests.requests {
            // Nothing calls a generic function that was left out: the request has an answer.
            if !matches!(self.functions.get(request.generic), Some(Fate::Dropped)) {
                let generic = self.function(request.generic)?;
                self.slot_functions.insert(request.slot, generic);
            }
        }
        for (&(function, _), Residue { request, .. }) in self.residual.iter().zip(residues) {
            let version = request.version();
            match version.is_of_slot() {
                true => self.slot_functions.insert(request.slot, function),
                false => self.versions.insert(version, function),
            };
        }
        Ok(())
    }

    /// What the linked module's table has for dispatchers.
    fn cases(&self, module: &Module) -> HashMap<Sig, Cases> {
        let generic = (0..).zip(self.table_of(module));
        let generic = generic.filter_map(|(index, func)| {
            let func = func?;
            Some((index, self.function(func).ok()?, module.functions[func]))
        });
        let residual = (self.table_base..).zip(&self.table);
        let residual = residual.map(|(index, &(function, sig))| (index, function, sig));
        dispatch::cases(module, generic.chain(residual))
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
    pub(super) fn table_of(&self, module: &Module) -> impl Iterator<Item = Option<Func>> {
        let elements = module.table.iter().zip(&self.elements);
        elements.map(|(&func, is_there)| func.filter(|_| *is_there))
    }

    pub(super) fn function(&self, func: Func) -> Result<u32, LinkError> {
        match self.functions.get(func) {
            Some(Fate::Function(index)) => Ok(*index),
            Some(Fate::Stub(number)) => Ok(self.stub_base + number),
            Some(Fate::Intrinsic(_)) => Err(LinkError::IntrinsicAsValue(func)),
            Some(Fate::Dropped) => Err(LinkError::Copy(format!("{func} was left out"))),
            None => Err(LinkError::Copy(format!("{func} does not exist"))),
        }
    }

    /// The body of a generic function with its relocations applied.
    pub(super) fn relocate_plain(&self, lowered: &Lowered) -> Result<Vec<u8>, LinkError> {
        lowered.linked(self.indices, |kind| {
            Ok(LinkedAs::Value(self.imported_or_generic(kind)?))
        })
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
    pub(super) fn relocate(&self, residue: &Residue) -> Result<Vec<u8>, LinkError> {
        let Residue { request, lowered } = residue;
        lowered.linked(self.indices, |kind| {
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

/// The residual functions that the table holds, by number: those of a type side by side.
fn in_table(residues: &[Residue]) -> Vec<usize> {
    let is_of_slot = |number: &usize| residues[*number].request.version().is_of_slot();
    let mut in_table: Vec<usize> = (0..residues.len()).filter(is_of_slot).collect();
    in_table.sort_by_key(|&number| residues[number].request.sig);
    in_table
}

/// Memory with the slots filled, without the table of requests.
fn memory(
    module: &Module,
    requests: &Requests,
    residues: &[Residue],
    in_table: &[usize],
) -> Memory {
    let filled = in_table.iter().zip(module.table_size..);
    let filled = filled.map(|(&number, index)| {
        let index = index.to_le_bytes();
        (residues[number].request.slot, index.to_vec())
    });
    let mut memory = Memory::new(module, filled.chain(requests.writes.iter().cloned()));
    memory.blank(&requests.lists);
    memory
}

/// What the linked module needs of the snapshot.
fn reached(
    module: &Module,
    requests: &Requests,
    residues: &[Residue],
    memory: &Memory,
    dispatchers: &HashSet<Func>,
    options: Options,
) -> Result<Reached, LinkError> {
    let plain = Plain::new(module, options.kept, dispatchers, options.plain_code);
    match options.keeps_unreached {
        false => Reached::find(module, memory, residues, &requests.cells, plain, |name| {
            copy::keeps(module, options.to_initialise, name)
        }),
        true => Reached::all(module, plain),
    }
}

/// The types of the module's functions that stay functions.
fn types_that_stay(module: &Module, functions: &Map<Func, Fate>) -> Vec<Sig> {
    let all = module.functions.values().zip(functions.values());
    let staying = all.filter(|(_, fate)| matches!(fate, Fate::Function(_)));
    staying.map(|(&sig, _)| sig).collect()
}

/// New indices of the intrinsics that stay imports.
fn kept(module: &Module, functions: &Map<Func, Fate>) -> HashMap<Intrinsic, u32> {
    let imports = module.imports.iter().zip(functions.values());
    let kept = imports.filter_map(|(import, fate)| match fate {
        Fate::Function(index) => Some((intrinsic(import)?, *index)),
        Fate::Intrinsic(_) | Fate::Stub(_) | Fate::Dropped => None,
    });
    kept.collect()
}

/// What becomes of each function of the module.
fn fates(
    module: &Module,
    reached: &Reached,
    stubs: &BTreeMap<Func, Stub>,
    options: Options,
) -> Result<Map<Func, Fate>, LinkError> {
    let numbers: HashMap<Func, u32> = stubs.keys().copied().zip(0..).collect();
    let mut next = 0;
    let mut fates = Map::default();
    for func in module.functions.keys() {
        let import = module.import(func);
        let fate = match import {
            Some(import) if annotations::has_intrinsics(import.module) => match intrinsic(import) {
                Some(intrinsic) if options.kept.contains(&intrinsic) => None,
                Some(intrinsic) if is_well_typed(module, func, intrinsic) => {
                    Some(Fate::Intrinsic(intrinsic))
                }
                Some(_) | None => {
                    return Err(LinkError::UnknownIntrinsic {
                        module: import.module.to_owned(),
                        name: import.name.to_owned(),
                    });
                }
            },
            Some(_) if let Some(&number) = numbers.get(&func) => Some(Fate::Stub(number)),
            Some(import) if options.shares_code && !options.leaves_out(import) => None,
            Some(_) | None => (!reached.functions[func]).then_some(Fate::Dropped),
        };
        fates.push(fate.unwrap_or_else(|| {
            next += 1;
            Fate::Function(next - 1)
        }));
    }
    Ok(fates)
}

fn is_well_typed(module: &Module, func: Func, intrinsic: Intrinsic) -> bool {
    let signature = module.signature(func);
    signature.is_some_and(|signature| op::intrinsic::agrees(intrinsic, signature))
}
