//! A growing list of 32-bit addresses in guest memory, for the collector's own hot lists.
//!
//! A `Vec` in a `RefCell` would do, but for the borrow flag that each push would test and set.
//! Buffers that were outgrown become free memory of the large space.

use super::sharing;
use super::state::heap;
use crate::memory;
use std::cell::Cell;

/// Memory for entries. How much of it is in use its user knows.
pub struct Buffer {
    base: Cell<u32>,
    limit: Cell<u32>,
}

/// A list of addresses, filled and emptied at its end.
pub struct AddressList {
    buffer: Buffer,
    end: Cell<u32>,
}

const ENTRY: u32 = 4;

impl Buffer {
    pub const fn new() -> Self {
        Self {
            base: Cell::new(0),
            limit: Cell::new(0),
        }
    }

    /// Address of the first entry.
    pub fn base(&self) -> u32 {
        self.base.get()
    }

    /// Where the memory for entries ends.
    pub fn limit(&self) -> u32 {
        self.limit.get()
    }

    /// Entries for which there is memory.
    pub fn capacity(&self) -> usize {
        ((self.limit.get() - self.base.get()) / ENTRY) as usize
    }

    /// Bytes of another buffer, if this one has no room for `entries`, or else 0.
    pub fn lacks(&self, entries: usize) -> usize {
        match entries > self.capacity() {
            true => bytes(entries),
            false => 0,
        }
    }

    /// Twice as much memory, if there is any, as the `used` bytes at its beginning, which stay.
    pub fn try_grow(&self, used: u32) -> Option<()> {
        let bytes = bytes((2 * (used / ENTRY) as usize).max(4096));
        let base = sharing::acquire(bytes, |_| ())?;
        if used > 0 {
            memory::copy(self.base.get(), base, used as usize);
        }
        self.replace(base, bytes);
        Some(())
    }

    /// Goes on in other memory.
    pub fn replace(&self, base: u32, bytes: usize) {
        let old = (self.base.get(), self.limit.get());
        self.base.set(base);
        self.limit.set(base + bytes as u32);
        sharing::donate(heap(), old.0, old.1);
    }
}

fn bytes(entries: usize) -> usize {
    (entries * ENTRY as usize).next_multiple_of(memory::UNIT)
}

impl AddressList {
    pub const fn new() -> Self {
        Self {
            buffer: Buffer::new(),
            end: Cell::new(0),
        }
    }

    pub fn buffer(&self) -> &Buffer {
        &self.buffer
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
        if end == self.buffer.limit() {
            return false;
        }
        memory::store_u32(end, address);
        self.end.set(end + ENTRY);
        true
    }

    /// Whether the next entry needs more memory.
    pub fn is_full(&self) -> bool {
        self.end.get() == self.buffer.limit()
    }

    /// Removes the last entry.
    #[inline(always)]
    pub fn pop(&self) -> Option<u32> {
        let end = self.end.get();
        (end != self.buffer.base()).then(|| {
            self.end.set(end - ENTRY);
            memory::load_u32(end - ENTRY)
        })
    }

    pub fn len(&self) -> usize {
        (self.used() / ENTRY) as usize
    }

    /// Entry `index`, from the oldest.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        memory::load_u32(self.buffer.base() + index as u32 * ENTRY)
    }

    pub fn clear(&self) {
        self.end.set(self.buffer.base());
    }

    fn used(&self) -> u32 {
        self.end.get() - self.buffer.base()
    }

    #[cold]
    #[inline(never)]
    fn push_slow(&self, address: u32) {
        let used = self.used();
        let grown = self.buffer.try_grow(used);
        grown.unwrap_or_else(|| super::out_of_memory());
        self.end.set(self.buffer.base() + used);
        self.push(address)
    }
}
