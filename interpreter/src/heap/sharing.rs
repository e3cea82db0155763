//! How the heap's spaces and the runtime pass memory on to each other: what one no longer needs is
//! free in the large space, from which the others take it before memory grows.

use super::large;
use super::state::{Heap, heap};
use crate::memory;
use crate::value::WORD;

/// Bytes by which the spaces of the major heap grow at least. They first take free memory from each
/// other, but as much in a row: less stays where it is, lest they are left with what fits nothing.
pub const SHARED_BYTES: usize = if cfg!(miri) { 128 << 10 } else { 1 << 20 };

/// Gives memory that the collector used for itself to the large space, unless that is being looked
/// at.
pub fn donate(heap: &Heap, start: u32, end: u32) {
    if start < end
        && start >= heap.low.get()
        && let Ok(mut large) = heap.large.try_borrow_mut()
    {
        heap.note_range(end);
        large.donate(start, end);
    }
}

/// Bytes by which a space of `bytes` bytes should grow where it lacks `need`.
pub fn growth(bytes: u64, need: usize) -> usize {
    need.max(SHARED_BYTES)
        .max(bytes as usize / 8)
        .next_multiple_of(64 << 10)
}

/// New memory for a space: `wish` bytes or at least `need`.
pub fn grow_either(heap: &Heap, wish: usize, need: usize) -> Option<(u32, u32)> {
    let need = whole_units(need)?;
    let range = |bytes| memory::grow(bytes).map(|start| (start, start + bytes as u32));
    let (start, end) = range(wish).or_else(|| range(need))?;
    heap.note_range(end);
    Some((start, end))
}

/// Memory that is no part of the heap. What is free in the large space comes first, so that what
/// was given back is used again; `reuse` is called with it, as only new memory is zero.
pub fn acquire(bytes: usize, reuse: impl Fn(u32)) -> Option<u32> {
    let free = |looks| carve_looking(bytes, looks).inspect(|&start| reuse(start));
    free(large::FEW)
        .or_else(|| memory::grow(bytes))
        .or_else(|| free(large::ALL))
}

/// The start of `bytes` bytes that were free in the large space, and no longer belong to it.
pub fn carve(bytes: usize) -> Option<u32> {
    carve_looking(bytes, large::ALL)
}

fn carve_looking(bytes: usize, looks: usize) -> Option<u32> {
    let unit = u32::try_from(bytes).ok()?.checked_next_multiple_of(WORD)?;
    let mut large = heap().large.try_borrow_mut().ok()?;
    Some(large.carve(unit, unit, looks)?.0)
}

/// Zeroed memory for data that blocks only point to, to be given back by [`give_back`].
pub fn acquire_zeroed(bytes: usize) -> Option<u32> {
    acquire(whole_units(bytes)?, |start| memory::fill(start, bytes, 0))
}

/// Makes memory that [`acquire_zeroed`] returned part of the large space.
pub fn give_back(start: u32, bytes: usize) {
    let bytes = whole_units(bytes).expect("it was acquired");
    donate(heap(), start, start + bytes as u32);
}

/// What memory grows by for so many bytes: without gaps, what is given back can become one range.
fn whole_units(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(memory::UNIT)
}
