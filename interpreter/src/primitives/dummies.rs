//! Blocks of recursive definitions (`let rec x = …`): allocated first, filled when their values are
//! known.

use crate::heap;
use crate::raise;
use crate::registry::Outcome;
use crate::value::{Value, WORD, closure_info, header, tag};

crate::primitives! {
    AllocatesLarge "caml_alloc_dummy" alloc_dummy, 1;
    AllocatesLarge "caml_alloc_dummy_float" alloc_dummy, 1;
    Allocates "caml_alloc_dummy_function" alloc_dummy_function, 2;
    AllocatesLarge "caml_alloc_dummy_infix" alloc_dummy_infix, 2;
    Leaf "caml_update_dummy" update_dummy, 2;
}

fn alloc_dummy(size: Value) -> Outcome {
    let size = size.as_int() as usize;
    match size {
        0 => Ok(heap::atom(0)),
        _ => filled(size, 0),
    }
}

fn alloc_dummy_function(size: Value, _arity: Value) -> Outcome {
    alloc_dummy(size)
}

/// The closure at word `offset` of a closure block of `size` words, no part of which is scanned
/// yet.
fn alloc_dummy_infix(size: Value, offset: Value) -> Outcome {
    let (size, offset) = (size.as_int() as usize, offset.as_int() as u32);
    let block = filled(size, tag::CLOSURE)?;
    block.init_field(1, closure_info(size));
    if offset == 0 {
        return Ok(block);
    }
    let closure = Value::block(block.address() + offset * WORD);
    closure.set_header(header(offset as usize, tag::INFIX));
    Ok(closure)
}

fn filled(size: usize, tag: u8) -> Outcome {
    let block = heap::try_alloc(size, tag).ok_or_else(raise::out_of_memory)?;
    (0..size).for_each(|index| block.init_field(index, Value::UNIT));
    Ok(block)
}

fn update_dummy(dummy: Value, value: Value) -> Value {
    match value.tag() {
        tag::DOUBLE_ARRAY => {
            set_tag(dummy, tag::DOUBLE_ARRAY);
            (0..value.wosize())
                .for_each(|index| dummy.set_float_field(index, value.float_field(index)));
        }
        tag::INFIX => overwrite(whole(dummy), whole(value)),
        tag => {
            set_tag(dummy, tag);
            overwrite(dummy, value);
        }
    }
    Value::UNIT
}

/// The closure block that an infix pointer points into.
fn whole(infix: Value) -> Value {
    Value::block(infix.address() - infix.wosize() as u32 * WORD)
}

fn overwrite(dummy: Value, value: Value) {
    for index in 0..value.wosize() {
        heap::modify(dummy, index, value.field(index));
    }
}

fn set_tag(block: Value, tag: u8) {
    block.set_header(block.header() & !0xFF | tag as u64);
}
