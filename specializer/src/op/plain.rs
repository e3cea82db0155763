//! The table of plain operators: those whose result depends on their operands alone.
//!
//! Each row gives a Wasm operator's text name, its name in [`wasmparser`] and [`wasm_encoder`]
//! (they agree), operand types, result type, whether it may trap, and its meaning as a Rust
//! expression over the operands. Everything else about it (folding, interpreting, decoding,
//! encoding, printing, parsing, verifying) derives from the row.
//!
//! Leaves out: `select` and whatever touches memory, globals or control flow.

use wasm_encoder::Instruction;
use wasmparser::Operator;

use super::evaluate::{
    Bits32, Bits64, IntoOutcome, Outcome, SIGN_32, SIGN_64, max_f32, max_f64, min_f32, min_f64,
    trunc_i32, trunc_i64, trunc_u32, trunc_u64,
};
use super::{Const, Op};
use crate::entity::Type;

/// A constant's payload as the Rust type in which rows compute.
macro_rules! native {
    (I32, $bits:expr) => {
        $bits
    };
    (I64, $bits:expr) => {
        $bits
    };
    (F32, $bits:expr) => {
        f32::from_bits($bits)
    };
    (F64, $bits:expr) => {
        f64::from_bits($bits)
    };
}

/// Whether the row carries the word `traps`.
macro_rules! flag {
    () => {
        false
    };
    (traps) => {
        true
    };
}

macro_rules! plain {
    (
        $($text:literal $name:ident($($arg:ident: $ty:ident),+) -> $result:ident $($traps:ident)?
            = $meaning:expr;)*
    ) => {
        /// A plain operator, named as in WebAssembly.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Plain {
            $($name,)*
        }

        #[expect(
            non_upper_case_globals,
            reason = "these read as the variants of Op that they stand for"
        )]
        impl Op {
            $(pub const $name: Op = Op::Plain(Plain::$name);)*
        }

        impl Plain {
            /// Every plain operator, in table order.
            pub const ALL: &[Plain] = &[$(Plain::$name,)*];

            /// The name in the text format.
            pub fn name(self) -> &'static str {
                match self {
                    $(Plain::$name => $text,)*
                }
            }

            pub fn operands(self) -> &'static [Type] {
                match self {
                    $(Plain::$name => &[$(Type::$ty),+],)*
                }
            }

            pub fn result(self) -> Type {
                match self {
                    $(Plain::$name => Type::$result,)*
                }
            }

            pub fn may_trap(self) -> bool {
                match self {
                    $(Plain::$name => flag!($($traps)?),)*
                }
            }

            /// What it computes from constants of its operand types.
            pub fn evaluate(self, operands: &[Const]) -> Outcome {
                match self {
                    $(Plain::$name => {
                        let &[$(Const::$ty($arg)),+] = operands else {
                            panic!(
                                "operands of {} have their declared types, not {operands:?}",
                                $text
                            )
                        };
                        $(let $arg = native!($ty, $arg);)+
                        ($meaning).into_outcome()
                    })*
                }
            }

            pub(super) fn decode(operator: &Operator<'_>) -> Option<Self> {
                match operator {
                    $(Operator::$name => Some(Plain::$name),)*
                    _ => None,
                }
            }

            pub(super) fn encode(self) -> Instruction<'static> {
                match self {
                    $(Plain::$name => Instruction::$name,)*
                }
            }
        }
    };
}

plain! {
    // i32: tests and comparisons
    "i32.eqz" I32Eqz(a: I32) -> I32 = a == 0;
    "i32.eq" I32Eq(a: I32, b: I32) -> I32 = a == b;
    "i32.ne" I32Ne(a: I32, b: I32) -> I32 = a != b;
    "i32.lt_s" I32LtS(a: I32, b: I32) -> I32 = a < b;
    "i32.lt_u" I32LtU(a: I32, b: I32) -> I32 = (a as u32) < (b as u32);
    "i32.gt_s" I32GtS(a: I32, b: I32) -> I32 = a > b;
    "i32.gt_u" I32GtU(a: I32, b: I32) -> I32 = (a as u32) > (b as u32);
    "i32.le_s" I32LeS(a: I32, b: I32) -> I32 = a <= b;
    "i32.le_u" I32LeU(a: I32, b: I32) -> I32 = (a as u32) <= (b as u32);
    "i32.ge_s" I32GeS(a: I32, b: I32) -> I32 = a >= b;
    "i32.ge_u" I32GeU(a: I32, b: I32) -> I32 = (a as u32) >= (b as u32);
    // i64: tests and comparisons
    "i64.eqz" I64Eqz(a: I64) -> I32 = a == 0;
    "i64.eq" I64Eq(a: I64, b: I64) -> I32 = a == b;
    "i64.ne" I64Ne(a: I64, b: I64) -> I32 = a != b;
    "i64.lt_s" I64LtS(a: I64, b: I64) -> I32 = a < b;
    "i64.lt_u" I64LtU(a: I64, b: I64) -> I32 = (a as u64) < (b as u64);
    "i64.gt_s" I64GtS(a: I64, b: I64) -> I32 = a > b;
    "i64.gt_u" I64GtU(a: I64, b: I64) -> I32 = (a as u64) > (b as u64);
    "i64.le_s" I64LeS(a: I64, b: I64) -> I32 = a <= b;
    "i64.le_u" I64LeU(a: I64, b: I64) -> I32 = (a as u64) <= (b as u64);
    "i64.ge_s" I64GeS(a: I64, b: I64) -> I32 = a >= b;
    "i64.ge_u" I64GeU(a: I64, b: I64) -> I32 = (a as u64) >= (b as u64);
    // f32: comparisons
    "f32.eq" F32Eq(a: F32, b: F32) -> I32 = a == b;
    "f32.ne" F32Ne(a: F32, b: F32) -> I32 = a != b;
    "f32.lt" F32Lt(a: F32, b: F32) -> I32 = a < b;
    "f32.gt" F32Gt(a: F32, b: F32) -> I32 = a > b;
    "f32.le" F32Le(a: F32, b: F32) -> I32 = a <= b;
    "f32.ge" F32Ge(a: F32, b: F32) -> I32 = a >= b;
    // f64: comparisons
    "f64.eq" F64Eq(a: F64, b: F64) -> I32 = a == b;
    "f64.ne" F64Ne(a: F64, b: F64) -> I32 = a != b;
    "f64.lt" F64Lt(a: F64, b: F64) -> I32 = a < b;
    "f64.gt" F64Gt(a: F64, b: F64) -> I32 = a > b;
    "f64.le" F64Le(a: F64, b: F64) -> I32 = a <= b;
    "f64.ge" F64Ge(a: F64, b: F64) -> I32 = a >= b;
    // i32: arithmetic (shift counts are taken modulo the width)
    "i32.clz" I32Clz(a: I32) -> I32 = a.leading_zeros() as i32;
    "i32.ctz" I32Ctz(a: I32) -> I32 = a.trailing_zeros() as i32;
    "i32.popcnt" I32Popcnt(a: I32) -> I32 = a.count_ones() as i32;
    "i32.add" I32Add(a: I32, b: I32) -> I32 = a.wrapping_add(b);
    "i32.sub" I32Sub(a: I32, b: I32) -> I32 = a.wrapping_sub(b);
    "i32.mul" I32Mul(a: I32, b: I32) -> I32 = a.wrapping_mul(b);
    "i32.div_s" I32DivS(a: I32, b: I32) -> I32 traps = a.checked_div(b);
    "i32.div_u" I32DivU(a: I32, b: I32) -> I32 traps =
        (a as u32).checked_div(b as u32).map(|q| q as i32);
    "i32.rem_s" I32RemS(a: I32, b: I32) -> I32 traps = (b != 0).then(|| a.wrapping_rem(b));
    "i32.rem_u" I32RemU(a: I32, b: I32) -> I32 traps =
        (a as u32).checked_rem(b as u32).map(|r| r as i32);
    "i32.and" I32And(a: I32, b: I32) -> I32 = a & b;
    "i32.or" I32Or(a: I32, b: I32) -> I32 = a | b;
    "i32.xor" I32Xor(a: I32, b: I32) -> I32 = a ^ b;
    "i32.shl" I32Shl(a: I32, b: I32) -> I32 = a.wrapping_shl(b as u32);
    "i32.shr_s" I32ShrS(a: I32, b: I32) -> I32 = a.wrapping_shr(b as u32);
    "i32.shr_u" I32ShrU(a: I32, b: I32) -> I32 = (a as u32).wrapping_shr(b as u32) as i32;
    "i32.rotl" I32Rotl(a: I32, b: I32) -> I32 = a.rotate_left(b as u32 % 32);
    "i32.rotr" I32Rotr(a: I32, b: I32) -> I32 = a.rotate_right(b as u32 % 32);
    // i64: arithmetic (shift counts are taken modulo the width)
    "i64.clz" I64Clz(a: I64) -> I64 = a.leading_zeros() as i64;
    "i64.ctz" I64Ctz(a: I64) -> I64 = a.trailing_zeros() as i64;
    "i64.popcnt" I64Popcnt(a: I64) -> I64 = a.count_ones() as i64;
    "i64.add" I64Add(a: I64, b: I64) -> I64 = a.wrapping_add(b);
    "i64.sub" I64Sub(a: I64, b: I64) -> I64 = a.wrapping_sub(b);
    "i64.mul" I64Mul(a: I64, b: I64) -> I64 = a.wrapping_mul(b);
    "i64.div_s" I64DivS(a: I64, b: I64) -> I64 traps = a.checked_div(b);
    "i64.div_u" I64DivU(a: I64, b: I64) -> I64 traps =
        (a as u64).checked_div(b as u64).map(|q| q as i64);
    "i64.rem_s" I64RemS(a: I64, b: I64) -> I64 traps = (b != 0).then(|| a.wrapping_rem(b));
    "i64.rem_u" I64RemU(a: I64, b: I64) -> I64 traps =
        (a as u64).checked_rem(b as u64).map(|r| r as i64);
    "i64.and" I64And(a: I64, b: I64) -> I64 = a & b;
    "i64.or" I64Or(a: I64, b: I64) -> I64 = a | b;
    "i64.xor" I64Xor(a: I64, b: I64) -> I64 = a ^ b;
    "i64.shl" I64Shl(a: I64, b: I64) -> I64 = a.wrapping_shl(b as u32);
    "i64.shr_s" I64ShrS(a: I64, b: I64) -> I64 = a.wrapping_shr(b as u32);
    "i64.shr_u" I64ShrU(a: I64, b: I64) -> I64 = (a as u64).wrapping_shr(b as u32) as i64;
    "i64.rotl" I64Rotl(a: I64, b: I64) -> I64 = a.rotate_left(b as u32 % 64);
    "i64.rotr" I64Rotr(a: I64, b: I64) -> I64 = a.rotate_right(b as u32 % 64);
    // f32: arithmetic (sign operators move bits, NaNs included)
    "f32.abs" F32Abs(a: F32) -> F32 = Bits32(a.to_bits() & !SIGN_32);
    "f32.neg" F32Neg(a: F32) -> F32 = Bits32(a.to_bits() ^ SIGN_32);
    "f32.copysign" F32Copysign(a: F32, b: F32) -> F32 =
        Bits32((a.to_bits() & !SIGN_32) | (b.to_bits() & SIGN_32));
    "f32.ceil" F32Ceil(a: F32) -> F32 = a.ceil();
    "f32.floor" F32Floor(a: F32) -> F32 = a.floor();
    "f32.trunc" F32Trunc(a: F32) -> F32 = a.trunc();
    "f32.nearest" F32Nearest(a: F32) -> F32 = a.round_ties_even();
    "f32.sqrt" F32Sqrt(a: F32) -> F32 = a.sqrt();
    "f32.add" F32Add(a: F32, b: F32) -> F32 = a + b;
    "f32.sub" F32Sub(a: F32, b: F32) -> F32 = a - b;
    "f32.mul" F32Mul(a: F32, b: F32) -> F32 = a * b;
    "f32.div" F32Div(a: F32, b: F32) -> F32 = a / b;
    "f32.min" F32Min(a: F32, b: F32) -> F32 = min_f32(a, b);
    "f32.max" F32Max(a: F32, b: F32) -> F32 = max_f32(a, b);
    // f64: arithmetic (sign operators move bits, NaNs included)
    "f64.abs" F64Abs(a: F64) -> F64 = Bits64(a.to_bits() & !SIGN_64);
    "f64.neg" F64Neg(a: F64) -> F64 = Bits64(a.to_bits() ^ SIGN_64);
    "f64.copysign" F64Copysign(a: F64, b: F64) -> F64 =
        Bits64((a.to_bits() & !SIGN_64) | (b.to_bits() & SIGN_64));
    "f64.ceil" F64Ceil(a: F64) -> F64 = a.ceil();
    "f64.floor" F64Floor(a: F64) -> F64 = a.floor();
    "f64.trunc" F64Trunc(a: F64) -> F64 = a.trunc();
    "f64.nearest" F64Nearest(a: F64) -> F64 = a.round_ties_even();
    "f64.sqrt" F64Sqrt(a: F64) -> F64 = a.sqrt();
    "f64.add" F64Add(a: F64, b: F64) -> F64 = a + b;
    "f64.sub" F64Sub(a: F64, b: F64) -> F64 = a - b;
    "f64.mul" F64Mul(a: F64, b: F64) -> F64 = a * b;
    "f64.div" F64Div(a: F64, b: F64) -> F64 = a / b;
    "f64.min" F64Min(a: F64, b: F64) -> F64 = min_f64(a, b);
    "f64.max" F64Max(a: F64, b: F64) -> F64 = max_f64(a, b);
    // Conversions
    "i32.wrap_i64" I32WrapI64(a: I64) -> I32 = a as i32;
    "i64.extend_i32_s" I64ExtendI32S(a: I32) -> I64 = i64::from(a);
    "i64.extend_i32_u" I64ExtendI32U(a: I32) -> I64 = i64::from(a as u32);
    "i32.extend8_s" I32Extend8S(a: I32) -> I32 = i32::from(a as i8);
    "i32.extend16_s" I32Extend16S(a: I32) -> I32 = i32::from(a as i16);
    "i64.extend8_s" I64Extend8S(a: I64) -> I64 = i64::from(a as i8);
    "i64.extend16_s" I64Extend16S(a: I64) -> I64 = i64::from(a as i16);
    "i64.extend32_s" I64Extend32S(a: I64) -> I64 = i64::from(a as i32);
    "i32.trunc_f32_s" I32TruncF32S(a: F32) -> I32 traps = trunc_i32(a.into());
    "i32.trunc_f32_u" I32TruncF32U(a: F32) -> I32 traps = trunc_u32(a.into()).map(|n| n as i32);
    "i32.trunc_f64_s" I32TruncF64S(a: F64) -> I32 traps = trunc_i32(a);
    "i32.trunc_f64_u" I32TruncF64U(a: F64) -> I32 traps = trunc_u32(a).map(|n| n as i32);
    "i64.trunc_f32_s" I64TruncF32S(a: F32) -> I64 traps = trunc_i64(a.into());
    "i64.trunc_f32_u" I64TruncF32U(a: F32) -> I64 traps = trunc_u64(a.into()).map(|n| n as i64);
    "i64.trunc_f64_s" I64TruncF64S(a: F64) -> I64 traps = trunc_i64(a);
    "i64.trunc_f64_u" I64TruncF64U(a: F64) -> I64 traps = trunc_u64(a).map(|n| n as i64);
    "i32.trunc_sat_f32_s" I32TruncSatF32S(a: F32) -> I32 = a as i32;
    "i32.trunc_sat_f32_u" I32TruncSatF32U(a: F32) -> I32 = a as u32 as i32;
    "i32.trunc_sat_f64_s" I32TruncSatF64S(a: F64) -> I32 = a as i32;
    "i32.trunc_sat_f64_u" I32TruncSatF64U(a: F64) -> I32 = a as u32 as i32;
    "i64.trunc_sat_f32_s" I64TruncSatF32S(a: F32) -> I64 = a as i64;
    "i64.trunc_sat_f32_u" I64TruncSatF32U(a: F32) -> I64 = a as u64 as i64;
    "i64.trunc_sat_f64_s" I64TruncSatF64S(a: F64) -> I64 = a as i64;
    "i64.trunc_sat_f64_u" I64TruncSatF64U(a: F64) -> I64 = a as u64 as i64;
    "f32.convert_i32_s" F32ConvertI32S(a: I32) -> F32 = a as f32;
    "f32.convert_i32_u" F32ConvertI32U(a: I32) -> F32 = a as u32 as f32;
    "f32.convert_i64_s" F32ConvertI64S(a: I64) -> F32 = a as f32;
    "f32.convert_i64_u" F32ConvertI64U(a: I64) -> F32 = a as u64 as f32;
    "f64.convert_i32_s" F64ConvertI32S(a: I32) -> F64 = a as f64;
    "f64.convert_i32_u" F64ConvertI32U(a: I32) -> F64 = a as u32 as f64;
    "f64.convert_i64_s" F64ConvertI64S(a: I64) -> F64 = a as f64;
    "f64.convert_i64_u" F64ConvertI64U(a: I64) -> F64 = a as u64 as f64;
    "f32.demote_f64" F32DemoteF64(a: F64) -> F32 = a as f32;
    "f64.promote_f32" F64PromoteF32(a: F32) -> F64 = f64::from(a);
    "i32.reinterpret_f32" I32ReinterpretF32(a: F32) -> I32 = a.to_bits() as i32;
    "i64.reinterpret_f64" I64ReinterpretF64(a: F64) -> I64 = a.to_bits() as i64;
    "f32.reinterpret_i32" F32ReinterpretI32(a: I32) -> F32 = Bits32(a as u32);
    "f64.reinterpret_i64" F64ReinterpretI64(a: I64) -> F64 = Bits64(a as u64);
}
