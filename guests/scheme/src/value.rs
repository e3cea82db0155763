//! What a word of memory means.
//!
//! | lowest bits | meaning |
//! | --- | --- |
//! | `1` | an integer of 63 bits, a *fixnum* |
//! | `000` | the address of a block's first field; the header is in the word before it |
//! | `010` | a constant: `#f`, `#t`, `()` and others |
//! | `110` | a character |
//!
//! The word 0 is no value: a call that returns it has raised. A header is `fields << 8 | tag`; tags
//! are odd, so that the collector can put an address in its place.

use crate::memory::{load_f64, load_i64, load_u32};
use annotations::address_within;

/// Bytes in a word.
pub const WORD: u32 = 8;

/// What a call returns that has raised.
pub const RAISED: i64 = 0;

const fn constant(index: i64) -> i64 {
    index << 8 | 0b010
}

pub const FALSE: i64 = constant(0);
pub const TRUE: i64 = constant(1);
pub const NIL: i64 = constant(2);
pub const UNSPECIFIED: i64 = constant(3);
/// What a variable holds before it is defined.
pub const UNDEFINED: i64 = constant(4);
pub const END_OF_FILE: i64 = constant(5);

/// The kinds of blocks.
pub mod tag {
    pub const PAIR: u32 = 1;
    pub const VECTOR: u32 = 3;
    /// The first field is the address of code, the others are captured variables.
    pub const CLOSURE: u32 = 5;
    /// The place of a variable that is assigned and captured.
    pub const BOX: u32 = 7;
    /// The first field is the record's type.
    pub const RECORD: u32 = 9;
    /// The first field is a string.
    pub const SYMBOL: u32 = 11;
    /// The first field is the length, a fixnum; characters follow, 32 bits each.
    pub const STRING: u32 = 13;
    pub const FLOAT: u32 = 15;
}

/// Parts of memory: what is done to one leaves the others alone. Headers, functions and floats;
/// fields of blocks.
pub const FIXED: u32 = 1;
pub const FIELDS: u32 = 2;

pub const fn header(fields: u32, tag: u32) -> i64 {
    ((fields as i64) << 8) | tag as i64
}

#[inline(always)]
pub const fn fixnum(n: i64) -> i64 {
    n << 1 | 1
}

/// The fixnum `n`, if it is in its range.
#[inline(always)]
pub fn checked_fixnum(n: i64) -> Option<i64> {
    ((n << 1) >> 1 == n).then_some(fixnum(n))
}

#[inline(always)]
pub const fn is_fixnum(value: i64) -> bool {
    value & 1 == 1
}

#[inline(always)]
pub const fn integer(value: i64) -> i64 {
    value >> 1
}

#[inline(always)]
pub const fn truth(b: bool) -> i64 {
    FALSE + ((b as i64) << 8)
}

pub const fn character(c: char) -> i64 {
    (c as i64) << 8 | 0b110
}

#[inline(always)]
pub const fn is_character(value: i64) -> bool {
    value & 0xff == 0b110
}

/// The character in a word that holds one.
pub fn to_char(value: i64) -> char {
    char::from_u32((value >> 8) as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[inline(always)]
pub const fn is_block(value: i64) -> bool {
    value & 7 == 0
}

/// The kind of a block.
#[inline(always)]
pub fn tag_of(block: i64) -> u32 {
    load_u32(address_within((block as u32).wrapping_sub(WORD), FIXED)) & 0xff
}

/// How many fields a block has.
#[inline(always)]
pub fn fields_of(block: i64) -> u32 {
    (load_i64(address_within((block as u32).wrapping_sub(WORD), FIXED)) >> 8) as u32
}

/// Whether `value` is a block of this kind.
#[inline(always)]
pub fn is(value: i64, tag: u32) -> bool {
    is_block(value) && tag_of(value) == tag
}

#[inline(always)]
pub fn field_address(block: i64, index: u32) -> u32 {
    address_within(
        (block as u32).wrapping_add(index.wrapping_mul(WORD)),
        FIELDS,
    )
}

#[inline(always)]
pub fn field(block: i64, index: u32) -> i64 {
    load_i64(field_address(block, index))
}

/// The number in a float.
#[inline(always)]
pub fn float(block: i64) -> f64 {
    load_f64(address_within(block as u32, FIXED))
}
