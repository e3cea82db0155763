//! Reading marshalled data: from bytes to a fresh graph of blocks.
//!
//! Invariant: what has been allocated is reachable only from here until the end, and no safepoint
//! comes before it, so a malformed input leaves nothing behind but garbage. Each size is checked
//! against the bytes that are left before anything is allocated. No recursion: pending fields are
//! on a stack of tasks.

use super::custom_data;
use super::format::*;
pub use super::header::{Header, header};
use super::reader::{Error, Reader, failure, ill_formed, truncated};
use crate::allocator;
use crate::code::fragments::{self, CodePointer};
use crate::custom::operations::{self, Operations};
use crate::custom::{self, Kind};
use crate::heap::{self, Batch, memprof};
use crate::memory;
use crate::polymorphic::bigarray;
use crate::value::{Value, WORD, tag};
use crate::vm::vm;

#[cold]
fn incorrect_length<T>() -> Result<T, Error> {
    failure("input_value: incorrect length of serialized custom block")
}

/// Reads the value whose header is at the start of `bytes`.
pub fn unmarshal(bytes: &[u8]) -> Result<Value, Error> {
    unmarshal_as(bytes, "input_val_from_string")
}

/// The same with the reader's name for messages.
pub fn unmarshal_as(bytes: &[u8], function: &str) -> Result<Value, Error> {
    let header = header(bytes, function)?;
    match header.data(bytes) {
        Some(data) => unmarshal_data(data, &header),
        None => Err(Error::Failure(format!("{function}: bad length"))),
    }
}

/// Reads a value from what comes after its header.
pub fn unmarshal_data(data: &[u8], header: &Header) -> Result<Value, Error> {
    // The header may be false; each block takes a byte at least.
    let objects = header.objects.min(data.len());
    let mut input = Input {
        reader: Reader::new(data),
        objects: Vec::new(),
        fields: Fields::default(),
        tasks: Vec::new(),
        // OCaml reads so much into one large block.
        large: (header.words > heap::MAX_YOUNG_WOSIZE + 1).then(Batch::begin),
    };
    let room = allocator::attempt(|| input.objects.try_reserve_exact(objects));
    room.map_err(|_| Error::OutOfMemory)?;
    memprof::reading(header.words, || input.root())
}

/// Consecutive words into which values are to be read.
#[derive(Clone, Copy, Default)]
struct Fields {
    next: u32,
    end: u32,
}

/// What is still to be done, last first.
enum Task {
    Fill(Fields),
    /// Both fields of an object's header are there: give it a new identity.
    Renumber {
        object: Value,
    },
}

/// The byte order of marshalled floats.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

struct Input<'a> {
    reader: Reader<'a>,
    /// Blocks in the order of the data, for back references.
    objects: Vec<Value>,
    /// Before all tasks.
    fields: Fields,
    tasks: Vec<Task>,
    /// Makes blocks in the major heap, where they are so many; bigarrays are born in the nursery.
    large: Option<Batch>,
}

impl Input<'_> {
    /// Reads all of it. Any error may leave blocks behind: of a root that is an infix pointer, the
    /// closure is there when the offset is refused.
    fn root(&mut self) -> Result<Value, Error> {
        let root = self.value().and_then(|root| self.run().map(|()| root));
        root.inspect_err(|_| self.give_up())
    }

    fn run(&mut self) -> Result<(), Error> {
        loop {
            while self.fields.next != self.fields.end {
                let address = self.fields.next;
                self.fields.next += WORD;
                if let Some(n) = self.reader.immediate() {
                    memory::store_i64(address, Value::int(n).0);
                    continue;
                }
                match self.boxed() {
                    Ok(value) if self.large.is_some() => heap::initialize(address, value),
                    Ok(value) => memory::store_i64(address, value.0),
                    Err(error) => {
                        memory::store_i64(address, Value::UNIT.0);
                        return Err(error);
                    }
                }
            }
            match self.tasks.pop() {
                Some(Task::Fill(fields)) => self.fields = fields,
                Some(Task::Renumber { object }) => renumber(object),
                None => return Ok(()),
            }
        }
    }

    /// Fills what was not read: the collector may look at it once more.
    fn give_up(&mut self) {
        self.fill_next(Fields::default());
        for task in self.tasks.drain(..) {
            match task {
                Task::Fill(Fields { next, end }) => (next..end)
                    .step_by(WORD as usize)
                    .for_each(|address| memory::store_i64(address, Value::UNIT.0)),
                Task::Renumber { .. } => {}
            }
        }
    }

    /// Reads these fields next; those that are being read wait.
    #[inline]
    fn fill_next(&mut self, fields: Fields) {
        let outer = core::mem::replace(&mut self.fields, fields);
        if outer.next != outer.end {
            self.tasks.push(Task::Fill(outer));
        }
    }

    /// Reads one value; a block's fields are left for later.
    fn value(&mut self) -> Result<Value, Error> {
        match self.reader.immediate() {
            Some(n) => Ok(Value::int(n)),
            None => self.boxed(),
        }
    }

    /// The same where [`Reader::immediate`] has found none.
    #[inline(always)]
    fn boxed(&mut self) -> Result<Value, Error> {
        let code = self.reader.u8()?;
        if code >= PREFIX_SMALL_BLOCK {
            return self.block(code & 0xF, (code >> 4 & 7) as u64);
        }
        if code >= PREFIX_SMALL_STRING {
            return self.string((code & 0x1F) as u64);
        }
        match Code::from_byte(code) {
            Some(code) => self.coded(code),
            None => ill_formed(),
        }
    }

    fn coded(&mut self, code: Code) -> Result<Value, Error> {
        let reader = &mut self.reader;
        match code {
            // Whole ones are read above.
            Code::Int8 | Code::Int16 | Code::Int32 => truncated(),
            Code::Int64 => Ok(Value::int(reader.u64()? as i64)),
            Code::Shared8 => reader
                .u8()
                .and_then(|distance| self.shared(distance as u64)),
            Code::Shared16 => reader
                .u16()
                .and_then(|distance| self.shared(distance as u64)),
            Code::Shared32 => reader
                .u32()
                .and_then(|distance| self.shared(distance as u64)),
            Code::Shared64 => reader.u64().and_then(|distance| self.shared(distance)),
            Code::Block32 => reader
                .u32()
                .and_then(|header| self.block(header as u8, header as u64 >> 10)),
            Code::Block64 => reader
                .u64()
                .and_then(|header| self.block(header as u8, header >> 10)),
            Code::String8 => reader.u8().and_then(|len| self.string(len as u64)),
            Code::String32 => reader.u32().and_then(|len| self.string(len as u64)),
            Code::String64 => reader.u64().and_then(|len| self.string(len)),
            Code::DoubleBig => self.floats(1, tag::DOUBLE, Order::Big),
            Code::DoubleLittle => self.floats(1, tag::DOUBLE, Order::Little),
            Code::DoubleArray8Big => reader
                .u8()
                .and_then(|n| self.float_array(n as u64, Order::Big)),
            Code::DoubleArray8Little => reader
                .u8()
                .and_then(|n| self.float_array(n as u64, Order::Little)),
            Code::DoubleArray32Big => reader
                .u32()
                .and_then(|n| self.float_array(n as u64, Order::Big)),
            Code::DoubleArray32Little => reader
                .u32()
                .and_then(|n| self.float_array(n as u64, Order::Little)),
            Code::DoubleArray64Big => reader.u64().and_then(|n| self.float_array(n, Order::Big)),
            Code::DoubleArray64Little => reader
                .u64()
                .and_then(|n| self.float_array(n, Order::Little)),
            Code::FunctionPointer => self.code_pointer(),
            Code::InfixPointer => self.infix_pointer(),
            Code::Custom | Code::CustomLen | Code::CustomFixed => self.custom(code),
        }
    }

    fn shared(&self, distance: u64) -> Result<Value, Error> {
        let index = (self.objects.len() as u64).wrapping_sub(distance);
        match self.objects.get(index as usize) {
            Some(&object) if distance != 0 => Ok(object),
            Some(_) | None => ill_formed(),
        }
    }

    fn block(&mut self, tag: u8, size: u64) -> Result<Value, Error> {
        if size == 0 {
            return Ok(heap::atom(tag));
        }
        let size = self.reader.expect(size, 1)?;
        let block = self.alloc(size, tag)?;
        self.objects.push(block);
        let (start, end) = (block.address(), block.field_address(size));
        if tag == tag::OBJECT && size >= 2 {
            let third = block.field_address(2);
            self.fill_next(Fields { next: third, end });
            self.fill_next(Fields {
                next: start,
                end: third,
            });
            self.tasks.push(Task::Renumber { object: block });
        } else {
            self.fill_next(Fields { next: start, end });
        }
        Ok(block)
    }

    fn string(&mut self, len: u64) -> Result<Value, Error> {
        let len = self.reader.expect(len, 1)?;
        let bytes = self.reader.take(len)?;
        let block = self.alloc(len / 8 + 1, tag::STRING)?;
        let last = block.field_address(len / 8);
        memory::store_u64(last, ((7 - len % 8) as u64) << 56);
        memory::write(block.address(), bytes);
        self.objects.push(block);
        Ok(block)
    }

    fn float_array(&mut self, len: u64, order: Order) -> Result<Value, Error> {
        let len = self.reader.expect(len, 8)?;
        if len == 0 {
            return Ok(heap::atom(tag::DOUBLE_ARRAY));
        }
        self.floats(len, tag::DOUBLE_ARRAY, order)
    }

    fn floats(&mut self, len: usize, tag: u8, order: Order) -> Result<Value, Error> {
        let bytes = self.reader.take(len * 8)?;
        let block = self.alloc(len, tag)?;
        for (index, chunk) in bytes.chunks_exact(8).enumerate() {
            let bits = u64::from_le_bytes(chunk.try_into().expect("chunks of 8"));
            let bits = match order {
                Order::Little => bits,
                Order::Big => bits.swap_bytes(),
            };
            memory::store_u64(block.field_address(index), bits);
        }
        self.objects.push(block);
        Ok(block)
    }

    fn code_pointer(&mut self) -> Result<Value, Error> {
        let offset = self.reader.u32()?;
        let digest = self.reader.array::<16>()?;
        match fragments::resolve(&CodePointer { offset, digest }) {
            Some(address) => Ok(Value(address as i64)),
            None => {
                let digits: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
                Err(Error::Failure(format!(
                    "input_value: unknown code module {digits}"
                )))
            }
        }
    }

    fn infix_pointer(&mut self) -> Result<Value, Error> {
        let offset = self.reader.u32()?;
        if self.reader.rest.first() == Some(&(Code::InfixPointer as u8)) {
            return ill_formed();
        }
        let closure = self.value()?;
        let inside =
            closure.is_block() && offset % WORD == 0 && (offset / WORD) < closure.wosize() as u32;
        if !inside {
            return ill_formed();
        }
        Ok(Value::block(closure.address() + offset))
    }

    fn custom(&mut self, code: Code) -> Result<Value, Error> {
        let identifier = self.reader.c_string()?;
        let Some(kind) = Kind::from_identifier(identifier) else {
            if let Some(operations) = operations::registered(identifier) {
                return self.foreign(code, operations);
            }
            return failure("input_value: unknown custom block identifier");
        };
        if code == Code::CustomFixed && kind == Kind::Bigarray {
            return failure("input_value: expected a fixed-size custom block");
        }
        let announced = match code {
            Code::CustomLen => {
                self.reader.u32()?;
                Some(self.reader.u64()?)
            }
            _ => None,
        };
        let block = match custom_data::number(kind, &mut self.reader)? {
            Some(number) => self.number(kind, number)?,
            None => bigarray::unmarshal(&mut self.reader)?,
        };
        let sizes = custom_data::sizes(kind, block);
        if announced.is_some() && announced != sizes.map(|sizes| sizes.bytes_64) {
            return incorrect_length();
        }
        self.objects.push(block);
        Ok(block)
    }

    /// A block of stubs.
    fn foreign(&mut self, code: Code, operations: Operations) -> Result<Value, Error> {
        let size = match code {
            Code::CustomLen => {
                self.reader.u32()?;
                Some(self.reader.u64()?)
            }
            Code::CustomFixed => operations.fixed_length().map(|(_, size)| size),
            _ => return failure("input_value: custom block without a size"),
        };
        let size = size.filter(|&size| size < u64::from(u32::MAX));
        let Some(size) = size else {
            return failure("input_value: expected a fixed-size custom block");
        };
        let block = self.alloc(1 + size.div_ceil(8) as usize, tag::CUSTOM)?;
        block.init_field(0, Value::block(operations.0));
        let read = operations.deserialize(custom::data(block), self.reader.rest);
        match read.map_err(|_| Error::Raised)? {
            Some((read, consumed)) if read == size => self.reader.take(consumed)?,
            Some(_) => return incorrect_length(),
            None => return failure("input_value: custom block cannot be read"),
        };
        operations::note(operations, block);
        self.objects.push(block);
        Ok(block)
    }

    fn number(&mut self, kind: Kind, number: i64) -> Result<Value, Error> {
        let block = self.alloc(custom::NUMBER_WOSIZE, tag::CUSTOM)?;
        custom::init_number(block, kind, number);
        Ok(block)
    }

    /// A block that is not initialised.
    #[inline]
    fn alloc(&mut self, wosize: usize, tag: u8) -> Result<Value, Error> {
        let block = match &mut self.large {
            Some(batch) => batch.try_alloc(wosize, tag),
            None => heap::try_alloc(wosize, tag),
        };
        block.ok_or(Error::OutOfMemory)
    }
}

/// A new identity for an object that was read; predefined exceptions (negative ones) keep theirs.
fn renumber(object: Value) {
    if object.field(1).as_int() >= 0 {
        let id = vm().next_object_id.get();
        vm().next_object_id.set(id + 1);
        object.init_field(1, Value::int(id));
    }
}
