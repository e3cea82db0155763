//! What has gone wrong in a primitive, until the program is told.

use crate::heap;
use crate::value::{NIL, RAISED, UNSPECIFIED};
use crate::vm::vm;

/// Says that something is wrong. Who returns this has raised.
#[cold]
pub fn fail(message: &str, irritants: &[i64]) -> i64 {
    let list = irritants.iter().rev();
    let list = list.fold(NIL, |rest, &irritant| heap::pair(irritant, rest));
    vm().failure.set(super::strings::from_str(message));
    vm().irritants.set(list);
    RAISED
}

/// An operand is of the wrong kind.
#[cold]
pub fn wrong(operation: &str, wants: &str, operand: i64) -> i64 {
    fail(&format!("{operation}: {wants} is wanted, not"), &[operand])
}

/// An index is out of range.
#[cold]
pub fn out_of_range(operation: &str, index: i64) -> i64 {
    fail(&format!("{operation}: there is no such element:"), &[index])
}

/// What has gone wrong, and forgets it: a string and a list.
pub fn take() -> (i64, i64) {
    (
        vm().failure.replace(UNSPECIFIED),
        vm().irritants.replace(NIL),
    )
}
