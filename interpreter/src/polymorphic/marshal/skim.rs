//! Looking through marshalled data without building it: item by item, in the order of the bytes,
//! which is a block before its fields and depth first.
//!
//! Invariant: it takes memory for the list of objects only, and none of the heap. Leaves out what
//! no compiler writes into its debug information: custom blocks, and pointers into code and
//! closures.

use super::format::*;
use super::input::{self, Error, Reader, ill_formed};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    Integer(i64),
    /// A string, new or met before.
    String(&'a [u8]),
    /// A block, whose fields follow.
    Block {
        size: usize,
    },
    /// A float, an array of these, or a block that was met before.
    Other,
}

pub struct Skim<'a> {
    reader: Reader<'a>,
    /// The objects met so far: what strings hold, nothing for others.
    objects: Vec<Option<&'a [u8]>>,
}

impl<'a> Skim<'a> {
    /// Looks through the value whose header is at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let header = input::header(bytes, "")?;
        let data = bytes[header.header_len..].get(..header.data_len);
        let Some(data) = data else {
            return ill_formed();
        };
        Ok(Self {
            reader: Reader::new(data),
            objects: Vec::new(),
        })
    }

    /// The next item. Whoever counts the fields of blocks knows when the value ends.
    pub fn item(&mut self) -> Result<Item<'a>, Error> {
        let code = self.reader.u8()?;
        if code >= PREFIX_SMALL_BLOCK {
            return self.block(u64::from(code >> 4 & 7));
        }
        if code >= PREFIX_SMALL_INT {
            return Ok(Item::Integer(i64::from(code & 0x3F)));
        }
        if code >= PREFIX_SMALL_STRING {
            return self.string(u64::from(code & 0x1F));
        }
        match Code::from_byte(code) {
            Some(code) => self.coded(code),
            None => ill_formed(),
        }
    }

    fn coded(&mut self, code: Code) -> Result<Item<'a>, Error> {
        let reader = &mut self.reader;
        match code {
            Code::Int8 => Ok(Item::Integer((reader.u8()? as i8).into())),
            Code::Int16 => Ok(Item::Integer((reader.u16()? as i16).into())),
            Code::Int32 => Ok(Item::Integer((reader.u32()? as i32).into())),
            Code::Int64 => Ok(Item::Integer(reader.u64()? as i64)),
            Code::Shared8 => reader.u8().and_then(|back| self.shared(back.into())),
            Code::Shared16 => reader.u16().and_then(|back| self.shared(back.into())),
            Code::Shared32 => reader.u32().and_then(|back| self.shared(back.into())),
            Code::Shared64 => reader.u64().and_then(|back| self.shared(back)),
            Code::Block32 => reader
                .u32()
                .and_then(|head| self.block((head >> 10).into())),
            Code::Block64 => reader.u64().and_then(|head| self.block(head >> 10)),
            Code::String8 => reader.u8().and_then(|len| self.string(len.into())),
            Code::String32 => reader.u32().and_then(|len| self.string(len.into())),
            Code::String64 => reader.u64().and_then(|len| self.string(len)),
            Code::DoubleBig | Code::DoubleLittle => self.floats(1),
            Code::DoubleArray8Big | Code::DoubleArray8Little => {
                reader.u8().and_then(|len| self.floats(len.into()))
            }
            Code::DoubleArray32Big | Code::DoubleArray32Little => {
                reader.u32().and_then(|len| self.floats(len.into()))
            }
            Code::DoubleArray64Big | Code::DoubleArray64Little => {
                reader.u64().and_then(|len| self.floats(len))
            }
            Code::FunctionPointer
            | Code::InfixPointer
            | Code::Custom
            | Code::CustomLen
            | Code::CustomFixed => ill_formed(),
        }
    }

    fn block(&mut self, size: u64) -> Result<Item<'a>, Error> {
        let size = self.reader.expect(size, 1)?;
        if size > 0 {
            self.objects.push(None);
        }
        Ok(Item::Block { size })
    }

    fn string(&mut self, len: u64) -> Result<Item<'a>, Error> {
        let len = self.reader.expect(len, 1)?;
        let bytes = self.reader.take(len)?;
        self.objects.push(Some(bytes));
        Ok(Item::String(bytes))
    }

    fn floats(&mut self, len: u64) -> Result<Item<'a>, Error> {
        let len = self.reader.expect(len, 8)?;
        self.reader.take(len * 8)?;
        if len > 0 {
            self.objects.push(None);
        }
        Ok(Item::Other)
    }

    fn shared(&self, back: u64) -> Result<Item<'a>, Error> {
        let index = (self.objects.len() as u64).wrapping_sub(back);
        match self.objects.get(index as usize) {
            Some(&object) if back != 0 => Ok(object.map_or(Item::Other, Item::String)),
            Some(_) | None => ill_formed(),
        }
    }
}
