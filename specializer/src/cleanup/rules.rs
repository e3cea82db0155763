//! The algebra of cleanup: what an operator on given operands can be replaced by.
//!
//! Here are the entry point, and what has one operand or three; [`super::integers`] has the rest
//! but for comparisons of orders ([`super::orders`]).
//! Each rule is an identity, exact for every operand value, wrap-around included; nothing is
//! assumed about ranges. Rules never make a trap appear or go.
//!
//! Leaves out floats (but for folding constants, where the operator table allows it) and addresses:
//! a constant is never moved into the offset of a load, which does not wrap.

use super::{integers, orders};
use crate::ir::residual::{Value, Values};
use crate::op::compare::{inverse, is_comparison};
use crate::op::{Const, Op};

/// What defines a value.
pub trait Known {
    /// The operator and its operands (padded to three), if it is one without effect.
    fn definition(&self, value: Value) -> Option<(Op, [Value; 3])>;
}

/// A replacement.
#[derive(Debug)]
pub enum Better {
    Value(Value),
    Const(Const),
    Op(Op, Values),
    /// The operator on a value and a constant.
    WithConst(Op, Value, Const),
}

/// How a condition relates to the one it replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sense {
    Same,
    Opposite,
}

/// A better form of `op` on `args`, if a rule has one.
pub fn improve(op: Op, args: &[Value], known: &impl Known) -> Option<Better> {
    if let Some(folded) = fold(op, args, known) {
        return Some(Better::Const(folded));
    }
    if let Some(comparison) = orders::compared(op, args, known) {
        return Some(comparison);
    }
    match *args {
        [value] => unary(op, value, known),
        [left, right] => integers::binary(op, left, right, known),
        [left, right, condition] => select(op, left, right, condition, known),
        _ => None,
    }
}

/// A simpler condition that is zero exactly when `value` is (or is not).
pub fn condition(value: Value, known: &impl Known) -> Option<(Value, Sense)> {
    let (op, [left, right, _]) = known.definition(value)?;
    match op {
        Op::I32Eqz => Some((left, Sense::Opposite)),
        Op::I32Ne if constant(right, known) == Some(Const::I32(0)) => Some((left, Sense::Same)),
        Op::I32WrapI64 => match known.definition(left)? {
            (Op::I64ExtendI32U | Op::I64ExtendI32S, [inner, ..]) => Some((inner, Sense::Same)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn constant(value: Value, known: &impl Known) -> Option<Const> {
    match known.definition(value)? {
        (Op::Const(constant), _) => Some(constant),
        _ => None,
    }
}

fn fold(op: Op, args: &[Value], known: &impl Known) -> Option<Const> {
    let constants: Option<smallvec::SmallVec<[Const; 3]>> =
        args.iter().map(|&arg| constant(arg, known)).collect();
    op.fold(&constants?)
}

/// Whether the `i32` is 0 or 1.
pub(super) fn is_boolean(value: Value, known: &impl Known) -> bool {
    match known.definition(value) {
        Some((Op::Const(Const::I32(bit)), _)) => bit == 0 || bit == 1,
        Some((Op::I32And, [left, right, _])) => {
            let shallow =
                |value| matches!(known.definition(value), Some((op, _)) if is_comparison(op));
            shallow(left) && shallow(right) || constant(right, known) == Some(Const::I32(1))
        }
        Some((op, _)) => is_comparison(op),
        None => false,
    }
}

pub(super) fn one(op: Op, value: Value) -> Option<Better> {
    Some(Better::Op(op, Values::from_slice(&[value])))
}

fn unary(op: Op, value: Value, known: &impl Known) -> Option<Better> {
    let (inner, [left, right, _]) = known.definition(value)?;
    match (op, inner) {
        (Op::I32WrapI64, Op::I64ExtendI32U | Op::I64ExtendI32S) => Some(Better::Value(left)),
        // Bits that are cut off need not be cleared or set before.
        (Op::I32WrapI64, Op::I64And) => match constant(right, known)? {
            Const::I64(mask) if mask as u32 == u32::MAX => one(op, left),
            _ => None,
        },
        (Op::I32WrapI64, Op::I64Or) => match constant(right, known)? {
            Const::I64(mask) if mask as u32 == 0 => one(op, left),
            _ => None,
        },
        (Op::I32Eqz, Op::I32Eqz) if is_boolean(left, known) => Some(Better::Value(left)),
        (Op::I64Eqz, Op::I64ExtendI32U | Op::I64ExtendI32S) => one(Op::I32Eqz, left),
        (Op::I32Eqz, compare) => {
            let inverted = inverse(compare)?;
            Some(Better::Op(inverted, Values::from_slice(&[left, right])))
        }
        (Op::F64ReinterpretI64, Op::I64ReinterpretF64)
        | (Op::I64ReinterpretF64, Op::F64ReinterpretI64)
        | (Op::F32ReinterpretI32, Op::I32ReinterpretF32)
        | (Op::I32ReinterpretF32, Op::F32ReinterpretI32) => Some(Better::Value(left)),
        _ => None,
    }
}

fn select(op: Op, left: Value, right: Value, cond: Value, known: &impl Known) -> Option<Better> {
    assert!(op == Op::Select, "only select has three operands");
    if left == right {
        return Some(Better::Value(left));
    }
    if let Some(decided) = constant(cond, known) {
        return Some(Better::Value(if decided.bits() != 0 {
            left
        } else {
            right
        }));
    }
    let (value, sense) = condition(cond, known)?;
    let args = match sense {
        Sense::Same => [left, right, value],
        Sense::Opposite => [right, left, value],
    };
    Some(Better::Op(op, Values::from_slice(&args)))
}
