//! `hypot` and `cbrt` with glibc 2.36's bits; for `hypot` the formula of C. Borges, "An improved
//! algorithm for hypot(a, b)" (2019).

use super::is_signalling;
use crate::primitives::floats::fraction_and_exponent;
use crate::primitives::parse::scale;

pub fn hypot(x: f64, y: f64) -> f64 {
    const SCALE: f64 = f64::from_bits((1023 - 600) << 52);
    const HUGE: f64 = f64::from_bits((1023 + 511) << 52);
    const TINY: f64 = f64::from_bits((1023 - 459) << 52);
    let is_signalled = is_signalling(x) || is_signalling(y);
    if (x.is_infinite() || y.is_infinite()) && !is_signalled {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return super::first_nan(x, y);
    }
    const NOTHING: f64 = f64::EPSILON / 4.0;
    let (long, short) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    // A product with a small number would be rounded to few bits.
    let is_nothing = match short < TINY {
        true => long >= short / NOTHING,
        false => short <= long * NOTHING,
    };
    if is_nothing {
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

#[cfg(test)]
mod tests {
    use super::{cbrt, hypot};
    use crate::testing::assert_bits;

    /// What `ocamlrun` prints with `%h`.
    #[test]
    fn results_are_those_of_glibc() {
        assert_bits(
            |[x, y]| hypot(x, y),
            &[
                ([0x4008000000000000, 0x4010000000000000], 0x4014000000000000),
                ([0x3ff0000000000000, 0x3ff0000000000000], 0x3ff6a09e667f3bcd),
                ([0x3fb999999999999a, 0x3fe6666666666666], 0x3fe6a09e667f3bcc),
                ([0x7e37e43c8800759c, 0x7e37e43c8800759c], 0x7e40e4d50f99b211),
                ([0x16687e92154ef7ac, 0x16825eed8ffb39c1], 0x16835d5244b69495),
                ([0x4015333333333333, 0xc007333333333333], 0x40182a8500794e6c),
            ],
        );
        assert_bits(
            |[x]| cbrt(x),
            &[
                ([0x4000000000000000], 0x3ff428a2f98d728c),
                ([0xc00d99999999999a], 0xbff8bf33eb6b7487),
                ([0x1a56e1fc2f8f359], 0x2b2bff2ee48e0530),
                ([0x1], 0x298fffffffffffff),
                ([0x4480f0cf064dd592], 0x41748bd9ae67b4b9),
                ([0x3fd3333333333333], 0x3fe56bfea66ef78c),
                ([0xc020000000000000], 0xc000000000000000),
            ],
        );
        let (infinity, signalling) = (f64::INFINITY, f64::from_bits(0x7FF0_0000_0000_0001));
        assert!(hypot(infinity, signalling).is_nan());
        assert_eq!(hypot(infinity, f64::NAN), infinity);
    }
}
