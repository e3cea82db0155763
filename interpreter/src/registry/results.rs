//! Which primitives return nothing but boxes of numbers of one kind, so that compiled code need not
//! ask what their results are.

use crate::value::boxed::{FLOAT, INT32, INT64, NATIVEINT};

/// The kind of all boxes that the primitive `name` returns, if it returns boxes of numbers alone.
pub fn gives_box(name: &str) -> Option<u32> {
    match gives_float(name) {
        true => Some(FLOAT),
        false => gives_integer(name),
    }
}

/// Whether all that the primitive `name` returns is boxes of floats.
fn gives_float(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "caml_float_of_int",
        "caml_float_of_string",
        "caml_floatarray_get",
        "caml_floatarray_unsafe_get",
        "caml_int32_float_of_bits",
        "caml_int32_to_float",
        "caml_int64_float_of_bits",
        "caml_int64_to_float",
        "caml_nativeint_to_float",
        "caml_sys_time",
    ];
    NAMES.contains(&name) || is_float_operation(name)
}

/// Whether a primitive is arithmetic or analysis: a function of floats that gives a float. By its
/// name, as conversions' and comparisons' are others.
pub fn is_float_operation(name: &str) -> bool {
    const OPERATIONS: &[&str] = &[
        "abs",
        "acos",
        "acosh",
        "add",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "div",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "fma",
        "fmod",
        "hypot",
        "ldexp",
        "log",
        "log10",
        "log1p",
        "log2",
        "mul",
        "neg",
        "nextafter",
        "power",
        "round",
        "sin",
        "sinh",
        "sqrt",
        "sub",
        "tan",
        "tanh",
        "trunc",
    ];
    let operation = name.strip_prefix("caml_");
    let operation = operation.and_then(|name| name.strip_suffix("_float"));
    operation.is_some_and(|name| OPERATIONS.contains(&name))
}

/// The kind of boxed integers that the primitive `name` returns. Arithmetic is not asked for: the
/// interpreter does it itself.
fn gives_integer(name: &str) -> Option<u32> {
    const LOADS: &[(&str, u32)] = &[
        ("caml_string_get32", INT32),
        ("caml_bytes_get32", INT32),
        ("caml_ba_uint8_get32", INT32),
        ("caml_string_get64", INT64),
        ("caml_bytes_get64", INT64),
        ("caml_ba_uint8_get64", INT64),
    ];
    const PREFIXES: &[(&str, u32)] = &[
        ("caml_int32_", INT32),
        ("caml_int64_", INT64),
        ("caml_nativeint_", NATIVEINT),
    ];
    const OPERATIONS: &[&str] = &["of_string"];
    let load = LOADS.iter().find(|(load, _)| *load == name);
    let operation = |(prefix, _): &&(&str, u32)| {
        let operation = name.strip_prefix(prefix);
        operation.is_some_and(|operation| OPERATIONS.contains(&operation))
    };
    let found = load.or_else(|| PREFIXES.iter().find(operation));
    found.map(|&(_, kind)| kind)
}
