//! What stubs ask of the runtime beside values: backtraces, exceptions as text, objects, digests,
//! the end of the program.

use super::{interface, memory as blocks, raise};
use crate::backtrace;
use crate::heap;
use crate::memory;
use crate::os::{self, Errno};
use crate::primitives::{channels, exit, obj, signals, sys};
use crate::value::Value;
use crate::vm::vm;

interface! {
    "" fn caml_record_backtraces(active: i32) {
        backtrace::record(active as u32);
    }
    "" fn bactrian_backtrace_active() -> u32 {
        vm().backtrace_active.as_ptr() as usize as u32
    }
    "" fn bactrian_backtrace_length() -> u32 {
        backtrace::length_cell()
    }
    "" fn bactrian_backtrace_exception() -> Value {
        vm().backtrace_exception.get()
    }
    "" fn caml_print_exception_backtrace() {
        backtrace::print();
    }
    "r" fn caml_format_exception(exception: Value) -> u32 {
        let mut text = exit::format_exception(exception);
        text.push(0);
        blocks::copied(&text).unwrap_or_else(|raised| {
            raise::unwind(raised);
            0
        })
    }
    "acr" fn caml_fatal_uncaught_exception(exception: Value) {
        let status = exit::uncaught(exception);
        os::exit(status);
    }
    "acr" fn caml_sys_exit(status: Value) -> Value {
        sys::exit(status)
    }
    "ar" fn bactrian_sys_error(error: i32, argument: Value) {
        let message = Errno(error as u16).message().as_bytes();
        raise::unwind(match argument.is_block() {
            true => crate::raise::sys_error([&argument.to_bytes(), &b": "[..], message].concat()),
            false => crate::raise::sys_error(message),
        });
    }
    "ar" fn caml_channel_descriptor(channel: Value) -> Value {
        channels::channel_descriptor(channel).unwrap_or_else(|raised| {
            raise::unwind(raised);
            Value::RAISED
        })
    }
    // A signal by OCaml's number; 0 for what it does by default, 1 to ignore it, 2 for a function
    // of C's, which gets that number.
    "a" fn bactrian_handle_signal(signal: i32, what: i32, function: u32) -> i32 {
        let function = (what == 2).then_some(function);
        let action = match what {
            1 => signals::IGNORE,
            _ => signals::DEFAULT,
        };
        match signals::handle_in_c(signal.into(), function, action) {
            Ok(()) => 0,
            Err(error) => -i32::from(error.0),
        }
    }
    "a" fn bactrian_raise_signal(signal: i32) -> i32 {
        match signals::raise_in_c(signal.into()) {
            Ok(()) => 0,
            Err(error) => -i32::from(error.0),
        }
    }
    "" fn caml_get_public_method(object: Value, hash: Value) -> Value {
        match obj::get_public_method(object, hash) {
            Value::UNIT => Value(0),
            method => method,
        }
    }
    "" fn caml_set_oo_id(object: Value) -> Value {
        obj::set_oo_id(object)
    }
    "" fn caml_md5_block(digest: u32, data: u32, len: i64) {
        let found = crate::md5::digest(&memory::read(data, len.max(0) as usize));
        memory::write(digest, &found.0);
    }
    "" fn caml_alloc_dependent_memory(bytes: i64) {
        heap::note_external_bytes(bytes.max(0) as usize);
    }
    "" fn caml_free_dependent_memory(_bytes: i64) {}
    "" fn caml_adjust_gc_speed(used: i64, most: i64) {
        if most > 0 {
            heap::note_external_share(used as f64 / most as f64);
        }
    }
}
