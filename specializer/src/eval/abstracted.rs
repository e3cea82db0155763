//! The values of the analysis: what is known of each, and no residual code.

use super::abs::{Abs, Fact};
use super::boxes::Kind;
use super::cells::Cell;
use super::span::Span;
use super::transfer::Phase;
use crate::ir::Type;
use crate::op::Op;

/// Values that are only abstract.
pub(super) struct Abstract;

impl Phase for Abstract {
    type Value = Abs;

    fn known(&mut self, abs: Abs) -> Abs {
        abs
    }

    fn emit(&mut self, _: Op, _: &[Abs], _: Option<Type>) -> Abs {
        Abs::Dynamic
    }

    fn load_cell(&mut self, _: Span) -> Abs {
        Abs::Dynamic
    }

    fn noting(&mut self, _: Abs, known: Abs) -> Abs {
        known
    }

    fn virtual_box(&mut self, kind: Kind, _: Abs) -> Abs {
        Abs::Fact(Fact::Box(kind))
    }

    fn made_box(&mut self, _: Kind, _: Abs) -> Abs {
        Abs::Dynamic
    }

    fn existing_box(&mut self, kind: Kind, _: Abs) -> Abs {
        Abs::Fact(Fact::BoxAt(kind))
    }

    fn noting_payload(&mut self, existing: Abs, _: i64) -> Abs {
        existing
    }

    fn payload(&mut self, _: Abs) -> Abs {
        Abs::Dynamic
    }

    fn as_held(&mut self, value: Abs) -> Abs {
        match value {
            Abs::Fact(Fact::BoxAt(kind)) => Abs::Fact(Fact::Box(kind)),
            Abs::Fact(Fact::NonZero) => Abs::Dynamic,
            other => other,
        }
    }

    fn held(&mut self, cell: Cell<Abs>) -> Abs {
        cell.value
    }

    fn store_cell(&mut self, _: Span, _: Abs) {}

    fn store_root(&mut self, _: Span, value: Abs) -> Abs {
        value
    }
}
