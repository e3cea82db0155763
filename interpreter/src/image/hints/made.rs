//! What instructions make that calls and loads are followed to: closures, partial applications and
//! blocks.

use crate::code::MAX_CANDIDATES;

/// What one instruction makes, each time that it runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Made {
    /// A closure of the function with this number.
    Closure(u32),
    /// A closure of it that has been given so many arguments and waits for others.
    Partial(u32, u16),
    /// A block, made by the instruction at this word.
    Block(u32),
}

impl Made {
    /// Bits of a number beside its kind, and those of a count of arguments beside a function's.
    const NUMBER: u32 = 30;
    const COUNT: u32 = 10;

    /// The partial application of a function, if both numbers are as small as usual.
    pub fn partial(function: u32, count: usize) -> Option<Self> {
        let fits = function < 1 << (Self::NUMBER - Self::COUNT) && count < 1 << Self::COUNT;
        fits.then_some(Self::Partial(function, count as u16))
    }

    const fn packed(self) -> u32 {
        match self {
            Self::Closure(function) => function,
            Self::Partial(function, count) => {
                1 << Self::NUMBER | function << Self::COUNT | count as u32
            }
            Self::Block(site) => 2 << Self::NUMBER | site,
        }
    }

    const fn unpacked(word: u32) -> Self {
        let number = word & ((1 << Self::NUMBER) - 1);
        match word >> Self::NUMBER {
            0 => Self::Closure(number),
            1 => {
                let count = number & ((1 << Self::COUNT) - 1);
                Self::Partial(number >> Self::COUNT, count as u16)
            }
            _ => Self::Block(number),
        }
    }
}

/// One of these or a few. The analysis copies many, so each takes a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Few {
    /// Packed, in ascending order, each once; the last is repeated.
    all: [u32; MAX_CANDIDATES],
    count: u8,
    or_data: bool,
}

impl Few {
    pub const fn one(made: Made) -> Self {
        Self {
            all: [made.packed(); MAX_CANDIDATES],
            count: 1,
            or_data: false,
        }
    }

    /// These, or an integer or a number.
    pub const fn or_data(mut self) -> Self {
        self.or_data = true;
        self
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.count.into()
    }

    pub fn all(&self) -> impl Iterator<Item = Made> {
        self.words().iter().map(|&word| Made::unpacked(word))
    }

    fn words(&self) -> &[u32] {
        &self.all[..self.count()]
    }

    /// If there is only one, and nothing else.
    pub fn only(&self) -> Option<Made> {
        (self.count == 1 && !self.or_data).then(|| Made::unpacked(self.all[0]))
    }

    /// Those for which this holds, if it does for any.
    pub fn filter(&self, holds: impl Fn(Made) -> bool) -> Option<Self> {
        let ones = self.all().filter(|&made| holds(made));
        ones.map(Self::one).reduce(|few, one| {
            few.union(&one, MAX_CANDIDATES)
                .expect("no more than there were")
        })
    }

    /// All of both; absent if these are more than `most`, which is [`MAX_CANDIDATES`] or less.
    pub fn union(&self, other: &Self, most: usize) -> Option<Self> {
        let mut all = *self;
        all.or_data |= other.or_data;
        for &made in other.words() {
            let Err(place) = all.words().binary_search(&made) else {
                continue;
            };
            let count = all.count();
            if count == most {
                return None;
            }
            all.all.copy_within(place..count, place + 1);
            all.all[place] = made;
            all.count += 1;
            let last = all.all[count];
            all.all[count..].fill(last);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn few(numbers: &[u32]) -> Option<Few> {
        let mut ones = numbers
            .iter()
            .map(|&number| Few::one(Made::Closure(number)));
        let first = ones.next().expect("one at least");
        ones.try_fold(first, |few, one| few.union(&one, MAX_CANDIDATES))
    }

    #[test]
    fn the_order_does_not_matter_and_more_than_a_few_are_none() {
        assert_eq!(few(&[1, 2]), few(&[2, 1, 2]));
        assert_eq!(few(&[3, 1, 2]), few(&[2, 3, 1, 1]));
        assert_ne!(few(&[1, 2]), few(&[1, 3]));
        assert_ne!(few(&[1]), few(&[1, 2]));
        let three = [1, 2, 3].map(Made::Closure);
        assert!(few(&[3, 1, 2]).expect("a few").all().eq(three));
        let numbers: Vec<u32> = (0..=MAX_CANDIDATES as u32).collect();
        let (first, most) = (&numbers[1..], &numbers[..MAX_CANDIDATES]);
        assert_eq!(few(most).expect("a few").count(), MAX_CANDIDATES);
        assert_ne!(few(most), few(first));
        assert_eq!(few(&numbers), None);
        assert_eq!(few(&[7, 7]).expect("one").only(), Some(Made::Closure(7)));
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let partial = Made::partial(70_000, 1_000).expect("it is not large");
        for made in [Made::Closure(1 << 29), partial, Made::Block(3 << 28)] {
            assert_eq!(Few::one(made).only(), Some(made));
        }
        assert_eq!(Made::partial(1 << 20, 1), None);
        assert_eq!(Made::partial(1, 1 << 10), None);
    }
}
