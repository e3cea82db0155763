//! The exception in progress, and those of the predefined ones that need no memory: see
//! [`crate::raise`] for the others.

use crate::registry::Raised;
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

/// How many there are: they are the first globals of every program.
pub const PREDEFINED: usize = Predefined::UndefinedRecursiveModule as usize + 1;

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
