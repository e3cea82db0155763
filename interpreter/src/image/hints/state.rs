//! What the pass over a function has seen: of the accumulator and the stack, now and at labels.

use crate::code::Certainty;
use std::collections::{BTreeMap, HashSet};

/// What was seen in a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seen {
    #[default]
    Nothing,
    /// A closure of the function with this number.
    Closure(usize),
    /// A block made by the instruction at this word.
    Block(usize),
    /// Different things.
    Many,
}

impl Seen {
    pub fn join(self, other: Seen) -> Seen {
        match (self, other) {
            (Seen::Nothing, seen) | (seen, Seen::Nothing) => seen,
            (a, b) if a == b => a,
            (Seen::Closure(_) | Seen::Block(_) | Seen::Many, _) => Seen::Many,
        }
    }
}

/// Accumulator and stack, the top last.
#[derive(Clone)]
pub struct State {
    pub accu: Seen,
    /// Whether the accumulator is what was seen, whatever the program does.
    pub certainty: Certainty,
    pub stack: Vec<Seen>,
}

impl State {
    pub fn slot(&self, index: usize) -> Seen {
        self.stack[self.stack.len() - 1 - index]
    }

    pub fn drop(&mut self, count: usize) {
        self.stack.truncate(self.stack.len() - count);
    }

    /// The accumulator and the slots after it: operands of an instruction that makes a block.
    pub fn taken(&mut self, count: usize) -> Vec<Seen> {
        let mut taken = Vec::with_capacity(count);
        if count > 0 {
            taken.push(self.accu);
            taken.extend((0..count - 1).map(|index| self.slot(index)));
            self.drop(count - 1);
        }
        taken
    }

    pub fn join(&mut self, other: &State) {
        self.accu = self.accu.join(other.accu);
        self.certainty = Certainty::Guessed;
        for (mine, &theirs) in self.stack.iter_mut().zip(&other.stack) {
            *mine = mine.join(theirs);
        }
    }
}

/// States at labels of the function being walked.
pub struct Labels<'a> {
    pub pending: BTreeMap<usize, State>,
    pub back_targets: &'a mut HashSet<usize>,
    /// Where the pass is: jumps to places before are ignored.
    pub position: usize,
}

impl Labels<'_> {
    pub fn arrive(&mut self, target: i64, state: &State) {
        let Ok(target) = usize::try_from(target) else {
            return;
        };
        if target > self.position {
            self.pending
                .entry(target)
                .and_modify(|known| known.join(state))
                .or_insert_with(|| state.clone());
        } else {
            self.back_targets.insert(target);
        }
    }
}
