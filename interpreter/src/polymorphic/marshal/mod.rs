//! `Marshal`, and the DATA section of executables: `format` defines the codes, `header` reads the
//! header and `input` the rest by way of `reader`, `output` writes, `custom_data` does both for
//! custom blocks. `tree` reads into memory of Rust's own, `parts` tells a block's fields apart,
//! both by way of `item`. `data` is what is being written.
//!
//! Channels' `input_value` and `output_value` are in the channels' module, on top of [`input`] and
//! [`output`].

mod custom_data;
mod data;
mod format;
mod header;
pub mod input;
mod item;
pub mod output;
pub mod parts;
pub mod reader;
#[cfg(test)]
mod tests;
pub mod tree;

pub use format::{HEADER_BIG, HEADER_SMALL};
pub use header::header_len;
pub use input::{unmarshal, unmarshal_as};

use crate::heap;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use data::Message;
use output::Flags;
use reader::Error;

crate::primitives! {
    AllocatesLarge "caml_output_value_to_string" to_string, 2;
    AllocatesLarge "caml_output_value_to_bytes" to_string, 2;
    Leaf "caml_output_value_to_buffer" to_buffer, 5;
    AllocatesLarge "caml_input_value_from_bytes" from_bytes, 2;
    Leaf "caml_marshal_data_size" data_size, 2;
}

impl From<Error> for Raised {
    fn from(error: Error) -> Raised {
        match error {
            Error::Failure(message) => raise::failure(message),
            Error::OutOfMemory => raise::out_of_memory(),
            Error::Raised => Raised,
        }
    }
}

fn to_string(value: Value, flags: Value) -> Outcome {
    Ok(output::marshal_for(
        value,
        Flags::from_list(flags),
        |message| {
            let mut string = heap::alloc_string_uninit(message.len());
            // SAFETY: the string is new; nobody else knows it.
            copy(&message, unsafe { string.string_bytes_mut() });
            string
        },
    )?)
}

fn to_buffer(
    mut buffer: Value,
    offset: Value,
    length: Value,
    value: Value,
    flags: Value,
) -> Outcome {
    output::marshal_for(value, Flags::from_list(flags), |message| {
        if message.len() as i64 > length.as_int() {
            return Err(raise::failure("Marshal.to_buffer: buffer overflow"));
        }
        // SAFETY: what is copied here is Rust's.
        let target = unsafe { buffer.string_bytes_mut() };
        copy(&message, &mut target[offset.as_int() as usize..]);
        Ok(Value::int(message.len() as i64))
    })?
}

/// Copies a message to the beginning of `target`.
fn copy(message: &Message, mut target: &mut [u8]) {
    for piece in message.pieces() {
        let (taken, rest) = target.split_at_mut(piece.len());
        taken.copy_from_slice(piece);
        target = rest;
    }
}

fn from_bytes(bytes: Value, offset: Value) -> Outcome {
    // SAFETY: unmarshalling writes to the blocks that it makes, and does not collect.
    let bytes = unsafe { bytes.string_bytes() };
    let start = (offset.as_int() as usize).min(bytes.len());
    Ok(unmarshal(&bytes[start..])?)
}

/// How many bytes follow the 20 bytes of a short header.
fn data_size(bytes: Value, offset: Value) -> Outcome {
    // SAFETY: a header is read, and nothing written.
    let bytes = unsafe { bytes.string_bytes() };
    let start = (offset.as_int() as usize).min(bytes.len());
    let header = input::header(&bytes[start..], "Marshal.data_size")?;
    let beyond = (header.header_len - HEADER_SMALL) as u64;
    Ok(Value::int(beyond.wrapping_add(header.data_len) as i64))
}
