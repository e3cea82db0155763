//! How linked functions take their parameters: integers for which an engine has no register left
//! become floating-point numbers of the same bits, which have registers of their own.
//!
//! An engine with the calling convention of 64-bit x86 has six registers for integers and eight for
//! floating-point numbers, and takes two of the six for the instances of caller and callee. What is
//! left over goes through memory, and a tail call moves the frame.
//!
//! This is the last step over each body, generic or residual: it adds what converts arguments
//! before calls and parameters at the beginning. That takes room, so only types change that
//! functions in the table have: residual functions have these.
//!
//! Invariant: the type alone decides, so caller and callee agree, also through tables and
//! references. It does not depend on the program. Types of imports and exports stay as they are,
//! which the outside knows, and no two types become one, so a call through the table traps as it
//! did. All types stay where the outside may get any function of the table, or put one there: by
//! the table, or as a reference.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    BlockType, Encode, FuncType, HeapType, Instruction, RefType, TypeSection, ValType,
};
use wasmparser::{BinaryReader, ExternalKind, FunctionBody, Operator};

use super::LinkError;
use crate::ir::{Func, Sig, Signature, Type};
use crate::lower::val_type;
use crate::module::Module;

/// Integers that are passed in registers.
const INTEGERS: usize = 4;

/// Floating-point numbers that are.
const FLOATS: usize = 8;

/// How functions of a linked module take their parameters.
pub(super) struct Passing {
    /// By type, where it changes.
    changes: HashMap<Sig, Change>,
    /// By function of the linked module: its type.
    functions: Vec<Sig>,
    /// By table: what an index is.
    indices: Vec<ValType>,
}

/// A type that changes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Change {
    from: Signature,
    to: Signature,
    /// The type as it was, in the linked module: blocks may have it.
    original: u32,
}

impl Passing {
    /// As it is in a module whose functions have these types, imports first. `types` is how many
    /// there are before those that are added here.
    pub fn new(module: &Module, functions: Vec<Sig>, types: u32, is_on: bool) -> Self {
        let mut changes = HashMap::new();
        if is_on {
            for (sig, from, to) in changing(module) {
                let original = types + changes.len() as u32;
                changes.insert(sig, Change { from, to, original });
            }
        }
        let indices = module.wide_tables.iter().map(|is_wide| match is_wide {
            true => ValType::I64,
            false => ValType::I32,
        });
        Self {
            changes,
            functions,
            indices: indices.collect(),
        }
    }

    /// What a type is in the linked module, if it changes.
    pub fn changed(&self, sig: Sig) -> Option<FuncType> {
        Some(function_type(&self.changes.get(&sig)?.to))
    }

    /// Defines those that changed once more, as they were.
    pub fn define_types(&self, types: &mut TypeSection) {
        let mut originals: Vec<_> = self.changes.values().collect();
        originals.sort_by_key(|change| change.original);
        for change in originals {
            types.ty().func_type(&function_type(&change.from));
        }
    }

    /// The linked body of a function of this type, with arguments and parameters as they are
    /// passed.
    pub fn apply(&self, module: &Module, sig: Sig, body: Vec<u8>) -> Result<Vec<u8>, LinkError> {
        if self.changes.is_empty() {
            return Ok(body);
        }
        let function = FunctionBody::new(BinaryReader::new(&body, 0));
        let groups = function.get_locals_reader()?;
        let (group_count, groups_start) = (groups.get_count(), groups.original_position());
        let mut declared = 0;
        for group in groups {
            declared += group?.0;
        }
        let mut operators = function.get_operators_reader()?;
        let code_start = operators.original_position();
        let mut rewriting = Rewriting {
            passing: self,
            own: self.changes.get(&sig),
            body: &body,
            group_count,
            groups: groups_start..code_start,
            code: Vec::new(),
            copied: code_start,
            locals: Locals {
                first: module.params(sig) as u32 + declared,
                ..Locals::default()
            },
            moved: BTreeMap::new(),
            pushes: Vec::new(),
        };
        while !operators.eof() {
            let (operator, start) = operators.read_with_offset()?;
            rewriting.operator(&operator, start..operators.original_position());
        }
        Ok(rewriting.finish().unwrap_or(body))
    }
}

fn function_type(signature: &Signature) -> FuncType {
    let params = signature.params.iter().copied().map(val_type);
    FuncType::new(params, signature.results.iter().copied().map(val_type))
}

/// The types that change, and what they become.
fn changing(module: &Module) -> Vec<(Sig, Signature, Signature)> {
    if !module.hides_table() || module.passes_references() {
        return Vec::new();
    }
    let imported = (0..module.imports.len() as u32).map(Func);
    let exported = module
        .exports
        .values()
        .filter_map(|&(kind, index)| match kind {
            ExternalKind::Func | ExternalKind::FuncExact => Some(Func(index)),
            _ => None,
        });
    let signature = |func| module.signature(func);
    let tags = module
        .tags
        .iter()
        .filter_map(|&tag| module.types[tag].as_ref());
    let functions = imported.chain(exported).filter_map(signature);
    let outside: HashSet<_> = functions.chain(tags).collect();
    let in_table = module.table.iter().copied().flatten();
    let in_table: HashSet<_> = in_table.filter_map(signature).collect();
    let mut sources: HashMap<Signature, HashSet<&Signature>> = HashMap::new();
    for signature in module.types.values().flatten() {
        sources
            .entry(passed(signature))
            .or_default()
            .insert(signature);
    }
    let types = module.types.keys().zip(module.types.values());
    let changing = types.filter_map(|(sig, from)| {
        let from = from.as_ref()?;
        let to = passed(from);
        let may_change = in_table.contains(from) && !outside.contains(from);
        let is_changing = to != *from && may_change && sources[&to].len() == 1;
        is_changing.then(|| (sig, from.clone(), to))
    });
    changing.collect()
}

/// A type whose integers are passed in registers, as far as there are any.
fn passed(signature: &Signature) -> Signature {
    let mut passed = signature.clone();
    let is_integer = |ty: &Type| matches!(ty, Type::I32 | Type::I64);
    let integers = signature.params.iter().filter(|ty| is_integer(ty)).count();
    let floats = signature.params.len() - integers;
    let params = passed.params.iter_mut().filter(|ty| is_integer(ty));
    let left_over = params.skip(INTEGERS);
    for ty in left_over.take(FLOATS.saturating_sub(floats)) {
        *ty = match ty {
            Type::I32 => Type::F32,
            _ => Type::F64,
        };
    }
    passed
}

impl Change {
    /// The first parameter that changes.
    fn first(&self) -> usize {
        let mut both = self.from.params.iter().zip(&self.to.params);
        both.position(|(from, to)| from != to).expect("one does")
    }
}

/// What makes a value of one type of one of another, by its bits.
fn reinterpret(from: Type, to: Type) -> Option<Instruction<'static>> {
    match (from, to) {
        (Type::I32, Type::F32) => Some(Instruction::F32ReinterpretI32),
        (Type::I64, Type::F64) => Some(Instruction::F64ReinterpretI64),
        (Type::F32, Type::I32) => Some(Instruction::I32ReinterpretF32),
        (Type::F64, Type::I64) => Some(Instruction::I64ReinterpretF64),
        _ => None,
    }
}

/// Locals that are added to a body.
#[derive(Default)]
struct Locals {
    first: u32,
    types: Vec<ValType>,
    /// Those for arguments that wait for others to be converted, and how many of a type do now.
    waiting: HashMap<ValType, (Vec<u32>, usize)>,
}

impl Locals {
    fn add(&mut self, ty: ValType) -> u32 {
        self.types.push(ty);
        self.first + self.types.len() as u32 - 1
    }

    /// One in which an argument can wait, until [`Locals::free`].
    fn take(&mut self, ty: ValType) -> u32 {
        let (locals, taken) = self.waiting.entry(ty).or_default();
        *taken += 1;
        match locals.get(*taken - 1) {
            Some(&local) => local,
            None => {
                let local = self.add(ty);
                self.waiting.entry(ty).or_default().0.push(local);
                local
            }
        }
    }

    fn free(&mut self) {
        self.waiting.values_mut().for_each(|(_, taken)| *taken = 0);
    }
}

/// A body on the way.
struct Rewriting<'a> {
    passing: &'a Passing,
    /// The change of its own type.
    own: Option<&'a Change>,
    body: &'a [u8],
    /// How many groups of locals the body has, and where they lie.
    group_count: u32,
    groups: Range<usize>,
    code: Vec<u8>,
    /// Up to here the body is in `code`.
    copied: usize,
    locals: Locals,
    /// Parameters that are used, and the locals that hold what they were.
    moved: BTreeMap<u32, u32>,
    /// The last operators, as far as each does nothing but push an operand.
    pushes: Vec<Push>,
}

/// An operator that pushes an operand.
struct Push {
    at: Range<usize>,
    /// The local that it gets, if it was a parameter that moved.
    moved: Option<u32>,
}

impl Rewriting<'_> {
    /// Takes an operator over, which lies here.
    fn operator(&mut self, operator: &Operator, at: Range<usize>) {
        let push = |moved| Push {
            at: at.clone(),
            moved,
        };
        match *operator {
            Operator::LocalGet { local_index } => {
                let moved = self.moved(local_index);
                self.pushes.push(push(moved));
                return;
            }
            Operator::I32Const { .. } | Operator::I64Const { .. } => {
                self.pushes.push(push(None));
                return;
            }
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                let sig = self.passing.functions[function_index as usize];
                self.call(sig, None, at.start);
            }
            Operator::CallIndirect {
                type_index,
                table_index,
            }
            | Operator::ReturnCallIndirect {
                type_index,
                table_index,
            } => {
                let index = self.passing.indices[table_index as usize];
                self.call(Sig(type_index), Some(index), at.start);
            }
            Operator::CallRef { type_index } | Operator::ReturnCallRef { type_index } => {
                let callee = RefType {
                    nullable: true,
                    heap_type: HeapType::Concrete(type_index),
                };
                self.call(Sig(type_index), Some(ValType::Ref(callee)), at.start);
            }
            _ => {}
        }
        self.copy_pushes(0);
        match *operator {
            Operator::LocalSet { local_index } => {
                self.assign(local_index, Instruction::LocalSet, at);
            }
            Operator::LocalTee { local_index } => {
                self.assign(local_index, Instruction::LocalTee, at);
            }
            Operator::Block { blockty } => self.block(blockty, Instruction::Block, at),
            Operator::Loop { blockty } => self.block(blockty, Instruction::Loop, at),
            Operator::If { blockty } => self.block(blockty, Instruction::If, at),
            Operator::TryTable { ref try_table } => {
                let catches = try_table.catches.iter();
                let catches: Result<Vec<_>, _> = catches
                    .map(|&catch| RoundtripReencoder.catch(catch))
                    .collect();
                let catches = catches.expect("no index changes");
                let write = |ty| Instruction::TryTable(ty, catches.into());
                self.block(try_table.ty, write, at);
            }
            _ => {}
        }
    }

    fn copy_to(&mut self, end: usize) {
        self.code.extend_from_slice(&self.body[self.copied..end]);
        self.copied = end;
    }

    /// Writes something in the place of what lies here.
    fn replace(&mut self, at: Range<usize>, instruction: &Instruction) {
        self.copy_to(at.start);
        instruction.encode(&mut self.code);
        self.copied = at.end;
    }

    fn copy_push(&mut self, push: Push) {
        match push.moved {
            Some(local) => self.replace(push.at, &Instruction::LocalGet(local)),
            None => self.copy_to(push.at.end),
        }
    }

    /// Copies the pushes before the last `but`.
    fn copy_pushes(&mut self, but: usize) {
        let mut pushes = std::mem::take(&mut self.pushes);
        let first = pushes.len() - but;
        // Those that stay as they are can wait.
        for push in pushes.drain(..first).filter(|push| push.moved.is_some()) {
            self.copy_push(push);
        }
        self.pushes = pushes;
    }

    /// The local that holds a parameter, if this is one that is passed as something else.
    fn moved(&mut self, local: u32) -> Option<u32> {
        let own = self.own?;
        let (from, to) = (own.from.params.get(local as usize)?, &own.to.params);
        if *from == to[local as usize] {
            return None;
        }
        let moved = self.moved.entry(local);
        Some(*moved.or_insert_with(|| self.locals.add(val_type(*from))))
    }

    fn assign(&mut self, local: u32, write: fn(u32) -> Instruction<'static>, at: Range<usize>) {
        if let Some(moved) = self.moved(local) {
            self.replace(at, &write(moved));
        }
    }

    /// Converts the arguments of the call that lies here. The callee, if it is an operand, is of
    /// this type.
    fn call(&mut self, sig: Sig, callee: Option<ValType>, at: usize) {
        let Some(change) = self.passing.changes.get(&sig) else {
            return;
        };
        // The operands from the first that changes on: what they become, and how.
        let params = change.from.params.iter().zip(&change.to.params);
        let params = params.skip(change.first());
        let operands = params.map(|(from, to)| (val_type(*to), reinterpret(*from, *to)));
        let operands: Vec<_> = operands.chain(callee.map(|ty| (ty, None))).collect();
        let pushed = self.pushes.len().min(operands.len());
        self.copy_pushes(pushed);
        let (computed, pushed) = operands.split_at(operands.len() - pushed);
        self.copy_to(self.pushes.first().map_or(at, |push| push.at.start));
        // What was computed is on the stack, where only the last one can be converted.
        let mut waiting = Vec::new();
        for (index, (ty, conversion)) in computed.iter().enumerate().rev() {
            self.write(conversion.as_ref());
            if index > 0 {
                let local = self.locals.take(*ty);
                self.write(Some(&Instruction::LocalSet(local)));
                waiting.push(local);
            }
        }
        for local in waiting.into_iter().rev() {
            self.write(Some(&Instruction::LocalGet(local)));
        }
        self.locals.free();
        let mut pushes = std::mem::take(&mut self.pushes);
        for (push, (_, conversion)) in pushes.drain(..).zip(pushed) {
            self.copy_push(push);
            self.write(conversion.as_ref());
        }
        self.pushes = pushes;
    }

    fn write(&mut self, instruction: Option<&Instruction>) {
        if let Some(instruction) = instruction {
            instruction.encode(&mut self.code);
        }
    }

    fn block(
        &mut self,
        ty: wasmparser::BlockType,
        write: impl FnOnce(BlockType) -> Instruction<'static>,
        at: Range<usize>,
    ) {
        if let wasmparser::BlockType::FuncType(index) = ty
            && let Some(change) = self.passing.changes.get(&Sig(index))
        {
            self.replace(at, &write(BlockType::FunctionType(change.original)));
        }
    }

    /// The whole, unless it stays as it was.
    fn finish(mut self) -> Option<Vec<u8>> {
        if self.copied == self.groups.end {
            return None;
        }
        self.copy_to(self.body.len());
        let mut whole = Vec::with_capacity(self.body.len() + self.code.len() / 8);
        (self.group_count + self.locals.types.len() as u32).encode(&mut whole);
        whole.extend_from_slice(&self.body[self.groups.clone()]);
        for ty in &self.locals.types {
            1u32.encode(&mut whole);
            ty.encode(&mut whole);
        }
        for (param, local) in self.moved {
            let own = self.own.expect("a parameter moves where its type changes");
            let types = [&own.from, &own.to].map(|signature| signature.params[param as usize]);
            let back = reinterpret(types[1], types[0]).expect("it changed");
            Instruction::LocalGet(param).encode(&mut whole);
            back.encode(&mut whole);
            Instruction::LocalSet(local).encode(&mut whole);
        }
        whole.extend_from_slice(&self.code);
        Some(whole)
    }
}
