//! The linked module's data: memory as the snapshot has it, with the slots filled and without what
//! only the linker needed.
//!
//! Invariant: memory is as if each segment of the snapshot were copied and then changed. Half of a
//! snapshot is zeros. A stretch of them that is longer than a segment's beginning separates two
//! segments; shorter ones stay, since an engine initialises segment by segment, and longer ones do
//! where there would be more segments than engines take. Segments that are not placed in memory 0
//! when the module starts keep their order and come first. Behind them comes an empty one, if
//! instructions name one that is placed: so much has the module for them once it has started.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use wasm_encoder::{ConstExpr, DataSection};

use crate::module::{self, Module};

/// Zeros that separate two segments: a segment begins with seven bytes or so. Half as many make
/// another 2 % of the data of a large program smaller, and seven times as many segments.
const GAP: usize = 16;

/// Segments that engines take.
const MOST_SEGMENTS: usize = 100_000;

/// Memory is looked at in pieces of this size.
const PIECE: usize = 8;

/// What becomes of the snapshot's segments.
#[derive(Debug)]
pub struct Data {
    /// Address and contents of what is placed in memory 0.
    pub placed: Vec<(u32, Vec<u8>)>,
    /// New indices of the other segments.
    pub others: BTreeMap<u32, u32>,
    /// That of the one that instructions name in place of those that are placed.
    pub empty: Option<u32>,
}

impl Data {
    /// How many segments these are.
    pub fn count(&self) -> u32 {
        (self.others.len() + usize::from(self.empty.is_some()) + self.placed.len()) as u32
    }

    /// Adds all but the others.
    pub fn add_to(&self, section: &mut DataSection) {
        if self.empty.is_some() {
            section.passive([]);
        }
        for (address, bytes) in &self.placed {
            let offset = ConstExpr::i32_const(*address as i32);
            section.active(0, &offset, bytes.iter().copied());
        }
    }
}

/// Memory 0 as the linked module begins with it.
pub struct Memory {
    pub image: Vec<u8>,
    /// The parts that the segments and what was written fill: from an address to another.
    ranges: Vec<(usize, usize)>,
    /// What was written beyond the image.
    beyond: Vec<(u32, Vec<u8>)>,
}

impl Memory {
    /// The memory of `module` with these bytes written: none of them twice.
    pub fn new(module: &Module, writes: impl Iterator<Item = (u32, Vec<u8>)>) -> Self {
        let segments = module.segments.iter().map(|&(start, len)| {
            let (start, len) = (start as usize, len as usize);
            (start, &module.image[start..start + len])
        });
        let segments: Vec<_> = segments.collect();
        let mut image = module::filled(&segments);
        let ranges = segments.iter();
        let ranges = ranges.map(|(start, contents)| (*start, start + contents.len()));
        let mut ranges: Vec<_> = ranges.collect();
        let mut beyond = Vec::new();
        for (address, bytes) in writes {
            let (start, end) = (address as usize, address as usize + bytes.len());
            if start >= image.len() {
                beyond.push((address, bytes));
                continue;
            }
            image.resize(image.len().max(end), 0);
            image[start..end].copy_from_slice(&bytes);
            ranges.push((start, end));
        }
        ranges.sort_unstable();
        Self {
            image,
            ranges,
            beyond,
        }
    }

    /// Makes these parts zero.
    pub fn blank(&mut self, parts: &[Range<u32>]) {
        for part in parts {
            let end = (part.end as usize).min(self.image.len());
            if let Some(part) = self.image.get_mut(part.start as usize..end) {
                part.fill(0);
            }
        }
    }

    /// What fills it when a module like `module` starts, of which instructions may name what is
    /// placed.
    pub fn segments(&self, module: &Module, names_placed: bool) -> Data {
        let placed = match module.owns_memory {
            true => runs(&self.image, &self.ranges),
            // What an imported memory holds is not known: zeros are written, too.
            false => merged(&self.ranges),
        };
        let place = |range: Range<usize>| (range.start as u32, self.image[range].to_vec());
        let placed = placed.into_iter().map(place);
        let others: BTreeMap<_, _> = module.other_segments.iter().copied().zip(0..).collect();
        let mut placed: Vec<_> = placed.chain(self.beyond.iter().cloned()).collect();
        if module.owns_memory {
            let most = MOST_SEGMENTS - others.len().min(MOST_SEGMENTS - 2) - 1;
            placed = joined(placed, most);
        }
        Data {
            placed,
            empty: names_placed.then_some(others.len() as u32),
            others,
        }
    }
}

/// At most so many segments, of which those are joined that have the fewest zeros between them.
fn joined(mut segments: Vec<(u32, Vec<u8>)>, most: usize) -> Vec<(u32, Vec<u8>)> {
    if segments.len() <= most {
        return segments;
    }
    segments.sort_by_key(|(address, _)| *address);
    let gaps = segments.windows(2).map(|pair| {
        let (address, bytes) = &pair[0];
        pair[1].0 - address - bytes.len() as u32
    });
    let mut gaps: Vec<(u32, usize)> = gaps.zip(1..).collect();
    gaps.sort_unstable();
    let few = gaps.iter().take(segments.len() - most);
    let joins: HashSet<usize> = few.map(|(_, behind)| *behind).collect();
    let mut joined: Vec<(u32, Vec<u8>)> = Vec::new();
    for (number, (address, bytes)) in segments.into_iter().enumerate() {
        match joined.last_mut() {
            Some((start, before)) if joins.contains(&number) => {
                before.resize((address - *start) as usize, 0);
                before.extend(bytes);
            }
            Some(_) | None => joined.push((address, bytes)),
        }
    }
    joined
}

/// The parts of `ranges` between longer stretches of zeros.
fn runs(image: &[u8], ranges: &[(usize, usize)]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for Range { start, end } in merged(ranges) {
        let pieces = (start..end).step_by(PIECE);
        for piece in pieces.map(|at| at..(at + PIECE).min(end)) {
            if image[piece.clone()].iter().all(|&byte| byte == 0) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if piece.start - run.end < GAP => run.end = piece.end,
                Some(_) | None => runs.push(piece),
            }
        }
    }
    for run in &mut runs {
        let is_something = |byte: &u8| *byte != 0;
        let bytes = &image[run.clone()];
        let first = bytes.iter().position(is_something);
        let last = bytes.iter().rposition(is_something);
        if let (Some(first), Some(last)) = (first, last) {
            *run = run.start + first..run.start + last + 1;
        }
    }
    runs
}

/// The same parts of memory without overlaps; `ranges` are in ascending order.
fn merged(ranges: &[(usize, usize)]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for &(start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            Some(_) | None => merged.push(start..end),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(slots: &[(u32, u32)]) -> impl Iterator<Item = (u32, Vec<u8>)> {
        let slots = slots.iter();
        slots.map(|&(address, word)| (address, word.to_le_bytes().to_vec()))
    }

    fn check(wat: &str, slots: &[(u32, u32)], blank: Range<u32>) -> Data {
        let bytes = wat::parse_str(wat).expect("well-formed");
        let module = Module::parse(&bytes).expect("supported");
        let mut memory = Memory::new(&module, writes(slots));
        memory.blank(std::slice::from_ref(&blank));
        let data = memory.segments(&module, false);
        let mut expected = module.image.clone();
        expected.resize(1 << 16, 0);
        for &(address, word) in slots {
            expected[address as usize..][..4].copy_from_slice(&word.to_le_bytes());
        }
        expected[blank.start as usize..blank.end as usize].fill(0);
        let mut image = vec![0; 1 << 16];
        for (start, bytes) in &data.placed {
            image[*start as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        assert!(image == expected, "memory is another: {data:?}");
        data
    }

    #[test]
    fn scraps_become_one_segment_and_far_ones_stay_apart() {
        let wat = r#"(module (memory 1)
            (data (i32.const 8) "a") (data (i32.const 20) "bcd")
            (data (i32.const 5000) "e\00\00"))"#;
        let data = check(wat, &[], 0..0);
        let starts: Vec<u32> = data.placed.iter().map(|(start, _)| *start).collect();
        assert_eq!(starts, [8, 5000]);
        let lengths: Vec<usize> = data.placed.iter().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(lengths, [15, 1], "zeros at the ends are left out");
    }

    #[test]
    fn slots_are_filled_inside_across_and_outside_of_segments() {
        let wat =
            r#"(module (memory 1) (data (i32.const 10) "abcdef") (data (i32.const 13) "xyz"))"#;
        check(wat, &[(11, 7), (14, 0x0102_0304), (6000, 9)], 0..0);
    }

    #[test]
    fn what_is_blank_is_no_data() {
        let wat = r#"(module (memory 1) (data (i32.const 10) "abcdef"))"#;
        assert!(check(wat, &[], 8..16).placed.is_empty());
        check(wat, &[], 12..70);
    }

    #[test]
    fn passive_segments_come_first_under_new_indices() {
        let wat = r#"(module (memory 1) (data (i32.const 10) "a") (data "passive")
            (data (i32.const 20) "b") (data "too"))"#;
        let data = check(wat, &[], 0..0);
        assert_eq!(data.others, BTreeMap::from([(1, 0), (3, 1)]));
    }

    #[test]
    fn there_are_no_more_segments_than_engines_take() {
        let segments = || {
            let starts = [10, 20, 25, 50, 60].into_iter();
            starts.map(|start| (start, vec![start as u8; 2])).collect()
        };
        assert_eq!(joined(segments(), 5), segments());
        let three = joined(segments(), 3);
        let starts: Vec<_> = three
            .iter()
            .map(|(start, bytes)| (*start, bytes.len()))
            .collect();
        assert_eq!(starts, [(10, 17), (50, 2), (60, 2)]);
        let found: Vec<u8> = three[0]
            .1
            .iter()
            .copied()
            .filter(|byte| *byte > 0)
            .collect();
        assert_eq!(found, [10, 10, 20, 20, 25, 25]);
    }

    #[test]
    fn an_imported_memory_gets_the_zeros_as_well() {
        let wat = r#"(module (import "a" "b" (memory 1))
            (data (i32.const 10) "a\00\00\00\00\00\00\00\00\00\00\00"))"#;
        assert_eq!(check(wat, &[], 0..0).placed[0].1.len(), 12);
    }
}
