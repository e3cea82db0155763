//! What functions of a module refer to other than by calling it: data, and functions whose table
//! index they take.
//!
//! A module whose linker was asked to leave its relocations in it says that. [`condensed`] makes
//! one custom section of them, which survives what moves data segments. Without that section
//! nothing is known: each piece of data and each function in the table may be referred to by all.
//!
//! Invariant: an *object* is a part of memory that is only referred to by an address within it. The
//! value of each relocation is compared with its symbol; where one differs, or is of a kind that
//! this version does not know, there is no section. Data to which data refers by an address outside
//! of it is no object, as an array by its end, nor is what symbols of the linker's enclose
//! (`__start_NAME`, `__stop_NAME`).

mod objects;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use wasm_encoder::CustomSection;
use wasmparser::{
    BinaryReader, DataKind, DefinedDataSymbol, KnownCustom, Linking, LinkingSectionReader, Parser,
    Payload, RelocSectionReader, RelocationEntry, RelocationType, SymbolFlags, SymbolInfo,
};

use self::objects::Objects;
use super::constant;
use crate::ir::Func;
use crate::op::Const;

/// The name of the section.
const SECTION: &str = "bactrian.references";

/// What the linker of the module writes for linkers and debuggers; nobody else reads it.
const FOR_LINKERS: [&str; 3] = ["linking", "reloc.", ".debug"];

/// The data of a module, and which function refers to which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct References {
    /// Address and length in bytes; disjoint, in ascending order.
    pub objects: Vec<(u32, u32)>,
    /// In ascending order of functions; one that refers to nothing is not there.
    pub functions: Vec<(u32, Named)>,
}

/// What one function refers to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Named {
    /// By their number.
    pub objects: BTreeSet<u32>,
    /// Table indices.
    pub elements: BTreeSet<u32>,
}

impl References {
    /// What the module's section says; absent where there is none that can be read.
    pub fn read(custom: &wasmparser::CustomSectionReader) -> Option<Self> {
        let read = || postcard::from_bytes(custom.data()).ok();
        is_section(custom)
            .then(read)
            .flatten()
            .filter(Self::is_sound)
    }

    /// Whether it is as its fields say: anybody may write a section of this name.
    fn is_sound(&self) -> bool {
        let objects = self.objects.windows(2);
        let end = |(start, len): (u32, u32)| u64::from(start) + u64::from(len);
        let mut objects = objects.map(|pair| end(pair[0]) <= u64::from(pair[1].0));
        let mut functions = self.functions.windows(2).map(|pair| pair[0].0 < pair[1].0);
        let exists = |number: &u32| (*number as usize) < self.objects.len();
        let mut named = self.functions.iter().map(|(_, named)| &named.objects);
        objects.all(|is_before| is_before)
            && functions.all(|is_before| is_before)
            && named.all(|objects| objects.last().is_none_or(exists))
    }

    /// Where they are.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> {
        (0..self.objects.len() as u32).map(|number| self.object(number))
    }

    pub fn section(&self) -> CustomSection<'static> {
        let data = postcard::to_allocvec(self).expect("memory takes what is written to it");
        CustomSection {
            name: SECTION.into(),
            data: data.into(),
        }
    }

    /// Where the object with this number is.
    pub fn object(&self, number: u32) -> Range<u32> {
        let (address, len) = self.objects[number as usize];
        address..address.saturating_add(len)
    }

    /// The number of the object that has this address within it.
    pub fn object_at(&self, address: u32) -> Option<u32> {
        let after = self.objects.partition_point(|&(start, _)| start <= address);
        let number = after.checked_sub(1)?;
        let (start, len) = self.objects[number];
        (address - start < len).then_some(number as u32)
    }

    /// What these are, of which a function refers to each.
    fn named(&self, targets: &[Target]) -> Named {
        let mut named = Named::default();
        for target in targets {
            match *target {
                Target::Other => {}
                Target::Element(index) => {
                    named.elements.insert(index);
                }
                Target::Data(address) => named.objects.extend(self.object_at(address)),
            }
        }
        named
    }

    pub fn of(&self, func: Func) -> Option<&Named> {
        let at = self
            .functions
            .binary_search_by_key(&func.0, |(func, _)| *func);
        Some(&self.functions[at.ok()?].1)
    }
}

pub fn is_section(custom: &wasmparser::CustomSectionReader) -> bool {
    custom.name() == SECTION
}

/// `bytes` with one section of references in place of relocations; as they are where there are
/// none, or none that this version understands.
pub fn condensed(bytes: &[u8]) -> wasmparser::Result<Cow<'_, [u8]>> {
    let Some(references) = collect(bytes)? else {
        return Ok(Cow::Borrowed(bytes));
    };
    let mut module = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        if let Payload::CustomSection(custom) = &payload
            && FOR_LINKERS
                .iter()
                .any(|name| custom.name().starts_with(name))
        {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            let data = &bytes[range];
            module.section(&wasm_encoder::RawSection { id, data });
        }
    }
    module.section(&references.section());
    Ok(Cow::Owned(module.finish()))
}

/// What is needed of a module's sections.
#[derive(Default)]
struct Parts<'a> {
    imported_functions: u32,
    /// Where each function's body lies in the file.
    bodies: Vec<Range<usize>>,
    /// The number of the code section among all sections, and where its contents begin.
    code: Option<(u32, usize)>,
    data: Option<(u32, usize)>,
    segments: Vec<Segment>,
    /// By index, the values of globals that are constants.
    globals: Vec<Option<Const>>,
    linking: Option<LinkingSectionReader<'a>>,
    relocations: Vec<RelocSectionReader<'a>>,
}

/// A data segment.
struct Segment {
    /// Absent unless it is placed in memory 0 when the module starts.
    address: Option<u32>,
    /// Where in the file its bytes are.
    bytes: Range<usize>,
}

impl Segment {
    fn new(segment: &wasmparser::Data) -> Self {
        let address = match &segment.kind {
            DataKind::Active {
                memory_index: 0,
                offset_expr,
            } => constant(offset_expr),
            DataKind::Active { .. } | DataKind::Passive => None,
        };
        let end = segment.range.end;
        Self {
            address: match address {
                Some(Const::I32(address)) => Some(address as u32),
                _ => None,
            },
            bytes: end - segment.data.len()..end,
        }
    }
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> wasmparser::Result<Self> {
        let mut parts = Self::default();
        let mut number = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            let is_section = payload.as_section().is_some();
            match payload {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        match import?.ty {
                            wasmparser::TypeRef::Func(_) => parts.imported_functions += 1,
                            wasmparser::TypeRef::Global(_) => parts.globals.push(None),
                            _ => {}
                        }
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        parts.globals.push(constant(&global?.init_expr));
                    }
                }
                Payload::CodeSectionStart { range, .. } => parts.code = Some((number, range.start)),
                Payload::CodeSectionEntry(body) => parts.bodies.push(body.range()),
                Payload::DataSection(segments) => {
                    parts.data = Some((number, segments.range().start));
                    for segment in segments {
                        parts.segments.push(Segment::new(&segment?));
                    }
                }
                Payload::CustomSection(custom) => match custom.as_known() {
                    KnownCustom::Linking(linking) => parts.linking = Some(linking),
                    KnownCustom::Reloc(relocations) => parts.relocations.push(relocations),
                    _ => {}
                },
                _ => {}
            }
            number += u32::from(is_section);
        }
        Ok(parts)
    }

    fn symbols(&self) -> wasmparser::Result<Vec<Symbol>> {
        let mut symbols = Vec::new();
        let linking = self.linking.iter().cloned();
        for part in linking.flat_map(|linking| linking.subsections()) {
            let Linking::SymbolTable(table) = part? else {
                continue;
            };
            for symbol in table {
                symbols.push(match symbol? {
                    SymbolInfo::Data {
                        flags,
                        symbol: Some(data),
                        name,
                    } => self.data(name, flags, data),
                    SymbolInfo::Func { .. } => Symbol::Function,
                    _ => Symbol::Other,
                });
            }
        }
        Ok(symbols)
    }

    fn data(&self, name: &str, flags: SymbolFlags, data: DefinedDataSymbol) -> Symbol {
        let is_absolute = flags.contains(SymbolFlags::ABSOLUTE);
        let segment = self.segments.get(data.index as usize);
        let start = match is_absolute {
            true => Some(0),
            false => segment.and_then(|segment| segment.address),
        };
        let Some(address) = start.and_then(|start| start.checked_add(data.offset)) else {
            return Symbol::Other;
        };
        match data.size {
            0 if name.starts_with("__start_") => Symbol::Start(address),
            0 if name.starts_with("__stop_") => Symbol::Stop(address),
            _ if is_absolute => Symbol::Other,
            size => Symbol::Data(address, size),
        }
    }

    /// Where the segments lie that these symbols enclose.
    fn enclosed(&self, symbols: &[Symbol]) -> impl Iterator<Item = Range<u32>> {
        let places = self.segments.iter().filter_map(|segment| {
            let start = segment.address?;
            Some(start..start.checked_add(segment.bytes.len() as u32)?)
        });
        places.filter(|place| {
            symbols.iter().any(|symbol| match *symbol {
                Symbol::Start(address) => address == place.start,
                Symbol::Stop(address) => address == place.end,
                Symbol::Data(..) | Symbol::Function | Symbol::Other => false,
            })
        })
    }

    /// The function whose body has this place of the file.
    fn function_at(&self, at: usize) -> Option<u32> {
        let after = self.bodies.partition_point(|body| body.start <= at);
        let number = after.checked_sub(1)?;
        (at < self.bodies[number].end).then_some(self.imported_functions + number as u32)
    }

    /// The address of what has this place of the file.
    fn address_at(&self, at: usize) -> Option<u32> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.bytes.contains(&at))?;
        segment
            .address?
            .checked_add((at - segment.bytes.start) as u32)
    }
}

/// What relocations may refer to.
#[derive(Clone, Copy)]
enum Symbol {
    /// Address and length of data.
    Data(u32, u32),
    /// Where all data of one section begins, as linkers call it, and where it ends.
    Start(u32),
    Stop(u32),
    Function,
    /// What instructions name, or what lies nowhere.
    Other,
}

/// What a relocation refers to.
#[derive(Clone, Copy)]
enum Target {
    /// Something that instructions name, or that lies nowhere.
    Other,
    /// Data at this address.
    Data(u32),
    /// A function, by its table index.
    Element(u32),
}

impl Target {
    /// Of a relocation for what lies at `at` in the file; nothing if it is not understood.
    fn of(
        relocation: &RelocationEntry,
        bytes: &[u8],
        at: usize,
        parts: &Parts,
        symbols: &[Symbol],
    ) -> Option<Self> {
        use RelocationType as R;
        let mut reader = BinaryReader::new(bytes.get(at..)?, at);
        let symbol = symbols.get(relocation.index as usize);
        let value = match relocation.ty {
            R::MemoryAddrLeb => reader.read_var_u32().ok()?,
            R::MemoryAddrSleb | R::TableIndexSleb => reader.read_var_i32().ok()? as u32,
            R::MemoryAddrI32 | R::TableIndexI32 => reader.read_u32().ok()?,
            R::GlobalIndexLeb => {
                // Code for libraries has addresses and indices in globals.
                let global = reader.read_var_u32().ok()?;
                let value = parts.globals.get(global as usize);
                return match (symbol?, value) {
                    (
                        Symbol::Other | Symbol::Start(_) | Symbol::Stop(_) | Symbol::Data(_, 0),
                        _,
                    ) => Some(Target::Other),
                    (Symbol::Data(address, _), _) => Some(Target::Data(*address)),
                    (Symbol::Function, Some(Some(Const::I32(index)))) => {
                        Some(Target::Element(*index as u32))
                    }
                    (Symbol::Function, _) => None,
                };
            }
            R::FunctionIndexLeb
            | R::FunctionIndexI32
            | R::TypeIndexLeb
            | R::GlobalIndexI32
            | R::EventIndexLeb
            | R::TableNumberLeb => return Some(Target::Other),
            _ => return None,
        };
        if let R::TableIndexSleb | R::TableIndexI32 = relocation.ty {
            return Some(Target::Element(value));
        }
        let &Symbol::Data(address, len) = symbol? else {
            return Some(Target::Other);
        };
        let is_as_linked = value == address.wrapping_add(relocation.addend as u32);
        match len {
            _ if !is_as_linked => None,
            0 => Some(Target::Other),
            _ => Some(Target::Data(address)),
        }
    }
}

/// What the relocations of a module say; nothing where there are none, or one is not understood.
fn collect(bytes: &[u8]) -> wasmparser::Result<Option<References>> {
    let parts = Parts::of(bytes)?;
    let (Some((code, code_start)), Some((data, data_start))) = (parts.code, parts.data) else {
        return Ok(None);
    };
    let symbols = parts.symbols()?;
    let places = symbols.iter().filter_map(|symbol| match *symbol {
        Symbol::Data(address, len) => Some((address, len)),
        Symbol::Start(_) | Symbol::Stop(_) | Symbol::Function | Symbol::Other => None,
    });
    let mut objects = Objects::new(places.collect());
    let mut named: BTreeMap<u32, Vec<Target>> = BTreeMap::new();
    let mut are_known = false;
    for section in &parts.relocations {
        let start = match section.section_index() {
            index if index == code => code_start,
            index if index == data => data_start,
            _ => continue,
        };
        for relocation in section.entries() {
            let relocation = relocation?;
            let at = start + relocation.offset as usize;
            let Some(target) = Target::of(&relocation, bytes, at, &parts, &symbols) else {
                return Ok(None);
            };
            if section.section_index() == data {
                // What memory refers to is looked for in memory, as words.
                if parts.address_at(at).is_none_or(|address| address % 4 != 0) {
                    return Ok(None);
                }
                if let Target::Data(address) = target {
                    objects.refer(address, relocation.addend);
                }
                continue;
            }
            are_known = true;
            let Some(function) = parts.function_at(at) else {
                return Ok(None);
            };
            named.entry(function).or_default().push(target);
        }
    }
    parts
        .enclosed(&symbols)
        .for_each(|place| objects.remove(place));
    let mut references = References {
        objects: objects.left(),
        functions: Vec::new(),
    };
    let functions = named
        .into_iter()
        .map(|(function, targets)| (function, references.named(&targets)));
    references.functions = functions
        .filter(|(_, named)| *named != Named::default())
        .collect();
    Ok(are_known.then_some(references))
}
