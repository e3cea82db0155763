//! The heap of a program that is evaluated before its snapshot (see [`crate::evaluation`]): what
//! outlives the nursery becomes a part of the image.
//!
//! Invariant: no block is in the major heap, so no cycle has begun. When an evaluation ends, the
//! nursery is empty and all that the program can reach is in the image, never to be moved. From
//! then on it is marked as the major heap is, and what dies is *buried*: its memory is not used
//! again, but it keeps nothing alive. Blocks whose end somebody waits for must not be there: what
//! makes them stops the evaluation.

use super::state::{COLOUR_MASK, FREE, Heap};
use super::{collect, heap, roots, scanned_fields, stats};
use crate::evaluation;
use crate::memory;
use crate::value::{Value, WORD, header, tag};
use crate::vm::vm;
use std::cell::Cell;

/// The program begins: no major collection is ever due.
pub fn begin() {
    let heap = heap();
    heap.allocation_goal.set(u64::MAX);
    // The room is below the nursery, and above constants and atoms.
    heap.low.set(evaluation::room().start);
    heap.image.close();
}

/// A block outside of the nursery, fields not written. Memory has less room now than it has at run
/// time, so the want of it stops the evaluation.
pub fn alloc(heap: &Heap, wosize: usize, tag: u8) -> Value {
    let block = heap.image.alloc(wosize, tag);
    let block = block.unwrap_or_else(|| evaluation::stop("memory"));
    let words = wosize as u64 + 1;
    stats::add(&heap.counters.image_words, words);
    evaluation::note_made(words as u32 * WORD);
    block
}

/// The address of field 0 of a block that leaves the nursery; header not written.
pub fn promoted(heap: &Heap, wosize: usize) -> u32 {
    alloc(heap, wosize, tag::ABSTRACT).address()
}

/// Moves all that is alive from the nursery into the image. The program will not see that in its
/// counters. Values are in memory, the stack pointer is set.
pub fn end() {
    let heap = heap();
    let counters = &heap.counters;
    let shown = [
        &counters.promoted_words,
        &counters.major_words,
        &counters.minor_collections,
    ];
    let before = shown.map(Cell::get);
    collect::collect_minor();
    for (counter, before) in shown.into_iter().zip(before) {
        counter.set(before);
    }
    wipe(heap);
    heap.allocated.set(0);
    heap.allocation_goal.set(super::MIN_MAJOR_WORDS);
}

/// Buries a block of the image that the last marking did not reach: it refers to nothing from now
/// on. The next marking is to begin, so the colours have changed their roles.
#[inline(always)]
pub fn bury_dead(heap: &Heap, block: Value) {
    if block.header() & COLOUR_MASK == heap.live_colour.get() {
        let buried = header(block.wosize(), tag::ABSTRACT) | FREE;
        memory::store_u64(block.address() - WORD, buried);
    }
}

/// Makes all that is empty zero, as it was when the program was loaded.
fn wipe(heap: &Heap) {
    let vm = vm();
    let lists = [
        heap.fresh.buffer(),
        &heap.todo,
        &heap.mark_stack,
        heap.remembered.buffer(),
    ];
    let lists = lists.map(|list| (list.base(), list.limit()));
    let nursery = (vm.young_start.get(), vm.young_end.get());
    for (start, end) in lists.into_iter().chain([nursery]) {
        memory::fill(start, (end - start) as usize, 0);
    }
}

/// Calls `visit` with the address of each field of globals and image.
pub fn for_each_place(mut visit: impl FnMut(u32)) {
    let mut fields = |block: Value| {
        scanned_fields(block).for_each(|index| visit(block.field_address(index)));
    };
    fields(vm().globals.get());
    heap().image.for_each_block(fields);
}

/// Calls `visit` with each block of the image.
pub fn for_each_image_block(visit: impl FnMut(Value)) {
    heap().image.for_each_block(visit);
}

/// Whether a block is one of the image.
pub fn is_in_image(block: Value) -> bool {
    heap().image.contains(block.address())
}

/// Calls `visit` with each value that the runtime itself keeps.
pub fn for_each_root_cell(visit: &mut dyn FnMut(&Cell<Value>)) {
    roots::for_each_cell(heap(), visit);
}
