//! Primitives that the interpreter does itself in the usual case: array and string access, float
//! arithmetic and what is around functions of floats, polymorphic comparison of integers,
//! comparison of strings that differ early, conversions that change nothing; and what only the
//! interpreter knows, the running function's closure.
//!
//! Which shortcut a primitive has is a constant of the primitive table, so compiled code holds the
//! operation itself in place of a call. Anything unusual (blocks to compare) is left to the
//! primitive: a shortcut gives what the primitive would.
//! Only an index out of bounds and a divisor of 0 raise at once, so that compiled code has nothing
//! to go on with after it.

#[cfg(test)]
mod tests;

use super::blocks::allocations_poll;
use super::boxes::{are_floats, are_integers, unbox};
use super::fields::{byte, element, fixed_field, header, modify};
use super::registers::{Registers, UNIT, tagged, truth};
use crate::code;
use crate::heap;
use crate::image::bind;
use crate::memory::{self, Region, within};
use crate::registry::shortcut::*;
use crate::value::{Value, WORD, boxed::float_class, boxed::truncate, tag};
use crate::vm::vm;
use annotations::immediate;

/// How far an attempt came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// The accumulator holds the result, the other arguments are popped.
    Done,
    /// Nothing happened, or only a collection: the primitive has to be called.
    Call,
    /// Something has raised: a finaliser at the safepoint of an allocation, or the access to a
    /// bigarray, as the primitive would.
    Raised,
    /// The primitive would raise that an index is out of bounds.
    OutOfBounds,
    /// The primitive would raise that the divisor is 0.
    DivisionByZero,
}

#[inline(always)]
pub fn float(value: i64) -> f64 {
    memory::load_f64(within(value as u32, Region::Fixed))
}

/// Above the OCaml integers that are indices of a block, as words without a sign, and not above any
/// other: twice its size, plus a bit of its colour.
#[inline(always)]
fn elements(block: i64) -> u64 {
    header(block) >> 9
}

#[inline(always)]
pub fn string_length(string: i64) -> i64 {
    let size = (header(string) >> 10) as u32 * WORD;
    let padding = memory::load_u8(within(string as u32 + size - 1, Region::Fixed));
    i64::from(size - 1 - u32::from(padding))
}

#[inline(always)]
fn are_immediate(a: i64, b: i64) -> bool {
    a & 1 == 1 && b & 1 == 1
}

/// Whether index `b` of `a` is out of bounds for a shortcut that checks it.
#[inline(always)]
fn is_outside(shortcut: u32, a: i64, b: i64) -> bool {
    match shortcut {
        ARRAY_GET | ARRAY_GET_ADDR | FLOAT_ARRAY_GET | ARRAY_SET | ARRAY_SET_ADDR
        | FLOAT_ARRAY_SET => b as u64 >= elements(a),
        STRING_GET | BYTES_SET => (b >> 1) as u64 >= string_length(a) as u64,
        _ => false,
    }
}

/// The result of a shortcut that does not allocate, whose index is inside if it is checked.
#[inline(always)]
fn unary(shortcut: u32, a: i64) -> Option<i64> {
    match shortcut {
        STRING_LENGTH => Some(immediate(tagged(string_length(a)))),
        FLOAT_SIGN => Some(immediate(truth(float(a).is_sign_negative()))),
        FLOAT_CLASS => Some(immediate(tagged(float_class(float(a))))),
        SWAP_16 => Some(immediate(tagged(i64::from(((a >> 1) as u16).swap_bytes())))),
        OBJ_TAG if a & 1 == 1 => Some(immediate(tagged(tag::OF_INTEGER))),
        // Of others the primitive has to find out whether they are blocks.
        OBJ_TAG if vm().is_young(Value(a)) && a & 7 == 0 => {
            Some(immediate(tagged(i64::from(header(a) as u8))))
        }
        _ => None,
    }
}

#[inline(always)]
fn binary(shortcut: u32, a: i64, b: i64) -> Option<i64> {
    match shortcut {
        ARRAY_GET | ARRAY_UNSAFE_GET | ARRAY_GET_ADDR => {
            Some(memory::load_i64(element(a, b, Region::Fields)))
        }
        STRING_GET => Some(immediate(tagged(i64::from(memory::load_u8(byte(a, b)))))),
        EQUAL..=COMPARE if are_floats(a, b) => {
            Some(immediate(compared(shortcut, float(a), float(b))))
        }
        EQUAL..=COMPARE => {
            let (a, b) = numbers(a, b)?;
            Some(immediate(compared(shortcut, a, b)))
        }
        FLOAT_EQ => Some(immediate(truth(float(a) == float(b)))),
        FLOAT_NEQ => Some(immediate(truth(float(a) != float(b)))),
        FLOAT_LT => Some(immediate(truth(float(a) < float(b)))),
        FLOAT_LE => Some(immediate(truth(float(a) <= float(b)))),
        FLOAT_GT => Some(immediate(truth(float(a) > float(b)))),
        FLOAT_GE => Some(immediate(truth(float(a) >= float(b)))),
        FLOAT_COMPARE => Some(immediate(compared(COMPARE, float(a), float(b)))),
        INT_COMPARE => Some(immediate(compared(COMPARE, a, b))),
        _ => None,
    }
}

/// Eight bytes of a string with what follows its last one; `index` counts words.
#[inline(always)]
fn word(string: i64, index: u32) -> u64 {
    memory::load_u64(byte(string, tagged(i64::from(index * WORD))))
}

#[inline(always)]
fn words(string: i64) -> u64 {
    header(string) >> 10
}

/// The literals that are compared without a call have at most so many words.
const MOST_WORDS: u32 = 3;

/// The result of a comparison of two strings, if their beginnings say so. The second one is a
/// literal of so many words if `literal` is not 0.
#[inline(always)]
fn compare_strings(shortcut: u32, a: i64, b: i64, literal: u32) -> Option<i64> {
    match shortcut {
        STRING_EQUAL => Some(truth(strings_are_equal(a, b, literal)?)),
        STRING_NOT_EQUAL => Some(truth(!strings_are_equal(a, b, literal)?)),
        _ => order_of_strings(shortcut, a, b, literal),
    }
}

/// Whether two strings are equal, if their sizes and first words say so, or all words of a short
/// literal.
#[inline(always)]
fn strings_are_equal(a: i64, b: i64, literal: u32) -> Option<bool> {
    let size = if literal == 0 {
        words(b)
    } else {
        u64::from(literal)
    };
    // The word first: where a string is compared with several literals, its own is loaded once.
    if word(a, 0) != word(b, 0) || words(a) != size {
        return Some(false);
    }
    if size == 1 {
        return Some(true);
    }
    if literal == 0 || literal > MOST_WORDS {
        return None;
    }
    Some(word(a, 1) == word(b, 1) && (literal == 2 || word(a, 2) == word(b, 2)))
}

/// What a comparison says of the order of two strings, if their first seven bytes decide it: the
/// eighth may be none of a string's. What a shorter string lacks of the seven is 0.
#[inline(always)]
fn order_of_strings(shortcut: u32, a: i64, b: i64, literal: u32) -> Option<i64> {
    // Strings' comparisons are numbered as polymorphic ones are.
    let comparison = shortcut - STRING_EQUAL + EQUAL;
    let (first, second) = (word(a, 0), word(b, 0));
    if (first ^ second) << 8 != 0 {
        let (first, second) = (first.swap_bytes(), second.swap_bytes());
        return Some(compared(comparison, first, second));
    }
    let are_equal = literal == 1 && first == second && words(a) == 1;
    are_equal.then_some(compared(comparison, 0, 0))
}

/// The numbers to compare in place of two values, if they are integers, boxed or not. Boxes that
/// are known come first: nothing else needs to look at where they are.
#[inline(always)]
fn numbers(a: i64, b: i64) -> Option<(i64, i64)> {
    if are_integers(a, b) {
        Some((unbox(a), unbox(b)))
    } else if are_immediate(a, b) {
        Some((a, b))
    } else {
        None
    }
}

/// The result of a polymorphic comparison of two numbers. `compare` alone orders NaN, before all
/// others.
#[inline(always)]
fn compared<Number: PartialOrd + Copy>(shortcut: u32, a: Number, b: Number) -> i64 {
    match shortcut {
        EQUAL => truth(a == b),
        NOT_EQUAL => truth(a != b),
        LESS_THAN => truth(a < b),
        LESS_EQUAL => truth(a <= b),
        GREATER_THAN => truth(a > b),
        GREATER_EQUAL => truth(a >= b),
        _ => {
            let is_nan = |x: Number| i64::from(x.partial_cmp(&x).is_none());
            let order = i64::from(a > b) - i64::from(a < b);
            tagged(order + is_nan(b) - is_nan(a))
        }
    }
}

#[inline(always)]
fn is_of_floats(array: i64) -> bool {
    header(array) as u8 == tag::DOUBLE_ARRAY
}

/// The element of an array of floats, in a box. A call, of which compiled code knows nothing: as a
/// virtual box it would meet the elements of other arrays, and code that follows would be there for
/// both.
#[inline(never)]
extern "C" fn boxed_element(array: i64, index: i64) -> i64 {
    heap::alloc_float(memory::load_f64(element(array, index, Region::Floats))).0
}

/// Whether the store was done; the index is inside if it is checked.
#[inline(always)]
fn ternary(shortcut: u32, a: i64, b: i64, c: i64) -> bool {
    let floats = match shortcut {
        ARRAY_SET | ARRAY_UNSAFE_SET => is_of_floats(a),
        ARRAY_SET_ADDR | BYTES_SET => false,
        FLOAT_ARRAY_SET | FLOAT_ARRAY_UNSAFE_SET => true,
        _ => return false,
    };
    if floats {
        memory::store_i64(element(a, b, Region::Floats), fixed_field(c, 0));
    } else if shortcut == BYTES_SET {
        memory::store_u8(byte(a, b), (c >> 1) as u8);
    } else {
        modify(element(a, b, Region::Fields), c);
    }
    true
}

/// Boxes a float, which is computed after the box has its place. No closure computes it: one that
/// is not inlined would read cells behind the specializer's back.
macro_rules! boxed {
    ($registers:ident, $pops:expr, $compute:expr) => {
        match $registers.place_of_float() {
            Some(place) => {
                let block = $crate::interp::boxes::box_number(place, $compute);
                $registers.done(block, $pops)
            }
            None => Attempt::Raised,
        }
    };
}
pub(super) use boxed;

impl Registers {
    #[inline(always)]
    pub fn done(&mut self, result: i64, pops: u32) -> Attempt {
        self.drop(pops);
        self.accu = result;
        Attempt::Done
    }

    /// A shortcut with one argument.
    #[inline(always)]
    pub fn shortcut_1(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            FLOAT_NEG => boxed!(self, 0, -float(self.accu)),
            FLOAT_ABS => boxed!(self, 0, float(self.accu).abs()),
            FLOAT_SQRT => boxed!(self, 0, float(self.accu).sqrt()),
            FLOAT_OF_INT => boxed!(self, 0, (self.accu >> 1) as f64),
            FLOAT_TO_INT => {
                let n = truncate(float(self.accu), 64);
                self.done(immediate(tagged(n)), 0)
            }
            FLOAT_FUNCTION => {
                let primitive = self.operand(1);
                // SAFETY: those with this shortcut are functions of floats.
                boxed!(self, 0, unsafe {
                    bind::call_float(primitive, float(self.accu))
                })
            }
            ENVIRONMENT => self.done(self.env(), 0),
            IDENTITY => Attempt::Done,
            BIGARRAY_DIM_1..=BIGARRAY_DIM_3 => self.bigarray_dim(shortcut),
            integers::FIRST.. => self.integer_1(shortcut),
            _ => match unary(shortcut, self.accu) {
                Some(result) => self.done(result, 0),
                None => Attempt::Call,
            },
        }
    }

    /// A shortcut with two arguments.
    #[inline(always)]
    pub fn shortcut_2(&mut self, shortcut: u32) -> Attempt {
        if is_word(shortcut) {
            return self.get_word(shortcut);
        }
        if is_outside(shortcut, self.accu, self.slot(0)) {
            return Attempt::OutOfBounds;
        }
        match shortcut {
            FLOAT_ADD => boxed!(self, 1, float(self.accu) + float(self.slot(0))),
            FLOAT_SUB => boxed!(self, 1, float(self.accu) - float(self.slot(0))),
            FLOAT_MUL => boxed!(self, 1, float(self.accu) * float(self.slot(0))),
            FLOAT_DIV => boxed!(self, 1, float(self.accu) / float(self.slot(0))),
            FLOAT_FUNCTION => {
                let primitive = self.operand(1);
                // SAFETY: those with this shortcut are functions of floats.
                boxed!(self, 1, unsafe {
                    bind::call_floats(primitive, float(self.accu), float(self.slot(0)))
                })
            }
            FLOAT_ARRAY_GET | FLOAT_ARRAY_UNSAFE_GET => boxed!(self, 1, self.float_element()),
            ARRAY_GET | ARRAY_UNSAFE_GET if is_of_floats(self.accu) => {
                if allocations_poll() {
                    return boxed!(self, 1, self.float_element());
                }
                self.done(boxed_element(self.accu, self.slot(0)), 1)
            }
            BIGARRAY_GET_1 => self.bigarray_get(shortcut),
            STRING_EQUAL..=STRING_COMPARE => {
                let literal = code::literal_words(self.pc);
                match compare_strings(shortcut, self.accu, self.slot(0), literal) {
                    Some(result) => self.done(immediate(result), 1),
                    None => Attempt::Call,
                }
            }
            integers::FIRST.. => self.integer_2(shortcut),
            _ => match binary(shortcut, self.accu, self.slot(0)) {
                Some(result) => self.done(result, 1),
                None => Attempt::Call,
            },
        }
    }

    /// A shortcut with three arguments.
    #[inline(always)]
    pub fn shortcut_3(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_GET_2 => return self.bigarray_get(shortcut),
            BIGARRAY_SET_1 => return self.bigarray_set(shortcut),
            _ if is_word(shortcut) => return self.set_word(shortcut),
            _ => {}
        }
        if is_outside(shortcut, self.accu, self.slot(0)) {
            return Attempt::OutOfBounds;
        }
        if ternary(shortcut, self.accu, self.slot(0), self.slot(1)) {
            self.done(UNIT, 2)
        } else {
            Attempt::Call
        }
    }

    /// A shortcut with four arguments.
    #[inline(always)]
    pub fn shortcut_4(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_GET_3 => self.bigarray_get(shortcut),
            BIGARRAY_SET_2 => self.bigarray_set(shortcut),
            _ => Attempt::Call,
        }
    }

    /// A shortcut with five arguments.
    #[inline(always)]
    pub fn shortcut_5(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_SET_3 => self.bigarray_set(shortcut),
            _ => Attempt::Call,
        }
    }

    #[inline(always)]
    fn float_element(&self) -> f64 {
        memory::load_f64(element(self.accu, self.slot(0), Region::Floats))
    }
}
