//! The algebra of binary integer operators, for both widths at once.
//!
//! An operator is a role (what it does) at a width; rules are about roles. Each is exact, as
//! [`super::rules`] says. Constants go to the right and subtractions become additions, so that
//! fewer shapes remain to be matched. Leaves out unsigned comparisons and rotations.

use super::rules::{Better, Known, constant, is_boolean, one};
use crate::ir::residual::{Value, Values};
use crate::op::{Const, Op};

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
    LtS,
    LeS,
    GtS,
    GeS,
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
    LtS: I32LtS, I64LtS;
    LeS: I32LeS, I64LeS;
    GtS: I32GtS, I64GtS;
    GeS: I32GeS, I64GeS;
}

impl Role {
    /// The role with the operands exchanged, if it has one.
    fn swapped(self) -> Option<Role> {
        match self {
            Role::Add | Role::Mul | Role::And | Role::Or | Role::Xor | Role::Eq | Role::Ne => {
                Some(self)
            }
            Role::LtS => Some(Role::GtS),
            Role::LeS => Some(Role::GeS),
            Role::GtS => Some(Role::LtS),
            Role::GeS => Some(Role::LeS),
            Role::Sub | Role::Shl | Role::ShrS | Role::ShrU => None,
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

/// A better form of a binary operator, if it is one of integers.
pub(super) fn binary(op: Op, left: Value, right: Value, known: &impl Known) -> Option<Better> {
    let (role, width) = role(op)?;
    if left == right {
        return same(role, width, left);
    }
    match (constant(left, known), constant(right, known)) {
        (Some(_), None) => {
            let swapped = width.op(role.swapped()?);
            Some(Better::Op(swapped, Values::from_slice(&[right, left])))
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
        Role::Eq | Role::LeS | Role::GeS => Some(Better::Const(Const::I32(1))),
        Role::Ne | Role::LtS | Role::GtS => Some(Better::Const(Const::I32(0))),
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

/// Rules for a constant right operand, where the left one is `inner_op(x, c)` or an extension.
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
        (Role::LtS | Role::LeS | Role::GtS | Role::GeS, Role::ShrS) => {
            let (role, bound) = shifted_bound(role, width, width.shift(c), right)?;
            with(role, bound)
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

/// Whether `x` is a left shift with zeros where `c` has bits, so that `x | c` is `x + c`.
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

/// A better form of `x << count = right`, where nothing is shifted out: `x` is an extended `i32`.
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

/// The comparison of `x` that is equivalent to that of `x >> count` with `right`: its role and its
/// bound. Absent where the bound does not fit the width.
fn shifted_bound(role: Role, width: Width, count: u32, right: i64) -> Option<(Role, i64)> {
    // x >> n < c exactly when x < c << n, for the shift rounds down; others are put in these terms.
    let (role, bound) = match role {
        Role::LtS | Role::GeS => (role, right),
        Role::LeS => (Role::LtS, right.checked_add(1)?),
        Role::GtS => (Role::GeS, right.checked_add(1)?),
        _ => return None,
    };
    let shifted = i128::from(bound) << count;
    let limit = 1_i128 << (width.bits - 1);
    (-limit..limit)
        .contains(&shifted)
        .then_some((role, shifted as i64))
}
