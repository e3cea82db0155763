//! Whether values are the same, and hashes that agree with that.

use super::failure::wrong;
use super::strings;
use crate::memory::load_u32;
use crate::value::{
    field, fields_of, fixnum, float, integer, is, is_block, is_fixnum, tag, tag_of, truth,
};

/// `eq?` and `eqv?`, which are one: floats are the same if they are the same number.
#[inline(always)]
pub fn are_same(a: i64, b: i64) -> bool {
    a == b || are_same_floats(a, b)
}

#[inline(always)]
fn are_same_floats(a: i64, b: i64) -> bool {
    is(a, tag::FLOAT) && is(b, tag::FLOAT) && float(a).to_bits() == float(b).to_bits()
}

/// `equal?`. Recursion is as deep as data are nested, other than by the last field.
pub fn are_equal(mut a: i64, mut b: i64) -> bool {
    loop {
        if are_same(a, b) {
            return true;
        }
        if !is_block(a) || !is_block(b) || tag_of(a) != tag_of(b) {
            return false;
        }
        match tag_of(a) {
            tag::STRING => return strings::are_equal(a, b),
            tag::PAIR | tag::VECTOR if fields_of(a) == fields_of(b) => {}
            _ => return false,
        }
        let Some(last) = fields_of(a).checked_sub(1) else {
            return true;
        };
        if !(0..last).all(|index| are_equal(field(a, index), field(b, index))) {
            return false;
        }
        (a, b) = (field(a, last), field(b, last));
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
