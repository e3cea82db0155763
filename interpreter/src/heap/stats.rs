//! Counters of the collector, in words unless said otherwise, as module `Gc` shows them.

use std::cell::Cell;

/// What was done since the start.
pub struct Counters {
    /// Words allocated in the nursery up to the last minor collection.
    pub minor_words: Cell<u64>,
    pub promoted_words: Cell<u64>,
    /// Words allocated in the major heap, promotions included.
    pub major_words: Cell<u64>,
    pub minor_collections: Cell<u64>,
    pub major_collections: Cell<u64>,
    pub forced_major_collections: Cell<u64>,
    pub compactions: Cell<u64>,
    /// Words found live by the last marking.
    pub live_words: Cell<u64>,
    pub top_heap_words: Cell<u64>,
}

impl Counters {
    pub const fn new() -> Self {
        Self {
            minor_words: Cell::new(0),
            promoted_words: Cell::new(0),
            major_words: Cell::new(0),
            minor_collections: Cell::new(0),
            major_collections: Cell::new(0),
            forced_major_collections: Cell::new(0),
            compactions: Cell::new(0),
            live_words: Cell::new(0),
            top_heap_words: Cell::new(0),
        }
    }

    /// A block of `wosize` words was born in the major heap; a small one for want of room in the nursery.
    pub fn born_old(&self, wosize: usize) {
        let counter = if wosize <= super::MAX_YOUNG_WOSIZE {
            &self.minor_words
        } else {
            &self.major_words
        };
        add(counter, wosize as u64 + 1);
    }

    /// A minor collection emptied `used` bytes of nursery and promoted `promoted` words.
    pub fn minor_done(&self, used: u32, promoted: u64) {
        add(&self.minor_words, used as u64 / 8);
        add(&self.promoted_words, promoted);
        add(&self.major_words, promoted);
        add(&self.minor_collections, 1);
    }
}

/// Adds `n` to a counter.
pub fn add(counter: &Cell<u64>, n: u64) {
    counter.set(counter.get() + n);
}
