//! What is known of the bits of a value, and of what operators make of it.

use smallvec::SmallVec;

use crate::ir::Type;
use crate::op::compare::is_comparison;
use crate::op::{Const, Op, Outcome};

/// The bits that are 0 and those that are 1 in each execution. An `i32` is extended by zeros; of
/// floats nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    zeros: u64,
    ones: u64,
}

/// The bits of an `i32`.
const LOW: u64 = u32::MAX as u64;

impl Bits {
    /// Any value of a type.
    pub fn of_type(ty: Type) -> Self {
        Self::below(match ty {
            Type::I32 => LOW,
            Type::I64 | Type::F32 | Type::F64 => u64::MAX,
        })
    }

    /// Bits outside of `mask` are 0.
    const fn below(mask: u64) -> Self {
        Self {
            zeros: !mask,
            ones: 0,
        }
    }

    const fn exactly(bits: u64) -> Self {
        Self {
            zeros: !bits,
            ones: bits,
        }
    }

    const fn boolean(value: Option<bool>) -> Self {
        match value {
            Some(value) => Self::exactly(value as u64),
            None => Self::below(1),
        }
    }

    /// The value, if all bits are known.
    pub fn constant(self) -> Option<u64> {
        (self.zeros | self.ones == u64::MAX).then_some(self.ones)
    }

    /// Whether the value is 0, if that is known.
    pub fn is_zero(self) -> Option<bool> {
        match (self.ones, self.zeros) {
            (0, u64::MAX) => Some(true),
            (0, _) => None,
            _ => Some(false),
        }
    }

    /// The bits that may be 1.
    pub fn can_be(self) -> u64 {
        !self.zeros
    }

    /// The bits that are 1.
    pub fn must_be(self) -> u64 {
        self.ones
    }

    /// What is known of either.
    pub fn meet(self, other: Self) -> Self {
        Self {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// Less, so that a number that grows round by round is soon one of which nothing is known: in
    /// each half of the word, no bit above one that is not known. (By halves, as numbers of 32 bits
    /// with a tag above them are common.)
    pub fn widened(self) -> Self {
        let unknown = !(self.zeros | self.ones);
        let above = |half: u64| match unknown & half {
            0 => 0,
            some => half & !((1 << some.trailing_zeros()) - 1),
        };
        let lost = above(LOW) | above(!LOW);
        Self {
            zeros: self.zeros & !lost,
            ones: self.ones & !lost,
        }
    }

    fn not(self) -> Self {
        Self {
            zeros: self.ones,
            ones: self.zeros,
        }
    }

    /// What is left of the bits of `mask`; the others are 0.
    fn masked(self, mask: u64) -> Self {
        Self {
            zeros: self.zeros | !mask,
            ones: self.ones & mask,
        }
    }

    /// The sum, `carry` being added. A bit is known if both are and so is the carry into it: the
    /// least and the greatest sum show which carries are.
    fn plus(self, other: Self, carry: u64) -> Self {
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let most = self
            .can_be()
            .wrapping_add(other.can_be())
            .wrapping_add(carry);
        let carries_zero = !(most ^ self.zeros ^ other.zeros);
        let carries_one = least ^ self.ones ^ other.ones;
        let known =
            (self.zeros | self.ones) & (other.zeros | other.ones) & (carries_zero | carries_one);
        Self {
            zeros: !most & known,
            ones: least & known,
        }
    }

    /// With the sign bit of a number of so many bits turned round: signed order becomes unsigned.
    fn in_order(self, signed: Option<u32>) -> Self {
        let Some(width) = signed else { return self };
        let sign = 1 << (width - 1);
        let swap = |mine: u64, others: u64| mine & !sign | others & sign;
        Self {
            zeros: swap(self.zeros, self.ones),
            ones: swap(self.ones, self.zeros),
        }
    }

    /// Whether it is less than the other, unsigned, if that is known.
    fn is_below(self, other: Self) -> Option<bool> {
        if self.can_be() < other.must_be() {
            return Some(true);
        }
        (self.must_be() >= other.can_be()).then_some(false)
    }
}

/// What is known of an operator's result, which has this type.
pub fn result(op: Op, args: SmallVec<[Bits; 4]>, ty: Type) -> Bits {
    if let Some(value) = folded(op, &args) {
        return value;
    }
    let mask = Bits::of_type(ty).can_be();
    let width = mask.count_ones();
    match (op, &args[..]) {
        (Op::Load { kind, .. }, _) if kind.extends_sign() == Some(false) => {
            Bits::below(u64::MAX >> (64 - 8 * kind.width()))
        }
        (Op::Select, &[left, right, condition]) => match condition.is_zero() {
            Some(true) => right,
            Some(false) => left,
            None => left.meet(right),
        },
        (Op::I32WrapI64, &[value]) => value.masked(LOW),
        (Op::I64ExtendI32U, &[value]) => value,
        (Op::I64ExtendI32S, &[value]) => sign_extended(value, 32),
        (Op::I32Eqz | Op::I64Eqz, &[value]) => Bits::boolean(value.is_zero()),
        (_, &[left, right]) => binary(op, left, right, width).masked(mask),
        _ => Bits::of_type(ty),
    }
}

/// The result, if all bits of the operands are known and the operator is one of integers.
fn folded(op: Op, args: &[Bits]) -> Option<Bits> {
    match op {
        Op::Const(constant @ (Const::I32(_) | Const::I64(_))) => {
            Some(Bits::exactly(constant.bits()))
        }
        Op::Plain(plain) => {
            let types = plain.operands().iter();
            let constants = args.iter().zip(types).map(|(bits, &ty)| match ty {
                Type::I32 | Type::I64 => Some(Const::from_bits(ty, bits.constant()?)),
                Type::F32 | Type::F64 => None,
            });
            let constants: Option<SmallVec<[Const; 2]>> = constants.collect();
            match plain.evaluate(&constants?) {
                Outcome::Value(value @ (Const::I32(_) | Const::I64(_))) => {
                    Some(Bits::exactly(value.bits()))
                }
                Outcome::Value(_) | Outcome::AnyNan(_) | Outcome::Trap => None,
            }
        }
        _ => None,
    }
}

/// Of a number of so many bits, extended to 64.
fn sign_extended(value: Bits, width: u32) -> Bits {
    let high = u64::MAX << (width - 1);
    let sign = 1 << (width - 1);
    Bits {
        zeros: value.zeros & !high | if value.zeros & sign != 0 { high } else { 0 },
        ones: value.ones & !high | if value.ones & sign != 0 { high } else { 0 },
    }
}

/// Of two operands of `width` bits; what is beyond the result's type is not right yet.
fn binary(op: Op, left: Bits, right: Bits, width: u32) -> Bits {
    let shift = right.constant().map(|count| count as u32 % width);
    match (op, shift) {
        (Op::I32And | Op::I64And, _) => Bits {
            zeros: left.zeros | right.zeros,
            ones: left.ones & right.ones,
        },
        (Op::I32Or | Op::I64Or, _) => Bits {
            zeros: left.zeros & right.zeros,
            ones: left.ones | right.ones,
        },
        (Op::I32Xor | Op::I64Xor, _) => Bits {
            zeros: left.zeros & right.zeros | left.ones & right.ones,
            ones: left.zeros & right.ones | left.ones & right.zeros,
        },
        (Op::I32Add | Op::I64Add, _) => left.plus(right, 0),
        (Op::I32Sub | Op::I64Sub, _) => left.plus(right.not(), 1),
        (Op::I32Mul | Op::I64Mul, _) => {
            let even = left.zeros.trailing_ones() + right.zeros.trailing_ones();
            Bits::below(u64::MAX.checked_shl(even).unwrap_or(0))
        }
        (Op::I32Shl | Op::I64Shl, Some(count)) => Bits {
            zeros: left.zeros << count | !(u64::MAX << count),
            ones: left.ones << count,
        },
        (Op::I32ShrU | Op::I64ShrU, Some(count)) => Bits {
            zeros: left.zeros >> count | !(u64::MAX >> count),
            ones: left.ones >> count,
        },
        (Op::I32ShrS | Op::I64ShrS, Some(count)) => {
            let left = sign_extended(left, width);
            Bits {
                zeros: (left.zeros as i64 >> count) as u64,
                ones: (left.ones as i64 >> count) as u64,
            }
        }
        _ => compared(op, left, right).unwrap_or(Bits::below(u64::MAX)),
    }
}

/// The result of a comparison of integers.
fn compared(op: Op, left: Bits, right: Bits) -> Option<Bits> {
    let differ = || {
        let differ = left.ones & right.zeros | left.zeros & right.ones != 0;
        differ.then_some(true)
    };
    let below =
        |left: Bits, right: Bits, signed| left.in_order(signed).is_below(right.in_order(signed));
    let not = |value: Option<bool>| value.map(|value| !value);
    let value = match op {
        Op::I32Eq | Op::I64Eq => not(differ()),
        Op::I32Ne | Op::I64Ne => differ(),
        Op::I32LtU | Op::I64LtU => below(left, right, None),
        Op::I32GtU | Op::I64GtU => below(right, left, None),
        Op::I32LeU | Op::I64LeU => not(below(right, left, None)),
        Op::I32GeU | Op::I64GeU => not(below(left, right, None)),
        Op::I32LtS => below(left, right, Some(32)),
        Op::I32GtS => below(right, left, Some(32)),
        Op::I32LeS => not(below(right, left, Some(32))),
        Op::I32GeS => not(below(left, right, Some(32))),
        Op::I64LtS => below(left, right, Some(64)),
        Op::I64GtS => below(right, left, Some(64)),
        Op::I64LeS => not(below(right, left, Some(64))),
        Op::I64GeS => not(below(left, right, Some(64))),
        _ if is_comparison(op) => None,
        _ => return None,
    };
    Some(Bits::boolean(value))
}
