//! Where survivors of a collection go: chunks, which are taken as they are needed.
//!
//! What was copied is followed in parts: what has come since the part before. So chunks need not
//! lie one behind the other.

use super::{CHUNK, Chunk, LARGE, PAGE, new_chunk};
use crate::memory::{copy_words, give_back, load_i64, store_i64};
use crate::value::{RAISED, WORD, is_block, tag};

pub struct Space {
    old: Old,
    full: Vec<Chunk>,
    /// Where survivors go now, and up to where those in it were followed.
    last: Chunk,
    followed: u32,
    /// Parts of other chunks that have to be followed.
    waiting: Vec<Part>,
}

/// Where it begins and ends.
type Part = (u32, u32);

/// What has survived.
pub struct Survivors {
    pub full: Vec<Chunk>,
    pub last: Chunk,
    /// How much it is.
    pub bytes: u64,
}

impl Space {
    pub fn new(old: Vec<Chunk>) -> Self {
        let last = empty_chunk();
        Self {
            old: Old::new(old),
            full: Vec::new(),
            last,
            followed: last.start,
            waiting: Vec::new(),
        }
    }

    /// Follows what was copied, and gives back the old chunks.
    pub fn survivors(mut self) -> Survivors {
        while let Some((start, end)) = self.unfollowed() {
            self.blocks(start, end);
        }
        for chunk in self.old.chunks {
            give_back(chunk.start, chunk.size);
        }
        let chunks = self.full.iter().chain([&self.last]);
        let bytes = chunks.map(|chunk| u64::from(chunk.end - chunk.start)).sum();
        Survivors {
            full: self.full,
            last: self.last,
            bytes,
        }
    }

    fn unfollowed(&mut self) -> Option<Part> {
        if self.followed < self.last.end {
            let start = std::mem::replace(&mut self.followed, self.last.end);
            return Some((start, self.last.end));
        }
        self.waiting.pop()
    }

    /// Follows so many words.
    pub fn words(&mut self, address: u32, count: u32) {
        for index in 0..count {
            let at = address + index * WORD;
            let value = load_i64(at);
            let moved = self.moved(value);
            if moved != value {
                store_i64(at, moved);
            }
        }
    }

    /// Follows the fields of the blocks of a part.
    pub fn blocks(&mut self, start: u32, end: u32) {
        let mut at = start;
        while at < end {
            let header = load_i64(at);
            let (fields, kind) = ((header >> 8) as u32, header as u32 & 0xff);
            let raw = match kind {
                tag::STRING | tag::FLOAT => fields,
                tag::CLOSURE => 1,
                _ => 0,
            };
            self.words(at + WORD * (1 + raw), fields - raw);
            at += WORD * (1 + fields);
        }
    }

    /// The value that `value` has become.
    pub fn moved(&mut self, value: i64) -> i64 {
        if !is_block(value) || value == RAISED {
            return value;
        }
        let from = (value as u32).wrapping_sub(WORD);
        if !self.old.has(from) {
            return value;
        }
        let header = load_i64(from);
        if header & 1 == 0 {
            return header;
        }
        let words = (header >> 8) as u32 + 1;
        let to = self.take(words * WORD);
        copy_words(from, to, words);
        let new = i64::from(to + WORD);
        store_i64(from, new);
        new
    }

    /// Room for a survivor.
    fn take(&mut self, bytes: u32) -> u32 {
        if self.last.size - (self.last.end - self.last.start) < bytes {
            if bytes > LARGE {
                let chunk = new_chunk(bytes);
                let end = chunk.start + bytes;
                self.full.push(Chunk { end, ..chunk });
                self.waiting.push((chunk.start, end));
                return chunk.start;
            }
            self.waiting.push((self.followed, self.last.end));
            self.full
                .push(std::mem::replace(&mut self.last, empty_chunk()));
            self.followed = self.last.start;
        }
        let start = self.last.end;
        self.last.end += bytes;
        start
    }
}

fn empty_chunk() -> Chunk {
    let chunk = new_chunk(CHUNK);
    let end = chunk.start;
    Chunk { end, ..chunk }
}

/// The chunks that a collection empties, in the order of their addresses.
struct Old {
    chunks: Vec<Chunk>,
    /// For each page of memory the number of the first chunk that has a part of it, plus 1. As none
    /// is smaller than a page, no more than the next one has a part of it too.
    pages: Vec<u16>,
}

impl Old {
    fn new(mut chunks: Vec<Chunk>) -> Self {
        chunks.sort_unstable();
        let page = |address: u32| (address / PAGE) as usize;
        let count = chunks.last().map_or(0, |last| page(last.end) + 1);
        let mut pages = vec![0; count];
        for (number, chunk) in (1..).zip(&chunks) {
            for first in &mut pages[page(chunk.start)..=page(chunk.end)] {
                if *first == 0 {
                    *first = number;
                }
            }
        }
        Self { chunks, pages }
    }

    /// Whether the block whose header is at this address lies in one of them.
    fn has(&self, header: u32) -> bool {
        let number = match self.pages.get((header / PAGE) as usize) {
            None | Some(0) => return false,
            Some(number) => usize::from(*number),
        };
        let is_in = |chunk: &Chunk| (chunk.start..chunk.end).contains(&header);
        is_in(&self.chunks[number - 1]) || self.chunks.get(number).is_some_and(is_in)
    }
}
