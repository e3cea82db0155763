//! A compiled expression as `Str.regexp` leaves it in the heap, read in place.
//!
//! Invariant: borrows end before the next safepoint, after which the blocks may lie elsewhere.

use crate::memory;
use crate::value::Value;

/// Operations: the low 8 bits of a word of the program.
pub mod op {
    pub const CHAR: i64 = 0;
    pub const CHAR_NORMAL: i64 = 1;
    pub const STRING: i64 = 2;
    pub const STRING_NORMAL: i64 = 3;
    pub const CLASS: i64 = 4;
    pub const LINE_START: i64 = 5;
    pub const LINE_END: i64 = 6;
    pub const WORD_BOUNDARY: i64 = 7;
    pub const GROUP_START: i64 = 8;
    pub const GROUP_END: i64 = 9;
    pub const GROUP_AGAIN: i64 = 10;
    pub const ACCEPT: i64 = 11;
    pub const OPTIONAL: i64 = 12;
    pub const STAR: i64 = 13;
    pub const PLUS: i64 = 14;
    /// Jumps are relative to the next operation.
    pub const GOTO: i64 = 15;
    pub const CHOICE: i64 = 16;
    pub const SET_MARK: i64 = 17;
    pub const CHECK_PROGRESS: i64 = 18;
}

/// Fields of a compiled expression.
mod field {
    pub const PROGRAM: usize = 0;
    /// Strings, and sets of characters as bits.
    pub const POOL: usize = 1;
    /// What each character is as without case.
    pub const NORMAL: usize = 2;
    pub const GROUPS: usize = 3;
    pub const MARKS: usize = 4;
    /// In the pool, which characters a match may begin with; -1: any.
    pub const FIRST: usize = 5;
}

/// Bytes of a set of characters, and of a table of them.
const CLASS_BYTES: usize = 32;
const TABLE_BYTES: usize = 256;

/// A compiled expression.
///
/// Invariant: during `'a` nothing writes to its blocks and nothing collects.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    expression: Value,
    code: Value,
    length: usize,
    pool: Value,
    /// Empty where case matters.
    normal: &'a [u8],
}

impl<'a> Program<'a> {
    /// The program in a value of type `Str.regexp`.
    ///
    /// # Safety
    ///
    /// The lifetime is the caller's choice. While it lasts, nothing writes to the blocks of the
    /// expression and nothing collects.
    pub unsafe fn of(expression: Value) -> Self {
        let code = expression.field(field::PROGRAM);
        let normal = expression.field(field::NORMAL);
        Self {
            expression,
            code,
            length: code.wosize(),
            pool: expression.field(field::POOL),
            // SAFETY: the caller promises the same.
            normal: unsafe { memory::bytes(normal.address(), normal.string_len()) },
        }
    }

    /// Groups, the whole match counted.
    pub fn groups(&self) -> usize {
        self.expression.field(field::GROUPS).as_int() as usize
    }

    pub fn marks(&self) -> usize {
        self.expression.field(field::MARKS).as_int() as usize
    }

    /// For each character, whether a match may begin with it; `None` where it may begin with any.
    pub fn first_characters(&self) -> Option<&'a [u8]> {
        let index = usize::try_from(self.expression.field(field::FIRST).as_int()).ok()?;
        let table = self.pool.field(index).address();
        // SAFETY: the invariant of the type.
        Some(unsafe { memory::bytes(table, TABLE_BYTES) })
    }

    /// Operation and argument at `pc`, if the program does not end before it.
    #[inline(always)]
    pub fn word(&self, pc: usize) -> Option<i64> {
        (pc < self.length).then(|| self.code.field(pc).as_int())
    }

    /// A string of the pool; the compiler puts none with a NUL in it there.
    #[inline(always)]
    pub fn string(&self, index: usize) -> &'a [u8] {
        let string = self.pool.field(index);
        // SAFETY: the invariant of the type.
        unsafe { memory::bytes(string.address(), string.string_len()) }
    }

    /// A set of characters of the pool.
    #[inline(always)]
    pub fn class(&self, index: usize) -> &'a [u8] {
        // SAFETY: the invariant of the type.
        unsafe { memory::bytes(self.pool.field(index).address(), CLASS_BYTES) }
    }

    /// What `character` is as without case.
    #[inline(always)]
    pub fn normal(&self, character: u8) -> u8 {
        self.normal[character as usize]
    }

    /// Whether the operation at `pc` is known to fail at once where the text goes on with
    /// `current`.
    #[inline(always)]
    pub fn is_hopeless(&self, pc: usize, current: Option<&u8>) -> bool {
        let (Some(word), Some(&current)) = (self.word(pc), current) else {
            return false;
        };
        let argument = (word as u64 >> 8) as usize;
        match word & 0xFF {
            op::CHAR => current != argument as u8,
            op::STRING => self.string(argument).first() != Some(&current),
            op::CLASS | op::PLUS => !contains(self.class(argument), current),
            _ => false,
        }
    }
}

/// Membership in a set of 256 bits.
#[inline(always)]
pub fn contains(class: &[u8], character: u8) -> bool {
    class[character as usize / 8] >> (character % 8) & 1 != 0
}
