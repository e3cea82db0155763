//! Arithmetic where both operands are fixnums and the result is in range, or one is a float;
//! anything else is for the primitive.

use crate::heap;
use crate::value::{fixnum, float, integer, is, is_fixnum, tag};
use annotations::{box_kind, immediate, specialize_active};

#[inline(always)]
pub fn are_fixnums(a: i64, b: i64) -> bool {
    match specialize_active() {
        0 => is_fixnum(a & b),
        // One may be known to be a fixnum, or not to be one.
        _ => is_fixnum(a) && is_fixnum(b),
    }
}

/// Whether a value is a float.
#[inline(always)]
pub fn is_float(value: i64) -> bool {
    box_kind(value) != 0 || is(value, tag::FLOAT)
}

/// The number that a value is, as a float.
#[inline(always)]
fn to_float(value: i64) -> Option<f64> {
    if is_fixnum(value) {
        Some(integer(value) as f64)
    } else {
        is_float(value).then(|| float(value))
    }
}

/// Two numbers, of which one at least is a float.
#[inline(always)]
fn floats(a: i64, b: i64) -> Option<(f64, f64)> {
    Some((to_float(a)?, to_float(b)?))
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

/// Where one factor has 32 bits, and the other one negated. The product of the two least numbers of
/// 32 bits would be out of range.
#[inline(always)]
pub fn multiply(a: i64, b: i64) -> Option<i64> {
    let (m, n) = (integer(a), integer(b));
    let are_small = i64::from(m as i32) == m && i64::from(-n as i32) == -n;
    are_small.then(|| fixnum(m * n))
}

/// An operation with a quotient, where the divisor is positive.
#[inline(always)]
pub fn divide(a: i64, b: i64, operation: impl FnOnce(i64, i64) -> i64) -> Option<i64> {
    let fits = are_fixnums(a, b) && integer(b) > 0;
    fits.then(|| immediate(fixnum(operation(integer(a), integer(b)))))
}

#[inline(always)]
pub fn modulo(a: i64, b: i64) -> i64 {
    let rest = a % b;
    if rest < 0 { rest + b } else { rest }
}

/// The result of an operation on two numbers. Compiled code makes the box of a float where it is
/// wanted, if it knows that the result is one.
#[inline(always)]
pub fn arithmetic(
    a: i64,
    b: i64,
    integers: impl FnOnce(i64, i64) -> Option<i64>,
    operation: impl FnOnce(f64, f64) -> f64,
) -> Option<i64> {
    let is_float = box_kind(a) != 0 || box_kind(b) != 0;
    if !is_float && are_fixnums(a, b) {
        return integers(a, b).map(immediate);
    }
    let (x, y) = floats(a, b)?;
    let result = operation(x, y);
    Some(if is_float {
        heap::float(result)
    } else {
        heap::float_here(result)
    })
}

/// What a comparison of two numbers gives.
#[inline(always)]
pub fn comparison(
    a: i64,
    b: i64,
    integers: impl FnOnce(&i64, &i64) -> bool,
    operation: impl FnOnce(&f64, &f64) -> bool,
) -> Option<bool> {
    if are_fixnums(a, b) {
        Some(integers(&a, &b))
    } else {
        let (x, y) = floats(a, b)?;
        Some(operation(&x, &y))
    }
}
