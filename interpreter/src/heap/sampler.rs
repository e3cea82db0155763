//! Which words `Gc.Memprof` samples: each allocated word with the same probability, independently
//! of all others.
//!
//! Gaps between samples have the geometric distribution. So a gap can be drawn ahead, and words in
//! between cost nothing; and a gap can be drawn anew at any time, since this distribution has no
//! memory. In the nursery the next sample is an address, the *trigger*: a block that begins below
//! it holds a sample. Elsewhere it is a number of words still to come.

use crate::value::WORD;
use std::cell::Cell;

/// Where samples fall. The rate is 0 while nothing is sampled.
pub struct Sampler {
    rate: Cell<f64>,
    /// Of the random numbers: these are the same in every run.
    seed: Cell<u64>,
    /// Words outside of the nursery before the next sample.
    ahead: Cell<u64>,
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

impl Sampler {
    pub(crate) const fn new() -> Self {
        Self {
            rate: Cell::new(0.0),
            seed: Cell::new(SEED),
            ahead: Cell::new(0),
        }
    }

    /// Samples at `rate`, from 0 to 1, from now on.
    pub fn set_rate(&self, rate: f64) {
        self.rate.set(rate);
        if rate > 0.0 {
            self.ahead.set(self.gap() - 1);
        }
    }

    pub fn is_on(&self) -> bool {
        self.rate.get() > 0.0
    }

    /// How many of `words` words outside of the nursery are sampled.
    pub fn among(&self, words: u64) -> u64 {
        let mut samples = 0;
        let mut ahead = self.ahead.get();
        while ahead < words {
            samples += 1;
            ahead = ahead.saturating_add(self.gap());
        }
        self.ahead.set(ahead - words);
        samples
    }

    /// The trigger for allocation below `top`. A trigger at `bottom` has no effect; it is never
    /// below that.
    pub fn trigger_below(&self, top: u32, bottom: u32) -> u32 {
        below(top, self.gap() - 1).max(bottom)
    }

    /// How many samples fall on a block that begins at `start`, below `trigger`.
    pub fn on_block(&self, start: u32, trigger: u32) -> u64 {
        let (mut samples, mut trigger) = (0, trigger);
        while start < trigger {
            samples += 1;
            trigger = below(trigger, self.gap());
        }
        samples
    }

    /// Words from one sample to the next, 1 at least: geometrically distributed.
    fn gap(&self) -> u64 {
        let rate = self.rate.get();
        if rate >= 1.0 {
            return 1;
        }
        // The conversion saturates, so rates near 0 give enormous gaps.
        ((self.uniform().ln() / (-rate).ln_1p()) as u64).saturating_add(1)
    }

    /// A number above 0, up to 1.
    fn uniform(&self) -> f64 {
        const BITS: u32 = 53;
        ((self.random() >> (u64::BITS - BITS)) + 1) as f64 / (1u64 << BITS) as f64
    }

    /// The generator SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
    /// generators", 2014.
    fn random(&self) -> u64 {
        let seed = self.seed.get().wrapping_add(SEED);
        self.seed.set(seed);
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// The address `words` words below `address`, or 0.
fn below(address: u32, words: u64) -> u32 {
    u64::from(address).saturating_sub(words.saturating_mul(u64::from(WORD))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_at_rate_one() {
        let sampler = Sampler::new();
        sampler.set_rate(1.0);
        assert_eq!((sampler.among(7), sampler.among(1)), (7, 1));
        let trigger = sampler.trigger_below(8000, 80);
        assert_eq!(trigger, 8000);
        assert_eq!(sampler.on_block(8000 - 5 * WORD, trigger), 5);
    }

    #[test]
    fn the_mean_is_the_rate() {
        for rate in [0.9, 0.3, 0.01] {
            let sampler = Sampler::new();
            sampler.set_rate(rate);
            let words = if cfg!(miri) { 2_000 } else { 1_000_000 };
            let outside: u64 = (0..words / 4).map(|_| sampler.among(4)).sum();
            let inside: u64 = (0..words / 4)
                .map(|_| {
                    let trigger = sampler.trigger_below(8000, 0);
                    sampler.on_block(8000 - 4 * WORD, trigger)
                })
                .sum();
            for samples in [outside, inside] {
                let expected = rate * words as f64;
                let deviation = (expected * (1.0 - rate)).sqrt();
                assert!((samples as f64 - expected).abs() < 5.0 * deviation);
            }
        }
    }

    #[test]
    fn tiny_rates_sample_nothing() {
        let sampler = Sampler::new();
        sampler.set_rate(1e-300);
        assert_eq!(sampler.among(1 << 40), 0);
        assert_eq!(sampler.trigger_below(8000, 80), 80);
    }
}
