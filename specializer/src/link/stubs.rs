//! Functions in the place of imports that the linked module does without.

use std::collections::BTreeMap;

use annotations::{NO_STACKS, StackFunction};
use wasm_encoder::{Function, Instruction};

use super::reach::Reached;
use super::stacks::{self, Stacks};
use super::{LinkError, Options};
use crate::ir::{Func, Sig, Type};
use crate::module::{Import, Module};

/// A function in the place of an import.
#[derive(Clone, Copy)]
pub struct Stub {
    pub sig: Sig,
    body: Body,
}

#[derive(Clone, Copy)]
enum Body {
    /// It only answers.
    Answers(Type, i64),
    /// It has to do with stacks.
    OfStacks(StackFunction),
}

/// The stubs, by the function imports in whose place they are: those that are left out though they
/// are called.
pub fn all(
    module: &Module,
    reached: &Reached,
    options: Options,
) -> Result<BTreeMap<Func, Stub>, LinkError> {
    let imports = (0..).map(Func).zip(&module.imports);
    let left_out =
        imports.filter(|&(func, import)| options.leaves_out(import) && reached.functions[func]);
    let stub = |(func, import): (Func, &Import)| {
        let sig = module.functions[func];
        let body = match (stacks::function(module, func, import)?, options.absent) {
            (Some(function), _) => Body::OfStacks(function),
            (None, Some(absent)) => Body::Answers(answered(module, func, import)?, absent.answer),
            (None, None) => unreachable!("only imports for stacks are left out"),
        };
        Ok((func, Stub { sig, body }))
    };
    left_out.map(stub).collect()
}

/// The type of an import's result, if it can be answered.
fn answered(module: &Module, func: Func, import: &Import) -> Result<Type, LinkError> {
    let results = module.signature(func).map(|sig| &sig.results[..]);
    match results {
        Some(&[result @ (Type::I32 | Type::I64)]) => Ok(result),
        _ => Err(LinkError::NoAnswer {
            module: import.module.to_owned(),
            name: import.name.to_owned(),
        }),
    }
}

impl Stub {
    /// Whether it makes a stack.
    pub fn makes_stacks(&self) -> bool {
        matches!(self.body, Body::OfStacks(StackFunction::New))
    }

    /// Its code, in a module with these stacks.
    pub fn code(&self, stacks: Option<&Stacks>) -> Function {
        match (self.body, stacks) {
            (Body::Answers(result, answer), _) => answering(result, answer),
            (Body::OfStacks(function), Some(stacks)) => stacks.code(function),
            (Body::OfStacks(_), None) => answering(Type::I32, NO_STACKS.into()),
        }
    }
}

/// A function that only answers.
fn answering(result: Type, answer: i64) -> Function {
    let mut function = Function::new([]);
    function.instruction(&match result {
        Type::I32 => Instruction::I32Const(answer as i32),
        Type::I64 => Instruction::I64Const(answer),
        Type::F32 | Type::F64 => unreachable!("a stub answers an integer"),
    });
    function.instruction(&Instruction::End);
    function
}
