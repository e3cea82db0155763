//! The algebra of cleanup: what an operator on given operands can be replaced by.
//!
//! Each rule is an identity of WebAssembly's integers, exact for every operand value, wrap-around
//! included; nothing is assumed about ranges. Rules never make a trap appear or go.
//!
//! Leaves out floats (but for folding constants, where the operator table allows it) and addresses:
//! a constant is never moved into the offset of a load, which does not wrap.

use super::compare::{inverse, is_comparison};
use crate::ir::residual::{Value, Values};
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
    match *args {
        [value] => unary(op, value, known),
        [left, right] => binary(op, left, right, known),
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

fn constant(value: Value, known: &impl Known) -> Option<Const> {
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
fn is_boolean(value: Value, known: &impl Known) -> bool {
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

fn one(op: Op, value: Value) -> Option<Better> {
    Some(Better::Op(op, Values::from_slice(&[value])))
}

fn unary(op: Op, value: Value, known: &impl Known) -> Option<Better> {
    let (inner, [left, right, _]) = known.definition(value)?;
    match (op, inner) {
        (Op::I32WrapI64, Op::I64ExtendI32U | Op::I64ExtendI32S) => Some(Better::Value(left)),
        // Bits that are cut off need not be cleared before.
        (Op::I32WrapI64, Op::I64And) => match constant(right, known)? {
            Const::I64(mask) if mask as u32 == u32::MAX => one(op, left),
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

/// The integer operators of one width, by role.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    Eq,
    Ne,
}

/// The width of an integer operator.
#[derive(Clone, Copy)]
struct Width {
    bits: u32,
}

macro_rules! roles {
    ($($role:ident: $narrow:ident, $wide:ident;)*) => {
        fn role(op: Op) -> Option<(Role, Width)> {
            Some(match op {
                $(Op::$narrow => (Role::$role, Width { bits: 32 }),
                Op::$wide => (Role::$role, Width { bits: 64 }),)*
                _ => return None,
            })
        }

        impl Width {
            fn op(self, role: Role) -> Op {
                match role {
                    $(Role::$role => if self.bits == 32 { Op::$narrow } else { Op::$wide },)*
                }
            }
        }
    };
}

roles! {
    Add: I32Add, I64Add;
    Sub: I32Sub, I64Sub;
    Mul: I32Mul, I64Mul;
    And: I32And, I64And;
    Or: I32Or, I64Or;
    Xor: I32Xor, I64Xor;
    Shl: I32Shl, I64Shl;
    ShrS: I32ShrS, I64ShrS;
    ShrU: I32ShrU, I64ShrU;
    Eq: I32Eq, I64Eq;
    Ne: I32Ne, I64Ne;
}

impl Role {
    fn commutes(self) -> bool {
        match self {
            Role::Add | Role::Mul | Role::And | Role::Or | Role::Xor | Role::Eq | Role::Ne => true,
            Role::Sub | Role::Shl | Role::ShrS | Role::ShrU => false,
        }
    }
}

impl Width {
    /// The constant of this width with the low bits of `value`.
    fn constant(self, value: i64) -> Const {
        if self.bits == 32 {
            Const::I32(value as i32)
        } else {
            Const::I64(value)
        }
    }

    /// The constant, sign-extended.
    fn value(self, constant: Const) -> i64 {
        match constant {
            Const::I32(value) => i64::from(value),
            Const::I64(value) => value,
            Const::F32(_) | Const::F64(_) => {
                unreachable!("an integer operator has integer operands")
            }
        }
    }

    fn shift(self, count: i64) -> u32 {
        count as u32 % self.bits
    }
}

fn binary(op: Op, left: Value, right: Value, known: &impl Known) -> Option<Better> {
    let (role, width) = role(op)?;
    if left == right {
        return same(role, width, left);
    }
    match (constant(left, known), constant(right, known)) {
        (Some(_), None) if role.commutes() => {
            Some(Better::Op(op, Values::from_slice(&[right, left])))
        }
        (_, Some(right)) => {
            let right = width.value(right);
            identity(role, width, left, right).or_else(|| nested(role, width, left, right, known))
        }
        (_, None) => None,
    }
}

/// Rules for equal operands.
fn same(role: Role, width: Width, value: Value) -> Option<Better> {
    match role {
        Role::And | Role::Or => Some(Better::Value(value)),
        Role::Sub | Role::Xor => Some(Better::Const(width.constant(0))),
        Role::Eq => Some(Better::Const(Const::I32(1))),
        Role::Ne => Some(Better::Const(Const::I32(0))),
        Role::Add | Role::Mul | Role::Shl | Role::ShrS | Role::ShrU => None,
    }
}

/// Rules for a constant right operand, whatever the left one.
fn identity(role: Role, width: Width, left: Value, right: i64) -> Option<Better> {
    let count = width.shift(right);
    match (role, right) {
        (Role::Add | Role::Sub | Role::Or | Role::Xor, 0) | (Role::Mul, 1) | (Role::And, -1) => {
            Some(Better::Value(left))
        }
        (Role::Shl | Role::ShrS | Role::ShrU, _) if count == 0 => Some(Better::Value(left)),
        (Role::And | Role::Mul, 0) => Some(Better::Const(width.constant(0))),
        (Role::Or, -1) => Some(Better::Const(width.constant(-1))),
        (Role::Sub, _) => Some(Better::WithConst(
            width.op(Role::Add),
            left,
            width.constant(right.wrapping_neg()),
        )),
        (Role::Eq, 0) => one(
            if width.bits == 32 {
                Op::I32Eqz
            } else {
                Op::I64Eqz
            },
            left,
        ),
        _ => None,
    }
}

/// Rules for a constant right operand and a left one that is `left = inner_op(x, c)` or an extension.
fn nested(role: Role, width: Width, left: Value, right: i64, known: &impl Known) -> Option<Better> {
    if let Role::Eq | Role::Ne = role {
        return equality(role, width, left, right, known);
    }
    let (inner_op, [x, c, _]) = known.definition(left)?;
    if let (Op::I64ExtendI32U, Role::And, 0xffff_ffff) = (inner_op, role, right) {
        return Some(Better::Value(left));
    }
    let (inner, _) = self::role(inner_op)?;
    let c = width.value(constant(c, known)?);
    let with = |role, constant| {
        Some(Better::WithConst(
            width.op(role),
            x,
            width.constant(constant),
        ))
    };
    match (role, inner) {
        (Role::Add, Role::Add) => with(role, c.wrapping_add(right)),
        (Role::Mul, Role::Mul) => with(role, c.wrapping_mul(right)),
        (Role::And, Role::And) => with(role, c & right),
        (Role::Or, Role::Or) => with(role, c | right),
        (Role::Xor, Role::Xor) => with(role, c ^ right),
        // Bits that are set anyway need not be kept.
        (Role::Or, Role::And) if c | right == -1 => with(role, right),
        // Two shifts in the same direction.
        (Role::Shl, Role::Shl) | (Role::ShrU, Role::ShrU) | (Role::ShrS, Role::ShrS)
            if width.shift(c) + width.shift(right) < width.bits =>
        {
            with(role, i64::from(width.shift(c) + width.shift(right)))
        }
        // Down and up again clears the low bits.
        (Role::Shl, Role::ShrS | Role::ShrU) if width.shift(c) == width.shift(right) => {
            with(Role::And, -1_i64 << width.shift(c))
        }
        _ => None,
    }
}

/// `left = right` or its opposite, for a constant right operand.
fn equality(
    role: Role,
    width: Width,
    left: Value,
    right: i64,
    known: &impl Known,
) -> Option<Better> {
    if width.bits == 32 && is_boolean(left, known) {
        return match (role == Role::Eq, right) {
            (true, 1) | (false, 0) => Some(Better::Value(left)),
            (false, 1) => one(Op::I32Eqz, left),
            // Equality with zero is an identity already; others never hold.
            _ => Some(Better::Const(Const::I32((role == Role::Ne).into()))),
        };
    }
    let (inner_op, [x, c, condition]) = known.definition(left)?;
    let decided = |holds: bool| {
        Some(Better::Const(Const::I32(
            (holds == (role == Role::Eq)).into(),
        )))
    };
    let with = |width: Width, constant| {
        Some(Better::WithConst(
            width.op(role),
            x,
            width.constant(constant),
        ))
    };
    match inner_op {
        Op::I64ExtendI32U if right == i64::from(right as u32) => with(Width { bits: 32 }, right),
        Op::I64ExtendI32S if right == i64::from(right as i32) => with(Width { bits: 32 }, right),
        Op::I64ExtendI32U | Op::I64ExtendI32S => decided(false),
        Op::Select => {
            let (x, c) = (
                width.value(constant(x, known)?),
                width.value(constant(c, known)?),
            );
            match (x == right, c == right) {
                (true, true) => decided(true),
                (false, false) => decided(false),
                (first, _) if first == (role == Role::Eq) => {
                    is_boolean(condition, known).then_some(Better::Value(condition))
                }
                _ => one(Op::I32Eqz, condition),
            }
        }
        _ => {
            let (inner, _) = self::role(inner_op)?;
            let c = width.value(constant(c, known)?);
            match inner {
                Role::Add => with(width, right.wrapping_sub(c)),
                Role::Xor => with(width, right ^ c),
                Role::Or if low_bits_clear(x, c, known) => with(width, right.wrapping_sub(c)),
                Role::Shl => shifted(role, width, x, width.shift(c), right, known),
                _ => None,
            }
        }
    }
}

/// Whether `x` is a left shift that leaves the bits of `c` zero, so that "or" adds.
fn low_bits_clear(x: Value, c: i64, known: &impl Known) -> bool {
    match known.definition(x) {
        Some((op @ (Op::I32Shl | Op::I64Shl), [_, count, _])) => {
            let width = Width {
                bits: if op == Op::I32Shl { 32 } else { 64 },
            };
            constant(count, known)
                .is_some_and(|count| c & (-1_i64 << width.shift(width.value(count))) == 0)
        }
        _ => false,
    }
}

/// `x << count = right`, where nothing is shifted out: `x` is an extended `i32`.
fn shifted(
    role: Role,
    width: Width,
    x: Value,
    count: u32,
    right: i64,
    known: &impl Known,
) -> Option<Better> {
    if width.bits != 64 || count > 32 || known.definition(x)?.0 != Op::I64ExtendI32U {
        return None;
    }
    match ((right as u64) >> count) << count == right as u64 {
        true => Some(Better::WithConst(
            width.op(role),
            x,
            Const::I64((right as u64 >> count) as i64),
        )),
        false => Some(Better::Const(Const::I32((role == Role::Ne).into()))),
    }
}
