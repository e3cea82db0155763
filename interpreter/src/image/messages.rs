//! Calls of methods, which `ocamlc` compiles to an instruction that finds the method and the call
//! right after it. Which functions these are, the tables of classes say once they exist
//! ([`tables`]).

mod tables;

pub use tables::{find_candidates, note};

use crate::code::Entry;
use crate::code::decode::{self, Instruction};
use crate::code::effect;
use crate::code::opcode::Opcode;

/// How a method is found in an object's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// By its label.
    Public(i32),
    /// By its index, which is in a variable of the closure whose function has its entry at this
    /// word: the object's own method.
    Own { entry: usize, variable: u32 },
}

/// A call of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    pub method: Method,
    /// Word index of the call.
    pub call: usize,
    /// With the object.
    pub arguments: u32,
}

/// The calls of methods in verified code, in ascending order.
pub fn find(code: &[i32], entries: &[Entry]) -> Vec<Message> {
    let mut found = Vec::new();
    let mut before: [Option<Instruction>; 2] = [None, None];
    for instruction in decode::instructions(code) {
        if let [before, Some(finds)] = before
            && let Some(arguments) = effect::call_arity(instruction.opcode, instruction.operands)
            && let Some(method) = method(before, finds, entries)
        {
            found.push(Message {
                method,
                call: instruction.position,
                arguments,
            });
        }
        before = [before[1], Some(instruction)];
    }
    found
}

fn method(before: Option<Instruction>, finds: Instruction, entries: &[Entry]) -> Option<Method> {
    match finds.opcode {
        Opcode::GetPubMet => Some(Method::Public(finds.operands[0])),
        Opcode::GetMethod => {
            let entry = function_of(finds.position, entries)?;
            let variable = variable(before?)?;
            Some(Method::Own { entry, variable })
        }
        _ => None,
    }
}

/// The variable of its closure that an instruction loads, by its index in the closure.
fn variable(load: Instruction) -> Option<u32> {
    use Opcode::*;
    match load.opcode {
        EnvAcc1 | PushEnvAcc1 => Some(1),
        EnvAcc2 | PushEnvAcc2 => Some(2),
        EnvAcc3 | PushEnvAcc3 => Some(3),
        EnvAcc4 | PushEnvAcc4 => Some(4),
        EnvAcc | PushEnvAcc => u32::try_from(load.operands[0]).ok(),
        _ => None,
    }
}

/// The entry of the function that an instruction is in.
fn function_of(position: usize, entries: &[Entry]) -> Option<usize> {
    let after = entries.partition_point(|entry| entry.position <= position);
    let entry = entries[..after].last()?;
    (position < entry.end).then_some(entry.position)
}
