//! Proof that a mutant changes nothing: trivial compiler equivalence (Papadakis, Jia, Harman, Le
//! Traon, "Trivial Compiler Equivalence", ICSE 2015).
//!
//! Two modules are equal if Cranelift, with all of its optimisations, makes the same machine code
//! of both and all but their code is the same to the byte. Before that, arguments that the callee
//! never reads become zero in both: Cranelift does not look across functions. Leaves out stores
//! that are overwritten before anybody looks, which Cranelift keeps.

use std::convert::Infallible;
use std::sync::LazyLock;

use anyhow::Result;
use specializer::ir::{Func, Type};
use specializer::module::Module;
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Function, Instruction, ValType};
use wasmparser::{FunctionBody, Operator, Parser};
use wasmtime::{Config, Engine, OptLevel};

use super::known;

/// The section of a module that may differ.
const CODE: u8 = 10;

static OPTIMISING: LazyLock<Engine> = LazyLock::new(|| {
    let mut config = Config::new();
    config.cranelift_opt_level(OptLevel::Speed);
    known::engine(config)
});

/// Whether both modules, which are valid, certainly do the same.
pub fn is_same(one: &[u8], other: &[u8]) -> Result<bool> {
    let [one, other] = [normal(one)?, normal(other)?];
    Ok(beside_code(&one)? == beside_code(&other)? && machine_code(&one)? == machine_code(&other)?)
}

/// All sections but the code, in order.
fn beside_code(module: &[u8]) -> Result<Vec<(u8, &[u8])>> {
    let mut sections = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let section = payload?.as_section();
        sections.extend(section.filter(|(id, _)| *id != CODE));
    }
    let bytes = sections.into_iter().map(|(id, range)| (id, &module[range]));
    Ok(bytes.collect())
}

fn machine_code(module: &[u8]) -> Result<Vec<u8>> {
    let compiled = wasmtime::Module::new(&OPTIMISING, module)
        .map_err(|error| anyhow::Error::from_boxed(error.into()))?;
    Ok(compiled.text().to_vec())
}

/// The module with zero for each argument of a direct call that the callee does not read.
fn normal(bytes: &[u8]) -> Result<Vec<u8>> {
    let module = Module::parse(bytes)?;
    let count = module.functions.len();
    let unread = (0..count).map(|func| unread(&module, Func(func as u32)));
    let mut zeroes = Zeroes {
        unread: unread.collect::<Result<_>>()?,
        current: module.imports.len(),
        module: &module,
    };
    let mut copy = wasm_encoder::Module::new();
    zeroes
        .parse_core_module(&mut copy, Parser::new(0), bytes)
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(copy.finish())
}

/// By parameter: whether the function never reads what its caller gave: it reads the local never,
/// or sets it before its first branch and before it reads it.
fn unread(module: &Module, func: Func) -> Result<Vec<bool>> {
    let count = params(module, func).len();
    let Some(body) = module.body(func) else {
        return Ok(vec![false; count]);
    };
    let (mut read, mut set) = (vec![false; count], vec![false; count]);
    let mut has_branched = false;
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::LocalGet { local_index } => {
                let local = local_index as usize;
                if local < count && !set[local] {
                    read[local] = true;
                }
            }
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                let local = local_index as usize;
                if local < count && !has_branched {
                    set[local] = true;
                }
            }
            Operator::If { .. }
            | Operator::Else
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. } => has_branched = true,
            // The others go on to the next operator, or end the function: nothing is passed over.
            _ => {}
        }
    }
    Ok(read.into_iter().map(|read| !read).collect())
}

fn params<'m>(module: &'m Module, func: Func) -> &'m [Type] {
    let ty = &module.types[module.functions[func]];
    ty.as_ref().map_or(&[], |signature| &signature.params)
}

/// Copies a module.
struct Zeroes<'m> {
    module: &'m Module<'m>,
    /// By function and parameter.
    unread: Vec<Vec<bool>>,
    /// The function whose body comes next.
    current: usize,
}

impl Zeroes<'_> {
    /// The arguments of a call anew: those that are read come back from locals, the others are
    /// zero. Those before the first that is not read stay where they are.
    fn arguments(&self, callee: u32, locals: &mut Vec<ValType>) -> Vec<Instruction<'static>> {
        let unread = &self.unread[callee as usize];
        let Some(first) = unread.iter().position(|unread| *unread) else {
            return Vec::new();
        };
        let types = &params(self.module, Func(callee))[first..];
        let base = locals.len() as u32;
        locals.extend(types.iter().map(|ty| encoded(*ty)));
        let places = (base..).zip(types).zip(&unread[first..]);
        let sets = (base..locals.len() as u32).rev().map(Instruction::LocalSet);
        let gets = places.map(|((local, ty), unread)| match unread {
            true => zero(*ty),
            false => Instruction::LocalGet(local),
        });
        sets.chain(gets).collect()
    }
}

impl Reencode for Zeroes<'_> {
    type Error = Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error<Infallible>> {
        let own = params(self.module, Func(self.current as u32));
        self.current += 1;
        let mut locals: Vec<ValType> = own.iter().map(|ty| encoded(*ty)).collect();
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            let ty = self.val_type(ty)?;
            locals.extend((0..count).map(|_| ty));
        }
        let mut instructions = Vec::new();
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let instruction = self.parse_instruction(&mut reader)?;
            if let Instruction::Call(callee) | Instruction::ReturnCall(callee) = instruction {
                instructions.extend(self.arguments(callee, &mut locals));
            }
            instructions.push(instruction);
        }
        let mut function = Function::new_with_locals_types(locals.split_off(own.len()));
        for instruction in &instructions {
            function.instruction(instruction);
        }
        code.function(&function);
        Ok(())
    }
}

fn encoded(ty: Type) -> ValType {
    match ty {
        Type::I32 => ValType::I32,
        Type::I64 => ValType::I64,
        Type::F32 => ValType::F32,
        Type::F64 => ValType::F64,
    }
}

fn zero(ty: Type) -> Instruction<'static> {
    match ty {
        Type::I32 => Instruction::I32Const(0),
        Type::I64 => Instruction::I64Const(0),
        Type::F32 => Instruction::F32Const(0.0_f32.into()),
        Type::F64 => Instruction::F64Const(0.0_f64.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;

    /// A caller of `$callee` with these operands, whose body is `body`.
    fn module(body: &str, operands: &str) -> Vec<u8> {
        let text = format!(
            "(module (memory 1)
               (func $callee (param i32 i64) (result i64) {body})
               (func (export \"run\") (param i64) (result i64) (call $callee {operands})))"
        );
        wat::parse_str(text).expect("the module's text is right")
    }

    #[test]
    fn an_argument_that_is_read_counts() {
        let body = "(i64.load (local.get 0))";
        let one = module(body, "(i32.const 8) (local.get 0)");
        let other = module(body, "(i32.const 16) (local.get 0)");
        assert!(!is_same(&one, &other).expect("both modules are valid"));
        assert!(is_same(&one, &one).expect("the module is valid"));
    }

    #[test]
    fn an_argument_that_is_not_read_does_not_count() {
        let body = "(local.get 1)";
        let one = module(body, "(i32.const 8) (local.get 0)");
        let other = module(body, "(i32.const 16) (local.get 0)");
        assert!(is_same(&one, &other).expect("both modules are valid"));
    }

    #[test]
    fn a_parameter_that_is_set_first_is_not_read() {
        let same = |body: &str| {
            let [one, other] =
                [8, 16].map(|value| module(body, &format!("(i32.const {value}) (local.get 0)")));
            is_same(&one, &other).expect("both modules are valid")
        };
        let set = "(local.set 0 (i32.const 4))";
        let read = "(i64.load (local.get 0))";
        assert!(same(&format!("{set} {read}")));
        assert!(!same(&format!(
            "(if (i64.eqz (local.get 1)) (then {set})) {read}"
        )));
        assert!(!same(&format!("(drop {read}) {set} {read}")));
    }

    #[test]
    fn dead_code_and_identities_do_not_count() {
        let one = module("(local.get 1)", "(i32.const 8) (local.get 0)");
        let body =
            "(drop (i64.mul (local.get 1) (i64.const 3))) (i64.or (local.get 1) (i64.const 0))";
        let other = module(body, "(i32.const 8) (local.get 0)");
        assert!(is_same(&one, &other).expect("both modules are valid"));
    }

    #[test]
    fn a_store_counts() {
        let one = module("(local.get 1)", "(i32.const 8) (local.get 0)");
        let body = "(i32.store (i32.const 4) (i32.const 1)) (local.get 1)";
        let other = module(body, "(i32.const 8) (local.get 0)");
        assert!(!is_same(&one, &other).expect("both modules are valid"));
    }

    #[test]
    fn memory_counts() {
        let text = |byte| format!("(module (memory 1) (data (i32.const 0) \"\\0{byte}\"))");
        let [one, other] = [1, 2].map(|byte| wat::parse_str(text(byte)).expect("it is right"));
        assert!(!is_same(&one, &other).expect("both modules are valid"));
    }
}
