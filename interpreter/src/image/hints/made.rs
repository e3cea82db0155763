//! What instructions make that calls and loads are followed to: closures, partial applications and
//! blocks.

use crate::code::MAX_CANDIDATES;
use std::cell::Cell;

thread_local! {
    static MOST: Cell<usize> = const { Cell::new(MAX_CANDIDATES) };
}

/// Follows so many at most, up to [`MAX_CANDIDATES`], in the program that is looked at next.
pub fn follow(most: usize) {
    MOST.set(most);
}

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

/// One of these or a few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Few {
    /// In ascending order, each once; the last is repeated.
    all: [Made; MAX_CANDIDATES],
    count: u8,
    or_data: bool,
}

impl Few {
    pub const fn one(made: Made) -> Self {
        Self {
            all: [made; MAX_CANDIDATES],
            count: 1,
            or_data: false,
        }
    }

    /// These, or an integer or a number.
    pub const fn or_data(mut self) -> Self {
        self.or_data = true;
        self
    }

    pub fn all(&self) -> &[Made] {
        &self.all[..usize::from(self.count)]
    }

    /// If there is only one, and nothing else.
    pub fn only(&self) -> Option<Made> {
        (self.count == 1 && !self.or_data).then_some(self.all[0])
    }

    /// Those for which this holds, if it does for any.
    pub fn filter(&self, holds: impl Fn(Made) -> bool) -> Option<Self> {
        let ones = self.all().iter().filter(|&&made| holds(made));
        ones.map(|&made| Self::one(made))
            .reduce(|few, one| few.union(&one).expect("no more than there were"))
    }

    /// All of both; absent if these are too many.
    pub fn union(&self, other: &Self) -> Option<Self> {
        let mut all = *self;
        all.or_data |= other.or_data;
        for &made in other.all() {
            let Err(place) = all.all().binary_search(&made) else {
                continue;
            };
            let count = usize::from(all.count);
            if count == MOST.get() {
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
        ones.try_fold(first, |few, one| few.union(&one))
    }

    #[test]
    fn the_order_does_not_matter_and_more_than_a_few_are_none() {
        assert_eq!(few(&[1, 2]), few(&[2, 1, 2]));
        assert_eq!(few(&[3, 1, 2]), few(&[2, 3, 1, 1]));
        assert_ne!(few(&[1, 2]), few(&[1, 3]));
        assert_ne!(few(&[1]), few(&[1, 2]));
        let three = [1, 2, 3].map(Made::Closure);
        assert_eq!(few(&[3, 1, 2]).expect("a few").all(), three);
        let numbers: Vec<u32> = (0..=MAX_CANDIDATES as u32).collect();
        let (first, most) = (&numbers[1..], &numbers[..MAX_CANDIDATES]);
        assert_eq!(few(most).expect("a few").all().len(), MAX_CANDIDATES);
        assert_ne!(few(most), few(first));
        assert_eq!(few(&numbers), None);
        assert_eq!(few(&[7, 7]).expect("one").only(), Some(Made::Closure(7)));
    }
}
