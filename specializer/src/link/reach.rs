//! What of the snapshot a linked module can reach: functions, entries of the table, data.
//!
//! Exports, the start function and residual functions are reached, and what code that is reached
//! calls or refers to ([`crate::module::references`]). So is what memory that is reached refers to:
//! each of its words may be the table index of a function or the address of an object. That is all
//! of memory but for the module's objects, as the program's data may be anywhere.
//!
//! Invariant: what is not reached is neither called nor read. Residual code names no data and no
//! entry that neither its generic function nor its request does: its constants are the function's,
//! the request's, which the linked module does not have, or come from memory to which these lead.
//! So what such a function and its request name is reached, whether or not the function is.
//! Residual code may call what only the compiled ways of that function do. Where the host can
//! change table or memory before the module starts, all of them is reached.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use wasmparser::{ExternalKind, Operator, Parser, Payload};

use super::data::Memory;
use super::plain::Plain;
use super::{LinkError, Residue, elements};
use crate::index::Map;
use crate::ir::Func;
use crate::lower::Lowered;
use crate::module::Module;
use crate::module::references::References;
use crate::request::{Param, Request};

/// What is needed of a module.
pub struct Reached {
    pub functions: Map<Func, bool>,
    /// By index in table 0.
    pub elements: Vec<bool>,
    /// Objects that nothing refers to.
    pub idle: Vec<Range<u32>>,
    /// Of functions that are reached: simplified bodies.
    pub plain: HashMap<Func, Lowered>,
    /// Functions of which code that is reached takes a reference.
    pub taken: BTreeSet<Func>,
    /// Whether instructions that are reached name data that is placed in memory 0 when the module
    /// starts, of which nothing is left for them.
    pub names_placed_data: bool,
}

impl Reached {
    /// All of the module.
    pub fn all(module: &Module, mut plain: Plain) -> Result<Self, LinkError> {
        let mut named = Named::default();
        for func in module.functions.keys() {
            named.callees.clear();
            named.read(module, func)?;
            plain.simplify(func, &named.callees);
        }
        Ok(Self {
            functions: Map::filled_like(&module.functions, true),
            elements: vec![true; module.table.len()],
            idle: Vec::new(),
            plain: plain.into_bodies(),
            taken: named.taken,
            names_placed_data: named.placed_data,
        })
    }

    /// What can be reached once `residues` are in the module and memory is `memory`. `cells` has,
    /// by address, the word from which residual code loads it; `is_kept` says which exports the
    /// linked module has.
    pub fn find(
        module: &Module,
        memory: &Memory,
        residues: &[Residue],
        cells: &HashMap<u32, u32>,
        plain: Plain,
        is_kept: impl Fn(&str) -> bool,
    ) -> Result<Self, LinkError> {
        let none = References::default();
        let is_known = module.hides_table() && module.owns_memory && !module.has_other_data;
        let references = module.references.as_ref().filter(|_| is_known);
        let mut search = Search {
            module,
            memory: &memory.image,
            references: references.unwrap_or(&none),
            functions: Map::filled_like(&module.functions, false),
            elements: vec![false; module.table.len()],
            objects: vec![false; references.map_or(0, |all| all.ranges().len())],
            work: Vec::new(),
            plain,
            named: Named::default(),
        };
        if references.is_none() {
            (0..module.table.len() as u32).for_each(|index| search.element(index));
        }
        search.roots(residues, cells, is_kept)?;
        while let Some(function) = search.work.pop() {
            search.body(function)?;
        }
        let objects = search.references.ranges().zip(&search.objects);
        let idle = objects.filter_map(|(object, is_reached)| (!is_reached).then_some(object));
        Ok(Self {
            idle: idle.collect(),
            functions: search.functions,
            elements: search.elements,
            plain: search.plain.into_bodies(),
            taken: search.named.taken,
            names_placed_data: search.named.placed_data,
        })
    }
}

struct Search<'a> {
    module: &'a Module<'a>,
    memory: &'a [u8],
    references: &'a References,
    functions: Map<Func, bool>,
    elements: Vec<bool>,
    objects: Vec<bool>,
    /// Functions that are reached and were not looked at.
    work: Vec<Func>,
    plain: Plain<'a>,
    named: Named,
}

impl Search<'_> {
    fn roots(
        &mut self,
        residues: &[Residue],
        cells: &HashMap<u32, u32>,
        is_kept: impl Fn(&str) -> bool,
    ) -> wasmparser::Result<()> {
        for (name, &(kind, index)) in &self.module.exports {
            match kind {
                ExternalKind::Func if is_kept(name) => self.function(Func(index)),
                // What the host knows the address of, it may read.
                ExternalKind::Global => {
                    if let Some(address) = self.module.exported_address(name) {
                        self.object_at(address);
                    }
                }
                _ => {}
            }
        }
        for residue in residues {
            for func in residue.lowered.callees() {
                self.function(func);
            }
            self.named_by_request(residue.request, cells);
        }
        let specialized: BTreeSet<_> = residues.iter().map(|one| one.request.function).collect();
        specialized.into_iter().for_each(|func| self.named_by(func));
        for payload in Parser::new(0).parse_all(self.module.bytes) {
            self.section(payload?)?;
        }
        self.memory_but_for_objects();
        Ok(())
    }

    /// What sections name that are copied as they are.
    fn section(&mut self, payload: Payload) -> wasmparser::Result<()> {
        match payload {
            Payload::StartSection { func, .. } => self.function(Func(func)),
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.expression(&global?.init_expr)?;
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    if let wasmparser::TableInit::Expr(init) = table?.init {
                        self.expression(&init)?;
                    }
                }
            }
            Payload::ElementSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if self.module.fills_table(&segment) {
                        continue;
                    }
                    let functions = elements::functions(&segment)?;
                    functions.into_iter().for_each(|func| self.function(func));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn expression(&mut self, expression: &wasmparser::ConstExpr) -> wasmparser::Result<()> {
        for operator in expression.get_operators_reader() {
            if let Operator::RefFunc { function_index } = operator? {
                self.function(Func(function_index));
            }
        }
        Ok(())
    }

    fn function(&mut self, func: Func) {
        if let Some(is_reached) = self.functions.get_mut(func)
            && !std::mem::replace(is_reached, true)
        {
            self.work.push(func);
        }
    }

    /// What a function that is reached names.
    fn body(&mut self, func: Func) -> wasmparser::Result<()> {
        self.named_by(func);
        self.named.read(self.module, func)?;
        let mut callees = std::mem::take(&mut self.named.callees);
        if let Some(lowered) = self.plain.simplify(func, &callees) {
            callees = lowered.callees().collect();
        }
        callees.into_iter().for_each(|func| self.function(func));
        Ok(())
    }

    /// The entries and the data that a function names.
    fn named_by(&mut self, func: Func) {
        let references = self.references;
        if let Some(named) = references.of(func) {
            named.elements.iter().for_each(|&index| self.element(index));
            named.objects.iter().for_each(|&number| self.object(number));
        }
    }

    /// What a request says of its parameters: addresses, and numbers that may be one or an index.
    fn named_by_request(&mut self, request: &Request, cells: &HashMap<u32, u32>) {
        for address in request.bases.values() {
            self.object_at(*address);
            if let Some(&cell) = cells.get(address) {
                self.object_at(cell);
            }
        }
        for param in &request.params {
            if let Param::Const(number) = param {
                self.word(number.bits() as u32);
            }
        }
    }

    /// What may be an index of the table, or an address.
    fn word(&mut self, word: u32) {
        self.element(word);
        self.object_at(word);
    }

    /// The table has this index, or no function under it.
    fn element(&mut self, index: u32) {
        let Some(Some(func)) = self.module.table.get(index as usize) else {
            return;
        };
        if !std::mem::replace(&mut self.elements[index as usize], true) {
            self.function(*func);
        }
    }

    fn object_at(&mut self, address: u32) {
        if let Some(number) = self.references.object_at(address) {
            self.object(number);
        }
    }

    /// Marks an object, and all that it leads to.
    fn object(&mut self, number: u32) {
        let mut reached = vec![number];
        while let Some(number) = reached.pop() {
            if std::mem::replace(&mut self.objects[number as usize], true) {
                continue;
            }
            let object = self.references.object(number);
            self.words(object, &mut reached);
        }
    }

    fn memory_but_for_objects(&mut self) {
        let mut reached = Vec::new();
        let mut end = 0;
        let references = self.references;
        for object in references.ranges() {
            self.words(end..object.start, &mut reached);
            end = object.end;
        }
        self.words(end..self.memory.len() as u32, &mut reached);
        reached.into_iter().for_each(|number| self.object(number));
    }

    /// Marks what the words that lie wholly in this range refer to; adds objects to `reached`.
    fn words(&mut self, range: Range<u32>, reached: &mut Vec<u32>) {
        let end = (range.end as usize).min(self.memory.len());
        let start = (range.start as usize).next_multiple_of(4).min(end);
        for word in self.memory[start..end].chunks_exact(4) {
            let word = u32::from_le_bytes(word.try_into().expect("of this size"));
            if word != 0 {
                self.element(word);
                reached.extend(self.references.object_at(word));
            }
        }
    }
}

/// What bodies name.
#[derive(Default)]
struct Named {
    /// Functions, as often as they are named.
    callees: Vec<Func>,
    /// See [`Reached`].
    taken: BTreeSet<Func>,
    placed_data: bool,
}

impl Named {
    /// Adds what the body of a function names.
    fn read(&mut self, module: &Module, func: Func) -> wasmparser::Result<()> {
        let Some(body) = module.body(func) else {
            return Ok(());
        };
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            match operators.read()? {
                Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                    self.callees.push(Func(function_index));
                }
                Operator::RefFunc { function_index } => {
                    self.callees.push(Func(function_index));
                    self.taken.insert(Func(function_index));
                }
                Operator::MemoryInit { data_index, .. }
                | Operator::DataDrop { data_index }
                | Operator::ArrayNewData {
                    array_data_index: data_index,
                    ..
                }
                | Operator::ArrayInitData {
                    array_data_index: data_index,
                    ..
                } => {
                    let others = &module.other_segments;
                    self.placed_data |= others.binary_search(&data_index).is_err();
                }
                _ => {}
            }
        }
        Ok(())
    }
}
