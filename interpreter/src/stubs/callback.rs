//! OCaml functions that stubs call, and values that they find by name.
//!
//! Functions whose names end in `_exn` return an exception marked: its second bit is set.

use super::{interface, raise, values};
use crate::heap;
use crate::interp;
use crate::memory::c_string;
use crate::primitives::named;
use crate::registry::{Outcome, Raised};
use crate::threads;
use crate::value::Value;
use crate::vm::{THREAD_ENDS, vm};

/// Added to an exception that is returned as a result.
const EXCEPTION: i64 = 2;

interface! {
    "acr" fn caml_callback(function: Value, a: Value) -> Value {
        raising(interp::apply_after_poll(function, &[a]))
    }
    "acr" fn caml_callback2(function: Value, a: Value, b: Value) -> Value {
        raising(interp::apply_after_poll(function, &[a, b]))
    }
    "acr" fn caml_callback3(function: Value, a: Value, b: Value, c: Value) -> Value {
        raising(interp::apply_after_poll(function, &[a, b, c]))
    }
    "acr" fn caml_callback_n(function: Value, count: i32, arguments: u32) -> Value {
        raising(interp::apply_after_poll(function, &values(arguments, count as u32)))
    }
    "ac" fn caml_callback_exn(function: Value, a: Value) -> Value {
        marked(interp::apply_after_poll(function, &[a]))
    }
    "ac" fn caml_callback2_exn(function: Value, a: Value, b: Value) -> Value {
        marked(interp::apply_after_poll(function, &[a, b]))
    }
    "ac" fn caml_callback3_exn(function: Value, a: Value, b: Value, c: Value) -> Value {
        marked(interp::apply_after_poll(function, &[a, b, c]))
    }
    "ac" fn caml_callback_n_exn(function: Value, count: i32, arguments: u32) -> Value {
        marked(interp::apply_after_poll(function, &values(arguments, count as u32)))
    }
    "" fn caml_named_value(name: u32) -> u32 {
        named::address(&c_string(name)).unwrap_or(0)
    }
    "acr" fn caml_process_pending_actions() {
        if let Err(raised) = heap::run_actions() {
            raise::unwind(raised);
        }
    }
    "ac" fn caml_process_pending_actions_exn() -> Value {
        marked(heap::run_actions().map(|()| Value::UNIT))
    }
    "" fn caml_check_pending_actions() -> i32 {
        (vm().action_pending.get() != 0).into()
    }
    "c" fn caml_minor_collection() {
        heap::collect_minor();
    }
}

fn raising(outcome: Outcome) -> Value {
    outcome.unwrap_or_else(|raised| {
        leave_if_thread_ends();
        raise::unwind(raised);
        Value::RAISED
    })
}

fn marked(outcome: Outcome) -> Value {
    outcome.unwrap_or_else(|Raised| {
        leave_if_thread_ends();
        Value(vm().exception.replace(Value::UNIT).0 | EXCEPTION)
    })
}

/// A stub handles exceptions, but not the end of its thread, so it stays where it is.
fn leave_if_thread_ends() {
    if vm().exception.get() == THREAD_ENDS {
        threads::abandon();
    }
}
