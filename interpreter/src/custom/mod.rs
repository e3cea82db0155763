//! Custom blocks: which kinds there are, and how each is told from the others.
//!
//! Field 0 of a block with tag `CUSTOM` is the kind, as a tagged integer, where C keeps a pointer
//! to its operations; the data follows. Only blocks of stubs have such a pointer ([`operations`]).
//! Kinds are an enum, so that comparison, hashing and marshalling are exhaustive matches in their
//! own modules instead of tables of functions. What is to be done when a block dies is handed to
//! the collector when the block is made.

pub mod operations;

use crate::heap;
use crate::heap::finalise::{self, Release};
use crate::memory;
use crate::value::{Value, tag};

/// The kinds of custom blocks of this runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum Kind {
    Int32 = 1,
    Int64 = 2,
    Nativeint = 3,
    Bigarray = 4,
    Channel = 5,
    /// A mutex or a condition; the first word of its data tells it from the others.
    Lock = 6,
    /// One of stubs, see [`operations`].
    Foreign = 7,
    /// What a thread's descriptor ends in; the first word of its data is the thread's number.
    Thread = 8,
}

impl Kind {
    /// The kind of a block with tag `CUSTOM`.
    #[inline]
    pub fn of(block: Value) -> Kind {
        let kind = block.field(0);
        if kind.is_block() {
            return Kind::Foreign;
        }
        match kind.as_int() {
            1 => Kind::Int32,
            2 => Kind::Int64,
            3 => Kind::Nativeint,
            4 => Kind::Bigarray,
            5 => Kind::Channel,
            6 => Kind::Lock,
            _ => Kind::Thread,
        }
    }

    /// The identifier in marshalled data, which also orders blocks of different kinds.
    pub const fn identifier(self) -> &'static str {
        match self {
            Kind::Int32 => "_i",
            Kind::Int64 => "_j",
            Kind::Nativeint => "_n",
            Kind::Bigarray => "_bigarr02",
            Kind::Channel => "_chan",
            Kind::Lock => "_mutex",
            // Its operations have one.
            Kind::Foreign => "",
            Kind::Thread => "_threadstatus",
        }
    }

    /// The kind that is called `identifier` in marshalled data, if it can be marshalled.
    pub fn from_identifier(identifier: &[u8]) -> Option<Kind> {
        [Kind::Int32, Kind::Int64, Kind::Nativeint, Kind::Bigarray]
            .into_iter()
            .find(|kind| kind.identifier().as_bytes() == identifier)
    }
}

/// A custom block with `words` words of data, which the caller writes.
#[inline]
pub fn alloc(kind: Kind, words: usize) -> Value {
    let block = heap::alloc(words + 1, tag::CUSTOM);
    block.init_field(0, Value::int(kind as i64));
    block
}

/// Address of a custom block's data.
#[inline(always)]
pub fn data(block: Value) -> u32 {
    block.field_address(1)
}

/// Size of the block of a boxed number.
pub const NUMBER_WOSIZE: usize = 2;

/// Makes a new block of [`NUMBER_WOSIZE`] a boxed number of `kind`.
#[inline]
pub fn init_number(block: Value, kind: Kind, n: i64) {
    block.init_field(0, Value::int(kind as i64));
    memory::store_i64(data(block), n);
}

#[inline]
fn alloc_number(kind: Kind, n: i64) -> Value {
    let block = heap::alloc(NUMBER_WOSIZE, tag::CUSTOM);
    init_number(block, kind, n);
    block
}

/// A boxed `int32`.
#[inline]
pub fn alloc_int32(n: i32) -> Value {
    alloc_number(Kind::Int32, n.into())
}

/// A boxed `int64`.
#[inline]
pub fn alloc_int64(n: i64) -> Value {
    alloc_number(Kind::Int64, n)
}

/// A boxed `nativeint`.
#[inline]
pub fn alloc_nativeint(n: i64) -> Value {
    alloc_number(Kind::Nativeint, n)
}

/// The number in a boxed `int32`.
#[inline(always)]
pub fn as_int32(block: Value) -> i32 {
    memory::load_i32(data(block))
}

/// The number in a boxed `int64` or `nativeint`.
#[inline(always)]
pub fn as_int64(block: Value) -> i64 {
    memory::load_i64(data(block))
}

/// Like [`alloc`]; when the block is dead, the collector calls `release` with it.
pub fn alloc_released(kind: Kind, words: usize, release: Release) -> Value {
    let block = alloc(kind, words);
    finalise::on_release(block, release);
    block
}
