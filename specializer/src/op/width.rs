//! How wide a cell is, and how loads and stores of other types than the cell's get at its contents.
//!
//! The contents of a cell of one or four bytes are an `i32` (of a byte, 0 to 255), those of one of
//! eight bytes an `i64`. Leaves out accesses of two bytes: no cell has that width.

use super::{LoadKind, Plain, StoreKind};
use crate::entity::Type;

/// The width of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Width {
    Byte,
    Four,
    Eight,
}

impl Width {
    /// That of so many bytes.
    pub fn of(bytes: u32) -> Option<Self> {
        match bytes {
            1 => Some(Width::Byte),
            4 => Some(Width::Four),
            8 => Some(Width::Eight),
            _ => None,
        }
    }

    pub fn bytes(self) -> u32 {
        self.load().width()
    }

    /// The type of the contents.
    pub fn ty(self) -> Type {
        self.load().ty()
    }

    /// The load that gives the contents.
    pub fn load(self) -> LoadKind {
        match self {
            Width::Byte => LoadKind::I32Load8U,
            Width::Four => LoadKind::I32Load,
            Width::Eight => LoadKind::I64Load,
        }
    }

    /// The store of the contents.
    pub fn store(self) -> StoreKind {
        match self {
            Width::Byte => StoreKind::I32Store8,
            Width::Four => StoreKind::I32Store,
            Width::Eight => StoreKind::I64Store,
        }
    }
}

/// What makes of a cell's contents what this load of the whole cell gives.
pub fn loaded(kind: LoadKind) -> &'static [Plain] {
    use LoadKind::*;
    match kind {
        I32Load | I64Load | I32Load8U | I32Load16U | I32Load16S => &[],
        F32Load => &[Plain::F32ReinterpretI32],
        F64Load => &[Plain::F64ReinterpretI64],
        I32Load8S => &[Plain::I32Extend8S],
        I64Load8S => &[Plain::I32Extend8S, Plain::I64ExtendI32S],
        I64Load32S => &[Plain::I64ExtendI32S],
        I64Load8U | I64Load32U | I64Load16U | I64Load16S => &[Plain::I64ExtendI32U],
    }
}

/// What makes of a store's operand the contents of a cell that it writes whole, but that a byte is
/// the low one of these.
pub fn stored(kind: StoreKind) -> &'static [Plain] {
    use StoreKind::*;
    match kind {
        I32Store | I64Store | I32Store8 | I32Store16 => &[],
        F32Store => &[Plain::I32ReinterpretF32],
        F64Store => &[Plain::I64ReinterpretF64],
        I64Store8 | I64Store16 | I64Store32 => &[Plain::I32WrapI64],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Const, Op};

    /// Storing and loading by way of a cell is what memory does.
    #[test]
    fn contents_are_what_memory_has() {
        let run = |ops: &[Plain], value: Const| {
            let step =
                |value, op: &Plain| Op::Plain(*op).fold(&[value]).expect("no operator traps");
            ops.iter().fold(value, step)
        };
        let mut pairs = 0;
        for &store in StoreKind::ALL {
            for &load in LoadKind::ALL {
                let Some(width) = Width::of(store.width()) else {
                    continue;
                };
                if load.width() != store.width() {
                    continue;
                }
                for bits in [
                    0,
                    1,
                    0x7f,
                    0x80,
                    0xfedc_ba98_7654_3280,
                    0x3ff0_0000_0000_0081,
                ] {
                    let value = Const::from_bits(store.ty(), bits);
                    let bytes = &store.bytes(value)[..width.bytes() as usize];
                    let mut contents = run(stored(store), value);
                    if width == Width::Byte {
                        contents = Op::I32And
                            .fold(&[contents, Const::I32(255)])
                            .expect("it does not trap");
                    }
                    assert_eq!(contents, width.load().value(bytes));
                    assert_eq!(run(loaded(load), contents), load.value(bytes), "{load:?}");
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 100, "{pairs}");
    }
}
