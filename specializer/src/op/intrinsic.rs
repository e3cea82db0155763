//! The intrinsics as operators: their table is the annotations crate's, here in terms of the SSA
//! form.

pub use annotations::{Intrinsic, Meaning};

use std::ops::RangeInclusive;

use smallvec::{SmallVec, smallvec};

use super::{Effect, LoadKind, Op, OpType, StoreKind, Width};
use crate::entity::{Signature, Type};

/// The memory region of cells, which other code accesses in calls only.
pub const CELLS_REGION: u32 = 31;

/// That of an address of which the region is not known, though it is constant.
pub const UNKNOWN_REGION: u32 = 0;

/// That of the headers of blocks that are being allocated.
pub const FRESH_REGION: u32 = 30;

/// Those that interpreters can name.
pub const NAMED_REGIONS: RangeInclusive<u32> = 1..=FRESH_REGION - 1;

/// Reads the cell of eight bytes at an address.
pub const CELL_LOAD: Op = Op::Load {
    kind: LoadKind::I64Load,
    offset: 0,
};

/// Writes the cell of eight bytes at an address.
pub const CELL_STORE: Op = Op::Store {
    kind: StoreKind::I64Store,
    offset: 0,
};

/// Whether residual code may have it.
pub fn is_residual(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::LockstepEvent | Intrinsic::ProfileCallee | Intrinsic::AddressWithin
    )
}

/// The width of the cell that an intrinsic reads or writes.
pub fn width(intrinsic: Intrinsic) -> Width {
    Width::of(intrinsic.cell_width()).expect("the table's widths are cells'")
}

/// The access to memory that a read or write of a cell is in generic code.
pub fn access(intrinsic: Intrinsic) -> Op {
    let width = width(intrinsic);
    match intrinsic.meaning() {
        Meaning::Store => Op::Store {
            kind: width.store(),
            offset: 0,
        },
        _ => Op::Load {
            kind: width.load(),
            offset: 0,
        },
    }
}

/// The operands of that access among the intrinsic's own: the address, and what is stored.
pub fn accessed<T: Copy>(intrinsic: Intrinsic, operands: &[T]) -> SmallVec<[T; 2]> {
    let address = operands[0];
    match (intrinsic.meaning(), operands.last()) {
        (Meaning::Store, Some(&value)) => smallvec![address, value],
        _ => smallvec![address],
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
