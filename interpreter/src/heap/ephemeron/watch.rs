//! Ephemerons that wait, each for one block that the collection in progress has not reached yet.
//!
//! A waiting ephemeron is woken when its block is reached, so the keys of each are looked at once
//! in a collection, however long the chains are in which the data of one ephemeron is the key of
//! the next. (Solvers for satisfiability watch one literal of a clause for the same reason.)
//!
//! A watched block has a planted header: tag Infix with the colour [`PLANTED`], and the number of
//! the first ephemeron that waits for it in place of its size. The collections look at the tag
//! Infix anyway, so blocks that nobody waits for cost nothing more. The block's own header is kept
//! with the first ephemeron.
//!
//! Invariant: planted headers exist only while [`super`] is at work; it ends with
//! [`Watches::wake_all`].

use crate::heap::COLOUR_MASK;
use crate::memory;
use crate::value::{Value, WORD, tag};
use std::num::NonZero;

/// Colour of a planted header: blocks have the three others.
const PLANTED: u64 = 3 << 8;

/// The ephemerons that wait, and those that were woken.
pub struct Watches {
    entries: Vec<Entry>,
    woken: Link,
    unused: Link,
}

/// One more than an index in the entries.
type Link = Option<NonZero<u32>>;

/// An ephemeron that waits, or an unused entry.
struct Entry {
    ephemeron: u32,
    /// Which of its fields the block was found in.
    field: u32,
    /// Of the entry that the planted header leads to: the block and its own header. Otherwise 0.
    block: u32,
    header: u64,
    next: Link,
}

/// Whether a header with tag Infix is a planted one.
#[inline(always)]
pub fn is_planted(header: u64) -> bool {
    header & COLOUR_MASK == PLANTED
}

impl Watches {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            woken: None,
            unused: None,
        }
    }

    /// Lets `ephemeron` wait for `block`, which is in its field `field` and is no infix pointer.
    pub fn wait(&mut self, block: Value, ephemeron: Value, field: usize) {
        let header = block.header();
        let entry = self.take_entry(ephemeron, field);
        if is_infix(header) {
            let first = first_of(header);
            let next = self.entry(first).next.replace(entry);
            self.entry(entry).next = next;
        } else {
            let kept = self.entry(entry);
            kept.block = block.address();
            kept.header = header;
            block.set_header((entry.get() as u64) << 10 | PLANTED | tag::INFIX as u64);
        }
    }

    /// The own header of a block whose header is `planted`.
    pub fn own_header(&self, planted: u64) -> u64 {
        self.entries[index(first_of(planted))].header
    }

    /// The own tag of a block, whose header may be a planted one.
    #[inline(never)]
    pub fn own_tag(&self, block: Value) -> u8 {
        let header = block.header();
        match is_infix(header) && is_planted(header) {
            true => self.own_header(header) as u8,
            false => header as u8,
        }
    }

    /// Gives the block with the header `planted` its own one again, and wakes who waits for it.
    pub fn wake(&mut self, planted: u64) {
        let first = first_of(planted);
        let mut last = first;
        while let Some(next) = self.entry(last).next {
            last = next;
        }
        self.entry(last).next = self.woken.replace(first);
        let entry = self.entry(first);
        memory::store_u64(entry.block - WORD, entry.header);
        entry.block = 0;
    }

    /// Wakes everyone: no header is planted afterwards.
    pub fn wake_all(&mut self) {
        for index in 0..self.entries.len() {
            if self.entries[index].block != 0 {
                self.wake(Value::block(self.entries[index].block).header());
            }
        }
    }

    /// An ephemeron that was woken, and the field that it waited for.
    pub fn take_woken(&mut self) -> Option<(Value, usize)> {
        let woken = self.woken?;
        let unused = self.unused.replace(woken);
        let entry = self.entry(woken);
        let found = (Value::block(entry.ephemeron), entry.field as usize);
        self.woken = core::mem::replace(&mut self.entry(woken).next, unused);
        Some(found)
    }

    fn take_entry(&mut self, ephemeron: Value, field: usize) -> NonZero<u32> {
        let entry = Entry {
            ephemeron: ephemeron.address(),
            field: field as u32,
            block: 0,
            header: 0,
            next: None,
        };
        if let Some(unused) = self.unused {
            self.unused = self.entry(unused).next;
            *self.entry(unused) = entry;
            return unused;
        }
        self.entries.push(entry);
        NonZero::new(self.entries.len() as u32).expect("an entry was just added")
    }

    fn entry(&mut self, link: NonZero<u32>) -> &mut Entry {
        &mut self.entries[index(link)]
    }
}

fn is_infix(header: u64) -> bool {
    header as u8 == tag::INFIX
}

fn first_of(planted: u64) -> NonZero<u32> {
    NonZero::new((planted >> 10) as u32).expect("a planted header leads to an entry")
}

fn index(link: NonZero<u32>) -> usize {
    link.get() as usize - 1
}
