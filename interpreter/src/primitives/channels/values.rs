//! What goes through a channel as a whole: marshalled values, and digests of a file's contents.

use super::buffer::BUFFER_SIZE;
use super::open::with;
use crate::heap;
use crate::md5::Md5;
use crate::polymorphic::marshal::input::{self, Header};
use crate::polymorphic::marshal::output::{self, Flags};
use crate::polymorphic::marshal::{HEADER_BIG, header_len};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;

pub fn output_value(channel: Value, value: Value, flags: Value) -> Outcome {
    output::marshal_for(value, Flags::from_list(flags), |message| {
        let mut pieces = message.pieces();
        pieces.try_for_each(|piece| with(channel, |channel| channel.put(piece)))
    })??;
    Ok(Value::UNIT)
}

pub fn input_value(channel: Value) -> Outcome {
    value_from(&mut |target| Ok(with(channel, |channel| channel.get(target))?))
}

/// Reads a value by what fills as much as there is.
pub fn value_from(read: &mut dyn FnMut(&mut [u8]) -> Result<usize, Raised>) -> Outcome {
    let header = read_header(read)?;
    let mut data = Vec::new();
    // Piece by piece: a header with a false length must not reserve more than the file has.
    while (data.len() as u64) < header.data_len {
        let start = data.len();
        let end = header.data_len.min((start + BUFFER_SIZE) as u64);
        data.resize(end as usize, 0);
        if read(&mut data[start..])? < data.len() - start {
            return Err(truncated());
        }
    }
    Ok(input::unmarshal_data(&data, &header)?)
}

fn read_header(read: &mut dyn FnMut(&mut [u8]) -> Result<usize, Raised>) -> Result<Header, Raised> {
    let mut bytes = [0; HEADER_BIG];
    match read(&mut bytes[..5])? {
        0 => return Err(raise::end_of_file()),
        5 => {}
        _ => return Err(truncated()),
    }
    let [a, b, c, d, ..] = bytes;
    let len = header_len(u32::from_be_bytes([a, b, c, d]));
    if read(&mut bytes[5..len])? < len - 5 {
        return Err(truncated());
    }
    Ok(input::header(&bytes[..len], "input_value")?)
}

fn truncated() -> Raised {
    raise::failure("input_value: truncated object")
}

/// The digest of the next `length` bytes, or, if that is negative, of all that are left.
pub fn md5(channel: Value, length: Value) -> Outcome {
    digest_of(length, &mut |target| {
        Ok(with(channel, |channel| channel.get_some(target))?)
    })
}

/// The same by what reads some bytes.
pub fn digest_of(
    length: Value,
    read: &mut dyn FnMut(&mut [u8]) -> Result<usize, Raised>,
) -> Outcome {
    let mut left = match length.as_int() {
        ..0 => u64::MAX,
        length => length as u64,
    };
    let (mut digest, mut buffer) = (Md5::new(), [0; 4096]);
    while left > 0 {
        let wanted = left.min(buffer.len() as u64) as usize;
        match read(&mut buffer[..wanted])? {
            0 if length.as_int() >= 0 => return Err(raise::end_of_file()),
            0 => break,
            count => {
                digest.consume(&buffer[..count]);
                left -= count as u64;
            }
        }
    }
    Ok(heap::alloc_string(&digest.finalize().0))
}
