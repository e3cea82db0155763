//! `Hashtbl.hash`: MurmurHash3 over a breadth-first walk of a value. The walk visits a limited
//! number of values, and ends early when a limited number of them were meaningful (OCaml's word for
//! those that change the hash).

use super::bigarray;
use crate::code::fragments::{self, Ranges};
use crate::custom::operations::Operations;
use crate::custom::{self, Kind};
use crate::heap::COLOUR_MASK;
use crate::memory;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, WORD, header, tag};
use core::ops::Range;
use std::cell::Cell;

crate::primitives! {
    Leaf "caml_hash" caml_hash, 4;
}

/// Most values that one hash looks at.
const QUEUE_SIZE: usize = 256;

/// Forwarding blocks that are followed in a row: there may be a cycle.
const MAX_FORWARDS: usize = 1000;

fn caml_hash(count: Value, limit: Value, seed: Value, value: Value) -> Outcome {
    let mut hash = Hash(seed.as_int() as u32);
    let count = count.as_int();
    let limit = match usize::try_from(limit.as_int()) {
        Ok(limit) if limit <= QUEUE_SIZE => limit,
        Ok(_) | Err(_) => QUEUE_SIZE,
    };
    if count > 0 {
        if value.is_int() {
            hash.mix_int(value.0);
        } else if fragments::offset(value).is_none() && value.tag() == tag::STRING {
            // SAFETY: hashing writes to no block.
            hash.mix_string(unsafe { value.string_bytes() });
        } else {
            hash = flat(hash, value, count, limit)?;
        }
    }
    Ok(Value::int((hash.finish() & 0x3FFF_FFFF) as i64))
}

/// Hashes a block. One whose fields are integers and strings needs no queue. Fails if a function of
/// C raises, as do those that follow.
#[inline(never)]
fn flat(mut hash: Hash, block: Value, mut count: i64, limit: usize) -> Result<Hash, Raised> {
    let code = Ranges::now();
    if code.may_contain(block) || block.tag() >= tag::LAZY {
        return walk(hash, count, Queue::of(block, limit));
    }
    let header = block.header();
    hash.mix((header & !COLOUR_MASK) as u32);
    let size = ((header >> 10) as usize).min(limit.saturating_sub(1));
    for index in 0..size {
        let field = block.field(index);
        if count == 0 {
            break;
        }
        if field.is_int() {
            hash.mix_int(field.0);
        } else if !code.may_contain(field) && field.tag() == tag::STRING {
            // SAFETY: hashing writes to no block.
            hash.mix_string(unsafe { field.string_bytes() });
        } else {
            let rest = Queue::of_fields(block, index..size, limit - 1 - index);
            return walk(hash, count, rest);
        }
        count -= 1;
    }
    Ok(hash)
}

/// A hash being computed.
#[derive(Clone, Copy, Debug)]
pub struct Hash(pub u32);

impl Hash {
    /// Mixes 32 bits in.
    #[inline(always)]
    pub fn mix(&mut self, data: u32) {
        let data = data
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593);
        self.0 = (self.0 ^ data)
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }

    /// Mixes a word in; one that fits in 32 bits counts as such.
    #[inline]
    pub fn mix_int(&mut self, n: i64) {
        self.mix((n >> 32 ^ n >> 63 ^ n) as u32);
    }

    /// Mixes 64 bits in.
    pub fn mix_i64(&mut self, n: i64) {
        self.mix(n as u32);
        self.mix((n >> 32) as u32);
    }

    /// Mixes a float in: all NaNs are one, and so are both zeros.
    pub fn mix_f64(&mut self, x: f64) {
        let bits = if x.is_nan() {
            0x7FF0_0000_0000_0001
        } else if x == 0.0 {
            0
        } else {
            x.to_bits()
        };
        self.mix_i64(bits as i64);
    }

    /// Mixes a single-precision float in, likewise.
    pub fn mix_f32(&mut self, x: f32) {
        self.mix(if x.is_nan() {
            0x7F80_0001
        } else if x == 0.0 {
            0
        } else {
            x.to_bits()
        });
    }

    /// Mixes a string in.
    #[inline]
    pub fn mix_string(&mut self, bytes: &[u8]) {
        self.mix_bytes(bytes);
        self.0 ^= bytes.len() as u32;
    }

    /// Mixes bytes in, four at a time.
    #[inline]
    pub fn mix_bytes(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(4);
        for word in &mut words {
            self.mix(u32::from_le_bytes(word.try_into().expect("chunks of four")));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.mix(
                rest.iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | byte as u32),
            );
        }
    }

    /// The last mixing of bits.
    pub fn finish(self) -> u32 {
        let mut hash = self.0;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
        hash ^ hash >> 16
    }
}

thread_local! {
    /// Values found and not yet looked at, oldest first. Not on the stack: writing it whole for
    /// each hash would take longer than most hashes.
    static VALUES: [Cell<Value>; QUEUE_SIZE] =
        const { [const { Cell::new(Value::UNIT) }; QUEUE_SIZE] };
}

/// A walk's part of [`VALUES`]: how many there are, and may be.
struct Queue {
    len: usize,
    limit: usize,
}

impl Queue {
    fn of(value: Value, limit: usize) -> Self {
        VALUES.with(|values| values[0].set(value));
        Self { len: 1, limit }
    }

    fn of_fields(block: Value, fields: Range<usize>, limit: usize) -> Self {
        let mut queue = Self { len: 0, limit };
        queue.extend(block.field_address(fields.start), fields.len());
        queue
    }

    /// Adds `count` words of memory until the queue is full.
    #[inline(always)]
    fn extend(&mut self, mut address: u32, count: usize) {
        let end = (self.len + count).min(self.limit).min(QUEUE_SIZE);
        VALUES.with(|values| {
            while self.len < end {
                values[self.len].set(Value(memory::load_i64(address)));
                address += WORD;
                self.len += 1;
            }
        });
    }

    fn at(&self, position: usize) -> Value {
        VALUES.with(|values| values[position % QUEUE_SIZE].get())
    }
}

#[inline(never)]
fn walk(mut hash: Hash, mut count: i64, mut queue: Queue) -> Result<Hash, Raised> {
    let code = Ranges::now();
    let mut position = 0;
    while position < queue.len && count > 0 {
        let value = queue.at(position);
        position += 1;
        if value.is_int() {
            hash.mix_int(value.0);
            count -= 1;
            continue;
        }
        let header = value.header();
        if (header as u8) < tag::LAZY && !code.may_contain(value) {
            hash.mix((header & !COLOUR_MASK) as u32);
            queue.extend(value.address(), (header >> 10) as usize);
            continue;
        }
        count -= one(&mut hash, value, count, &mut queue)?;
    }
    Ok(hash)
}

/// Mixes one value in; returns how many meaningful values it was.
fn one(hash: &mut Hash, value: Value, count: i64, queue: &mut Queue) -> Result<i64, Raised> {
    if value.is_int() {
        hash.mix_int(value.0);
        return Ok(1);
    }
    if let Some(offset) = fragments::offset(value) {
        hash.mix_int(offset as i64);
        return Ok(1);
    }
    match value.tag() {
        // SAFETY: hashing writes to no block.
        tag::STRING => hash.mix_string(unsafe { value.string_bytes() }),
        tag::DOUBLE => hash.mix_f64(value.as_float()),
        tag::DOUBLE_ARRAY => return Ok(floats(hash, value, count)),
        tag::ABSTRACT => return Ok(0),
        tag::INFIX => {
            let offset = value.wosize() as u32 * WORD;
            hash.mix(offset);
            return one(hash, Value::block(value.address() - offset), count, queue);
        }
        tag::FORWARD => {
            return match forwarded(value) {
                Some(value) => one(hash, value, count, queue),
                None => Ok(0),
            };
        }
        tag::OBJECT => hash.mix_int(value.field(1).as_int()),
        tag::CUSTOM => match custom_hash(value)? {
            Some(n) => hash.mix(n),
            None => return Ok(0),
        },
        tag => {
            let size = value.wosize();
            hash.mix(header(size, tag) as u32);
            queue.extend(value.address(), size);
            return Ok(0);
        }
    }
    Ok(1)
}

fn floats(hash: &mut Hash, array: Value, count: i64) -> i64 {
    let len = (array.wosize() as i64).min(count);
    for index in 0..len as usize {
        hash.mix_f64(array.float_field(index));
    }
    len
}

/// What a chain of forwarding blocks ends in.
fn forwarded(mut value: Value) -> Option<Value> {
    for _ in 0..MAX_FORWARDS {
        value = value.field(0);
        let goes_on =
            value.is_block() && fragments::offset(value).is_none() && value.tag() == tag::FORWARD;
        if !goes_on {
            return Some(value);
        }
    }
    None
}

fn custom_hash(block: Value) -> Result<Option<u32>, Raised> {
    Ok(match Kind::of(block) {
        Kind::Int32 => Some(custom::as_int32(block) as u32),
        Kind::Int64 => {
            let n = custom::as_int64(block);
            Some((n ^ n >> 32) as u32)
        }
        Kind::Nativeint => {
            let n = custom::as_int64(block);
            Some((n >> 32 ^ n >> 63 ^ n) as u32)
        }
        Kind::Bigarray => Some(bigarray::hash(block)),
        Kind::Channel | Kind::Lock => Some(memory::load_u32(custom::data(block))),
        Kind::Thread => None,
        Kind::Foreign => match Operations::of(block) {
            Some(operations) => operations.hash(block)?,
            None => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{Hash, Queue, flat, walk};
    use crate::custom;
    use crate::heap;
    use crate::primitives::testing::{int, start_machine, string};
    use crate::value::Value;

    fn hash(value: Value) -> i64 {
        int(
            "caml_hash",
            &[Value::int(10), Value::int(100), Value::int(0), value],
        )
    }

    /// What `Hashtbl.hash` gives under `ocamlrun`.
    #[test]
    fn hashes_are_those_of_ocamlrun() {
        start_machine();
        assert_eq!(hash(Value::int(0)), 129913994);
        assert_eq!(hash(Value::int(-1)), 911466517);
        assert_eq!(hash(Value::int(1 << 40)), 268849449);
        assert_eq!(hash(string("")), 0);
        assert_eq!(hash(string("abcdefg")), 577950338);
        assert_eq!(hash(heap::alloc_float(-0.0)), 256347020);
        assert_eq!(hash(heap::alloc_float(f64::NAN)), 841516429);
        assert_eq!(hash(heap::alloc_float(1.5)), 819188451);
        assert_eq!(hash(custom::alloc_int32(-3)), 142070460);
        assert_eq!(hash(custom::alloc_int64(1 << 33)), 462777137);
        assert_eq!(hash(custom::alloc_nativeint(-7)), 77309637);
        assert_eq!(hash(heap::atom(0)), 1058613066);
        assert_eq!(
            hash(heap::alloc_fields(0, &[Value::int(1), string("x")])),
            916635072
        );
    }

    /// Fields hash as they do from the queue, whatever is first in it.
    #[test]
    fn blocks_hash_alike_by_both_ways() {
        start_machine();
        let pair = heap::alloc_fields(3, &[string("in a pair"), Value::int(-5)]);
        let float = heap::alloc_float(2.5);
        let leaves = [Value::int(9), string("text"), float, pair];
        for index in 0..4usize.pow(3) {
            let fields = [1, 4, 16].map(|place| leaves[index / place % 4]);
            let block = heap::alloc_fields(2, &fields);
            for count in 1..6 {
                for limit in 0..8 {
                    let queue = Queue::of(block, limit);
                    let expected = walk(Hash(11), count, queue);
                    let found = flat(Hash(11), block, count, limit);
                    let [found, expected] = [found, expected].map(|hash| hash.map(|hash| hash.0));
                    assert_eq!(found, expected, "{index}, {count}, {limit}");
                }
            }
        }
    }
}
