//! Places in a residual body that depend on the module it is linked into.
//!
//! Invariant: a relocation covers a LEB128 number that is padded to five bytes, so that what a
//! stored body holds does not depend on what its relocations stand for. In the linked module such
//! numbers are as short as they can be, or as [`Indices`] says.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use wasm_encoder::{Encode, Instruction, MemArg};

use super::encode::{CALL, RETURN_CALL};
use crate::ir::{Func, Given, Numbers, Symbol};
use crate::op::Intrinsic;

/// Bytes of an operand that a relocation covers.
pub const OPERAND: usize = 5;

/// A function body in need of relocation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lowered {
    /// Locals, code and the final `end`: an entry of the code section without its size.
    pub body: Vec<u8>,
    /// By ascending offset.
    pub relocations: Vec<Relocation>,
}

/// A place in a body that depends on the module it is linked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Offset in [`Lowered::body`] of an operand of [`OPERAND`] bytes.
    pub offset: u32,
    pub kind: RelocationKind,
}

/// What a relocation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelocationKind {
    /// The operand of an `i32.const`: an address.
    SymbolAddress(Symbol),
    /// The callee of a call: the function in this request slot, or its version for what it is
    /// given, and for how it takes numbers.
    CallSlot {
        slot: Symbol,
        given: Option<Given>,
        numbers: Numbers,
    },
    /// The callee of a call: this function of the generic module.
    CallFunction(Func),
    /// The callee of a call: the import that this intrinsic is.
    CallIntrinsic(
        #[serde(serialize_with = "write_name", deserialize_with = "read_name")] Intrinsic,
    ),
}

impl Lowered {
    /// Functions of the generic module that it calls by name.
    pub fn callees(&self) -> impl Iterator<Item = Func> {
        let kinds = self.relocations.iter().map(|relocation| relocation.kind);
        kinds.filter_map(|kind| match kind {
            RelocationKind::CallFunction(func) => Some(func),
            _ => None,
        })
    }

    /// The body with the value of each relocation, an address or a function's index, written into
    /// it.
    ///
    /// # Panics
    /// If a relocation is not inside of the body, as each that lowering writes is.
    pub fn relocated<E>(
        &self,
        mut value: impl FnMut(RelocationKind) -> Result<u32, E>,
    ) -> Result<Vec<u8>, E> {
        let mut body = self.body.clone();
        for relocation in &self.relocations {
            let start = relocation.offset as usize;
            let operand = relocation.kind.operand(value(relocation.kind)?);
            body[start..start + OPERAND].copy_from_slice(&operand);
        }
        Ok(body)
    }

    /// What is linked: the body with shortest operands, but for indices of functions.
    ///
    /// # Panics
    /// As [`Lowered::relocated`].
    pub fn linked<E>(
        &self,
        indices: Indices,
        mut linked_as: impl FnMut(RelocationKind) -> Result<LinkedAs, E>,
    ) -> Result<Vec<u8>, E> {
        let mut linked = Vec::with_capacity(self.body.len());
        let mut copied = 0;
        for &Relocation { offset, kind } in &self.relocations {
            let start = offset as usize;
            linked.extend_from_slice(&self.body[copied..start]);
            match linked_as(kind)? {
                LinkedAs::Value(value) => kind.encode(value, indices, &mut linked),
                LinkedAs::Loaded { cell, offset } => load(cell, offset, &mut linked),
            }
            copied = start + OPERAND;
        }
        linked.extend_from_slice(&self.body[copied..]);
        Ok(linked)
    }
}

/// What the linked module has where a relocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkedAs {
    /// A constant.
    Value(u32),
    /// For an address: what is in the word at `cell`, plus `offset`.
    Loaded { cell: u32, offset: i32 },
}

/// How indices of functions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indices {
    /// As short as they can be.
    Short,
    /// In two bytes at least. Engines that keep machine code know a function by the offsets of its
    /// instructions too, and these are the same then whichever of 16,384 functions it calls.
    Even,
}

impl Indices {
    fn encode(self, index: u32, to: &mut Vec<u8>) {
        match self {
            Indices::Even if index < 0x80 => to.extend([index as u8 | 0x80, 0]),
            Indices::Even | Indices::Short => index.encode(to),
        }
    }

    /// Writes an instruction, which may be a call.
    pub fn write(self, instruction: &Instruction, to: &mut wasm_encoder::Function) {
        let (opcode, index) = match *instruction {
            Instruction::Call(index) => (CALL, index),
            Instruction::ReturnCall(index) => (RETURN_CALL, index),
            _ => {
                to.instruction(instruction);
                return;
            }
        };
        let mut call = vec![opcode];
        self.encode(index, &mut call);
        to.raw(call);
    }
}

/// Goes on behind the opcode of an `i32.const`.
fn load(cell: u32, offset: i32, to: &mut Vec<u8>) {
    (cell as i32).encode(to);
    let word = MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    Instruction::I32Load(word).encode(to);
    if offset != 0 {
        Instruction::I32Const(offset).encode(to);
        Instruction::I32Add.encode(to);
    }
}

impl RelocationKind {
    /// Writes the operand that stands for `value`.
    fn encode(self, value: u32, indices: Indices, to: &mut Vec<u8>) {
        match self {
            RelocationKind::SymbolAddress(_) => (value as i32).encode(to),
            RelocationKind::CallSlot { .. }
            | RelocationKind::CallFunction(_)
            | RelocationKind::CallIntrinsic(_) => indices.encode(value, to),
        }
    }

    /// The operand that stands for `value`.
    pub fn operand(self, value: u32) -> [u8; OPERAND] {
        let operand = match self {
            RelocationKind::SymbolAddress(_) => leb128fmt::encode_fixed_s32(value as i32),
            RelocationKind::CallSlot { .. }
            | RelocationKind::CallFunction(_)
            | RelocationKind::CallIntrinsic(_) => leb128fmt::encode_fixed_u32(value),
        };
        operand.expect("32 bits fit an operand of 32 bits")
    }
}

fn write_name<S: Serializer>(intrinsic: &Intrinsic, serializer: S) -> Result<S::Ok, S::Error> {
    intrinsic.name().serialize(serializer)
}

fn read_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Intrinsic, D::Error> {
    let name = <&str>::deserialize(deserializer)?;
    Intrinsic::named(name).ok_or_else(|| de::Error::custom("no intrinsic has this name"))
}
