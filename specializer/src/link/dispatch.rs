//! Dispatchers ([`annotations::DISPATCHERS_EXPORT`]): their tail calls through the table become
//! switches over the functions in it.
//!
//! An engine takes the callee's instance from the table's entry, so all that the callee reads waits
//! for the loads that led to that entry. A call by name hands on the instance that the caller has.
//!
//! Where the dispatcher chooses between functions that it names, the switch is one test: all others
//! would otherwise be jumped past first.
//!
//! Invariant: a case calls the very function that the table has under its index. What the table
//! holds does not change, as everywhere in the specializer.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use wasm_encoder::{BlockType, Function, Instruction, ValType};
use wasmparser::FunctionBody;

use crate::ir::{Func, Sig, Type};
use crate::lower::val_type;
use crate::module::Module;

/// Most indices that a switch tells apart, fewer than engines accept. Functions beyond them are
/// called through the table.
const MOST_INDICES: usize = 60_000;

/// The dispatchers of a module. A list that cannot be read has none.
pub fn dispatchers(module: &Module) -> impl Iterator<Item = Func> {
    let list = module.exported_address(annotations::DISPATCHERS_EXPORT);
    let pointers = list.into_iter().flat_map(move |list| {
        let count = module.image_u32(list).min(module.table_size);
        (1..=count).map(move |number| module.image_u32(list.wrapping_add(4 * number)))
    });
    pointers.filter_map(move |index| *module.table.get(index as usize)?)
}

/// Indices of the table that a switch passes over. Behind more a switch of its own begins:
/// functions of the interpreter lie far apart, and residual functions of a type side by side.
const GAP: u32 = 16;

/// What a call of one type through the table may lead to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cases {
    params: Vec<Type>,
    /// By table index, in ascending order.
    cases: Vec<(u32, Case)>,
}

/// What the switch does for one table index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    Calls(u32),
    /// Only as a fault ([`crate::fault::Act::Trap`]).
    Traps,
}

/// By type, the cases of calls through a table that holds these functions: index, function, type.
pub fn cases(module: &Module, table: impl Iterator<Item = (u32, u32, Sig)>) -> HashMap<Sig, Cases> {
    let mut cases: HashMap<Sig, Cases> = HashMap::new();
    for (index, function, sig) in table.take_while(|(index, ..)| (*index as usize) < MOST_INDICES) {
        let cases = cases.entry(sig).or_insert_with(|| Cases {
            params: module.types[sig]
                .as_ref()
                .map_or_else(Vec::new, |signature| signature.params.clone()),
            cases: Vec::new(),
        });
        cases.cases.push((index, Case::Calls(function)));
    }
    cases
}

/// Copies a dispatcher's calls.
pub struct Dispatch<'a> {
    cases: &'a HashMap<Sig, Cases>,
    /// By the type of a call, the first of the locals that hold its operands: the table index, then
    /// the arguments.
    locals: HashMap<Sig, u32>,
    operands: Operands,
}

/// The topmost operands of straight code: of each, all constants that it may be, or none if it may
/// be anything.
#[derive(Default)]
struct Operands(Vec<Vec<u32>>);

impl<'a> Dispatch<'a> {
    /// For the function with this body, which has `declared` parameters and locals. Also gives the
    /// types of the locals that have to follow them.
    pub fn new(
        cases: &'a HashMap<Sig, Cases>,
        body: &FunctionBody,
        declared: u32,
    ) -> wasmparser::Result<(Self, Vec<ValType>)> {
        let mut locals = HashMap::new();
        let mut types = Vec::new();
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let Some(sig) = tail_call(&reader.read()?) else {
                continue;
            };
            if let Some(cases) = cases.get(&sig)
                && let Entry::Vacant(entry) = locals.entry(sig)
            {
                entry.insert(declared + types.len() as u32);
                types.push(ValType::I32);
                types.extend(cases.params.iter().map(|&param| val_type(param)));
            }
        }
        let operands = Operands::default();
        let dispatch = Self {
            cases,
            locals,
            operands,
        };
        Ok((dispatch, types))
    }

    /// Writes the switch in the place of a call; false if the operator is another. Is given all
    /// operators of the body in turn.
    pub fn write(&mut self, operator: &wasmparser::Operator, function: &mut Function) -> bool {
        let Some(sig) = tail_call(operator) else {
            self.operands.follow(operator);
            return false;
        };
        let Some((cases, &index)) = self.cases.get(&sig).zip(self.locals.get(&sig)) else {
            return false;
        };
        let arguments = index + 1..=index + cases.params.len() as u32;
        let default = cases.cases.len() as u32;
        let named = cases.named(&self.operands.pop());
        let mut write = |instruction| {
            function.instruction(&instruction);
        };
        write(Instruction::LocalSet(index));
        for argument in arguments.clone().rev() {
            write(Instruction::LocalSet(argument));
        }
        if let Some((&(_, last), others)) = named.as_deref().and_then(<[_]>::split_last) {
            for &(named, case) in others {
                write(Instruction::LocalGet(index));
                write(Instruction::I32Const(named as i32));
                write(Instruction::I32Eq);
                write(Instruction::If(BlockType::Empty));
                case.write(arguments.clone(), &mut write);
                write(Instruction::End);
            }
            last.write(arguments, &mut write);
            return true;
        }
        for _ in 0..=default {
            write(Instruction::Block(BlockType::Empty));
        }
        let switches = cases.switches();
        for (left, switch) in (0..switches.len()).rev().zip(&switches) {
            // All but the last lead on to the next one.
            let (within, otherwise) = match left {
                0 => (0, default),
                _ => (1, 0),
            };
            if within > 0 {
                write(Instruction::Block(BlockType::Empty));
            }
            let target = |case: Option<u32>| case.map_or(otherwise, |case| case + within);
            write(Instruction::LocalGet(index));
            write(Instruction::I32Const(switch.first as i32));
            write(Instruction::I32Sub);
            let targets: Vec<u32> = switch.cases.iter().copied().map(target).collect();
            write(Instruction::BrTable(targets.into(), otherwise));
            if within > 0 {
                write(Instruction::End);
            }
        }
        for &(_, case) in &cases.cases {
            write(Instruction::End);
            case.write(arguments.clone(), &mut write);
        }
        write(Instruction::End);
        let get = arguments.map(Instruction::LocalGet);
        get.for_each(&mut write);
        write(Instruction::LocalGet(index));
        write(Instruction::ReturnCallIndirect {
            type_index: sig.0,
            table_index: 0,
        });
        true
    }
}

impl Operands {
    /// Of operators that are not known here, nothing is known afterwards.
    fn follow(&mut self, operator: &wasmparser::Operator) {
        use wasmparser::Operator::*;
        match *operator {
            I32Const { value } => self.0.push(vec![value as u32]),
            LocalGet { .. } => self.0.push(Vec::new()),
            I32Eq | I32Ne => {
                self.pop();
                self.pop();
                self.0.push(Vec::new());
            }
            Select => {
                let (_, second, first) = (self.pop(), self.pop(), self.pop());
                let are_known = !first.is_empty() && !second.is_empty();
                let either = are_known.then(|| [first, second].concat());
                self.0.push(either.unwrap_or_default());
            }
            _ => self.0.clear(),
        }
    }

    fn pop(&mut self) -> Vec<u32> {
        self.0.pop().unwrap_or_default()
    }
}

impl Case {
    fn write<'a>(self, arguments: RangeInclusive<u32>, write: &mut impl FnMut(Instruction<'a>)) {
        arguments.map(Instruction::LocalGet).for_each(&mut *write);
        write(match self {
            Case::Calls(callee) => Instruction::ReturnCall(callee),
            Case::Traps => Instruction::Unreachable,
        });
    }
}

impl Cases {
    /// The cases of these indices, if each has one.
    fn named(&self, indices: &[u32]) -> Option<Vec<(u32, Case)>> {
        let case = |index| {
            let place = self.cases.binary_search_by_key(index, |&(index, _)| index);
            place.ok().map(|place| self.cases[place])
        };
        indices.iter().map(case).collect()
    }

    /// The case that calls a function, and what the others do.
    pub fn of(&mut self, function: u32) -> Option<(&mut Case, Vec<Case>)> {
        let is_meant = |case: &Case| *case == Case::Calls(function);
        let all = self.cases.iter().map(|(_, case)| *case);
        let others = all.filter(|case| !is_meant(case)).collect();
        let mut all = self.cases.iter_mut().map(|(_, case)| case);
        Some((all.find(|case| is_meant(case))?, others))
    }

    /// The switches that tell them apart. The table's last functions come first: residual ones.
    fn switches(&self) -> Vec<Switch> {
        let numbered: Vec<(u32, u32)> = (0..)
            .zip(&self.cases)
            .map(|(case, &(index, _))| (case, index))
            .collect();
        let near = numbered.chunk_by(|(_, before), (_, index)| index - before <= GAP);
        let mut switches: Vec<Switch> = near.map(Switch::new).collect();
        switches.reverse();
        switches
    }
}

/// Cases of functions that lie near each other in the table.
struct Switch {
    /// The first one's index.
    first: u32,
    /// By index from there on: the case, but for functions of another type.
    cases: Vec<Option<u32>>,
}

impl Switch {
    /// Of cases, each with its index.
    fn new(numbered: &[(u32, u32)]) -> Self {
        let first = numbered[0].1;
        let mut cases = Vec::new();
        for &(case, index) in numbered {
            cases.resize((index - first) as usize, None);
            cases.push(Some(case));
        }
        Self { first, cases }
    }
}

/// The type of a tail call through table 0.
fn tail_call(operator: &wasmparser::Operator) -> Option<Sig> {
    match operator {
        wasmparser::Operator::ReturnCallIndirect {
            type_index,
            table_index: 0,
        } => Some(Sig(*type_index)),
        _ => None,
    }
}
