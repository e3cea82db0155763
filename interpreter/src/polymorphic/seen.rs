//! The blocks that a walk over a graph has met: a hash table from addresses to numbers in the order
//! of meeting.
//!
//! Open addressing with linear probing, at most half full. Looking up each block of a graph is most
//! of the work of marshalling or counting it, and the standard library's table takes twice the time
//! as Wasm. A memory of 4 GiB has fewer than 2^31 blocks.
//!
//! One table serves one walk after the other. Its slots count on from there, so that what was
//! numbered before is known to be of old, and a small value costs no clearing of the table.

/// Slots of the first table: two to the power of so much.
const FIRST_BITS: u32 = 8;

/// A table with more slots is not kept from one walk to the next.
const KEPT_SLOTS: usize = 1 << 13;

/// Blocks, numbered in the order in which they are met.
#[derive(Default)]
pub struct Seen {
    /// None before the first block, then a power of two. Free slots have numbers below `first`.
    slots: Vec<Slot>,
    /// A hash, shifted so far to the right, is an index of `slots`.
    shift: u32,
    /// The number of this walk's first block, from 1 on.
    first: u32,
    /// That of the next one.
    next: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: u32,
    number: u32,
}

impl Seen {
    /// Forgets all blocks of the walk before, which has [ended](Self::end).
    pub fn begin(&mut self) {
        if self.next >= 1 << 31 {
            *self = Self::default();
        }
        self.first = self.next.max(1);
        self.next = self.first;
    }

    /// Gives back the memory of a large table.
    pub fn end(&mut self) {
        if self.slots.len() > KEPT_SLOTS {
            *self = Self::default();
        }
    }

    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.next - self.first
    }

    /// How many blocks were met from the block at `address` on. If it was not met before, it is
    /// now.
    #[inline(always)]
    pub fn meet(&mut self, address: u32) -> Option<u32> {
        if self.slots.len() <= self.count() as usize * 2 {
            self.grow();
        }
        let index = self.find(address);
        let slot = &mut self.slots[index];
        if slot.number >= self.first {
            return Some(self.next - slot.number);
        }
        *slot = Slot {
            address,
            number: self.next,
        };
        self.next += 1;
        None
    }

    /// The slot with this address, or the free one where it belongs.
    #[inline(always)]
    fn find(&self, address: u32) -> usize {
        // Fibonacci hashing: the upper bits of the product are spread best.
        let hash = u64::from(address).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut index = (hash >> self.shift) as usize;
        loop {
            index &= self.slots.len() - 1;
            let found = self.slots[index];
            if found.address == address || found.number < self.first {
                return index;
            }
            index += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let bits = match self.slots.len() {
            0 => FIRST_BITS,
            slots => slots.ilog2() + 1,
        };
        let full = std::mem::replace(&mut self.slots, vec![Slot::default(); 1 << bits]);
        self.shift = u64::BITS - bits;
        for slot in full {
            if slot.number >= self.first {
                let index = self.find(slot.address);
                self.slots[index] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours, blocks of one page each, and the last block of memory.
    fn addresses() -> Vec<u32> {
        let address = |n: u32| match n.is_multiple_of(2) {
            true => 8 + n * 8,
            false => n << 16,
        };
        (0..60_000).map(address).chain([u32::MAX - 7]).collect()
    }

    fn check(seen: &mut Seen, addresses: &[u32]) {
        seen.begin();
        for (number, &address) in addresses.iter().enumerate() {
            assert_eq!(seen.count(), number as u32);
            assert_eq!(seen.meet(address), None);
            assert_eq!(seen.meet(address), Some(1));
        }
        let count = addresses.len();
        for (number, &address) in addresses.iter().enumerate() {
            assert_eq!(seen.meet(address), Some((count - number) as u32));
        }
        assert_eq!(seen.count(), count as u32);
    }

    #[test]
    fn blocks_keep_their_numbers_while_the_table_grows() {
        check(&mut Seen::default(), &addresses());
    }

    #[test]
    fn a_table_is_used_again() {
        let (mut seen, addresses) = (Seen::default(), addresses());
        for from in [0, 100, 50, 7] {
            check(&mut seen, &addresses[from..][..1000]);
        }
        check(&mut seen, &addresses);
        assert!(seen.slots.len() > KEPT_SLOTS);
        seen.end();
        assert!(seen.slots.is_empty());
        check(&mut seen, &addresses[..10]);
        let kept = seen.slots.len();
        seen.end();
        assert_eq!(seen.slots.len(), kept);
        // The numbers come to an end.
        (seen.first, seen.next) = (u32::MAX, u32::MAX);
        check(&mut seen, &addresses[..1000]);
    }
}
