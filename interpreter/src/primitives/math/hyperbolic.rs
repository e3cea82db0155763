//! `expm1`, `log1p`, `log10`, the hyperbolic functions and their inverses with glibc's bits: the
//! formulas of Sun's fdlibm, polynomials summed by pairs of terms and with fused operations where
//! glibc 2.36 has them.

use super::INVALID;
use super::exponential::{exp, log};
use super::fused::{Arithmetic, functions};
use crate::primitives::parse::scale;

functions! {
    /// `exp(x) - 1`.
    expm1(x) = expm1_with;
    /// `log(1 + x)`.
    log1p(x) = log1p_with;
}

const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

/// The upper half of a float's bits, by which fdlibm tells ranges apart.
fn upper(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

/// `x * 2^n` without a look at the exponent.
fn shifted(x: f64, n: i32) -> f64 {
    f64::from_bits(x.to_bits().wrapping_add((n as u64) << 52))
}

#[inline(always)]
fn expm1_with<A: Arithmetic>(x: f64) -> f64 {
    const LARGEST: f64 = f64::from_bits(0x4086_2E42_FEFA_39EF);
    if x.is_nan() {
        return x + x;
    }
    if x > LARGEST {
        return f64::INFINITY;
    }
    let range = upper(x.abs());
    if range >= 0x4043_687A && x < 0.0 {
        return -1.0;
    }
    if range < 0x3C90_0000 {
        return x;
    }
    let (n, high, low) = match range {
        0..=0x3FD6_2E42 => return expm1_reduced::<A>(x, 0.0, 0),
        0x3FD6_2E43..0x3FF0_A2B2 if x > 0.0 => (1, x - LN2_HIGH, LN2_LOW),
        0x3FD6_2E43..0x3FF0_A2B2 => (-1, x + LN2_HIGH, -LN2_LOW),
        _ => {
            let n = A::fma(std::f64::consts::LOG2_E, x, 0.5f64.copysign(x)).trunc();
            (n as i32, x - n * LN2_HIGH, n * LN2_LOW)
        }
    };
    let r = high - low;
    expm1_reduced::<A>(r, (high - r) - low, n)
}

/// `2^n * exp(x + correction) - 1` for a small `x`.
#[inline(always)]
fn expm1_reduced<A: Arithmetic>(x: f64, correction: f64, n: i32) -> f64 {
    const Q: [f64; 5] = [
        -3.333_333_333_333_313e-2,
        1.587_301_587_254_814_6e-3,
        -7.936_507_578_674_88e-5,
        4.008_217_827_329_362e-6,
        -2.010_992_181_836_243_7e-7,
    ];
    let half = 0.5 * x;
    let square = x * half;
    let square2 = square * square;
    let r = A::fma(
        square2,
        A::fma(square, Q[2], Q[1]),
        A::fma(square, Q[0], 1.0),
    );
    let r = A::fma(square2 * square2, A::fma(square, Q[4], Q[3]), r);
    let t = A::fma(-r, half, 3.0);
    let e = square * ((r - t) / A::fma(-x, t, 6.0));
    if n == 0 {
        return x - A::fma(x, e, -square);
    }
    let e = A::fma(x, e - correction, -correction) - square;
    match n {
        -1 => 0.5 * (x - e) - 0.5,
        1 if x < -0.25 => -2.0 * (e - (x + 0.5)),
        1 => 1.0 + 2.0 * (x - e),
        ..=-2 | 57.. => shifted(1.0 - (e - x), n) - 1.0,
        2..20 => shifted((1.0 - shifted(1.0, -n)) - (e - x), n),
        0 | 20..=56 => shifted((x - (e + shifted(1.0, -n))) + 1.0, n),
    }
}

#[inline(always)]
fn log1p_with<A: Arithmetic>(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x + x;
    }
    if x <= -1.0 {
        return if x == -1.0 {
            f64::NEG_INFINITY
        } else {
            INVALID
        };
    }
    match upper(x.abs()) {
        ..0x3C90_0000 => return x,
        0x3C90_0000..0x3E20_0000 => return x - x * x * 0.5,
        _ => {}
    }
    let unreduced = if x > 0.0 {
        upper(x) < 0x3FDA_827A
    } else {
        upper(x) <= 0xBFD2_BEC3
    };
    if unreduced {
        return log1p_reduced::<A>(x, 0, 0.0, false);
    }
    let whole = 1.0 + x;
    let n = (upper(whole) >> 20) as i32 - 1023;
    let lost = if upper(x) >= 0x4340_0000 && x > 0.0 {
        0.0
    } else if n > 0 {
        (1.0 - (whole - x)) / whole
    } else {
        (x - (whole - 1.0)) / whole
    };
    let whole = if upper(x) >= 0x4340_0000 && x > 0.0 {
        x
    } else {
        whole
    };
    let n = (upper(whole) >> 20) as i32 - 1023;
    let fraction = upper(whole) & 0xF_FFFF;
    let mantissa =
        |exponent: u64| f64::from_bits((whole.to_bits() & ((1 << 52) - 1)) | (exponent << 52));
    if fraction < 0x6_A09E {
        log1p_reduced::<A>(mantissa(1023) - 1.0, n, lost, fraction == 0)
    } else {
        let near_1 = (0x10_0000 - fraction) >> 2 == 0;
        log1p_reduced::<A>(mantissa(1022) - 1.0, n + 1, lost, near_1)
    }
}

/// `n * log(2) + log(1 + f) + lost`; whether `f` is so small that a square is enough.
#[inline(always)]
fn log1p_reduced<A: Arithmetic>(f: f64, n: i32, lost: f64, tiny: bool) -> f64 {
    const P: [f64; 7] = [
        0.666_666_666_666_673_5,
        0.399_999_999_994_094_2,
        0.285_714_287_436_623_9,
        0.222_221_984_321_497_84,
        0.181_835_721_616_180_5,
        0.153_138_376_992_093_73,
        0.147_981_986_051_165_86,
    ];
    let n = f64::from(n);
    let half = 0.5 * f * f;
    if tiny {
        if f == 0.0 {
            return if n == 0.0 {
                0.0
            } else {
                A::fma(n, LN2_HIGH, A::fma(n, LN2_LOW, lost))
            };
        }
        let r = half * A::fma(-0.666_666_666_666_666_6, f, 1.0);
        return if n == 0.0 {
            f - r
        } else {
            A::fma(n, LN2_HIGH, -((r - A::fma(n, LN2_LOW, lost)) - f))
        };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let r = A::fma(z, P[0], z2 * A::fma(z, P[2], P[1]));
    let r = A::fma(z4, A::fma(z, P[4], P[3]), r);
    let r = A::fma(z4 * z2, A::fma(z, P[6], P[5]), r);
    let product = s * (half + r);
    if n == 0.0 {
        f - (half - product)
    } else {
        let inner = product + A::fma(n, LN2_LOW, lost);
        A::fma(n, LN2_HIGH, -((half - inner) - f))
    }
}

/// `n * log10(2) + log10(m)` for `x = m * 2^n`, the logarithm of 2 in two parts.
pub fn log10(x: f64) -> f64 {
    const LOG10_2_HIGH: f64 = f64::from_bits(0x3FD3_4413_509F_6000);
    const LOG10_2_LOW: f64 = f64::from_bits(0x3D59_FEF3_11F1_2B36);
    if x < 0.0 {
        return -INVALID;
    }
    if !(x > 0.0 && x.is_finite()) {
        return log(x);
    }
    let (scaled, correction) = if x.is_subnormal() {
        (scale(x, 54), -54)
    } else {
        (x, 0)
    };
    let exponent = (scaled.to_bits() >> 52) as i64 - 1023 + correction;
    // The mantissa is taken in [1, 2) for numbers from 1 on, in [0.5, 1) below.
    let below = i64::from(exponent < 0);
    let fraction = scaled.to_bits() & ((1 << 52) - 1);
    let mantissa = f64::from_bits(fraction | (1023 - below as u64) << 52);
    let n = (exponent + below) as f64;
    n * LOG10_2_LOW + std::f64::consts::LOG10_E * log(mantissa) + n * LOG10_2_HIGH
}

/// From here on `exp(x)` is so large that `exp(-x)` does not count.
const LARGE: f64 = 22.0;

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
    let magnitude = x.abs();
    if x.is_nan() {
        return x + x;
    }
    if magnitude >= LARGE {
        return half_exp(magnitude);
    }
    if upper(magnitude) < 0x3FD6_2E43 {
        let less_one = expm1(magnitude);
        let power = 1.0 + less_one;
        return 1.0 + less_one * less_one / (power + power);
    }
    let power = exp(magnitude);
    0.5 * power + 0.5 / power
}

pub fn sinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() {
        return x + x;
    }
    if magnitude < 2f64.powi(-28) {
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
    if x.is_nan() {
        return x + x;
    }
    if magnitude < 2f64.powi(-55) {
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

pub fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if !x.is_finite() {
        return x + x;
    }
    let square = magnitude * magnitude;
    let result = match upper(magnitude) {
        ..0x3E30_0000 => return x,
        0x41B0_0001.. => log(magnitude) + std::f64::consts::LN_2,
        0x4000_0001..0x41B0_0001 => {
            log(2.0 * magnitude + 1.0 / ((square + 1.0).sqrt() + magnitude))
        }
        _ => log1p(magnitude + square / (1.0 + (1.0 + square).sqrt())),
    };
    result.copysign(x)
}

pub fn acosh(x: f64) -> f64 {
    if x.is_nan() {
        return x + x;
    }
    if x < 1.0 {
        return INVALID;
    }
    if x == f64::INFINITY || x == 1.0 {
        return if x == 1.0 { 0.0 } else { x };
    }
    if x > 2.0 {
        return if upper(x) >= 0x41B0_0000 {
            log(x) + std::f64::consts::LN_2
        } else {
            log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()))
        };
    }
    let t = x - 1.0;
    log1p(t + (2.0 * t + t * t).sqrt())
}

pub fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() {
        return x + x;
    }
    if magnitude >= 1.0 {
        return if magnitude == 1.0 {
            f64::INFINITY.copysign(x)
        } else {
            INVALID
        };
    }
    if magnitude < 2f64.powi(-28) {
        return x;
    }
    let twice = magnitude + magnitude;
    let t = if magnitude < 0.5 {
        0.5 * log1p(twice + twice * magnitude / (1.0 - magnitude))
    } else {
        0.5 * log1p(twice / (1.0 - magnitude))
    };
    t.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::{cosh, log10, sinh, tanh};
    use crate::testing::assert_bits;

    /// What `ocamlrun` prints with `%h`.
    #[test]
    fn results_are_those_of_glibc() {
        assert_bits(
            |[x]| log10(x),
            &[
                ([0x408f400000000000], 0x4008000000000000),
                ([0x4000000000000000], 0x3fd34413509f79ff),
                ([0x3f50624dd2f1a9fc], 0xc008000000000000),
                ([0x1], 0xc07434e6420f4374),
                ([0x7e37e43c8800759c], 0x4072c00000000000),
                ([0x3fe6666666666666], 0xbfc3d3d3d21ccf04),
            ],
        );
        assert_bits(
            |[x]| cosh(x),
            &[
                ([0x3fb999999999999a], 0x3ff0147f40224b38),
                ([0x3ff0000000000000], 0x3ff8b07551d9f550),
                ([0x403e000000000000], 0x429370470aec28ed),
                ([0xc086300000000000], 0x7fe3e21a464507fa),
                ([0x3ffb333333333333], 0x4006a063dad344f7),
            ],
        );
        assert_bits(
            |[x]| sinh(x),
            &[
                ([0x3fb999999999999a], 0x3fb9a487337b59b3),
                ([0x3ff0000000000000], 0x3ff2cd9fc44eb982),
                ([0xc03e000000000000], 0xc29370470aec28ed),
                ([0x4086300000000000], 0x7fe3e21a464507fa),
                ([0x4002666666666666], 0x4013bf72ea61af1a),
                ([0x3ddb7cdfd9d7bdbb], 0x3ddb7cdfd9d7bdbb),
            ],
        );
        assert_bits(
            |[x]| tanh(x),
            &[
                ([0x3fb999999999999a], 0x3fb983d7795f413a),
                ([0x3ff0000000000000], 0x3fe85efab514f394),
                ([0xc008000000000000], 0xbfefd77d111a0b00),
                ([0x4049000000000000], 0x3ff0000000000000),
                ([0x3fe6666666666666], 0x3fe356fb17af2e92),
            ],
        );
    }
}
