//! Backtraces: none are recorded yet, so programs see what `ocamlrun` gives them while recording is off.

use super::registry::Outcome;
use crate::heap;
use crate::raise;
use crate::value::Value;
use std::cell::Cell;

crate::primitives! {
    Leaf "caml_record_backtrace" record, 1;
    Leaf "caml_backtrace_status" status, 1;
    Leaf "caml_get_exception_raw_backtrace" empty, 1;
    Leaf "caml_restore_raw_backtrace" restore, 2;
    Leaf "caml_get_current_callstack" empty, 1;
    Allocates "caml_get_exception_backtrace" exception_backtrace, 1;
    Leaf "caml_convert_raw_backtrace" empty, 1;
    Leaf "caml_convert_raw_backtrace_slot" convert_slot, 1;
    Leaf "caml_raw_backtrace_length" length, 1;
    Leaf "caml_raw_backtrace_slot" slot, 2;
    Leaf "caml_raw_backtrace_next_slot" next_slot, 1;
}

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(false) };
}

/// Records from the start: `b` in `OCAMLRUNPARAM`.
pub fn start_recording() {
    RECORDING.set(true);
}

pub fn is_recording() -> bool {
    RECORDING.get()
}

/// Remembers the wish only.
fn record(on: Value) -> Value {
    RECORDING.set(on.as_bool());
    Value::UNIT
}

fn status(_unit: Value) -> Value {
    Value::bool(RECORDING.get())
}

fn empty(_argument: Value) -> Value {
    heap::atom(0)
}

fn restore(_exception: Value, _backtrace: Value) -> Value {
    Value::UNIT
}

fn exception_backtrace(_unit: Value) -> Value {
    heap::alloc_some(heap::atom(0))
}

fn convert_slot(_slot: Value) -> Outcome {
    Err(raise::failure("No debug information available"))
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

fn next_slot(_slot: Value) -> Value {
    Value::NONE
}
