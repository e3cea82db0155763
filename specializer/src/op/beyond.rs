//! What reaches a memory above the first.
//!
//! Constant memory, cells and regions are places of memory 0 alone. So these have operators of
//! their own: nothing that looks at loads and stores of memory 0 takes one of these for one.

use wasm_encoder::Instruction;
use wasmparser::Operator;

use super::{Effect, LoadKind, OpType, StoreKind};
use crate::entity::Type;

/// An access to a memory above the first, by the memory's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Beyond {
    Load {
        memory: u32,
        kind: LoadKind,
        offset: u32,
    },
    /// Operands: address, value.
    Store {
        memory: u32,
        kind: StoreKind,
        offset: u32,
    },
    Size(u32),
    Grow(u32),
    /// Operands: destination, byte, length.
    Fill(u32),
    /// Operands: destination, source, length. One of the two memories may be the first.
    Copy {
        to: u32,
        from: u32,
    },
}

impl Beyond {
    /// Whether the first memory is read or written as well.
    pub fn meets_first(self) -> bool {
        matches!(
            self,
            Beyond::Copy { to: 0, .. } | Beyond::Copy { from: 0, .. }
        )
    }

    /// The memories that it reaches.
    pub fn memories(self) -> [u32; 2] {
        match self {
            Beyond::Load { memory, .. }
            | Beyond::Store { memory, .. }
            | Beyond::Size(memory)
            | Beyond::Grow(memory)
            | Beyond::Fill(memory) => [memory; 2],
            Beyond::Copy { to, from } => [to, from],
        }
    }

    pub(super) fn effect(self) -> Effect {
        match self {
            Beyond::Load { .. } | Beyond::Size(_) => Effect::Reads,
            Beyond::Store { .. } | Beyond::Fill(_) | Beyond::Copy { .. } => Effect::Writes,
            Beyond::Grow(_) => Effect::Calls,
        }
    }

    pub(super) fn ty(self) -> OpType {
        use Type::I32;
        let op_type = |operands: &[Type], result| OpType {
            operands: operands.into(),
            result,
        };
        match self {
            Beyond::Load { kind, .. } => op_type(&[I32], Some(kind.ty())),
            Beyond::Store { kind, .. } => op_type(&[I32, kind.ty()], None),
            Beyond::Size(_) => op_type(&[], Some(I32)),
            Beyond::Grow(_) => op_type(&[I32], Some(I32)),
            Beyond::Fill(_) | Beyond::Copy { .. } => op_type(&[I32, I32, I32], None),
        }
    }

    pub(super) fn decode(operator: &Operator<'_>) -> Option<Self> {
        if let Some((kind, memory, offset)) = LoadKind::decode(operator) {
            return Some(Beyond::Load {
                memory,
                kind,
                offset,
            });
        }
        if let Some((kind, memory, offset)) = StoreKind::decode(operator) {
            return Some(Beyond::Store {
                memory,
                kind,
                offset,
            });
        }
        Some(match *operator {
            Operator::MemorySize { mem } => Beyond::Size(mem),
            Operator::MemoryGrow { mem } => Beyond::Grow(mem),
            Operator::MemoryFill { mem } => Beyond::Fill(mem),
            Operator::MemoryCopy { dst_mem, src_mem } => Beyond::Copy {
                to: dst_mem,
                from: src_mem,
            },
            _ => return None,
        })
    }

    pub(super) fn encode(self) -> Instruction<'static> {
        match self {
            Beyond::Load {
                memory,
                kind,
                offset,
            } => kind.encode(memory, offset),
            Beyond::Store {
                memory,
                kind,
                offset,
            } => kind.encode(memory, offset),
            Beyond::Size(memory) => Instruction::MemorySize(memory),
            Beyond::Grow(memory) => Instruction::MemoryGrow(memory),
            Beyond::Fill(memory) => Instruction::MemoryFill(memory),
            Beyond::Copy { to, from } => Instruction::MemoryCopy {
                src_mem: from,
                dst_mem: to,
            },
        }
    }
}
