//! Writing marshalled data: from a graph of blocks to bytes.
//!
//! Depth first, without recursion; each block that has been written is known by its address, so
//! what is shared is written once. The bytes are those of 64-bit `ocamlrun`.

use super::custom_data;
use super::data::{Data, Message};
use super::format::*;
use crate::code::fragments::{self, CodePointer};
use crate::custom::Kind;
use crate::custom::operations::Operations;
use crate::memory;
use crate::polymorphic::seen::Seen;
use crate::raise;
use crate::registry::Raised;
use crate::value::{Value, WORD, header, tag};
use std::cell::Cell;

/// How to marshal: `Marshal.extern_flags`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Flags {
    pub no_sharing: bool,
    pub closures: bool,
    pub compat_32: bool,
}

impl Flags {
    /// From a list of constant constructors.
    pub fn from_list(list: Value) -> Self {
        let mut flags = Self::default();
        for flag in list.list() {
            match flag.as_int() {
                0 => flags.no_sharing = true,
                1 => flags.closures = true,
                _ => flags.compat_32 = true,
            }
        }
        flags
    }
}

/// Why a value cannot be marshalled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    InvalidArgument(&'static str),
    Failure(&'static str),
    /// A function of C has raised.
    Raised,
}

/// For a custom block that cannot be written.
const NO_CUSTOM: Error = Error::InvalidArgument("output_value: abstract value (Custom)");

impl From<Error> for Raised {
    fn from(error: Error) -> Raised {
        match error {
            Error::Raised => Raised,
            Error::InvalidArgument(message) => raise::invalid_argument(message),
            Error::Failure(message) => raise::failure(message),
        }
    }
}

/// Hands the header and data of `value` to `take`.
pub fn marshal_for<R>(
    value: Value,
    flags: Flags,
    take: impl FnOnce(Message) -> R,
) -> Result<R, Error> {
    let mut output = KEPT.take().unwrap_or_default();
    output.begin(flags);
    let result = output.run(value).and_then(|()| output.finish()).map(take);
    output.seen.end();
    output.data.clear(KEPT_BYTES);
    output.pending.clear();
    output.pending.shrink_to(KEPT_BYTES / size_of::<Pending>());
    KEPT.set(Some(output));
    result
}

/// The header and data of `value`.
#[cfg(test)]
pub fn marshal(value: Value, flags: Flags) -> Result<Vec<u8>, Error> {
    marshal_for(value, flags, |message| message.to_vec())
}

/// How much memory is kept now.
#[cfg(test)]
pub fn kept_bytes() -> usize {
    let kept = KEPT.take();
    let bytes = kept.as_ref().map_or(0, |kept| {
        let pending = kept.pending.capacity() * size_of::<Pending>();
        kept.data.kept_bytes() + pending + kept.seen.bytes()
    });
    KEPT.set(kept);
    bytes
}

/// Memory that is kept from one marshalling to the next, as most values are small.
const KEPT_BYTES: usize = 4 << 10;

thread_local! {
    static KEPT: Cell<Option<Box<Output>>> = const { Cell::new(None) };
}

/// Consecutive fields to be written: where they begin and end.
#[derive(Clone, Copy)]
struct Pending {
    next: u32,
    end: u32,
}

/// Marshalled data being written.
#[derive(Default)]
pub struct Output {
    flags: Flags,
    /// Space for the longer header, then the data.
    data: Data,
    /// Blocks written.
    seen: Seen,
    /// Size of the graph in words, headers included, on either kind of machine.
    words_32: u64,
    words_64: u64,
    /// Fields of blocks outside of the one whose fields are written.
    pending: Vec<Pending>,
}

impl Output {
    fn begin(&mut self, flags: Flags) {
        self.flags = flags;
        self.data.extend(&[0; HEADER_BIG]);
        self.seen.begin();
        (self.words_32, self.words_64) = (0, 0);
    }

    fn run(&mut self, root: Value) -> Result<(), Error> {
        let (mut value, mut fields) = (root, Pending { next: 0, end: 0 });
        loop {
            match self.value(value)? {
                Next::Fields => {}
                Next::Value(other) => {
                    value = other;
                    continue;
                }
                Next::Block(size) => {
                    if fields.next != fields.end {
                        self.pending.push(fields);
                    }
                    fields = Pending {
                        next: value.address(),
                        end: value.field_address(size),
                    };
                }
            }
            if fields.next == fields.end {
                match self.pending.pop() {
                    Some(waiting) => fields = waiting,
                    None => return Ok(()),
                }
            }
            value = Value(memory::load_i64(fields.next));
            fields.next += WORD;
        }
    }

    /// Writes one value; says what comes next.
    #[inline(always)]
    fn value(&mut self, value: Value) -> Result<Next, Error> {
        if value.is_int() {
            self.int(value.as_int())?;
            return Ok(Next::Fields);
        }
        if let Some(pointer) = fragments::code_pointer(value) {
            self.code_pointer(&pointer)?;
            return Ok(Next::Fields);
        }
        let (size, tag) = (value.wosize(), value.tag());
        if tag == tag::FORWARD && is_transparent(value.field(0)) {
            return Ok(Next::Value(value.field(0)));
        }
        if size == 0 {
            self.block_header(0, tag)?;
            return Ok(Next::Fields);
        }
        // A closure is numbered once, whatever points into it.
        if tag == tag::INFIX {
            return Ok(Next::Value(self.infix(value, size)));
        }
        if !self.flags.no_sharing
            && let Some(distance) = self.seen.meet(value.address())
        {
            self.shared(distance);
            return Ok(Next::Fields);
        }
        if tag < tag::NO_SCAN {
            self.block_header(size, tag)?;
            self.count(size as u64, size as u64);
            return Ok(Next::Block(size));
        }
        self.leaf(value, size, tag)?;
        Ok(Next::Fields)
    }

    /// Writes a block without values in it.
    #[inline(never)]
    fn leaf(&mut self, value: Value, size: usize, tag: u8) -> Result<(), Error> {
        match tag {
            tag::STRING => self.string(value),
            tag::DOUBLE => {
                self.byte(Code::DoubleLittle as u8);
                self.floats(value, 1);
                Ok(())
            }
            tag::DOUBLE_ARRAY => {
                self.float_array_header(size)?;
                self.floats(value, size);
                Ok(())
            }
            tag::CUSTOM => self.custom(value),
            _ => Err(Error::InvalidArgument(
                "output_value: abstract value (Abstract)",
            )),
        }
    }

    /// Writes how far a pointer is inside of a closure; returns the closure.
    fn infix(&mut self, value: Value, size: usize) -> Value {
        let offset = size as u32 * WORD;
        self.code_u32(Code::InfixPointer, offset);
        Value::block(value.address() - offset)
    }

    /// Counts a block with so many words, header excluded.
    fn count(&mut self, words_32: u64, words_64: u64) {
        self.words_32 += 1 + words_32;
        self.words_64 += 1 + words_64;
    }

    fn compat(&self, fits: bool, message: &'static str) -> Result<(), Error> {
        if self.flags.compat_32 && !fits {
            return Err(Error::Failure(message));
        }
        Ok(())
    }

    #[inline(always)]
    fn int(&mut self, n: i64) -> Result<(), Error> {
        if (0..0x40).contains(&n) {
            self.byte(PREFIX_SMALL_INT + n as u8);
        } else if let Ok(n) = i8::try_from(n) {
            self.code_u8(Code::Int8, n as u8);
        } else if let Ok(n) = i16::try_from(n) {
            self.code_u16(Code::Int16, n as u16);
        } else if (-(1 << 30)..1 << 30).contains(&n) {
            self.code_u32(Code::Int32, n as u32);
        } else {
            self.compat(
                false,
                "output_value: integer cannot be read back on 32-bit platform",
            )?;
            self.code_u64(Code::Int64, n as u64);
        }
        Ok(())
    }

    fn shared(&mut self, distance: u32) {
        if let Ok(distance) = u8::try_from(distance) {
            self.code_u8(Code::Shared8, distance);
        } else if let Ok(distance) = u16::try_from(distance) {
            self.code_u16(Code::Shared16, distance);
        } else {
            self.code_u32(Code::Shared32, distance);
        }
    }

    #[inline(always)]
    fn block_header(&mut self, size: usize, tag: u8) -> Result<(), Error> {
        if tag < 16 && size < 8 {
            self.byte(PREFIX_SMALL_BLOCK + tag + ((size as u8) << 4));
            return Ok(());
        }
        self.long_header(header(size, tag))
    }

    #[inline(never)]
    fn long_header(&mut self, word: u64) -> Result<(), Error> {
        if let Ok(word) = u32::try_from(word) {
            self.code_u32(Code::Block32, word);
        } else {
            self.compat(
                false,
                "output_value: array cannot be read back on 32-bit platform",
            )?;
            self.code_u64(Code::Block64, word);
        }
        Ok(())
    }

    fn string(&mut self, string: Value) -> Result<(), Error> {
        let len = string.string_len();
        if len < 0x20 {
            self.byte(PREFIX_SMALL_STRING + len as u8);
            for index in 0..len / 8 {
                self.data.put(string.field(index).0 as u64, 8);
            }
            self.data.put(string.field(len / 8).0 as u64, len % 8);
        } else {
            self.long_string(string, len)?;
        }
        self.count((len as u64 + 4) / 4, (len as u64 + 8) / 8);
        Ok(())
    }

    fn long_string(&mut self, string: Value, len: usize) -> Result<(), Error> {
        if let Ok(len) = u8::try_from(len) {
            self.code_u8(Code::String8, len);
        } else {
            self.compat(
                len <= 0xFF_FFFB,
                "output_value: string cannot be read back on 32-bit platform",
            )?;
            self.code_u32(Code::String32, len as u32);
        }
        // SAFETY: marshalling writes to no block.
        self.bytes(unsafe { string.string_bytes() });
        Ok(())
    }

    fn float_array_header(&mut self, len: usize) -> Result<(), Error> {
        if let Ok(len) = u8::try_from(len) {
            self.code_u8(Code::DoubleArray8Little, len);
        } else {
            self.compat(
                len <= 0x1F_FFFF,
                "output_value: float array cannot be read back on 32-bit platform",
            )?;
            self.code_u32(Code::DoubleArray32Little, len as u32);
        }
        Ok(())
    }

    fn floats(&mut self, block: Value, len: usize) {
        for index in 0..len {
            self.bytes(&block.field(index).0.to_le_bytes());
        }
        self.count(len as u64 * 2, len as u64);
    }

    fn code_pointer(&mut self, pointer: &CodePointer) -> Result<(), Error> {
        if !self.flags.closures {
            return Err(Error::InvalidArgument("output_value: functional value"));
        }
        self.code_u32(Code::FunctionPointer, pointer.offset);
        self.bytes(&pointer.digest);
        Ok(())
    }

    /// A block of stubs.
    fn foreign(&mut self, operations: Operations, block: Value) -> Result<(), Error> {
        let fixed = operations.fixed_length();
        let written = operations.serialize(block).map_err(|_| Error::Raised)?;
        let written = written.ok_or(NO_CUSTOM)?;
        let sizes = (written.bytes_32, written.bytes_64);
        if fixed.is_some_and(|fixed| fixed != sizes) {
            return Err(Error::Failure("output_value: incorrect fixed sizes"));
        }
        let code = match fixed {
            Some(_) => Code::CustomFixed,
            None => Code::CustomLen,
        };
        self.byte(code as u8);
        self.bytes(&operations.identifier());
        self.byte(0);
        if fixed.is_none() {
            self.bytes(&(sizes.0 as u32).to_be_bytes());
            self.bytes(&sizes.1.to_be_bytes());
        }
        self.bytes(&written.data);
        self.count(1 + sizes.0.div_ceil(4), 1 + sizes.1.div_ceil(8));
        Ok(())
    }

    fn custom(&mut self, block: Value) -> Result<(), Error> {
        if let Some(operations) = Operations::of(block) {
            return self.foreign(operations, block);
        }
        let kind = Kind::of(block);
        let Some(sizes) = custom_data::sizes(kind, block) else {
            return Err(NO_CUSTOM);
        };
        let has_length = kind == Kind::Bigarray;
        let code = if has_length {
            Code::CustomLen
        } else {
            Code::CustomFixed
        };
        self.byte(code as u8);
        self.bytes(kind.identifier().as_bytes());
        self.byte(0);
        if has_length {
            self.bytes(&(sizes.bytes_32 as u32).to_be_bytes());
            self.bytes(&sizes.bytes_64.to_be_bytes());
        }
        custom_data::write(kind, block, self);
        self.count(
            1 + sizes.bytes_32.div_ceil(4),
            1 + sizes.bytes_64.div_ceil(8),
        );
        Ok(())
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.data.push(byte);
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.data.extend(bytes);
    }

    /// Writes bytes that `change` then changes, in parts that are multiples of any number's size.
    pub fn draft(&mut self, bytes: &[u8], change: impl Fn(&mut [u8])) {
        self.data.draft(bytes, change);
    }

    fn code_u8(&mut self, code: Code, operand: u8) {
        self.data.put(code as u64 | u64::from(operand) << 8, 2);
    }

    fn code_u16(&mut self, code: Code, operand: u16) {
        let operand = operand.swap_bytes();
        self.data.put(code as u64 | u64::from(operand) << 8, 3);
    }

    fn code_u32(&mut self, code: Code, operand: u32) {
        let operand = operand.swap_bytes();
        self.data.put(code as u64 | u64::from(operand) << 8, 5);
    }

    fn code_u64(&mut self, code: Code, operand: u64) {
        self.byte(code as u8);
        self.bytes(&operand.to_be_bytes());
    }

    /// Puts the header before the data.
    fn finish(&mut self) -> Result<Message<'_>, Error> {
        let len = (self.data.len() - HEADER_BIG) as u64;
        let objects = self.seen.count();
        let small = [len, self.words_32, self.words_64]
            .iter()
            .all(|&size| size < 1 << 32);
        if !small {
            self.compat(
                false,
                "output_value: object too big to be read back on 32-bit platform",
            )?;
            let message = self.data.first_mut();
            message[..4].copy_from_slice(&MAGIC_BIG.to_be_bytes());
            for (index, word) in [len, objects.into(), self.words_64].iter().enumerate() {
                message[8 + index * 8..][..8].copy_from_slice(&word.to_be_bytes());
            }
            return Ok(Message::new(&self.data, 0));
        }
        let words = [
            MAGIC_SMALL,
            len as u32,
            objects,
            self.words_32 as u32,
            self.words_64 as u32,
        ];
        let start = HEADER_BIG - HEADER_SMALL;
        let message = &mut self.data.first_mut()[start..];
        for (index, word) in words.iter().enumerate() {
            message[index * 4..][..4].copy_from_slice(&word.to_be_bytes());
        }
        Ok(Message::new(&self.data, start))
    }
}

/// What is to be written after a value.
enum Next {
    /// The next field.
    Fields,
    /// This value, in its place.
    Value(Value),
    /// The fields of the block, which are so many.
    Block(usize),
}

/// Whether a forwarding block with this content may be replaced by it: not if that would make a
/// lazy value or a float array element out of something else.
fn is_transparent(content: Value) -> bool {
    content.is_int()
        || fragments::offset(content).is_none()
            && !matches!(content.tag(), tag::FORWARD | tag::LAZY | tag::DOUBLE)
}
