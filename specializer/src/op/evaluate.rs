//! What evaluating a plain operator over constants can give, and the few meanings that Rust's own
//! operators do not have: minima and maxima, and float-to-integer conversions that trap.
//!
//! Invariant: bit-exact. Where WebAssembly leaves a NaN's payload to the engine, the outcome is
//! [`Outcome::AnyNan`], so that no constant stands for a choice that an engine makes.

use super::Const;

pub(super) const SIGN_32: u32 = 1 << 31;
pub(super) const SIGN_64: u64 = 1 << 63;

/// The result of evaluating an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Value(Const),
    /// Some NaN of the constant's type: the engine chooses, the constant is one possible choice.
    AnyNan(Const),
    Trap,
}

/// A float result given by its bits: a NaN among them is exact.
pub(super) struct Bits32(pub u32);
/// As [`Bits32`].
pub(super) struct Bits64(pub u64);

/// Conversion of a table row's result.
pub(super) trait IntoOutcome {
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for bool {
    fn into_outcome(self) -> Outcome {
        i32::from(self).into_outcome()
    }
}

impl IntoOutcome for i32 {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Const::I32(self))
    }
}

impl IntoOutcome for i64 {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Const::I64(self))
    }
}

impl IntoOutcome for f32 {
    fn into_outcome(self) -> Outcome {
        if self.is_nan() {
            return Outcome::AnyNan(Const::F32(0x7fc0_0000));
        }
        Outcome::Value(Const::F32(self.to_bits()))
    }
}

impl IntoOutcome for f64 {
    fn into_outcome(self) -> Outcome {
        if self.is_nan() {
            return Outcome::AnyNan(Const::F64(0x7ff8_0000_0000_0000));
        }
        Outcome::Value(Const::F64(self.to_bits()))
    }
}

impl IntoOutcome for Bits32 {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Const::F32(self.0))
    }
}

impl IntoOutcome for Bits64 {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Const::F64(self.0))
    }
}

/// Absent: it traps.
impl<T: IntoOutcome> IntoOutcome for Option<T> {
    fn into_outcome(self) -> Outcome {
        self.map_or(Outcome::Trap, IntoOutcome::into_outcome)
    }
}

/// Minimum and maximum: NaN if an operand is, and -0 is below +0.
macro_rules! extrema {
    ($float:ident, $min:ident, $max:ident) => {
        pub(super) fn $min(a: $float, b: $float) -> $float {
            if a.is_nan() || b.is_nan() {
                $float::NAN
            } else if a == b {
                if a.is_sign_negative() { a } else { b }
            } else if a < b {
                a
            } else {
                b
            }
        }

        pub(super) fn $max(a: $float, b: $float) -> $float {
            if a.is_nan() || b.is_nan() {
                $float::NAN
            } else if a == b {
                if a.is_sign_negative() { b } else { a }
            } else if a > b {
                a
            } else {
                b
            }
        }
    };
}

extrema!(f32, min_f32, max_f32);
extrema!(f64, min_f64, max_f64);

/// Truncations towards zero that trap (absent) on NaN and out of range. The bounds are exact: the
/// truncated value lies in `low..limit`, both of which are powers of two (or zero).
macro_rules! truncation {
    ($name:ident, $integer:ident, $low:expr, $limit:expr) => {
        pub(super) fn $name(value: f64) -> Option<$integer> {
            let whole = value.trunc();
            ($low..$limit).contains(&whole).then_some(whole as $integer)
        }
    };
}

truncation!(trunc_i32, i32, -2_147_483_648.0, 2_147_483_648.0);
truncation!(trunc_u32, u32, 0.0, 4_294_967_296.0);
truncation!(
    trunc_i64,
    i64,
    -9_223_372_036_854_775_808.0,
    9_223_372_036_854_775_808.0
);
truncation!(trunc_u64, u64, 0.0, 18_446_744_073_709_551_616.0);
