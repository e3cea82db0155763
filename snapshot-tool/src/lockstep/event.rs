//! Events as guests report them, and batches of them.
//!
//! Invariant: a batch holds [`BATCH`] events unless its side has ended, so the batches of both
//! sides are compared one by one.

use crate::guest::manifest::{Cell, Direction, Stack};

/// Events to a batch, so that the two threads wake each other rarely.
pub const BATCH: usize = 1024;

/// Stack words compared with each event, from the top of the stack.
pub const STACK_WORDS: usize = 64;

/// What the guest says of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// What it is about: a number of the guest's.
    pub kind: u32,
    /// Interpreter position: address of a cell of code.
    pub position: u32,
    pub sp: u32,
    pub value: i64,
}

/// One event, with the state of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub said: Said,
    /// The stack's words, from its top.
    pub stack: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    said: Said,
    /// Where in `Batch::stacks` its stack words end; they begin where the record's before it end.
    stack_end: usize,
}

/// Up to [`BATCH`] events, stored compactly. Fewer only at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    records: Vec<Record>,
    stacks: Vec<u8>,
}

impl Batch {
    /// Adds an event; `stack` is the memory at the top of the stack that is to be compared.
    pub fn push(&mut self, said: Said, stack: &[u8]) {
        self.stacks.extend_from_slice(stack);
        let stack_end = self.stacks.len();
        self.records.push(Record { said, stack_end });
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether both batches have the same event at `at`, which both must have.
    pub fn same(&self, other: &Batch, at: usize) -> bool {
        self.records[at].said == other.records[at].said && self.stack(at) == other.stack(at)
    }

    /// The event at `at`, of a guest with such a stack; nothing beyond the end.
    pub fn event(&self, at: usize, form: Stack) -> Option<Event> {
        let said = self.records.get(at)?.said;
        let mut stack: Vec<i64> = match form.cell {
            Cell::Four => {
                let (words, _) = self.stack(at).as_chunks();
                let words = words.iter();
                words.map(|&word| i32::from_le_bytes(word).into()).collect()
            }
            Cell::Eight => {
                let (words, _) = self.stack(at).as_chunks();
                words.iter().map(|&word| i64::from_le_bytes(word)).collect()
            }
        };
        match form.grows {
            Direction::Down => {}
            Direction::Up => stack.reverse(),
        }
        Some(Event { said, stack })
    }

    fn stack(&self, at: usize) -> &[u8] {
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.records[before].stack_end);
        &self.stacks[start..self.records[at].stack_end]
    }
}
