//! Functions in the place of imports that the linked module does without.

use annotations::{NO_STACKS, StackFunction};
use wasm_encoder::{Function, Instruction};

use super::reach::Reached;
use super::stacks::{self, Stacks};
use super::{LinkError, Options};
use crate::ir::{Func, Sig, Type};
use crate::module::Module;

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

/// A stub for each function import that is left out though it is called, in order.
pub fn all(module: &Module, reached: &Reached, options: Options) -> Result<Vec<Stub>, LinkError> {
    let mut stubs = Vec::new();
    for (func, import) in (0..).map(Func).zip(&module.imports) {
        let is_needed = options.leaves_out(import) && reached.functions[func];
        if !is_needed {
            continue;
        }
        let sig = module.functions[func];
        if let Some(function) = stacks::function(module, func, import)? {
            let body = Body::OfStacks(function);
            stubs.push(Stub { sig, body });
            continue;
        }
        let Some(absent) = options.absent else {
            continue;
        };
        let results = module.signature(func).map(|sig| &sig.results[..]);
        let Some(&[result @ (Type::I32 | Type::I64)]) = results else {
            return Err(LinkError::NoAnswer {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
            });
        };
        let body = Body::Answers(result, absent.answer);
        stubs.push(Stub { sig, body });
    }
    Ok(stubs)
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
