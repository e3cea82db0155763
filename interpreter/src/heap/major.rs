//! Blocks that are born in the major heap whatever their size: ephemerons, and what is read from
//! marshalled data where it is much.

use super::state::Heap;
use super::{
    Keep, MAX_YOUNG_WOSIZE, alloc_major, header, heap, note_allocated, noting_exhaustion, reserve,
    stats,
};
use crate::evaluation;
use crate::memory;
use crate::value::{Value, WORD};
use crate::vm::vm;

/// A block of the major heap whatever its size, or of the image; `None` when memory is exhausted.
/// Its fields are written by [`initialize`], before the next safepoint.
pub fn try_alloc_major(wosize: usize, tag: u8) -> Option<Value> {
    let heap = heap();
    if !heap.is_initialised() {
        return heap.image.alloc(wosize, tag);
    }
    let block = alloc_major(heap, wosize, tag, reserve::comfortable);
    if block.is_some() {
        stats::add(&heap.counters.major_words, wosize as u64 + 1);
    }
    noting_exhaustion(block)
}

/// Writes a field of a block of [`try_alloc_major`] for the first time.
pub fn initialize(address: u32, value: Value) {
    memory::store_i64(address, value.0);
    if vm().is_young(value) {
        heap().remembered.insert(address);
    }
}

/// Makes blocks one after the other, with no safepoint before the last. What is counted of each
/// block otherwise is counted at the end.
pub struct Batch {
    heap: &'static Heap,
    /// Words of the blocks so far that are to be counted.
    words: u64,
    /// Of their headers.
    colour: u64,
    /// Whether blocks are nothing but memory: nobody takes samples, and no image is made.
    is_plain: bool,
}

impl Batch {
    /// One that ends when it is dropped.
    pub fn begin() -> Self {
        let heap = heap();
        let is_plain = heap.is_initialised() && !evaluation::is_running();
        Self {
            heap,
            words: 0,
            colour: heap.live_colour.get(),
            is_plain: is_plain && !heap.memprof.is_sampling(),
        }
    }

    /// As [`try_alloc_major`].
    #[inline]
    pub fn try_alloc(&mut self, wosize: usize, tag: u8) -> Option<Value> {
        const KEEP: Keep = reserve::comfortable;
        if !self.is_plain || wosize > MAX_YOUNG_WOSIZE {
            return try_alloc_major(wosize, tag);
        }
        let address = noting_exhaustion(self.heap.small.try_alloc(self.heap, wosize, KEEP))?;
        memory::store_u64(address - WORD, header(wosize, tag) | self.colour);
        self.words += wosize as u64 + 1;
        Some(Value::block(address))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.words != 0 {
            stats::add(&self.heap.counters.major_words, self.words);
            note_allocated(self.heap, self.words);
        }
    }
}
