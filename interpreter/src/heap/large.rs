//! Blocks of more than 256 words: chunks tiled by blocks and free ranges, free lists by size.
//!
//! Invariant: each chunk can be walked header by header; a free range has colour [`FREE`], and
//! those large enough to serve an allocation are linked, through their first word, in the list of
//! their size. Swept eagerly at the end of marking, which also merges neighbouring free ranges:
//! large blocks are few.

use super::sharing;
use super::state::{COLOUR_MASK, FREE, Heap};
use crate::allocator;
use crate::memory;
use crate::value::WORD;

/// Lists of free ranges: eight to each power of two of words.
const BINS: usize = 8 * 32;

/// How many ranges an allocation looks at in the list of its own size, where not all are large
/// enough. All those of the next lists are, so that allocating takes no longer in a large heap.
pub const FEW: usize = 8;

/// The same where memory is exhausted.
pub const ALL: usize = usize::MAX;

/// Ranges with fewer words, header included, serve no allocation here.
const MIN_LINKED: u32 = super::MAX_YOUNG_WOSIZE as u32 + 2;

/// No block takes so many words: the last addresses are never memory, nor do sizes wrap.
const MAX_WORDS: u32 = (1 << 29) - (64 << 10) / WORD;

/// The chunks and their free ranges.
pub struct LargeSpace {
    /// `start..end` of each chunk, in order; none begins where another ends.
    chunks: Vec<(u32, u32)>,
    /// First free range of each size, 0 for none.
    bins: [u32; BINS],
    bytes: u64,
}

impl LargeSpace {
    pub const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            bins: [0; BINS],
            bytes: 0,
        }
    }

    /// The address of field 0 of unused memory for `wosize` words, header not written; `None` when
    /// the space has none at hand.
    pub fn alloc(&mut self, wosize: usize) -> Option<u32> {
        self.alloc_looking(words_for(wosize)?, FEW)
    }

    /// The same, but `None` when memory is exhausted.
    pub fn alloc_growing(&mut self, heap: &Heap, wosize: usize) -> Option<u32> {
        let words = words_for(wosize)?;
        self.alloc_looking(words, FEW)
            .or_else(|| {
                self.grow(heap, words)
                    .and_then(|()| self.alloc_looking(words, FEW))
            })
            .or_else(|| self.alloc_looking(words, ALL))
    }

    fn alloc_looking(&mut self, words: u32, looks: usize) -> Option<u32> {
        let range = self.take(words, looks)?;
        let free = words_at(range);
        if free > words {
            self.give(range + words * WORD, free - words);
        }
        Some(range + WORD)
    }

    /// Takes a free range out of the space for good, of a multiple of `unit` bytes: `wish` if there
    /// is as much, else what there is, by a search of so many `looks`.
    pub fn carve(&mut self, unit: u32, wish: u32, looks: usize) -> Option<(u32, u32)> {
        let range = self
            .take(wish / WORD, looks)
            .or_else(|| self.take_largest(unit / WORD, looks))?;
        let end = range + words_at(range) * WORD;
        let taken = range + ((end - range) / unit * unit).min(wish);
        self.cut(range, taken);
        if taken < end {
            self.give(taken, (end - taken) / WORD);
        }
        Some((range, taken))
    }

    /// Unlinks a range of the last list that is not empty, if one has so many words.
    fn take_largest(&mut self, words: u32, looks: usize) -> Option<u32> {
        let bin = (bin_of(words)..BINS)
            .rev()
            .find(|&bin| self.bins[bin] != 0)?;
        self.take_fitting(bin, words, looks)
    }

    /// Adds the memory `start..end` to the free memory.
    pub fn donate(&mut self, start: u32, end: u32) {
        self.join(start, end);
        self.give(start, (end - start) / WORD);
    }

    /// The same, if there is memory to list it; whether there is.
    pub fn try_donate(&mut self, start: u32, end: u32) -> bool {
        let has_room = allocator::make_room(&mut self.chunks, 1).is_some();
        if has_room {
            self.donate(start, end);
        }
        has_room
    }

    /// Adds `start..end` to the chunks, as a part of its neighbours if there are any.
    fn join(&mut self, start: u32, end: u32) {
        self.bytes += (end - start) as u64;
        let index = self.chunk_from(start);
        let high = match self.chunks.get(index) {
            Some(&(low, high)) if low == end => {
                self.chunks.remove(index);
                high
            }
            Some(_) | None => end,
        };
        match self.chunks[..index].last_mut() {
            Some(previous) if previous.1 == start => previous.1 = high,
            Some(_) | None => self.chunks.insert(index, (start, high)),
        }
    }

    /// Takes `start..end`, which is inside of one chunk, out of the chunks.
    fn cut(&mut self, start: u32, end: u32) {
        self.bytes -= (end - start) as u64;
        let index = self.chunk_from(start + 1) - 1;
        let (low, high) = self.chunks.remove(index);
        for (low, high) in [(end, high), (low, start)] {
            if low < high {
                self.chunks.insert(index, (low, high));
            }
        }
    }

    /// The index of the first chunk that begins at `start` or later.
    fn chunk_from(&self, start: u32) -> usize {
        self.chunks.partition_point(|&(low, _)| low < start)
    }

    /// Frees all blocks that do not have the live colour.
    pub fn sweep(&mut self, live_colour: u64) {
        self.bins = [0; BINS];
        for index in 0..self.chunks.len() {
            let (start, end) = self.chunks[index];
            let mut at = start;
            while at < end {
                if memory::load_u64(at) & COLOUR_MASK == live_colour {
                    at += words_at(at) * WORD;
                    continue;
                }
                let range = at;
                while at < end && memory::load_u64(at) & COLOUR_MASK != live_colour {
                    at += words_at(at) * WORD;
                }
                self.give(range, (at - range) / WORD);
            }
        }
    }

    /// Bytes of memory that the chunks take.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Calls `visit` with the address of each block's field 0, and with (address, words) of free
    /// ranges.
    pub fn walk(&self, mut visit: impl FnMut(u32), mut free: impl FnMut(u32, u32)) {
        for &(start, end) in &self.chunks {
            let mut at = start;
            while at < end {
                match memory::load_u64(at) & COLOUR_MASK {
                    FREE => free(at, words_at(at)),
                    _ => visit(at + WORD),
                }
                at += words_at(at) * WORD;
            }
        }
    }

    /// Unlinks a free range of at least `words`: one of the first in the list of that size, else
    /// the head of the next list that has one.
    fn take(&mut self, words: u32, looks: usize) -> Option<u32> {
        let bin = bin_of(words);
        self.take_fitting(bin, words, looks).or_else(|| {
            let bin = (bin + 1..BINS).find(|&bin| self.bins[bin] != 0)?;
            let range = self.bins[bin];
            self.bins[bin] = memory::load_u32(range + WORD);
            Some(range)
        })
    }

    /// Unlinks the first of a list's first `looks` ranges that has at least `words`.
    fn take_fitting(&mut self, bin: usize, words: u32, looks: usize) -> Option<u32> {
        let (mut previous, mut range) = (0, self.bins[bin]);
        for _ in 0..looks {
            if range == 0 {
                break;
            }
            let next = memory::load_u32(range + WORD);
            if words_at(range) >= words {
                match previous {
                    0 => self.bins[bin] = next,
                    previous => memory::store_u32(previous + WORD, next),
                }
                return Some(range);
            }
            (previous, range) = (range, next);
        }
        None
    }

    /// Makes `words` words at `at` a free range.
    fn give(&mut self, at: u32, words: u32) {
        memory::store_u64(at, (words as u64 - 1) << 10 | FREE);
        if words >= MIN_LINKED {
            let bin = bin_of(words);
            memory::store_u64(at + WORD, self.bins[bin] as u64);
            self.bins[bin] = at;
        }
    }

    fn grow(&mut self, heap: &Heap, words: u32) -> Option<()> {
        let need = words as usize * WORD as usize;
        let (start, end) = sharing::grow_either(heap, sharing::growth(self.bytes, need), need)?;
        self.donate(start, end);
        Some(())
    }
}

/// Words that a block of `wosize` words takes; `None` if there is no such block.
fn words_for(wosize: usize) -> Option<u32> {
    let words = u32::try_from(wosize.checked_add(1)?).ok()?;
    (words < MAX_WORDS).then_some(words)
}

/// Size in words, header included, of the block or free range whose header is at `at`.
fn words_at(at: u32) -> u32 {
    (memory::load_u64(at) >> 10) as u32 + 1
}

/// The list for free ranges of `words` words.
fn bin_of(words: u32) -> usize {
    let log = words.ilog2().max(3);
    (log * 8 + (words >> (log - 3) & 7)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A space with a free range for each number of words, the last ones first in their lists.
    fn space(ranges: &[u32]) -> (LargeSpace, Vec<u32>) {
        let mut space = LargeSpace::new();
        let place = |&words: &u32| {
            let start = memory::grow(4096).expect("memory");
            space.donate(start, start + words * WORD);
            start
        };
        let starts = ranges.iter().map(place).collect();
        (space, starts)
    }

    #[test]
    fn few_ranges_that_are_too_small_are_looked_at() {
        let small = [300; FEW];
        let (mut space, starts) = space(&[&[511, 310], &small[..]].concat());
        assert_eq!(bin_of(300), bin_of(310));
        assert_eq!(space.take(310, FEW), Some(starts[0]), "the next list's");
        assert_eq!(space.take(310, FEW), None);
        while memory::grow(4096).is_some() {}
        let last = space.alloc_growing(super::super::heap(), 309);
        assert_eq!(
            last,
            Some(starts[1] + WORD),
            "where there is no other memory"
        );
    }

    #[test]
    fn neighbours_are_one_chunk_whatever_the_order() {
        let mut space = LargeSpace::new();
        let start = memory::grow(7 * 4096).expect("memory");
        let page = |index: u32| start + index * 4096;
        for index in [5, 1, 3, 0, 6, 4, 2] {
            space.donate(page(index), page(index + 1));
        }
        assert_eq!(space.chunks, [(start, page(7))]);
        space.cut(page(2), page(3));
        space.cut(start, page(1));
        space.cut(page(5), page(7));
        assert_eq!(space.chunks, [(page(1), page(2)), (page(3), page(5))]);
        assert_eq!(space.bytes(), 3 * 4096);
    }
}
