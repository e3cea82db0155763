//! A growing list of 32-bit addresses in guest memory, for the collector's own hot lists.
//!
//! A `Vec` in a `RefCell` would do, but for the borrow flag that each push would test and set.
//! Buffers that were outgrown become free memory of the large space.

use super::state::heap;
use crate::memory;
use std::cell::Cell;

/// A list of addresses, filled and emptied at its end.
pub struct AddressList {
    base: Cell<u32>,
    end: Cell<u32>,
    limit: Cell<u32>,
}

const ENTRY: u32 = 4;

impl AddressList {
    pub const fn new() -> Self {
        Self {
            base: Cell::new(0),
            end: Cell::new(0),
            limit: Cell::new(0),
        }
    }

    /// Appends `address`.
    #[inline(always)]
    pub fn push(&self, address: u32) {
        if !self.try_push(address) {
            self.push_slow(address)
        }
    }

    /// Appends `address` where that needs no more memory; whether it did.
    #[inline(always)]
    pub fn try_push(&self, address: u32) -> bool {
        let end = self.end.get();
        if end == self.limit.get() {
            return false;
        }
        memory::store_u32(end, address);
        self.end.set(end + ENTRY);
        true
    }

    /// Whether the next entry needs more memory.
    pub fn is_full(&self) -> bool {
        self.end.get() == self.limit.get()
    }

    /// Removes the last entry.
    #[inline(always)]
    pub fn pop(&self) -> Option<u32> {
        let end = self.end.get();
        (end != self.base.get()).then(|| {
            self.end.set(end - ENTRY);
            memory::load_u32(end - ENTRY)
        })
    }

    /// Address of the first entry.
    pub fn base(&self) -> u32 {
        self.base.get()
    }

    /// Where the memory for entries ends.
    pub fn limit(&self) -> u32 {
        self.limit.get()
    }

    /// Doubles the memory for entries, if there is any. For a user that keeps its own end: the
    /// first `bytes` are in use.
    pub fn try_grow_keeping(&self, bytes: u32) -> bool {
        self.end.set(self.base.get() + bytes);
        let grown = self.try_grow_to((self.len() * 2).max(4096));
        self.end.set(self.base.get());
        grown.is_some()
    }

    /// Entries for which there is memory.
    pub fn capacity(&self) -> usize {
        ((self.limit.get() - self.base.get()) / ENTRY) as usize
    }

    pub fn len(&self) -> usize {
        ((self.end.get() - self.base.get()) / ENTRY) as usize
    }

    /// Entry `index`, from the oldest.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        memory::load_u32(self.base.get() + index as u32 * ENTRY)
    }

    pub fn clear(&self) {
        self.end.set(self.base.get());
    }

    /// Room for `entries` in all.
    pub fn reserve(&self, entries: usize) {
        if entries > self.capacity() {
            self.grow_to(entries);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_slow(&self, address: u32) {
        self.grow_to((self.len() * 2).max(4096));
        self.push(address)
    }

    fn grow_to(&self, entries: usize) {
        self.try_grow_to(entries)
            .unwrap_or_else(|| super::out_of_memory());
    }

    fn try_grow_to(&self, entries: usize) -> Option<()> {
        let bytes = (entries * ENTRY as usize).next_multiple_of(4096);
        let base = super::acquire(bytes, |_| ())?;
        let (old, old_limit, used) = (
            self.base.get(),
            self.limit.get(),
            self.end.get() - self.base.get(),
        );
        if used > 0 {
            memory::copy(old, base, used as usize);
        }
        self.base.set(base);
        self.end.set(base + used);
        self.limit.set(base + bytes as u32);
        super::donate(heap(), old, old_limit);
        Some(())
    }
}
