//! MD5 (RFC 1321) and `Digest.string`.

use crate::heap;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Allocates "caml_md5_string" md5_string, 3;
}

/// The digest of `length` bytes of `string` from `start`; the caller checked the range.
fn md5_string(string: Value, start: Value, length: Value) -> Outcome {
    let start = start.as_int() as usize;
    let bytes = &string.string_bytes()[start..start + length.as_int() as usize];
    Ok(heap::alloc_string(&digest(bytes)))
}

/// The digest of `bytes`.
pub fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut md5 = Md5::default();
    md5.update(bytes);
    md5.finish()
}

/// Rotations, by round and step modulo 4.
const ROTATIONS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// The integer parts of `|sin(i + 1)| * 2^32`.
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// A digest being computed.
pub struct Md5 {
    state: [u32; 4],
    /// Input that does not fill a block yet.
    pending: [u8; 64],
    length: u64,
}

impl Default for Md5 {
    fn default() -> Self {
        Self {
            state: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476],
            pending: [0; 64],
            length: 0,
        }
    }
}

impl Md5 {
    /// Adds input.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % 64) as usize;
        self.length += bytes.len() as u64;
        if filled > 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(64 - filled));
            self.pending[filled..filled + head.len()].copy_from_slice(head);
            if filled + head.len() < 64 {
                return;
            }
            let block = self.pending;
            self.block(&block);
            bytes = rest;
        }
        let mut blocks = bytes.chunks_exact(64);
        for block in &mut blocks {
            self.block(block.try_into().expect("chunks of 64"));
        }
        let rest = blocks.remainder();
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    /// The digest of all input.
    pub fn finish(mut self) -> [u8; 16] {
        let bits = self.length.wrapping_mul(8);
        let padding = 64 - (self.length + 8) % 64;
        let mut tail = [0; 72];
        tail[0] = 0x80;
        tail[padding as usize..padding as usize + 8].copy_from_slice(&bits.to_le_bytes());
        self.update(&tail[..padding as usize + 8]);
        let mut result = [0; 16];
        for (chunk, word) in result.chunks_exact_mut(4).zip(self.state) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        result
    }

    fn block(&mut self, block: &[u8; 64]) {
        let words: [u32; 16] = std::array::from_fn(|index| {
            u32::from_le_bytes(block[index * 4..][..4].try_into().expect("four bytes"))
        });
        let mut state = self.state;
        round::<0>(&mut state, &words, |b, c, d| b & c | !b & d, |step| step);
        round::<1>(
            &mut state,
            &words,
            |b, c, d| d & b | !d & c,
            |step| 5 * step + 1,
        );
        round::<2>(&mut state, &words, |b, c, d| b ^ c ^ d, |step| 3 * step + 5);
        round::<3>(&mut state, &words, |b, c, d| c ^ (b | !d), |step| 7 * step);
        for (old, new) in self.state.iter_mut().zip(state) {
            *old = old.wrapping_add(new);
        }
    }
}

/// Sixteen steps: `mix` is the round's function, `index` says which word a step takes (modulo 16).
#[inline(always)]
fn round<const ROUND: usize>(
    state: &mut [u32; 4],
    words: &[u32; 16],
    mix: impl Fn(u32, u32, u32) -> u32,
    index: impl Fn(usize) -> usize,
) {
    let [mut a, mut b, mut c, mut d] = *state;
    let operand = |step: usize| SINES[ROUND * 16 + step].wrapping_add(words[index(step) % 16]);
    let turn = |a: u32, b: u32, c: u32, d: u32, step: usize| {
        let sum = a.wrapping_add(mix(b, c, d)).wrapping_add(operand(step));
        b.wrapping_add(sum.rotate_left(ROTATIONS[ROUND][step % 4]))
    };
    // Four steps at a time: then each register is back in its place.
    for step in (0..16).step_by(4) {
        a = turn(a, b, c, d, step);
        d = turn(d, a, b, c, step + 1);
        c = turn(c, d, a, b, step + 2);
        b = turn(b, c, d, a, step + 3);
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    #[test]
    fn digests_of_the_rfc() {
        assert_eq!(hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(
            hex(&b"1234567890".repeat(8)),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        let data: Vec<u8> = (0..300u32).map(|i| (i * 7) as u8).collect();
        for size in [1, 3, 55, 56, 63, 64, 65, 120] {
            let mut md5 = Md5::default();
            data.chunks(size).for_each(|piece| md5.update(piece));
            assert_eq!(md5.finish(), digest(&data), "pieces of {size}");
        }
    }
}
