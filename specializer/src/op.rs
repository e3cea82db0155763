//! The operators of the SSA form: what each one is called, takes, gives, does and means.
//!
//! An operator's meaning is written once: plain operators in the table of [`plain`], loads and
//! stores in [`memory`] (those of memories above the first in [`beyond`]), intrinsics in
//! [`intrinsic`]. Folding, interpreting, decoding from and encoding to WebAssembly, printing,
//! parsing and verifying all derive from these tables.
//!
//! Operand order is WebAssembly's. Leaves out: control flow (see [`crate::ir::Terminator`]).

pub mod beyond;
pub mod compare;
pub mod evaluate;
pub mod intrinsic;
pub mod memory;
pub mod plain;
mod wasm;
pub mod width;

#[cfg(test)]
mod tests;

pub use beyond::Beyond;
pub use evaluate::Outcome;
pub use intrinsic::Intrinsic;
pub use memory::{LoadKind, StoreKind};
pub use plain::Plain;
pub use width::Width;

use smallvec::{SmallVec, smallvec};

use crate::entity::{Callee, Func, Global, Sig, Signature, Symbol, Type};

/// A constant. Floats are given by their bits, so that equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Const {
    I32(i32),
    I64(i64),
    F32(u32),
    F64(u64),
}

/// An operator of an instruction. Each plain operator also has an associated constant of this type
/// ([`Op::I32Add`] is `Op::Plain(Plain::I32Add)`), which works as a pattern as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Const(Const),
    Plain(Plain),
    /// Operand 0 if operand 2 (an `i32`) is not zero, else operand 1; any type.
    Select,
    Load {
        kind: LoadKind,
        offset: u32,
    },
    /// Operands: address, value.
    Store {
        kind: StoreKind,
        offset: u32,
    },
    /// Operands: the arguments, then the table index if the call is indirect.
    Call(Callee),
    GlobalGet(Global),
    GlobalSet(Global),
    MemorySize,
    MemoryGrow,
    /// Operands: destination, source, length.
    MemoryCopy,
    /// Operands: destination, byte, length.
    MemoryFill,
    /// All of these are of memory 0; this is of another.
    Beyond(Beyond),
    /// The relocatable address (an `i32`). Residual code only.
    SymbolAddress(Symbol),
    Intrinsic(Intrinsic),
}

/// What executing an operator does besides computing its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Nothing: may be removed, repeated and moved.
    Pure,
    /// May trap (divisions, conversions), depending on its operands alone.
    Traps,
    /// Reads memory. An access out of bounds traps; a read whose result is unused is removable all
    /// the same, as it is for compilers of C and Rust.
    Reads,
    Writes,
    ReadsGlobal,
    WritesGlobal,
    /// May do anything.
    Calls,
}

/// The types that operators refer to by index.
pub trait Types {
    /// The signature of a function; absent if there is none, or it uses types beyond [`Type`].
    fn function(&self, func: Func) -> Option<&Signature>;
    /// As for functions.
    fn signature(&self, sig: Sig) -> Option<&Signature>;
    fn global(&self, global: Global) -> Option<Type>;
}

/// Operand types and result type of an operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpType {
    pub operands: SmallVec<[Type; 4]>,
    pub result: Option<Type>,
}

impl Const {
    pub fn ty(self) -> Type {
        match self {
            Const::I32(_) => Type::I32,
            Const::I64(_) => Type::I64,
            Const::F32(_) => Type::F32,
            Const::F64(_) => Type::F64,
        }
    }

    /// The bits, zero-extended.
    pub fn bits(self) -> u64 {
        match self {
            Const::I32(value) => u64::from(value as u32),
            Const::I64(value) => value as u64,
            Const::F32(bits) => u64::from(bits),
            Const::F64(bits) => bits,
        }
    }

    /// The constant of type `ty` with these bits; those that do not fit are cut off.
    pub fn from_bits(ty: Type, bits: u64) -> Self {
        match ty {
            Type::I32 => Const::I32(bits as i32),
            Type::I64 => Const::I64(bits as i64),
            Type::F32 => Const::F32(bits as u32),
            Type::F64 => Const::F64(bits),
        }
    }
}

impl Effect {
    /// Whether an instruction with this effect may go if its result is not used. One that may trap
    /// stays, loads excepted.
    pub fn removable(self) -> bool {
        match self {
            Effect::Pure | Effect::Reads | Effect::ReadsGlobal => true,
            Effect::Traps | Effect::Writes | Effect::WritesGlobal | Effect::Calls => false,
        }
    }

    /// Whether two neighbouring instructions with these effects may swap, operands permitting.
    /// Traps count: what can be observed before a trap stays before it.
    pub fn commutes(self, other: Self) -> bool {
        use Effect::*;
        match (self, other) {
            (Pure, _) | (_, Pure) => true,
            (Calls, _) | (_, Calls) => false,
            (Writes, Traps | Reads | Writes) | (Traps | Reads, Writes) => false,
            (WritesGlobal, Traps | Reads | Writes | ReadsGlobal | WritesGlobal) => false,
            (Traps | Reads | Writes | ReadsGlobal, WritesGlobal) => false,
            (Traps | Reads | ReadsGlobal, Traps | Reads | ReadsGlobal) => true,
            (Writes, ReadsGlobal) | (ReadsGlobal, Writes) => true,
        }
    }
}

impl Op {
    /// The operator's value, if its operands' constants determine it. Absent where it would trap,
    /// where the engine chooses among NaNs, and for operators that depend on more than operands.
    pub fn fold(self, operands: &[Const]) -> Option<Const> {
        match self.evaluate(operands)? {
            Outcome::Value(value) => Some(value),
            Outcome::AnyNan(_) | Outcome::Trap => None,
        }
    }

    /// What the operator does with these operands; absent if it depends on more than operands.
    pub fn evaluate(self, operands: &[Const]) -> Option<Outcome> {
        match self {
            Op::Const(value) => Some(Outcome::Value(value)),
            Op::Plain(plain) => Some(plain.evaluate(operands)),
            Op::Select => {
                let &[first, second, Const::I32(condition)] = operands else {
                    panic!("operands of select have its types, not {operands:?}")
                };
                Some(Outcome::Value(if condition != 0 { first } else { second }))
            }
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Call(_)
            | Op::GlobalGet(_)
            | Op::GlobalSet(_)
            | Op::MemorySize
            | Op::MemoryGrow
            | Op::MemoryCopy
            | Op::MemoryFill
            | Op::Beyond(_)
            | Op::SymbolAddress(_)
            | Op::Intrinsic(_) => None,
        }
    }

    pub fn effect(self) -> Effect {
        match self {
            Op::Const(_) | Op::Select | Op::SymbolAddress(_) => Effect::Pure,
            Op::Plain(plain) if plain.may_trap() => Effect::Traps,
            Op::Plain(_) => Effect::Pure,
            Op::Load { .. } | Op::MemorySize => Effect::Reads,
            Op::Store { .. } | Op::MemoryCopy | Op::MemoryFill => Effect::Writes,
            Op::GlobalGet(_) => Effect::ReadsGlobal,
            Op::GlobalSet(_) => Effect::WritesGlobal,
            Op::Call(_) | Op::MemoryGrow => Effect::Calls,
            Op::Beyond(beyond) => beyond.effect(),
            Op::Intrinsic(intrinsic) => intrinsic.effect().into(),
        }
    }

    /// Operand and result types. `Select` takes its type from `first`, the type of operand 0, which
    /// no other operator looks at. Absent where the operator names something that does not exist.
    pub fn ty(self, first: Option<Type>, types: &dyn Types) -> Option<OpType> {
        use Type::I32;
        let op_type = |operands: &[Type], result| OpType {
            operands: operands.into(),
            result,
        };
        Some(match self {
            Op::Const(value) => op_type(&[], Some(value.ty())),
            Op::Plain(plain) => op_type(plain.operands(), Some(plain.result())),
            Op::Select => op_type(&[first?, first?, I32], first),
            Op::Load { kind, .. } => op_type(&[I32], Some(kind.ty())),
            Op::Store { kind, .. } => op_type(&[I32, kind.ty()], None),
            Op::Call(callee) => callee.ty(types)?,
            Op::GlobalGet(global) => op_type(&[], Some(types.global(global)?)),
            Op::GlobalSet(global) => op_type(&[types.global(global)?], None),
            Op::MemorySize | Op::SymbolAddress(_) => op_type(&[], Some(I32)),
            Op::MemoryGrow => op_type(&[I32], Some(I32)),
            Op::MemoryCopy | Op::MemoryFill => op_type(&[I32, I32, I32], None),
            Op::Beyond(beyond) => beyond.ty(),
            Op::Intrinsic(intrinsic) => intrinsic::ty(intrinsic),
        })
    }
}

impl Callee {
    /// The signature called; absent as for [`Types::function`].
    pub fn signature<'t>(&self, types: &'t dyn Types) -> Option<&'t Signature> {
        match *self {
            Callee::Direct(func) => types.function(func),
            Callee::Indirect { sig, .. } | Callee::Slot { sig, .. } => types.signature(sig),
        }
    }

    /// Operands (with the table index of an indirect call) and result of a call.
    pub fn ty(&self, types: &dyn Types) -> Option<OpType> {
        let signature = self.signature(types)?;
        let mut operands: SmallVec<[Type; 4]> = smallvec![];
        operands.extend_from_slice(&signature.params);
        if let Callee::Indirect { .. } = self {
            operands.push(Type::I32);
        }
        Some(OpType {
            operands,
            result: signature.results.first().copied(),
        })
    }
}
