//! Non-local exits for C, in a module that has no exceptions: functions between a throw and its
//! catch return.
//!
//! C code sets a flag and returns from a function that is declared never to return. Here a test of
//! the flag is put behind each call that may come back so: where it is set, the caller returns as
//! well, with zeros. The function that catches has no tests: it looks at the flag itself, clears it
//! and goes on. So `longjmp` costs a load and a branch a call that may fail, in any engine, and
//! what is specialized needs no instruction that the specializer does not know.
//!
//! Invariant: indices of functions stay as they are; only code grows. Leaves out: what functions
//! do when they end, as C has no destructors; where C keeps a frame in memory, the catching
//! function's end restores the pointer to it.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{BlockType, CodeSection, Function, Instruction, MemArg, Module, RawSection};
use wasmparser::{
    ConstExpr, ElementItems, ExternalKind, FuncType, FunctionBody, Operator, Parser, Payload,
    TypeRef, ValType,
};

/// The exported function that throws.
pub const THROW: &str = "unwind.throw";
/// The exported function that catches what functions that it calls have thrown.
pub const CATCH: &str = "unwind.catch";
/// The exported global that holds the flag's address.
pub const FLAG: &str = "unwind_flag";

/// `module` with its tests.
pub fn with_tests(module: &[u8]) -> Result<Vec<u8>> {
    let found = Found::in_module(module)?;
    let throwing = found.throwing()?;
    let mut output = Module::new();
    let mut code = CodeSection::new();
    let mut bodies = found.bodies.iter();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        match &payload {
            Payload::CodeSectionEntry(_) => {
                let index = found.imports + code.len();
                let body = bodies.next().context("a body for each function")?;
                code.function(&found.rewritten(index, body, &throwing)?);
                if code.len() as usize == found.bodies.len() {
                    output.section(&code);
                }
            }
            Payload::CustomSection(section) if section.name().starts_with("reloc.") => {
                bail!("relocations would no longer fit: link without --emit-relocs")
            }
            other => {
                if let Some((id, range)) = other.as_section()
                    && !matches!(other, Payload::CodeSectionStart { .. })
                {
                    let data = &module[range];
                    output.section(&RawSection { id, data });
                }
            }
        }
    }
    Ok(output.finish())
}

/// What there is to know of a module.
#[derive(Default)]
struct Found<'m> {
    types: Vec<FuncType>,
    /// The type of each function.
    functions: Vec<u32>,
    /// How many of them are imported.
    imports: u32,
    bodies: Vec<FunctionBody<'m>>,
    /// Functions that the table holds.
    table: BTreeSet<u32>,
    throw: Option<u32>,
    catch: Option<u32>,
    flag: Option<u32>,
    /// What each defined global begins with.
    globals: Vec<Option<i32>>,
}

impl<'m> Found<'m> {
    fn in_module(module: &'m [u8]) -> Result<Self> {
        let mut found = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            found.read(payload?)?;
        }
        Ok(found)
    }

    fn read(&mut self, payload: Payload<'m>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    match import?.ty {
                        TypeRef::Func(ty) => {
                            self.functions.push(ty);
                            self.imports += 1;
                        }
                        TypeRef::Global(_) => bail!("imported globals are not expected"),
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                for ty in functions {
                    self.functions.push(ty?);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(number(&global?.init_expr));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    match (export.name, export.kind) {
                        (THROW, ExternalKind::Func) => self.throw = Some(export.index),
                        (CATCH, ExternalKind::Func) => self.catch = Some(export.index),
                        (FLAG, ExternalKind::Global) => self.flag = Some(export.index),
                        _ => {}
                    }
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    match element?.items {
                        ElementItems::Functions(functions) => {
                            for function in functions {
                                self.table.insert(function?);
                            }
                        }
                        ElementItems::Expressions(..) => bail!("a table of expressions"),
                    }
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            _ => {}
        }
        Ok(())
    }

    /// The functions that may return while the flag is set: those that call one.
    fn throwing(&self) -> Result<Throwing> {
        let throw = self.throw.with_context(|| format!("no export {THROW}"))?;
        let catch = self.catch.with_context(|| format!("no export {CATCH}"))?;
        let mut throwing = Throwing::default();
        throwing.insert(self, throw);
        loop {
            let before = throwing.functions.len();
            for (index, body) in (self.imports..).zip(&self.bodies) {
                if index == catch || throwing.functions.contains(&index) {
                    continue;
                }
                for op in body.get_operators_reader()? {
                    if throwing.may_throw(&op?) {
                        throwing.insert(self, index);
                        break;
                    }
                }
            }
            if throwing.functions.len() == before {
                return Ok(throwing);
            }
        }
    }

    /// A function's body, with a test behind each call that may throw.
    fn rewritten(
        &self,
        index: u32,
        body: &FunctionBody<'m>,
        throwing: &Throwing,
    ) -> Result<Function> {
        let flag = self.flag.with_context(|| format!("no export {FLAG}"))?;
        let address = self.globals.get(flag as usize).copied().flatten();
        let address = address.context("the flag has no constant address")?;
        let results = self.types[self.functions[index as usize] as usize].results();
        let mut same = RoundtripReencoder;
        let mut locals = Vec::new();
        for local in body.get_locals_reader()? {
            let (count, ty) = local?;
            locals.push((count, same.val_type(ty)?));
        }
        let mut function = Function::new(locals);
        for op in body.get_operators_reader()? {
            let op = op?;
            let throws = throwing.may_throw(&op) && self.catch != Some(index);
            let is_tail_call = matches!(
                op,
                Operator::ReturnCall { .. } | Operator::ReturnCallIndirect { .. }
            );
            function.instruction(&same.instruction(op)?);
            if throws && !is_tail_call {
                test(&mut function, address, results)?;
            }
        }
        Ok(function)
    }
}

/// Returns zeros if the flag is set.
fn test(function: &mut Function, address: i32, results: &[ValType]) -> Result<()> {
    function.instruction(&Instruction::I32Const(address));
    function.instruction(&Instruction::I32Load(MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    }));
    function.instruction(&Instruction::If(BlockType::Empty));
    for result in results {
        function.instruction(&match result {
            ValType::I32 => Instruction::I32Const(0),
            ValType::I64 => Instruction::I64Const(0),
            ValType::F32 => Instruction::F32Const(0.0_f32.into()),
            ValType::F64 => Instruction::F64Const(0.0_f64.into()),
            other => bail!("a function of C that returns a {other}"),
        });
    }
    function.instruction(&Instruction::Return);
    function.instruction(&Instruction::End);
    Ok(())
}

/// The number that an expression is.
fn number(expression: &ConstExpr) -> Option<i32> {
    match expression.get_operators_reader().read() {
        Ok(Operator::I32Const { value }) => Some(value),
        _ => None,
    }
}

/// What may come back with the flag set.
#[derive(Default)]
struct Throwing {
    functions: BTreeSet<u32>,
    /// Types of those that the table holds.
    types: BTreeSet<u32>,
}

impl Throwing {
    fn insert(&mut self, found: &Found, function: u32) {
        self.functions.insert(function);
        if found.table.contains(&function) {
            self.types.insert(found.functions[function as usize]);
        }
    }

    fn may_throw(&self, op: &Operator) -> bool {
        match op {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                self.functions.contains(function_index)
            }
            Operator::CallIndirect { type_index, .. }
            | Operator::ReturnCallIndirect { type_index, .. } => self.types.contains(type_index),
            _ => false,
        }
    }
}
