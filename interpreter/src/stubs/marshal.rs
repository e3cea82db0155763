//! Values as bytes in C's memory.

use super::{interface, memory as blocks, raise};
use crate::memory;
use crate::polymorphic::marshal::output::{self, Flags};
use crate::polymorphic::marshal::reader::Error;
use crate::polymorphic::marshal::{header_len, input, unmarshal_as};
use crate::registry::Raised;
use crate::value::Value;

interface! {
    "acr" fn caml_output_value_to_malloc(value: Value, flags: Value, bytes: u32, length: u32) {
        let data = written(value, flags);
        let copied = data.and_then(|data| Ok((blocks::copied(&data)?, data.len())));
        if let Some((block, len)) = raising(copied) {
            memory::store_u32(bytes, block);
            memory::store_i64(length, len as i64);
        }
    }
    "acr" fn caml_output_value_to_block(value: Value, flags: Value, bytes: u32, room: i64) -> i64 {
        let data = written(value, flags).and_then(|data| match data.len() as i64 <= room {
            true => Ok(data),
            false => Err(crate::raise::failure("Marshal.to_buffer: buffer overflow")),
        });
        raising(data).map_or(0, |data| {
            memory::write(bytes, &data);
            data.len() as i64
        })
    }
    "acr" fn caml_input_value_from_malloc(bytes: u32, offset: i64) -> Value {
        let value = read(bytes + offset as u32, None, "input_value_from_malloc");
        blocks::give_back(bytes);
        value
    }
    "acr" fn caml_input_value_from_block(bytes: u32, length: i64) -> Value {
        read(bytes, Some(length.max(0) as usize), "input_value_from_block")
    }
    "acr" fn caml_input_val_from_string(bytes: Value, offset: i64) -> Value {
        let start = bytes.address() + offset as u32;
        let len = bytes.string_len().checked_sub(offset as usize);
        read(start, Some(len.unwrap_or(0)), "input_val_from_string")
    }
}

fn written(value: Value, flags: Value) -> Result<Vec<u8>, Raised> {
    Ok(output::marshal_for(
        value,
        Flags::from_list(flags),
        |message| message.to_vec(),
    )?)
}

/// The value whose bytes are there: so many, or as many as their header says.
fn read(address: u32, len: Option<usize>, function: &str) -> Value {
    let whole = || {
        let first = u32::from_be(memory::load_u32(address));
        let header = memory::read(address, header_len(first));
        let header = input::header(&header, function)?;
        let data = usize::try_from(header.data_len).ok();
        data.and_then(|data| header.header_len.checked_add(data))
            .ok_or_else(|| Error::Failure(format!("{function}: bad length")))
    };
    let value = len.map_or_else(whole, Ok);
    let value = value.and_then(|len| unmarshal_as(&memory::read(address, len), function));
    raising(value.map_err(Raised::from)).unwrap_or(Value::RAISED)
}

fn raising<R>(result: Result<R, Raised>) -> Option<R> {
    result.map_err(raise::unwind).ok()
}
