//! Which arguments of primitives are always floats, integers or boxed integers of a kind: what a
//! program passes them tells what it is.

use super::results;
use super::shortcut;
use super::shortcut::integers::{self, *};
use crate::value::boxed;
use core::ops::Range;

/// What a value always is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    Float = 1,
    Integer = 2,
    Int32 = 3,
    Int64 = 4,
    Nativeint = 5,
}

impl Kind {
    /// The kind of the boxes of such, if these are boxes.
    pub fn boxed(self) -> Option<u32> {
        match self {
            Kind::Float => Some(boxed::FLOAT),
            Kind::Integer => None,
            Kind::Int32 => Some(boxed::INT32),
            Kind::Int64 => Some(boxed::INT64),
            Kind::Nativeint => Some(boxed::NATIVEINT),
        }
    }
}

/// What argument `index` of the primitive `name`, counted from 0, always is, if that is known.
pub fn takes(name: &str, index: u32) -> Option<Kind> {
    if let Some(kind) = boxed_integer(shortcut::number(name), index) {
        return Some(kind);
    }
    let (floats, integers) = arguments(name);
    if floats.contains(&index) {
        Some(Kind::Float)
    } else {
        integers.contains(&index).then_some(Kind::Integer)
    }
}

/// Whether the primitive `name` looks at the numbers in boxes that it is given, and neither stores
/// nor returns the boxes themselves.
pub fn are_opened(name: &str) -> bool {
    let begins = [
        "caml_int32_",
        "caml_int64_",
        "caml_nativeint_",
        "caml_floatarray_",
        "caml_ba_",
        "caml_bytes_set",
    ];
    let compares = [
        "caml_compare",
        "caml_equal",
        "caml_notequal",
        "caml_lessthan",
        "caml_lessequal",
        "caml_greaterthan",
        "caml_greaterequal",
    ];
    results::gives_box(name).is_some()
        || name.ends_with("_float")
        || begins.iter().any(|beginning| name.starts_with(beginning))
        || compares.contains(&name)
        || [
            "caml_float_compare",
            "caml_signbit",
            "caml_int_of_float",
            "caml_format_float",
            "caml_hexstring_of_float",
            "caml_hash",
        ]
        .contains(&name)
}

/// The kind of boxed integers that argument `index` of what has this shortcut always is, if it is
/// one.
fn boxed_integer(shortcut: u32, index: u32) -> Option<Kind> {
    let kind = match shortcut {
        shortcut::BYTES_SET_32 | shortcut::BIGSTRING_SET_32 => {
            return (index == 2).then_some(Kind::Int32);
        }
        shortcut::BYTES_SET_64 | shortcut::BIGSTRING_SET_64 => {
            return (index == 2).then_some(Kind::Int64);
        }
        integers::FIRST.. => match integers::kind(shortcut) {
            boxed::INT32 => Kind::Int32,
            boxed::INT64 => Kind::Int64,
            _ => Kind::Nativeint,
        },
        _ => return None,
    };
    let (count, kind) = match integers::operator(shortcut) {
        ADD..=XOR | DIV..=COMPARE => (2, kind),
        OF_INT32 => (1, Kind::Int32),
        OF_NATIVEINT => (1, Kind::Nativeint),
        OF_INT | BITS_OF_FLOAT | OF_FLOAT => return None,
        _ => (1, kind),
    };
    (index < count).then_some(kind)
}

/// The arguments that are floats, and those that are integers.
fn arguments(name: &str) -> (Range<u32>, Range<u32>) {
    const NONE: Range<u32> = 0..0;
    match name {
        "caml_ldexp_float" => (0..1, 1..2),
        "caml_int_of_float" | "caml_float_compare" => (0..2, NONE),
        "caml_eq_float" | "caml_neq_float" | "caml_lt_float" | "caml_le_float"
        | "caml_gt_float" | "caml_ge_float" => (0..2, NONE),
        "caml_signbit_float" | "caml_signbit" | "caml_classify_float" => (0..1, NONE),
        "caml_float_of_int" => (NONE, 0..1),
        "caml_int_compare" => (NONE, 0..2),
        "caml_array_get" | "caml_array_get_addr" | "caml_array_unsafe_get" => (NONE, 1..2),
        "caml_array_set" | "caml_array_set_addr" | "caml_array_unsafe_set" => (NONE, 1..2),
        "caml_floatarray_get" | "caml_floatarray_unsafe_get" => (NONE, 1..2),
        "caml_floatarray_set" | "caml_floatarray_unsafe_set" => (2..3, 1..2),
        "caml_string_get" | "caml_bytes_get" => (NONE, 1..2),
        "caml_bytes_set" | "caml_bytes_set16" | "caml_ba_uint8_set16" => (NONE, 1..3),
        "caml_bswap16" => (NONE, 0..1),
        _ if shortcut::is_word(shortcut::number(name)) => (NONE, 1..2),
        "caml_ba_get_1" | "caml_ba_set_1" => (NONE, 1..2),
        "caml_ba_get_2" | "caml_ba_set_2" => (NONE, 1..3),
        "caml_ba_get_3" | "caml_ba_set_3" => (NONE, 1..4),
        _ if results::is_float_operation(name) => (0..3, NONE),
        _ => (NONE, NONE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_take_floats() {
        let float = Some(Kind::Float);
        assert_eq!(
            [0, 1].map(|index| takes("caml_add_float", index)),
            [float; 2]
        );
        assert_eq!(
            [0, 1].map(|index| takes("caml_lt_float", index)),
            [float; 2]
        );
        assert_eq!(takes("caml_ldexp_float", 1), Some(Kind::Integer));
        assert_eq!(takes("caml_float_of_int", 0), Some(Kind::Integer));
        assert_eq!(takes("caml_ba_set_2", 2), Some(Kind::Integer));
        assert_eq!(takes("caml_ba_set_2", 3), None);
        assert_eq!(takes("caml_ba_set_2", 0), None);
        assert_eq!(takes("caml_format_float", 0), None);
    }

    #[test]
    fn operations_take_boxed_integers() {
        assert_eq!(takes("caml_int32_add", 1), Some(Kind::Int32));
        assert_eq!(takes("caml_int64_shift_left", 0), Some(Kind::Int64));
        assert_eq!(takes("caml_int64_shift_left", 1), None);
        assert_eq!(takes("caml_int64_of_int32", 0), Some(Kind::Int32));
        assert_eq!(takes("caml_nativeint_to_int", 0), Some(Kind::Nativeint));
        assert_eq!(takes("caml_int64_of_int", 0), None);
        assert_eq!(takes("caml_bytes_set64", 2), Some(Kind::Int64));
        assert_eq!(takes("caml_bytes_set64", 1), Some(Kind::Integer));
    }
}
