//! Tagged integers, and boxed ones of 32, 64 and native (64) bits.
//!
//! The three boxed types share generic code: arithmetic in 64 bits, cut to the width when boxed.

use super::floats::string_of;
use super::format::{self, Digits, Spec};
use super::parse;
use crate::custom;
use crate::heap;
use crate::raise;
use crate::registry::Outcome;
use crate::value::{Value, boxed::truncate};
use std::cmp::Ordering;

crate::primitives! {
    Leaf "caml_int_compare" int_compare, 2;
    Leaf "caml_int_of_string" int_of_string, 1;
    Allocates "caml_format_int" format_int, 2;
    Leaf "caml_bswap16" bswap16, 1;
}

fn int_compare(a: Value, b: Value) -> Value {
    Value::int(a.0.cmp(&b.0) as i64)
}

fn int_of_string(text: Value) -> Outcome {
    // SAFETY: parsing writes to no block.
    let n = parse::integer(unsafe { text.string_bytes() }, 63);
    n.map(Value::int)
        .ok_or_else(|| raise::failure("int_of_string"))
}

fn format_int(format: Value, n: Value) -> Outcome {
    // SAFETY: what is done with a format writes to new blocks only.
    let format = unsafe { format.string_bytes() };
    if format == b"%d" {
        return Ok(decimal(n.as_int()));
    }
    // Unsigned conversions show 63 bits, signed ones the number extended to 64.
    let unsigned = match format.last() {
        Some(b'u' | b'x' | b'X' | b'o') => n.0 as u64 >> 1,
        Some(_) | None => n.as_int() as u64,
    };
    formatted(format, b"l", n.as_int(), unsigned)
}

/// `%d`, the most frequent format.
fn decimal(n: i64) -> Value {
    let digits = Digits::decimal(n.unsigned_abs());
    let digits = match n < 0 {
        true => digits.negated(),
        false => digits,
    };
    heap::alloc_string(digits.as_bytes())
}

/// The runtime's buffer for a format, with its length letter and the zero at the end.
const FORMAT_BUFFER: usize = 32;

/// `length` is the length letter of C's type. It takes the place of the one that the format has.
fn formatted(format: &[u8], length: &[u8], signed: i64, unsigned: u64) -> Outcome {
    if format.len() + length.len() + 1 >= FORMAT_BUFFER {
        return Err(raise::invalid_argument("format_int: format too long"));
    }
    if let Some(spec) = format::only(format, format::INTEGERS) {
        let convert = |spec: &Spec| format::integer(spec, signed, unsigned);
        return string_of(format::converted(&spec, convert));
    }
    let (before, conversion) = format.split_at(format.len().saturating_sub(1));
    let before = match before {
        [before @ .., b'l' | b'L' | b'n'] => before,
        _ => before,
    };
    let format = [before, length, conversion].concat();
    let text = format::print(&format, format::INTEGERS, |spec| {
        if spec.long || length.is_empty() {
            format::integer(spec, signed, unsigned)
        } else {
            format::integer(spec, signed as i32 as i64, unsigned as u32 as u64)
        }
    });
    string_of(text)
}

fn bswap16(n: Value) -> Value {
    Value::int((n.as_int() as u16).swap_bytes() as i64)
}

/// A type of boxed integers.
trait Boxed {
    const BITS: u32;
    /// The length letter in C's formats.
    const LENGTH: &'static [u8];
    /// What `of_string` says.
    const PARSE_ERROR: &'static str;
    fn unbox(value: Value) -> i64;
    /// Boxes `n` cut to the width.
    fn boxed(n: i64) -> Value;
    /// The bits of `n`, zero-extended.
    fn unsigned(n: i64) -> u64 {
        n as u64 & u64::MAX >> (64 - Self::BITS)
    }
    fn swapped(n: i64) -> i64 {
        n.swap_bytes() >> (64 - Self::BITS)
    }
}

enum Int32 {}
enum Int64 {}
enum Nativeint {}

impl Boxed for Int32 {
    const BITS: u32 = 32;
    const LENGTH: &'static [u8] = b"";
    const PARSE_ERROR: &'static str = "Int32.of_string";
    #[inline(always)]
    fn unbox(value: Value) -> i64 {
        custom::as_int32(value) as i64
    }
    #[inline(always)]
    fn boxed(n: i64) -> Value {
        custom::alloc_int32(n as i32)
    }
}

impl Boxed for Int64 {
    const BITS: u32 = 64;
    const LENGTH: &'static [u8] = b"l";
    const PARSE_ERROR: &'static str = "Int64.of_string";
    #[inline(always)]
    fn unbox(value: Value) -> i64 {
        custom::as_int64(value)
    }
    #[inline(always)]
    fn boxed(n: i64) -> Value {
        custom::alloc_int64(n)
    }
}

impl Boxed for Nativeint {
    const BITS: u32 = 64;
    const LENGTH: &'static [u8] = b"l";
    const PARSE_ERROR: &'static str = "Nativeint.of_string";
    #[inline(always)]
    fn unbox(value: Value) -> i64 {
        custom::as_int64(value)
    }
    #[inline(always)]
    fn boxed(n: i64) -> Value {
        custom::alloc_nativeint(n)
    }
}

fn neg<T: Boxed>(a: Value) -> Value {
    T::boxed(T::unbox(a).wrapping_neg())
}

fn add<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a).wrapping_add(T::unbox(b)))
}

fn sub<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a).wrapping_sub(T::unbox(b)))
}

fn mul<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a).wrapping_mul(T::unbox(b)))
}

fn div<T: Boxed>(a: Value, b: Value) -> Outcome {
    match T::unbox(b) {
        0 => Err(raise::division_by_zero()),
        divisor => Ok(T::boxed(T::unbox(a).wrapping_div(divisor))),
    }
}

fn rem<T: Boxed>(a: Value, b: Value) -> Outcome {
    match T::unbox(b) {
        0 => Err(raise::division_by_zero()),
        divisor => Ok(T::boxed(T::unbox(a).wrapping_rem(divisor))),
    }
}

fn and<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a) & T::unbox(b))
}

fn or<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a) | T::unbox(b))
}

fn xor<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a) ^ T::unbox(b))
}

/// The machine takes the distance modulo the width.
fn distance<T: Boxed>(b: Value) -> u32 {
    b.as_int() as u32 & (T::BITS - 1)
}

fn shift_left<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a) << distance::<T>(b))
}

fn shift_right<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed(T::unbox(a) >> distance::<T>(b))
}

fn shift_right_unsigned<T: Boxed>(a: Value, b: Value) -> Value {
    T::boxed((T::unsigned(T::unbox(a)) >> distance::<T>(b)) as i64)
}

fn compare<T: Boxed>(a: Value, b: Value) -> Value {
    let order: Ordering = T::unbox(a).cmp(&T::unbox(b));
    Value::int(order as i64)
}

fn bswap<T: Boxed>(a: Value) -> Value {
    T::boxed(T::swapped(T::unbox(a)))
}

fn of_int<T: Boxed>(n: Value) -> Value {
    T::boxed(n.as_int())
}

fn to_int<T: Boxed>(a: Value) -> Value {
    Value::int(T::unbox(a))
}

fn convert<T: Boxed, U: Boxed>(a: Value) -> Value {
    U::boxed(T::unbox(a))
}

fn of_float<T: Boxed>(x: Value) -> Value {
    T::boxed(truncate(x.as_float(), T::BITS))
}

fn to_float<T: Boxed>(a: Value) -> Value {
    heap::alloc_float(T::unbox(a) as f64)
}

fn of_string<T: Boxed>(text: Value) -> Outcome {
    // SAFETY: parsing writes to no block.
    let n = parse::integer(unsafe { text.string_bytes() }, T::BITS);
    n.map(T::boxed)
        .ok_or_else(|| raise::failure(T::PARSE_ERROR))
}

fn format<T: Boxed>(format: Value, a: Value) -> Outcome {
    let n = T::unbox(a);
    // SAFETY: what is done with a format writes to new blocks only.
    let format = unsafe { format.string_bytes() };
    if format == b"%d" {
        return Ok(decimal(n));
    }
    formatted(format, T::LENGTH, n, T::unsigned(n))
}

fn bits_of_float64(x: Value) -> Value {
    custom::alloc_int64(x.field(0).0)
}

fn float_of_bits64(n: Value) -> Value {
    heap::alloc_float(f64::from_bits(custom::as_int64(n) as u64))
}

fn bits_of_float32(x: Value) -> Value {
    custom::alloc_int32((x.as_float() as f32).to_bits() as i32)
}

fn float_of_bits32(n: Value) -> Value {
    heap::alloc_float(f32::from_bits(custom::as_int32(n) as u32) as f64)
}

/// The primitives on boxed integers.
pub mod boxed {
    use super::*;

    crate::primitives! {
        Allocates "caml_int32_neg" neg::<Int32>, 1;
        Allocates "caml_int32_add" add::<Int32>, 2;
        Allocates "caml_int32_sub" sub::<Int32>, 2;
        Allocates "caml_int32_mul" mul::<Int32>, 2;
        Allocates "caml_int32_div" div::<Int32>, 2;
        Allocates "caml_int32_mod" rem::<Int32>, 2;
        Allocates "caml_int32_and" and::<Int32>, 2;
        Allocates "caml_int32_or" or::<Int32>, 2;
        Allocates "caml_int32_xor" xor::<Int32>, 2;
        Allocates "caml_int32_shift_left" shift_left::<Int32>, 2;
        Allocates "caml_int32_shift_right" shift_right::<Int32>, 2;
        Allocates "caml_int32_shift_right_unsigned" shift_right_unsigned::<Int32>, 2;
        Allocates "caml_int32_bswap" bswap::<Int32>, 1;
        Allocates "caml_int32_of_int" of_int::<Int32>, 1;
        Leaf "caml_int32_to_int" to_int::<Int32>, 1;
        Allocates "caml_int32_of_float" of_float::<Int32>, 1;
        Allocates "caml_int32_to_float" to_float::<Int32>, 1;
        Leaf "caml_int32_compare" compare::<Int32>, 2;
        Allocates "caml_int32_format" format::<Int32>, 2;
        Allocates "caml_int32_of_string" of_string::<Int32>, 1;
        Allocates "caml_int32_bits_of_float" bits_of_float32, 1;
        Allocates "caml_int32_float_of_bits" float_of_bits32, 1;

        Allocates "caml_int64_neg" neg::<Int64>, 1;
        Allocates "caml_int64_add" add::<Int64>, 2;
        Allocates "caml_int64_sub" sub::<Int64>, 2;
        Allocates "caml_int64_mul" mul::<Int64>, 2;
        Allocates "caml_int64_div" div::<Int64>, 2;
        Allocates "caml_int64_mod" rem::<Int64>, 2;
        Allocates "caml_int64_and" and::<Int64>, 2;
        Allocates "caml_int64_or" or::<Int64>, 2;
        Allocates "caml_int64_xor" xor::<Int64>, 2;
        Allocates "caml_int64_shift_left" shift_left::<Int64>, 2;
        Allocates "caml_int64_shift_right" shift_right::<Int64>, 2;
        Allocates "caml_int64_shift_right_unsigned" shift_right_unsigned::<Int64>, 2;
        Allocates "caml_int64_bswap" bswap::<Int64>, 1;
        Allocates "caml_int64_of_int" of_int::<Int64>, 1;
        Leaf "caml_int64_to_int" to_int::<Int64>, 1;
        Allocates "caml_int64_of_float" of_float::<Int64>, 1;
        Allocates "caml_int64_to_float" to_float::<Int64>, 1;
        Allocates "caml_int64_of_int32" convert::<Int32, Int64>, 1;
        Allocates "caml_int64_to_int32" convert::<Int64, Int32>, 1;
        Allocates "caml_int64_of_nativeint" convert::<Nativeint, Int64>, 1;
        Allocates "caml_int64_to_nativeint" convert::<Int64, Nativeint>, 1;
        Leaf "caml_int64_compare" compare::<Int64>, 2;
        Allocates "caml_int64_format" format::<Int64>, 2;
        Allocates "caml_int64_of_string" of_string::<Int64>, 1;
        Allocates "caml_int64_bits_of_float" bits_of_float64, 1;
        Allocates "caml_int64_float_of_bits" float_of_bits64, 1;
        Allocates "caml_int64_add_native" add::<Int64>, 2;
        Allocates "caml_int64_sub_native" sub::<Int64>, 2;
        Allocates "caml_int64_mul_native" mul::<Int64>, 2;
        Allocates "caml_int64_div_native" div::<Int64>, 2;
        Allocates "caml_int64_mod_native" rem::<Int64>, 2;
        Allocates "caml_int64_neg_native" neg::<Int64>, 1;
        Allocates "caml_int64_and_native" and::<Int64>, 2;
        Allocates "caml_int64_or_native" or::<Int64>, 2;
        Allocates "caml_int64_xor_native" xor::<Int64>, 2;

        Allocates "caml_nativeint_neg" neg::<Nativeint>, 1;
        Allocates "caml_nativeint_add" add::<Nativeint>, 2;
        Allocates "caml_nativeint_sub" sub::<Nativeint>, 2;
        Allocates "caml_nativeint_mul" mul::<Nativeint>, 2;
        Allocates "caml_nativeint_div" div::<Nativeint>, 2;
        Allocates "caml_nativeint_mod" rem::<Nativeint>, 2;
        Allocates "caml_nativeint_and" and::<Nativeint>, 2;
        Allocates "caml_nativeint_or" or::<Nativeint>, 2;
        Allocates "caml_nativeint_xor" xor::<Nativeint>, 2;
        Allocates "caml_nativeint_shift_left" shift_left::<Nativeint>, 2;
        Allocates "caml_nativeint_shift_right" shift_right::<Nativeint>, 2;
        Allocates "caml_nativeint_shift_right_unsigned" shift_right_unsigned::<Nativeint>, 2;
        Allocates "caml_nativeint_bswap" bswap::<Nativeint>, 1;
        Allocates "caml_nativeint_of_int" of_int::<Nativeint>, 1;
        Leaf "caml_nativeint_to_int" to_int::<Nativeint>, 1;
        Allocates "caml_nativeint_of_float" of_float::<Nativeint>, 1;
        Allocates "caml_nativeint_to_float" to_float::<Nativeint>, 1;
        Allocates "caml_nativeint_of_int32" convert::<Int32, Nativeint>, 1;
        Allocates "caml_nativeint_to_int32" convert::<Nativeint, Int32>, 1;
        Leaf "caml_nativeint_compare" compare::<Nativeint>, 2;
        Allocates "caml_nativeint_format" format::<Nativeint>, 2;
        Allocates "caml_nativeint_of_string" of_string::<Nativeint>, 1;
    }
}
