//! Calls of methods, which `ocamlc` compiles to an instruction that finds the method and the call
//! right after it. Which functions these are, the tables of classes say once they exist
//! ([`tables`]).

mod tables;

pub use tables::{find_candidates, note};

use crate::code::decode::{self, Instruction};
use crate::code::effect;
use crate::code::load;
use crate::code::opcode::Opcode;
use crate::code::{self, Entry};

/// How a method is found in an object's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
            let entry = code::entry_around(entries, finds.position)?.position;
            let variable = load::variable(&before?)?;
            Some(Method::Own { entry, variable })
        }
        _ => None,
    }
}
