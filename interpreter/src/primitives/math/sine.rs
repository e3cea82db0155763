//! `sin` and `cos` with glibc's bits, for arguments below 10^8: there they are off by at most 0.55
//! units in the last place, beyond it a correctly rounding library computes them.
//!
//! An argument is reduced to `a + rest` with `|a| <= π/4` or little more. The multiple of 1/128
//! that is nearest to `|a|` has its sine and cosine in a table, what is left has short series, and
//! the theorems of addition make one of both. Source: the IBM Accurate Mathematical Library, which
//! glibc's `s_sin.c` is (the algorithm), and the fused operations of glibc's machine code.

use super::fused::{Arithmetic, Number, functions, product_error, sum};
use pxfm::{f_cos, f_sin};

functions! {
    /// The sine of a finite number.
    sin(x) = sin_with;
    /// The cosine of a finite number.
    cos(x) = cos_with;
}

/// Up to here an argument is not reduced.
const SMALL: f64 = 0.85546875;

/// Up to here it is subtracted from π/2.
const MIDDLE: f64 = f64::from_bits(0x4003_68FD_0000_0000);

/// Up to here, about 10^8, multiples of π/2 in four parts are subtracted.
const LARGE: f64 = f64::from_bits(0x4199_21FB_0000_0000);

/// Below this the series is good enough.
const SERIES: f64 = 0.126;

/// π/2 in two parts.
const HALF_PI: [f64; 2] = [
    f64::from_bits(0x3FF9_21FB_5444_2D18),
    f64::from_bits(0x3C91_A626_3314_5C07),
];

/// π/2 in parts, of which the first three have few bits, so that their products are exact.
const HALF_PI_PARTS: [f64; 4] = [
    f64::from_bits(0x3FF9_21FB_5800_0000),
    f64::from_bits(0xBE4D_DE97_3C00_0000),
    f64::from_bits(0xBC8C_B3B3_9800_0000),
    f64::from_bits(0xBACD_747F_23E3_2ED7),
];

/// Added to a number, and taken away again, this rounds it to a multiple of 1/128.
const TO_MULTIPLE: f64 = (3u64 << 44) as f64;

/// The same to an integer, which the last bits of the sum are.
const TO_INTEGER: f64 = (3u64 << 51) as f64;

#[inline(always)]
fn sin_with<A: Arithmetic>(x: f64) -> f64 {
    let size = x.abs();
    if size < f64::from_bits(0x3E50_0000_0000_0000) {
        x
    } else if size < SMALL {
        sin_of::<A>(x.into(), 0.0.into()).float()
    } else if size < MIDDLE {
        let a = HALF_PI[0] - size;
        cos_of::<A>(a.into(), HALF_PI[1].into()).float().copysign(x)
    } else if size < LARGE {
        let (a, rest, quadrant) = reduce::<A>(x);
        in_quadrant::<A>(a, rest, quadrant)
    } else {
        f_sin(x)
    }
}

#[inline(always)]
fn cos_with<A: Arithmetic>(x: f64) -> f64 {
    let size = x.abs();
    if size < f64::from_bits(0x3E40_0000_0000_0000) {
        1.0
    } else if size < SMALL {
        cos_of::<A>(x.into(), 0.0.into()).float()
    } else if size < MIDDLE {
        let high = HALF_PI[0] - size;
        let a = high + HALF_PI[1];
        let rest = (high - a) + HALF_PI[1];
        sin_of::<A>(a.into(), rest.into()).float()
    } else if size < LARGE {
        let (a, rest, quadrant) = reduce::<A>(x);
        in_quadrant::<A>(a, rest, quadrant.wrapping_add(1))
    } else {
        f_cos(x)
    }
}

/// `a + rest`, which is `x` less a multiple of π/2, and that multiple.
#[inline(always)]
fn reduce<A: Arithmetic>(x: f64) -> (A::Number, A::Number, u32) {
    let [first, second, third, fourth] = HALF_PI_PARTS;
    let shifted = A::fused(x, core::f64::consts::FRAC_2_PI, TO_INTEGER);
    let multiple = shifted - TO_INTEGER;
    let less = |part: f64, from| A::fused(-multiple, part, from);
    let y = less(second, less(first, x.into()));
    let z = less(third, y);
    let rest = less(third, y - z);
    let a = less(fourth, z);
    let quadrant = shifted.float().to_bits() as u32;
    (a, rest + less(fourth, z - a), quadrant)
}

/// The sine of `a + rest` and so many right angles.
#[inline(always)]
fn in_quadrant<A: Arithmetic>(a: A::Number, rest: A::Number, quadrant: u32) -> f64 {
    let result = if quadrant & 1 == 0 {
        sin_of::<A>(a, rest)
    } else {
        cos_of::<A>(a, rest)
    };
    let result = result.float();
    if quadrant & 2 == 0 { result } else { -result }
}

#[inline(always)]
fn sin_of<A: Arithmetic>(a: A::Number, rest: A::Number) -> A::Number {
    let size = a.float().abs();
    if size < SERIES {
        return series::<A>(a, rest);
    }
    let is_positive = a.float() > 0.0;
    let rest = if is_positive { rest } else { -rest };
    let (x, &[sin, sin_low, cos, cos_low]) = split::<A>(size);
    let square = x * x;
    let s = x + A::fused(x * square, sin_series::<A>(square), rest);
    let c = A::fused(rest, x, cos_series::<A>(square));
    let low = A::fused(-c, sin, A::fused(s, cos_low, sin_low));
    let result = A::fused(s, cos, low) + sin;
    if is_positive { result } else { -result }
}

#[inline(always)]
fn cos_of<A: Arithmetic>(a: A::Number, rest: A::Number) -> A::Number {
    let rest = if a.float() < 0.0 { -rest } else { rest };
    let (x, &[sin, sin_low, cos, cos_low]) = split::<A>(a.float().abs());
    let x = x + rest;
    let square = x * x;
    let s = A::fused(x * square, sin_series::<A>(square), x);
    let c = cos_series::<A>(square);
    let low = A::fused(-c, cos, A::fused(-s, sin_low, cos_low));
    A::fused(-s, sin, low) + cos
}

/// The sine of `x + rest` where it is small: the first terms.
#[inline(always)]
fn series<A: Arithmetic>(x: A::Number, rest: A::Number) -> A::Number {
    const TERMS: [f64; 5] = [
        f64::from_bits(0xBFC5_5555_5555_5555),
        f64::from_bits(0x3F81_1111_1111_0ECE),
        f64::from_bits(0xBF2A_01A0_19DB_08B8),
        f64::from_bits(0x3EC7_1DE2_7B9A_7ED9),
        f64::from_bits(0xBE5A_DDFF_C2FC_DF59),
    ];
    let square = x * x;
    let [first, others @ .., last] = TERMS;
    let sum = others
        .iter()
        .rev()
        .fold(last.into(), |sum: A::Number, &term| {
            A::fused(sum, square, term)
        });
    let sum = A::fused(sum, square, first);
    let sum = A::fused(sum, x, -(rest * 0.5));
    x + A::fused(square, sum, rest)
}

/// `sin(x) / x^3 - 1 / x^2` for a small `x` with this square.
#[inline(always)]
fn sin_series<A: Arithmetic>(square: A::Number) -> A::Number {
    A::fused(
        f64::from_bits(0x3F81_1110_E829_872F),
        square,
        f64::from_bits(0xBFC5_5555_5555_5515),
    )
}

/// `1 - cos(x)` for a small `x` with this square.
#[inline(always)]
fn cos_series<A: Arithmetic>(square: A::Number) -> A::Number {
    let sum = A::fused(
        f64::from_bits(0x3F56_C16B_EDD9_E239),
        square,
        f64::from_bits(0xBFA5_5555_5555_5535),
    );
    square * A::fused(square, sum, 0.5)
}

/// What remains of a number less the nearest multiple of 1/128, and that one's row of the table.
#[inline(always)]
fn split<A: Arithmetic>(size: f64) -> (A::Number, &'static [f64; 4]) {
    let shifted = size + TO_MULTIPLE;
    let row = &TABLE[shifted.to_bits() as usize % ROWS.next_power_of_two()];
    ((size - (shifted - TO_MULTIPLE)).into(), row)
}

/// Multiples of 1/128 up to those that are nearest to the largest argument.
const ROWS: usize = 111;

/// Sine and cosine of each multiple of 1/128, in two parts each.
static TABLE: [[f64; 4]; ROWS.next_power_of_two()] = table();

const fn table() -> [[f64; 4]; ROWS.next_power_of_two()] {
    let mut table = [[0.0; 4]; ROWS.next_power_of_two()];
    let mut row = 0;
    while row < ROWS {
        let [sin, cos] = Double::sin_cos(row as f64 / 128.0);
        table[row] = [sin.high, sin.low, cos.high, cos.low];
        row += 1;
    }
    table
}

/// A number of twice the bits: `high` is the sum, rounded.
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    const ZERO: Self = Self::sum(0.0, 0.0);

    const ONE: Self = Self::sum(1.0, 0.0);

    const fn sum(a: f64, b: f64) -> Self {
        let (high, low) = sum(a, b);
        Self { high, low }
    }

    const fn plus(self, other: Self) -> Self {
        let (high, error) = sum(self.high, other.high);
        Self::sum(high, error + (self.low + other.low))
    }

    const fn times(self, factor: f64) -> Self {
        let high = self.high * factor;
        let low = product_error(self.high, factor, high);
        Self::sum(high, low + self.low * factor)
    }

    /// Divided by a small integer.
    const fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let back = high * divisor;
        let rest = ((self.high - back) - product_error(high, divisor, back)) + self.low;
        Self::sum(high, rest / divisor)
    }

    /// Sine and cosine of a number of few bits, by Taylor's series.
    const fn sin_cos(x: f64) -> [Self; 2] {
        const TERMS: u32 = 28;
        let mut sums = [Self::ZERO; 2];
        let mut term = Self::ONE;
        let mut index = 0;
        while index < TERMS {
            // Powers 0, 1, 2, 3: of the cosine, of the sine, and both negative.
            let signed = if index & 2 == 0 {
                term
            } else {
                term.times(-1.0)
            };
            let sum = &mut sums[(index as usize + 1) % 2];
            *sum = sum.plus(signed);
            index += 1;
            term = term.times(x).over(index as f64);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// glibc's.
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    mod c {
        // SAFETY: C's functions on floats have no preconditions.
        unsafe extern "C" {
            pub safe fn sin(x: f64) -> f64;
            pub safe fn cos(x: f64) -> f64;
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    fn bits_are_those_of_glibc() {
        let mut x = 1e-10;
        while x < LARGE {
            for x in [x, -x] {
                assert_eq!(sin(x).to_bits(), c::sin(x).to_bits(), "sin {x:e}");
                assert_eq!(cos(x).to_bits(), c::cos(x).to_bits(), "cos {x:e}");
            }
            x *= 1.000_1;
        }
    }

    #[test]
    fn tables_hold_more_than_a_float() {
        for (row, [sin, sin_low, cos, cos_low]) in TABLE[..ROWS].iter().enumerate() {
            let x = row as f64 / 128.0;
            assert_eq!([*sin, *cos], [f_sin(x), f_cos(x)], "{x}");
            let square = sin * sin + cos * cos - 1.0;
            let rest = 2.0 * (sin * sin_low + cos * cos_low);
            assert!((square + rest).abs() < 4.0 * f64::EPSILON, "{x}");
            assert!(sin_low.abs() <= sin * f64::EPSILON && cos_low.abs() <= cos * f64::EPSILON);
        }
    }
}
