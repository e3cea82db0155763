//! Exceptions that stubs raise.

use super::{interface, values};
use crate::foreign::{self, BACTRIAN_STUBS};
use crate::heap;
use crate::memory;
use crate::memory::c_string;
use crate::raise::{self, Predefined};
use crate::registry::Raised;
use crate::value::Value;
use annotations::StubPrimitive;
use core::sync::atomic::Ordering::Relaxed;

interface! {
    "r" fn caml_raise(exception: Value) {
        unwind(raise::raise(exception));
    }
    "r" fn caml_raise_constant(exception: Value) {
        unwind(raise::raise(exception));
    }
    "ar" fn caml_raise_with_arg(exception: Value, argument: Value) {
        with_arguments(exception, &[argument]);
    }
    "ar" fn caml_raise_with_args(exception: Value, count: i32, arguments: u32) {
        with_arguments(exception, &values(arguments, count as u32));
    }
    "ar" fn caml_raise_with_string(exception: Value, message: u32) {
        with_arguments(exception, &[heap::alloc_string(&c_string(message))]);
    }
    "ar" fn caml_failwith(message: u32) {
        unwind(raise::failure(c_string(message)));
    }
    "ar" fn caml_failwith_value(message: Value) {
        unwind(raise::with_argument(Predefined::Failure, message));
    }
    "ar" fn caml_invalid_argument(message: u32) {
        unwind(raise::invalid_argument(c_string(message)));
    }
    "ar" fn caml_invalid_argument_value(message: Value) {
        unwind(raise::with_argument(Predefined::InvalidArgument, message));
    }
    "ar" fn caml_raise_sys_error(message: Value) {
        unwind(raise::with_argument(Predefined::SysError, message));
    }
    "r" fn caml_raise_out_of_memory() {
        unwind(raise::out_of_memory());
    }
    "r" fn caml_raise_stack_overflow() {
        unwind(raise::constant(Predefined::StackOverflow));
    }
    "r" fn caml_raise_end_of_file() {
        unwind(raise::end_of_file());
    }
    "r" fn caml_raise_zero_divide() {
        unwind(raise::division_by_zero());
    }
    "r" fn caml_raise_not_found() {
        unwind(raise::not_found());
    }
    "r" fn caml_raise_sys_blocked_io() {
        unwind(raise::constant(Predefined::SysBlockedIo));
    }
    "ar" fn caml_array_bound_error() {
        unwind(raise::index_out_of_bounds());
    }
    // What [`annotations::STUB_RETURNED_ZERO`] names.
    "ar" fn bactrian_stub_returned_zero(primitive: u32) -> Value {
        if BACTRIAN_STUBS.unwinding.swap(0, Relaxed) == 0 {
            null_pointer(primitive);
        }
        Value::RAISED
    }
    // What the tool calls in place of a function of C that exists nowhere.
    "ar" fn bactrian_stub_is_missing(name: u32) {
        let name = String::from_utf8_lossy(&c_string(name)).into_owned();
        unwind(raise::failure(format!("the C function {name} is missing")));
    }
}

pub fn unwind(raised: Raised) {
    foreign::unwind(raised);
}

fn with_arguments(exception: Value, arguments: &[Value]) {
    let fields = [&[exception], arguments].concat();
    unwind(raise::raise(heap::alloc_fields(0, &fields)));
}

/// Raises because a primitive returned the null pointer, which is no value here.
fn null_pointer(primitive: u32) -> Raised {
    let field = |offset: usize| memory::load_u32(primitive + offset as u32);
    let name = field(core::mem::offset_of!(StubPrimitive, name));
    let len = field(core::mem::offset_of!(StubPrimitive, name_len));
    let name = String::from_utf8_lossy(&memory::read(name, len as usize)).into_owned();
    raise::failure(format!(
        "the primitive {name} returned a null pointer, which is no value"
    ))
}
