//! Arithmetic where both operands are fixnums, or both are floats, and the result is in range;
//! anything else is for the primitive.

use crate::heap;
use crate::value::{fixnum, float, integer, is, is_fixnum, tag};

#[inline(always)]
pub fn are_fixnums(a: i64, b: i64) -> bool {
    is_fixnum(a & b)
}

/// Whether a value is a float.
#[inline(always)]
pub fn is_float(value: i64) -> bool {
    is(value, tag::FLOAT)
}

#[inline(always)]
pub fn are_floats(a: i64, b: i64) -> bool {
    is_float(a) && is_float(b)
}

#[inline(always)]
pub fn add(a: i64, b: i64) -> Option<i64> {
    let sum = a.wrapping_add(b - 1);
    ((a ^ sum) & (b ^ sum) >= 0).then_some(sum)
}

#[inline(always)]
pub fn subtract(a: i64, b: i64) -> Option<i64> {
    let difference = a.wrapping_sub(b - 1);
    ((a ^ b) & (a ^ difference) >= 0).then_some(difference)
}

/// Where both have 31 bits.
#[inline(always)]
pub fn multiply(a: i64, b: i64) -> Option<i64> {
    let (m, n) = (integer(a), integer(b));
    let are_small = i64::from(m as i32) == m && i64::from(n as i32) == n;
    are_small.then(|| fixnum(m * n))
}

/// An operation with a quotient, where the divisor is positive.
#[inline(always)]
pub fn divide(a: i64, b: i64, operation: impl FnOnce(i64, i64) -> i64) -> Option<i64> {
    let fits = are_fixnums(a, b) && integer(b) > 0;
    fits.then(|| fixnum(operation(integer(a), integer(b))))
}

#[inline(always)]
pub fn modulo(a: i64, b: i64) -> i64 {
    let rest = a % b;
    if rest < 0 { rest + b } else { rest }
}

/// The result of an operation on two numbers.
#[inline(always)]
pub fn arithmetic(
    a: i64,
    b: i64,
    integers: impl FnOnce(i64, i64) -> Option<i64>,
    floats: impl FnOnce(f64, f64) -> f64,
) -> Option<i64> {
    if are_fixnums(a, b) {
        integers(a, b)
    } else if are_floats(a, b) {
        Some(heap::float(floats(float(a), float(b))))
    } else {
        None
    }
}

/// What a comparison of two numbers gives.
#[inline(always)]
pub fn comparison(
    a: i64,
    b: i64,
    integers: impl FnOnce(&i64, &i64) -> bool,
    floats: impl FnOnce(&f64, &f64) -> bool,
) -> Option<bool> {
    if are_fixnums(a, b) {
        Some(integers(&a, &b))
    } else if are_floats(a, b) {
        Some(floats(&float(a), &float(b)))
    } else {
        None
    }
}
