//! Counters of the collector, as module `Gc` shows them; sizes in words unless said otherwise.

use super::settings;
use super::state::{Heap, heap};
use crate::memory;
use crate::value::WORD;
use crate::vm::vm;
use std::cell::Cell;

/// What a walk through the major heap finds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spaces {
    pub heap_words: u64,
    pub heap_chunks: u64,
    pub live_words: u64,
    pub live_blocks: u64,
    pub free_words: u64,
    pub free_blocks: u64,
    pub largest_free: u64,
    pub fragments: u64,
}

/// Words ever allocated in the nursery.
pub fn minor_words() -> u64 {
    let used = vm().young_end.get() - vm().young_ptr.get();
    heap().counters.minor_words.get() + (used / WORD) as u64
}

/// Words of the major heap: what OCaml's has at the start counts, even if no memory was taken for
/// it. It never shrinks.
pub fn heap_words() -> u64 {
    taken_words().max(settings::initial_words())
}

/// Words of memory that the major heap and the image take.
fn taken_words() -> u64 {
    let heap = heap();
    let bytes = heap.small.bytes() + heap.large.borrow().bytes();
    bytes / WORD as u64 + heap.counters.image_words.get()
}

/// Ranges of memory that the major heap consists of.
pub fn heap_chunks() -> u64 {
    heap().large.borrow().chunk_count() as u64 + 1
}

/// Most words that the major heap ever took.
pub fn top_heap_words() -> u64 {
    let top = &heap().counters.top_heap_words;
    top.set(top.get().max(heap_words()));
    top.get()
}

/// Walks the major heap. What is known to be dead counts as free, swept or not.
pub fn measure() -> Spaces {
    let heap = heap();
    let large = heap.large.borrow();
    let spaces = Cell::new(Spaces {
        heap_words: heap_words(),
        heap_chunks: heap_chunks(),
        ..Spaces::default()
    });
    let block = |address: u32| {
        let header = memory::load_u64(address - WORD);
        let words = (header >> 10) + 1;
        spaces.set(match heap.kept_colours().contains(header) {
            true => spaces.get().with_live(words),
            false => spaces.get().with_free(words),
        });
    };
    let free = |_, words: u32| spaces.set(spaces.get().with_free(words as u64));
    heap.small.walk(block, free);
    large.walk(block, free);
    heap.image.for_each_block(|image| {
        if heap.in_major(image) {
            block(image.address());
        } else if image != heap.none.get() {
            spaces.set(spaces.get().with_live(image.wosize() as u64 + 1));
        }
    });
    let mut spaces = spaces.get().with_free(heap_words() - taken_words());
    // The unused ends of slots and of pages count as free.
    spaces.free_words = spaces.heap_words - spaces.live_words - spaces.fragments;
    spaces
}

impl Spaces {
    fn with_live(mut self, words: u64) -> Self {
        self.live_words += words;
        self.live_blocks += 1;
        self
    }

    fn with_free(mut self, words: u64) -> Self {
        if words <= 1 {
            self.fragments += words;
            return self;
        }
        self.free_words += words;
        self.free_blocks += 1;
        self.largest_free = self.largest_free.max(words);
        self
    }
}

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
    pub image_words: Cell<u64>,
}

impl Counters {
    pub(crate) const fn new() -> Self {
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
            image_words: Cell::new(0),
        }
    }

    /// The image is what OCaml's runtime reads when it starts: into its nursery if it is small, and
    /// always into its major heap.
    pub(crate) fn image_read(&self, heap: &Heap) {
        let words = Cell::new(0);
        heap.image
            .for_each_block(|block| words.set(words.get() + block.wosize() as u64 + 1));
        if words.get() <= super::MAX_YOUNG_WOSIZE as u64 + 1 {
            add(&self.minor_words, words.get());
        }
        add(&self.major_words, words.get());
        self.image_words.set(words.get());
    }

    /// A block of `wosize` words was born in the major heap; a small one for want of room in the
    /// nursery.
    pub fn born_outside(&self, wosize: usize) {
        let counter = if wosize <= super::MAX_YOUNG_WOSIZE {
            &self.minor_words
        } else {
            &self.major_words
        };
        add(counter, wosize as u64 + 1);
    }

    /// A minor collection emptied `used` bytes of nursery and promoted `promoted` words. As in
    /// OCaml, it does not count if there was nothing to be done.
    pub fn minor_done(&self, used: u32, promoted: u64) {
        add(&self.minor_words, used as u64 / 8);
        add(&self.promoted_words, promoted);
        add(&self.major_words, promoted);
        add(&self.minor_collections, (used > 0).into());
    }
}

/// Adds `n` to a counter.
pub fn add(counter: &Cell<u64>, n: u64) {
    counter.set(counter.get() + n);
}
