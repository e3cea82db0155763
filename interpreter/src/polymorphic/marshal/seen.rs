//! The blocks that have been written: a hash table from addresses to numbers in order of writing.
//!
//! Open addressing with linear probing, at most half full. Looking up each block of a graph is most
//! of the work of marshalling it, and the standard library's table takes twice the time as Wasm.
//! A memory of 4 GiB has fewer than 2^32 blocks.

/// Slots of the first table: two to the power of so much.
const FIRST_BITS: u32 = 8;

/// Blocks, numbered from 0.
#[derive(Default)]
pub struct Seen {
    /// None before the first block, then a power of two. The address 0 marks a free slot.
    slots: Vec<Slot>,
    /// A hash, shifted so far to the right, is an index of `slots`.
    shift: u32,
    count: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: u32,
    number: u32,
}

impl Seen {
    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The number of the block at `address`.
    #[inline]
    pub fn number(&self, address: u32) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.find(address)];
        (slot.address == address).then_some(slot.number)
    }

    /// Numbers the block at `address`, which has no number.
    #[inline]
    pub fn add(&mut self, address: u32) {
        if self.slots.len() <= self.count as usize * 2 {
            self.grow();
        }
        let number = self.count;
        let index = self.find(address);
        self.slots[index] = Slot { address, number };
        self.count += 1;
    }

    /// The slot with this address, or the free one where it belongs.
    #[inline]
    fn find(&self, address: u32) -> usize {
        // Fibonacci hashing: the upper bits of the product are spread best.
        let hash = u64::from(address).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut index = (hash >> self.shift) as usize;
        loop {
            index &= self.slots.len() - 1;
            let found = self.slots[index].address;
            if found == address || found == 0 {
                return index;
            }
            index += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let bits = match self.slots.len() {
            0 => FIRST_BITS,
            slots => slots.ilog2() + 1,
        };
        let full = std::mem::replace(&mut self.slots, vec![Slot::default(); 1 << bits]);
        self.shift = u64::BITS - bits;
        for slot in full.into_iter().filter(|slot| slot.address != 0) {
            let index = self.find(slot.address);
            self.slots[index] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_numbers_while_the_table_grows() {
        let mut seen = Seen::default();
        assert_eq!(seen.number(8), None);
        // Neighbours, blocks of one page each, and the last block of memory.
        let address = |n: u32| match n.is_multiple_of(2) {
            true => 8 + n * 8,
            false => n << 16,
        };
        let addresses: Vec<u32> = (0..60_000).map(address).chain([u32::MAX - 7]).collect();
        for (number, &address) in addresses.iter().enumerate() {
            assert_eq!(seen.number(address), None);
            seen.add(address);
            assert_eq!(seen.number(address), Some(number as u32));
        }
        for (number, &address) in addresses.iter().enumerate() {
            assert_eq!(seen.number(address), Some(number as u32));
        }
        assert_eq!(seen.count(), addresses.len() as u32);
    }
}
