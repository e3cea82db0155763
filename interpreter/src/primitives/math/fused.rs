//! Fused multiplication and addition: `a * b + c`, rounded once.
//!
//! glibc's functions use the processor's instruction, so their last bits depend on it.
//! WebAssembly's is `f64x2.relaxed_madd`, of which engines may make two operations where the
//! processor has no fused one. Each function therefore asks first whether it rounds once
//! ([`is_fused`]), which takes less than a nanosecond. If it does not, the function computes with
//! ordinary operations.
//!
//! The method of these is that of S. Boldo and G. Melquiond, "Emulation of a FMA and correctly
//! rounded sums: proved algorithms using rounding to odd" (2008): the exact sum as three floats, of
//! which the lower two are added with rounding to odd. Where a part could leave the range of
//! floats, the C library does it with integers.

use super::first_nan;
#[cfg(target_family = "wasm")]
use super::lanes::Lanes;
use std::ops::{Add, Mul, Neg, Sub};

/// A number within a formula: a float, in the form in which it is computed with.
pub trait Number:
    Copy
    + From<f64>
    + Add<Output = Self>
    + Add<f64, Output = Self>
    + Sub<Output = Self>
    + Sub<f64, Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Neg<Output = Self>
{
    fn float(self) -> f64;
}

impl Number for f64 {
    #[inline(always)]
    fn float(self) -> f64 {
        self
    }
}

/// How a formula's fused operations are computed.
pub trait Arithmetic {
    /// What a formula has in place of floats, so that none is brought into another form between two
    /// operations.
    type Number: Number;

    /// `a * b + c`, rounded once.
    fn fused(
        a: impl Into<Self::Number>,
        b: impl Into<Self::Number>,
        c: impl Into<Self::Number>,
    ) -> Self::Number;

    /// The same of floats.
    #[inline(always)]
    fn fma(a: f64, b: f64, c: f64) -> f64 {
        Self::fused(a, b, c).float()
    }

    /// What rounding `a * b` to `product` lost.
    #[inline(always)]
    fn product_error(a: Self::Number, b: Self::Number, product: Self::Number) -> Self::Number {
        Self::fused(a, b, -product)
    }
}

/// By an instruction of the processor, if [`is_fused`]. Natively, the C library decides.
pub enum Processor {}

impl Arithmetic for Processor {
    #[cfg(target_family = "wasm")]
    type Number = Lanes;
    #[cfg(not(target_family = "wasm"))]
    type Number = f64;

    #[inline(always)]
    fn fused(
        a: impl Into<Self::Number>,
        b: impl Into<Self::Number>,
        c: impl Into<Self::Number>,
    ) -> Self::Number {
        a.into().mul_add(b.into(), c.into())
    }
}

/// By ordinary operations.
pub enum Emulated {}

impl Arithmetic for Emulated {
    type Number = f64;

    #[inline(always)]
    fn fused(a: impl Into<f64>, b: impl Into<f64>, c: impl Into<f64>) -> f64 {
        emulated(a.into(), b.into(), c.into())
    }
}

/// Whether the engine rounds `f64x2.relaxed_madd` once: then a square has an error.
#[inline(always)]
pub fn is_fused() -> bool {
    const A: f64 = 1.0 + f64::EPSILON;
    Processor::fma(A, A, -(A * A)) != 0.0
}

/// Functions of floats by formulas that are written for any [`Arithmetic`].
macro_rules! functions {
    ($($(#[$attribute:meta])* $name:ident($($x:ident),*) = $formula:ident;)*) => {$(
        $(#[$attribute])*
        #[inline(never)]
        #[cfg_attr(target_family = "wasm", target_feature(enable = "relaxed-simd"))]
        pub fn $name($($x: f64),*) -> f64 {
            #[cold]
            #[inline(never)]
            fn emulated($($x: f64),*) -> f64 {
                $formula::<$crate::primitives::math::fused::Emulated>($($x),*)
            }
            if $crate::primitives::math::fused::is_fused() {
                $formula::<$crate::primitives::math::fused::Processor>($($x),*)
            } else {
                emulated($($x),*)
            }
        }
    )*};
}
pub(super) use functions;

functions! {
    /// `a * b + c`, rounded once.
    fma(a, b, c) = fma_with;
}

#[inline(always)]
fn fma_with<A: Arithmetic>(a: f64, b: f64, c: f64) -> f64 {
    // Of several NaN glibc gives the first; which the instruction gives is the engine's choice.
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return first_nan(if a.is_nan() { a } else { b }, c);
    }
    A::fma(a, b, c)
}

fn emulated(a: f64, b: f64, c: f64) -> f64 {
    if !in_range(a, b, c) {
        return unusual(a, b, c);
    }
    let product = a * b;
    let (high, low) = sum(c, product_error(a, b, product));
    let (high, middle) = sum(product, high);
    high + odd_sum(middle, low)
}

/// Exponents between which neither splitting a factor overflows nor an error underflows.
fn in_range(a: f64, b: f64, c: f64) -> bool {
    let [a, b, addend] = [a, b, c].map(|x| (x.to_bits() >> 52) as i32 & 0x7FF);
    let product = a + b - 1023;
    let factors = a.min(b) > 0 && a.max(b) < 2000;
    factors && (200..2000).contains(&product) && addend < 2000 && (addend >= 200 || c == 0.0)
}

fn unusual(a: f64, b: f64, c: f64) -> f64 {
    // A product that is too small for a float is a zero with its sign, which musl forgets.
    if c == 0.0 && a != 0.0 && b != 0.0 {
        return a * b;
    }
    a.mul_add(b, c)
}

/// What rounding `a * b` to `product` lost (T. J. Dekker).
#[inline(always)]
pub(super) const fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let (a, a_low) = halves(a);
    let (b, b_low) = halves(b);
    ((a * b - product) + a * b_low + a_low * b) + a_low * b_low
}

/// A float as the sum of two with half the bits.
#[inline(always)]
const fn halves(x: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}

/// The rounded sum, and what rounding lost (D. E. Knuth).
#[inline(always)]
pub(super) const fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let second = sum - a;
    (sum, (a - (sum - second)) + (b - second))
}

/// The sum, an inexact one rounded to the neighbour whose last bit is set.
fn odd_sum(a: f64, b: f64) -> f64 {
    let (sum, error) = sum(a, b);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away {
        sum.to_bits() + 1
    } else {
        sum.to_bits() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::emulated as fma;

    /// A sequence of floats of all kinds (Vigna's splitmix64).
    fn floats() -> impl Iterator<Item = f64> {
        let mut state = 1u64;
        std::iter::from_fn(move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            let bits = z ^ z >> 31;
            // Every other one has a moderate exponent, so that the parts of a sum overlap.
            let moderate = bits & !(0x7F0 << 52) | 0x3F0 << 52;
            Some(f64::from_bits(if state & 2 == 0 { bits } else { moderate }))
        })
    }

    #[test]
    fn fused_is_rounded_once() {
        let mut floats = floats();
        let mut next = || floats.next().expect("an endless sequence");
        for _ in 0..if cfg!(miri) { 100 } else { 300_000 } {
            let (a, b, c) = (next(), next(), next());
            for c in [c, -(a * b), c * a, -(a * b) * (1.0 + f64::EPSILON)] {
                let (ours, expected) = (fma(a, b, c), a.mul_add(b, c));
                let same =
                    ours.to_bits() == expected.to_bits() || ours.is_nan() && expected.is_nan();
                assert!(same, "{a:e} * {b:e} + {c:e} = {expected:e}, not {ours:e}");
            }
        }
    }

    #[test]
    fn a_product_that_underflows_keeps_its_sign() {
        assert_eq!(fma(5e-324, -0.4, 0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(fma(0.0, -0.4, 0.0).to_bits(), 0.0f64.to_bits());
    }
}
