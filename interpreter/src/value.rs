//! OCaml values: 64-bit words, as on amd64, whose pointers are 32-bit addresses zero-extended.
//!
//! An odd word is a 63-bit integer. An even, non-zero word is the address of a block's first field;
//! the word before it is the header: `wosize << 10 | colour << 8 | tag`. The word 0 is no value: it
//! is what a call returns that raised ([`Value::RAISED`]).

use crate::memory;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(transparent)]
pub struct Value(pub i64);

/// The kinds of boxes of numbers, as compiled code names them. Those of integers have the numbers
/// of their kinds of custom blocks.
pub mod boxed {
    pub const FLOAT: u32 = 0;
    pub const INT32: u32 = 1;
    pub const INT64: u32 = 2;
    pub const NATIVEINT: u32 = 3;
    pub const KINDS: usize = 4;

    /// The constructor of `fpclass` that a float has: normal, subnormal, zero, infinite, nan.
    #[inline(always)]
    pub fn float_class(x: f64) -> i64 {
        let magnitude = x.abs();
        if magnitude < f64::MIN_POSITIVE {
            if magnitude == 0.0 { 2 } else { 1 }
        } else if magnitude < f64::INFINITY {
            0
        } else if magnitude == f64::INFINITY {
            3
        } else {
            4
        }
    }

    /// The integer part of `x`, or the smallest integer if that does not fit in `bits` bits.
    #[inline(always)]
    pub fn truncate(x: f64, bits: u32) -> i64 {
        let limit = (1u64 << (bits - 1)) as f64;
        let whole = x.trunc();
        if whole >= -limit && whole < limit {
            whole as i64
        } else {
            i64::MIN >> (64 - bits)
        }
    }
}

/// Block tags with a meaning of their own.
pub mod tag {
    /// What `Obj.tag` answers for an integer.
    pub const OF_INTEGER: i64 = 1000;

    pub const FORCING: u8 = 244;
    pub const LAZY: u8 = 246;
    pub const CLOSURE: u8 = 247;
    pub const OBJECT: u8 = 248;
    pub const INFIX: u8 = 249;
    pub const FORWARD: u8 = 250;
    /// Blocks with this tag or a higher one hold no values to scan.
    pub const NO_SCAN: u8 = 251;
    pub const ABSTRACT: u8 = 251;
    pub const STRING: u8 = 252;
    pub const DOUBLE: u8 = 253;
    pub const DOUBLE_ARRAY: u8 = 254;
    pub const CUSTOM: u8 = 255;
}

/// Bytes in a word.
pub const WORD: u32 = 8;

/// A header with colour bits 0. `wosize` in words.
pub const fn header(wosize: usize, tag: u8) -> u64 {
    (wosize as u64) << 10 | tag as u64
}

/// A closure's second word: arity 0, environment from word `environment` on.
pub const fn closure_info(environment: usize) -> Value {
    Value::int(environment as i64)
}

impl Value {
    /// Not a value: returned by code that raised; the exception is in the machine state.
    pub const RAISED: Value = Value(0);
    pub const UNIT: Value = Value(1);
    pub const FALSE: Value = Value(1);
    pub const TRUE: Value = Value(3);
    pub const EMPTY_LIST: Value = Value(1);
    pub const NONE: Value = Value(1);

    /// The integer `n`, its top bit dropped.
    #[inline(always)]
    pub const fn int(n: i64) -> Self {
        Self(n << 1 | 1)
    }

    #[inline(always)]
    pub const fn bool(b: bool) -> Self {
        Self::int(b as i64)
    }

    #[inline(always)]
    pub const fn block(address: u32) -> Self {
        Self(address as i64)
    }

    #[inline(always)]
    pub const fn is_int(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline(always)]
    pub const fn is_block(self) -> bool {
        self.0 & 1 == 0
    }

    #[inline(always)]
    pub const fn as_int(self) -> i64 {
        self.0 >> 1
    }

    #[inline(always)]
    pub const fn as_bool(self) -> bool {
        self.0 != 1
    }

    /// The address of field 0.
    #[inline(always)]
    pub const fn address(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    pub fn header(self) -> u64 {
        memory::load_u64(self.address() - WORD)
    }

    #[inline(always)]
    pub fn set_header(self, header: u64) {
        memory::store_u64(self.address() - WORD, header)
    }

    #[inline(always)]
    pub fn tag(self) -> u8 {
        memory::load_u8(self.address() - WORD)
    }

    /// Size in words.
    #[inline(always)]
    pub fn wosize(self) -> usize {
        (self.header() >> 10) as usize
    }

    #[inline(always)]
    pub fn field_address(self, index: usize) -> u32 {
        self.address() + index as u32 * WORD
    }

    #[inline(always)]
    pub fn field(self, index: usize) -> Value {
        Value(memory::load_i64(self.field_address(index)))
    }

    /// Writes a field of a block that was allocated since the last safepoint. Everything else goes
    /// through [`crate::heap::modify`].
    #[inline(always)]
    pub fn init_field(self, index: usize, value: Value) {
        memory::store_i64(self.field_address(index), value.0)
    }

    /// What an option holds.
    pub fn option(self) -> Option<Value> {
        self.is_block().then(|| self.field(0))
    }

    /// The elements of a list.
    pub fn list(mut self) -> impl Iterator<Item = Value> + Clone {
        std::iter::from_fn(move || {
            let element = self.is_block().then(|| self.field(0))?;
            self = self.field(1);
            Some(element)
        })
    }

    /// Length in bytes of a string or bytes block.
    pub fn string_len(self) -> usize {
        let bytes = self.wosize() * 8;
        bytes - 1 - memory::load_u8(self.address() + bytes as u32 - 1) as usize
    }

    /// A copy of the bytes of a string or bytes block, without the padding.
    pub fn to_bytes(self) -> Vec<u8> {
        memory::read(self.address(), self.string_len())
    }

    /// The bytes themselves, where a copy would cost too much.
    ///
    /// # Safety
    ///
    /// While the borrow lasts, nothing writes to the block and nothing collects. Allocation does
    /// neither.
    pub unsafe fn string_bytes(&self) -> &[u8] {
        // SAFETY: the caller promises the same.
        unsafe { memory::bytes(self.address(), self.string_len()) }
    }

    /// The bytes, to be changed.
    ///
    /// # Safety
    ///
    /// While the borrow lasts, nothing else reads the block or writes to it, and nothing collects.
    pub unsafe fn string_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the caller promises the same.
        unsafe { memory::bytes_mut(self.address(), self.string_len()) }
    }

    /// The float in a boxed float.
    #[inline(always)]
    pub fn as_float(self) -> f64 {
        memory::load_f64(self.address())
    }

    /// Element `index` of a float array or record.
    #[inline(always)]
    pub fn float_field(self, index: usize) -> f64 {
        memory::load_f64(self.field_address(index))
    }

    #[inline(always)]
    pub fn set_float_field(self, index: usize, x: f64) {
        memory::store_f64(self.field_address(index), x)
    }
}
