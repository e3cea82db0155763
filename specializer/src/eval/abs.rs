//! What the evaluator knows of a generic value: the lattice of binding times.
//!
//! ```text
//!   Const  Symbol.. Slot  Offset    known at specialization time (each value its own point)
//!      \      |     |     /   BoxAt..
//!       \     |     |    /      |
//!        \    |     |   /     Box.. InBox..       residual code knows what the box holds
//!         \   |     | Immediate | Pointer..        an odd `i64`; it points to a known word
//!          |  |     |    |     Address             the address of a block: even, not 0
//!          \  |     |    NonZero                   an `i64`, but not 0
//!               Dynamic                           known only to residual code
//!                  |
//!               Framed                            it may be an address in a frame
//! ```
//!
//! `Offset` is a parameter of the residual function plus a constant: it gives stack slots names.
//! There is no point for "unreached": what is not reached has no state.
//!
//! Invariant: joining two different points gives `Dynamic`, but for a box that is virtual on one
//! side only; `Immediate` where both are odd; `Address` where both are addresses of blocks;
//! `NonZero` where neither can be 0; or `Framed` where either may be an address in a frame, which
//! is above all others. So each value rises at most five times, which bounds the fixpoint.

use super::boxes::Kind;
use crate::ir::{Parameter, Symbol, Type};
use crate::op::{Const, Op};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Abs {
    Const(Const),
    /// The relocatable address (an `i32`).
    Symbol(Symbol),
    /// The same as an `i64`, zero-extended.
    Extended(Symbol),
    /// The function index (an `i32`) in the request slot at this address.
    Slot(Symbol),
    /// The residual function's `i32` parameter plus a constant, modulo 2^32.
    Offset {
        param: Parameter,
        offset: i32,
    },
    /// Residual code has the value, and this is known of it.
    Fact(Fact),
    /// Only residual code has the value.
    Dynamic,
}

/// What is known of a value that only residual code has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// A virtual box, one that is made only where somebody looks at it: residual code has the
    /// payload. Nobody writes into such boxes.
    Box(Kind),
    /// The address (an `i32`) of a virtual box plus a constant: residual code has the payload.
    InBox { kind: Kind, offset: i32 },
    /// A box that exists: residual code has the pointer.
    BoxAt(Kind),
    /// The address (an `i64`) of a block that begins with this word: residual code has it.
    Pointer(Symbol),
    /// The address (an `i64`) of a block, which is even and not 0: residual code has it.
    Address,
    /// The address (an `i32`) of a block that begins with this word: residual code has it.
    PointerAddress(Symbol),
    /// Residual code has the `i64`, which is odd and no address: nobody but residual code changes
    /// it.
    Immediate,
    /// The lower half of such a number: an `i32`, and odd.
    ImmediateHalf,
    /// Residual code has the `i64`, which is not 0.
    NonZero,
    /// Residual code has the value, which may be an address in a frame: at which place, and in
    /// which frame, is not known. All others that residual code has are none.
    Framed,
}

/// Parameters of the residual function that are addresses of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frames(u64);

impl Frames {
    pub fn new(params: impl Iterator<Item = Parameter>) -> Self {
        Self(params.fold(0, |all, param| all | Self::bit(param)))
    }

    /// Whether it is an address in a frame, or may be one.
    pub fn may_have(self, abs: Abs) -> bool {
        match abs {
            Abs::Offset { param, .. } => self.0 & Self::bit(param) != 0,
            other => other.fact() == Some(Fact::Framed),
        }
    }

    /// The last bit is for all parameters from there on.
    fn bit(param: Parameter) -> u64 {
        1 << param.0.min(63)
    }
}

impl Abs {
    /// What a comparison gives.
    pub fn truth(is: bool) -> Self {
        Self::Const(Const::I32(is.into()))
    }

    pub fn is_known(self) -> bool {
        match self {
            Abs::Const(_)
            | Abs::Symbol(_)
            | Abs::Extended(_)
            | Abs::Slot(_)
            | Abs::Offset { .. } => true,
            Abs::Fact(_) | Abs::Dynamic => false,
        }
    }

    /// What is known of a value that only residual code has.
    pub fn fact(self) -> Option<Fact> {
        match self {
            Abs::Fact(fact) => Some(fact),
            Abs::Const(_)
            | Abs::Symbol(_)
            | Abs::Extended(_)
            | Abs::Slot(_)
            | Abs::Offset { .. }
            | Abs::Dynamic => None,
        }
    }

    /// Whether it has to do with a box.
    pub fn is_of_box(self) -> bool {
        self.is_virtual() || matches!(self, Abs::Fact(Fact::BoxAt(_)))
    }

    /// Whether a box is made where somebody looks at it.
    pub fn is_virtual(self) -> bool {
        matches!(self, Abs::Fact(Fact::Box(_) | Fact::InBox { .. }))
    }

    /// Whether a box is made where `other` becomes this on the way into a join.
    pub fn needs_box_of(self, other: Self) -> bool {
        other.is_virtual() && self != other
    }

    /// Whether it is an `i64` other than 0.
    pub fn is_nonzero(self) -> bool {
        if let Abs::Const(Const::I64(n)) = self {
            return n != 0;
        }
        self.fact().is_some_and(|fact| match fact {
            Fact::Box(_)
            | Fact::BoxAt(_)
            | Fact::Pointer(_)
            | Fact::Address
            | Fact::Immediate
            | Fact::NonZero => true,
            Fact::InBox { .. } | Fact::PointerAddress(_) | Fact::ImmediateHalf | Fact::Framed => {
                false
            }
        })
    }

    /// Whether it is the address of a block, as an `i64`: an even number.
    fn is_address(self) -> bool {
        matches!(
            self,
            Abs::Fact(Fact::Box(_) | Fact::BoxAt(_) | Fact::Pointer(_) | Fact::Address)
        )
    }

    /// Whether it is an odd `i64`.
    pub fn is_immediate(self) -> bool {
        match self {
            Abs::Const(Const::I64(n)) => n & 1 == 1,
            known => known.fact() == Some(Fact::Immediate),
        }
    }

    /// The least upper bound.
    pub fn join(self, other: Abs, frames: Frames) -> Abs {
        match (self, other) {
            _ if self == other => self,
            _ if frames.may_have(self) || frames.may_have(other) => Abs::Fact(Fact::Framed),
            (Abs::Fact(Fact::Box(kind)), Abs::Fact(Fact::BoxAt(at)))
            | (Abs::Fact(Fact::BoxAt(at)), Abs::Fact(Fact::Box(kind)))
                if kind == at =>
            {
                Abs::Fact(Fact::Box(kind))
            }
            _ if self.is_immediate() && other.is_immediate() => Abs::Fact(Fact::Immediate),
            _ if self.is_address() && other.is_address() => Abs::Fact(Fact::Address),
            _ if self.is_nonzero() && other.is_nonzero() => Abs::Fact(Fact::NonZero),
            _ => Abs::Dynamic,
        }
    }

    /// The residual type of a value whose generic type is `ty`.
    pub fn residual_type(self, ty: Type) -> Type {
        match self {
            Abs::Fact(Fact::Box(kind) | Fact::InBox { kind, .. }) => kind.payload,
            _ => ty,
        }
    }

    /// The truth of an `i32` condition, where known.
    pub fn as_condition(self) -> Option<bool> {
        match self {
            Abs::Const(Const::I32(n)) => Some(n != 0),
            Abs::Symbol(symbol) if is_never_zero(symbol) => Some(true),
            Abs::Fact(Fact::InBox { offset: 0, .. }) => Some(true),
            Abs::Const(_)
            | Abs::Symbol(_)
            | Abs::Extended(_)
            | Abs::Slot(_)
            | Abs::Offset { .. }
            | Abs::Fact(_)
            | Abs::Dynamic => None,
        }
    }

    pub fn as_u32(self) -> Option<u32> {
        match self {
            Abs::Const(Const::I32(n)) => Some(n as u32),
            Abs::Const(_)
            | Abs::Symbol(_)
            | Abs::Extended(_)
            | Abs::Slot(_)
            | Abs::Offset { .. }
            | Abs::Fact(_)
            | Abs::Dynamic => None,
        }
    }

    /// The address `self + delta`, where `self` is one.
    pub fn plus(self, delta: i32) -> Option<Abs> {
        match self {
            Abs::Const(Const::I32(n)) => Some(Abs::Const(Const::I32(n.wrapping_add(delta)))),
            Abs::Symbol(Symbol { base, offset }) => Some(Abs::Symbol(Symbol {
                base,
                offset: offset.wrapping_add(delta),
            })),
            Abs::Offset { param, offset } => Some(Abs::Offset {
                param,
                offset: offset.wrapping_add(delta),
            }),
            Abs::Const(_) | Abs::Extended(_) | Abs::Slot(_) | Abs::Fact(_) | Abs::Dynamic => None,
        }
    }
}

/// What a pure operator gives on operands of which something is known.
pub fn fold(op: Op, args: &[Abs]) -> Option<Abs> {
    if let Some(constants) = constants(args) {
        return op.fold(&constants[..args.len()]).map(Abs::Const);
    }
    match (op, args) {
        (Op::Select, &[a, b, condition]) => match condition.as_condition() {
            Some(true) => Some(a),
            Some(false) => Some(b),
            None => (a == b && a.is_known()).then_some(a),
        },
        (Op::I32WrapI64, &[Abs::Extended(symbol)]) => Some(Abs::Symbol(symbol)),
        (Op::I32Add, &[a, Abs::Const(Const::I32(n))])
        | (Op::I32Add, &[Abs::Const(Const::I32(n)), a]) => a.plus(n),
        (Op::I32Sub, &[a, Abs::Const(Const::I32(n))]) => a.plus(n.wrapping_neg()),
        (Op::I32Sub, &[a, b]) => distance(a, b).map(|n| Abs::Const(Const::I32(n))),
        (Op::I32Eq, &[a, b]) => equal(a, b).map(Abs::truth),
        (Op::I32Ne, &[a, b]) => equal(a, b).map(|is| Abs::truth(!is)),
        (Op::I32Eqz, &[a]) => a.as_condition().map(|is| Abs::truth(!is)),
        (
            Op::I32And,
            &[zero @ Abs::Const(Const::I32(0)), _] | &[_, zero @ Abs::Const(Const::I32(0))],
        ) => Some(zero),
        (Op::I64And, &[a, Abs::Const(Const::I64(1))]) => {
            let decided = a.is_immediate() || a.is_address();
            decided.then_some(Abs::Const(Const::I64(a.is_immediate().into())))
        }
        // Compilers test the lower half as well.
        (Op::I32And, &[a, Abs::Const(Const::I32(1))]) => {
            let half = a == Abs::Fact(Fact::ImmediateHalf);
            half.then_some(Abs::Const(Const::I32(1)))
        }
        (Op::I64Eqz, &[a]) => a.is_nonzero().then_some(Abs::truth(false)),
        (Op::I64Eq | Op::I64Ne, &[a, Abs::Const(Const::I64(n))]) => {
            let differ = (n == 0 && a.is_nonzero()) || (n & 1 == 1 && a.is_address());
            differ.then_some(Abs::truth(op == Op::I64Ne))
        }
        _ => None,
    }
}

fn constants(args: &[Abs]) -> Option<[Const; 3]> {
    let mut constants = [Const::I32(0); 3];
    for (slot, arg) in constants.iter_mut().zip(args) {
        let Abs::Const(constant) = arg else {
            return None;
        };
        *slot = *constant;
    }
    (args.len() <= 3).then_some(constants)
}

/// `a - b` for addresses of the same base.
fn distance(a: Abs, b: Abs) -> Option<i32> {
    match (a, b) {
        (Abs::Symbol(a), Abs::Symbol(b)) if a.base == b.base => {
            Some(a.offset.wrapping_sub(b.offset))
        }
        (
            Abs::Offset {
                param: p,
                offset: a,
            },
            Abs::Offset {
                param: q,
                offset: b,
            },
        ) if p == q => Some(a.wrapping_sub(b)),
        _ => None,
    }
}

/// Whether an address is not 0 wherever its base lies: a base never is, and what lies close behind
/// it is no further than the end of the memory. Before it there may be anything, as where an
/// interpreter counts from its code's beginning.
fn is_never_zero(symbol: Symbol) -> bool {
    (0..1 << 16).contains(&symbol.offset)
}

fn equal(a: Abs, b: Abs) -> Option<bool> {
    match (a, b) {
        (Abs::Symbol(symbol), Abs::Const(Const::I32(0)))
        | (Abs::Const(Const::I32(0)), Abs::Symbol(symbol))
            if is_never_zero(symbol) =>
        {
            Some(false)
        }
        _ => distance(a, b).map(|n| n == 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Base;

    /// Whatever joins with whatever, in whatever order and grouping, and with a frame or without
    /// one; what may be an address in a frame stays that.
    #[test]
    fn joins_are_least_upper_bounds() {
        let offset = |param, offset| Abs::Offset {
            param: Parameter(param),
            offset,
        };
        let word = Symbol {
            base: Base(0),
            offset: 8,
        };
        let float = Kind {
            index: 0,
            payload: Type::F64,
        };
        let facts = [
            Fact::Box(float),
            Fact::BoxAt(float),
            Fact::Pointer(word),
            Fact::Address,
            Fact::Immediate,
            Fact::ImmediateHalf,
            Fact::NonZero,
            Fact::Framed,
        ];
        let mut points = vec![
            Abs::Const(Const::I32(4)),
            Abs::Const(Const::I64(0)),
            Abs::Const(Const::I64(2)),
            Abs::Const(Const::I64(3)),
            offset(1, 0),
            offset(1, 8),
            offset(2, 0),
            Abs::Dynamic,
        ];
        points.extend(facts.map(Abs::Fact));
        for frames in [&[1][..], &[], &[1, 2], &[70]] {
            let frames = Frames::new(frames.iter().copied().map(Parameter));
            for &a in &points {
                assert_eq!(a.join(a, frames), a);
                for &b in &points {
                    let joined = a.join(b, frames);
                    assert_eq!(joined, b.join(a, frames), "{a:?} {b:?}");
                    assert_eq!(joined, joined.join(a, frames), "{a:?} {b:?}");
                    let may = frames.may_have(a) || frames.may_have(b);
                    assert_eq!(frames.may_have(joined), may, "{a:?} {b:?}");
                    for &c in &points {
                        let other = a.join(b.join(c, frames), frames);
                        assert_eq!(joined.join(c, frames), other, "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }
}
