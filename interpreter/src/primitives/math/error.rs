//! `erf` and `erfc` with glibc's bits: the rational approximations of Sun's fdlibm, each polynomial
//! summed by pairs of terms, as glibc does it.

use super::exponential::exp;

/// `erf(1)` to 24 bits, and `2/sqrt(pi) - 1`.
const ERF_1: f64 = 0.845_062_911_510_467_5;
const EXCESS: f64 = 0.128_379_167_095_512_6;

/// Of `(erf(x) - x) / x` in `x^2`, for small `x`.
const SMALL: Rational<5, 6> = Rational {
    numerator: [
        0.128_379_167_095_512_56,
        -0.325_042_107_247_001_5,
        -0.028_481_749_575_598_51,
        -0.005_770_270_296_489_442,
        -2.376_301_665_665_016_3e-05,
    ],
    denominator: [
        1.0,
        0.397_917_223_959_155_35,
        0.065_022_249_988_767_3,
        0.005_081_306_281_875_766,
        0.000_132_494_738_004_321_64,
        -3.960_228_278_775_368e-06,
    ],
};

/// Of `erf(x) - erf(1)` in `x - 1`.
const NEAR_1: Rational<7, 7> = Rational {
    numerator: [
        -0.002_362_118_560_752_659_4,
        0.414_856_118_683_748_33,
        -0.372_207_876_035_701_3,
        0.318_346_619_901_161_75,
        -0.110_894_694_282_396_68,
        0.035_478_304_325_618_236,
        -0.002_166_375_594_868_791,
    ],
    denominator: [
        1.0,
        0.106_420_880_400_844_23,
        0.540_397_917_702_171,
        0.071_828_654_414_196_27,
        0.126_171_219_808_761_64,
        0.013_637_083_912_029_05,
        0.011_984_499_846_799_107,
    ],
};

/// Of the logarithm of `x erfc(x) exp(x^2)` in `1/x^2`, up to 1/0.35.
const MIDDLE: Rational<8, 9> = Rational {
    numerator: [
        -0.009_864_944_034_847_148,
        -0.693_858_572_707_181_8,
        -10.558_626_225_323_291,
        -62.375_332_450_326_006,
        -162.396_669_462_573_47,
        -184.605_092_906_711_04,
        -81.287_435_506_306_6,
        -9.814_329_344_169_145,
    ],
    denominator: [
        1.0,
        19.651_271_667_439_257,
        137.657_754_143_519_04,
        434.565_877_475_229_23,
        645.387_271_733_267_9,
        429.008_140_027_567_83,
        108.635_005_541_779_44,
        6.570_249_770_319_282,
        -0.060_424_415_214_858_1,
    ],
};

/// The same above that.
const LARGE: Rational<7, 8> = Rational {
    numerator: [
        -0.009_864_942_924_700_1,
        -0.799_283_237_680_523,
        -17.757_954_917_754_752,
        -160.636_384_855_821_92,
        -637.566_443_368_389_6,
        -1_025.095_131_611_077_2,
        -483.519_191_608_651_4,
    ],
    denominator: [
        1.0,
        30.338_060_743_482_46,
        325.792_512_996_573_9,
        1_536.729_586_084_437,
        3_199.858_219_508_595_5,
        2_553.050_406_433_164_4,
        474.528_541_206_955_37,
        -22.440_952_446_585_82,
    ],
};

struct Rational<const N: usize, const D: usize> {
    numerator: [f64; N],
    denominator: [f64; D],
}

impl<const N: usize, const D: usize> Rational<N, D> {
    fn at(&self, x: f64) -> f64 {
        in_pairs(x, &self.numerator) / in_pairs(x, &self.denominator)
    }
}

/// `a0 + a1 x + a2 x^2 + …`: pairs of terms, added from the lowest up.
pub fn in_pairs<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let x2 = x * x;
    let x4 = x2 * x2;
    let powers = [1.0, x2, x4, x4 * x2, x4 * x4];
    let mut total = 0.0;
    for (pair, power) in coefficients.chunks(2).zip(powers) {
        let value = pair[0] + pair.get(1).map_or(0.0, |odd| x * odd);
        total = if power == 1.0 && total == 0.0 {
            value
        } else {
            total + power * value
        };
    }
    total
}

/// `erfc(x)` for `x` from 1.25 on, by the factor that `exp(-x^2)` has.
fn tail(x: f64) -> f64 {
    let s = 1.0 / (x * x);
    let ratio = if x < 1.0 / 0.35 {
        MIDDLE.at(s)
    } else {
        LARGE.at(s)
    };
    // The upper half of x has an exact square.
    let z = f64::from_bits(x.to_bits() & !0xFFFF_FFFF);
    let r = exp(-z * z - 0.5625) * exp((z - x) * (z + x) + ratio);
    r / x
}

pub fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() {
        return x + x;
    }
    if magnitude < 0.84375 {
        return small(x);
    }
    if magnitude < 1.25 {
        return (ERF_1 + NEAR_1.at(magnitude - 1.0)).copysign(x);
    }
    if magnitude >= 6.0 {
        return 1f64.copysign(x);
    }
    (1.0 - tail(magnitude)).copysign(x)
}

fn small(x: f64) -> f64 {
    if x.abs() < f64::from_bits(0x0080_0000 << 32) {
        // Computed with sixteen times as much, lest the product be subnormal.
        return 0.0625 * (16.0 * x + (16.0 * EXCESS) * x);
    }
    if x.abs() < f64::from_bits(0x3E30_0000 << 32) {
        return x + EXCESS * x;
    }
    x + x * SMALL.at(x * x)
}

pub fn erfc(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() {
        return x + x;
    }
    if magnitude < 0.84375 {
        return complement_of_small(x);
    }
    if magnitude < 1.25 {
        let ratio = NEAR_1.at(magnitude - 1.0);
        return if x >= 0.0 {
            (1.0 - ERF_1) - ratio
        } else {
            1.0 + (ERF_1 + ratio)
        };
    }
    if x > 0.0 && magnitude < 28.0 {
        tail(magnitude)
    } else if x > 0.0 {
        0.0
    } else if magnitude < 6.0 {
        2.0 - tail(magnitude)
    } else {
        2.0
    }
}

fn complement_of_small(x: f64) -> f64 {
    if x.abs() < f64::from_bits(0x3C70_0000 << 32) {
        return 1.0 - x;
    }
    let y = SMALL.at(x * x);
    if x < 0.25 {
        1.0 - (x + x * y)
    } else {
        0.5 - (x * y + (x - 0.5))
    }
}
