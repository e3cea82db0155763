//! Pairs, vectors, records, and what kind a value is of.

use super::failure::{fail, out_of_range, wrong};
use super::procedures;
use crate::code::MAX_PARAMETERS;
use crate::heap;
use crate::memory::store_i64;
use crate::output;
use crate::value::{
    END_OF_FILE, FALSE, NIL, RAISED, TRUE, UNSPECIFIED, field, field_address, fields_of, fixnum,
    integer, is, is_character, is_fixnum, tag, truth,
};
use crate::vm::vm;

pub extern "C" fn cons(a: i64, b: i64, _: i64) -> i64 {
    heap::pair(a, b)
}

macro_rules! pairs {
    ($($get:ident $get_name:literal $set:ident $set_name:literal $index:literal;)*) => {$(
        pub extern "C" fn $get(a: i64, _: i64, _: i64) -> i64 {
            match is(a, tag::PAIR) {
                true => field(a, $index),
                false => wrong($get_name, "a pair", a),
            }
        }

        pub extern "C" fn $set(a: i64, value: i64, _: i64) -> i64 {
            if !is(a, tag::PAIR) {
                return wrong($set_name, "a pair", a);
            }
            store_i64(field_address(a, $index), value);
            UNSPECIFIED
        }
    )*};
}

pairs! {
    car "car" set_car "set-car!" 0;
    cdr "cdr" set_cdr "set-cdr!" 1;
}

macro_rules! kinds {
    ($($name:ident |$value:ident| $is:expr;)*) => {$(
        pub extern "C" fn $name($value: i64, _: i64, _: i64) -> i64 {
            truth($is)
        }
    )*};
}

kinds! {
    is_pair |a| is(a, tag::PAIR);
    is_null |a| a == NIL;
    not |a| a == FALSE;
    is_symbol |a| is(a, tag::SYMBOL);
    is_string |a| is(a, tag::STRING);
    is_vector |a| is(a, tag::VECTOR);
    is_procedure |a| is(a, tag::CLOSURE);
    is_char |a| is_character(a);
    is_boolean |a| a == TRUE || a == FALSE;
    is_end |a| a == END_OF_FILE;
    is_list |a| list_length(a).is_some();
}

/// The length of a proper list that does not lead back to itself.
pub fn list_length(list: i64) -> Option<i64> {
    let (mut slow, mut rest, mut length) = (list, list, 0);
    while is(rest, tag::PAIR) {
        (rest, length) = (field(rest, 1), length + 1);
        if length % 2 == 0 {
            slow = field(slow, 1);
            if slow == rest {
                return None;
            }
        }
    }
    (rest == NIL).then_some(length)
}

pub extern "C" fn length(list: i64, _: i64, _: i64) -> i64 {
    match list_length(list) {
        Some(length) => fixnum(length),
        None => wrong("length", "a list", list),
    }
}

/// Whether the list of a function's further arguments has the length that it wants.
pub extern "C" fn check_count(list: i64, count: i64, function: i64) -> i64 {
    let length = list_length(list).unwrap_or(0);
    match fixnum(length) == count {
        true => UNSPECIFIED,
        false => procedures::wrong_count(
            field(function, 0) as u32,
            MAX_PARAMETERS - 1 + length as u32,
        ),
    }
}

// Vectors.

/// Elements that a vector may have.
const LIMIT: i64 = 1 << 27;

pub extern "C" fn make_vector(count: i64, fill: i64, _: i64) -> i64 {
    if !is_fixnum(count) || !(0..LIMIT).contains(&integer(count)) {
        return wrong("make-vector", "a length", count);
    }
    let vector = heap::block(integer(count) as u32, tag::VECTOR).into();
    vector_fill(vector, fill, 0);
    vector
}

pub extern "C" fn vector_fill(vector: i64, fill: i64, _: i64) -> i64 {
    if !is(vector, tag::VECTOR) {
        return wrong("vector-fill!", "a vector", vector);
    }
    for index in 0..fields_of(vector) {
        heap::init(vector, index, fill);
    }
    UNSPECIFIED
}

pub extern "C" fn vector_length(vector: i64, _: i64, _: i64) -> i64 {
    match is(vector, tag::VECTOR) {
        true => fixnum(fields_of(vector).into()),
        false => wrong("vector-length", "a vector", vector),
    }
}

/// Where an element is, or why it is nowhere.
fn element(operation: &str, vector: i64, index: i64) -> Result<u32, i64> {
    if !is(vector, tag::VECTOR) {
        return Err(wrong(operation, "a vector", vector));
    }
    let in_range = is_fixnum(index) && (0..fields_of(vector).into()).contains(&integer(index));
    match in_range {
        true => Ok(field_address(vector, integer(index) as u32)),
        false => Err(out_of_range(operation, index)),
    }
}

pub extern "C" fn vector_ref(vector: i64, index: i64, _: i64) -> i64 {
    let element = element("vector-ref", vector, index);
    element.map_or_else(|raised| raised, crate::memory::load_i64)
}

pub extern "C" fn vector_set(vector: i64, index: i64, value: i64) -> i64 {
    let store = |address| {
        store_i64(address, value);
        UNSPECIFIED
    };
    element("vector-set!", vector, index).map_or_else(|raised| raised, store)
}

pub extern "C" fn list_to_vector(list: i64, _: i64, _: i64) -> i64 {
    let Some(length) = list_length(list) else {
        return wrong("list->vector", "a list", list);
    };
    let (vector, mut rest) = (heap::block(length as u32, tag::VECTOR).into(), list);
    for index in 0..length as u32 {
        heap::init(vector, index, field(rest, 0));
        rest = field(rest, 1);
    }
    vector
}

// Records. Their type is in the first field: a vector that begins with its name.

fn is_of_type(record: i64, kind: i64) -> bool {
    is(record, tag::RECORD) && field(record, 0) == kind
}

pub extern "C" fn is_record(record: i64, kind: i64, _: i64) -> i64 {
    truth(is_of_type(record, kind))
}

pub extern "C" fn record_ref(record: i64, kind: i64, index: i64) -> i64 {
    match is_of_type(record, kind) {
        true => field(record, integer(index) as u32),
        false => wrong_record(record, kind),
    }
}

/// The operands are a record, a value, and the vector of the type and the field's index.
pub extern "C" fn record_set(record: i64, place: i64, value: i64) -> i64 {
    let (kind, index) = (field(place, 0), integer(field(place, 1)));
    if !is_of_type(record, kind) {
        return wrong_record(record, kind);
    }
    store_i64(field_address(record, index as u32), value);
    UNSPECIFIED
}

#[cold]
fn wrong_record(record: i64, kind: i64) -> i64 {
    fail(
        "a record of another type is wanted:",
        &[field(kind, 0), record],
    )
}

// The outside.

/// Raises on: what is raised is in the prelude's variables.
pub extern "C" fn unwind(_: i64, _: i64, _: i64) -> i64 {
    RAISED
}

/// The status with which the program ends if it unwinds to its beginning.
pub extern "C" fn set_status(status: i64, _: i64, _: i64) -> i64 {
    vm().status.set(match status {
        TRUE => 0,
        FALSE => 1,
        status if is_fixnum(status) => integer(status) as i32 & 0xff,
        other => return wrong("exit", "a status", other),
    });
    UNSPECIFIED
}

/// Ends the program at once.
pub extern "C" fn exit(status: i64, _: i64, _: i64) -> i64 {
    match set_status(status, 0, 0) {
        RAISED => RAISED,
        _ => output::exit(vm().status.get()),
    }
}
