//! The fields of a marshalled block, each as the bytes that it was written as.
//!
//! Invariant: nothing is made of them, and memory is in proportion to their number. Leaves out
//! custom blocks but those of fixed size, closures, and pointers into code: no compiler writes
//! these into the data of a program.

use super::format::*;
use super::input::{self, Error, Reader, ill_formed};

/// The bytes of each field of the value whose header is at the start of `bytes`.
pub fn fields(bytes: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let header = input::header(bytes, "")?;
    let data = bytes[header.header_len..].get(..header.data_len);
    let Some(data) = data else {
        return ill_formed();
    };
    let mut reader = Reader::new(data);
    let count = skip_node(&mut reader)?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let start = data.len() - reader.left();
        skip(&mut reader)?;
        fields.push(&data[start..data.len() - reader.left()]);
    }
    Ok(fields)
}

/// Reads over a value.
fn skip(reader: &mut Reader) -> Result<(), Error> {
    let mut missing = 1;
    while missing > 0 {
        // A block is followed by its fields, each with all that it leads to and was not met before.
        missing = missing - 1 + skip_node(reader)?;
    }
    Ok(())
}

/// Reads over a value but for its fields; how many it has.
fn skip_node(reader: &mut Reader) -> Result<usize, Error> {
    let code = reader.u8()?;
    if code >= PREFIX_SMALL_BLOCK {
        return Ok(usize::from(code >> 4 & 7));
    }
    if code >= PREFIX_SMALL_INT {
        return Ok(0);
    }
    if code >= PREFIX_SMALL_STRING {
        return over(reader, u64::from(code & 0x1F), 1);
    }
    let Some(code) = Code::from_byte(code) else {
        return ill_formed();
    };
    match code {
        Code::Int8 | Code::Shared8 => over(reader, 1, 1),
        Code::Int16 | Code::Shared16 => over(reader, 2, 1),
        Code::Int32 | Code::Shared32 => over(reader, 4, 1),
        Code::Int64 | Code::Shared64 | Code::DoubleBig | Code::DoubleLittle => over(reader, 8, 1),
        Code::Block32 => {
            let header = reader.u32()?;
            reader.expect((header >> 10).into(), 1)
        }
        Code::Block64 => {
            let header = reader.u64()?;
            reader.expect(header >> 10, 1)
        }
        Code::String8 => reader.u8().and_then(|len| over(reader, len.into(), 1)),
        Code::String32 => reader.u32().and_then(|len| over(reader, len.into(), 1)),
        Code::String64 => reader.u64().and_then(|len| over(reader, len, 1)),
        Code::DoubleArray8Big | Code::DoubleArray8Little => {
            reader.u8().and_then(|len| over(reader, len.into(), 8))
        }
        Code::DoubleArray32Big | Code::DoubleArray32Little => {
            reader.u32().and_then(|len| over(reader, len.into(), 8))
        }
        Code::DoubleArray64Big | Code::DoubleArray64Little => {
            reader.u64().and_then(|len| over(reader, len, 8))
        }
        Code::CustomFixed => custom(reader),
        Code::Custom | Code::CustomLen | Code::FunctionPointer | Code::InfixPointer => ill_formed(),
    }
}

/// Reads over so many units, in which there are no values.
fn over(reader: &mut Reader, count: u64, unit: u64) -> Result<usize, Error> {
    let count = reader.expect(count, unit)?;
    reader.take(count * unit as usize)?;
    Ok(0)
}

/// Reads over a boxed integer.
fn custom(reader: &mut Reader) -> Result<usize, Error> {
    let mut identifier = Vec::new();
    loop {
        match reader.u8()? {
            0 => break,
            byte => identifier.push(byte),
        }
    }
    let len = match &identifier[..] {
        b"_i" => 4,
        b"_j" => 8,
        b"_n" => match reader.u8()? {
            1 => 4,
            2 => 8,
            _ => return ill_formed(),
        },
        _ => return ill_formed(),
    };
    over(reader, len, 1)
}
