//! The generic module as the specializer sees it: signatures, bodies, tables, globals, and memory
//! as its active data segments fill it.
//!
//! Invariant: the module is valid, function bodies and names excepted. Leaves out what only the
//! linker copies: other custom sections than names and [`references`], passive segments.

mod outside;
pub mod references;
mod table;

use std::collections::HashMap;

use wasmparser::{
    CompositeInnerType, ExternalKind, FuncToValidate, FunctionBody, KnownCustom, Name,
    NameSectionReader, Operator, Parser, Payload, TypeRef, ValType, ValidPayload, Validator,
    ValidatorResources, WasmFeatures, WasmModuleResources,
};

use self::references::References;
use crate::index::Map;
use crate::ir::{Func, Global, Sig, Signature, Type};
use crate::op::Const;

/// What cannot be read as a module that holds an interpreter.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    /// It has no source: it says what the reader said.
    #[error("not a valid WebAssembly module: {0}")]
    Parse(wasmparser::BinaryReaderError),
    #[error("offset {offset:#x}: {what}")]
    Unsupported { offset: usize, what: &'static str },
}

impl From<wasmparser::BinaryReaderError> for ModuleError {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Parse(error)
    }
}

/// Bytes of memory that data segments may span. A module that needs more is taken for damaged.
const MAX_IMAGE: u64 = 1 << 30;

/// A global variable.
#[derive(Clone, Debug)]
pub struct GlobalInfo {
    /// Absent for reference and vector types.
    pub ty: Option<Type>,
    pub mutable: bool,
    /// Its initial value, where that is a plain constant.
    pub init: Option<Const>,
}

/// An imported function.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    pub module: &'a str,
    pub name: &'a str,
}

pub struct Module<'a> {
    pub bytes: &'a [u8],
    /// Absent where the type is no function or uses types beyond [`Type`].
    pub types: Map<Sig, Option<Signature>>,
    /// The first of the types that are the same: of two that read alike, one may be a subtype.
    pub first_alike: Map<Sig, Sig>,
    /// Imports first.
    pub functions: Map<Func, Sig>,
    /// The first functions.
    pub imports: Vec<Import<'a>>,
    /// By function index less the number of imports.
    pub bodies: Vec<FunctionBody<'a>>,
    pub globals: Map<Global, GlobalInfo>,
    /// Table 0 as active element segments fill it; absent entries are null or unknown.
    pub table: Vec<Option<Func>>,
    /// The initial size of table 0, and whether it is the module's own.
    pub table_size: u32,
    pub owns_table: bool,
    /// The types of tags.
    pub tags: Vec<Sig>,
    /// Of table 0, if there is one.
    entries: Option<table::Entries>,
    /// By index, whether memories and tables have addresses and indices of 64 bits. Memory 0 has
    /// not.
    pub wide_memories: Vec<bool>,
    pub wide_tables: Vec<bool>,
    /// The initial size of memory 0 in bytes; absent if there is no memory.
    pub memory_size: Option<u64>,
    /// Where active data segments with constant offsets lie in memory 0, in order: address and
    /// length.
    pub segments: Vec<(u32, u32)>,
    /// The indices of all other data segments.
    pub other_segments: Vec<u32>,
    /// Whether one of them has any bytes.
    pub has_other_data: bool,
    /// Whether memory 0 is the module's own: all zero but for its segments.
    pub owns_memory: bool,
    /// What is exported, by name: (kind, index).
    pub exports: HashMap<&'a str, (ExternalKind, u32)>,
    /// Memory 0 as active data segments fill it.
    pub image: Vec<u8>,
    names: Option<NameSectionReader<'a>>,
    /// Which data and which elements of the table functions refer to, if that is known.
    pub references: Option<References>,
    /// What function bodies are validated against; absent if there are none.
    resources: Option<ValidatorResources>,
}

/// The type as the specializer knows it.
pub fn value_type(ty: ValType) -> Option<Type> {
    match ty {
        ValType::I32 => Some(Type::I32),
        ValType::I64 => Some(Type::I64),
        ValType::F32 => Some(Type::F32),
        ValType::F64 => Some(Type::F64),
        ValType::V128 | ValType::Ref(_) => None,
    }
}

impl<'a> Module<'a> {
    /// Reads and validates `bytes`, function bodies excepted.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ModuleError> {
        let mut module = Self {
            bytes,
            types: Map::default(),
            first_alike: Map::default(),
            functions: Map::default(),
            imports: Vec::new(),
            bodies: Vec::new(),
            globals: Map::default(),
            table: Vec::new(),
            table_size: 0,
            owns_table: false,
            tags: Vec::new(),
            entries: None,
            wide_memories: Vec::new(),
            wide_tables: Vec::new(),
            memory_size: None,
            segments: Vec::new(),
            other_segments: Vec::new(),
            has_other_data: false,
            owns_memory: false,
            exports: HashMap::new(),
            image: Vec::new(),
            names: None,
            references: None,
            resources: None,
        };
        let mut validator = Validator::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            if let ValidPayload::Func(function, _) = validator.payload(&payload)? {
                module.resources.get_or_insert(function.resources);
            }
            module.section(payload)?;
        }
        module.first_alike = module.types_alike();
        Ok(module)
    }

    fn types_alike(&self) -> Map<Sig, Sig> {
        let mut first = HashMap::new();
        let types = self.types.keys();
        let alike = types.map(|sig| {
            let resources = self.resources.as_ref();
            let ty = resources.and_then(|types| types.sub_type_at(sig.0));
            // Validation has each type once.
            ty.map_or(sig, |ty| {
                *first.entry(std::ptr::from_ref(ty)).or_insert(sig)
            })
        });
        alike.collect()
    }

    /// The address that the module exports as a constant global of this name.
    pub fn exported_address(&self, name: &str) -> Option<u32> {
        let &(ExternalKind::Global, index) = self.exports.get(name)? else {
            return None;
        };
        let global = self.globals.get(Global(index))?;
        match (global.mutable, global.init) {
            (false, Some(Const::I32(address))) => Some(address as u32),
            _ => None,
        }
    }

    /// What validates another body of type `sig`, as if it were a function of this module.
    pub fn validation(&self, sig: Sig) -> Option<FuncToValidate<ValidatorResources>> {
        self.types.get(sig)?.as_ref()?;
        Some(FuncToValidate {
            resources: self.resources.clone()?,
            index: self.functions.len() as u32,
            ty: sig.0,
            features: WasmFeatures::default(),
        })
    }

    /// How many parameters a function of type `sig` has; 0 if it is no type of functions.
    pub fn params(&self, sig: Sig) -> usize {
        let types = self
            .resources
            .as_ref()
            .and_then(|types| types.sub_type_at(sig.0));
        match types.map(|ty| &ty.composite_type.inner) {
            Some(CompositeInnerType::Func(function)) => function.params().len(),
            _ => 0,
        }
    }

    /// The body of a function that is not imported.
    pub fn body(&self, func: Func) -> Option<&FunctionBody<'a>> {
        self.bodies
            .get(func.index().checked_sub(self.imports.len())?)
    }

    /// The import that `func` is, if it is one.
    pub fn import(&self, func: Func) -> Option<&Import<'a>> {
        self.imports.get(func.index())
    }

    /// The signature of `func`, unless it uses types beyond [`Type`].
    pub fn signature(&self, func: Func) -> Option<&Signature> {
        self.types.get(*self.functions.get(func)?)?.as_ref()
    }

    /// What the name section calls `func`, as its author wrote it, without the hash that the Rust
    /// compiler adds.
    pub fn name(&self, func: Func) -> Option<String> {
        let sections = self.names.clone()?.map_while(Result::ok);
        let functions = sections.filter_map(|section| match section {
            Name::Function(names) => Some(names.into_iter().map_while(Result::ok)),
            _ => None,
        });
        let mut names = functions.flatten();
        let name = names.find(|name| name.index == func.0)?.name;
        Some(readable(name))
    }

    /// Fills `bytes` with the memory image at `address`; zero where no data segment reaches.
    pub fn read_image(&self, address: u32, bytes: &mut [u8]) {
        let start = (address as usize).min(self.image.len());
        let there = self.image.len().min(address as usize + bytes.len()) - start;
        bytes[..there].copy_from_slice(&self.image[start..start + there]);
        bytes[there..].fill(0);
    }

    /// The little-endian 32-bit word of the memory image at `address`.
    pub fn image_u32(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        self.read_image(address, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn section(&mut self, payload: Payload<'a>) -> Result<(), ModuleError> {
        match payload {
            Payload::TypeSection(types) => {
                for group in types {
                    for sub in group?.into_types() {
                        self.types.push(signature(&sub));
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    self.import_item(import?)?;
                }
            }
            Payload::FunctionSection(functions) => {
                for ty in functions {
                    self.functions.push(Sig(ty?));
                }
            }
            Payload::TableSection(tables) => {
                let tables_start = tables.range().start;
                for table in tables {
                    let table = table?;
                    let is_null = matches!(table.init, wasmparser::TableInit::RefNull);
                    self.owns_table |= self.entries.is_none();
                    self.table_type(&table.ty, is_null, tables_start)?;
                }
            }
            Payload::MemorySection(memories) => {
                let offset = memories.range().start;
                for memory in memories {
                    self.owns_memory |= self.memory_size.is_none();
                    self.memory_type(&memory?, offset)?;
                }
            }
            Payload::TagSection(tags) => {
                for tag in tags {
                    self.tags.push(Sig(tag?.func_type_idx));
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    let global = global?;
                    self.globals.push(GlobalInfo {
                        ty: value_type(global.ty.content_type),
                        mutable: global.ty.mutable,
                        init: constant(&global.init_expr),
                    });
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    self.exports
                        .insert(export.name, (export.kind, export.index));
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.element(element?)?;
                }
            }
            Payload::DataSection(segments) => {
                let mut active = Vec::new();
                for (index, segment) in (0..).zip(segments) {
                    active.extend(self.data(index, segment?)?);
                }
                self.image = filled(&active);
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(custom) => {
                if let KnownCustom::Name(names) = custom.as_known() {
                    self.names.get_or_insert(names);
                }
                self.references = self.references.take().or(References::read(&custom));
            }
            _ => {}
        }
        Ok(())
    }

    fn import_item(&mut self, import: wasmparser::Import<'a>) -> Result<(), ModuleError> {
        match import.ty {
            TypeRef::Func(sig) => {
                self.functions.push(Sig(sig));
                self.imports.push(Import {
                    module: import.module,
                    name: import.name,
                });
            }
            TypeRef::Global(global) => {
                self.globals.push(GlobalInfo {
                    ty: value_type(global.content_type),
                    mutable: global.mutable,
                    init: None,
                });
            }
            TypeRef::Table(table) => self.table_type(&table, false, 0)?,
            TypeRef::Memory(memory) => self.memory_type(&memory, 0)?,
            TypeRef::Tag(tag) => self.tags.push(Sig(tag.func_type_idx)),
            TypeRef::FuncExact(_) => {}
        }
        Ok(())
    }

    /// Takes note of a memory. Requests and constant memory lie in the first one.
    fn memory_type(
        &mut self,
        memory: &wasmparser::MemoryType,
        offset: usize,
    ) -> Result<(), ModuleError> {
        if memory.memory64 && self.wide_memories.is_empty() {
            let what =
                "the first memory is one of proposal `memory64`: its addresses have 32 bits here";
            return Err(ModuleError::Unsupported { offset, what });
        }
        self.wide_memories.push(memory.memory64);
        let page = memory.page_size_log2.unwrap_or(16).min(16);
        let size = memory.initial.saturating_mul(1 << page);
        self.memory_size.get_or_insert(size);
        Ok(())
    }

    /// Takes note of a segment. Gives its address and contents if it fills memory 0.
    fn data(
        &mut self,
        index: u32,
        segment: wasmparser::Data<'a>,
    ) -> Result<Option<(usize, &'a [u8])>, ModuleError> {
        let wasmparser::DataKind::Active {
            memory_index: 0,
            offset_expr,
        } = segment.kind
        else {
            self.other_segments.push(index);
            self.has_other_data |= !segment.data.is_empty();
            return Ok(None);
        };
        let Some(Const::I32(offset)) = constant(&offset_expr) else {
            return Err(ModuleError::Unsupported {
                offset: segment.range.start,
                what: "data segment whose offset is not a constant",
            });
        };
        let unsupported = |what| ModuleError::Unsupported {
            offset: segment.range.start,
            what,
        };
        let start = offset as u32 as usize;
        let end = start + segment.data.len();
        if end as u64 > self.memory_size.unwrap_or(0) {
            return Err(unsupported("data segment that does not fit the memory"));
        }
        if end as u64 > MAX_IMAGE {
            return Err(unsupported("data segment beyond the first GiB of memory"));
        }
        self.segments
            .push((start as u32, segment.data.len() as u32));
        Ok(Some((start, segment.data)))
    }
}

/// Memory 0 as these fill it, in order. What is between them takes no memory here: most of a
/// snapshot's is zero.
pub fn filled(segments: &[(usize, &[u8])]) -> Vec<u8> {
    let ends = segments.iter().map(|(start, data)| start + data.len());
    let mut image = vec![0; ends.max().unwrap_or(0)];
    for &(start, data) in segments {
        image[start..start + data.len()].copy_from_slice(data);
    }
    image
}

/// The name as its author wrote it, without the hash that the Rust compiler adds.
pub fn readable(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

fn signature(sub: &wasmparser::SubType) -> Option<Signature> {
    let wasmparser::CompositeInnerType::Func(func) = &sub.composite_type.inner else {
        return None;
    };
    let types = |list: &[ValType]| {
        list.iter()
            .map(|&ty| value_type(ty))
            .collect::<Option<Vec<_>>>()
    };
    let signature = Signature {
        params: types(func.params())?,
        results: types(func.results())?,
    };
    (signature.results.len() <= 1).then_some(signature)
}

/// The value of a constant expression that is one plain constant.
pub(crate) fn constant(expr: &wasmparser::ConstExpr<'_>) -> Option<Const> {
    let mut reader = expr.get_operators_reader();
    let value = match reader.read().ok()? {
        Operator::I32Const { value } => Const::I32(value),
        Operator::I64Const { value } => Const::I64(value),
        Operator::F32Const { value } => Const::F32(value.bits()),
        Operator::F64Const { value } => Const::F64(value.bits()),
        _ => return None,
    };
    matches!(reader.read().ok()?, Operator::End).then_some(value)
}

impl crate::op::Types for Module<'_> {
    fn function(&self, func: Func) -> Option<&Signature> {
        self.types.get(*self.functions.get(func)?)?.as_ref()
    }

    fn signature(&self, sig: Sig) -> Option<&Signature> {
        self.types.get(sig)?.as_ref()
    }

    fn global(&self, global: Global) -> Option<Type> {
        self.globals.get(global)?.ty
    }
}
