//! The module that the guest and stubs become.
//!
//! Sections are copied; what is added comes last in each, so that all indices and addresses of the
//! guest stay. Exports for stubs go.

use std::collections::BTreeSet;

use annotations::{STUB_INTERFACE_EXPORT, Stubs};
use anyhow::{Result, ensure};
use specializer::module::references::{self, Named, References};
use wasm_encoder::{ConstExpr, Encode, RawSection};
use wasmparser::{ElementItems, FuncType, Parser, Payload, ValType};

use super::code::Function;
use super::guest::Guest;

/// Bytes of a page of memory.
pub const PAGE: u32 = 0x10000;

/// What a function refers to other than by calling it: an address within an object, or an entry of
/// the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Object(u32),
    Element(u32),
}

/// What is added.
pub struct Joined {
    pub types: Vec<FuncType>,
    pub functions: Vec<Function>,
    pub elements: Vec<u32>,
    pub data: Vec<(u32, Vec<u8>)>,
    /// Where data begins to which other data refers by an address outside of it.
    pub referred_by_others: BTreeSet<u32>,
    /// Behind the last data.
    pub end: u32,
    pub shared: Stubs,
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
        .filter(|(address, data)| !data.is_empty() && !joined.referred_by_others.contains(address))
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
