//! Integers as text.

use super::{Spec, zeros_around};

/// An integer, given as such and as the unsigned number that `u`, `x`, `X` and `o` print.
pub fn integer(spec: &Spec, signed: i64, unsigned: u64) -> String {
    let digits = match spec.conversion {
        b'u' => Digits::decimal(unsigned),
        b'x' => Digits::hexadecimal(unsigned),
        b'X' => Digits::upper_hexadecimal(unsigned),
        b'o' => Digits::octal(unsigned),
        _ => Digits::decimal(signed.unsigned_abs()),
    };
    let digits = digits.as_str();
    let prefix = match spec.conversion {
        b'x' if spec.alternate && unsigned != 0 => "0x",
        b'X' if spec.alternate && unsigned != 0 => "0X",
        b'u' | b'x' | b'X' | b'o' => "",
        _ => spec.sign(signed < 0),
    };
    let mut least = spec.precision.unwrap_or(1);
    if spec.conversion == b'o' && spec.alternate {
        least = least.max(if unsigned == 0 { 1 } else { digits.len() + 1 });
    }
    let with_zeros = spec.zero && spec.precision.is_none();
    match digits.len() {
        1 if digits == "0" && least == 0 => spec.pad(prefix, "", with_zeros),
        len if len < least => spec.pad(prefix, &zeros_around("", least - len, digits), with_zeros),
        _ => spec.pad(prefix, digits, with_zeros),
    }
}

/// Enough for 64 bits in octal, and a sign.
const ROOM: usize = 23;

/// The digits of a number, without memory of the allocator's.
pub struct Digits {
    bytes: [u8; ROOM],
    start: usize,
}

impl Digits {
    #[inline(always)]
    pub fn decimal(n: u64) -> Self {
        Self::new(n, b"0123456789")
    }

    #[inline(always)]
    pub fn octal(n: u64) -> Self {
        Self::new(n, b"01234567")
    }

    #[inline(always)]
    pub fn hexadecimal(n: u64) -> Self {
        Self::new(n, b"0123456789abcdef")
    }

    #[inline(always)]
    pub fn upper_hexadecimal(n: u64) -> Self {
        Self::new(n, b"0123456789ABCDEF")
    }

    /// In a base of at least 8.
    #[inline(always)]
    fn new<const BASE: usize>(mut n: u64, digits: &[u8; BASE]) -> Self {
        let mut bytes = [0; ROOM];
        let mut start = ROOM;
        loop {
            start -= 1;
            bytes[start] = digits[(n % BASE as u64) as usize];
            n /= BASE as u64;
            if n == 0 {
                return Self { bytes, start };
            }
        }
    }

    /// With a minus sign before them.
    pub fn negated(mut self) -> Self {
        self.start -= 1;
        self.bytes[self.start] = b'-';
        self
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("digits are ASCII")
    }
}
