//! Marshalled data as it is written, in pieces: a large value is not copied as it grows, and pieces
//! that are given back fit the next one.

use std::mem;

/// Most bytes of a piece. A multiple of the size of any number.
const PIECE: usize = 256 << 10;

/// Bytes one after the other. Each write of at most [`PIECE`] bytes is in one piece, which is left
/// when the next does not fit into it.
#[derive(Default)]
pub struct Data {
    full: Vec<Vec<u8>>,
    last: Vec<u8>,
}

impl Data {
    pub fn len(&self) -> usize {
        self.full.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }

    #[inline]
    pub fn push(&mut self, byte: u8) {
        if self.last.len() == self.last.capacity() {
            self.make_room(1);
        }
        self.last.push(byte);
    }

    /// Adds the lowest bytes of `word`, `len` of its 8, the lowest first. (A few bytes in an array
    /// are written one by one and then read at once, for which a processor waits.)
    #[inline(always)]
    pub fn put(&mut self, word: u64, len: usize) {
        let bytes = word.to_le_bytes();
        if self.last.capacity() - self.last.len() < bytes.len() {
            self.make_room(bytes.len());
        }
        let end = self.last.len() + len;
        self.last.extend_from_slice(&bytes);
        self.last.truncate(end);
    }

    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        if bytes.len() <= self.last.capacity() - self.last.len() {
            self.last.extend_from_slice(bytes);
        } else {
            self.draft(bytes, |_| ());
        }
    }

    /// Adds bytes, and has `change` make each part of them what it should be: a multiple of the
    /// size of any number, but for the last part.
    #[inline(never)]
    pub fn draft(&mut self, bytes: &[u8], change: impl Fn(&mut [u8])) {
        for part in bytes.chunks(PIECE) {
            if self.last.capacity() - self.last.len() < part.len() {
                self.make_room(part.len());
            }
            let start = self.last.len();
            self.last.extend_from_slice(part);
            change(&mut self.last[start..]);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, len: usize) {
        let needed = self.last.len() + len;
        if needed <= PIECE {
            let wanted = needed.max(2 * self.last.capacity()).min(PIECE);
            self.last.reserve_exact(wanted - self.last.len());
        } else {
            let next = Vec::with_capacity(PIECE);
            self.full.push(mem::replace(&mut self.last, next));
        }
    }

    /// The first bytes, as many as were written at once.
    pub fn first_mut(&mut self) -> &mut [u8] {
        self.full.first_mut().unwrap_or(&mut self.last)
    }

    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let all = self.full.iter().chain([&self.last]);
        all.map(Vec::as_slice)
    }

    /// Forgets all; keeps memory for so many bytes.
    pub fn clear(&mut self, kept: usize) {
        self.full = Vec::new();
        self.last.clear();
        self.last.shrink_to(kept);
    }

    #[cfg(test)]
    pub fn kept_bytes(&self) -> usize {
        self.last.capacity() + self.full.capacity() * size_of::<Vec<u8>>()
    }
}

/// A header and the data behind it.
pub struct Message<'a> {
    data: &'a Data,
    /// Where it begins: before that is room for a longer header.
    start: usize,
}

impl<'a> Message<'a> {
    pub fn new(data: &'a Data, start: usize) -> Self {
        Self { data, start }
    }

    pub fn len(&self) -> usize {
        self.data.len() - self.start
    }

    /// The bytes in order.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut skipped = self.start;
        self.data
            .pieces()
            .map(move |piece| &piece[mem::take(&mut skipped)..])
    }

    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.pieces()
            .for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_in_order_whatever_is_written_at_once() {
        let mut data = Data::default();
        let mut model = Vec::new();
        data.extend(&[0; 32]);
        let mut random = fastrand::Rng::with_seed(1);
        for size in [
            150 << 10,
            50 << 10,
            1,
            7,
            1000,
            PIECE - 1,
            PIECE,
            PIECE + 1,
            3 * PIECE,
            5,
        ] {
            for _ in 0..40 / (1 + size / 1000) + 1 {
                let bytes: Vec<u8> = (0..size).map(|_| random.u8(..)).collect();
                match size {
                    1 => data.push(bytes[0]),
                    5 | 7 => {
                        let mut word = [0xff; 8];
                        word[..size].copy_from_slice(&bytes);
                        word[..size].reverse();
                        data.put(u64::from_le_bytes(word), size);
                    }
                    _ => data.draft(&bytes, <[u8]>::reverse),
                }
                let parts = bytes.chunks(PIECE);
                parts.for_each(|part| model.extend(part.iter().rev()));
            }
        }
        data.first_mut()[12] = 9;
        let message = Message::new(&data, 12);
        let expected = [&[9][..], &[0; 19], &model].concat();
        assert_eq!(message.len(), expected.len());
        assert!(message.to_vec() == expected);
        let pieces = message.pieces().map(<[u8]>::len);
        assert!(pieces.max() <= Some(PIECE));
        data.clear(100);
        assert!(data.len() == 0 && data.kept_bytes() < 200);
    }
}
