//! Decimal digits of a float, one after the other, rounded correctly (ties to even).
//!
//! A float is a whole number and a fraction of so many bits. Multiplied by ten, the fraction gives
//! the next digit. That is exact, and where the fraction has few bits it is faster than what `core`
//! does for any float: floats beyond these are none of ours, and are left to it.

use std::cmp::Ordering;

/// Most bits of a fraction, so that ten times as much fits 128 bits.
const MOST_BITS: u32 = 124;

/// The same for 64 bits.
const FEW_BITS: u32 = 60;

/// What is left of a float, not negative, of which digits were taken.
struct Rest {
    whole: u64,
    /// Less than 1, in units of `2^-bits`.
    fraction: u128,
    bits: u32,
}

/// Digits that may have to be rounded up.
struct Digits {
    /// ASCII; at first a place for the digit that rounding may add.
    text: Vec<u8>,
}

/// Significant digits and the decimal exponent of the first: `d.ddd * 10^exponent`.
pub struct Scientific {
    pub digits: String,
    pub exponent: i32,
}

impl Rest {
    /// A float that is not negative; `None` if it is not finite, or its digits are many.
    fn of(x: f64) -> Option<Self> {
        let (biased, low) = ((x.to_bits() >> 52) as i32, x.to_bits() & ((1 << 52) - 1));
        let (mantissa, exponent) = match biased {
            0 if low == 0 => (0, 0),
            1..=0x7fe => (low | 1 << 52, biased - 1075),
            _ => return None,
        };
        if exponent >= 0 {
            return (exponent <= 10).then(|| Self {
                whole: mantissa << exponent,
                fraction: 0,
                bits: 0,
            });
        }
        let bits = exponent.unsigned_abs();
        (bits <= MOST_BITS).then(|| Self {
            whole: mantissa.checked_shr(bits).unwrap_or(0),
            fraction: u128::from(mantissa) & ((1 << bits) - 1),
            bits,
        })
    }

    /// The next `count` digits of the fraction.
    fn take(&mut self, count: usize, digits: &mut Digits) {
        let end = digits.text.len() + count;
        if self.bits <= FEW_BITS {
            let (mut fraction, mask) = (self.fraction as u64, (1 << self.bits) - 1);
            while digits.text.len() < end && fraction != 0 {
                fraction *= 10;
                digits.text.push(b'0' + (fraction >> self.bits) as u8);
                fraction &= mask;
            }
            self.fraction = fraction.into();
        } else {
            while digits.text.len() < end && self.fraction != 0 {
                digits.text.push(self.digit());
            }
        }
        digits.text.resize(end, b'0');
    }

    fn digit(&mut self) -> u8 {
        self.fraction *= 10;
        let digit = (self.fraction >> self.bits) as u8;
        self.fraction &= (1 << self.bits) - 1;
        b'0' + digit
    }

    /// How the fraction compares with a half.
    fn against_half(&self) -> Ordering {
        (self.fraction << 1).cmp(&(1 << self.bits))
    }
}

impl Digits {
    fn new(room: usize) -> Self {
        let mut text = Vec::with_capacity(room + 1);
        text.push(b'0');
        Self { text }
    }

    fn whole(&mut self, mut n: u64) {
        let start = self.text.len();
        loop {
            self.text.push(b'0' + (n % 10) as u8);
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.text[start..].reverse();
    }

    /// Rounds, where what follows the digits compares so with a half. Whether there is one digit
    /// more now.
    fn round(&mut self, rest: Ordering) -> bool {
        let is_odd = self.text.last().is_some_and(|digit| digit & 1 == 1);
        if rest == Ordering::Greater || rest == Ordering::Equal && is_odd {
            for digit in self.text.iter_mut().rev() {
                if *digit < b'9' {
                    *digit += 1;
                    break;
                }
                *digit = b'0';
            }
        }
        self.text[0] != b'0'
    }

    /// The digits from this one on.
    fn from(mut self, first: usize) -> String {
        self.text.drain(..first);
        String::from_utf8(self.text).expect("digits are ASCII")
    }
}

/// `ddd.ddd`, with `precision` digits after the point, if that is one of ours: a float that is not
/// negative.
pub fn fixed(x: f64, precision: usize) -> Option<String> {
    let mut rest = Rest::of(x)?;
    let mut digits = Digits::new(precision + 24);
    digits.whole(rest.whole);
    let point = digits.text.len();
    rest.take(precision, &mut digits);
    let first = usize::from(!digits.round(rest.against_half()));
    if precision > 0 {
        digits.text.insert(point, b'.');
    }
    Some(digits.from(first))
}

/// The same, rounded to `precision` digits after the first.
pub fn scientific(x: f64, precision: usize) -> Option<Scientific> {
    let mut rest = Rest::of(x)?;
    let mut digits = Digits::new(precision + 24);
    let mut exponent = 0;
    let mut after = None;
    if rest.whole > 0 {
        exponent = rest.whole.ilog10() as i32;
        match (precision + 1).checked_sub(exponent as usize + 1) {
            Some(more) => {
                digits.whole(rest.whole);
                rest.take(more, &mut digits);
            }
            None => {
                let unit = 10_u64.pow(exponent as u32 - precision as u32);
                digits.whole(rest.whole / unit);
                let half = (rest.whole % unit).cmp(&(unit / 2));
                let is_more = half == Ordering::Equal && rest.fraction != 0;
                after = Some(if is_more { Ordering::Greater } else { half });
            }
        }
    } else if rest.fraction == 0 {
        digits.text.resize(precision + 2, b'0');
    } else {
        let first = loop {
            exponent -= 1;
            match rest.digit() {
                b'0' => {}
                digit => break digit,
            }
        };
        digits.text.push(first);
        rest.take(precision, &mut digits);
    }
    let is_longer = digits.round(after.unwrap_or_else(|| rest.against_half()));
    if is_longer {
        digits.text.pop();
        exponent += 1;
    }
    let digits = digits.from(usize::from(!is_longer));
    Some(Scientific { digits, exponent })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats of all magnitudes that are ours, and halves, where rounding is a tie.
    fn floats(random: &mut fastrand::Rng) -> f64 {
        let bits = random.u32(1..63);
        match random.usize(..4) {
            0 => f64::from_bits(random.u64(..0x43f0 << 48)),
            1 => random.u64(..1 << bits) as f64 / 8.0,
            2 => random.u64(..10_000_000) as f64 / 10_f64.powi(random.i32(0..8)),
            _ => random.f64() * 10_f64.powi(random.i32(-20..19)),
        }
    }

    #[test]
    fn digits_are_those_of_core() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut ours = 0;
        for _ in 0..200_000 {
            let (x, precision) = (floats(&mut random), random.usize(..20));
            if let Some(text) = fixed(x, precision) {
                assert_eq!(text, format!("{x:.precision$}"), "{x:e}");
                ours += 1;
            }
            if let Some(Scientific { digits, exponent }) = scientific(x, precision) {
                let expected = format!("{x:.precision$e}");
                let (head, tail) = expected.split_once('e').expect("there is an exponent");
                assert_eq!(digits, head.replace('.', ""), "{x:e}, {precision}");
                assert_eq!(exponent.to_string(), tail, "{x:e}");
            }
        }
        assert!(ours > 100_000, "only {ours} were ours");
    }

    #[test]
    fn what_is_not_ours_is_left() {
        for x in [
            f64::NAN,
            f64::INFINITY,
            1e300,
            1e-300,
            5e-324,
            2_f64.powi(64),
        ] {
            assert!(fixed(x, 3).is_none() && scientific(x, 3).is_none(), "{x}");
        }
    }
}
