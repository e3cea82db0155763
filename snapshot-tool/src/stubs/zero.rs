//! Which functions of stubs never return zero: who calls one of these need not look at what it got.
//!
//! A function's result is what its last instructions compute, if it returns nowhere else: a number
//! of which a bit was set, or what a function of the guest made ([`InterfaceEffects::MAKES`]).
//!
//! Leaves out what is not seen in these last instructions.

use std::collections::HashSet;

use annotations::InterfaceEffects;
use anyhow::Result;
use wasmparser::{BinaryReader, FunctionBody, Operator};

use super::code::Function;
use super::effects::Effects;
use super::module::Guest;

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
        last.rotate_left(1);
        last[2] = Some(operator);
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
