//! Which functions of stubs never return zero: who calls one of these need not look at what it got.
//!
//! A function's result is what its last instructions compute, if it returns nowhere else: a number
//! of which a bit was set, one of two such, or what a function of the guest made
//! ([`InterfaceEffects::MAKES`]).
//!
//! Leaves out what is not seen in these last instructions, but for code without branches and calls,
//! of which the whole stack is followed.

use std::collections::HashSet;

use annotations::InterfaceEffects;
use anyhow::Result;
use wasmparser::{
    BinaryReader, BlockType, ContType, FrameKind, FuncType, FunctionBody, ModuleArity, Operator,
    RefType, SubType,
};

use super::code::Function;
use super::effects::Effects;
use super::guest::Guest;

/// The functions that never return zero, by their indices.
pub fn find(guest: &Guest, functions: &[Function], effects: &Effects) -> Result<HashSet<u32>> {
    let mut never = guest.makers();
    let returns_zero = |effects: InterfaceEffects| effects.has(InterfaceEffects::RAISES);
    loop {
        let before = never.len();
        for (index, function) in (guest.functions..).zip(functions) {
            if !returns_zero(effects.of(index)) && is_never_zero(function, &never)? {
                never.insert(index);
            }
        }
        if never.len() == before {
            return Ok(never);
        }
    }
}

/// Whether the function never returns zero, if these do not.
fn is_never_zero(function: &Function, never: &HashSet<u32>) -> Result<bool> {
    let reader = FunctionBody::new(BinaryReader::new(&function.body, 0));
    let (mut depth, mut last) = (0, [const { None }; 3]);
    let mut stack = Some(Vec::new());
    let mut operators = reader.get_operators_reader()?;
    while !operators.eof() {
        let operator = operators.read()?;
        match &operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
            Operator::End if depth == 0 => break,
            Operator::End => depth -= 1,
            Operator::Return
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. } => return Ok(false),
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth }
                if *relative_depth >= depth =>
            {
                return Ok(false);
            }
            Operator::BrTable { targets } => {
                let mut targets = targets.targets().chain([Ok(targets.default())]);
                if targets.any(|target| target.is_ok_and(|target| target >= depth)) {
                    return Ok(false);
                }
            }
            _ => {}
        }
        stack = stack.and_then(|stack| followed(&operator, stack));
        last.rotate_left(1);
        last[2] = Some(operator);
    }
    if let Some(&[result]) = stack.as_deref() {
        return Ok(result);
    }
    Ok(match last {
        [_, _, Some(Operator::I64Const { value })] => value != 0,
        [_, _, Some(Operator::Call { function_index })] => never.contains(&function_index),
        [_, Some(Operator::I64Const { value }), Some(Operator::I64Or)] => value != 0,
        [
            Some(Operator::I32Const { value }),
            Some(Operator::I32Or),
            Some(Operator::I64ExtendI32U | Operator::I64ExtendI32S),
        ] => value != 0,
        _ => false,
    })
}

/// Which words on the stack are not zero behind an operator, the top last; nothing if it branches
/// or calls.
fn followed(operator: &Operator, mut stack: Vec<bool>) -> Option<Vec<bool>> {
    let (taken, given) = operator.operator_arity(&Nothing)?;
    let operands = stack.split_off(stack.len().checked_sub(taken as usize)?);
    let is_not_zero = match (operator, &operands[..]) {
        (Operator::I64Const { value }, _) => *value != 0,
        (Operator::I32Const { value }, _) => *value != 0,
        (Operator::I64Or | Operator::I32Or, [a, b]) => *a || *b,
        (Operator::Select, [a, b, _]) => *a && *b,
        (
            Operator::I64ExtendI32U | Operator::I64ExtendI32S | Operator::LocalTee { .. },
            [value],
        ) => *value,
        _ => false,
    };
    stack.extend(vec![is_not_zero; given as usize]);
    Some(stack)
}

/// A module of which no types are known.
struct Nothing;

impl ModuleArity for Nothing {
    fn sub_type_at(&self, _: u32) -> Option<&SubType> {
        None
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, _: u32) -> Option<u32> {
        None
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        0
    }

    fn label_block(&self, _: u32) -> Option<(BlockType, FrameKind)> {
        None
    }
}
