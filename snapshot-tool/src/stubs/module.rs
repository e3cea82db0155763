//! The guest as stubs are joined to it, and the module that comes out.
//!
//! Sections are copied; what is added comes last in each, so that all indices and addresses of the
//! guest stay. Exports for stubs go.

use std::collections::{HashMap, HashSet};

use annotations::{InterfaceEffects, STUB_INTERFACE_EXPORT, STUB_RETURNED_ZERO};
use annotations::{STUBS_EXPORT, Stubs};
use anyhow::{Context, Result, ensure};
use specializer::module::references::{self, Named, References};
use wasm_encoder::{ConstExpr, Encode, RawSection};
use wasmparser::{
    ConstExpr as Expression, ElementItems, ExternalKind, FuncType, Operator, Parser, Payload,
    TypeRef, ValType,
};

use super::code::Function;

/// Bytes of a page of memory.
pub const PAGE: u32 = 0x10000;

/// What a function refers to other than by calling it: an address within an object, or an entry of
/// the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Object(u32),
    Element(u32),
}

/// A function of the guest's that stubs may call.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    pub index: u32,
    pub ty: u32,
    effects: InterfaceEffects,
}

/// What is to be known of a guest.
pub struct Guest {
    bytes: Vec<u8>,
    pub types: Vec<FuncType>,
    /// How many functions it has.
    pub functions: u32,
    types_of: Vec<u32>,
    /// Functions for stubs, by module and name as C imports them.
    interface: HashMap<(String, String), Interface>,
    /// How many entries the table has.
    pub table: u32,
    /// How many pages the memory has.
    pub pages: u32,
    /// The address of [`Stubs`].
    pub stubs: u32,
    /// The global that holds the end of the stack of locals.
    pub stack_pointer: u32,
    references: Option<References>,
}

/// What is added.
pub struct Joined {
    pub types: Vec<FuncType>,
    pub functions: Vec<Function>,
    pub elements: Vec<u32>,
    pub data: Vec<(u32, Vec<u8>)>,
    /// Behind the last data.
    pub end: u32,
    pub shared: Stubs,
}

/// The module that C's functions of the interface are in.
pub const C: &str = "env";

impl Guest {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let bytes = references::condensed(bytes).context("not a WebAssembly module")?;
        let mut guest = Self {
            bytes: bytes.into_owned(),
            types: Vec::new(),
            functions: 0,
            types_of: Vec::new(),
            interface: HashMap::new(),
            table: 0,
            pages: 0,
            stubs: 0,
            stack_pointer: 0,
            references: None,
        };
        let bytes = std::mem::take(&mut guest.bytes);
        guest.sections(&bytes).context("the guest cannot be read")?;
        guest.bytes = bytes;
        ensure!(
            guest.stubs != 0,
            "this guest takes no stubs: it exports no `{STUBS_EXPORT}`"
        );
        Ok(guest)
    }

    fn sections(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut globals, mut exported) = (Vec::new(), Vec::new());
        let mut body = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::TypeSection(types) => {
                    for ty in types.into_iter_err_on_gc_types() {
                        self.types.push(ty?);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import?;
                        let TypeRef::Func(ty) = import.ty else {
                            anyhow::bail!("import `{}` is no function", import.name);
                        };
                        let interface = Interface {
                            index: self.types_of.len() as u32,
                            ty,
                            effects: InterfaceEffects::default(),
                        };
                        let name = (import.module.into(), import.name.into());
                        self.interface.insert(name, interface);
                        self.types_of.push(ty);
                    }
                }
                Payload::FunctionSection(types) => {
                    for ty in types {
                        self.types_of.push(ty?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        self.table = u32::try_from(table?.ty.initial)?;
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        self.pages = u32::try_from(memory?.initial)?;
                    }
                }
                Payload::GlobalSection(section) => {
                    for global in section {
                        let global = global?;
                        let is_pointer =
                            global.ty.mutable && global.ty.content_type == ValType::I32;
                        if is_pointer {
                            self.stack_pointer = globals.len() as u32;
                        }
                        globals.push((is_pointer, constant(&global.init_expr)));
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ExternalKind::Func
                            && let Some((effects, name)) = InterfaceEffects::of_export(export.name)
                        {
                            exported.push((export.index, None, effects, name));
                        } else if export.name == STUBS_EXPORT {
                            let known = globals.get(export.index as usize);
                            self.stubs = known.and_then(|global| global.1).unwrap_or(0);
                        }
                    }
                }
                Payload::CodeSectionStart { count, .. } => {
                    body = self.types_of.len() as u32 - count;
                }
                Payload::CodeSectionEntry(code) => {
                    for known in exported.iter_mut().filter(|known| known.0 == body) {
                        known.1 = self.wrapped(&code)?;
                    }
                    body += 1;
                }
                Payload::CustomSection(custom) => {
                    self.references = self.references.take().or(References::read(&custom));
                }
                _ => {}
            }
        }
        // What the guest's linker put around this one, it put around all: they end with the same
        // destructors.
        let known = exported.iter().find(|one| one.3 == STUB_RETURNED_ZERO);
        let destructors = known.and_then(|known| Some(known.1?.1));
        for (index, wrapped, effects, name) in exported {
            let wrapped = wrapped.filter(|wrapped| Some(wrapped.1) == destructors);
            let index = wrapped.map_or(index, |wrapped| wrapped.0);
            let ty = self.types_of[index as usize];
            let interface = Interface { index, ty, effects };
            self.interface.insert((C.into(), name.into()), interface);
        }
        let pointers = globals.iter().filter(|global| global.0).count();
        ensure!(
            pointers == 1,
            "it has {pointers} globals that may be the stack pointer"
        );
        self.functions = self.types_of.len() as u32;
        Ok(())
    }

    /// The function that one made by the guest's linker calls for its export, and the destructors
    /// that it calls after that, as if each call were a program. Nothing for most other functions.
    fn wrapped(&self, body: &wasmparser::FunctionBody) -> Result<Option<(u32, u32)>> {
        let mut calls = Vec::new();
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::Call { function_index } => calls.push(function_index),
                Operator::LocalGet { .. } | Operator::End => {}
                _ => return Ok(None),
            }
        }
        let is_plain = |function: u32| {
            let ty = &self.types[self.types_of[function as usize] as usize];
            ty.params().is_empty() && ty.results().is_empty()
        };
        let (function, after) = match calls[..] {
            [before, function, after] if is_plain(before) => (function, after),
            [function, after] => (function, after),
            _ => return Ok(None),
        };
        Ok(is_plain(after).then_some((function, after)))
    }

    /// What stubs mean by this name.
    pub fn function(&self, module: &str, name: &str) -> Option<Interface> {
        self.interface.get(&(module.into(), name.into())).copied()
    }

    /// The index of a function of the interface that the linker calls.
    pub fn interface(&self, name: &str) -> Result<u32> {
        let known = self.function(C, name);
        let known = known.with_context(|| format!("the guest exports no `{name}`"))?;
        Ok(known.index)
    }

    pub fn type_of(&self, function: u32) -> u32 {
        self.types_of[function as usize]
    }

    /// What the functions of the interface do.
    pub fn effects(&self) -> HashMap<u32, InterfaceEffects> {
        let known = |function: &Interface| (function.index, function.effects.of_callers());
        self.interface.values().map(known).collect()
    }

    /// The functions of the interface that return what they made, and never raise.
    pub fn makers(&self) -> HashSet<u32> {
        let makes = |known: &&Interface| known.effects.has(InterfaceEffects::MAKES);
        let makers = self.interface.values().filter(makes);
        makers.map(|known| known.index).collect()
    }

    /// The address of the word that says that a stub raised.
    pub fn unwinding(&self) -> u32 {
        self.stubs + std::mem::offset_of!(Stubs, unwinding) as u32
    }
}

/// The value of an expression that is a constant.
fn constant(expression: &Expression) -> Option<u32> {
    match expression.get_operators_reader().read().ok()? {
        Operator::I32Const { value } => Some(value as u32),
        _ => None,
    }
}

/// Writes the guest with what is added.
pub fn write(guest: &Guest, joined: &Joined) -> Result<Vec<u8>> {
    let mut module = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(&guest.bytes) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else {
            continue;
        };
        let data = &guest.bytes[range];
        let written = match &payload {
            Payload::TypeSection(_) => {
                let more = &joined.types[guest.types.len()..];
                appended(data, more.len(), |bytes| {
                    more.iter().for_each(|ty| push_type(ty, bytes))
                })
            }
            Payload::FunctionSection(_) => {
                let more = joined.functions.iter();
                appended(data, more.len(), |bytes| {
                    more.for_each(|function| function.ty.encode(bytes));
                })
            }
            Payload::TableSection(tables) => table(tables.clone(), joined.elements.len() as u32)?,
            Payload::MemorySection(memories) => memory(memories.clone(), joined.end)?,
            Payload::ExportSection(exports) => self::exports(exports.clone())?,
            Payload::ElementSection(elements) => {
                for element in elements.clone() {
                    let is_plain = matches!(element?.items, ElementItems::Functions(_));
                    ensure!(is_plain, "the guest's table is not of plain functions");
                }
                appended(data, 1, |bytes| {
                    element(guest.table, &joined.elements, bytes)
                })
            }
            Payload::CodeSectionStart { .. } => {
                let more = joined.functions.iter();
                appended(data, more.len(), |bytes| {
                    more.for_each(|function| function.body.encode(bytes));
                })
            }
            Payload::DataCountSection { count, .. } => {
                let mut bytes = Vec::new();
                (count + segments(guest, joined).len() as u32).encode(&mut bytes);
                bytes
            }
            Payload::DataSection(_) => {
                let more = segments(guest, joined);
                appended(data, more.len(), |bytes| {
                    more.iter()
                        .for_each(|(address, data)| segment(*address, data, bytes));
                })
            }
            Payload::CustomSection(custom) if custom.name() == "name" => {
                names(guest, joined, custom.data())?
            }
            Payload::CustomSection(custom) if references::is_section(custom) => continue,
            _ => data.to_vec(),
        };
        module.section(&RawSection { id, data: &written });
    }
    if let Some(references) = &guest.references {
        module.section(&all_references(guest, joined, references).section());
    }
    Ok(module.finish())
}

/// A section that is a vector, with more elements.
fn appended(section: &[u8], more: usize, push: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let len = section.iter().take_while(|byte| **byte >= 0x80).count() + 1;
    let count = section[..len]
        .iter()
        .rev()
        .fold(0, |count, byte| count << 7 | u32::from(byte & 0x7f));
    let mut bytes = Vec::with_capacity(section.len());
    (count + more as u32).encode(&mut bytes);
    bytes.extend_from_slice(&section[len..]);
    push(&mut bytes);
    bytes
}

fn push_type(ty: &FuncType, bytes: &mut Vec<u8>) {
    let code = |ty: &ValType| match ty {
        ValType::I32 => 0x7f,
        ValType::I64 => 0x7e,
        ValType::F32 => 0x7d,
        ValType::F64 => 0x7c,
        ValType::V128 => 0x7b,
        ValType::Ref(_) => unreachable!("C has no references"),
    };
    bytes.push(0x60);
    for types in [ty.params(), ty.results()] {
        types.iter().map(code).collect::<Vec<u8>>().encode(bytes);
    }
}

fn table(tables: wasmparser::TableSectionReader, more: u32) -> Result<Vec<u8>> {
    let mut section = wasm_encoder::TableSection::new();
    for table in tables {
        let ty = table?.ty;
        section.table(wasm_encoder::TableType {
            element_type: wasm_encoder::RefType::FUNCREF,
            table64: false,
            minimum: ty.initial + u64::from(more),
            maximum: ty.maximum.map(|most| most + u64::from(more)),
            shared: false,
        });
    }
    Ok(contents(&section))
}

fn memory(memories: wasmparser::MemorySectionReader, end: u32) -> Result<Vec<u8>> {
    let mut section = wasm_encoder::MemorySection::new();
    for memory in memories {
        let ty = memory?;
        section.memory(wasm_encoder::MemoryType {
            minimum: u64::from(end.div_ceil(PAGE)),
            maximum: ty.maximum,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
    }
    Ok(contents(&section))
}

fn exports(exports: wasmparser::ExportSectionReader) -> Result<Vec<u8>> {
    let mut section = wasm_encoder::ExportSection::new();
    for export in exports {
        let export = export?;
        if !export.name.starts_with(STUB_INTERFACE_EXPORT) {
            section.export(export.name, export.kind.into(), export.index);
        }
    }
    Ok(contents(&section))
}

/// What a section is made of, without its length.
fn contents(section: &impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    section.encode(&mut bytes);
    let len = bytes.iter().take_while(|byte| **byte >= 0x80).count() + 1;
    bytes.split_off(len)
}

/// An active segment of table 0.
fn element(start: u32, functions: &[u32], bytes: &mut Vec<u8>) {
    0u32.encode(bytes);
    ConstExpr::i32_const(start as i32).encode(bytes);
    functions.encode(bytes);
}

/// An active segment of memory 0.
fn segment(address: u32, data: &[u8], bytes: &mut Vec<u8>) {
    0u32.encode(bytes);
    ConstExpr::i32_const(address as i32).encode(bytes);
    data.encode(bytes);
}

/// The data that is not zero, as segments.
fn segments(guest: &Guest, joined: &Joined) -> Vec<(u32, Vec<u8>)> {
    let shared = &joined.shared;
    let words = [
        &shared.primitives,
        &shared.primitives_len,
        &shared.initialise,
        &shared.finish,
        &shared.functions,
    ];
    let words = words.map(|word| {
        word.load(std::sync::atomic::Ordering::Relaxed)
            .to_le_bytes()
    });
    let data = joined
        .data
        .iter()
        .filter(|(_, data)| data.iter().any(|byte| *byte != 0));
    let mut segments: Vec<_> = data.cloned().collect();
    segments.push((guest.stubs, words.concat()));
    segments
}

/// The name section with the names of the functions.
fn names(guest: &Guest, joined: &Joined, section: &[u8]) -> Result<Vec<u8>> {
    /// The subsection of functions.
    const FUNCTIONS: u8 = 1;
    let mut bytes = Vec::new();
    "name".encode(&mut bytes);
    let mut reader = wasmparser::BinaryReader::new(section, 0);
    while !reader.eof() {
        let id = reader.read_u8()?;
        let len = reader.read_var_u32()? as usize;
        let part = reader.read_bytes(len)?;
        bytes.push(id);
        if id != FUNCTIONS {
            part.encode(&mut bytes);
            continue;
        }
        let more = joined.functions.iter().enumerate();
        let part = appended(part, more.len(), |bytes| {
            for (number, function) in more {
                (guest.functions + number as u32).encode(bytes);
                function.name.encode(bytes);
            }
        });
        part.encode(&mut bytes);
    }
    Ok(bytes)
}

/// The guest's references and those of what is added.
fn all_references(guest: &Guest, joined: &Joined, known: &References) -> References {
    let mut all = known.clone();
    let mut objects: Vec<_> = joined
        .data
        .iter()
        .filter(|(_, data)| !data.is_empty())
        .collect();
    objects.sort_by_key(|(address, _)| *address);
    all.objects.extend(
        objects
            .iter()
            .map(|(address, data)| (*address, data.len() as u32)),
    );
    for (number, function) in joined.functions.iter().enumerate() {
        let mut named = Named::default();
        for reference in &function.references {
            match *reference {
                Reference::Element(index) => {
                    named.elements.insert(index);
                }
                Reference::Object(address) => named.objects.extend(all.object_at(address)),
            }
        }
        all.functions.push((guest.functions + number as u32, named));
    }
    all
}
