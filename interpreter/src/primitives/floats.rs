//! Floats: arithmetic, comparison, conversion. The functions of analysis are in [`super::math`].

use super::compare::{self, Mode};
use super::format;
use super::math;
use super::parse;
use super::strings;
use crate::heap;
use crate::memory;
use crate::raise;
use crate::registry::Outcome;
use crate::value::{Value, boxed::float_class, boxed::truncate};

crate::primitives! {
    Allocates "caml_add_float" add, 2;
    Allocates "caml_sub_float" sub, 2;
    Allocates "caml_mul_float" mul, 2;
    Allocates "caml_div_float" div, 2;
    Allocates "caml_neg_float" neg, 1;
    Allocates "caml_abs_float" abs, 1;
    Allocates "caml_sqrt_float" sqrt, 1;
    Allocates "caml_fma_float" fma, 3;
    Leaf "caml_eq_float" eq, 2;
    Leaf "caml_neq_float" neq, 2;
    Leaf "caml_lt_float" lt, 2;
    Leaf "caml_le_float" le, 2;
    Leaf "caml_gt_float" gt, 2;
    Leaf "caml_ge_float" ge, 2;
    Leaf "caml_float_compare" float_compare, 2;
    Allocates "caml_float_of_int" of_int, 1;
    Leaf "caml_int_of_float" to_int, 1;
    Allocates "caml_float_of_string" of_string, 1;
    Allocates "caml_format_float" format_float, 2;
    Allocates "caml_hexstring_of_float" hexstring, 3;
    Leaf "caml_classify_float" classify, 1;
    Leaf "caml_signbit_float" signbit, 1;
    Leaf "caml_signbit" signbit, 1;
    Allocates "caml_copysign_float" copysign, floats;
    Allocates "caml_ceil_float" ceil, float;
    Allocates "caml_floor_float" floor, float;
    Allocates "caml_trunc_float" trunc, float;
    Allocates "caml_round_float" round, float;
    Allocates "caml_nextafter_float" next_after, floats;
    Allocates "caml_frexp_float" frexp, 1;
    Allocates "caml_ldexp_float" ldexp, 2;
    Allocates "caml_modf_float" modf, 1;
}

macro_rules! functions {
    ($($name:ident($($x:ident),*) = $result:expr;)*) => {$(
        #[inline]
        fn $name($($x: Value),*) -> Value {
            $(let $x = $x.as_float();)*
            heap::alloc_float($result)
        }
    )*};
}

functions! {
    add(x, y) = x + y;
    sub(x, y) = x - y;
    mul(x, y) = x * y;
    div(x, y) = x / y;
    neg(x) = -x;
    abs(x) = x.abs();
    sqrt(x) = x.sqrt();
    fma(x, y, z) = math::fused::fma(x, y, z);
}

fn copysign(x: f64, y: f64) -> f64 {
    x.copysign(y)
}

fn ceil(x: f64) -> f64 {
    nan_or(x, f64::ceil)
}

fn floor(x: f64) -> f64 {
    nan_or(x, f64::floor)
}

fn trunc(x: f64) -> f64 {
    nan_or(x, f64::trunc)
}

fn round(x: f64) -> f64 {
    if x.is_nan() {
        math::quiet(x)
    } else {
        x.round()
    }
}

macro_rules! relations {
    ($($name:ident $operator:tt;)*) => {$(
        #[inline]
        fn $name(x: Value, y: Value) -> Value {
            Value::bool(x.as_float() $operator y.as_float())
        }
    )*};
}

relations! {
    eq ==;
    neq !=;
    lt <;
    le <=;
    gt >;
    ge >=;
}

fn float_compare(x: Value, y: Value) -> Value {
    let order = compare::floats(x.as_float(), y.as_float(), Mode::Total).expect("a total order");
    Value::int(order as i64)
}

fn of_int(n: Value) -> Value {
    heap::alloc_float(n.as_int() as f64)
}

fn to_int(x: Value) -> Value {
    Value::int(truncate(x.as_float(), 64))
}

fn of_string(text: Value) -> Outcome {
    // SAFETY: parsing writes to no block.
    let x = parse::float(unsafe { text.string_bytes() });
    x.map(heap::alloc_float)
        .ok_or_else(|| raise::failure("float_of_string"))
}

fn format_float(format: Value, x: Value) -> Outcome {
    // SAFETY: formatting writes to no block.
    let (format, x) = (unsafe { format.string_bytes() }, x.as_float());
    let text = format::print(format, format::FLOATS, |spec| format::float(spec, x));
    string_of(text)
}

/// A string of a text, unless memory was or is exhausted.
pub fn string_of(text: Option<impl AsRef<[u8]>>) -> Outcome {
    let make = |text: &[u8]| {
        let string = strings::alloc_uninit(text.len() as u64)?;
        memory::write(string.address(), text);
        Some(string)
    };
    text.and_then(|text| make(text.as_ref()))
        .ok_or_else(raise::out_of_memory)
}

fn hexstring(x: Value, precision: Value, style: Value) -> Outcome {
    let precision = u64::try_from(precision.as_int()).ok();
    let precision = precision.map(|digits| usize::try_from(digits).unwrap_or(usize::MAX));
    let style = style.as_int() as u8;
    string_of(format::try_hexadecimal(x.as_float(), precision, style))
}

fn classify(x: Value) -> Value {
    Value::int(float_class(x.as_float()))
}

fn signbit(x: Value) -> Value {
    Value::bool(x.as_float().is_sign_negative())
}

/// Rounding as it is compiled into `ocamlrun`, where a signalling NaN stays one.
fn nan_or(x: f64, rounded: fn(f64) -> f64) -> f64 {
    if x.is_nan() { x } else { rounded(x) }
}

fn next_after(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        math::first_nan(y, x)
    } else if x == y {
        y
    } else if y > x {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// `(m, e)` with `x = m * 2^e` and `0.5 <= |m| < 1`, or `(x, 0)` for zeros, infinities and NaN,
/// which are made quiet.
pub fn fraction_and_exponent(x: f64) -> (f64, i32) {
    if x.is_nan() {
        return (math::quiet(x), 0);
    }
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, correction) = if x.is_subnormal() {
        (x * 2f64.powi(54), -54)
    } else {
        (x, 0)
    };
    let bits = scaled.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32 - 1022;
    let mantissa = f64::from_bits(bits & !(0x7FF << 52) | 1022 << 52);
    (mantissa, exponent + correction)
}

fn frexp(x: Value) -> Value {
    let (mantissa, exponent) = fraction_and_exponent(x.as_float());
    let mantissa = heap::alloc_float(mantissa);
    heap::alloc_fields(0, &[mantissa, Value::int(exponent as i64)])
}

fn ldexp(x: Value, exponent: Value) -> Value {
    heap::alloc_float(parse::scale(x.as_float(), exponent.as_int() as i32))
}

fn modf(x: Value) -> Value {
    let (fraction, whole) = fraction_and_whole(x.as_float());
    heap::alloc_fields(0, &[heap::alloc_float(fraction), heap::alloc_float(whole)])
}

/// Both with the sign of `x`.
fn fraction_and_whole(x: f64) -> (f64, f64) {
    if x.is_nan() {
        return (math::quiet(x), math::quiet(x));
    }
    let whole = x.trunc();
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (fraction.copysign(x), whole)
}

#[cfg(test)]
mod tests {
    use super::{fraction_and_exponent, fraction_and_whole};

    #[test]
    fn parts_of_signalling_nans_are_quiet() {
        for (bits, quiet) in [
            (0x7ff0_0000_0000_0123, 0x7ff8_0000_0000_0123),
            (0xfff4_0000_0000_0456, 0xfffc_0000_0000_0456_u64),
        ] {
            let x = f64::from_bits(bits);
            let (mantissa, exponent) = fraction_and_exponent(x);
            assert_eq!((mantissa.to_bits(), exponent), (quiet, 0));
            let (fraction, whole) = fraction_and_whole(x);
            assert_eq!((fraction.to_bits(), whole.to_bits()), (quiet, quiet));
        }
    }
}
