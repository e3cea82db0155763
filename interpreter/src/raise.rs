//! Raising OCaml exceptions from Rust: each function stores the exception and returns [`Raised`].
//!
//! The predefined exceptions are the first globals of every program. None of this is inlined: callers stay small
//! and need no stack frame for what hardly ever happens.

use crate::backtrace;
use crate::heap;
use crate::primitives::registry::Raised;
use crate::value::Value;
use crate::vm::vm;

/// Predefined exceptions, by global index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Predefined {
    OutOfMemory = 0,
    SysError = 1,
    Failure = 2,
    InvalidArgument = 3,
    EndOfFile = 4,
    DivisionByZero = 5,
    NotFound = 6,
    MatchFailure = 7,
    StackOverflow = 8,
    SysBlockedIo = 9,
    AssertFailure = 10,
    UndefinedRecursiveModule = 11,
}

/// Raises `exception`.
pub fn raise(exception: Value) -> Raised {
    vm().exception.set(exception);
    Raised
}

/// Raises a predefined exception that has no argument.
#[cold]
#[inline(never)]
pub fn constant(exception: Predefined) -> Raised {
    raise(vm().globals.get().field(exception as usize))
}

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
    constant(Predefined::OutOfMemory)
}

/// At the entry of an activation, which is no position in a backtrace; its callers are.
pub fn stack_overflow() -> Raised {
    let raised = constant(Predefined::StackOverflow);
    backtrace::restart(vm().exception.get());
    raised
}
