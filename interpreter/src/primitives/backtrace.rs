//! `Printexc`'s primitives: recording, and backtraces as OCaml values.
//!
//! A raw backtrace is an array of slots; a slot is a code position's address without its lowest
//! bit, as an integer.

use crate::backtrace::{self, events};
use crate::evaluation;
use crate::heap;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "caml_record_backtrace" record, 1;
    Leaf "caml_backtrace_status" status, 1;
    Leaf "caml_ml_debug_info_status" debug_info_status, 1;
    Allocates "caml_get_exception_raw_backtrace" raw_backtrace, 1;
    Leaf "caml_restore_raw_backtrace" restore, 2;
    Collects "caml_get_current_callstack" callstack, 1;
    Allocates "caml_get_exception_backtrace" exception_backtrace, 1;
    Allocates "caml_convert_raw_backtrace" convert, 1;
    Allocates "caml_convert_raw_backtrace_slot" convert_slot, 1;
    Leaf "caml_raw_backtrace_length" length, 1;
    Leaf "caml_raw_backtrace_slot" slot, 2;
    Leaf "caml_raw_backtrace_next_slot" next_slot, 1;
}

/// The primitives that want to know the calls in progress: a program whose code calls one keeps
/// positions on its stack.
pub const WANT_POSITIONS: &[&str] = &[
    "caml_get_current_callstack",
    "caml_memprof_start",
    "caml_reify_bytecode",
];

fn record(on: Value) -> Value {
    evaluation::effect("backtraces");
    backtrace::record(on.as_int() as u32);
    Value::UNIT
}

fn status(_: Value) -> Value {
    Value::bool(backtrace::recording() != 0)
}

/// 1 once the debug information was read. `ocamlrun` has negative answers, which complain about a
/// file; here there is no file.
fn debug_info_status(_: Value) -> Value {
    Value::int(events::is_read().into())
}

fn to_slot(position: u32) -> Value {
    Value::int(i64::from(position >> 1))
}

fn from_slot(slot: Value) -> u32 {
    (slot.as_int() as u32) << 1
}

/// An array of the given values, which are young or integers.
fn array(fields: &[Value]) -> Value {
    match fields {
        [] => heap::atom(0),
        _ => heap::alloc_fields(0, fields),
    }
}

fn slots(positions: Vec<u32>) -> Value {
    let slots: Vec<Value> = positions.into_iter().map(to_slot).collect();
    array(&slots)
}

fn raw_backtrace(_: Value) -> Value {
    match backtrace::recording() {
        0 => heap::atom(0),
        _ => slots(backtrace::last()),
    }
}

fn restore(exception: Value, backtrace: Value) -> Value {
    let slots = (0..backtrace.wosize()).map(|index| from_slot(backtrace.field(index)));
    backtrace::restore(exception, slots);
    Value::UNIT
}

fn callstack(limit: Value) -> Value {
    evaluation::effect("backtraces");
    current(limit.as_int().clamp(0, u32::MAX.into()) as usize)
}

/// The raw backtrace of the calls in progress, at most `limit`.
pub fn current(limit: usize) -> Value {
    slots(backtrace::callstack(limit))
}

fn exception_backtrace(unit: Value) -> Value {
    heap::alloc_some(convert(raw_backtrace(unit)))
}

fn convert(backtrace: Value) -> Value {
    let slots = (0..backtrace.wosize()).map(|index| backtrace.field(index));
    let locations: Vec<Value> = slots.map(convert_slot).collect();
    array(&locations)
}

/// The location of a slot, as `Printexc.backtrace_slot`.
fn convert_slot(slot: Value) -> Value {
    const UNKNOWN: u8 = 1;
    let location = events::location(from_slot(slot));
    let is_raise = Value::bool(location.is_raise);
    let Some(place) = location.place else {
        return heap::alloc_fields(UNKNOWN, &[is_raise]);
    };
    let file = heap::alloc_string(&place.file);
    let function = heap::alloc_string(&place.function);
    let int = |n: i32| Value::int(i64::from(n));
    let is_inlined = Value::FALSE;
    heap::alloc_fields(
        0,
        &[
            is_raise,
            file,
            int(place.line),
            int(place.start),
            int(place.end),
            is_inlined,
            function,
        ],
    )
}

fn length(backtrace: Value) -> Value {
    Value::int(backtrace.wosize() as i64)
}

fn slot(backtrace: Value, index: Value) -> Outcome {
    match usize::try_from(index.as_int()) {
        Ok(index) if index < backtrace.wosize() => Ok(backtrace.field(index)),
        Ok(_) | Err(_) => Err(raise::invalid_argument(
            "Printexc.get_raw_backtrace_slot: index out of bounds",
        )),
    }
}

/// Bytecode is not inlined: each position is one slot.
fn next_slot(_: Value) -> Value {
    Value::NONE
}
