//! Values in the emission: what is known of one, and how residual code gets at it.

use std::num::NonZeroU32;

use super::abs::{Abs, Fact};
use super::boxes::Kind;
use super::cells::{Content, Integers};
use crate::ir::{Type, residual};
use crate::op::Const;

/// A value: what is known of it, and its name in the residual function, once it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Val {
    pub abs: Abs,
    /// Of a virtual box, that of the payload.
    pub residual: Option<residual::Value>,
    /// The pointer to a virtual box, where it exists all the same.
    pub pointer: Option<residual::Value>,
    /// Of an integer that memory has: its name before the last call.
    pub before: Option<residual::Value>,
    /// Of a virtual box in a rooted cell: whether memory has its pointer all the same.
    pub is_placed: bool,
    /// Of a pointer to a box, or its address, where the payload is known.
    pub literal: Option<LiteralId>,
}

/// The number of a literal in the function that is written, from 1 on. Values are copied often: so
/// they have no more than this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiteralId(NonZeroU32);

impl LiteralId {
    /// That of literal `index`, counted from 0.
    pub fn new(index: usize) -> Option<Self> {
        let number = u32::try_from(index + 1).ok()?;
        NonZeroU32::new(number).map(Self)
    }

    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A box that never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub kind: Kind,
    /// Those of the payload.
    pub bits: i64,
}

impl Literal {
    pub fn payload(self) -> Const {
        match self.kind.payload {
            Type::F64 => Const::F64(self.bits as u64),
            _ => Const::I64(self.bits),
        }
    }
}

impl Val {
    /// One that has no name yet.
    pub fn known(abs: Abs) -> Self {
        Self {
            abs,
            residual: None,
            pointer: None,
            before: None,
            is_placed: false,
            literal: None,
        }
    }

    /// One with this name, that of the payload if it is a virtual box.
    pub fn named(abs: Abs, residual: residual::Value) -> Self {
        Self {
            residual: Some(residual),
            ..Self::known(abs)
        }
    }

    pub fn dynamic(residual: Option<residual::Value>) -> Self {
        Self {
            residual,
            ..Self::known(Abs::Dynamic)
        }
    }

    /// Whether it takes code to pass it where `abs` is known.
    pub fn is_reformed(self, abs: Abs) -> bool {
        let is_of_box = abs.is_of_box() || self.abs.is_of_box();
        !abs.is_known()
            && !self.abs.is_known()
            && (self.abs != abs && is_of_box || self.residual.is_none())
    }
}

impl Content for Val {
    fn abs(self) -> Abs {
        self.abs
    }

    fn moved(self) -> Self {
        Self {
            pointer: None,
            ..self
        }
    }

    fn reloaded(self, integers: Integers) -> Self {
        match (self.abs, integers) {
            (Abs::Fact(Fact::Pointer(_)), _) => Self::known(self.abs),
            (Abs::Fact(Fact::Immediate), Integers::Reloaded) => Self {
                before: self.residual.or(self.before),
                ..Self::known(self.abs)
            },
            _ => self.moved(),
        }
    }
}
