//! Machine code of single functions, by Cranelift's keys: a table to be searched where it lies.
//!
//! Number of entries, 4 bytes; the entries in ascending order of their keys: key, digest of key and
//! code, start and end of the code in what follows; then the codes, each once. Numbers are
//! little-endian. Invariant: whatever the bytes, a look-up gives what was put in under that key, or
//! nothing.

use std::collections::{BTreeMap, HashMap};

/// Bytes of a key: Cranelift's hash of a function and all settings.
const KEY: usize = 32;

/// Bytes of a digest: as much of BLAKE3 as notices damage.
const DIGEST: usize = 8;

const NUMBER: usize = 4;

const ENTRY: usize = KEY + DIGEST + 2 * NUMBER;

/// The table.
#[derive(Clone, Copy, Debug)]
pub struct Functions<'a> {
    entries: &'a [[u8; ENTRY]],
    codes: &'a [u8],
}

impl<'a> Functions<'a> {
    /// The table in `bytes`; empty where they are cut off.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::parse(bytes).unwrap_or(Self {
            entries: &[],
            codes: &[],
        })
    }

    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let length = ENTRY.checked_mul(u32::from_le_bytes(*count) as usize)?;
        let (entries, codes) = rest.split_at_checked(length)?;
        let (entries, _) = entries.as_chunks();
        Some(Self { entries, codes })
    }

    /// The code under `key`.
    pub fn get(&self, key: &[u8]) -> Option<&'a [u8]> {
        let found = self
            .entries
            .binary_search_by(|entry| entry[..KEY].cmp(key))
            .ok()?;
        let entry = &self.entries[found];
        let code = self.codes.get(number(entry, 0)..number(entry, 1))?;
        (entry[KEY..KEY + DIGEST] == digest(key, code)).then_some(code)
    }
}

/// One of the numbers at the end of an entry.
fn number(entry: &[u8; ENTRY], index: usize) -> usize {
    let (numbers, _) = entry[KEY + DIGEST..].as_chunks::<NUMBER>();
    u32::from_le_bytes(numbers[index]) as usize
}

fn digest(key: &[u8], code: &[u8]) -> [u8; DIGEST] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key).update(code);
    let mut digest = [0; DIGEST];
    hasher.finalize_xof().fill(&mut digest);
    digest
}

/// The table of these functions.
pub fn table(functions: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let mut table = (functions.len() as u32).to_le_bytes().to_vec();
    let mut codes: Vec<u8> = Vec::new();
    let mut starts = HashMap::new();
    for (key, code) in functions {
        assert_eq!(key.len(), KEY, "Cranelift's keys are of one length");
        let start = *starts.entry(code).or_insert_with(|| {
            codes.extend(code);
            codes.len() - code.len()
        });
        table.extend(key);
        table.extend(digest(key, code));
        table.extend((start as u32).to_le_bytes());
        table.extend(((start + code.len()) as u32).to_le_bytes());
    }
    table.extend(codes);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions() -> BTreeMap<Vec<u8>, Vec<u8>> {
        // The last ones have the code of others.
        let function = |number: u8| {
            (
                vec![number * 7; KEY],
                vec![number % 25; number as usize % 25],
            )
        };
        (0..30).map(function).collect()
    }

    #[test]
    fn each_function_is_found_and_no_other() {
        let table = table(&functions());
        let found = Functions::new(&table);
        for (key, code) in functions() {
            assert_eq!(found.get(&key), Some(&code[..]));
        }
        assert_eq!(found.get(&[1; KEY]), None);
        assert_eq!(found.get(&[7; KEY - 1]), None);
    }

    #[test]
    fn a_changed_byte_is_never_an_answer() {
        let sound = table(&functions());
        for at in 0..sound.len() {
            let mut changed = sound.clone();
            changed[at] ^= 0x10;
            for (key, code) in functions() {
                let found = Functions::new(&changed).get(&key);
                assert!(found.is_none_or(|found| found == code), "byte {at}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_has_only_the_functions_before() {
        let sound = table(&functions());
        for length in 0..sound.len() {
            let found = Functions::new(&sound[..length]);
            for (key, code) in functions() {
                assert!(found.get(&key).is_none_or(|found| found == code));
            }
        }
    }
}
