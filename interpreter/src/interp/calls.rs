//! Calls that are not exact: partial applications, their expansion, more arguments than parameters.
//!
//! Everything here runs between a sync and an invalidate: arguments are in memory, on the OCaml
//! stack, so a collection in a callee finds and updates them. The last call is always in tail
//! position: a program whose tail calls go this way must not run out of stack.

use super::entries::{Arguments, MAX_DIRECT, UNUSED, enter, enter_through_slot};
use crate::code;
use crate::code::RESTART_ARITY;
use crate::heap::{self, memprof};
use crate::memory;
use crate::registry::{Outcome, outcome};
use crate::value::{Value, WORD, tag};
use crate::vm::vm;

/// Fields of a partial application before its arguments: code, closure information, closure.
const PARTIAL_ARGUMENTS: usize = 3;

/// The second word of a closure whose environment starts at field `start`.
pub const fn closure_info(start: usize) -> i64 {
    (start as i64) << 1 | 1
}

/// Applies a closure to any arguments, for primitives that call back. Pushes below `vm().sp` and
/// leaves `vm().sp` as it was; what it runs may collect.
pub fn apply(closure: Value, arguments: &[Value]) -> Outcome {
    apply_code(memory::load_u32(closure.address()), closure, arguments)
}

/// The same, running `code` in place of the closure's own.
pub fn apply_code(code: u32, closure: Value, arguments: &[Value]) -> Outcome {
    let top = vm().sp.get();
    let at = top - arguments.len() as u32 * WORD;
    for (index, argument) in arguments.iter().enumerate() {
        memory::store_i64(at + index as u32 * WORD, argument.0);
    }
    let result = run_at(code, closure.0, at, arguments.len() as u32);
    vm().sp.set(top);
    outcome(Value(result))
}

macro_rules! slow {
    ($($name:ident $case:pat, $n:literal ($($argument:ident $index:literal)*) ($($unused:tt)*);)*) => {
        /// Applies `closure` to `n` arguments, 1 to 7, that are not what its arity says; they end
        /// at `top`.
        #[inline(always)]
        pub fn apply_slow(closure: i64, top: u32, n: u32, arguments: Arguments) -> i64 {
            match n {
                $($case => $name(closure, top, $(arguments[$index]),*),)*
            }
        }

        $(
            #[inline(never)]
            extern "C" fn $name(closure: i64, top: u32, $($argument: i64),*) -> i64 {
                apply_inexactly(closure, top, $n, [$($argument,)* $($unused),*])
            }
        )*
    };
}

slow! {
    apply_slow_1 1, 1 (a0 0) (1 1 1 1 1 1);
    apply_slow_2 2, 2 (a0 0 a1 1) (1 1 1 1 1);
    apply_slow_3 3, 3 (a0 0 a1 1 a2 2) (1 1 1 1);
    apply_slow_4 4, 4 (a0 0 a1 1 a2 2 a3 3) (1 1 1);
    apply_slow_5 5, 5 (a0 0 a1 1 a2 2 a3 3 a4 4) (1 1);
    apply_slow_6 6, 6 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5) (1);
    apply_slow_7 _, 7 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5 a6 6) ();
}

#[inline(always)]
fn apply_inexactly(closure: i64, top: u32, n: u32, arguments: Arguments) -> i64 {
    if let Some(result) = complete(Value(closure), top, n, arguments) {
        return result;
    }
    let at = top - n * WORD;
    for (index, argument) in arguments.into_iter().enumerate().take(n as usize) {
        memory::store_i64(at + index as u32 * WORD, argument);
    }
    apply_at(closure, at, n)
}

/// Applies a partial application that waits for just these `n` arguments, if its function takes
/// all as parameters.
#[inline(always)]
fn complete(partial: Value, top: u32, n: u32, arguments: Arguments) -> Option<i64> {
    let code = memory::load_u32(partial.address());
    if code::arity(code) != RESTART_ARITY {
        return None;
    }
    let saved = |index| partial.field(PARTIAL_ARGUMENTS + index).0;
    let [a, b, c, d, e, f, _] = arguments;
    // In each case the number of arguments is a constant.
    match partial.wosize().wrapping_sub(PARTIAL_ARGUMENTS) {
        1 => enter_if(partial, top, 1 + n, [saved(0), a, b, c, d, e, f]),
        2 => enter_if(partial, top, 2 + n, [saved(0), saved(1), a, b, c, d, e]),
        3 => enter_if(
            partial,
            top,
            3 + n,
            [saved(0), saved(1), saved(2), a, b, c, d],
        ),
        _ => None,
    }
}

/// Enters the function of a partial application, if `n` is its arity.
#[inline(always)]
fn enter_if(partial: Value, top: u32, n: u32, arguments: Arguments) -> Option<i64> {
    let code = memory::load_u32(partial.address()) + code::CELL;
    if n > MAX_DIRECT || code::arity(code) != n {
        return None;
    }
    let closure = partial.field(PARTIAL_ARGUMENTS - 1).0;
    Some(enter(code, closure, top, n, arguments))
}

/// Applies `closure` to the `n` arguments on the stack at `at`. The stack below is free.
#[inline(never)]
pub extern "C" fn apply_at(closure: i64, at: u32, n: u32) -> i64 {
    run_at(memory::load_u32(closure as u32), closure, at, n)
}

/// The same for code that runs with another closure than its own as the environment.
fn run_at(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    let (mut code, mut closure, mut at, mut n) = (code, closure, at, n);
    loop {
        let arity = code::arity(code);
        if arity == RESTART_ARITY {
            // On to the GRAB after it, whatever the closure's code has become since (see `#trace`).
            code += code::CELL;
            (closure, at, n) = expand(Value(closure), at, n);
        } else if n < arity {
            return partial(code, closure, at, n);
        } else if n == arity {
            return enter_at(code, closure, at, n);
        } else {
            closure = enter_at(code, closure, at, arity);
            if closure == Value::RAISED.0 {
                return closure;
            }
            code = memory::load_u32(closure as u32);
            at += arity * WORD;
            n -= arity;
        }
    }
}

/// Pushes the arguments of a partial application before the others: its closure, and all arguments.
fn expand(partial: Value, at: u32, n: u32) -> (i64, u32, u32) {
    let saved = (partial.wosize() - PARTIAL_ARGUMENTS) as u32;
    // What is none may hold itself, and would be expanded for ever.
    assert!(saved > 0, "a partial application has arguments");
    let start = at - saved * WORD;
    memory::copy(
        partial.field_address(PARTIAL_ARGUMENTS),
        start,
        (saved * WORD) as usize,
    );
    (partial.field(PARTIAL_ARGUMENTS - 1).0, start, n + saved)
}

/// A closure that waits for more arguments: its code is the RESTART before the function's GRAB.
fn partial(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    let block = heap::alloc(PARTIAL_ARGUMENTS + n as usize, tag::CLOSURE);
    block.init_field(0, Value(i64::from(code - code::CELL)));
    block.init_field(1, Value(closure_info(PARTIAL_ARGUMENTS - 1)));
    block.init_field(2, Value(closure));
    memory::copy(
        at,
        block.field_address(PARTIAL_ARGUMENTS),
        (n * WORD) as usize,
    );
    match memprof::is_waiting() {
        true => report(block, at),
        false => block.0,
    }
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

/// Calls code of arity `n` with the arguments on the stack at `at`.
#[inline(always)]
fn enter_at(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    if n > MAX_DIRECT {
        // The cell above the arguments has to be the callee's.
        memory::copy(at, at - WORD, (n * WORD) as usize);
        return enter_through_slot(code, closure, at - WORD);
    }
    let load = |index: u32| {
        if index < n {
            memory::load_i64(at + index * WORD)
        } else {
            UNUSED
        }
    };
    let arguments: Arguments = [
        load(0),
        load(1),
        load(2),
        load(3),
        load(4),
        load(5),
        load(6),
    ];
    enter(code, closure, at + n * WORD, n, arguments)
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
        let block = heap::alloc_fields(tag::CLOSURE, &[Value::UNIT; PARTIAL_ARGUMENTS]);
        block.init_field(PARTIAL_ARGUMENTS - 1, block);
        expand(block, vm().sp.get(), 1);
    }
}
