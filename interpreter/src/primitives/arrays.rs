//! Arrays and float arrays.
//!
//! An array whose elements are floats when it is made is a block of unboxed floats (tag
//! `DOUBLE_ARRAY`).

use crate::code::fragments;
use crate::heap;
use crate::heap::remembered::remember_whole;
use crate::memory;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, WORD, tag};
use crate::vm::vm;
use core::iter;

crate::primitives! {
    Leaf "caml_array_get_addr" get_addr, 2;
    Leaf "caml_array_set_addr" set_addr, 3;
    Allocates "caml_array_get" get, 2;
    Leaf "caml_array_set" set, 3;
    Allocates "caml_array_unsafe_get" unsafe_get, 2;
    Leaf "caml_array_unsafe_set" unsafe_set, 3;
    Allocates "caml_floatarray_get" floatarray_get, 2;
    Leaf "caml_floatarray_set" floatarray_set, 3;
    Allocates "caml_floatarray_unsafe_get" floatarray_unsafe_get, 2;
    Leaf "caml_floatarray_unsafe_set" floatarray_unsafe_set, 3;
    AllocatesLarge "caml_floatarray_create" floatarray_create, 1;
    AllocatesLarge "caml_make_float_vect" floatarray_create, 1;
    Leaf "caml_floatarray_blit" floatarray_blit, 5;
    AllocatesLarge "caml_make_vect" make_vect, 2;
    AllocatesLarge "caml_make_array" make_array, 1;
    Leaf "caml_array_blit" blit, 5;
    Leaf "caml_array_fill" fill, 4;
    AllocatesLarge "caml_array_sub" sub, 3;
    AllocatesLarge "caml_array_append" append, 2;
    AllocatesLarge "caml_array_concat" concat, 1;
}

/// Most words that a header can describe.
const MAX_WOSIZE: u64 = (1 << 54) - 1;

/// An array for `len` elements that the caller writes. An impossible length is `function`'s
/// argument error.
fn alloc(len: u64, tag: u8, function: &str) -> Outcome {
    if len > MAX_WOSIZE {
        return Err(raise::invalid_argument(function));
    }
    let wosize = usize::try_from(len).ok().filter(|&wosize| wosize < 1 << 29);
    wosize
        .and_then(|wosize| heap::try_alloc(wosize, tag))
        .ok_or_else(raise::out_of_memory)
}

#[inline(always)]
fn is_float_array(array: Value) -> bool {
    array.tag() == tag::DOUBLE_ARRAY
}

/// Whether an array of such elements is a float array.
fn is_float(element: Value) -> bool {
    element.is_block() && fragments::offset(element).is_none() && element.tag() == tag::DOUBLE
}

#[inline(always)]
fn checked(array: Value, index: Value) -> Result<usize, Raised> {
    let index = index.as_int() as u64;
    if index >= array.wosize() as u64 {
        return Err(raise::index_out_of_bounds());
    }
    Ok(index as usize)
}

#[inline]
fn get_addr(array: Value, index: Value) -> Outcome {
    checked(array, index).map(|index| array.field(index))
}

#[inline]
fn set_addr(array: Value, index: Value, value: Value) -> Outcome {
    heap::modify(array, checked(array, index)?, value);
    Ok(Value::UNIT)
}

fn get(array: Value, index: Value) -> Outcome {
    if is_float_array(array) {
        floatarray_get(array, index)
    } else {
        get_addr(array, index)
    }
}

fn set(array: Value, index: Value, value: Value) -> Outcome {
    if is_float_array(array) {
        floatarray_set(array, index, value)
    } else {
        set_addr(array, index, value)
    }
}

fn unsafe_get(array: Value, index: Value) -> Value {
    if is_float_array(array) {
        return floatarray_unsafe_get(array, index);
    }
    array.field(index.as_int() as usize)
}

fn unsafe_set(array: Value, index: Value, value: Value) -> Value {
    if is_float_array(array) {
        return floatarray_unsafe_set(array, index, value);
    }
    heap::modify(array, index.as_int() as usize, value);
    Value::UNIT
}

#[inline]
fn floatarray_get(array: Value, index: Value) -> Outcome {
    checked(array, index).map(|index| heap::alloc_float(array.float_field(index)))
}

#[inline]
fn floatarray_set(array: Value, index: Value, value: Value) -> Outcome {
    array.set_float_field(checked(array, index)?, value.as_float());
    Ok(Value::UNIT)
}

#[inline]
fn floatarray_unsafe_get(array: Value, index: Value) -> Value {
    heap::alloc_float(array.float_field(index.as_int() as usize))
}

#[inline]
fn floatarray_unsafe_set(array: Value, index: Value, value: Value) -> Value {
    array.set_float_field(index.as_int() as usize, value.as_float());
    Value::UNIT
}

fn floatarray_create(len: Value) -> Outcome {
    match len.as_int() as u64 {
        0 => Ok(heap::atom(0)),
        len => alloc(len, tag::DOUBLE_ARRAY, "Float.Array.create"),
    }
}

fn floatarray_blit(
    from: Value,
    from_index: Value,
    to: Value,
    to_index: Value,
    count: Value,
) -> Value {
    copy_words(
        from,
        from_index.as_int() as usize,
        to,
        to_index.as_int() as usize,
        count.as_int() as usize,
    );
    Value::UNIT
}

/// Copies fields that need no write barrier; the ranges may overlap.
fn copy_words(from: Value, from_index: usize, to: Value, to_index: usize, count: usize) {
    memory::copy(
        from.field_address(from_index),
        to.field_address(to_index),
        count * WORD as usize,
    );
}

fn make_vect(len: Value, element: Value) -> Outcome {
    let len = len.as_int() as u64;
    if len == 0 {
        return Ok(heap::atom(0));
    }
    let (tag, word) = if is_float(element) {
        (tag::DOUBLE_ARRAY, element.field(0))
    } else {
        (0, element)
    };
    let array = alloc(len, tag, "Array.make")?;
    fill_words(array, 0, len as usize, word);
    if !vm().is_young(word) {
        heap::settle(array);
    }
    Ok(array)
}

/// Words that are filled one by one, and most that are then copied at once.
const FILL_SEED: usize = 64;
const FILL_STEP: usize = 512;

/// Writes one word into fields that need no write barrier. Long runs are copies of their beginning:
/// copying is the host's, which moves more than a word at a time.
fn fill_words(array: Value, start: usize, count: usize, word: Value) {
    let address = array.field_address(start);
    let mut done = count.min(FILL_SEED);
    for address in (address..address + done as u32 * WORD).step_by(WORD as usize) {
        memory::store_i64(address, word.0);
    }
    while done < count {
        let step = done.min(FILL_STEP).min(count - done);
        let bytes = step * WORD as usize;
        memory::copy(address, address + done as u32 * WORD, bytes);
        done += step;
    }
}

fn make_array(array: Value) -> Outcome {
    let len = array.wosize();
    if len == 0 || !is_float(array.field(0)) {
        return Ok(array);
    }
    let floats = alloc(len as u64, tag::DOUBLE_ARRAY, "Array.make")?;
    for index in 0..len {
        floats.set_float_field(index, array.field(index).as_float());
    }
    Ok(floats)
}

fn blit(from: Value, from_index: Value, to: Value, to_index: Value, count: Value) -> Value {
    let (from_index, to_index) = (from_index.as_int() as usize, to_index.as_int() as usize);
    let count = count.as_int() as usize;
    if is_float_array(to) || vm().is_young(to) {
        copy_words(from, from_index, to, to_index, count);
    } else if from == to && from_index < to_index {
        for index in (0..count).rev() {
            heap::modify(to, to_index + index, from.field(from_index + index));
        }
    } else {
        for index in 0..count {
            heap::modify(to, to_index + index, from.field(from_index + index));
        }
    }
    Value::UNIT
}

fn fill(array: Value, start: Value, count: Value, value: Value) -> Value {
    let (start, count) = (start.as_int() as usize, count.as_int() as usize);
    if is_float_array(array) {
        fill_words(array, start, count, value.field(0));
    } else if vm().is_young(array) || !vm().is_young(value) || remember_whole(array, count) {
        fill_words(array, start, count, value);
    } else {
        for index in start..start + count {
            heap::modify_old(array.field_address(index), value.0);
        }
    }
    Value::UNIT
}

/// A part of an array.
#[derive(Clone, Copy)]
struct Slice {
    array: Value,
    start: usize,
    len: usize,
}

impl Slice {
    fn whole(array: Value) -> Self {
        Self {
            array,
            start: 0,
            len: array.wosize(),
        }
    }
}

/// One new array of all slices' elements.
#[inline(always)]
fn gather(slices: impl Iterator<Item = Slice> + Clone) -> Outcome {
    let len: u64 = slices.clone().map(|slice| slice.len as u64).sum();
    if len == 0 {
        return Ok(heap::atom(0));
    }
    let floats = slices.clone().any(|slice| is_float_array(slice.array));
    let tag = if floats { tag::DOUBLE_ARRAY } else { 0 };
    let array = alloc(len, tag, "Array.concat")?;
    let mut position = 0;
    for slice in slices {
        copy_words(slice.array, slice.start, array, position, slice.len);
        position += slice.len;
    }
    Ok(array)
}

fn sub(array: Value, start: Value, len: Value) -> Outcome {
    gather(iter::once(Slice {
        array,
        start: start.as_int() as usize,
        len: len.as_int() as usize,
    }))
}

fn append(a: Value, b: Value) -> Outcome {
    gather(iter::once(Slice::whole(a)).chain(iter::once(Slice::whole(b))))
}

fn concat(arrays: Value) -> Outcome {
    gather(arrays.list().map(Slice::whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::testing::{call, start_machine};

    #[test]
    fn floats_make_flat_arrays() {
        start_machine();
        let half = heap::alloc_float(0.5);
        let array = call("caml_make_vect", &[Value::int(3), half]).expect("room");
        assert_eq!((array.tag(), array.wosize()), (tag::DOUBLE_ARRAY, 3));
        let element = call("caml_array_get", &[array, Value::int(2)]).expect("inside");
        assert_eq!(element.as_float(), 0.5);
        let boxed = heap::alloc_fields(0, &[half, heap::alloc_float(1.0)]);
        let flat = call("caml_make_array", &[boxed]).expect("room");
        assert_eq!((flat.tag(), flat.float_field(1)), (tag::DOUBLE_ARRAY, 1.0));
        let joined = call("caml_array_append", &[array, flat]).expect("room");
        assert_eq!((joined.wosize(), joined.float_field(4)), (5, 1.0));
    }

    #[test]
    fn overlapping_copies_in_old_arrays() {
        start_machine();
        let fields: Vec<Value> = (0..300).map(Value::int).collect();
        for (from, to) in [(0, 1), (1, 0)] {
            let array = heap::alloc_fields(0, &fields);
            blit(
                array,
                Value::int(from),
                array,
                Value::int(to),
                Value::int(299),
            );
            assert_eq!(array.field(to as usize), Value::int(from));
            assert_eq!(array.field(to as usize + 298), Value::int(from + 298));
        }
    }

    #[test]
    fn impossible_lengths() {
        start_machine();
        let make = |len| call("caml_make_vect", &[Value::int(len), Value::UNIT]);
        assert_eq!(make(-1), Err("Invalid_argument: Array.make".to_owned()));
        assert_eq!(make(1 << 53), Err("Out_of_memory".to_owned()));
        assert_eq!(make(0), Ok(heap::atom(0)));
    }
}
