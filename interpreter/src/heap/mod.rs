//! Allocation and the collector.
//!
//! Blocks of up to [`MAX_YOUNG_WOSIZE`] words are born in the nursery, a contiguous range filled from its end
//! downwards; larger ones, and survivors, live in the major heap. Only compiled code's slow path and
//! primitives with `Effect::Collects` collect: **allocation never does**. When the nursery is full,
//! allocation goes on in the major heap, and blocks born there are rescanned at the next minor
//! collection, so their fields may be initialised freely until the next safepoint.

use crate::memory;
use crate::value::{Value, WORD, header, tag};
use crate::vm::vm;

/// Largest block, in words, that is born in the nursery.
pub const MAX_YOUNG_WOSIZE: usize = 256;

/// A block whose fields the caller initialises before the next safepoint. `wosize` > 0.
#[inline]
pub fn alloc(wosize: usize, tag: u8) -> Value {
    let _ = (wosize, tag);
    todo!("heap")
}

/// The atom (block of size 0) with `tag`.
pub fn atom(tag: u8) -> Value {
    let _ = tag;
    todo!("heap")
}

/// A block with the given fields.
pub fn alloc_fields(tag: u8, fields: &[Value]) -> Value {
    let block = alloc(fields.len(), tag);
    for (index, &field) in fields.iter().enumerate() {
        block.init_field(index, field);
    }
    block
}

/// An uninitialised string or bytes of `len` bytes, padding written.
pub fn alloc_string_uninit(len: usize) -> Value {
    let wosize = len / 8 + 1;
    let block = alloc(wosize, tag::STRING);
    let last = block.field_address(wosize - 1);
    memory::store_u64(last, 0);
    memory::store_u8(last + 7, (wosize * 8 - 1 - len) as u8);
    block
}

/// A string with these bytes.
pub fn alloc_string(bytes: &[u8]) -> Value {
    let block = alloc_string_uninit(bytes.len());
    memory::bytes_mut(block.address(), bytes.len()).copy_from_slice(bytes);
    block
}

/// A boxed float.
#[inline]
pub fn alloc_float(x: f64) -> Value {
    let block = alloc(1, tag::DOUBLE);
    block.set_float_field(0, x);
    block
}

/// `Some value`.
pub fn alloc_some(value: Value) -> Value {
    alloc_fields(0, &[value])
}

/// A list of these values.
pub fn alloc_list(values: impl DoubleEndedIterator<Item = Value>) -> Value {
    values.rev().fold(Value::EMPTY_LIST, |tail, head| {
        alloc_fields(0, &[head, tail])
    })
}

/// Writes `value` into field `index` of `block`, keeping the remembered set.
#[inline]
pub fn modify(block: Value, index: usize, value: Value) {
    modify_at(block.field_address(index), value)
}

/// The same for the field at `address`.
#[inline]
pub fn modify_at(address: u32, value: Value) {
    let _ = (address, value, vm(), header(0, 0), WORD);
    todo!("heap")
}

/// Asks for [`crate::custom::finalize`] to be called once the custom block is dead.
pub fn finalize_when_dead(block: Value) {
    let _ = block;
    todo!("heap")
}
