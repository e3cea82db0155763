//! `exp`, `log`, `log2` and `pow` with glibc's bits: Arm's algorithms with fused operations where
//! glibc's compiler puts them.
//!
//! WebAssembly has no fused operations, and emulating them is slow. So each function first computes
//! without them: a float, and a small correction to be added to it. The error of their sum is less
//! than a known bound. If the float stays the same whatever the error within that bound, it is the
//! result. Otherwise, in a few cases of a hundred, the formula is computed again with emulated
//! fused operations.
//!
//! Source: S. Nagy, Arm Optimized Routines, `exp.c`, `log.c`, `log2.c`, `pow.c` (the algorithms;
//! the tables are the C library's).

use super::fused::{Arithmetic, Fused, Plain, fma, product_error, sum};
use super::is_odd;
use super::tables;

/// What an operation without a result gives on amd64.
const INVALID: f64 = f64::from_bits(0xFFF8 << 48);

/// The biased exponents of 2^-54, 512 and 1024.
const TINY: u32 = 0x3C9;
const LARGE: u32 = 0x408;
const HUGE: u32 = 0x409;

/// Added to the power's index, this makes its sign negative.
const NEGATIVE: u64 = 0x800 << 7;

fn exponent(x: f64) -> u32 {
    (x.to_bits() >> 52) as u32 & 0x7FF
}

fn power_of_2(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Whether `high` is what `high + low` rounds to even if `low` is off by `bound`.
fn is_certain(high: f64, low: f64, bound: f64) -> bool {
    high + (low + bound) == high && high + (low - bound) == high
}

/// A power as `scale * (1 + rest)`; `scale` as bits, since its exponent may be out of range.
#[derive(Clone, Copy)]
struct Power {
    scale: u64,
    rest: f64,
    /// Whether the exponent is negative.
    below: bool,
}

impl Power {
    /// `exp(x + low)`, negative if `sign` says so.
    fn new<A: Arithmetic>(x: f64, low: f64, sign: u64) -> Self {
        let table = tables::exp();
        let shifted = A::fma(table.inverse_ln2, x, table.shift);
        let index = shifted.to_bits();
        let n = shifted - table.shift;
        let r = A::fma(n, table.ln2_low, A::fma(n, table.ln2_high, x)) + low;
        let [tail, bits] = table.powers[(index % 128) as usize];
        let [c2, c3, c4, c5] = table.polynomial;
        let square = r * r;
        let rest = A::fma(square, A::fma(r, c3, c2), f64::from_bits(tail) + r);
        Self {
            scale: bits.wrapping_add(index.wrapping_add(sign) << 45),
            rest: A::fma(square * square, A::fma(r, c5, c4), rest),
            below: index & 0x8000_0000 != 0,
        }
    }

    /// The result, if it does not depend on the bits of `rest` that may differ; `bound` is relative
    /// to `scale`.
    fn certain(self, bound: f64) -> Option<f64> {
        let scale = f64::from_bits(self.scale);
        let product = scale * self.rest;
        let high = scale + product;
        let low = (scale - high) + product;
        is_certain(high, low, scale.abs() * bound).then_some(high)
    }

    fn result(self) -> f64 {
        let scale = f64::from_bits(self.scale);
        fma(scale, self.rest, scale)
    }

    /// The result where the exponent may be too large or too small for a float.
    fn result_at_limits(self) -> f64 {
        if !self.below {
            let scale = f64::from_bits(self.scale.wrapping_sub(1009 << 52));
            return power_of_2(1009) * fma(scale, self.rest, scale);
        }
        let scale = f64::from_bits(self.scale.wrapping_add(1022 << 52));
        let product = scale * self.rest;
        let mut y = scale + product;
        if y.abs() < 1.0 {
            // As many bits as a subnormal result has, so that it is rounded once.
            let one = 1f64.copysign(y);
            let low = scale - y + product;
            let high = one + y;
            let low = one - high + y + low;
            y = (high + low) - one;
            if y == 0.0 {
                y = 0f64.copysign(scale);
            }
        }
        f64::MIN_POSITIVE * y
    }
}

pub fn exp(x: f64) -> f64 {
    match exponent(x) {
        0x7FF if x == f64::NEG_INFINITY => 0.0,
        0..TINY | 0x7FF => 1.0 + x,
        HUGE.. if x < 0.0 => 0.0,
        HUGE.. => f64::INFINITY,
        LARGE => Power::new::<Fused>(x, 0.0, 0).result_at_limits(),
        TINY..LARGE => Power::new::<Plain>(x, 0.0, 0)
            .certain(power_of_2(-58))
            .unwrap_or_else(|| Power::new::<Fused>(x, 0.0, 0).result()),
    }
}

/// A float as exponent and mantissa, the mantissa from `least` on, and which of `1 << bits`
/// intervals it is in.
struct Reduced {
    exponent: f64,
    mantissa: f64,
    interval: usize,
}

impl Reduced {
    /// `x` as bits, because the exponent of a subnormal number may be below those of floats.
    fn new(x: u64, least: u64, bits: u32) -> Self {
        let offset = x.wrapping_sub(least);
        Self {
            exponent: (offset as i64 >> 52) as f64,
            mantissa: f64::from_bits(x.wrapping_sub(offset & 0xFFF << 52)),
            interval: (offset >> (52 - bits)) as usize % (1 << bits),
        }
    }

    /// The mantissa divided by `c`, less 1: exactly rounded, as a product near 1 has an exact
    /// difference from it.
    fn distance(&self, inverse: f64) -> f64 {
        let product = self.mantissa * inverse;
        (product - 1.0) + product_error(self.mantissa, inverse, product)
    }
}

/// The bits of a positive number, with an exponent below those of floats if it is subnormal.
fn normal_bits(x: f64) -> u64 {
    if x.is_subnormal() {
        (x * power_of_2(52)).to_bits().wrapping_sub(52 << 52)
    } else {
        x.to_bits()
    }
}

/// The logarithms of what is no positive number.
fn unusual_logarithm(x: f64) -> Option<f64> {
    if x.is_nan() {
        Some(x + x)
    } else if x == 0.0 {
        Some(f64::NEG_INFINITY)
    } else if x < 0.0 {
        Some(INVALID)
    } else {
        (x == f64::INFINITY).then_some(x)
    }
}

pub fn log(x: f64) -> f64 {
    const LEAST: f64 = 1.0 - 0.0625;
    const MOST: f64 = 1.064_697_265_625;
    if let Some(result) = unusual_logarithm(x) {
        return result;
    }
    if (LEAST..MOST).contains(&x) {
        let r = (x - 1.0).abs();
        let bound = power_of_2(-49) * r * r * r + power_of_2(-60) * r;
        return certain_sum(log_near_1::<Plain>(x), bound).unwrap_or_else(|| {
            let (high, low) = log_near_1::<Fused>(x);
            low + high
        });
    }
    let bits = normal_bits(x);
    certain_sum(log_elsewhere::<Plain>(bits), power_of_2(-64)).unwrap_or_else(|| {
        let (high, low) = log_elsewhere::<Fused>(bits);
        low + high
    })
}

fn certain_sum((high, low): (f64, f64), bound: f64) -> Option<f64> {
    let (high, low) = sum(high, low);
    is_certain(high, low, bound).then_some(high)
}

fn log_near_1<A: Arithmetic>(x: f64) -> (f64, f64) {
    if x == 1.0 {
        return (0.0, 0.0);
    }
    let b = &tables::log().near;
    let r = x - 1.0;
    let r2 = r * r;
    let r3 = r * r2;
    let three = |at: usize| A::fma(r2, b[at + 2], A::fma(r, b[at + 1], b[at]));
    let q = A::fma(r3, b[10], three(7));
    let q = A::fma(r3, A::fma(r3, q, three(4)), three(1));
    let w = r * power_of_2(27);
    let upper = r + w - w;
    let lower = r - upper;
    let w = upper * upper * b[0];
    let high = r + w;
    let low = A::fma(b[0] * lower, upper + r, r - high + w);
    (high, A::fma(r3, q, low))
}

fn log_elsewhere<A: Arithmetic>(bits: u64) -> (f64, f64) {
    let table = tables::log();
    let reduced = Reduced::new(bits, 0x3FE6_0000_0000_0000, 7);
    let [inverse, logarithm] = table.intervals[reduced.interval];
    let [a0, a1, a2, a3, a4] = table.polynomial;
    let n = reduced.exponent;
    let r = reduced.distance(inverse);
    let w = A::fma(n, table.ln2_high, logarithm);
    let high = w + r;
    let low = A::fma(n, table.ln2_low, w - high + r);
    let r2 = r * r;
    let q = A::fma(r2, A::fma(r, a4, a3), A::fma(r, a2, a1));
    (high, A::fma(r * r2, q, A::fma(r2, a0, low)))
}

pub fn log2(x: f64) -> f64 {
    const LEAST: f64 = 1.0 - f64::from_bits(0x3FA5_B510_0000_0000);
    const MOST: f64 = 1.0 + f64::from_bits(0x3FA6_AB20_0000_0000);
    if let Some(result) = unusual_logarithm(x) {
        return result;
    }
    if (LEAST..MOST).contains(&x) {
        let (high, low) = log2_near_1(x);
        return high + low;
    }
    let (high, low) = log2_elsewhere(normal_bits(x));
    low + high
}

fn log2_near_1(x: f64) -> (f64, f64) {
    if x == 1.0 {
        return (0.0, 0.0);
    }
    let table = tables::log2();
    let b = &table.near;
    let r = x - 1.0;
    let r2 = r * r;
    let r4 = r2 * r2;
    let two = |at: usize| fma(r, b[at + 1], b[at]);
    let high = r * table.inverse_ln2_high;
    let low = fma(
        r,
        table.inverse_ln2_low,
        fma(r, table.inverse_ln2_high, -high),
    );
    let y = fma(r2, two(0), high);
    let low = low + fma(r2, two(0), high - y);
    let q = fma(r4, fma(r2, two(8), two(6)), fma(r2, two(4), two(2)));
    (y, fma(r4, q, low))
}

fn log2_elsewhere(bits: u64) -> (f64, f64) {
    let table = tables::log2();
    let a = &table.polynomial;
    let reduced = Reduced::new(bits, 0x3FE6_0000_0000_0000, 6);
    let [inverse, logarithm] = table.intervals[reduced.interval];
    let r = reduced.distance(inverse);
    let t1 = r * table.inverse_ln2_high;
    let t2 = fma(
        r,
        table.inverse_ln2_low,
        fma(r, table.inverse_ln2_high, -t1),
    );
    let t3 = reduced.exponent + logarithm;
    let high = t3 + t1;
    let low = t3 - high + t1 + t2;
    let r2 = r * r;
    let two = |at: usize| fma(r, a[at + 1], a[at]);
    let q = fma(r2 * r2, two(4), fma(r2, two(2), two(0)));
    (high, fma(r2, q, low))
}

/// `x^y`, with `unusual` for what is not the power of two finite numbers, or is 1 or out of range
/// anyway.
pub fn pow(x: f64, y: f64, unusual: extern "C" fn(f64, f64) -> f64) -> f64 {
    let is_usual = exponent(x) != 0x7FF && x != 0.0 && (0x3BE..0x43E).contains(&exponent(y));
    if !is_usual || x < 0.0 && y != y.trunc() {
        return unusual(x, y);
    }
    if let Some(power) = small_power(x, y) {
        return power;
    }
    let sign = if x < 0.0 && is_odd(y) { NEGATIVE } else { 0 };
    let bits = normal_bits(x.abs());
    let (high, low) = exponent_of_power::<Plain>(bits, y);
    let signed = |magnitude: f64| if sign == 0 { magnitude } else { -magnitude };
    match exponent(high) {
        0..TINY => signed(1.0 + high),
        HUGE.. if high < 0.0 => signed(0.0),
        HUGE.. => signed(f64::INFINITY),
        LARGE => {
            let (high, low) = exponent_of_power::<Fused>(bits, y);
            Power::new::<Fused>(high, low, sign).result_at_limits()
        }
        TINY..LARGE => Power::new::<Plain>(high, low, sign)
            .certain(power_of_2(-57))
            .unwrap_or_else(|| {
                let (high, low) = exponent_of_power::<Fused>(bits, y);
                Power::new::<Fused>(high, low, sign).result()
            }),
    }
}

/// A square or a cube. Absent where glibc's result could be another: before that is rounded, its
/// logarithm is off by `1.3 * 2^-68` of itself, its exponential by 0.009 units in the last place
/// (`pow.c`), which is less than `2^-58` of the result, as this is less than `2^96`.
#[inline(always)]
fn small_power(x: f64, y: f64) -> Option<f64> {
    if !(0x3E0..0x420).contains(&exponent(x)) {
        return None;
    }
    let square = x * x;
    let (high, low) = if y == 2.0 {
        (square, product_error(x, x, square))
    } else if y == 3.0 {
        let cube = square * x;
        let low = product_error(square, x, cube) + product_error(x, x, square) * x;
        (cube, low)
    } else {
        return None;
    };
    is_certain(high, low, high.abs() * power_of_2(-58)).then_some(high)
}

/// `y * log(x)` in two parts.
fn exponent_of_power<A: Arithmetic>(x: u64, y: f64) -> (f64, f64) {
    let (high, low) = precise_log::<A>(x);
    let product = y * high;
    (product, A::fma(y, low, product_error(y, high, product)))
}

/// The logarithm with about 68 bits, in two parts.
fn precise_log<A: Arithmetic>(x: u64) -> (f64, f64) {
    let table = tables::pow_log();
    let a = &table.polynomial;
    let reduced = Reduced::new(x, 0x3FE6_9555_0000_0000, 7);
    let [inverse, _, logarithm, rest] = table.intervals[reduced.interval];
    let n = reduced.exponent;
    let r = reduced.distance(inverse);
    let t1 = A::fma(n, table.ln2_high, logarithm);
    let t2 = t1 + r;
    let low1 = A::fma(n, table.ln2_low, rest);
    let low2 = t1 - t2 + r;
    let half = a[0] * r;
    let square = r * half;
    let high = t2 + square;
    let low3 = product_error(half, r, square);
    let low4 = t2 - high + square;
    let two = |at: usize| A::fma(r, a[at + 1], a[at]);
    let q = A::fma(square, A::fma(square, two(5), two(3)), two(1));
    let low = A::fma(r * square, q, low1 + low2 + low3 + low4);
    let y = high + low;
    (y, high - y + low)
}
