//! What was seen of a function's stack.
//!
//! A state is kept at each label, and what lies deep in the stack is mostly the same at all of
//! them: an array of thousands of elements that branch would need thousands of states of thousands
//! of slots. So states share what lies below the top, in pieces that know those below them.

use super::state::{Known, Seen};
use std::rc::Rc;

/// Slots in a piece.
const PIECE: usize = 8;

/// Slots, counted from the lowest.
#[derive(Default)]
pub struct Stack {
    below: Option<Rc<Piece>>,
    /// Those above the pieces, fewer than two pieces of them.
    top: Vec<Known>,
}

impl Clone for Stack {
    fn clone(&self) -> Self {
        Self {
            below: self.below.clone(),
            top: self.top.clone(),
        }
    }

    /// Keeps the room that there is.
    fn clone_from(&mut self, other: &Self) {
        self.below.clone_from(&other.below);
        self.top.clone_from(&other.top);
    }
}

struct Piece {
    below: Option<Rc<Piece>>,
    /// One farther down, so that any is reached in a logarithm of steps.
    far: Option<Rc<Piece>>,
    /// How many slots are below.
    start: usize,
    slots: [Known; PIECE],
    /// Whether a slot of it, or below, is the box of a number.
    has_numbers: bool,
}

impl Stack {
    pub fn len(&self) -> usize {
        self.top_start() + self.top.len()
    }

    /// How many slots are in pieces.
    fn top_start(&self) -> usize {
        self.below.as_ref().map_or(0, |piece| piece.end())
    }

    pub fn push(&mut self, known: Known) {
        self.top.push(known);
        if self.top.len() == 2 * PIECE {
            let slots: Vec<Known> = self.top.drain(..PIECE).collect();
            let slots = slots.try_into().expect("there are as many");
            self.below = Some(Piece::over(self.below.take(), slots));
        }
    }

    pub fn truncate(&mut self, len: usize) {
        while len < self.top_start() {
            let piece = self.below.take().expect("there is one");
            self.top.clear();
            self.top.extend_from_slice(&piece.slots);
            self.below.clone_from(&piece.below);
        }
        self.top.truncate(len - self.top_start());
    }

    pub fn get(&self, index: usize) -> Known {
        match index.checked_sub(self.top_start()) {
            Some(index) => self.top[index],
            None => {
                let piece = self.below.as_ref().expect("it is in one").find(index);
                piece.slots[index - piece.start]
            }
        }
    }

    /// The pieces, from the highest.
    fn pieces(&self) -> impl Iterator<Item = &Rc<Piece>> {
        std::iter::successors(self.below.as_ref(), |piece| piece.below.as_ref())
    }

    /// The topmost slot, those below it and so on.
    pub fn downwards(&self) -> impl Iterator<Item = Known> + '_ {
        let top = self.top.iter().rev().copied();
        top.chain(
            self.pieces()
                .flat_map(|piece| piece.slots.into_iter().rev()),
        )
    }

    /// Has `change` change the slots from `from` on, each with its index, and say whether it did.
    pub fn change(
        &mut self,
        from: usize,
        mut change: impl FnMut(usize, &mut Known) -> bool,
    ) -> bool {
        let start = self.top_start();
        let mut changed = false;
        if from < start {
            let below = self.below.as_ref().expect("there are slots in pieces");
            if let Some(piece) = below.changed(from, &mut change) {
                self.below = Some(piece);
                changed = true;
            }
        }
        for (index, known) in (start..)
            .zip(&mut self.top)
            .skip(from.saturating_sub(start))
        {
            changed |= change(index, known);
        }
        changed
    }

    /// From where on the two may differ, both as high as this: what is below they share.
    pub fn shared_with(&self, other: &Self) -> usize {
        let (mut ones, mut others) = (self.pieces().peekable(), other.pieces().peekable());
        while let (Some(one), Some(another)) = (ones.peek(), others.peek()) {
            if Rc::ptr_eq(one, another) {
                return one.end();
            }
            let (one, another) = (one.start, another.start);
            if one >= another {
                ones.next();
            }
            if another >= one {
                others.next();
            }
        }
        0
    }

    /// The lowest `len` slots. Of the box of a number nothing is known in them.
    pub fn lowest(&self, len: usize) -> Self {
        let mut lowest = self.clone();
        lowest.truncate(len);
        let without = lowest.pieces().find(|piece| !piece.has_numbers);
        let from = without.map_or(0, |piece| piece.end());
        lowest.change(from, |_, known| {
            let is_number = matches!(known.seen, Seen::Number(..));
            if is_number {
                *known = Known::ANYTHING;
            }
            is_number
        });
        lowest
    }
}

impl Piece {
    fn over(below: Option<Rc<Self>>, slots: [Known; PIECE]) -> Rc<Self> {
        let is_number = |known: &Known| matches!(known.seen, Seen::Number(..));
        let in_below = below.as_ref().is_some_and(|below| below.has_numbers);
        Rc::new(Self {
            far: below.as_ref().map(Self::far_from),
            start: below.as_ref().map_or(0, |below| below.end()),
            has_numbers: in_below || slots.iter().any(is_number),
            slots,
            below,
        })
    }

    /// What a piece over this one has farther down: this one, or, where the two last ways down are
    /// equally long, the end of both.
    fn far_from(self: &Rc<Self>) -> Rc<Self> {
        let ends = self.far.as_ref().map(|far| (far, far.far.as_ref()));
        match ends {
            Some((far, Some(farther))) if self.start - far.start == far.start - farther.start => {
                Rc::clone(farther)
            }
            _ => Rc::clone(self),
        }
    }

    /// The piece that has this slot: it, or one below.
    fn find(&self, index: usize) -> &Self {
        let mut piece = self;
        while index < piece.start {
            let [below, far] = [&piece.below, &piece.far].map(Option::as_ref);
            piece = far
                .filter(|far| index < far.end())
                .or(below)
                .expect("it is below");
        }
        piece
    }

    /// How many slots are below its upper end.
    fn end(&self) -> usize {
        self.start + PIECE
    }

    /// The piece, and those below it, with slots from `from` on changed; absent if none is.
    fn changed(
        self: &Rc<Self>,
        from: usize,
        change: &mut impl FnMut(usize, &mut Known) -> bool,
    ) -> Option<Rc<Self>> {
        // From the lowest of them up, without recursion: there may be many.
        let above = std::iter::successors(Some(self), |piece| piece.below.as_ref());
        let above: Vec<&Rc<Self>> = above.take_while(|piece| piece.end() > from).collect();
        let mut new: Option<Rc<Self>> = None;
        for piece in above.into_iter().rev() {
            let mut slots = piece.slots;
            let mut changed = new.is_some();
            for (index, known) in (piece.start..).zip(&mut slots) {
                changed |= index >= from && change(index, known);
            }
            if changed {
                let below = new.take().or_else(|| piece.below.clone());
                new = Some(Self::over(below, slots));
            }
        }
        new
    }
}

/// Pieces may be many: one after the other is dropped, as long as nobody else has it. One farther
/// down is had by those between, too.
impl Drop for Piece {
    fn drop(&mut self) {
        self.far = None;
        let mut next = self.below.take();
        while let Some(mut piece) = next.and_then(Rc::into_inner) {
            piece.far = None;
            next = piece.below.take();
        }
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
                    let changed = stack.change(index, |at, slot| {
                        let is_it = at == index;
                        if is_it {
                            *slot = known(round);
                        }
                        is_it
                    });
                    assert!(changed);
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
        let mut slots: Vec<Known> = stack.downwards().collect();
        slots.reverse();
        assert!(slots == model);
    }

    #[test]
    fn a_copy_shares_what_nobody_changes() {
        let stack: Stack = (0..1000).map(known).collect();
        let mut other = stack.clone();
        let in_pieces = stack.top_start();
        assert_eq!(stack.shared_with(&other), in_pieces);
        assert!(!other.change(0, |_, _| false));
        assert_eq!(stack.shared_with(&other), in_pieces);
        let seven = |index, slot: &mut Known| {
            let is_it = index == 100;
            if is_it {
                *slot = known(7);
            }
            is_it
        };
        assert!(other.change(100, seven));
        assert_eq!(stack.shared_with(&other), 100 / PIECE * PIECE);
        assert_eq!([stack.get(100), other.get(100)], [known(100), known(7)]);
        assert_eq!([other.get(99), other.get(999)], [known(99), known(999)]);
    }

    #[test]
    fn numbers_are_found_without_a_look_at_the_rest() {
        let number = Known::certain(Seen::Number(0, super::super::state::Origin::Made));
        let slots = |index| if index == 500 { number } else { known(index) };
        let stack: Stack = (0..1000).map(slots).collect();
        assert_eq!(stack.shared_with(&stack.lowest(400)), 400);
        let without = stack.lowest(600);
        assert_eq!(stack.shared_with(&without), 500 / PIECE * PIECE);
        assert_eq!(without.get(500), Known::ANYTHING);
        assert_eq!([without.len(), 600], [600, without.downwards().count()]);
    }

    #[test]
    fn many_pieces_are_dropped_one_after_the_other() {
        let stack: Stack = (0..1_000_000).map(known).collect();
        drop(stack.clone());
        assert_eq!(stack.get(3), known(3));
    }
}
