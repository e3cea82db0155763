//! The intrinsics as operators: their table is the annotations crate's, here in terms of the SSA
//! form.

pub use annotations::Intrinsic;
use annotations::Meaning;

use super::{Effect, LoadKind, Op, OpType, StoreKind};
use crate::entity::{Signature, Type};

/// The memory region of cells, which other code accesses in calls only. Those of interpreters have
/// lower numbers.
pub const CELLS_REGION: u32 = 31;

/// That of the headers of blocks that are being allocated.
pub const FRESH_REGION: u32 = 30;

/// Reads the cell at an address.
pub const CELL_LOAD: Op = Op::Load {
    kind: LoadKind::I64Load,
    offset: 0,
};

/// Writes the cell at an address.
pub const CELL_STORE: Op = Op::Store {
    kind: StoreKind::I64Store,
    offset: 0,
};

/// What stands for a call of an intrinsic in generic code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// No operator; the operands are not used.
    Nothing,
    /// Operand 0.
    First,
    /// The constant 0.
    Zero,
    /// This operator, with the same operands.
    Op(Op),
}

/// The plain operation that an intrinsic means.
pub fn plain(intrinsic: Intrinsic) -> Plain {
    match intrinsic.meaning() {
        Meaning::Nothing => Plain::Nothing,
        Meaning::First => Plain::First,
        Meaning::Zero => Plain::Zero,
        Meaning::Load => Plain::Op(CELL_LOAD),
        Meaning::Store => Plain::Op(CELL_STORE),
    }
}

/// Operands and result of an intrinsic.
pub fn ty(intrinsic: Intrinsic) -> OpType {
    OpType {
        operands: intrinsic.params().iter().map(|&ty| ty.into()).collect(),
        result: intrinsic.result().map(Type::from),
    }
}

/// Whether an import of this type is the intrinsic.
pub fn agrees(intrinsic: Intrinsic, signature: &Signature) -> bool {
    let OpType { operands, result } = ty(intrinsic);
    signature.params[..] == operands[..] && signature.results.first().copied() == result
}

impl From<annotations::Type> for Type {
    fn from(ty: annotations::Type) -> Self {
        match ty {
            annotations::Type::I32 => Type::I32,
            annotations::Type::I64 => Type::I64,
        }
    }
}

impl From<annotations::Effect> for Effect {
    fn from(effect: annotations::Effect) -> Self {
        match effect {
            annotations::Effect::Pure => Effect::Pure,
            annotations::Effect::Reads => Effect::Reads,
            annotations::Effect::Writes => Effect::Writes,
            annotations::Effect::Calls => Effect::Calls,
        }
    }
}
