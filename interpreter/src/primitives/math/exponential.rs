//! `exp`, `log`, `log2` and `pow` with glibc's bits: Arm's algorithms with fused operations where
//! glibc's compiler puts them.
//!
//! Source: S. Nagy, Arm Optimized Routines, `exp.c`, `log.c`, `log2.c`, `pow.c` (the algorithms;
//! the tables are the C library's).

use super::fused::{Arithmetic, Number, functions};
use super::{INVALID, is_odd, tables};

functions! {
    /// The power of Euler's number.
    exp(x) = exp_with;
    /// The natural logarithm.
    log(x) = log_with;
    /// The logarithm to base 2.
    log2(x) = log2_with;
    /// `x^y` for finite numbers, an integer `y` where `x` is negative.
    usual_pow(x, y) = pow_with;
}

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

/// A power as `scale * (1 + rest)`; `scale` as bits, since its exponent may be out of range.
#[derive(Clone, Copy)]
struct Power<N> {
    scale: u64,
    rest: N,
    /// Whether the exponent is negative.
    below: bool,
}

impl<N: Number> Power<N> {
    /// `exp(x + low)`, negative if `sign` says so.
    #[inline(always)]
    fn new<A: Arithmetic<Number = N>>(x: N, low: N, sign: u64) -> Self {
        let table = tables::exp();
        let shifted = A::fused(table.inverse_ln2, x, table.shift);
        let index = shifted.float().to_bits();
        let n = shifted - table.shift;
        let r = A::fused(n, table.ln2_low, A::fused(n, table.ln2_high, x)) + low;
        let &[tail, bits] = &table.powers[(index % 128) as usize];
        let &[c2, c3, c4, c5] = &table.polynomial;
        let square = r * r;
        let rest = A::fused(square, A::fused(r, c3, c2), r + f64::from_bits(tail));
        Self {
            scale: bits.wrapping_add(index.wrapping_add(sign) << 45),
            rest: A::fused(square * square, A::fused(r, c5, c4), rest),
            below: index & 0x8000_0000 != 0,
        }
    }

    #[inline(always)]
    fn result<A: Arithmetic<Number = N>>(self) -> f64 {
        let scale = N::from(f64::from_bits(self.scale));
        A::fused(scale, self.rest, scale).float()
    }

    /// The result where the exponent may be too large or too small for a float.
    #[inline(always)]
    fn result_at_limits<A: Arithmetic<Number = N>>(self) -> f64 {
        if !self.below {
            let scale = f64::from_bits(self.scale.wrapping_sub(1009 << 52));
            return power_of_2(1009) * A::fused(scale, self.rest, scale).float();
        }
        let scale = f64::from_bits(self.scale.wrapping_add(1022 << 52));
        let product = scale * self.rest.float();
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

#[inline(always)]
fn exp_with<A: Arithmetic>(x: f64) -> f64 {
    match exponent(x) {
        TINY..LARGE => Power::new::<A>(x.into(), 0.0.into(), 0).result::<A>(),
        LARGE => Power::new::<A>(x.into(), 0.0.into(), 0).result_at_limits::<A>(),
        0x7FF if x == f64::NEG_INFINITY => 0.0,
        0..TINY | 0x7FF => 1.0 + x,
        HUGE.. if x < 0.0 => 0.0,
        HUGE.. => f64::INFINITY,
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

    /// The mantissa divided by `c`, less 1.
    #[inline(always)]
    fn distance<A: Arithmetic>(&self, inverse: f64) -> A::Number {
        A::fused(self.mantissa, inverse, -1.0)
    }
}

/// The bits of a positive number, with an exponent below those of floats if it is subnormal; or
/// the logarithm of what is none.
#[inline(always)]
fn normal_bits(x: f64) -> Result<u64, f64> {
    if (f64::MIN_POSITIVE..f64::INFINITY).contains(&x) {
        return Ok(x.to_bits());
    }
    if x > 0.0 && x < f64::INFINITY {
        return Ok(subnormal_bits(x));
    }
    Err(if x.is_nan() {
        x + x
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 {
        INVALID
    } else {
        x
    })
}

fn subnormal_bits(x: f64) -> u64 {
    (x * power_of_2(52)).to_bits().wrapping_sub(52 << 52)
}

#[inline(always)]
fn log_with<A: Arithmetic>(x: f64) -> f64 {
    const LEAST: f64 = 1.0 - 0.0625;
    const MOST: f64 = 1.064_697_265_625;
    if (LEAST..MOST).contains(&x) {
        return log_near_1::<A>(x);
    }
    match normal_bits(x) {
        Ok(bits) => log_elsewhere::<A>(bits),
        Err(result) => result,
    }
}

#[inline(always)]
fn log_near_1<A: Arithmetic>(x: f64) -> f64 {
    if x == 1.0 {
        return 0.0;
    }
    let b = &tables::log().near;
    let r = A::Number::from(x - 1.0);
    let r2 = r * r;
    let r3 = r * r2;
    let three = |at: usize| A::fused(r2, b[at + 2], A::fused(r, b[at + 1], b[at]));
    let q = A::fused(r3, b[10], three(7));
    let q = A::fused(r3, A::fused(r3, q, three(4)), three(1));
    let w = r * power_of_2(27);
    let upper = r + w - w;
    let lower = r - upper;
    let w = upper * upper * b[0];
    let high = r + w;
    let low = A::fused(lower * b[0], upper + r, r - high + w);
    (A::fused(r3, q, low) + high).float()
}

#[inline(always)]
fn log_elsewhere<A: Arithmetic>(bits: u64) -> f64 {
    let table = tables::log();
    let reduced = Reduced::new(bits, 0x3FE6_0000_0000_0000, 7);
    let &[inverse, logarithm] = &table.intervals[reduced.interval];
    let &[a0, a1, a2, a3, a4] = &table.polynomial;
    let n = A::Number::from(reduced.exponent);
    let r = reduced.distance::<A>(inverse);
    let w = A::fused(n, table.ln2_high, logarithm);
    let high = w + r;
    let low = A::fused(n, table.ln2_low, w - high + r);
    let r2 = r * r;
    let q = A::fused(r2, A::fused(r, a4, a3), A::fused(r, a2, a1));
    (A::fused(r * r2, q, A::fused(r2, a0, low)) + high).float()
}

#[inline(always)]
fn log2_with<A: Arithmetic>(x: f64) -> f64 {
    const LEAST: f64 = 1.0 - f64::from_bits(0x3FA5_B510_0000_0000);
    const MOST: f64 = 1.0 + f64::from_bits(0x3FA6_AB20_0000_0000);
    if (LEAST..MOST).contains(&x) {
        return log2_near_1::<A>(x);
    }
    match normal_bits(x) {
        Ok(bits) => log2_elsewhere::<A>(bits),
        Err(result) => result,
    }
}

#[inline(always)]
fn log2_near_1<A: Arithmetic>(x: f64) -> f64 {
    if x == 1.0 {
        return 0.0;
    }
    let table = tables::log2();
    let b = &table.near;
    let r = A::Number::from(x - 1.0);
    let r2 = r * r;
    let r4 = r2 * r2;
    let two = |at: usize| A::fused(r, b[at + 1], b[at]);
    let high = r * table.inverse_ln2_high;
    let low = A::fused(
        r,
        table.inverse_ln2_low,
        A::fused(r, table.inverse_ln2_high, -high),
    );
    let y = A::fused(r2, two(0), high);
    let low = low + A::fused(r2, two(0), high - y);
    let q = A::fused(
        r4,
        A::fused(r2, two(8), two(6)),
        A::fused(r2, two(4), two(2)),
    );
    (y + A::fused(r4, q, low)).float()
}

#[inline(always)]
fn log2_elsewhere<A: Arithmetic>(bits: u64) -> f64 {
    let table = tables::log2();
    let a = &table.polynomial;
    let reduced = Reduced::new(bits, 0x3FE6_0000_0000_0000, 6);
    let &[inverse, logarithm] = &table.intervals[reduced.interval];
    let r = reduced.distance::<A>(inverse);
    let t1 = r * table.inverse_ln2_high;
    let t2 = A::fused(
        r,
        table.inverse_ln2_low,
        A::fused(r, table.inverse_ln2_high, -t1),
    );
    let t3 = A::Number::from(reduced.exponent + logarithm);
    let high = t3 + t1;
    let low = t3 - high + t1 + t2;
    let r2 = r * r;
    let two = |at: usize| A::fused(r, a[at + 1], a[at]);
    let q = A::fused(r2 * r2, two(4), A::fused(r2, two(2), two(0)));
    (A::fused(r2, q, low) + high).float()
}

/// `x^y`, with `unusual` for what is not the power of two finite numbers, or is 1 or out of range
/// anyway.
pub fn pow(x: f64, y: f64, unusual: extern "C" fn(f64, f64) -> f64) -> f64 {
    let is_usual = exponent(x) != 0x7FF && x != 0.0 && (0x3BE..0x43E).contains(&exponent(y));
    if !is_usual || x < 0.0 && y != y.trunc() {
        return unusual(x, y);
    }
    usual_pow(x, y)
}

#[inline(always)]
fn pow_with<A: Arithmetic>(x: f64, y: f64) -> f64 {
    if let Some(power) = small_power::<A>(x, y) {
        return power;
    }
    let sign = if x < 0.0 && is_odd(y) { NEGATIVE } else { 0 };
    let bits = if x.is_subnormal() {
        subnormal_bits(x.abs())
    } else {
        x.abs().to_bits()
    };
    let (high, low) = exponent_of_power::<A>(bits, y);
    let signed = |magnitude: f64| if sign == 0 { magnitude } else { -magnitude };
    match exponent(high.float()) {
        TINY..LARGE => Power::new::<A>(high, low, sign).result::<A>(),
        LARGE => Power::new::<A>(high, low, sign).result_at_limits::<A>(),
        0..TINY => signed(1.0 + high.float()),
        HUGE.. if high.float() < 0.0 => signed(0.0),
        HUGE.. => signed(f64::INFINITY),
    }
}

/// A square or a cube. Absent where glibc's result could be another: before that is rounded, its
/// logarithm is off by `1.3 * 2^-68` of itself, its exponential by 0.009 units in the last place
/// (`pow.c`), which is less than `2^-58` of the result, as this is less than `2^96`.
#[inline(always)]
fn small_power<A: Arithmetic>(x: f64, y: f64) -> Option<f64> {
    if !(0x3E0..0x420).contains(&exponent(x)) {
        return None;
    }
    let x = A::Number::from(x);
    let square = x * x;
    let (high, low) = if y == 2.0 {
        (square, A::product_error(x, x, square))
    } else if y == 3.0 {
        let cube = square * x;
        let low = A::product_error(square, x, cube) + A::product_error(x, x, square) * x;
        (cube, low)
    } else {
        return None;
    };
    let (high, low) = (high.float(), low.float());
    let bound = high.abs() * power_of_2(-58);
    let is_certain = high + (low + bound) == high && high + (low - bound) == high;
    is_certain.then_some(high)
}

/// `y * log(x)` in two parts.
#[inline(always)]
fn exponent_of_power<A: Arithmetic>(x: u64, y: f64) -> (A::Number, A::Number) {
    let (high, low) = precise_log::<A>(x);
    let y = A::Number::from(y);
    let product = y * high;
    let error = A::product_error(y, high, product);
    (product, A::fused(y, low, error))
}

/// The logarithm with about 68 bits, in two parts.
#[inline(always)]
fn precise_log<A: Arithmetic>(x: u64) -> (A::Number, A::Number) {
    let table = tables::pow_log();
    let a = &table.polynomial;
    let reduced = Reduced::new(x, 0x3FE6_9555_0000_0000, 7);
    let &[inverse, _, logarithm, rest] = &table.intervals[reduced.interval];
    let n = A::Number::from(reduced.exponent);
    let r = reduced.distance::<A>(inverse);
    let t1 = A::fused(n, table.ln2_high, logarithm);
    let t2 = t1 + r;
    let low1 = A::fused(n, table.ln2_low, rest);
    let low2 = t1 - t2 + r;
    let half = r * a[0];
    let square = r * half;
    let high = t2 + square;
    let low3 = A::product_error(half, r, square);
    let low4 = t2 - high + square;
    let two = |at: usize| A::fused(r, a[at + 1], a[at]);
    let q = A::fused(square, A::fused(square, two(5), two(3)), two(1));
    let low = A::fused(r * square, q, low1 + low2 + low3 + low4);
    let y = high + low;
    (y, high - y + low)
}
