//! The guest as stubs are joined to it.

use std::collections::{HashMap, HashSet};

use annotations::{InterfaceEffects, STUB_RETURNED_ZERO, STUBS_EXPORT, Stubs};
use anyhow::{Context, Result, ensure};
use specializer::module::references::{self, References};
use wasmparser::{
    ConstExpr as Expression, ExternalKind, FuncType, Operator, Parser, Payload, TypeRef, ValType,
};

/// The module that C's functions of the interface are in.
pub const C: &str = "env";

/// A function of the guest's that stubs may call.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    pub index: u32,
    pub ty: u32,
    effects: InterfaceEffects,
}

/// What is to be known of a guest.
pub struct Guest {
    pub bytes: Vec<u8>,
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
    pub references: Option<References>,
}

/// A function that the guest exports for C.
struct Exported<'a> {
    index: u32,
    wrapped: Option<Wrapped>,
    effects: InterfaceEffects,
    name: &'a str,
}

/// What a function calls that stands in the place of an exported one.
#[derive(Clone, Copy)]
struct Wrapped {
    function: u32,
    /// What is called after it.
    destructors: u32,
}

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
                            exported.push(Exported {
                                index: export.index,
                                wrapped: None,
                                effects,
                                name,
                            });
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
                    for known in exported.iter_mut().filter(|known| known.index == body) {
                        known.wrapped = self.wrapped(&code)?;
                    }
                    body += 1;
                }
                Payload::CustomSection(custom) => {
                    self.references = self.references.take().or(References::read(&custom));
                }
                _ => {}
            }
        }
        self.add_interface(&exported);
        let pointers = globals.iter().filter(|global| global.0).count();
        ensure!(
            pointers == 1,
            "it has {pointers} globals that may be the stack pointer"
        );
        self.functions = self.types_of.len() as u32;
        Ok(())
    }

    /// Adds what the guest exports for C.
    fn add_interface(&mut self, exported: &[Exported]) {
        // What the guest's linker put around this one, it put around all: they end with the same
        // destructors.
        let mut known = exported.iter();
        let known = known.find(|exported| exported.name == STUB_RETURNED_ZERO);
        let destructors = known.and_then(|known| Some(known.wrapped?.destructors));
        for exported in exported {
            let wrapped = exported.wrapped;
            let wrapped = wrapped.filter(|wrapped| Some(wrapped.destructors) == destructors);
            let index = wrapped.map_or(exported.index, |wrapped| wrapped.function);
            let interface = Interface {
                index,
                ty: self.types_of[index as usize],
                effects: exported.effects,
            };
            let name = (C.into(), exported.name.into());
            self.interface.insert(name, interface);
        }
    }

    /// What a function calls that the guest's linker has made, as if each call were a program.
    /// Nothing for most other functions.
    fn wrapped(&self, body: &wasmparser::FunctionBody) -> Result<Option<Wrapped>> {
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
        let (function, destructors) = match calls[..] {
            [before, function, after] if is_plain(before) => (function, after),
            [function, after] => (function, after),
            _ => return Ok(None),
        };
        Ok(is_plain(destructors).then_some(Wrapped {
            function,
            destructors,
        }))
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
