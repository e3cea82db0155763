//! What is kept so that memory can run out without harm.
//!
//! A minor collection has to find a place for everything in the nursery. So the pool of pages
//! always holds twice as many as that may take, and lists of pages have room for them. Where there
//! is no memory for that, the next safepoint raises Out_of_memory, and the handler still has a
//! nursery to work in. Pages of the pool that were never used cost addresses only.
//!
//! Leaves out: the runtime's other tables (Rust's allocator), which are small; when those find no
//! memory, the program ends.

use super::sharing::SHARED_BYTES;
use super::small::{CLASS_PAGES, PAGE_BYTES};
use super::state::Heap;
use crate::evaluation;
use crate::value::WORD;
use crate::vm::vm;

/// Pages for small blocks of primitives that cannot wait for a safepoint.
const SLACK_PAGES: usize = if cfg!(miri) { 1 } else { 32 };

/// Says that an allocation found no memory: the next safepoint collects, and a primitive that can
/// is called once more.
pub fn note_exhausted() {
    super::heap().exhausted.set(true);
    vm().retry.set(1);
    super::request_safepoint();
}

/// Pages that a minor collection may take: slots are up to a quarter larger than blocks, and each
/// class may have begun a page.
pub fn least(heap: &Heap) -> usize {
    let nursery = (heap.nursery_words.get() + super::RESERVE_WORDS) * WORD as usize;
    (nursery + nursery / 4).div_ceil(PAGE_BYTES as usize) + CLASS_PAGES
}

/// Pages that the pool should hold.
pub fn comfortable(heap: &Heap) -> usize {
    2 * least(heap) + SLACK_PAGES
}

/// Whether the pool holds what it should, perhaps after it has grown. An evaluation takes nothing
/// from it.
pub fn is_comfortable(heap: &Heap) -> bool {
    let small = &heap.small;
    evaluation::is_running() || small.refill(heap, comfortable(heap)) && small.can_list(least(heap))
}

/// Whether memory may be taken that never comes back to the heap: the pool holds what it should
/// after one more minor collection, too.
pub fn can_spare() -> bool {
    let heap = super::heap();
    let pages = comfortable(heap) + least(heap);
    evaluation::is_running() || heap.small.refill(heap, pages)
}

/// Moves free memory to where it is lacking: pages beyond the reserve go to the large space.
pub fn share(heap: &Heap) {
    heap.small.finish_sweep(heap);
    lend(heap, 0);
    heap.large.borrow_mut().sweep(heap.live_colour.get());
}

/// Lets the large space, which lacks a block of `wosize` words, have the pages beyond the reserve
/// if so many of them are free, and neighbours.
pub fn lend_pages(heap: &Heap, wosize: usize) {
    let least = wosize
        .saturating_mul(WORD as usize)
        .saturating_add(PAGE_BYTES as usize)
        .max(SHARED_BYTES);
    let pages = comfortable(heap) + least / PAGE_BYTES as usize;
    if heap.small.free_pages() >= pages {
        lend(heap, least as u32);
    }
}

/// Gives the large space ranges of at least so many bytes.
fn lend(heap: &Heap, least: u32) {
    let mut large = heap.large.borrow_mut();
    heap.small.release(comfortable(heap), least, |start, end| {
        large.try_donate(start, end)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap;
    use crate::memory;
    use crate::testing::start_machine;
    use crate::value::tag;

    #[test]
    fn free_memory_is_lent_before_memory_grows() {
        start_machine();
        let heap = heap::heap();
        let pages = comfortable(heap) + 4 * SHARED_BYTES / PAGE_BYTES as usize;
        assert!(heap.small.refill(heap, pages));
        let end = || memory::grow(memory::UNIT).expect("memory");
        let before = end();
        heap::alloc(2 * SHARED_BYTES / WORD as usize, tag::STRING);
        assert!(heap.small.free_pages() >= comfortable(heap));
        heap::collect_major();
        assert!(heap.small.refill(heap, pages));
        heap::verify::verify();
        assert_eq!(end(), before + memory::UNIT as u32);
    }
}
