//! Raising OCaml exceptions from Rust: each function stores the exception and returns [`Raised`].
//!
//! The predefined exceptions are the first globals of every program. None of this is inlined, so
//! that callers stay small and need no stack frame for a rare case.

pub use crate::exception::{Predefined, constant, raise};

use crate::evaluation;
use crate::heap;
use crate::registry::Raised;
use crate::value::Value;
use crate::vm::vm;

/// Raises a predefined exception with one argument.
#[cold]
#[inline(never)]
pub fn with_argument(exception: Predefined, argument: Value) -> Raised {
    let id = vm().globals.get().field(exception as usize);
    raise(heap::alloc_fields(0, &[id, argument]))
}

/// Raises a predefined exception whose argument is a string.
pub fn with_string(exception: Predefined, message: impl AsRef<[u8]>) -> Raised {
    with_bytes(exception, message.as_ref())
}

#[cold]
#[inline(never)]
fn with_bytes(exception: Predefined, message: &[u8]) -> Raised {
    with_argument(exception, heap::alloc_string(message))
}

pub fn failure(message: impl AsRef<[u8]>) -> Raised {
    with_string(Predefined::Failure, message)
}

pub fn invalid_argument(message: impl AsRef<[u8]>) -> Raised {
    with_string(Predefined::InvalidArgument, message)
}

pub fn sys_error(message: impl AsRef<[u8]>) -> Raised {
    with_string(Predefined::SysError, message)
}

#[cold]
#[inline(never)]
pub fn index_out_of_bounds() -> Raised {
    invalid_argument("index out of bounds")
}

pub fn not_found() -> Raised {
    constant(Predefined::NotFound)
}

pub fn end_of_file() -> Raised {
    constant(Predefined::EndOfFile)
}

#[cold]
#[inline(never)]
pub fn division_by_zero() -> Raised {
    constant(Predefined::DivisionByZero)
}

pub fn out_of_memory() -> Raised {
    evaluation::effect("memory");
    constant(Predefined::OutOfMemory)
}
