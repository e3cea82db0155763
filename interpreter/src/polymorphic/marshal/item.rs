//! One value of marshalled data, without a block's fields: for who makes nothing in the heap of it
//! ([`super::parts`], [`super::tree`]).
//!
//! Leaves out closures and pointers into code, which no compiler writes into the data of a program.

use super::format::*;
use super::reader::{Error, Reader, ill_formed};

/// What a value is.
pub(super) enum Item<'a> {
    Integer(i64),
    /// A value that was met before, so many back.
    Shared(u64),
    /// A block, and how many fields follow.
    Block(usize),
    String(&'a [u8]),
    /// A float, or so many in an array.
    Floats(usize),
    /// A custom block of a size that its kind fixes, whose identifier and data follow.
    Custom,
}

impl<'a> Item<'a> {
    /// Reads the next value. There is a byte at least for each field of a block.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let code = reader.u8()?;
        if code >= PREFIX_SMALL_BLOCK {
            return block(reader, u64::from(code >> 4 & 7));
        }
        if code >= PREFIX_SMALL_INT {
            return Ok(Item::Integer(i64::from(code & 0x3F)));
        }
        if code >= PREFIX_SMALL_STRING {
            return string(reader, u64::from(code & 0x1F));
        }
        let Some(code) = Code::from_byte(code) else {
            return ill_formed();
        };
        match code {
            Code::Int8 => Ok(Item::Integer((reader.u8()? as i8).into())),
            Code::Int16 => Ok(Item::Integer((reader.u16()? as i16).into())),
            Code::Int32 => Ok(Item::Integer((reader.u32()? as i32).into())),
            Code::Int64 => Ok(Item::Integer(reader.u64()? as i64)),
            Code::Shared8 => Ok(Item::Shared(reader.u8()?.into())),
            Code::Shared16 => Ok(Item::Shared(reader.u16()?.into())),
            Code::Shared32 => Ok(Item::Shared(reader.u32()?.into())),
            Code::Shared64 => Ok(Item::Shared(reader.u64()?)),
            Code::Block32 => reader
                .u32()
                .and_then(|head| block(reader, (head >> 10).into())),
            Code::Block64 => reader.u64().and_then(|head| block(reader, head >> 10)),
            Code::String8 => reader.u8().and_then(|len| string(reader, len.into())),
            Code::String32 => reader.u32().and_then(|len| string(reader, len.into())),
            Code::String64 => reader.u64().and_then(|len| string(reader, len)),
            Code::DoubleBig | Code::DoubleLittle => floats(reader, 1),
            Code::DoubleArray8Big | Code::DoubleArray8Little => {
                reader.u8().and_then(|len| floats(reader, len.into()))
            }
            Code::DoubleArray32Big | Code::DoubleArray32Little => {
                reader.u32().and_then(|len| floats(reader, len.into()))
            }
            Code::DoubleArray64Big | Code::DoubleArray64Little => {
                reader.u64().and_then(|len| floats(reader, len))
            }
            Code::CustomFixed => Ok(Item::Custom),
            Code::Custom | Code::CustomLen | Code::FunctionPointer | Code::InfixPointer => {
                ill_formed()
            }
        }
    }
}

fn block<'a>(reader: &Reader<'a>, size: u64) -> Result<Item<'a>, Error> {
    Ok(Item::Block(reader.expect(size, 1)?))
}

fn string<'a>(reader: &mut Reader<'a>, len: u64) -> Result<Item<'a>, Error> {
    let len = reader.expect(len, 1)?;
    Ok(Item::String(reader.take(len)?))
}

fn floats<'a>(reader: &mut Reader<'a>, len: u64) -> Result<Item<'a>, Error> {
    let len = reader.expect(len, 8)?;
    reader.take(len * 8)?;
    Ok(Item::Floats(len))
}
