//! A file of stubs as it is read: a relocatable object, as WebAssembly's tool conventions describe
//! them, with one custom section that says which of its functions programs may call.
//!
//! Invariant: what is read is well-formed as far as it is looked at: each number is that of
//! something in the file. What this version does not know is an error that names it.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use wasm_encoder::Encode;
use wasmparser::{
    Dylink0Subsection, FuncType, KnownCustom, Linking, Parser, Payload, RelocationEntry,
    RelocationType, SymbolFlags, SymbolInfo, TypeRef, ValType,
};

/// The custom section with the names of functions that programs may call, and of functions that
/// may be missing.
const SECTION: &str = "bactrian.stubs";

/// What a relocation refers to.
#[derive(Clone, Debug)]
pub enum Symbol {
    Function {
        name: String,
        place: Place,
        flags: SymbolFlags,
    },
    Data {
        name: String,
        /// Number of the segment, and where in it; absent if another file has it.
        place: Option<(u32, u32)>,
        flags: SymbolFlags,
    },
    StackPointer,
    /// Where a thread's own data begins, the other global that there is. C has one thread, so that
    /// is data like any other, counted from 0.
    ThreadBase,
    /// What only debuggers and the table's relocations name.
    Other,
}

/// Where a function is.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The number of its body in this file.
    Here(u32),
    /// The number of the import.
    Import(u32),
}

/// A function that the file imports.
#[derive(Clone, Debug)]
pub struct Import {
    pub module: String,
    pub name: String,
    pub ty: u32,
}

#[derive(Clone, Debug)]
pub struct Body {
    pub ty: u32,
    pub bytes: Range<usize>,
    /// Offsets are within the body.
    pub relocations: Vec<RelocationEntry>,
}

#[derive(Clone, Debug)]
pub struct Segment {
    pub align: u32,
    pub bytes: Range<usize>,
    /// Offsets are within the segment.
    pub relocations: Vec<RelocationEntry>,
}

/// A file of stubs.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// For messages.
    pub name: String,
    pub bytes: Vec<u8>,
    pub types: Vec<FuncType>,
    pub imports: Vec<Import>,
    pub bodies: Vec<Body>,
    pub segments: Vec<Segment>,
    pub symbols: Vec<Symbol>,
    /// Constructors in order: the numbers of their symbols.
    pub constructors: Vec<u32>,
    /// The functions that programs may call.
    pub exports: Vec<String>,
    /// Functions that nothing needs to define: a call of one raises.
    pub missing: Vec<String>,
}

impl Object {
    /// Reads the file called `name`, with these contents, which [`with_names`] made.
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self> {
        ensure!(
            has_names(&bytes),
            "{name}: this is no file of stubs; `bactrian stubs` makes one of sources in C"
        );
        Self::parse(name, bytes).with_context(|| format!("{name}: not a file of stubs"))
    }

    /// The same for an object that no list of functions was added to.
    pub fn parse(name: &str, bytes: Vec<u8>) -> Result<Self> {
        ensure!(
            bytes.starts_with(b"\0asm"),
            "{name}: this is no object file of WebAssembly's"
        );
        let mut object = Object {
            name: name.into(),
            ..Object::default()
        };
        let mut sections = Sections::default();
        for payload in Parser::new(0).parse_all(&bytes) {
            object.payload(payload?, &mut sections, &bytes)?;
        }
        object.relocations(&sections)?;
        object.require_all()?;
        object.bytes = bytes;
        Ok(object)
    }

    fn payload(&mut self, payload: Payload, sections: &mut Sections, bytes: &[u8]) -> Result<()> {
        let is_section = payload.as_section().is_some();
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    match import.ty {
                        TypeRef::Func(ty) => self.imports.push(Import {
                            module: import.module.into(),
                            name: import.name.into(),
                            ty,
                        }),
                        TypeRef::Global(_) => sections.globals.push(match import.name {
                            "__stack_pointer" => Symbol::StackPointer,
                            "__tls_base" => Symbol::ThreadBase,
                            other => bail!(
                                "global `{other}`: it was compiled for another way of linking \
                                 (-fPIC?)"
                            ),
                        }),
                        TypeRef::Table(_) | TypeRef::Memory(_) => {}
                        _ => bail!("import `{}` is of an unknown kind", import.name),
                    }
                }
            }
            Payload::FunctionSection(types) => {
                sections.types = types.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::CodeSectionStart { range, .. } => {
                sections.code = Some((sections.count, range.start));
            }
            Payload::CodeSectionEntry(body) => {
                let ty = sections.types.get(self.bodies.len());
                self.bodies.push(Body {
                    ty: *ty.context("a function without a type")?,
                    bytes: body.range(),
                    relocations: Vec::new(),
                });
            }
            Payload::DataSection(data) => {
                sections.data = Some((sections.count, data.range().start));
                for segment in data {
                    let segment = segment?;
                    let end = segment.range.end;
                    self.segments.push(Segment {
                        align: 0,
                        bytes: end - segment.data.len()..end,
                        relocations: Vec::new(),
                    });
                }
            }
            Payload::CustomSection(custom) if custom.name() == SECTION => self.names(custom.data()),
            Payload::CustomSection(custom) => match custom.as_known() {
                KnownCustom::Linking(linking) => {
                    for part in linking.subsections() {
                        self.linking(part?, &sections.globals)?;
                    }
                }
                KnownCustom::Reloc(relocations) => {
                    let entries = relocations
                        .entries()
                        .into_iter()
                        .collect::<Result<_, _>>()?;
                    sections
                        .relocations
                        .push((relocations.section_index(), entries));
                }
                KnownCustom::Dylink0(parts) => {
                    let is_library = parts
                        .into_iter()
                        .any(|part| matches!(part, Ok(Dylink0Subsection::MemInfo(_))));
                    ensure!(!is_library, "this is a shared library, not an object");
                }
                _ => {}
            },
            Payload::Version { .. } => {
                ensure!(bytes.starts_with(b"\0asm\x01"), "this is a component");
            }
            _ => {}
        }
        sections.count += u32::from(is_section);
        Ok(())
    }

    fn linking(&mut self, part: Linking, globals: &[Symbol]) -> Result<()> {
        match part {
            Linking::SymbolTable(symbols) => {
                for symbol in symbols {
                    let symbol = self.symbol(symbol?, globals)?;
                    self.symbols.push(symbol);
                }
            }
            Linking::SegmentInfo(segments) => {
                for (number, segment) in segments.into_iter().enumerate() {
                    sections_alignment(&mut self.segments, number, segment?.alignment)?;
                }
            }
            Linking::InitFuncs(functions) => {
                let mut functions = functions.into_iter().collect::<Result<Vec<_>, _>>()?;
                functions.sort_by_key(|function| function.priority);
                self.constructors = functions
                    .iter()
                    .map(|function| function.symbol_index)
                    .collect();
            }
            Linking::ComdatInfo(_) | Linking::Unknown { .. } => {}
        }
        Ok(())
    }

    fn symbol(&self, symbol: SymbolInfo, globals: &[Symbol]) -> Result<Symbol> {
        Ok(match symbol {
            SymbolInfo::Func { flags, index, name } => {
                let imports = self.imports.len() as u32;
                let place = match index.checked_sub(imports) {
                    Some(number) => Place::Here(number),
                    None => Place::Import(index),
                };
                let imported = || Some(self.imports.get(index as usize)?.name.clone());
                let name = name.map(String::from).or_else(imported);
                Symbol::Function {
                    name: name.context("a function without a name")?,
                    place,
                    flags,
                }
            }
            SymbolInfo::Data {
                flags,
                name,
                symbol,
            } => Symbol::Data {
                name: name.into(),
                place: symbol.map(|data| (data.index, data.offset)),
                flags,
            },
            SymbolInfo::Global { index, .. } => {
                let global = globals.get(index as usize);
                global.context("it defines a global")?.clone()
            }
            SymbolInfo::Table { .. } | SymbolInfo::Section { .. } => Symbol::Other,
            SymbolInfo::Event { .. } => bail!("it uses WebAssembly's exceptions"),
        })
    }

    /// Gives each relocation to the body or the segment that it is in.
    fn relocations(&mut self, sections: &Sections) -> Result<()> {
        for (section, entries) in &sections.relocations {
            for &entry in entries {
                let within = |start: usize, range: &Range<usize>| {
                    let at = start + entry.offset as usize;
                    let offset = range.contains(&at).then(|| at - range.start)?;
                    let offset = offset as u32;
                    Some(RelocationEntry { offset, ..entry })
                };
                let (code, data) = (sections.code, sections.data);
                let found = match (code, data) {
                    (Some((index, start)), _) if index == *section => {
                        let at = start + entry.offset as usize;
                        let after = self.bodies.partition_point(|body| body.bytes.start <= at);
                        let body = after.checked_sub(1).map(|number| &mut self.bodies[number]);
                        body.and_then(|body| {
                            body.relocations.push(within(start, &body.bytes)?);
                            Some(())
                        })
                    }
                    (_, Some((index, start))) if index == *section => {
                        let at = start + entry.offset as usize;
                        let after = self.segments.partition_point(|part| part.bytes.start <= at);
                        let segment = after
                            .checked_sub(1)
                            .map(|number| &mut self.segments[number]);
                        segment.and_then(|segment| {
                            segment.relocations.push(within(start, &segment.bytes)?);
                            Some(())
                        })
                    }
                    // Of debug information.
                    _ => Some(()),
                };
                found.context("a relocation is outside of code and data")?;
            }
        }
        Ok(())
    }

    /// Refuses numbers of what is not there, and types that C has none of.
    fn require_all(&self) -> Result<()> {
        for ty in &self.types {
            let mut values = ty.params().iter().chain(ty.results());
            let is_of_c = values.all(|value| !matches!(value, ValType::Ref(_)));
            ensure!(is_of_c, "a function has references");
        }
        let has_type = |ty: u32| (ty as usize) < self.types.len();
        for Import { name, ty, .. } in &self.imports {
            ensure!(has_type(*ty), "the import `{name}` has no type");
        }
        for (number, body) in self.bodies.iter().enumerate() {
            ensure!(has_type(body.ty), "function {number} has no type");
            self.require_targets(&body.relocations)?;
        }
        for segment in &self.segments {
            self.require_targets(&segment.relocations)?;
        }
        self.symbols
            .iter()
            .try_for_each(|symbol| self.require_place(symbol))
    }

    fn require_targets(&self, relocations: &[RelocationEntry]) -> Result<()> {
        for relocation in relocations {
            let count = match relocation.ty {
                RelocationType::TypeIndexLeb => self.types.len(),
                _ => self.symbols.len(),
            };
            ensure!(
                (relocation.index as usize) < count,
                "a relocation names something that is not there"
            );
        }
        Ok(())
    }

    fn require_place(&self, symbol: &Symbol) -> Result<()> {
        match symbol {
            Symbol::Function { name, place, .. } => {
                let is_there = match *place {
                    Place::Here(number) => (number as usize) < self.bodies.len(),
                    Place::Import(number) => (number as usize) < self.imports.len(),
                };
                ensure!(is_there, "the function `{name}` is not there");
            }
            Symbol::Data { name, place, .. } => {
                let is_within = place.is_none_or(|(number, offset)| {
                    let segment = self.segments.get(number as usize);
                    segment.is_some_and(|segment| offset as usize <= segment.bytes.len())
                });
                ensure!(is_within, "the variable `{name}` is not there");
            }
            Symbol::StackPointer | Symbol::ThreadBase | Symbol::Other => {}
        }
        Ok(())
    }

    fn names(&mut self, data: &[u8]) {
        let text = String::from_utf8_lossy(data);
        for line in text.lines() {
            match line.strip_prefix('-') {
                Some(name) => self.missing.push(name.into()),
                None => self.exports.push(line.into()),
            }
        }
    }

    /// The names of functions that are defined here for others. All are hidden, as the compiler has
    /// no shared libraries for this target.
    pub fn defined(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().filter_map(|symbol| match symbol {
            Symbol::Function {
                name,
                place: Place::Here(_),
                flags,
            } if !flags.contains(SymbolFlags::BINDING_LOCAL) => Some(&**name),
            _ => None,
        })
    }
}

/// What is needed of the sections while they are read.
#[derive(Default)]
struct Sections {
    /// Types of functions.
    types: Vec<u32>,
    /// The globals that are imported.
    globals: Vec<Symbol>,
    /// How many there were so far.
    count: u32,
    /// The number of the section, and where its contents begin.
    code: Option<(u32, usize)>,
    data: Option<(u32, usize)>,
    /// The number of the section that they are about.
    relocations: Vec<(u32, Vec<RelocationEntry>)>,
}

fn sections_alignment(segments: &mut [Segment], number: usize, alignment: u32) -> Result<()> {
    let segment = segments.get_mut(number).context("no such segment")?;
    ensure!(alignment <= 12, "data is aligned to more than a page");
    segment.align = 1 << alignment;
    Ok(())
}

/// An object with the list of functions that programs may call, and that may be missing.
pub fn with_names(mut object: Vec<u8>, exports: &[String], missing: &[String]) -> Vec<u8> {
    let missing = missing.iter().map(|name| format!("-{name}"));
    let lines: Vec<String> = exports.iter().cloned().chain(missing).collect();
    let mut section = Vec::new();
    SECTION.encode(&mut section);
    section.extend_from_slice(lines.join("\n").as_bytes());
    object.push(0);
    section.encode(&mut object);
    object
}

/// Whether there is such a list, in what may be any file.
fn has_names(bytes: &[u8]) -> bool {
    let is_list =
        |payload| matches!(payload, Ok(Payload::CustomSection(custom)) if custom.name() == SECTION);
    Parser::new(0).parse_all(bytes).any(is_list)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, DataSymbolDefinition, Function, FunctionSection, LinkingSection, Module,
        SymbolTable, TypeSection,
    };

    use super::*;

    /// A file with a type and a function, which is of the type of this number, and with symbols.
    fn file(ty: u32, fill: impl FnOnce(&mut SymbolTable)) -> Vec<u8> {
        let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
        types.ty().function([], []);
        functions.function(ty);
        let mut code = CodeSection::new();
        let mut function = Function::new([]);
        function.instructions().end();
        code.function(&function);
        let mut symbols = SymbolTable::new();
        fill(&mut symbols);
        let mut linking = LinkingSection::new();
        linking.symbol_table(&symbols);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&code);
        module.section(&linking);
        module.finish()
    }

    #[test]
    fn numbers_of_what_is_not_there_are_refused() {
        let read = |bytes| Object::parse("damaged", bytes).map(|object| object.symbols.len());
        let function = |number| {
            file(0, |symbols| {
                symbols.function(0, number, Some("f"));
            })
        };
        assert_eq!(read(function(0)).ok(), Some(1));
        let place = DataSymbolDefinition {
            index: 0,
            offset: 0,
            size: 1,
        };
        let data = file(0, |symbols| {
            symbols.data(0, "d", Some(place));
        });
        for (bytes, expected) in [
            (function(7), "the function `f` is not there"),
            (data, "the variable `d` is not there"),
            (file(7, |_| {}), "function 0 has no type"),
        ] {
            let refused = read(bytes).expect_err("it is damaged");
            assert_eq!(refused.to_string(), expected);
        }
    }
}
