//! A machine for unit tests: stack, predefined exceptions and heap, without a program.

use crate::heap;
use crate::memory;
use crate::program;
use crate::registry::Outcome;
use crate::value::{Value, WORD, tag};
use crate::vm::vm;

const STACK_WORDS: u32 = 1024;

const EXCEPTIONS: [&str; 12] = [
    "Out_of_memory",
    "Sys_error",
    "Failure",
    "Invalid_argument",
    "End_of_file",
    "Division_by_zero",
    "Not_found",
    "Match_failure",
    "Stack_overflow",
    "Sys_blocked_io",
    "Assert_failure",
    "Undefined_recursive_module",
];

/// Starts this thread's machine.
pub fn start_machine() {
    let vm = vm();
    let low = memory::grow((STACK_WORDS * WORD) as usize).expect("room for a stack");
    let high = low + STACK_WORDS * WORD;
    vm.stack_low.set(low);
    vm.stack_threshold.set(low + 256 * WORD);
    heap::set_alert();
    vm.stack_high.set(high);
    vm.sp.set(high);
    vm.globals.set(heap::alloc_fields(0, &exceptions()));
    heap::init(&program::HOOKS);
}

/// The predefined exceptions, in the order of their globals.
pub fn exceptions() -> [Value; EXCEPTIONS.len()] {
    EXCEPTIONS.map(|name| heap::alloc_fields(tag::OBJECT, &[string(name), Value::int(0)]))
}

/// The exception that `outcome` raised, as the runtime prints it.
pub fn raised(outcome: Outcome) -> String {
    outcome.expect_err("an exception");
    let text = crate::primitives::exit::format_exception(vm().exception.get());
    String::from_utf8(text).expect("ASCII")
}

/// An OCaml string.
pub fn string(text: impl AsRef<[u8]>) -> Value {
    heap::alloc_string(text.as_ref())
}

/// Insists on results of a function: the bits of its arguments, and of what it gives for them.
pub fn assert_bits<const N: usize>(f: impl Fn([f64; N]) -> f64, cases: &[([u64; N], u64)]) {
    for &(arguments, expected) in cases {
        let result = f(arguments.map(f64::from_bits)).to_bits();
        assert_eq!(result, expected, "{arguments:#x?}");
    }
}
