//! Boxes of numbers: how they are made, and what compiled code is told of them.
//!
//! Invariant: which kinds there are, and the number of each, is [`BACTRIAN_BOXES`]. Nobody writes
//! into such a box.

use super::blocks::{allocate_block, allocate_young, allocations_poll};
use super::fields::{fixed_field, store_field};
use super::registers::Registers;
use crate::memory::{self, Region, within};
use crate::value::{Value, boxed, tag};
use annotations::{box_kind, specialize_active};

/// Exported under [`annotations::BOX_EXPORT`], in the order of [`boxed`].
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub static BACTRIAN_BOXES: annotations::BoxTable<Make, { boxed::KINDS }> = annotations::BoxTable {
    count: boxed::KINDS as u32,
    raised: core::sync::atomic::AtomicU32::new(0),
    kinds: [
        annotations::BoxKind {
            make: Make { float: box_float },
            offset: 0,
        },
        annotations::BoxKind {
            make: Make { integer: box_int32 },
            offset: crate::value::WORD,
        },
        annotations::BoxKind {
            make: Make { integer: box_int64 },
            offset: crate::value::WORD,
        },
        annotations::BoxKind {
            make: Make {
                integer: box_nativeint,
            },
            offset: crate::value::WORD,
        },
    ],
};

/// A function that makes boxes.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy)]
pub union Make {
    pub float: extern "C" fn(f64) -> i64,
    pub integer: extern "C" fn(i64) -> i64,
}

/// Words of a boxed integer.
const INTEGER_WOSIZE: u32 = 2;

// What the table lists is for compiled code, and takes memory as compiled code does.

#[inline(never)]
extern "C" fn box_float(x: f64) -> i64 {
    write_float(allocate_block(1, tag::DOUBLE), x)
}

#[inline(never)]
extern "C" fn box_int32(n: i64) -> i64 {
    write_integer(allocate_integer(), boxed::INT32, n)
}

#[inline(never)]
extern "C" fn box_int64(n: i64) -> i64 {
    write_integer(allocate_integer(), boxed::INT64, n)
}

#[inline(never)]
extern "C" fn box_nativeint(n: i64) -> i64 {
    write_integer(allocate_integer(), boxed::NATIVEINT, n)
}

/// A float, for C: compiled code knows the function that makes it.
pub fn made_float(x: f64) -> Value {
    Value(box_float(x))
}

/// An `int32`, `int64` or `nativeint`, likewise.
pub fn made_integer(kind: u32, n: i64) -> Value {
    Value(match kind {
        boxed::INT32 => box_int32(n),
        boxed::INT64 => box_int64(n),
        _ => box_nativeint(n),
    })
}

#[inline(always)]
fn allocate_integer() -> u32 {
    allocate_block(INTEGER_WOSIZE, tag::CUSTOM)
}

/// The same for generic code.
#[inline(never)]
extern "C" fn box_generic_float(x: f64) -> i64 {
    write_float(allocate_young(1, tag::DOUBLE), x)
}

#[inline(never)]
extern "C" fn box_generic_integer(kind: u32, n: i64) -> i64 {
    write_integer(allocate_young(INTEGER_WOSIZE, tag::CUSTOM), kind, n)
}

#[inline(always)]
fn write_float(block: u32, x: f64) -> i64 {
    memory::store_f64(within(block, Region::Fixed), x);
    i64::from(block)
}

#[inline(always)]
fn write_integer(block: u32, kind: u32, n: i64) -> i64 {
    let block = i64::from(block);
    store_field(block, 0, Region::Fixed, Value::int(kind.into()).0);
    store_field(block, 1, Region::Fixed, n);
    block
}

/// A box of `x`.
#[inline(always)]
pub fn box_number(place: Place, x: f64) -> i64 {
    match place {
        Place::At(block) => write_float(block, x),
        Place::Anywhere if specialize_active() == 0 => box_generic_float(x),
        Place::Anywhere => box_float(x),
    }
}

/// A box of `n`, which fits the kind.
#[inline(always)]
pub fn box_integer(place: Place, kind: u32, n: i64) -> i64 {
    match (place, kind) {
        (Place::At(block), _) => write_integer(block, kind, n),
        (Place::Anywhere, _) if specialize_active() == 0 => box_generic_integer(kind, n),
        (Place::Anywhere, boxed::INT32) => box_int32(n),
        (Place::Anywhere, boxed::INT64) => box_int64(n),
        (Place::Anywhere, _) => box_nativeint(n),
    }
}

/// The number in a boxed integer.
#[inline(always)]
pub fn unbox(block: i64) -> i64 {
    fixed_field(block, 1)
}

/// Whether both values are boxed integers of one kind, of which compiled code knows one at least.
#[inline(always)]
pub fn are_integers(a: i64, b: i64) -> bool {
    match (integer_kind(a), integer_kind(b)) {
        (0, 0) => false,
        (kind, 0) => is_integer(b, kind),
        (0, kind) => is_integer(a, kind),
        (one, other) => one == other,
    }
}

/// Whether both values are floats, of which compiled code knows one at least.
#[inline(always)]
pub fn are_floats(a: i64, b: i64) -> bool {
    let is_known = |value| box_kind(value) == boxed::FLOAT + 1;
    match (is_known(a), is_known(b)) {
        (false, false) => false,
        (true, false) => is_float(b),
        (false, true) => is_float(a),
        (true, true) => true,
    }
}

#[inline(always)]
fn is_float(value: i64) -> bool {
    Value(value).is_block() && Value(value).tag() == tag::DOUBLE
}

/// The kind of boxed integers that compiled code knows `value` to be; else 0, which is none.
#[inline(always)]
pub fn integer_kind(value: i64) -> u32 {
    match box_kind(value) {
        0 => 0,
        kind => kind - 1,
    }
}

/// Whether `value` is a boxed integer of this kind.
#[inline(always)]
fn is_integer(value: i64, kind: u32) -> bool {
    Value(value).is_block()
        && Value(value).tag() == tag::CUSTOM
        && Value(value).field(0) == Value::int(kind.into())
}

/// Where a box is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Wherever compiled code wants it, if at all.
    Anywhere,
    /// In this block, allocated at a safepoint.
    At(u32),
}

impl Registers {
    /// Where a box of `wosize` words is to be made, before its contents are computed, as blocks
    /// move at safepoints; `None` if a finaliser raised.
    #[inline(always)]
    fn place(&mut self, wosize: u32, tag: u8) -> Option<Place> {
        if !allocations_poll() {
            return Some(Place::Anywhere);
        }
        self.allocate_at_safepoint(wosize, tag).map(Place::At)
    }

    /// Where a boxed float is to be made; `None` if a finaliser raised.
    #[inline(always)]
    pub fn place_of_float(&mut self) -> Option<Place> {
        self.place(1, tag::DOUBLE)
    }

    /// Where a boxed integer is to be made; `None` if a finaliser raised.
    #[inline(always)]
    pub fn place_of_integer(&mut self) -> Option<Place> {
        self.place(INTEGER_WOSIZE, tag::CUSTOM)
    }
}
