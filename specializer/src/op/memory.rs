//! The tables of loads and stores: width, extension and type of each access.

use wasm_encoder::{Instruction, MemArg};
use wasmparser::Operator;

use super::Const;
use crate::entity::Type;

/// The memory and the static offset of a decoded access, if the access is one that the IR has.
fn place(memarg: wasmparser::MemArg) -> Option<(u32, u32)> {
    Some((memarg.memory, u32::try_from(memarg.offset).ok()?))
}

macro_rules! accesses {
    ($(#[$doc:meta])* $kind:ident {
        $($text:literal $name:ident: $ty:ident, $width:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum $kind {
            $($name,)*
        }

        impl $kind {
            /// Every kind, in table order.
            pub const ALL: &[$kind] = &[$($kind::$name,)*];

            /// The name in the text format.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$name => $text,)*
                }
            }

            /// The type of the value loaded or stored.
            pub fn ty(self) -> Type {
                match self {
                    $($kind::$name => Type::$ty,)*
                }
            }

            /// Bytes of memory accessed.
            pub fn width(self) -> u32 {
                match self {
                    $($kind::$name => $width,)*
                }
            }

            /// The kind, the memory's number and the static offset.
            pub(super) fn decode(operator: &Operator<'_>) -> Option<(Self, u32, u32)> {
                let (kind, (memory, offset)) = match operator {
                    $(Operator::$name { memarg } => ($kind::$name, place(*memarg)?),)*
                    _ => return None,
                };
                Some((kind, memory, offset))
            }

            pub(super) fn encode(self, memory: u32, offset: u32) -> Instruction<'static> {
                let memarg = MemArg {
                    offset: u64::from(offset),
                    align: self.width().ilog2(),
                    memory_index: memory,
                };
                match self {
                    $($kind::$name => Instruction::$name(memarg),)*
                }
            }
        }
    };
}

accesses! {
    /// A load: type of the result, width, extension.
    LoadKind {
        "i32.load" I32Load: I32, 4;
        "i64.load" I64Load: I64, 8;
        "f32.load" F32Load: F32, 4;
        "f64.load" F64Load: F64, 8;
        "i32.load8_s" I32Load8S: I32, 1;
        "i32.load8_u" I32Load8U: I32, 1;
        "i32.load16_s" I32Load16S: I32, 2;
        "i32.load16_u" I32Load16U: I32, 2;
        "i64.load8_s" I64Load8S: I64, 1;
        "i64.load8_u" I64Load8U: I64, 1;
        "i64.load16_s" I64Load16S: I64, 2;
        "i64.load16_u" I64Load16U: I64, 2;
        "i64.load32_s" I64Load32S: I64, 4;
        "i64.load32_u" I64Load32U: I64, 4;
    }
}

accesses! {
    /// A store: type of the operand, width.
    StoreKind {
        "i32.store" I32Store: I32, 4;
        "i64.store" I64Store: I64, 8;
        "f32.store" F32Store: F32, 4;
        "f64.store" F64Store: F64, 8;
        "i32.store8" I32Store8: I32, 1;
        "i32.store16" I32Store16: I32, 2;
        "i64.store8" I64Store8: I64, 1;
        "i64.store16" I64Store16: I64, 2;
        "i64.store32" I64Store32: I64, 4;
    }
}

impl LoadKind {
    /// Whether a narrow access extends the sign; absent where there is nothing to extend.
    pub fn extends_sign(self) -> Option<bool> {
        use LoadKind::*;
        match self {
            I32Load | I64Load | F32Load | F64Load => None,
            I32Load8S | I32Load16S | I64Load8S | I64Load16S | I64Load32S => Some(true),
            I32Load8U | I32Load16U | I64Load8U | I64Load16U | I64Load32U => Some(false),
        }
    }

    /// The value that loading `bytes` (as many as [`LoadKind::width`]) gives.
    pub fn value(self, bytes: &[u8]) -> Const {
        assert_eq!(bytes.len(), self.width() as usize, "a load reads its width");
        let raw = bytes
            .iter()
            .rev()
            .fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        let unused = 64 - 8 * self.width();
        let extended = match self.extends_sign() {
            Some(true) => ((raw << unused) as i64 >> unused) as u64,
            Some(false) | None => raw,
        };
        Const::from_bits(self.ty(), extended)
    }
}

impl StoreKind {
    /// The bytes that storing `value` writes: the first [`StoreKind::width`] of the array.
    pub fn bytes(self, value: Const) -> [u8; 8] {
        assert_eq!(value.ty(), self.ty(), "a store takes a value of its type");
        value.bits().to_le_bytes()
    }
}
