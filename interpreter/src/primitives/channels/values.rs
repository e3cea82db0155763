//! What goes through a channel as a whole: marshalled values, and digests of a file's contents.

use super::buffer::{BUFFER_SIZE, Channel};
use super::open::with;
use crate::heap;
use crate::md5::Md5;
use crate::os::Errno;
use crate::polymorphic::marshal::input::{self, Header};
use crate::polymorphic::marshal::output::{self, Flags};
use crate::polymorphic::marshal::{HEADER_BIG, HEADER_SMALL};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;

const MAGIC_BIG: [u8; 4] = [0x84, 0x95, 0xA6, 0xBF];

pub fn output_value(channel: Value, value: Value, flags: Value) -> Outcome {
    output::marshal_for(value, Flags::from_list(flags), |data| {
        with(channel, |channel| channel.put(data))
    })??;
    Ok(Value::UNIT)
}

pub fn input_value(channel: Value) -> Outcome {
    let header = read_header(channel)?;
    let mut data = Vec::new();
    // Piece by piece: a header with a false length must not reserve more than the file has.
    while data.len() < header.data_len {
        let start = data.len();
        data.resize(header.data_len.min(start + BUFFER_SIZE), 0);
        if with(channel, |channel| channel.get(&mut data[start..]))? < data.len() - start {
            return Err(truncated());
        }
    }
    Ok(input::unmarshal_data(&data, &header)?)
}

fn read_header(channel: Value) -> Result<Header, Raised> {
    let mut bytes = [0; HEADER_BIG];
    match read(channel, &mut bytes[..5])? {
        0 => return Err(raise::end_of_file()),
        5 => {}
        _ => return Err(truncated()),
    }
    let len = if bytes.starts_with(&MAGIC_BIG) {
        HEADER_BIG
    } else {
        HEADER_SMALL
    };
    if read(channel, &mut bytes[5..len])? < len - 5 {
        return Err(truncated());
    }
    Ok(input::header(&bytes[..len], "input_value")?)
}

fn read(channel: Value, target: &mut [u8]) -> Result<usize, Errno> {
    with(channel, |channel| channel.get(target))
}

fn truncated() -> Raised {
    raise::failure("input_value: truncated object")
}

/// The digest of the next `length` bytes, or, if that is negative, of all that are left.
pub fn md5(channel: Value, length: Value) -> Outcome {
    let mut left = match length.as_int() {
        ..0 => usize::MAX,
        length => length as usize,
    };
    let mut digest = Md5::new();
    let ended = with(channel, |channel| feed(&mut digest, channel, &mut left))?;
    if ended && length.as_int() >= 0 {
        return Err(raise::end_of_file());
    }
    Ok(heap::alloc_string(&digest.finalize().0))
}

/// Adds `left` bytes to the digest; whether the file ended before them.
fn feed(digest: &mut Md5, channel: &mut Channel, left: &mut usize) -> Result<bool, Errno> {
    let mut buffer = [0; 4096];
    while *left > 0 {
        let wanted = buffer.len().min(*left);
        let count = channel.get_some(&mut buffer[..wanted])?;
        if count == 0 {
            return Ok(true);
        }
        digest.consume(&buffer[..count]);
        *left -= count;
    }
    Ok(false)
}
