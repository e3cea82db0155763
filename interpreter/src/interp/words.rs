//! Shortcuts of accesses to several bytes at once: 2, 4 or 8 of a string, or of a bigarray of
//! bytes; the lowest comes first.
//!
//! As in the primitives, nothing says at which index a word may begin, and whether a bigarray is
//! one of bytes is not asked. Generic code looks at the bounds and calls the primitives: few
//! programs have these accesses, and each has the loop.

use super::bigarrays;
use super::boxes::{box_integer, unbox};
use super::fields::byte;
use super::registers::{Registers, UNIT, tagged};
use super::shortcut::{Attempt, string_length};
use crate::memory;
use crate::polymorphic::bigarray::Bigarray;
use crate::registry::shortcut::*;
use crate::value::Value;
use crate::value::boxed::{INT32, INT64};
use annotations::{immediate, specialize_active};

/// How many bytes a shortcut accesses: their numbers repeat 2, 4, 8. What is computed is a constant
/// in compiled code, what a table says would be loaded.
#[inline(always)]
fn size(shortcut: u32) -> u64 {
    2 << ((shortcut - STRING_GET_16) % 3)
}

#[inline(always)]
fn is_of_string(shortcut: u32) -> bool {
    matches!(
        shortcut,
        STRING_GET_16..=STRING_GET_64 | BYTES_SET_16..=BYTES_SET_64
    )
}

/// Whether one of the bytes at the index `index` of `bytes` is outside of them.
#[inline(always)]
fn is_outside(shortcut: u32, bytes: i64, index: i64) -> bool {
    let length = if is_of_string(shortcut) {
        string_length(bytes)
    } else {
        Bigarray(Value(bytes)).dim(0)
    };
    // A negative index is a large one without its sign, and cannot overflow.
    (index as u64 >> 1) + (size(shortcut) - 1) >= length as u64
}

#[inline(always)]
fn address(shortcut: u32, bytes: i64, index: i64) -> u32 {
    if is_of_string(shortcut) {
        byte(bytes, index)
    } else {
        bigarrays::address(Bigarray(Value(bytes)).data(), (index >> 1) as u32, 1)
    }
}

#[inline(always)]
fn load(shortcut: u32, bytes: i64, index: i64) -> i64 {
    let address = address(shortcut, bytes, index);
    match size(shortcut) {
        2 => memory::load_u16(address).into(),
        4 => memory::load_i32(address).into(),
        _ => memory::load_i64(address),
    }
}

// No closures that read cells here: one that is not inlined would do so behind the specializer's
// back.
impl Registers {
    /// What comes of an access that is not done here, if it is not.
    #[inline(always)]
    fn elsewhere(&self, shortcut: u32) -> Option<Attempt> {
        if is_outside(shortcut, self.accu, self.slot(0)) {
            Some(Attempt::OutOfBounds)
        } else if specialize_active() == 0 {
            Some(Attempt::Call)
        } else {
            None
        }
    }

    /// The shortcut that reads a word.
    #[inline(always)]
    pub fn get_word(&mut self, shortcut: u32) -> Attempt {
        if let Some(attempt) = self.elsewhere(shortcut) {
            return attempt;
        }
        let kind = match size(shortcut) {
            2 => {
                let n = load(shortcut, self.accu, self.slot(0));
                return self.done(immediate(tagged(n)), 1);
            }
            4 => INT32,
            _ => INT64,
        };
        let Some(place) = self.place_of_integer() else {
            return Attempt::Raised;
        };
        let n = load(shortcut, self.accu, self.slot(0));
        self.done(box_integer(place, kind, n), 1)
    }

    /// The shortcut that writes a word.
    #[inline(always)]
    pub fn set_word(&mut self, shortcut: u32) -> Attempt {
        if let Some(attempt) = self.elsewhere(shortcut) {
            return attempt;
        }
        let (address, value) = (address(shortcut, self.accu, self.slot(0)), self.slot(1));
        match size(shortcut) {
            2 => memory::store_u16(address, (value >> 1) as u16),
            4 => memory::store_i32(address, unbox(value) as i32),
            _ => memory::store_i64(address, unbox(value)),
        }
        self.done(UNIT, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom;
    use crate::primitives::testing::call;
    use crate::testing::{start_machine, string};

    /// The numbers in bytes, as the primitives and the shortcuts read them, and where both refuse.
    #[test]
    fn words_are_those_of_the_primitives() {
        start_machine();
        let text = string("\u{fffd}123\u{80}5\n7\u{7ff}");
        let length = text.string_len() as i64;
        for name in ["caml_string_get16", "caml_string_get32", "caml_bytes_get64"] {
            let shortcut = number(name);
            for index in [
                i64::MIN >> 1,
                -8,
                -1,
                0,
                1,
                3,
                length - 8,
                length - 4,
                length - 2,
            ]
            .into_iter()
            .chain(length - 7..=length)
            .chain([i64::MAX >> 1])
            .map(Value::int)
            {
                let read = call(name, &[text, index])
                    .ok()
                    .map(|word| match size(shortcut) {
                        2 => word.as_int(),
                        4 => custom::as_int32(word).into(),
                        _ => custom::as_int64(word),
                    });
                let inside = !is_outside(shortcut, text.0, index.0);
                let loaded = inside.then(|| load(shortcut, text.0, index.0));
                assert_eq!(loaded, read, "{name} at {index:?}");
            }
        }
    }
}
