//! The fields of a marshalled block, each as the bytes that it was written as.
//!
//! Invariant: nothing is made of them, and memory is in proportion to their number. Leaves out
//! custom blocks but those of fixed size, closures, and pointers into code: no compiler writes
//! these into the data of a program.

use super::input;
use super::item::Item;
use super::reader::{Error, Reader, ill_formed};

/// The bytes of each field of the value whose header is at the start of `bytes`.
pub fn fields(bytes: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let header = input::header(bytes, "")?;
    let Some(data) = header.data(bytes) else {
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
    match Item::read(reader)? {
        Item::Block(size) => Ok(size),
        Item::Custom => custom(reader).map(|()| 0),
        Item::Integer(_) | Item::Shared(_) | Item::String(_) | Item::Floats(_) => Ok(0),
    }
}

/// Reads over a boxed integer.
fn custom(reader: &mut Reader) -> Result<(), Error> {
    let len = match reader.c_string()? {
        b"_i" => 4,
        b"_j" => 8,
        b"_n" => match reader.u8()? {
            1 => 4,
            2 => 8,
            _ => return ill_formed(),
        },
        _ => return ill_formed(),
    };
    reader.take(len).map(drop)
}
