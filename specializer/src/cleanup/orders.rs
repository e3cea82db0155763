//! Comparisons of an order with a constant become comparisons of what was ordered.
//!
//! An order is `(a > b) - (a < b)`: -1, 0 or 1, by which functions say how two things compare. An
//! interpreter hands it on in its own form, as a tagged integer say. Whatever that is, an order has
//! three values; so which of them pass a test says which comparison of `a` with `b` it is.
//!
//! Leaves out floats, of which two may be neither equal nor ordered.

#[cfg(test)]
mod tests;

use super::rules::{Better, Known, constant};
use crate::ir::residual::{Value, Values};
use crate::op::compare::{inverse, is_comparison};
use crate::op::{Const, Op};

/// How many operators may lie between an order and its test.
const MOST_STEPS: usize = 4;

/// An order of two integers, in some form.
struct ThreeWay {
    left: Value,
    right: Value,
    less: Op,
    equal: Op,
    greater: Op,
    /// What it is if `left` is less than, equal to and greater than `right`.
    forms: [Const; 3],
}

/// The comparison of what is ordered that a comparison with a constant is.
pub(super) fn compared(op: Op, args: &[Value], known: &impl Known) -> Option<Better> {
    if !is_comparison(op) {
        return None;
    }
    let with = match args[1..] {
        [] => None,
        [with] => Some(constant(with, known)?),
        _ => return None,
    };
    let order = ThreeWay::of(args[0], MOST_STEPS, known)?;
    let holds = |form| -> Option<bool> {
        let operands = [Some(form), with];
        let operands: Vec<Const> = operands.into_iter().flatten().collect();
        Some(op.fold(&operands)?.bits() != 0)
    };
    let [less, equal, greater] = order.forms.map(holds);
    let comparison = match (less?, equal?, greater?) {
        (false, false, false) => return Some(Better::Const(Const::I32(0))),
        (true, true, true) => return Some(Better::Const(Const::I32(1))),
        (true, false, false) => order.less,
        (false, true, false) => order.equal,
        (false, false, true) => order.greater,
        (false, true, true) => inverse(order.less)?,
        (true, false, true) => inverse(order.equal)?,
        (true, true, false) => inverse(order.greater)?,
    };
    let args = Values::from_slice(&[order.left, order.right]);
    Some(Better::Op(comparison, args))
}

impl ThreeWay {
    /// The order that `value` is, which so many operators may have changed.
    fn of(value: Value, steps: usize, known: &impl Known) -> Option<Self> {
        let (op, [first, second, _]) = known.definition(value)?;
        if op == Op::I32Sub {
            return Self::difference(first, second, known);
        }
        let steps = steps.checked_sub(1)?;
        let operand = match op {
            Op::I64ExtendI32S | Op::I64ExtendI32U | Op::I32WrapI64 => None,
            Op::I32Add | Op::I64Add | Op::I32Or | Op::I64Or | Op::I32Shl | Op::I64Shl => {
                Some(constant(second, known)?)
            }
            _ => return None,
        };
        let mut order = Self::of(first, steps, known)?;
        for form in &mut order.forms {
            *form = match operand {
                Some(operand) => op.fold(&[*form, operand])?,
                None => op.fold(&[*form])?,
            };
        }
        Some(order)
    }

    /// The order that the difference of two comparisons is.
    fn difference(first: Value, second: Value, known: &impl Known) -> Option<Self> {
        let (greater, [left, right, _]) = known.definition(first)?;
        let (less, operands) = known.definition(second)?;
        let equal = match (greater, less) {
            (Op::I32GtS, Op::I32LtS) | (Op::I32GtU, Op::I32LtU) => Op::I32Eq,
            (Op::I64GtS, Op::I64LtS) | (Op::I64GtU, Op::I64LtU) => Op::I64Eq,
            _ => return None,
        };
        (operands[..2] == [left, right]).then_some(Self {
            left,
            right,
            less,
            equal,
            greater,
            forms: [-1, 0, 1].map(Const::I32),
        })
    }
}
