//! What unit tests of primitives need: a machine on the test's thread (see `crate::testing`), and
//! calls by name.

use crate::heap;
use crate::primitives;
use crate::registry::{Code, Primitive, Raised, outcome};
pub use crate::testing::{start_machine, string};
use crate::value::{Value, tag};
use crate::vm::vm;

/// What a call of the primitive `name` returns, or the exception as `Name` or `Name: message`.
pub fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let primitive = find(name);
    let result = outcome(match (primitive.code, arguments) {
        (Code::F1(code), &[a]) => code(a),
        (Code::F2(code), &[a, b]) => code(a, b),
        (Code::F3(code), &[a, b, c]) => code(a, b, c),
        (Code::F4(code), &[a, b, c, d]) => code(a, b, c, d),
        (Code::F5(code), &[a, b, c, d, e]) => code(a, b, c, d, e),
        (Code::Float1(code), &[x]) => heap::alloc_float(code(x.as_float())),
        (Code::Float2(code), &[x, y]) => heap::alloc_float(code(x.as_float(), y.as_float())),
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
    String::from_utf8_lossy(&result.to_bytes()).into_owned()
}

fn find(name: &str) -> &'static Primitive {
    primitives::all()
        .find(|primitive| primitive.name == name)
        .unwrap_or_else(|| panic!("no primitive {name}"))
}

/// The exception that was raised last, likewise.
pub fn exception() -> String {
    let exception = vm().exception.get();
    let text = |value: Value| String::from_utf8_lossy(&value.to_bytes()).into_owned();
    if exception.tag() == tag::OBJECT {
        return text(exception.field(0));
    }
    format!(
        "{}: {}",
        text(exception.field(0).field(0)),
        text(exception.field(1))
    )
}
