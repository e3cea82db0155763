//! What unit tests of primitives need: a machine on the test's thread, and calls by name.

use super::registry::{Code, Primitive, Raised, outcome};
use crate::heap;
use crate::raise::Predefined;
use crate::value::{Value, WORD};
use crate::vm::vm;
use crate::{memory, primitives};

const STACK_WORDS: u32 = 512;

/// Gives this thread a stack, the predefined exceptions (each a string) and a heap.
pub fn start() {
    let vm = vm();
    let low = memory::grow((STACK_WORDS * WORD) as usize).expect("room for a stack");
    vm.stack_low.set(low);
    vm.stack_high.set(low + STACK_WORDS * WORD);
    vm.sp.set(vm.stack_high.get());
    let names = [
        "Out_of_memory",
        "Sys_error",
        "Failure",
        "Invalid_argument",
        "End_of_file",
        "Division_by_zero",
    ];
    let exceptions: Vec<Value> = names
        .iter()
        .map(|name| heap::alloc_string(name.as_bytes()))
        .collect();
    assert_eq!(Predefined::DivisionByZero as usize, names.len() - 1);
    vm.globals.set(heap::alloc_fields(0, &exceptions));
    heap::init();
}

/// What a call of the primitive `name` returns, or the exception as `Name` or `Name: message`.
pub fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let primitive = find(name);
    let result = outcome(match (primitive.code, arguments) {
        (Code::F1(code), &[a]) => code(a),
        (Code::F2(code), &[a, b]) => code(a, b),
        (Code::F3(code), &[a, b, c]) => code(a, b, c),
        (Code::F4(code), &[a, b, c, d]) => code(a, b, c, d),
        (Code::F5(code), &[a, b, c, d, e]) => code(a, b, c, d, e),
        (_, arguments) => panic!("{name} with {} arguments", arguments.len()),
    });
    result.map_err(|Raised| exception())
}

/// The integer that a call returns.
pub fn int(name: &str, arguments: &[Value]) -> i64 {
    let result = call(name, arguments).expect("the call does not raise");
    assert!(result.is_int(), "{name} returned a block");
    result.as_int()
}

/// The string that a call returns.
pub fn text(name: &str, arguments: &[Value]) -> String {
    let result = call(name, arguments).expect("the call does not raise");
    String::from_utf8_lossy(result.string_bytes()).into_owned()
}

/// A string value.
pub fn string(bytes: &str) -> Value {
    heap::alloc_string(bytes.as_bytes())
}

fn find(name: &str) -> &'static Primitive {
    primitives::all()
        .find(|primitive| primitive.name == name)
        .unwrap_or_else(|| panic!("no primitive {name}"))
}

fn exception() -> String {
    let exception = vm().exception.get();
    let text = |value: Value| String::from_utf8_lossy(value.string_bytes()).into_owned();
    if exception.tag() == 0 {
        format!("{}: {}", text(exception.field(0)), text(exception.field(1)))
    } else {
        text(exception)
    }
}
