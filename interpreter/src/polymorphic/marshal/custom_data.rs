//! The data of custom blocks in marshalled form.

use super::output::Output;
use super::reader::{Error, Reader, failure};
use crate::custom::{self, Kind};
use crate::polymorphic::bigarray;
use crate::value::Value;

/// Reads the data of a boxed number of `kind`; reads nothing and is `None` if that is the kind of
/// bigarrays.
pub(super) fn number(kind: Kind, reader: &mut Reader) -> Result<Option<i64>, Error> {
    let number = match kind {
        Kind::Int32 => reader.u32()? as i32 as i64,
        Kind::Int64 => reader.u64()? as i64,
        Kind::Nativeint => match reader.u8()? {
            1 => reader.u32()? as i32 as i64,
            2 => reader.u64()? as i64,
            _ => return failure("input_value: ill-formed native integer"),
        },
        Kind::Bigarray => return Ok(None),
        // Who calls this reads blocks of stubs itself.
        Kind::Channel | Kind::Lock | Kind::Foreign | Kind::Thread => {
            return failure("input_value: unknown custom block identifier");
        }
    };
    Ok(Some(number))
}

/// Sizes in bytes that a block's data has in memory, for 32 and 64 bits.
pub(super) struct Sizes {
    pub bytes_32: u64,
    pub bytes_64: u64,
}

/// The sizes of the data of `block`; `None` if the kind cannot be marshalled.
pub(super) fn sizes(kind: Kind, block: Value) -> Option<Sizes> {
    let (bytes_32, bytes_64) = match kind {
        Kind::Int32 => (4, 4),
        Kind::Int64 => (8, 8),
        Kind::Nativeint => (4, 8),
        Kind::Bigarray => {
            let words = bigarray::data_words(block);
            (words * 4, words * 8)
        }
        Kind::Channel | Kind::Lock | Kind::Foreign | Kind::Thread => return None,
    };
    Some(Sizes { bytes_32, bytes_64 })
}

/// Writes the data of `block`, of a kind that has [`sizes`].
pub(super) fn write(kind: Kind, block: Value, output: &mut Output) {
    match kind {
        Kind::Int32 => output.bytes(&custom::as_int32(block).to_be_bytes()),
        Kind::Int64 => output.bytes(&custom::as_int64(block).to_be_bytes()),
        Kind::Nativeint => {
            let n = custom::as_int64(block);
            match i32::try_from(n) {
                Ok(n) => {
                    output.bytes(&[1]);
                    output.bytes(&n.to_be_bytes());
                }
                Err(_) => {
                    output.bytes(&[2]);
                    output.bytes(&n.to_be_bytes());
                }
            }
        }
        Kind::Bigarray => bigarray::marshal(block, output),
        Kind::Channel | Kind::Lock | Kind::Foreign | Kind::Thread => {}
    }
}
