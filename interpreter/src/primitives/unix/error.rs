//! The exception `Unix.Unix_error`, which the library registers under its name.

use crate::heap;
use crate::os::Errno;
use crate::os::errno::linux_message;
use crate::primitives::named;
use crate::raise;
use crate::registry::Raised;
use crate::value::Value;

crate::primitives! {
    Allocates "unix_error_message" error_message, 1;
}

/// Name under which the library registers the exception.
const EXCEPTION: &[u8] = b"Unix.Unix_error";

/// Linux's numbers for the constant constructors of `Unix.error`, in their order. `EWOULDBLOCK` is
/// `EAGAIN`.
const NUMBERS: [i32; 68] = [
    7, 13, 11, 9, 16, 10, 35, 33, 17, 14, 27, 4, 22, 5, 21, 24, 31, 36, 23, 19, 2, 8, 37, 12, 28,
    38, 20, 39, 25, 6, 1, 32, 34, 30, 29, 3, 18, 11, 115, 114, 88, 89, 90, 91, 92, 93, 94, 95, 96,
    97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 40, 75,
];

/// Raises `Unix_error (error, function, "")`.
pub fn error(error: Errno, function: &str) -> Raised {
    about(error, function, heap::alloc_string(b""))
}

/// Raises `Unix_error (error, function, argument)`.
#[cold]
pub fn about(error: Errno, function: &str, argument: Value) -> Raised {
    let Some(exception) = named::get(EXCEPTION) else {
        return raise::invalid_argument(
            "Exception Unix.Unix_error not initialized, please link unix.cma",
        );
    };
    let function = heap::alloc_string(function.as_bytes());
    let fields = [exception, constructor(error.to_linux()), function, argument];
    raise::raise(heap::alloc_fields(0, &fields))
}

/// The value of type `Unix.error`.
pub fn constructor(number: i32) -> Value {
    match NUMBERS.iter().position(|&known| known == number) {
        Some(index) => Value::int(index as i64),
        None => heap::alloc_fields(0, &[Value::int(number.into())]),
    }
}

/// Linux's number of a value of type `Unix.error`.
pub fn number(error: Value) -> i32 {
    match error.is_int() {
        true => NUMBERS[error.as_int() as usize],
        false => error.field(0).as_int() as i32,
    }
}

fn error_message(error: Value) -> Value {
    heap::alloc_string(linux_message(number(error)).as_bytes())
}
