//! How a program ends that did not catch an exception.
//!
//! Where `Printexc` is linked, it has registered a function that prints the exception. Otherwise
//! the runtime runs the `at_exit` functions, then prints the exception in a form of its own, and a
//! backtrace if one is recorded.

use super::named;
use crate::backtrace;
use crate::heap::memprof;
use crate::interp;
use crate::os;
use crate::value::{Value, tag};
use crate::vm::vm;

/// Exit code after an uncaught exception.
pub const UNCAUGHT_CODE: u8 = 2;

/// What `printexc.c` can hold of a message.
const MESSAGE_LIMIT: usize = 255;

/// Reports an exception that left the program; returns the exit code. `vm().sp` must be that of an
/// empty stack.
pub fn uncaught(exception: Value) -> u8 {
    memprof::suspend_for_good();
    match named::get(named::UNCAUGHT) {
        Some(handler) => {
            let no_debugger = Value::FALSE;
            // The handler is written not to raise; if it does, there is nothing left to try.
            let _ = interp::apply(handler, &[exception, no_debugger]);
        }
        None => report(exception),
    }
    UNCAUGHT_CODE
}

fn report(exception: Value) {
    let message = format_exception(exception);
    // Nothing is recorded meanwhile, so that the backtrace is still there after it.
    let recording = vm().backtrace_active.replace(0);
    vm().backtrace_running.set(0);
    if let Some(at_exit) = named::get(named::AT_EXIT) {
        // An exception in there does not replace the one being reported.
        let _ = interp::apply(at_exit, &[Value::UNIT]);
    }
    vm().backtrace_active.set(recording);
    os::write_all(
        2,
        &[b"Fatal error: exception ", &message[..], b"\n"].concat(),
    );
    if recording != 0 {
        backtrace::print();
    }
}

/// The exception as the runtime prints it: name, then arguments, floats and blocks as `_`.
pub fn format_exception(exception: Value) -> Vec<u8> {
    let mut text = Vec::new();
    if exception.tag() == 0 {
        let constructor = exception.field(0);
        let name = constructor.field(0);
        text.extend(c_string(name));
        text.push(b'(');
        let (block, start) = arguments(exception, &c_string(name));
        for index in start..block.wosize() {
            if index > start {
                text.extend_from_slice(b", ");
            }
            format_argument(block.field(index), &mut text);
        }
        text.push(b')');
    } else {
        text.extend(c_string(exception.field(0)));
    }
    text.truncate(MESSAGE_LIMIT);
    text
}

/// The block that holds the arguments, and the first one's index. The three exceptions that carry a
/// source position carry it as a tuple.
fn arguments(exception: Value, name: &[u8]) -> (Value, usize) {
    const POSITIONAL: [&[u8]; 3] = [
        b"Match_failure",
        b"Assert_failure",
        b"Undefined_recursive_module",
    ];
    let argument = exception.field(1);
    let tuple = exception.wosize() == 2 && argument.is_block() && argument.tag() == 0;
    if tuple && POSITIONAL.contains(&name) {
        (argument, 0)
    } else {
        (exception, 1)
    }
}

fn format_argument(argument: Value, text: &mut Vec<u8>) {
    if argument.is_int() {
        text.extend_from_slice(argument.as_int().to_string().as_bytes());
    } else if argument.tag() == tag::STRING {
        text.push(b'"');
        text.extend(c_string(argument));
        text.push(b'"');
    } else {
        text.push(b'_');
    }
}

/// The bytes up to the first NUL.
fn c_string(string: Value) -> Vec<u8> {
    let mut bytes = string.to_bytes();
    if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(end);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap;
    use crate::raise::{self, Predefined};
    use crate::testing::{raised, start_machine, string};

    #[test]
    fn exceptions_as_the_runtime_prints_them() {
        start_machine();
        assert_eq!(raised(Err(raise::not_found())), "Not_found");
        assert_eq!(raised(Err(raise::failure("a\"b"))), "Failure(\"a\"b\")");
        let position = heap::alloc_fields(0, &[string("b2.ml"), Value::int(2), Value::int(9)]);
        let assertion = raise::with_argument(Predefined::AssertFailure, position);
        assert_eq!(raised(Err(assertion)), "Assert_failure(\"b2.ml\", 2, 9)");
        let id = heap::alloc_fields(tag::OBJECT, &[string("B.E"), Value::int(7)]);
        let own = heap::alloc_fields(
            0,
            &[id, string("x\0y"), heap::alloc_float(1.0), Value::int(-3)],
        );
        assert_eq!(raised(Err(raise::raise(own))), "B.E(\"x\", _, -3)");
        let long = raised(Err(raise::failure("A".repeat(300))));
        assert_eq!(long, format!("Failure(\"{}", "A".repeat(246)));
    }
}
