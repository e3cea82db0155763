//! The image: blocks that exist before the heap is initialised (the program's constants), and what
//! an evaluation of the program has made since ([`super::evaluated`]).
//!
//! They are contiguous, hence can be walked, and are neither moved nor freed. What constants point
//! to is found by scanning all of them at each marking, and through the remembered set in between.
//! The others are in the major heap's range of addresses, and marked like its blocks.

use super::ephemeron::watch::Watches;
use super::state::Heap;
use crate::allocator;
use crate::memory;
use crate::value::{Value, WORD, header, tag};
use std::cell::{Cell, RefCell};

/// Bytes by which the image grows at least.
const CHUNK_BYTES: usize = 64 << 10;

/// Ranges `start..end` of image blocks.
pub struct Image {
    ranges: RefCell<Vec<(u32, u32)>>,
    /// How far the last range can grow.
    limit: Cell<u32>,
    /// First of the 256 atoms, 0 before the first is asked for.
    atoms: Cell<u32>,
}

impl Image {
    pub const fn new() -> Self {
        Self {
            ranges: RefCell::new(Vec::new()),
            limit: Cell::new(0),
            atoms: Cell::new(0),
        }
    }

    /// A block of `wosize` words with `tag`, fields not written; `None` when memory is exhausted.
    pub fn alloc(&self, wosize: usize, tag: u8) -> Option<Value> {
        let bytes = wosize.checked_add(1)?.checked_mul(WORD as usize)?;
        let mut ranges = self.ranges.borrow_mut();
        let room = ranges.last().map_or(0, |&(_, end)| self.limit.get() - end);
        if (room as usize) < bytes {
            let chunk = bytes.next_multiple_of(CHUNK_BYTES);
            let start = memory::grow(chunk)?;
            if ranges.is_empty() || start != self.limit.get() {
                allocator::lasting(|| ranges.push((start, start)));
            }
            self.limit.set(start + chunk as u32);
        }
        let (_, end) = ranges.last_mut().expect("a range was just added");
        let at = *end;
        *end += bytes as u32;
        memory::store_u64(at, header(wosize, tag));
        Some(Value::block(at + WORD))
    }

    /// The next block is not in a chunk of those that there are.
    pub fn close(&self) {
        let last = self.ranges.borrow().last().copied();
        self.limit.set(last.map_or(0, |(_, end)| end));
    }

    /// The block of size 0 with `tag`.
    pub fn atom(&self, tag: u8) -> Value {
        if self.atoms.get() == 0 {
            self.make_atoms();
        }
        Value::block(self.atoms.get() + tag as u32 * WORD)
    }

    fn make_atoms(&self) {
        let bytes = 256 * WORD;
        let base = memory::grow(bytes as usize).unwrap_or_else(|| super::out_of_memory());
        for tag in 0..=255u8 {
            memory::store_u64(base + tag as u32 * WORD, header(0, tag));
        }
        allocator::lasting(|| self.ranges.borrow_mut().insert(0, (base, base + bytes)));
        if self.ranges.borrow().len() == 1 {
            self.limit.set(base + bytes);
        }
        self.atoms.set(base + WORD);
    }

    /// Whether `address` is that of a block of the image.
    pub fn contains(&self, address: u32) -> bool {
        self.ranges
            .borrow()
            .iter()
            .any(|&(start, end)| (start + WORD..=end).contains(&address))
    }

    /// Calls `visit` with each block but atoms, those that died too.
    pub fn for_each_block(&self, mut visit: impl FnMut(Value)) {
        for &(start, end) in self.ranges.borrow().iter() {
            let mut at = start;
            while at < end {
                let block = Value::block(at + WORD);
                if block.wosize() > 0 {
                    visit(block);
                }
                at += (block.wosize() as u32 + 1) * WORD;
            }
        }
    }
}

/// Whether `value` is a block that can be looked at: of image, nursery or major heap, or the
/// globals.
pub fn is_known_block(heap: &Heap, value: Value) -> bool {
    let vm = crate::vm::vm();
    value.is_block()
        && (vm.is_young(value)
            || heap.in_major(value)
            || value == vm.globals.get()
            || heap.image.contains(value.address()))
}

/// Whether what refers to a forced suspension may refer to its value `target` instead: unless the
/// value would look like a suspension or a float there.
#[inline(never)]
pub fn may_skip_to(heap: &Heap, watches: &Watches, target: Value) -> bool {
    target.is_int()
        || is_known_block(heap, target)
            && !matches!(
                watches.own_tag(target),
                tag::FORWARD | tag::LAZY | tag::DOUBLE
            )
}
