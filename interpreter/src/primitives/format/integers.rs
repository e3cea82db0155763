//! Integers as text.

use super::{Spec, zeros_around};

/// An integer, given as such and as the unsigned number that `u`, `x`, `X` and `o` print.
pub fn integer(spec: &Spec, signed: i64, unsigned: u64) -> String {
    let digits = match spec.conversion {
        b'u' => Digits::decimal(unsigned),
        b'x' => Digits::of_bits(unsigned, 4, b"0123456789abcdef"),
        b'X' => Digits::of_bits(unsigned, 4, b"0123456789ABCDEF"),
        b'o' => Digits::of_bits(unsigned, 3, b"0123456789abcdef"),
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
    pub fn decimal(n: u64) -> Self {
        let mut digits = Self::new();
        let mut rest = n;
        loop {
            digits.prepend(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                return digits;
            }
        }
    }

    /// In the base of so many bits, 3 or 4.
    fn of_bits(n: u64, bits: u32, digits: &[u8; 16]) -> Self {
        let mut found = Self::new();
        let mut rest = n;
        loop {
            found.prepend(digits[rest as usize & ((1 << bits) - 1)]);
            rest >>= bits;
            if rest == 0 {
                return found;
            }
        }
    }

    fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            start: ROOM,
        }
    }

    #[inline(always)]
    fn prepend(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    /// With a minus sign before them.
    pub fn negated(mut self) -> Self {
        self.prepend(b'-');
        self
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("digits are ASCII")
    }
}
