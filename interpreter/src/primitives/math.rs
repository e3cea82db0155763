//! The functions of analysis, with the results of glibc on amd64, bit for bit as far as that is feasible.
//!
//! * `exp`, `log`, `pow` and their kin: the C library of the platform; musl and glibc took them from the
//!   same source.
//! * The trigonometric functions: glibc's are nearly always correctly rounded, musl's are not, so a
//!   correctly rounding library computes them.
//! * `log10`, `hypot`, `sinh`, `cosh`, `tanh`, `cbrt`: the formulas that glibc 2.36 uses, from which
//!   results differ by a unit in the last place in one case of ten (`cbrt`: of two) otherwise.
//! * The others: the C library; `erf` and `erfc` differ in one case of thirty.

use crate::heap;
use crate::value::Value;

crate::primitives! {
    Allocates "caml_exp_float" exp, 1;
    Allocates "caml_exp2_float" exp2, 1;
    Allocates "caml_expm1_float" expm1, 1;
    Allocates "caml_log_float" log, 1;
    Allocates "caml_log2_float" log2, 1;
    Allocates "caml_log10_float" log10, 1;
    Allocates "caml_log1p_float" log1p, 1;
    Allocates "caml_sin_float" sin, 1;
    Allocates "caml_cos_float" cos, 1;
    Allocates "caml_tan_float" tan, 1;
    Allocates "caml_asin_float" asin, 1;
    Allocates "caml_acos_float" acos, 1;
    Allocates "caml_atan_float" atan, 1;
    Allocates "caml_atan2_float" atan2, 2;
    Allocates "caml_sinh_float" sinh, 1;
    Allocates "caml_cosh_float" cosh, 1;
    Allocates "caml_tanh_float" tanh, 1;
    Allocates "caml_asinh_float" asinh, 1;
    Allocates "caml_acosh_float" acosh, 1;
    Allocates "caml_atanh_float" atanh, 1;
    Allocates "caml_cbrt_float" cbrt, 1;
    Allocates "caml_erf_float" erf, 1;
    Allocates "caml_erfc_float" erfc, 1;
    Allocates "caml_hypot_float" hypot, 2;
    Allocates "caml_power_float" pow, 2;
    Allocates "caml_fmod_float" fmod, 2;
}

mod c {
    // SAFETY: C's functions on floats have no preconditions.
    unsafe extern "C" {
        pub safe fn exp(x: f64) -> f64;
        pub safe fn exp2(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
    }
}

macro_rules! functions {
    ($($name:ident($($x:ident),*) = $function:path;)*) => {$(
        fn $name($($x: Value),*) -> Value {
            heap::alloc_float($function($($x.as_float()),*))
        }
    )*};
}

functions! {
    exp(x) = c::exp;
    exp2(x) = c::exp2;
    expm1(x) = c::expm1;
    log(x) = c::log;
    log2(x) = c::log2;
    log10(x) = glibc::log10;
    log1p(x) = c::log1p;
    sin(x) = pxfm::f_sin;
    cos(x) = pxfm::f_cos;
    tan(x) = pxfm::f_tan;
    asin(x) = pxfm::f_asin;
    acos(x) = pxfm::f_acos;
    atan(x) = pxfm::f_atan;
    atan2(y, x) = pxfm::f_atan2;
    sinh(x) = glibc::sinh;
    cosh(x) = glibc::cosh;
    tanh(x) = glibc::tanh;
    asinh(x) = c::asinh;
    acosh(x) = c::acosh;
    atanh(x) = c::atanh;
    cbrt(x) = glibc::cbrt;
    erf(x) = c::erf;
    erfc(x) = c::erfc;
    hypot(x, y) = glibc::hypot;
    pow(x, y) = c::pow;
    fmod(x, y) = c::fmod;
}

/// Functions whose last bit depends on the formula, with glibc's formulas: those of Sun's fdlibm, and for
/// `hypot` that of C. Borges, "An improved algorithm for hypot(a, b)" (2019).
mod glibc {
    use super::c::{exp, expm1, log};
    use crate::primitives::floats::fraction_and_exponent;
    use crate::primitives::parse::scale;

    /// From here on `exp(x)` is so large that `exp(-x)` does not count.
    const LARGE: f64 = 22.0;

    /// `n * log10(2) + log10(m)` for `x = m * 2^n`, the logarithm of 2 in two parts.
    pub fn log10(x: f64) -> f64 {
        const LOG10_2_HIGH: f64 = f64::from_bits(0x3FD3_4413_509F_6000);
        const LOG10_2_LOW: f64 = f64::from_bits(0x3D59_FEF3_11F1_2B36);
        if !(x > 0.0 && x.is_finite()) {
            // Signs of NaN and infinities are those of the natural logarithm.
            return log(x);
        }
        let (scaled, correction) = if x.is_subnormal() {
            (x * 2f64.powi(54), -54)
        } else {
            (x, 0)
        };
        let exponent = (scaled.to_bits() >> 52) as i64 - 1023 + correction;
        // The mantissa is in [1, 2) for numbers from 1 on, in [0.5, 1) below.
        let below = i64::from(exponent < 0);
        let fraction = scaled.to_bits() & ((1 << 52) - 1);
        let mantissa = f64::from_bits(fraction | (1023 - below as u64) << 52);
        let n = (exponent + below) as f64;
        n * LOG10_2_LOW + std::f64::consts::LOG10_E * log(mantissa) + n * LOG10_2_HIGH
    }

    /// `exp(x) / 2` for a large `x`, without overflow where half of it is still a float.
    fn half_exp(x: f64) -> f64 {
        const LOG_MAX: f64 = f64::from_bits(0x4086_2E42_0000_0000);
        if x < LOG_MAX {
            return 0.5 * exp(x);
        }
        let root = exp(0.5 * x);
        0.5 * root * root
    }

    pub fn cosh(x: f64) -> f64 {
        let x = x.abs();
        if x >= LARGE || x.is_nan() {
            return half_exp(x);
        }
        if x < std::f64::consts::LN_2 / 2.0 {
            let less_one = expm1(x);
            let power = 1.0 + less_one;
            return 1.0 + less_one * less_one / (power + power);
        }
        let power = exp(x);
        0.5 * power + 0.5 / power
    }

    pub fn sinh(x: f64) -> f64 {
        let magnitude = x.abs();
        if magnitude < 2f64.powi(-28) || x.is_nan() {
            return x;
        }
        let half = 0.5f64.copysign(x);
        if magnitude >= LARGE {
            return half_exp(magnitude).copysign(x);
        }
        let less_one = expm1(magnitude);
        if magnitude < 1.0 {
            half * (2.0 * less_one - less_one * less_one / (less_one + 1.0))
        } else {
            half * (less_one + less_one / (less_one + 1.0))
        }
    }

    pub fn tanh(x: f64) -> f64 {
        let magnitude = x.abs();
        if magnitude < 2f64.powi(-55) || x.is_nan() {
            return x;
        }
        let result = if magnitude >= LARGE {
            1.0
        } else if magnitude >= 1.0 {
            1.0 - 2.0 / (expm1(2.0 * magnitude) + 2.0)
        } else {
            let less_one = expm1(-2.0 * magnitude);
            -less_one / (less_one + 2.0)
        };
        result.copysign(x)
    }

    pub fn hypot(x: f64, y: f64) -> f64 {
        const SCALE: f64 = f64::from_bits((1023 - 600) << 52);
        const HUGE: f64 = f64::from_bits((1023 + 511) << 52);
        const TINY: f64 = f64::from_bits((1023 - 459) << 52);
        // OCaml's `nan` is a signalling one, which even an infinity does not hide.
        let signals = |x: f64| x.is_nan() && x.to_bits() & 1 << 51 == 0;
        if (x.is_infinite() || y.is_infinite()) && !signals(x) && !signals(y) {
            return f64::INFINITY;
        }
        if x.is_nan() || y.is_nan() {
            return x + y;
        }
        let (long, short) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
        if short <= long * (f64::EPSILON / 4.0) {
            long + short
        } else if long > HUGE {
            corrected_root(long * SCALE, short * SCALE) / SCALE
        } else if short < TINY {
            corrected_root(long / SCALE, short / SCALE) * SCALE
        } else {
            corrected_root(long, short)
        }
    }

    /// The mantissa's root by a polynomial and one step of Halley's method; the exponent's apart.
    pub fn cbrt(x: f64) -> f64 {
        /// Powers of 2 with exponents from -2/3 to 2/3.
        const FACTORS: [f64; 5] = [
            1.0 / 1.587_401_051_968_199_6,
            1.0 / 1.259_921_049_894_873_2,
            1.0,
            1.259_921_049_894_873_2,
            1.587_401_051_968_199_6,
        ];
        /// Coefficients of the polynomial, of the highest power first.
        const COEFFICIENTS: [f64; 7] = [
            -0.145_263_899_385_486_37,
            0.784_932_344_976_639_2,
            -1.834_692_774_836_130_8,
            2.446_931_225_635_344_4,
            -2.114_994_941_673_713,
            1.508_191_937_815_849,
            0.354_895_765_043_919_84,
        ];
        if x == 0.0 || !x.is_finite() {
            return x + x;
        }
        let (mantissa, exponent) = fraction_and_exponent(x.abs());
        let root = COEFFICIENTS.iter().fold(0.0, |sum, c| c + sum * mantissa);
        let cube = root * root * root;
        let root = root * (cube + 2.0 * mantissa) / (2.0 * cube + mantissa);
        let root = root * FACTORS[(2 + exponent % 3) as usize];
        scale(root, exponent / 3).copysign(x)
    }

    /// The root of the sum of squares, and one step of Newton's method on what rounding lost.
    fn corrected_root(long: f64, short: f64) -> f64 {
        let root = (long * long + short * short).sqrt();
        let (first, second) = if root <= 2.0 * short {
            let delta = root - short;
            let first = long * (2.0 * delta - long);
            (first, (delta - 2.0 * (long - short)) * delta)
        } else {
            let delta = root - long;
            let first = 2.0 * delta * (long - 2.0 * short);
            (first, (4.0 * delta - short) * short + delta * delta)
        };
        root - (first + second) / (2.0 * root)
    }
}

#[cfg(test)]
mod tests {
    use super::glibc::{cbrt, cosh, hypot, log10, sinh, tanh};

    /// What `ocamlrun` prints with `%h`.
    #[test]
    fn results_are_those_of_glibc() {
        assert_eq!(
            log10(f64::from_bits(0x408f400000000000)).to_bits(),
            0x4008000000000000
        );
        assert_eq!(
            log10(f64::from_bits(0x4000000000000000)).to_bits(),
            0x3fd34413509f79ff
        );
        assert_eq!(
            log10(f64::from_bits(0x3f50624dd2f1a9fc)).to_bits(),
            0xc008000000000000
        );
        assert_eq!(log10(f64::from_bits(0x1)).to_bits(), 0xc07434e6420f4374);
        assert_eq!(
            log10(f64::from_bits(0x7e37e43c8800759c)).to_bits(),
            0x4072c00000000000
        );
        assert_eq!(
            log10(f64::from_bits(0x3fe6666666666666)).to_bits(),
            0xbfc3d3d3d21ccf04
        );
        assert_eq!(
            cosh(f64::from_bits(0x3fb999999999999a)).to_bits(),
            0x3ff0147f40224b38
        );
        assert_eq!(
            cosh(f64::from_bits(0x3ff0000000000000)).to_bits(),
            0x3ff8b07551d9f550
        );
        assert_eq!(
            cosh(f64::from_bits(0x403e000000000000)).to_bits(),
            0x429370470aec28ed
        );
        assert_eq!(
            cosh(f64::from_bits(0xc086300000000000)).to_bits(),
            0x7fe3e21a464507fa
        );
        assert_eq!(
            cosh(f64::from_bits(0x3ffb333333333333)).to_bits(),
            0x4006a063dad344f7
        );
        assert_eq!(
            sinh(f64::from_bits(0x3fb999999999999a)).to_bits(),
            0x3fb9a487337b59b3
        );
        assert_eq!(
            sinh(f64::from_bits(0x3ff0000000000000)).to_bits(),
            0x3ff2cd9fc44eb982
        );
        assert_eq!(
            sinh(f64::from_bits(0xc03e000000000000)).to_bits(),
            0xc29370470aec28ed
        );
        assert_eq!(
            sinh(f64::from_bits(0x4086300000000000)).to_bits(),
            0x7fe3e21a464507fa
        );
        assert_eq!(
            sinh(f64::from_bits(0x4002666666666666)).to_bits(),
            0x4013bf72ea61af1a
        );
        assert_eq!(
            sinh(f64::from_bits(0x3ddb7cdfd9d7bdbb)).to_bits(),
            0x3ddb7cdfd9d7bdbb
        );
        assert_eq!(
            tanh(f64::from_bits(0x3fb999999999999a)).to_bits(),
            0x3fb983d7795f413a
        );
        assert_eq!(
            tanh(f64::from_bits(0x3ff0000000000000)).to_bits(),
            0x3fe85efab514f394
        );
        assert_eq!(
            tanh(f64::from_bits(0xc008000000000000)).to_bits(),
            0xbfefd77d111a0b00
        );
        assert_eq!(
            tanh(f64::from_bits(0x4049000000000000)).to_bits(),
            0x3ff0000000000000
        );
        assert_eq!(
            tanh(f64::from_bits(0x3fe6666666666666)).to_bits(),
            0x3fe356fb17af2e92
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x4008000000000000),
                f64::from_bits(0x4010000000000000)
            )
            .to_bits(),
            0x4014000000000000
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x3ff0000000000000),
                f64::from_bits(0x3ff0000000000000)
            )
            .to_bits(),
            0x3ff6a09e667f3bcd
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x3fb999999999999a),
                f64::from_bits(0x3fe6666666666666)
            )
            .to_bits(),
            0x3fe6a09e667f3bcc
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x7e37e43c8800759c),
                f64::from_bits(0x7e37e43c8800759c)
            )
            .to_bits(),
            0x7e40e4d50f99b211
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x16687e92154ef7ac),
                f64::from_bits(0x16825eed8ffb39c1)
            )
            .to_bits(),
            0x16835d5244b69495
        );
        assert_eq!(
            hypot(
                f64::from_bits(0x4015333333333333),
                f64::from_bits(0xc007333333333333)
            )
            .to_bits(),
            0x40182a8500794e6c
        );
        assert_eq!(
            cbrt(f64::from_bits(0x4000000000000000)).to_bits(),
            0x3ff428a2f98d728c
        );
        assert_eq!(
            cbrt(f64::from_bits(0xc00d99999999999a)).to_bits(),
            0xbff8bf33eb6b7487
        );
        assert_eq!(
            cbrt(f64::from_bits(0x1a56e1fc2f8f359)).to_bits(),
            0x2b2bff2ee48e0530
        );
        assert_eq!(cbrt(f64::from_bits(0x1)).to_bits(), 0x298fffffffffffff);
        assert_eq!(
            cbrt(f64::from_bits(0x4480f0cf064dd592)).to_bits(),
            0x41748bd9ae67b4b9
        );
        assert_eq!(
            cbrt(f64::from_bits(0x3fd3333333333333)).to_bits(),
            0x3fe56bfea66ef78c
        );
        assert_eq!(
            cbrt(f64::from_bits(0xc020000000000000)).to_bits(),
            0xc000000000000000
        );
        let (infinity, signalling) = (f64::INFINITY, f64::from_bits(0x7FF0_0000_0000_0001));
        assert!(hypot(infinity, signalling).is_nan());
        assert_eq!(hypot(infinity, f64::NAN), infinity);
    }
}
