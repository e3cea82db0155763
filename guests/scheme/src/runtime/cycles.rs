//! Data that contain themselves.
//!
//! Who goes through data looks for that only after [`MANY`] blocks: most data are smaller, so they
//! end without.

use crate::value::{WORD, field, fields_of, is_block, tag, tag_of};
use std::collections::BTreeSet;

/// After so many blocks one looks whether there is an end.
pub const MANY: u32 = 1 << 20;

/// Blocks that are within themselves, by address: of each circle the one that is met first.
pub fn find(value: i64) -> BTreeSet<u32> {
    let (mut around, mut done) = (Marks::default(), Marks::default());
    let mut found = BTreeSet::new();
    let mut waiting = vec![Step::Enter(value)];
    while let Some(step) = waiting.pop() {
        match step {
            Step::Enter(value) if !is_container(value) || done.has(value) => {}
            Step::Enter(value) if around.has(value) => {
                found.insert(value as u32);
            }
            Step::Enter(value) => {
                around.set(value, true);
                waiting.push(Step::Leave(value));
                let fields = (0..fields_of(value)).rev();
                waiting.extend(fields.map(|index| Step::Enter(field(value, index))));
            }
            Step::Leave(value) => {
                around.set(value, false);
                done.set(value, true);
            }
        }
    }
    found
}

enum Step {
    Enter(i64),
    Leave(i64),
}

/// Whether it has parts that are shown.
pub fn is_container(value: i64) -> bool {
    is_block(value) && matches!(tag_of(value), tag::PAIR | tag::VECTOR | tag::RECORD)
}

/// A set of blocks: a bit for each word of memory.
#[derive(Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn place(value: i64) -> (usize, u64) {
        let word = value as u32 / WORD;
        (word as usize / 64, 1 << (word % 64))
    }

    fn has(&self, value: i64) -> bool {
        let (index, bit) = Self::place(value);
        self.0.get(index).is_some_and(|bits| bits & bit != 0)
    }

    fn set(&mut self, value: i64, to: bool) {
        let (index, bit) = Self::place(value);
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        match to {
            true => self.0[index] |= bit,
            false => self.0[index] &= !bit,
        }
    }
}
