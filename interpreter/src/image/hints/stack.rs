//! What was seen of a function's stack.
//!
//! A state is kept at each label, and what lies deep in the stack is mostly the same at all of
//! them: an array of thousands of elements that branch would need thousands of states of thousands
//! of slots. So states share what lies below the top, in pieces.

use super::state::Known;
use std::rc::Rc;

/// Slots in a piece.
const PIECE: usize = 32;

/// Slots, counted from the lowest.
#[derive(Clone, Default)]
pub struct Stack {
    pieces: Vec<Rc<[Known; PIECE]>>,
    /// Those above the pieces, fewer than two pieces of them.
    top: Vec<Known>,
}

impl Stack {
    pub fn len(&self) -> usize {
        self.pieces.len() * PIECE + self.top.len()
    }

    pub fn push(&mut self, known: Known) {
        self.top.push(known);
        if self.top.len() == 2 * PIECE {
            let piece: Vec<Known> = self.top.drain(..PIECE).collect();
            let piece = piece.try_into().expect("there are as many");
            self.pieces.push(Rc::new(piece));
        }
    }

    pub fn truncate(&mut self, len: usize) {
        while len < self.pieces.len() * PIECE {
            let piece = self.pieces.pop().expect("there is one");
            self.top.clear();
            self.top.extend_from_slice(&*piece);
        }
        self.top.truncate(len - self.pieces.len() * PIECE);
    }

    pub fn get(&self, index: usize) -> Known {
        match self.pieces.get(index / PIECE) {
            Some(piece) => piece[index % PIECE],
            None => self.top[index - self.pieces.len() * PIECE],
        }
    }

    pub fn set(&mut self, index: usize, known: Known) {
        match self.pieces.get_mut(index / PIECE) {
            Some(piece) => Rc::make_mut(piece)[index % PIECE] = known,
            None => self.top[index - self.pieces.len() * PIECE] = known,
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Known> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The first index from `from` on at which the two may differ, both as high as this.
    pub fn differs_from(&self, other: &Self, from: usize) -> Option<usize> {
        let mut index = from;
        while let Some((one, other)) = self
            .pieces
            .get(index / PIECE)
            .zip(other.pieces.get(index / PIECE))
            && Rc::ptr_eq(one, other)
        {
            index = (index / PIECE + 1) * PIECE;
        }
        (index < self.len()).then_some(index)
    }

    /// The lowest `len` slots, where `change` gives what takes another's place.
    pub fn lowest(&self, len: usize, change: impl Fn(Known) -> Option<Known>) -> Self {
        let mut lowest = self.clone();
        lowest.truncate(len);
        for index in 0..len {
            if let Some(known) = change(lowest.get(index)) {
                lowest.set(index, known);
            }
        }
        lowest
    }
}

impl FromIterator<Known> for Stack {
    fn from_iter<I: IntoIterator<Item = Known>>(slots: I) -> Self {
        let mut stack = Self::default();
        slots.into_iter().for_each(|known| stack.push(known));
        stack
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Seen;
    use super::*;

    fn known(number: usize) -> Known {
        Known::certain(Seen::Integer(number as i32))
    }

    #[test]
    fn slots_stay_where_they_are_however_high_the_stack() {
        let mut stack = Stack::default();
        let mut model = Vec::new();
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..20_000 {
            match random.u32(..8) {
                0 => {
                    let len = random.usize(..=model.len());
                    let len = len.max(model.len().saturating_sub(100));
                    stack.truncate(len);
                    model.truncate(len);
                }
                1 if !model.is_empty() => {
                    let index = random.usize(..model.len());
                    stack.set(index, known(round));
                    model[index] = known(round);
                }
                _ => {
                    let count = random.usize(..30);
                    (0..count).for_each(|_| stack.push(known(round)));
                    model.resize(model.len() + count, known(round));
                }
            }
            assert_eq!(stack.len(), model.len());
            if let Some(top) = model.len().checked_sub(1) {
                let index = random.usize(..=top);
                assert_eq!(
                    [stack.get(index), stack.get(top)],
                    [model[index], model[top]]
                );
            }
        }
        assert!(stack.iter().eq(model));
    }

    #[test]
    fn a_copy_shares_what_nobody_changes() {
        let stack: Stack = (0..1000).map(known).collect();
        let mut other = stack.clone();
        assert_eq!(
            stack.differs_from(&other, 0),
            Some(stack.pieces.len() * PIECE)
        );
        other.set(100, known(0));
        assert_eq!(stack.differs_from(&other, 0), Some(100 / PIECE * PIECE));
        assert_eq!(stack.get(100), known(100));
        let other_for = |from, to| move |old: Known| (old == known(from)).then_some(known(to));
        let lowest = stack.lowest(500, other_for(7, 8));
        assert_eq!((lowest.len(), lowest.get(7)), (500, known(8)));
        let shared = lowest.pieces.len() * PIECE;
        assert_eq!(stack.differs_from(&lowest, PIECE), Some(shared));
    }
}
