//! Whether values are the same, and hashes that agree with that.

use super::failure::wrong;
use super::{cycles, strings};
use crate::memory::load_u32;
use crate::value::{
    field, fields_of, fixnum, float, integer, is, is_block, is_fixnum, tag, tag_of, truth,
};
use std::collections::BTreeMap;

/// `eq?` and `eqv?`, which are one: floats are the same if they are the same number.
#[inline(always)]
pub fn are_same(a: i64, b: i64) -> bool {
    a == b || are_same_floats(a, b)
}

#[inline(always)]
fn are_same_floats(a: i64, b: i64) -> bool {
    is(a, tag::FLOAT) && is(b, tag::FLOAT) && float(a).to_bits() == float(b).to_bits()
}

/// `equal?`. Of data that lead back to themselves, what was compared once is taken to be equal.
fn are_equal(a: i64, b: i64) -> bool {
    if let Some(equal) = Few::default().are_equal(a, b) {
        return equal;
    }
    let mut classes = Classes::default();
    let is_endless = |value| !cycles::find(value).is_empty();
    match is_endless(a) && is_endless(b) {
        true => compare(a, b, |a, b| classes.join(a as u32, b as u32)),
        false => compare(a, b, |_, _| true),
    }
}

/// A comparison of what most data are: not nested deeply, and of few blocks.
#[derive(Default)]
struct Few {
    depth: u32,
    count: u32,
}

impl Few {
    const DEPTH: u32 = 100;

    /// Whether two values are equal; `None` if there is more to them.
    fn are_equal(&mut self, mut a: i64, mut b: i64) -> Option<bool> {
        loop {
            match shape(a, b) {
                Shape::Equal => return Some(true),
                Shape::Different => return Some(false),
                Shape::Fields => self.count += 1,
            }
            if self.count > cycles::MANY || self.depth == Self::DEPTH {
                return None;
            }
            let last = fields_of(a) - 1;
            self.depth += 1;
            for index in 0..last {
                if !self.are_equal(field(a, index), field(b, index))? {
                    return Some(false);
                }
            }
            self.depth -= 1;
            (a, b) = (field(a, last), field(b, last));
        }
    }
}

/// The same, where `enter` says whether fields of two blocks are to be compared. What is still to
/// be compared is in a list, so data are not nested too deeply.
fn compare(a: i64, b: i64, mut enter: impl FnMut(i64, i64) -> bool) -> bool {
    // Blocks, and the field from which on they are still to be compared.
    let mut waiting = Vec::new();
    let mut next = Some((a, b));
    while let Some((a, b)) = next {
        match shape(a, b) {
            Shape::Equal => {}
            Shape::Different => return false,
            Shape::Fields if enter(a, b) => waiting.push((a, b, 0)),
            Shape::Fields => {}
        }
        next = waiting.pop().map(|(a, b, index)| {
            if index + 1 < fields_of(a) {
                waiting.push((a, b, index + 1));
            }
            (field(a, index), field(b, index))
        });
    }
    true
}

enum Shape {
    Equal,
    Different,
    /// As equal as their fields, of which there are some.
    Fields,
}

#[inline(always)]
fn shape(a: i64, b: i64) -> Shape {
    let equal = |equal| {
        if equal {
            Shape::Equal
        } else {
            Shape::Different
        }
    };
    if are_same(a, b) || !is_block(a) || !is_block(b) || tag_of(a) != tag_of(b) {
        return equal(are_same(a, b));
    }
    match (tag_of(a), fields_of(a)) {
        (tag::STRING, _) => equal(strings::are_equal(a, b)),
        (tag::PAIR | tag::VECTOR, count) if count != fields_of(b) => Shape::Different,
        (tag::PAIR | tag::VECTOR, 0) => Shape::Equal,
        (tag::PAIR | tag::VECTOR, _) => Shape::Fields,
        _ => Shape::Different,
    }
}

/// Classes of blocks that were compared with each other (Galler and Fischer 1964).
#[derive(Default)]
struct Classes(BTreeMap<u32, u32>);

impl Classes {
    /// The block that stands for the class of one; on the way to it each second step is left out.
    fn of(&mut self, mut block: u32) -> u32 {
        while let Some(&above) = self.0.get(&block) {
            let next = *self.0.get(&above).unwrap_or(&above);
            self.0.insert(block, next);
            block = next;
        }
        block
    }

    /// Makes one class of two; whether they were two.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.0.insert(a, b);
        }
        a != b
    }
}

pub extern "C" fn same(a: i64, b: i64, _: i64) -> i64 {
    truth(are_same(a, b))
}

pub extern "C" fn equal(a: i64, b: i64, _: i64) -> i64 {
    truth(are_equal(a, b))
}

/// Elements that a hash looks at.
const LOOKED_AT: u32 = 16;

/// Equal values have equal hashes. Blocks of which a hash would need the address, which changes,
/// have one for each kind.
fn hash(value: i64, depth: u32) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, more: u64| (hash ^ more).wrapping_mul(FACTOR).rotate_left(23);
    if !is_block(value) {
        return mix(1, value as u64);
    }
    let kind = u64::from(tag_of(value));
    match tag_of(value) {
        // A symbol does not move.
        tag::SYMBOL => mix(2, value as u64),
        tag::FLOAT => mix(3, float(value).to_bits()),
        tag::STRING => {
            let characters = 0..strings::length(value);
            let character = |index| u64::from(load_u32(strings::place(value, index)));
            characters.map(character).fold(kind, mix)
        }
        tag::PAIR | tag::VECTOR if depth > 0 => {
            let fields = 0..fields_of(value).min(LOOKED_AT);
            let fields = fields.map(|index| hash(field(value, index), depth - 1));
            fields.fold(kind, mix)
        }
        _ => kind,
    }
}

/// A hash of a value, less than the second operand.
pub extern "C" fn hash_below(a: i64, limit: i64, _: i64) -> i64 {
    const DEPTH: u32 = 6;
    if !is_fixnum(limit) || integer(limit) <= 0 {
        return wrong("%hash", "a size", limit);
    }
    fixnum(((hash(a, DEPTH) >> 8) % integer(limit) as u64) as i64)
}
