//! Conversion of numbers to text, as C's `printf` and OCaml's `%h` do it, byte for byte.
//!
//! Decimal digits of floats are rounded correctly (ties to even): [`digits`] makes those of most
//! floats, `core` the others.
//!
//! Widths and precisions may ask for more text than there is memory. So what makes text takes no
//! more than [`Spec::most_bytes`] says, which callers look for first.

mod digits;
mod integers;

use crate::allocator;
use std::fmt::Write;

use self::digits::Scientific;
pub use self::integers::{Digits, integer};

/// One conversion specification: `%`, flags, width, precision, conversion.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Spec {
    /// `-`: pad on the right.
    left: bool,
    /// `+`: a sign even for positive numbers.
    plus: bool,
    /// A space in place of a plus sign.
    space: bool,
    /// `#`: prefix of hexadecimal and octal numbers, point of floats.
    alternate: bool,
    /// `0`: pad with zeros after the sign.
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// `l`: an integer of 64 bits, not of 32.
    pub long: bool,
    /// The last letter.
    conversion: u8,
}

/// More than any number has without padding.
const FEW_BYTES: usize = 1 << 12;

/// The conversions of integers.
pub const INTEGERS: &[u8] = b"diuxXo";

/// The conversions of floats.
pub const FLOATS: &[u8] = b"eEfFgG";

impl Spec {
    /// Parses a format that is one specification; length letters (`l`, `n`, `L`) are skipped.
    fn parse(format: &[u8]) -> Option<Spec> {
        let (spec, rest) = Spec::leading(format)?;
        rest.is_empty().then_some(spec)
    }

    /// The specification that a format begins with, and what follows it.
    fn leading(format: &[u8]) -> Option<(Spec, &[u8])> {
        let mut spec = Spec::default();
        let mut rest = format.strip_prefix(b"%")?.iter().copied().peekable();
        while let Some(flag) = rest.next_if(|byte| b"-+ #0".contains(byte)) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                _ => spec.zero = true,
            }
        }
        spec.width = number(&mut rest);
        if rest.next_if_eq(&b'.').is_some() {
            spec.precision = Some(number(&mut rest));
        }
        while rest.next_if(|byte| b"lnL".contains(byte)).is_some() {
            spec.long = true;
        }
        spec.conversion = rest.next()?;
        Some((spec, &format[format.len() - rest.count()..]))
    }

    /// The memory that a conversion may take: digits, and the same with what is around them.
    fn most_bytes(&self) -> usize {
        let twice = self.precision.unwrap_or(0).saturating_mul(2);
        twice.saturating_add(self.width).saturating_add(FEW_BYTES)
    }

    /// What stands before a number.
    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Joins prefix and digits and pads them to the width.
    fn pad(&self, prefix: &str, digits: &str, with_zeros: bool) -> String {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let (spaces, zeros, after) = match (self.left, with_zeros) {
            (true, _) => (0, 0, missing),
            (false, true) => (0, missing, 0),
            (false, false) => (missing, 0, 0),
        };
        let mut text = String::with_capacity(self.width.max(prefix.len() + digits.len()));
        text.extend(std::iter::repeat_n(' ', spaces));
        text.push_str(prefix);
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(digits);
        text.extend(std::iter::repeat_n(' ', after));
        text
    }
}

/// The specification that is the whole format, if it is one of these conversions.
pub fn only(format: &[u8], conversions: &[u8]) -> Option<Spec> {
    Spec::parse(format).filter(|spec| conversions.contains(&spec.conversion))
}

/// What C's `printf` writes for a format and one number, which `convert` renders; nothing if memory
/// is exhausted. `conversions` are those of its type. A second specification, or one for another
/// type, is undefined in C; here it is printed as it is.
pub fn print(
    format: &[u8],
    conversions: &[u8],
    convert: impl Fn(&Spec) -> String,
) -> Option<Vec<u8>> {
    if let Some(spec) = only(format, conversions) {
        return Some(converted(&spec, convert)?.into_bytes());
    }
    let mut text = Vec::new();
    let mut is_converted = false;
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        rest = match Spec::leading(rest) {
            Some((spec, after)) if !is_converted && conversions.contains(&spec.conversion) => {
                text = [text, converted(&spec, &convert)?.into_bytes()].concat();
                is_converted = true;
                after
            }
            directive => {
                text.push(b'%');
                match directive {
                    Some((spec, after)) if spec.conversion == b'%' => after,
                    Some(_) | None => &rest[1..],
                }
            }
        };
    }
    text.extend_from_slice(rest);
    Some(text)
}

/// What `convert` makes of a number; nothing if memory is exhausted.
pub fn converted(spec: &Spec, convert: impl Fn(&Spec) -> String) -> Option<String> {
    /// So little is not looked for.
    const LITTLE: usize = 1 << 16;
    let most = spec.most_bytes();
    (most < LITTLE || allocator::has(most)).then(|| convert(spec))
}

/// So many zeros between two texts.
fn zeros_around(before: &str, zeros: usize, after: &str) -> String {
    let mut text = String::with_capacity(before.len() + zeros + after.len());
    text.push_str(before);
    text.extend(std::iter::repeat_n('0', zeros));
    text.push_str(after);
    text
}

fn number(bytes: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> usize {
    let mut n = 0usize;
    while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
        n = n.saturating_mul(10).saturating_add((digit - b'0') as usize);
    }
    n
}

/// Digits after the point that any float has at most: more are zeros.
const MOST_DIGITS: usize = 1100;

/// A float in one of the conversions `e`, `E`, `f`, `F`, `g`, `G`.
pub fn float(spec: &Spec, x: f64) -> String {
    let sign = spec.sign(x.is_sign_negative());
    let magnitude = x.abs();
    let upper = spec.conversion.is_ascii_uppercase();
    let digits = match (magnitude.is_nan(), magnitude.is_infinite()) {
        (true, _) => "nan".to_owned(),
        (_, true) => "inf".to_owned(),
        (false, false) => finite(spec, magnitude),
    };
    let digits = if upper {
        digits.to_ascii_uppercase()
    } else {
        digits
    };
    match sign.is_empty() && digits.len() >= spec.width {
        true => digits,
        false => spec.pad(sign, &digits, spec.zero && magnitude.is_finite()),
    }
}

fn finite(spec: &Spec, x: f64) -> String {
    let precision = spec.precision.unwrap_or(6);
    match spec.conversion {
        b'e' | b'E' => Decimal::new(x, precision).scientific(precision, spec.alternate),
        b'f' | b'F' => fixed(x, precision, spec.alternate),
        _ => general(x, precision.max(1), spec.alternate),
    }
}

/// A float's significant digits and decimal exponent: `d.ddd * 10^exponent`.
struct Decimal {
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// Rounds `x` to `precision` digits after the first.
    fn new(x: f64, precision: usize) -> Self {
        if let Some(Scientific { digits, exponent }) = digits::scientific(x, precision) {
            return Self { digits, exponent };
        }
        let mut text = String::with_capacity(precision.min(MOST_DIGITS) + 8);
        write!(text, "{x:.*e}", precision.min(MOST_DIGITS)).expect("a string grows");
        let at = text
            .rfind('e')
            .expect("scientific notation has an exponent");
        let exponent = text[at + 1..].parse().expect("the exponent is a number");
        text.truncate(at);
        if text.len() > 1 {
            text.remove(1);
        }
        Self {
            digits: text,
            exponent,
        }
    }

    /// `d.ddde±dd`, with `precision` digits after the point.
    fn scientific(mut self, precision: usize, point: bool) -> String {
        let missing = precision
            .saturating_add(1)
            .saturating_sub(self.digits.len());
        self.digits = zeros_around(&self.digits, missing, "");
        self.with_exponent(point)
    }

    /// The same with the digits that there are.
    fn with_exponent(&self, point: bool) -> String {
        let (first, rest) = self.digits.split_at(1);
        let point = if point || !rest.is_empty() { "." } else { "" };
        let sign = if self.exponent < 0 { '-' } else { '+' };
        let exponent = format!("e{sign}{:02}", self.exponent.abs());
        [first, point, rest, &exponent].concat()
    }

    /// Positional notation, with the digits that there are.
    fn positional(&self) -> String {
        let digits = &self.digits;
        let mut text = String::with_capacity(digits.len() + 8);
        match usize::try_from(self.exponent) {
            Err(_) => {
                let zeros = self.exponent.unsigned_abs() as usize - 1;
                text.push_str("0.");
                text.extend(std::iter::repeat_n('0', zeros));
                text.push_str(digits);
            }
            Ok(exponent) if digits.len() <= exponent + 1 => {
                text.push_str(digits);
                text.extend(std::iter::repeat_n('0', exponent + 1 - digits.len()));
            }
            Ok(exponent) => {
                text.push_str(&digits[..=exponent]);
                text.push('.');
                text.push_str(&digits[exponent + 1..]);
            }
        }
        text
    }

    /// Drops zeros at the end, but for the first digit.
    fn trim_zeros(&mut self) {
        let len = self.digits.trim_end_matches('0').len().max(1);
        self.digits.truncate(len);
    }
}

/// `ddd.ddd`, with `precision` digits after the point.
fn fixed(x: f64, precision: usize, point: bool) -> String {
    let most = precision.min(MOST_DIGITS);
    let text = digits::fixed(x, most).unwrap_or_else(|| format!("{x:.most$}"));
    let mut text = zeros_around(&text, precision - most, "");
    if point && !text.contains('.') {
        text.push('.');
    }
    text
}

/// The shorter of both, with `precision` significant digits, without trailing zeros unless
/// `alternate`.
fn general(x: f64, precision: usize, alternate: bool) -> String {
    let mut decimal = Decimal::new(x, precision - 1);
    let exponent = i64::from(decimal.exponent);
    let is_fixed = exponent >= -4 && exponent < precision as i64;
    if alternate {
        return if is_fixed {
            fixed(x, (precision as i64 - 1 - exponent) as usize, true)
        } else if exponent == precision as i64 && rounds_up_to_power(x, precision) {
            // glibc chooses positional notation before it rounds, and here prints no zeros.
            decimal.trim_zeros();
            decimal.with_exponent(true)
        } else {
            decimal.scientific(precision - 1, true)
        };
    }
    decimal.trim_zeros();
    if is_fixed {
        decimal.positional()
    } else {
        decimal.with_exponent(false)
    }
}

/// Whether `x`, which rounds to 10 to the power `digits`, has fewer digits before the point than
/// that.
fn rounds_up_to_power(x: f64, digits: usize) -> bool {
    format!("{:.0}", x.trunc()).len() <= digits
}

/// The same, unless memory is exhausted.
pub fn try_hexadecimal(x: f64, precision: Option<usize>, style: u8) -> Option<String> {
    let spec = Spec {
        precision,
        ..Spec::default()
    };
    converted(&spec, |_| hexadecimal(x, precision, style))
}

/// A float in hexadecimal, `%h`: `precision` digits after the point, or as many as it takes;
/// `style` is `+` or a space for a sign of positive numbers.
pub fn hexadecimal(x: f64, precision: Option<usize>, style: u8) -> String {
    let sign = match (x.is_sign_negative(), style) {
        (true, _) => "-",
        (false, b'+') => "+",
        (false, b' ') => " ",
        (false, _) => "",
    };
    if x.is_nan() {
        return format!("{sign}nan");
    }
    if x.is_infinite() {
        return format!("{sign}infinity");
    }
    let fraction = x.to_bits() & ((1 << 52) - 1);
    let (exponent, mantissa) = match (x.to_bits() >> 52) as i32 & 0x7FF {
        0 if fraction == 0 => (0, 0),
        0 => (-1022, fraction),
        biased => (biased - 1023, fraction | 1 << 52),
    };
    let mantissa = match precision {
        Some(precision) if precision < 13 => round_to_even(mantissa, 52 - precision as u32 * 4),
        Some(_) | None => mantissa,
    };
    let digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    let digits = match precision {
        Some(precision) if precision <= 13 => digits[..precision].to_owned(),
        Some(precision) => zeros_around(&digits, precision - digits.len(), ""),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let (first, exponent) = (format!("{:x}", mantissa >> 52), format!("p{exponent:+}"));
    [sign, "0x", &first, point, &digits, &exponent].concat()
}

/// `n` rounded to a multiple of `1 << bits`, ties to even.
fn round_to_even(n: u64, bits: u32) -> u64 {
    let unit = 1u64 << bits;
    let rest = n & (unit - 1);
    let down = n - rest;
    let up = rest > unit / 2 || rest == unit / 2 && down & unit != 0;
    if up { down + unit } else { down }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_around_a_number() {
        let print = |format: &str| {
            let text = print(format.as_bytes(), INTEGERS, |spec| integer(spec, 42, 42));
            String::from_utf8(text.expect("memory")).expect("it was")
        };
        assert_eq!(print("0x%lX"), "0x2A");
        assert_eq!(print("100%% of [%5d] a"), "100% of [   42] a");
        assert_eq!(print("%%d"), "%d");
        assert_eq!(print("%d%l%"), "42%");
        assert_eq!(print("%d %d %s"), "42 %d %s");
        assert_eq!(print("%"), "%");
        assert_eq!(print("%5"), "%5");
        assert_eq!(print("none"), "none");
    }

    fn int(format: &str, n: i64) -> String {
        integer(
            &Spec::parse(format.as_bytes()).expect("a specification"),
            n,
            n as u64 & (u64::MAX >> 1),
        )
    }

    fn flt(format: &str, x: f64) -> String {
        float(&Spec::parse(format.as_bytes()).expect("a specification"), x)
    }

    #[test]
    fn integers() {
        assert_eq!(int("%d", -42), "-42");
        assert_eq!(int("%-5d", 42), "42   ");
        assert_eq!(int("%05d", -42), "-0042");
        assert_eq!(int("%+d", 42), "+42");
        assert_eq!(int("% d", 42), " 42");
        assert_eq!(int("%.3d", 7), "007");
        assert_eq!(int("%08.3d", 7), "     007");
        assert_eq!(int("%#x", 255), "0xff");
        assert_eq!(int("%#X", 255), "0XFF");
        assert_eq!(int("%#o", 8), "010");
        assert_eq!(int("%x", -1), "7fffffffffffffff");
        assert_eq!(int("%.0d", 0), "");
        assert_eq!(int("%#.0o", 0), "0");
        assert_eq!(int("%lu", 3), "3");
    }

    #[test]
    fn floats() {
        assert_eq!(flt("%.12g", 0.1), "0.1");
        assert_eq!(flt("%.12g", 1e15), "1e+15");
        assert_eq!(flt("%.12g", 100000.0), "100000");
        assert_eq!(flt("%.17g", 0.1), "0.10000000000000001");
        assert_eq!(flt("%g", 0.0001), "0.0001");
        assert_eq!(flt("%g", 0.00001), "1e-05");
        assert_eq!(flt("%#g", 1.0), "1.00000");
        assert_eq!(flt("%e", 12345.678), "1.234568e+04");
        assert_eq!(flt("%.0e", 2.5), "2e+00");
        assert_eq!(flt("%.0f", 0.5), "0");
        assert_eq!(flt("%.0f", 1.5), "2");
        assert_eq!(flt("%.1f", 0.25), "0.2");
        assert_eq!(flt("%08.2f", -3.24159), "-0003.24");
        assert_eq!(flt("%G", 1e-10), "1E-10");
        assert_eq!(flt("%f", f64::NEG_INFINITY), "-inf");
        assert_eq!(flt("%08f", f64::INFINITY), "     inf");
        assert_eq!(flt("%.3g", 999.9), "1e+03");
        assert_eq!(flt("%#.3g", 999.9), "1.e+03");
        assert_eq!(flt("%#.3g", 9999.0), "1.00e+04");
        assert_eq!(flt("%#.3g", 1000.0), "1.00e+03");
    }

    #[test]
    fn hexadecimal_floats() {
        assert_eq!(hexadecimal(1.0, None, b'-'), "0x1p+0");
        assert_eq!(hexadecimal(0.1, None, b'-'), "0x1.999999999999ap-4");
        assert_eq!(hexadecimal(-0.0, None, b'-'), "-0x0p+0");
        assert_eq!(
            hexadecimal(f64::from_bits(1), None, b'+'),
            "+0x0.0000000000001p-1022"
        );
        assert_eq!(hexadecimal(1.999999, Some(0), b'-'), "0x2p+0");
        assert_eq!(hexadecimal(1.5, Some(15), b'-'), "0x1.800000000000000p+0");
        let long = hexadecimal(1.5, Some(100_000), b'-');
        assert_eq!(long.len(), "0x1.p+0".len() + 100_000);
        assert!(long.starts_with("0x1.8000") && long.ends_with("000p+0"));
    }
}
