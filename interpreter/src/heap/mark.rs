//! Marking: gives every reachable block of the major heap the live colour.
//!
//! Runs right after a minor collection (the nursery is empty) with the live colours just swapped, so that all
//! blocks are of the dead colour. Depth first with an explicit stack of field ranges: deep structures need no native
//! stack, and a large block waits as one range.
//!
//! Leaves out: doing this in steps. What is missing for that is a write barrier that marks overwritten values.

use super::state::{COLOUR_B, COLOUR_MASK, Heap};
use super::{ephemeron, finalise, roots};
use crate::memory;
use crate::value::{Value, WORD, tag};

/// How many fields of a block are marked in one go.
const STEP_BYTES: u32 = 256 * WORD;

/// A marking in progress.
pub struct Marker {
    heap: &'static Heap,
    low: i64,
    half: u64,
    dead: u64,
    /// Words of marked blocks, headers included.
    live_words: u64,
}

/// Marks everything; returns the number of live words of the major heap. Ephemerons and finalisers have been seen to.
pub fn run(heap: &'static Heap) -> u64 {
    let mut marker = Marker::new(heap);
    marker.roots();
    marker.drain();
    ephemeron::mark(heap, &mut marker);
    finalise::mark_unreachable(heap, &mut marker);
    marker.drain();
    ephemeron::mark(heap, &mut marker);
    marker.live_words
}

impl Marker {
    fn new(heap: &'static Heap) -> Self {
        Self {
            heap,
            low: heap.low.get() as i64,
            half: ((heap.high.get() - heap.low.get()) / 2) as u64,
            dead: heap.dead_colour(),
            live_words: 0,
        }
    }

    fn roots(&mut self) {
        let heap = self.heap;
        for (start, end) in roots::ranges() {
            self.push(start, end);
        }
        self.drain();
        heap.image.for_each_block(|block| {
            self.push(
                block.address() + super::first_scanned(block) * WORD,
                block.field_address(block.wosize()),
            );
        });
        let mut visit = |cell: &core::cell::Cell<Value>| self.value(cell.get());
        roots::for_each_cell(heap, &mut visit);
        finalise::mark_roots(heap, &mut visit);
    }

    /// Marks the block `value` if it is one of the major heap; its fields wait on the stack.
    pub fn value(&mut self, value: Value) {
        self.word(value.0)
    }

    /// Whether `value` is not a block of the major heap that is unmarked.
    pub fn is_live(&self, value: Value) -> bool {
        is_live(self.heap, value)
    }

    /// Marks all that the stack holds.
    pub fn drain(&mut self) {
        while let Some(end) = self.heap.mark_stack.pop() {
            let start = self
                .heap
                .mark_stack
                .pop()
                .expect("ranges are pushed as pairs");
            let stop = if end - start > STEP_BYTES {
                start + STEP_BYTES
            } else {
                end
            };
            if stop != end {
                self.push(stop, end);
            }
            let mut address = start;
            while address != stop {
                self.word(memory::load_i64(address));
                address += WORD;
            }
        }
    }

    fn push(&self, start: u32, end: u32) {
        if start < end {
            self.heap.mark_stack.push(start);
            self.heap.mark_stack.push(end);
        }
    }

    #[inline(always)]
    fn word(&mut self, word: i64) {
        if (word.wrapping_sub(self.low) as u64).rotate_right(1) < self.half {
            self.block(word as u32);
        }
    }

    #[inline(always)]
    fn block(&mut self, mut address: u32) {
        let mut header = memory::load_u64(address - WORD);
        if header as u8 == tag::INFIX {
            address -= (header >> 10) as u32 * WORD;
            header = memory::load_u64(address - WORD);
        }
        if header & COLOUR_MASK != self.dead {
            return;
        }
        memory::store_u64(address - WORD, header ^ COLOUR_B);
        self.live_words += (header >> 10) + 1;
        if (header as u8) < tag::NO_SCAN {
            let first = match header as u8 {
                tag::CLOSURE => super::first_scanned(Value::block(address)),
                _ => 0,
            };
            self.heap.mark_stack.push(address + first * WORD);
            self.heap
                .mark_stack
                .push(address + (header >> 10) as u32 * WORD);
        }
    }
}

/// Whether `value` is not an unmarked block of the major heap: to be asked when marking is done.
pub fn is_live(heap: &Heap, value: Value) -> bool {
    if !heap.in_major(value) {
        return true;
    }
    let header = value.header();
    let header = match header as u8 {
        tag::INFIX => memory::load_u64(value.address() - (header >> 10) as u32 * WORD - WORD),
        _ => header,
    };
    header & COLOUR_MASK == heap.live_colour.get()
}
