//! Arithmetic: integers of 63 bits, whose overflow is an error, and floats.
//!
//! An operation on an integer and a float is one on floats. The quotient of two integers is an
//! integer if there is one, else a float.

use super::failure::{fail, wrong};
use super::strings;
use crate::datum::{self, Datum};
use crate::heap;
use crate::value::{
    FALSE, checked_fixnum, fixnum, float, integer, is, is_fixnum, tag, to_char, truth,
};
use crate::value::{character, is_character};
use std::cmp::Ordering;

#[derive(Clone, Copy)]
pub enum Number {
    Integer(i64),
    Float(f64),
}

use Number::{Float, Integer};

/// The number that a value is.
#[inline(always)]
pub fn number(value: i64) -> Option<Number> {
    if is_fixnum(value) {
        Some(Integer(integer(value)))
    } else if is(value, tag::FLOAT) {
        Some(Float(float(value)))
    } else {
        None
    }
}

impl Number {
    fn to_float(self) -> f64 {
        match self {
            Integer(n) => n as f64,
            Float(x) => x,
        }
    }
}

/// The numbers that two operands are, or why they are none.
fn operands(operation: &str, a: i64, b: i64) -> Result<(Number, Number), i64> {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => Ok((a, b)),
        (None, _) => Err(wrong(operation, "a number", a)),
        (_, None) => Err(wrong(operation, "a number", b)),
    }
}

/// An integer as a value; an error if it is out of range.
fn ranged(operation: &str, n: Option<i64>, a: i64, b: i64) -> i64 {
    let in_range = n.and_then(checked_fixnum);
    in_range.unwrap_or_else(|| fail(&format!("{operation}: integer overflow:"), &[a, b]))
}

macro_rules! arithmetic {
    ($($name:ident $sign:literal $checked:ident $operator:tt;)*) => {$(
        pub extern "C" fn $name(a: i64, b: i64, _: i64) -> i64 {
            match operands($sign, a, b) {
                Ok((Integer(m), Integer(n))) => ranged($sign, m.$checked(n), a, b),
                Ok((m, n)) => heap::float(m.to_float() $operator n.to_float()),
                Err(raised) => raised,
            }
        }
    )*};
}

arithmetic! {
    add "+" checked_add +;
    subtract "-" checked_sub -;
    multiply "*" checked_mul *;
}

pub extern "C" fn divide(a: i64, b: i64, _: i64) -> i64 {
    match operands("/", a, b) {
        Ok((Integer(_), Integer(0))) => fail("/: division by zero:", &[a]),
        Ok((Integer(m), Integer(n))) if m % n == 0 => ranged("/", Some(m / n), a, b),
        Ok((m, n)) => heap::float(m.to_float() / n.to_float()),
        Err(raised) => raised,
    }
}

/// An integer, exact or as a float; `None` if a value is none.
fn integer_of(value: i64) -> Option<Number> {
    number(value).filter(|number| match number {
        Integer(_) => true,
        Float(x) => x.is_finite() && x.trunc() == *x,
    })
}

/// An operation on integers with a quotient.
fn integral(
    name: &str,
    a: i64,
    b: i64,
    operation: fn(i64, i64) -> i64,
    of_floats: fn(f64, f64) -> f64,
) -> i64 {
    match (integer_of(a), integer_of(b)) {
        (None, _) => wrong(name, "an integer", a),
        (_, None) => wrong(name, "an integer", b),
        (_, Some(n)) if n.to_float() == 0.0 => fail(&format!("{name}: division by zero:"), &[a]),
        (Some(Integer(m)), Some(Integer(n))) => ranged(name, Some(operation(m, n)), a, b),
        (Some(m), Some(n)) => heap::float(of_floats(m.to_float(), n.to_float())),
    }
}

pub extern "C" fn quotient(a: i64, b: i64, _: i64) -> i64 {
    integral("quotient", a, b, i64::wrapping_div, |a, b| (a / b).trunc())
}

pub extern "C" fn remainder(a: i64, b: i64, _: i64) -> i64 {
    integral("remainder", a, b, i64::wrapping_rem, |a, b| a % b)
}

/// The sign is the divisor's.
pub extern "C" fn modulo(a: i64, b: i64, _: i64) -> i64 {
    let of_floats = |a: f64, b: f64| match a % b {
        rest if rest != 0.0 && (rest < 0.0) != (b < 0.0) => rest + b,
        rest => rest,
    };
    integral("modulo", a, b, |a, b| (a % b + b) % b, of_floats)
}

/// How two numbers compare; `None` if one is not a number.
fn compare(a: Number, b: Number) -> Option<Ordering> {
    match (a, b) {
        (Integer(a), Integer(b)) => Some(a.cmp(&b)),
        _ => a.to_float().partial_cmp(&b.to_float()),
    }
}

macro_rules! comparisons {
    ($($name:ident $sign:literal $matches:expr;)*) => {$(
        pub extern "C" fn $name(a: i64, b: i64, _: i64) -> i64 {
            match operands($sign, a, b) {
                Ok((a, b)) => truth(compare(a, b).is_some_and($matches)),
                Err(raised) => raised,
            }
        }
    )*};
}

comparisons! {
    equal "=" Ordering::is_eq;
    less "<" Ordering::is_lt;
    less_equal "<=" Ordering::is_le;
    greater ">" Ordering::is_gt;
    greater_equal ">=" Ordering::is_ge;
}

macro_rules! functions {
    ($($name:ident $scheme:literal $function:expr;)*) => {$(
        pub extern "C" fn $name(a: i64, _: i64, _: i64) -> i64 {
            let function: fn(f64) -> f64 = $function;
            match number(a) {
                Some(x) => heap::float(function(x.to_float())),
                None => wrong($scheme, "a number", a),
            }
        }
    )*};
}

functions! {
    sqrt "sqrt" f64::sqrt;
    exp "exp" f64::exp;
    log "log" f64::ln;
    sin "sin" f64::sin;
    cos "cos" f64::cos;
    atan "atan" f64::atan;
    to_float "inexact" |x| x;
}

macro_rules! roundings {
    ($($name:ident $scheme:literal $function:expr;)*) => {$(
        pub extern "C" fn $name(a: i64, _: i64, _: i64) -> i64 {
            let function: fn(f64) -> f64 = $function;
            match number(a) {
                Some(Integer(_)) => a,
                Some(Float(x)) => heap::float(function(x)),
                None => wrong($scheme, "a number", a),
            }
        }
    )*};
}

roundings! {
    floor "floor" f64::floor;
    ceiling "ceiling" f64::ceil;
    truncate "truncate" f64::trunc;
    round "round" f64::round_ties_even;
}

pub extern "C" fn atan2(a: i64, b: i64, _: i64) -> i64 {
    match operands("atan", a, b) {
        Ok((y, x)) => heap::float(y.to_float().atan2(x.to_float())),
        Err(raised) => raised,
    }
}

/// A power of floats; that of integers is in the prelude.
pub extern "C" fn power(a: i64, b: i64, _: i64) -> i64 {
    match operands("expt", a, b) {
        Ok((x, y)) => heap::float(x.to_float().powf(y.to_float())),
        Err(raised) => raised,
    }
}

/// Floats between the least fixnum and what is above the greatest.
const FIXNUMS: std::ops::Range<f64> = -((1i64 << 62) as f64)..(1i64 << 62) as f64;

pub extern "C" fn exact(a: i64, _: i64, _: i64) -> i64 {
    match number(a) {
        Some(Integer(_)) => a,
        Some(Float(x)) if x == x.trunc() && FIXNUMS.contains(&x) => fixnum(x as i64),
        Some(Float(_)) => fail("exact: this is no integer in range:", &[a]),
        None => wrong("exact", "a number", a),
    }
}

macro_rules! bits {
    ($($name:ident $scheme:literal $operation:expr;)*) => {$(
        pub extern "C" fn $name(a: i64, b: i64, _: i64) -> i64 {
            let operation: fn(i64, i64) -> Option<i64> = $operation;
            match (is_fixnum(a), is_fixnum(b)) {
                (true, true) => ranged($scheme, operation(integer(a), integer(b)), a, b),
                (false, _) => wrong($scheme, "an integer", a),
                (_, false) => wrong($scheme, "an integer", b),
            }
        }
    )*};
}

bits! {
    bitwise_and "bitwise-and" |a, b| Some(a & b);
    bitwise_or "bitwise-or" |a, b| Some(a | b);
    bitwise_xor "bitwise-xor" |a, b| Some(a ^ b);
    shift "arithmetic-shift" |a, b| match b {
        ..0 => Some(a >> b.unsigned_abs().min(63)),
        _ if a == 0 => Some(0),
        0..=62 => Some(a << b).filter(|shifted| shifted >> b == a),
        _ => None,
    };
}

pub extern "C" fn is_number(a: i64, _: i64, _: i64) -> i64 {
    truth(number(a).is_some())
}

pub extern "C" fn is_integer(a: i64, _: i64, _: i64) -> i64 {
    truth(match number(a) {
        Some(Integer(_)) => true,
        Some(Float(x)) => x.is_finite() && x == x.trunc(),
        None => false,
    })
}

pub extern "C" fn is_fixnum_value(a: i64, _: i64, _: i64) -> i64 {
    truth(is_fixnum(a))
}

pub extern "C" fn is_float(a: i64, _: i64, _: i64) -> i64 {
    truth(is(a, tag::FLOAT))
}

/// A number as text, integers in a base.
pub fn shown(number: Number, base: i64) -> String {
    match number {
        Integer(n) if base == 10 => n.to_string(),
        Integer(n) => {
            let (mut digits, mut rest) = (Vec::new(), n.unsigned_abs());
            while rest > 0 || digits.is_empty() {
                let digit = (rest % base as u64) as u32;
                digits.extend(char::from_digit(digit, base as u32));
                rest /= base as u64;
            }
            digits.extend((n < 0).then_some('-'));
            digits.iter().rev().collect()
        }
        Float(x) if x.is_nan() => "+nan.0".into(),
        Float(x) if x.is_infinite() => if x > 0.0 { "+inf.0" } else { "-inf.0" }.into(),
        Float(x) => format!("{x:?}"),
    }
}

pub extern "C" fn to_string(a: i64, base: i64, _: i64) -> i64 {
    match number(a) {
        None => wrong("number->string", "a number", a),
        Some(_) if !is_fixnum(base) || !(2..=36).contains(&integer(base)) => {
            wrong("number->string", "a base from 2 to 36", base)
        }
        Some(number) => strings::from_str(&shown(number, integer(base))),
    }
}

pub extern "C" fn of_string(a: i64, base: i64, _: i64) -> i64 {
    if !is(a, tag::STRING) {
        return wrong("string->number", "a string", a);
    }
    if !is_fixnum(base) || !(2..=36).contains(&integer(base)) {
        return wrong("string->number", "a base from 2 to 36", base);
    }
    let text = strings::to_string(a);
    if integer(base) != 10 {
        let parsed = i64::from_str_radix(&text, integer(base) as u32).ok();
        return parsed.and_then(checked_fixnum).unwrap_or(FALSE);
    }
    match datum::prefixed_number(&text) {
        Some(Datum::Integer(n)) => checked_fixnum(n).unwrap_or(FALSE),
        Some(Datum::Float(x)) => heap::float(x),
        _ => FALSE,
    }
}

// Characters.

pub extern "C" fn char_to_integer(a: i64, _: i64, _: i64) -> i64 {
    match is_character(a) {
        true => fixnum(a >> 8),
        false => wrong("char->integer", "a character", a),
    }
}

pub extern "C" fn integer_to_char(a: i64, _: i64, _: i64) -> i64 {
    let code = u32::try_from(integer(a)).ok().filter(|_| is_fixnum(a));
    match code.and_then(char::from_u32) {
        Some(c) => character(c),
        None => wrong("integer->char", "the code of a character", a),
    }
}

macro_rules! characters {
    ($($name:ident $scheme:literal $function:expr;)*) => {$(
        pub extern "C" fn $name(a: i64, _: i64, _: i64) -> i64 {
            let function: fn(char) -> i64 = $function;
            match is_character(a) {
                true => function(to_char(a)),
                false => wrong($scheme, "a character", a),
            }
        }
    )*};
}

characters! {
    char_upcase "char-upcase" |c| character(c.to_uppercase().next().unwrap_or(c));
    char_downcase "char-downcase" |c| character(c.to_lowercase().next().unwrap_or(c));
    is_alphabetic "char-alphabetic?" |c| truth(c.is_alphabetic());
    is_numeric "char-numeric?" |c| truth(c.is_numeric());
    is_whitespace "char-whitespace?" |c| truth(c.is_whitespace());
}
