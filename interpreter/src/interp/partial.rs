//! Partial applications: closures that wait for more arguments. Their code is the RESTART before
//! the function's GRAB.

use super::blocks::allocations_poll;
use super::entries::code_of;
use super::fields::store_field;
use crate::code::{self, ARITY_LIMIT, RESTART_ARITY};
use crate::heap::{self, memprof};
use crate::memory::{self, Region};
use crate::value::{Value, WORD, closure_info, tag};
use crate::vm::vm;
use annotations::specialize_known;
use std::cmp::Ordering;

/// Fields before the arguments: code, closure information, closure.
pub const ARGUMENTS: usize = 3;

/// What is applied to a number of arguments that is not its arity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inexact {
    /// A function that takes more.
    Function,
    /// A partial application that holds so many, of a function that takes just these and the new
    /// ones.
    Partial(u32),
    /// What takes only so many of them.
    Over(u32),
    /// Anything else, and what the profiler may have to know of.
    Other,
}

impl Inexact {
    /// The closure, if it is applied to `n` arguments.
    #[inline(always)]
    pub fn new(closure: i64, n: u32) -> Self {
        let code = code_of(closure);
        let arity = code::arity(code);
        if arity == RESTART_ARITY {
            let held = (Value(closure).wosize() as u32).wrapping_sub(ARGUMENTS as u32);
            let missing = code::arity(code + code::CELL).wrapping_sub(held);
            return match missing.cmp(&n) {
                Ordering::Equal => Self::Partial(held),
                Ordering::Less if missing > 0 => Self::Over(missing),
                Ordering::Less | Ordering::Greater => Self::Other,
            };
        }
        Self::of_function(code, n)
    }

    /// The same for a function that is no partial application.
    #[inline(always)]
    pub fn of_function(code: u32, n: u32) -> Self {
        let arity = code::arity(code);
        if n > arity && arity > 0 {
            return Self::Over(arity);
        }
        match n < arity && !allocations_poll() {
            true => Self::Function,
            false => Self::Other,
        }
    }
}

/// Whether the function at `code` is known here, and known to take more than `n` arguments.
#[inline(always)]
pub fn is_known_to_wait(code: u32, n: u32) -> bool {
    specialize_known(code) != 0
        && code::arity(code) < ARITY_LIMIT
        && Inexact::of_function(code, n) == Inexact::Function
}

/// Pushes the arguments of a partial application before the others: its closure, and all arguments.
/// In place, as what it returns would go through a frame in memory: calls that nest deeply go by
/// there.
#[inline(always)]
pub fn expand(partial: Value, at: u32, n: u32) -> (i64, u32, u32) {
    let saved = (partial.wosize() - ARGUMENTS) as u32;
    // What is none may hold itself, and would be expanded for ever.
    assert!(saved > 0, "a partial application has arguments");
    let start = at - saved * WORD;
    let from = partial.field_address(ARGUMENTS);
    memory::copy_apart(from, start, (saved * WORD) as usize);
    (partial.field(ARGUMENTS - 1).0, start, n + saved)
}

/// A closure that waits for more arguments.
pub extern "C" fn make(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    let block = heap::alloc(ARGUMENTS + n as usize, tag::CLOSURE);
    init(block.0, code, closure);
    memory::copy(at, block.field_address(ARGUMENTS), (n * WORD) as usize);
    match memprof::is_waiting() {
        true => report(block, at),
        false => block.0,
    }
}

/// Writes all of a partial application but the arguments: its code is the RESTART before the
/// function's GRAB.
#[inline(always)]
pub fn init(block: i64, code: u32, closure: i64) {
    let store = |index: usize, word| store_field(block, index as u32, Region::Fixed, word);
    store(0, i64::from(code - code::CELL));
    store(1, closure_info(ARGUMENTS - 1).0);
    store(ARGUMENTS - 1, closure);
}

/// Reports `block` to the profiler before anything else happens. The stack ends at `at`.
#[cold]
#[inline(never)]
fn report(block: Value, at: u32) -> i64 {
    vm().sp.set(at);
    let root = heap::Root::new(block);
    match heap::safepoint(0) {
        0 => Value::RAISED.0,
        _ => root.get().0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::start_machine;

    /// A block whose code is a RESTART, but which holds itself: expanding it once went on for ever.
    #[test]
    #[should_panic(expected = "a partial application has arguments")]
    fn a_partial_application_of_itself_is_no_function() {
        start_machine();
        let block = heap::alloc_fields(tag::CLOSURE, &[Value::UNIT; ARGUMENTS]);
        block.init_field(ARGUMENTS - 1, block);
        expand(block, vm().sp.get(), 1);
    }
}
