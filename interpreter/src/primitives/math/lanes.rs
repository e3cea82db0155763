//! Floats as vectors of two lanes, of which only the first one counts.
//!
//! WebAssembly has a fused multiplication and addition of vectors alone. A formula that went back
//! to floats after each would spend a third of its time on that, so all of it is computed with
//! vectors, whose operations take as long as those of floats.

use super::fused::Number;
use core::arch::wasm32::{
    f64x2_add, f64x2_extract_lane, f64x2_mul, f64x2_neg, f64x2_relaxed_madd, f64x2_splat,
    f64x2_sub, v128,
};
use std::ops::{Add, Mul, Neg, Sub};

#[derive(Clone, Copy)]
pub struct Lanes(v128);

impl Lanes {
    /// `self * b + c`, rounded once if the engine does so.
    #[inline(always)]
    pub fn mul_add(self, b: Self, c: Self) -> Self {
        Self(f64x2_relaxed_madd(self.0, b.0, c.0))
    }
}

impl Number for Lanes {
    #[inline(always)]
    fn float(self) -> f64 {
        f64x2_extract_lane::<0>(self.0)
    }
}

impl From<f64> for Lanes {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(f64x2_splat(x))
    }
}

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(f64x2_neg(self.0))
    }
}

macro_rules! operations {
    ($($operation:ident $name:ident $function:ident;)*) => {$(
        impl $operation for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self($function(self.0, other.0))
            }
        }

        impl $operation<f64> for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: f64) -> Self {
                self.$name(Self::from(other))
            }
        }
    )*};
}

operations! {
    Add add f64x2_add;
    Sub sub f64x2_sub;
    Mul mul f64x2_mul;
}
