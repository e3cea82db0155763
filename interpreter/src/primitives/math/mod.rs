//! The functions of analysis, with the results of glibc 2.36 on amd64, bit for bit as far as that
//! is feasible.
//!
//! * `exp`, `log`, `log2`, `pow` ([`exponential`]), `expm1`, `log1p`, `log10` and the hyperbolic
//!   functions ([`hyperbolic`]), `erf` and `erfc` ([`error`]), `hypot` and `cbrt` ([`roots`]), and
//!   `sin` and `cos` ([`sine`]): the formulas that glibc uses, with fused operations ([`fused`])
//!   where its compiler puts them. So a program that may call one with these needs an engine with
//!   relaxed SIMD.
//! * The other trigonometric functions: glibc's are nearly always correctly rounded, so a correctly
//!   rounding library computes them. What is left differs in the last bit: `docs/differences.md`
//!   says how often.
//! * `exp2` and `fmod`: the C library.
//!
//! A module that a program becomes has `f64x2.relaxed_madd`, of the relaxed SIMD proposal, only if
//! the program calls a function with fused operations.
//!
//! NaN have glibc's signs and payloads, which `%f` and `Int64.bits_of_float` show. Natively the
//! exponential functions are those of the platform's C library.

mod error;
#[cfg(target_family = "wasm")]
mod exponential;
#[cfg(not(target_family = "wasm"))]
#[path = "platform.rs"]
mod exponential;
pub mod fused;
mod hyperbolic;
#[cfg(target_family = "wasm")]
mod lanes;
mod roots;
mod sine;
#[cfg(target_family = "wasm")]
mod tables;

crate::primitives! {
    Allocates "caml_exp_float" exponential::exp, float;
    Allocates "caml_exp2_float" c::exp2, float;
    Allocates "caml_expm1_float" hyperbolic::expm1, float;
    Allocates "caml_log_float" exponential::log, float;
    Allocates "caml_log2_float" exponential::log2, float;
    Allocates "caml_log10_float" hyperbolic::log10, float;
    Allocates "caml_log1p_float" hyperbolic::log1p, float;
    Allocates "caml_sin_float" periodic::sin, float;
    Allocates "caml_cos_float" periodic::cos, float;
    Allocates "caml_tan_float" periodic::tan, float;
    Allocates "caml_asin_float" periodic::asin, float;
    Allocates "caml_acos_float" periodic::acos, float;
    Allocates "caml_atan_float" periodic::atan, float;
    Allocates "caml_atan2_float" periodic::atan2, floats;
    Allocates "caml_sinh_float" hyperbolic::sinh, float;
    Allocates "caml_cosh_float" hyperbolic::cosh, float;
    Allocates "caml_tanh_float" hyperbolic::tanh, float;
    Allocates "caml_asinh_float" hyperbolic::asinh, float;
    Allocates "caml_acosh_float" hyperbolic::acosh, float;
    Allocates "caml_atanh_float" hyperbolic::atanh, float;
    Allocates "caml_cbrt_float" roots::cbrt, float;
    Allocates "caml_erf_float" error::erf, float;
    Allocates "caml_erfc_float" error::erfc, float;
    Allocates "caml_hypot_float" roots::hypot, floats;
    Allocates "caml_power_float" power, floats;
    Allocates "caml_fmod_float" remainder, floats;
}

mod c {
    // SAFETY: C's functions on floats have no preconditions.
    unsafe extern "C" {
        pub safe fn exp2(x: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
    }
}

/// What an operation without a result gives on amd64.
const INVALID: f64 = f64::from_bits(0xFFF8 << 48);

fn power(x: f64, y: f64) -> f64 {
    if !x.is_nan() && !y.is_nan() {
        return exponential::pow(x, y, c::pow);
    }
    if y == 0.0 && !is_signalling(x) || x == 1.0 && !is_signalling(y) {
        return 1.0;
    }
    // In bits: of what arithmetic makes of a NaN, compilers change the sign.
    match first_nan(x, y) {
        nan if x.is_nan() && x.is_sign_negative() && is_odd(y) => -nan,
        nan => nan,
    }
}

/// Whether `y` is an odd integer. Beyond 2^53 all floats are even.
fn is_odd(y: f64) -> bool {
    y.abs() < (1u64 << 53) as f64 && y as i64 & 1 != 0 && y == y.trunc()
}

fn remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        first_nan(x, y)
    } else {
        c::fmod(x, y)
    }
}

/// A NaN as operations give it.
pub fn quiet(nan: f64) -> f64 {
    f64::from_bits(nan.to_bits() | 1 << 51)
}

/// Whether `x` is a signalling NaN, as OCaml's `nan` is. glibc answers NaN to one even where the
/// result does not depend on that operand.
pub fn is_signalling(x: f64) -> bool {
    x.is_nan() && x.to_bits() & 1 << 51 == 0
}

/// What the processor makes of two operands of which one is NaN.
pub fn first_nan(x: f64, y: f64) -> f64 {
    quiet(if x.is_nan() { x } else { y })
}

/// The trigonometric functions, with glibc's NaN.
mod periodic {
    use super::{INVALID, first_nan, quiet, sine};

    macro_rules! functions {
        ($($name:ident = $function:path, $defined:expr, $undefined:expr;)*) => {$(
            pub fn $name(x: f64) -> f64 {
                if x.is_nan() {
                    quiet(x)
                } else if $defined(&x) {
                    $function(x)
                } else {
                    $undefined
                }
            }
        )*};
    }

    functions! {
        sin = sine::sin, |x: &f64| x.is_finite(), INVALID;
        cos = sine::cos, |x: &f64| x.is_finite(), INVALID;
        tan = pxfm::f_tan, |x: &f64| x.is_finite(), INVALID;
        asin = pxfm::f_asin, |x| (-1.0..=1.0).contains(x), -INVALID;
        acos = pxfm::f_acos, |x| (-1.0..=1.0).contains(x), -INVALID;
        atan = pxfm::f_atan, |_| true, INVALID;
    }

    pub fn atan2(y: f64, x: f64) -> f64 {
        if x.is_nan() || y.is_nan() {
            first_nan(x, y)
        } else {
            // Where a quotient is too small for a float, pxfm forgets its sign.
            pxfm::f_atan2(y, x).copysign(y)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::power;
    use crate::testing::assert_bits;

    /// What `ocamlrun` prints with `%h`.
    #[test]
    fn only_quiet_nans_may_not_count() {
        const ONE: u64 = 0x3ff0_0000_0000_0000;
        assert_bits(
            |[x, y]| power(x, y),
            &[
                ([ONE, 0x7ff8_0000_0000_0789], ONE),
                ([0x7ff8_0000_0000_0789, 0], ONE),
                ([ONE, 0x7ff0_0000_0000_0001], 0x7ff8_0000_0000_0001),
                ([ONE, 0xfff4_0000_0000_0456], 0xfffc_0000_0000_0456),
                ([0x7ff0_0000_0000_0123, 0], 0x7ff8_0000_0000_0123),
                ([0xfff4_0000_0000_0456, ONE], 0x7ffc_0000_0000_0456),
            ],
        );
    }
}
