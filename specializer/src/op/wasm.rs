//! Operators from and to WebAssembly instructions.
//!
//! Leaves out whatever needs an index renumbered or a relocation: calls, symbol addresses and
//! intrinsics are for [`crate::lift`] and the lowering.

use wasm_encoder::{Ieee32, Ieee64, Instruction};
use wasmparser::Operator;

use super::{Beyond, Const, LoadKind, Op, Plain, StoreKind};
use crate::entity::Global;

impl Op {
    /// The operator that `operator` is; absent for control flow, locals, calls, and what the SSA
    /// form leaves out.
    pub fn decode(operator: &Operator<'_>) -> Option<Self> {
        if let Some(plain) = Plain::decode(operator) {
            return Some(Op::Plain(plain));
        }
        if let Some((kind, 0, offset)) = LoadKind::decode(operator) {
            return Some(Op::Load { kind, offset });
        }
        if let Some((kind, 0, offset)) = StoreKind::decode(operator) {
            return Some(Op::Store { kind, offset });
        }
        Some(match *operator {
            Operator::I32Const { value } => Op::Const(Const::I32(value)),
            Operator::I64Const { value } => Op::Const(Const::I64(value)),
            Operator::F32Const { value } => Op::Const(Const::F32(value.bits())),
            Operator::F64Const { value } => Op::Const(Const::F64(value.bits())),
            Operator::Select | Operator::TypedSelect { .. } => Op::Select,
            Operator::GlobalGet { global_index } => Op::GlobalGet(Global(global_index)),
            Operator::GlobalSet { global_index } => Op::GlobalSet(Global(global_index)),
            Operator::MemorySize { mem: 0 } => Op::MemorySize,
            Operator::MemoryGrow { mem: 0 } => Op::MemoryGrow,
            Operator::MemoryCopy {
                dst_mem: 0,
                src_mem: 0,
            } => Op::MemoryCopy,
            Operator::MemoryFill { mem: 0 } => Op::MemoryFill,
            _ => Op::Beyond(Beyond::decode(operator)?),
        })
    }

    /// The instruction; absent for calls, symbol addresses and intrinsics.
    pub fn encode(self) -> Option<Instruction<'static>> {
        Some(match self {
            Op::Const(value) => value.encode(),
            Op::Plain(plain) => plain.encode(),
            Op::Select => Instruction::Select,
            Op::Load { kind, offset } => kind.encode(0, offset),
            Op::Store { kind, offset } => kind.encode(0, offset),
            Op::GlobalGet(global) => Instruction::GlobalGet(global.0),
            Op::GlobalSet(global) => Instruction::GlobalSet(global.0),
            Op::MemorySize => Instruction::MemorySize(0),
            Op::MemoryGrow => Instruction::MemoryGrow(0),
            Op::MemoryCopy => Instruction::MemoryCopy {
                src_mem: 0,
                dst_mem: 0,
            },
            Op::MemoryFill => Instruction::MemoryFill(0),
            Op::Beyond(beyond) => beyond.encode(),
            Op::Call(_) | Op::SymbolAddress(_) | Op::Intrinsic(_) => return None,
        })
    }
}

impl Const {
    /// The instruction that pushes the constant.
    pub fn encode(self) -> Instruction<'static> {
        match self {
            Const::I32(value) => Instruction::I32Const(value),
            Const::I64(value) => Instruction::I64Const(value),
            Const::F32(bits) => Instruction::F32Const(Ieee32::new(bits)),
            Const::F64(bits) => Instruction::F64Const(Ieee64::new(bits)),
        }
    }
}
