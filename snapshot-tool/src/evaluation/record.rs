//! The record of what memory was before an evaluation, where it is not that any more. The
//! annotations crate has its form.

use annotations::ZEROS;

use super::loaded::{Loaded, PAGE};

const WORD: usize = 8;

/// Words that are the same but are recorded all the same, to make one entry of two: bytes cost
/// space, zeros do not.
const GAP_OF_BYTES: usize = 1;
const GAP_OF_ZEROS: usize = 64;

/// The record for `memory`, from the address `start` on.
pub fn of(loaded: &Loaded, memory: &[u8], start: usize) -> Vec<u8> {
    let mut entries = Entries::default();
    for (index, page) in memory.chunks(PAGE).enumerate() {
        let (address, before) = (index * PAGE, loaded.page(index));
        if page != before && address + PAGE > start {
            entries.page(address, before, page, start);
        }
    }
    entries.finish(loaded)
}

/// What a word was before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zero,
    Bytes,
}

impl Kind {
    fn gap(self) -> usize {
        match self {
            Kind::Zero => GAP_OF_ZEROS,
            Kind::Bytes => GAP_OF_BYTES,
        }
    }
}

/// The entries so far: what the words from an address to another were.
#[derive(Default)]
struct Entries(Vec<(Kind, usize, usize)>);

impl Entries {
    fn page(&mut self, address: usize, before: &[u8], after: &[u8], start: usize) {
        let words = before.chunks_exact(WORD).zip(after.chunks_exact(WORD));
        for (index, (before, after)) in words.enumerate() {
            let at = address + index * WORD;
            let kind = match before == [0; WORD] {
                true => Kind::Zero,
                false => Kind::Bytes,
            };
            if at < start {
                continue;
            }
            if before != after {
                self.changed(kind, at);
            } else if kind == Kind::Bytes {
                self.stays(at);
            }
        }
    }

    /// The word at `at` was another.
    fn changed(&mut self, kind: Kind, at: usize) {
        match self.0.last_mut() {
            Some((last, _, end)) if *last == kind && at - *end <= kind.gap() * WORD => {
                *end = at + WORD;
            }
            Some(_) | None => self.0.push((kind, at, at + WORD)),
        }
    }

    /// The word at `at` is what it was, and not zero: no entry of zeros goes past it.
    fn stays(&mut self, at: usize) {
        if let Some(&(Kind::Zero, _, end)) = self.0.last()
            && at - end <= GAP_OF_ZEROS * WORD
        {
            self.0.push((Kind::Bytes, at, at));
        }
    }

    fn finish(self, loaded: &Loaded) -> Vec<u8> {
        let mut record = Vec::new();
        for (kind, start, end) in self.0 {
            if start == end {
                continue;
            }
            let zeros = match kind {
                Kind::Zero => ZEROS,
                Kind::Bytes => 0,
            };
            record.extend((start as u32).to_le_bytes());
            record.extend(((end - start) as u32 | zeros).to_le_bytes());
            if kind == Kind::Bytes {
                for at in (start..end).step_by(WORD) {
                    let word = &loaded.page(at / PAGE)[at % PAGE..][..WORD];
                    record.extend(word);
                }
            }
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: usize = 3 * WORD;

    /// Memory as a module restores it by a record.
    fn restored(mut memory: Vec<u8>, record: &[u8]) -> Vec<u8> {
        let number = |at: usize| {
            let bytes = record[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        };
        let mut at = 0;
        while at < record.len() {
            let (start, length) = (number(at) as usize, number(at + 4));
            let bytes = (length & !ZEROS) as usize;
            at += WORD;
            if length & ZEROS != 0 {
                memory[start..start + bytes].fill(0);
            } else {
                memory[start..start + bytes].copy_from_slice(&record[at..at + bytes]);
                at += bytes;
            }
        }
        memory
    }

    /// Words at random, of which one in `rarity` is not zero.
    fn random(state: &mut u64, pages: usize, rarity: u64) -> Vec<u8> {
        let mut next = || {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            *state >> 33
        };
        let words = 0..pages * PAGE / WORD;
        let word = words.flat_map(|_| match next() % rarity {
            0 => next().to_le_bytes(),
            _ => [0; WORD],
        });
        word.collect()
    }

    #[test]
    fn a_record_restores_all_behind_the_start() {
        let mut state = 1;
        for (before, after) in [(2, 2), (3, 50), (50, 3), (2000, 2), (9000, 9000)] {
            let memory = random(&mut state, 2, before);
            let mut later = random(&mut state, 4, after);
            // Much stays as it was.
            later[1000..90_000].copy_from_slice(&memory[1000..90_000]);
            later[2000..2400].fill(0);
            let record = of(&Loaded::new(&memory, Vec::new()), &later, START);
            let again = restored(later, &record);
            assert_eq!(again[START..memory.len()], memory[START..]);
            assert!(again[memory.len()..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn what_is_new_costs_little_and_what_stays_nothing() {
        let memory = vec![7; 2 * PAGE];
        let mut later = memory.clone();
        later.extend(vec![9; PAGE]);
        later[100] = 1;
        let record = of(&Loaded::new(&memory, Vec::new()), &later, START);
        assert_eq!(record.len(), 2 * WORD + WORD);
    }
}
