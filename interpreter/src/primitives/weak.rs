//! Weak arrays and ephemerons (`Weak`, `Ephemeron`): see [`crate::heap::ephemeron`] for what they
//! are.

use crate::heap;
use crate::heap::ephemeron::{self, DATA, FIRST_KEY};
use crate::memory;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, WORD, tag};

crate::primitives! {
    AllocatesLarge "caml_ephe_create" create, 1;
    AllocatesLarge "caml_weak_create" create, 1;
    Leaf "caml_ephe_set_key" set_key, 3;
    Leaf "caml_ephe_unset_key" unset_key, 2;
    Leaf "caml_weak_set" weak_set, 3;
    Leaf "caml_ephe_set_data" set_data, 2;
    Leaf "caml_ephe_unset_data" unset_data, 1;
    Allocates "caml_ephe_get_key" get_key, 2;
    Allocates "caml_weak_get" get_key, 2;
    AllocatesLarge "caml_ephe_get_key_copy" get_key_copy, 2;
    AllocatesLarge "caml_weak_get_copy" get_key_copy, 2;
    Allocates "caml_ephe_get_data" get_data, 1;
    AllocatesLarge "caml_ephe_get_data_copy" get_data_copy, 1;
    Leaf "caml_ephe_check_key" check_key, 2;
    Leaf "caml_weak_check" check_key, 2;
    Leaf "caml_ephe_check_data" check_data, 1;
    Leaf "caml_ephe_blit_key" blit, 5;
    Leaf "caml_weak_blit" blit, 5;
    Leaf "caml_ephe_blit_data" blit_data, 2;
}

/// Largest size of a block.
const MAX_WOSIZE: i64 = (1 << 54) - 1;

fn create(keys: Value) -> Outcome {
    let keys = keys.as_int();
    if !(0..=MAX_WOSIZE - FIRST_KEY as i64).contains(&keys) {
        return Err(raise::invalid_argument("Weak.create"));
    }
    let keys = usize::try_from(keys).map_err(|_| raise::out_of_memory())?;
    ephemeron::create(keys).ok_or_else(raise::out_of_memory)
}

fn set_key(ephemeron: Value, index: Value, key: Value) -> Outcome {
    ephemeron::write(ephemeron, field_of(ephemeron, index, "Weak.set")?, key);
    Ok(Value::UNIT)
}

fn unset_key(ephemeron: Value, index: Value) -> Outcome {
    set_key(ephemeron, index, ephemeron::none())
}

fn weak_set(array: Value, index: Value, option: Value) -> Outcome {
    match option.is_block() {
        true => set_key(array, index, option.field(0)),
        false => unset_key(array, index),
    }
}

fn set_data(ephemeron: Value, data: Value) -> Value {
    ephemeron::write(ephemeron, DATA, data);
    Value::UNIT
}

fn unset_data(ephemeron: Value) -> Value {
    set_data(ephemeron, ephemeron::none())
}

fn get_key(ephemeron: Value, index: Value) -> Outcome {
    let field = field_of(ephemeron, index, "Weak.get")?;
    Ok(option(ephemeron.field(field)))
}

fn get_key_copy(ephemeron: Value, index: Value) -> Outcome {
    let field = field_of(ephemeron, index, "Weak.get_copy")?;
    copied_option(ephemeron.field(field))
}

fn get_data(ephemeron: Value) -> Value {
    option(ephemeron.field(DATA))
}

fn get_data_copy(ephemeron: Value) -> Outcome {
    copied_option(ephemeron.field(DATA))
}

fn check_key(ephemeron: Value, index: Value) -> Outcome {
    let key = ephemeron.field(field_of(ephemeron, index, "Weak.check")?);
    Ok(Value::bool(key != ephemeron::none()))
}

fn check_data(ephemeron: Value) -> Value {
    Value::bool(ephemeron.field(DATA) != ephemeron::none())
}

fn blit(from: Value, from_index: Value, to: Value, to_index: Value, len: Value) -> Outcome {
    let (start, target, len) = (from_index.as_int(), to_index.as_int(), len.as_int());
    let fits = |ephemeron: Value, start: i64| start >= 0 && start <= key_count(ephemeron) - len;
    if len < 0 || !fits(from, start) || !fits(to, target) {
        return Err(raise::invalid_argument("Weak.blit"));
    }
    let copy_one = |index: i64| {
        let key = from.field(FIRST_KEY + (start + index) as usize);
        ephemeron::write(to, FIRST_KEY + (target + index) as usize, key);
    };
    match start < target {
        true => (0..len).rev().for_each(copy_one),
        false => (0..len).for_each(copy_one),
    }
    Ok(Value::UNIT)
}

fn blit_data(from: Value, to: Value) -> Value {
    set_data(to, from.field(DATA))
}

fn key_count(ephemeron: Value) -> i64 {
    (ephemeron.wosize() - FIRST_KEY) as i64
}

/// The field of key `index`; raises in the name of `function` if there is no such key.
fn field_of(ephemeron: Value, index: Value, function: &str) -> Result<usize, Raised> {
    match (0..key_count(ephemeron)).contains(&index.as_int()) {
        true => Ok(FIRST_KEY + index.as_int() as usize),
        false => Err(raise::invalid_argument(function)),
    }
}

fn option(value: Value) -> Value {
    if value == ephemeron::none() {
        return Value::NONE;
    }
    ephemeron::keep(value);
    heap::alloc_some(value)
}

/// As [`option`], of a shallow copy; custom blocks are not copied.
fn copied_option(value: Value) -> Outcome {
    if value == ephemeron::none() {
        return Ok(Value::NONE);
    }
    let copied = match value.is_block() && value.tag() != tag::CUSTOM && value.wosize() > 0 {
        true => copy(value)?,
        false => {
            ephemeron::keep(value);
            value
        }
    };
    Ok(heap::alloc_some(copied))
}

fn copy(value: Value) -> Outcome {
    let offset = match value.tag() {
        tag::INFIX => value.wosize() as u32 * WORD,
        _ => 0,
    };
    let block = Value::block(value.address() - offset);
    let to = heap::try_alloc(block.wosize(), block.tag()).ok_or_else(raise::out_of_memory)?;
    memory::copy(
        block.address(),
        to.address(),
        block.wosize() * WORD as usize,
    );
    for index in heap::scanned_fields(to) {
        ephemeron::keep(to.field(index));
    }
    Ok(Value::block(to.address() + offset))
}
