//! Cells: words from which residual code loads the addresses of code
//! ([`annotations::RequestTable::cells`]).
//!
//! A cell's place follows from the name of its code, so an edit that moves code leaves the cells
//! where they are, and machine code as it is. They lie before all that a program brings along.
//! Without debug information, names are by position, and cells move.
//!
//! Invariant: which cells there are, and where, does not depend on the order in which they are
//! given, but for cells of one name.

use crate::memory;
use core::ops::Range;

/// Bytes of a cell.
pub const SIZE: u32 = 4;

/// Room for twice as many cells, a power of two, so that few programs have another number of them
/// after an edit. Absent if there is no memory.
pub fn reserve(count: usize) -> Option<Range<u32>> {
    let len = (2 * count).next_power_of_two() * SIZE as usize;
    let start = memory::grow(len)?;
    Some(start..start + len as u32)
}

/// Bytes that [`reserve`] takes at most for code of so many words. A function has two words at
/// least, and two cells, with that for what waits for its arguments; a piece has a word and a cell.
pub fn most(words: usize) -> usize {
    (4 * words).next_power_of_two() * SIZE as usize
}

/// Fills the cells at `room`: names and addresses, each address once.
pub fn fill(room: &Range<u32>, named: Vec<(String, u32)>) {
    let count = room.len() as u32 / SIZE;
    assert!(named.len() < count as usize, "there is room for all cells");
    for (place, address) in places(named, count) {
        memory::store_u32(room.start + place * SIZE, address);
    }
}

/// The place of each named address among `count`: where the hash of the name leads, or behind it.
pub(super) fn places(mut named: Vec<(String, u32)>, count: u32) -> Vec<(u32, u32)> {
    named.sort();
    let mut hashed = Vec::with_capacity(named.len());
    let mut number = 0;
    for (index, (name, address)) in named.iter().enumerate() {
        let is_first = index == 0 || named[index - 1].0 != *name;
        number = if is_first { 0 } else { number + 1 };
        hashed.push((hash(name, number), name, number, *address));
    }
    hashed.sort();
    let mut taken = vec![false; count as usize];
    let places = hashed.into_iter().map(|(hash, _, _, address)| {
        let mut place = hash % count;
        while core::mem::replace(&mut taken[place as usize], true) {
            place = (place + 1) % count;
        }
        (place, address)
    });
    places.collect()
}

/// FNV-1a of the name and the number, mixed once more.
fn hash(name: &str, number: u32) -> u32 {
    let bytes = name.bytes().chain(number.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn named(range: Range<u32>) -> Vec<(String, u32)> {
        range
            .map(|at| (format!("Module.f{}", at % 50), 8 * at))
            .collect()
    }

    #[test]
    fn each_address_has_a_cell_whatever_the_order() {
        let straight = places(named(0..100), 256);
        let mut other = named(0..100);
        other.reverse();
        assert_eq!(straight, places(other, 256));
        let by_place: HashMap<_, _> = straight.iter().copied().collect();
        assert_eq!(by_place.len(), 100);
    }

    #[test]
    fn few_cells_move_when_there_is_one_more() {
        let names = |count: u32| (0..count).map(|at| (format!("f{at}"), at)).collect();
        let of = |count| -> HashMap<u32, u32> {
            let places = places(names(count), 4096);
            places
                .into_iter()
                .map(|(place, address)| (address, place))
                .collect()
        };
        let (before, after) = (of(1500), of(1501));
        let moved = before
            .iter()
            .filter(|(address, place)| after[address] != **place);
        assert!(moved.count() < 5);
    }
}
