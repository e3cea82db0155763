//! Conversion of text to numbers: `int_of_string` and its kin, `float_of_string`.

use std::borrow::Cow;

/// Sign, base and signedness of a literal, and its digits.
struct Literal<'a> {
    negative: bool,
    base: u64,
    /// Decimal numbers without `0u` have a range of their own; others wrap.
    signed: bool,
    digits: &'a [u8],
}

impl<'a> Literal<'a> {
    fn new(text: &'a [u8]) -> Self {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (base, signed, digits) = match rest {
            [b'0', b'x' | b'X', digits @ ..] => (16, false, digits),
            [b'0', b'o' | b'O', digits @ ..] => (8, false, digits),
            [b'0', b'b' | b'B', digits @ ..] => (2, false, digits),
            [b'0', b'u' | b'U', digits @ ..] => (10, false, digits),
            _ => (10, true, rest),
        };
        Self {
            negative,
            base,
            signed,
            digits,
        }
    }
}

fn digit(byte: u8, base: u64) -> Option<u64> {
    let digit = (byte as char).to_digit(16)? as u64;
    (digit < base).then_some(digit)
}

/// The largest number whose product with `base` has 64 bits. The quotients are constants: from a
/// division the compiler would make a multiplication of 128 bits, which Wasm does not have.
fn most(base: u64) -> u64 {
    match base {
        2 => u64::MAX / 2,
        8 => u64::MAX / 8,
        10 => u64::MAX / 10,
        _ => u64::MAX / 16,
    }
}

/// Most decimal digits of a number that surely fits, whatever its bits.
const FEW_DIGITS: usize = 9;

/// The number, if it has few decimal digits and nothing else.
fn plain(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > FEW_DIGITS {
        return None;
    }
    text.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + i64::from(digit))
    })
}

/// The integer of `bits` bits (31 and more) that `text` denotes, or `None` for a syntax error or an
/// overflow.
pub fn integer(text: &[u8], bits: u32) -> Option<i64> {
    if let Some(number) = plain(text) {
        return Some(number);
    }
    let literal = Literal::new(text);
    let (&first, rest) = literal.digits.split_first()?;
    let mut magnitude = digit(first, literal.base)?;
    let most = most(literal.base);
    for &byte in rest {
        if byte == b'_' {
            continue;
        }
        let digit = digit(byte, literal.base)?;
        if magnitude > most {
            return None;
        }
        magnitude = (magnitude * literal.base).checked_add(digit)?;
    }
    let limit = match (literal.signed, literal.negative) {
        (true, true) => 1 << (bits - 1),
        (true, false) => (1 << (bits - 1)) - 1,
        (false, _) => u64::MAX >> (64 - bits),
    };
    if magnitude > limit {
        return None;
    }
    let magnitude = magnitude as i64;
    Some(if literal.negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    })
}

/// The float that `text` denotes, underscores dropped.
pub fn float(text: &[u8]) -> Option<f64> {
    let text = without_underscores(text);
    // As C's `strtod`: blanks before the number, none after it.
    let text = after_blanks(&text);
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] => rest,
        rest => rest,
    };
    match unsigned {
        [b'0', b'x' | b'X', digits @ ..] => {
            let x = hexadecimal(digits)?;
            Some(if text[0] == b'-' { -x } else { x })
        }
        _ => decimal(std::str::from_utf8(text).ok()?),
    }
}

/// What follows the blanks that C's functions skip before a number.
fn after_blanks(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r');
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    &text[blanks..]
}

fn without_underscores(text: &[u8]) -> Cow<'_, [u8]> {
    if text.contains(&b'_') {
        Cow::Owned(text.iter().copied().filter(|&byte| byte != b'_').collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn decimal(text: &str) -> Option<f64> {
    match text.parse::<f64>() {
        Ok(x) => Some(x),
        Err(_) => nan_with_payload(text),
    }
}

/// `nan(digits)`: the payload is the number in parentheses, 0 if it is none.
fn nan_with_payload(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (negative, rest) = match lower.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    let payload = rest.strip_prefix("nan(")?.strip_suffix(')')?;
    if !payload.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let number = match (payload.strip_prefix("0x"), payload.strip_prefix('0')) {
        (Some(digits), _) => u64::from_str_radix(digits, 16),
        (None, Some(digits)) if !digits.is_empty() => u64::from_str_radix(digits, 8),
        (None, _) => payload.parse(),
    };
    let bits = 0x7FF8 << 48 | number.unwrap_or(0) & ((1 << 51) - 1);
    Some(f64::from_bits(bits | u64::from(negative) << 63))
}

/// Digits of a hexadecimal float being read: 60 significant bits, the last one rounded to odd.
#[derive(Default)]
struct Hexadecimal {
    mantissa: u64,
    /// Bits in the mantissa, and read after it was full.
    bits: u32,
    bits_after: i64,
    /// All bits read, and how many before the point.
    bits_read: i64,
    point: Option<i64>,
}

impl Hexadecimal {
    fn digit(&mut self, digit: u64) {
        self.bits_read += 4;
        if digit == 0 && self.mantissa == 0 {
            return;
        }
        if self.bits < 60 {
            self.mantissa = self.mantissa << 4 | digit;
            self.bits += 4;
        } else {
            self.mantissa |= u64::from(digit != 0);
            self.bits_after += 4;
        }
    }

    fn value(&self, exponent: i64) -> f64 {
        let fraction = self.point.map_or(0, |point| self.bits_read - point);
        let exponent = exponent.saturating_add(self.bits_after - fraction);
        scale(self.mantissa as f64, exponent.clamp(-10_000, 10_000) as i32)
    }
}

/// A hexadecimal float after its `0x`.
fn hexadecimal(text: &[u8]) -> Option<f64> {
    let mut number = Hexadecimal::default();
    let mut exponent = 0;
    let mut bytes = text.iter().enumerate();
    for (index, &byte) in &mut bytes {
        match byte {
            b'.' if number.point.is_some() => return None,
            b'.' => number.point = Some(number.bits_read),
            b'p' | b'P' => {
                exponent = decimal_exponent(&text[index + 1..])?;
                break;
            }
            _ => number.digit(digit(byte, 16)?),
        }
    }
    (number.bits_read > 0).then(|| number.value(exponent))
}

/// All of `text` as a number, as C's `strtol` reads it: after blanks, and saturated.
fn decimal_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match after_blanks(text) {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0i64, |n, digit| {
        n.saturating_mul(10).saturating_add((digit - b'0') as i64)
    });
    Some(if negative { -magnitude } else { magnitude })
}

/// `x * 2^exponent`, rounded once.
pub fn scale(x: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    let (mut x, mut exponent) = (x, exponent);
    while exponent > 1023 {
        x *= power(1023);
        exponent -= 1023;
        if x.is_infinite() || x == 0.0 {
            return x;
        }
    }
    // Steps of 2^-969 leave 53 bits above the smallest normal number, so only the last one rounds.
    while exponent < -1022 {
        x *= power(-969);
        exponent += 969;
        if x == 0.0 {
            return x;
        }
    }
    x * power(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let int = |text: &str| integer(text.as_bytes(), 63);
        assert_eq!(int("42"), Some(42));
        assert_eq!(int("-0x10"), Some(-16));
        assert_eq!(int("1_"), Some(1));
        assert_eq!(int("_1"), None);
        assert_eq!(int(" 1"), None);
        assert_eq!(int(""), None);
        assert_eq!(int("-"), None);
        assert_eq!(int("0x"), None);
        assert_eq!(int("4611686018427387903"), Some((1 << 62) - 1));
        assert_eq!(int("4611686018427387904"), None);
        assert_eq!(int("-4611686018427387904"), Some(-(1 << 62)));
        assert_eq!(int("0u9223372036854775807"), Some(i64::MAX));
        assert_eq!(int("0x7fffffffffffffff"), Some(i64::MAX));
        assert_eq!(int("0x8000000000000000"), None);
        assert_eq!(integer(b"0xffffffff", 32), Some(0xffff_ffff));
        assert_eq!(integer(b"2147483648", 32), None);
        assert_eq!(integer(b"0xffffffffffffffff", 64), Some(-1));
        assert_eq!(integer(b"-9223372036854775808", 64), Some(i64::MIN));
        assert_eq!(integer(b"9223372036854775808", 64), None);
    }

    #[test]
    fn floats() {
        let float = |text: &str| float(text.as_bytes());
        assert_eq!(float("1_000.5"), Some(1000.5));
        assert_eq!(float("1."), Some(1.0));
        assert_eq!(float(".5e1"), Some(5.0));
        assert_eq!(float(" 1"), Some(1.0));
        assert_eq!(float("1 "), None);
        assert_eq!(float("1e"), None);
        assert_eq!(float(""), None);
        assert_eq!(float("."), None);
        assert_eq!(float("-infinity"), Some(f64::NEG_INFINITY));
        assert!(float("nan(12)").is_some_and(f64::is_nan));
        assert_eq!(float("0x1.8p1"), Some(3.0));
        assert_eq!(float("-0x.8"), Some(-0.5));
        assert_eq!(float("0x"), None);
        assert_eq!(float("0x1p"), None);
        assert_eq!(float("0x1p 5"), Some(32.0));
        assert_eq!(float("0x1p "), None);
        assert_eq!(float("0x1p- 5"), None);
        assert_eq!(float("0x1p99999999999999999999"), Some(f64::INFINITY));
        assert_eq!(float("0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(float("0x1.8p-1074"), Some(f64::from_bits(2)));
        assert_eq!(float("0x1p-1075"), Some(0.0));
        assert_eq!(
            float("0x1.00000000000008000000001"),
            Some(1.0 + f64::EPSILON)
        );
    }
}
