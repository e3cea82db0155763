//! Buffered input and output, `io.c` of OCaml's runtime: the primitives over [`buffer`] and
//! [`open`].
//!
//! Text mode, which only Windows has, is left out.

pub mod buffer;
pub mod open;
pub mod shared;
mod values;

use crate::custom;
use crate::heap;
use crate::os::{Descriptor, Errno};
use crate::raise::{self, Predefined};
use crate::value::Value;
use buffer::{Channel, Direction, Failure};
use open::with;

use crate::registry::{Outcome, Raised};

crate::primitives! {
    AllocatesLarge "caml_ml_open_descriptor_in" open_descriptor_in, 1;
    AllocatesLarge "caml_ml_open_descriptor_out" open_descriptor_out, 1;
    Allocates "caml_ml_out_channels_list" out_channels_list, 1;
    Leaf "caml_ml_set_channel_name" set_channel_name, 2;
    Leaf "caml_ml_close_channel" close_channel, 1;
    Leaf "caml_channel_descriptor" channel_descriptor, 1;
    Leaf "caml_ml_set_binary_mode" set_binary_mode, 2;
    Leaf "caml_ml_channel_size" channel_size, 1;
    Allocates "caml_ml_channel_size_64" channel_size_64, 1;
    Leaf "caml_ml_pos_in" position, 1;
    Leaf "caml_ml_pos_out" position, 1;
    Allocates "caml_ml_pos_in_64" position_64, 1;
    Allocates "caml_ml_pos_out_64" position_64, 1;
    Leaf "caml_ml_seek_in" seek, 2;
    Leaf "caml_ml_seek_out" seek, 2;
    Leaf "caml_ml_seek_in_64" seek_64, 2;
    Leaf "caml_ml_seek_out_64" seek_64, 2;
    Leaf "caml_ml_flush" flush, 1;
    Leaf "caml_ml_output" output, 4;
    Leaf "caml_ml_output_bytes" output, 4;
    Leaf "caml_ml_output_char" output_char, 2;
    Leaf "caml_ml_output_int" output_int, 2;
    Leaf "caml_output_value" values::output_value, 3;
    Leaf "caml_ml_input" input, 4;
    Leaf "caml_ml_input_char" input_char, 1;
    Leaf "caml_ml_input_int" input_int, 1;
    Leaf "caml_ml_input_scan_line" input_scan_line, 1;
    Allocates "caml_input_value" values::input_value, 1;
    Allocates "caml_md5_chan" values::md5, 2;
    Leaf "caml_terminfo_rows" terminal_rows, 1;
    Leaf "caml_ml_enable_runtime_warnings" enable_warnings, 1;
    Leaf "caml_ml_runtime_warnings_enabled" warnings_enabled, 1;
}

impl From<Failure> for Raised {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::EndOfFile => raise::end_of_file(),
            Failure::Outside(error) => error.into(),
        }
    }
}

impl From<Errno> for Raised {
    /// Without a name of what the error is about.
    #[cold]
    #[inline(never)]
    fn from(error: Errno) -> Self {
        match error {
            Errno::AGAIN => raise::constant(Predefined::SysBlockedIo),
            // Of the runtime's own: there is no memory for a buffer, and nothing was done yet.
            Errno::NOMEM => {
                heap::note_exhausted();
                raise::out_of_memory()
            }
            _ => raise::sys_error(error.message()),
        }
    }
}

/// A channel that reads from a descriptor.
pub fn open_descriptor_in(descriptor: Value) -> Outcome {
    open_descriptor(descriptor, Direction::Input)
}

/// A channel that writes to a descriptor.
pub fn open_descriptor_out(descriptor: Value) -> Outcome {
    open_descriptor(descriptor, Direction::Output)
}

fn open_descriptor(descriptor: Value, direction: Direction) -> Outcome {
    let channel = Channel::new(descriptor.as_int() as Descriptor, direction);
    open::add(channel).ok_or_else(raise::out_of_memory)
}

/// All open output channels, in the order of their opening.
fn out_channels_list(_: Value) -> Value {
    heap::alloc_list(open::open_outputs().into_iter())
}

fn set_channel_name(channel: Value, name: Value) -> Value {
    let name = name.to_bytes();
    with(channel, |channel| {
        channel.name = (!name.is_empty()).then_some(name);
    });
    Value::UNIT
}

fn close_channel(channel: Value) -> Outcome {
    with(channel, Channel::close)?;
    Ok(Value::UNIT)
}

pub fn channel_descriptor(channel: Value) -> Outcome {
    let descriptor = with(channel, |channel| channel.descriptor()).ok_or(Errno::BADF)?;
    Ok(Value::int(descriptor.into()))
}

fn set_binary_mode(_channel: Value, _mode: Value) -> Value {
    Value::UNIT
}

/// A position or a size, if an `int` can hold it.
fn int(position: i64) -> Outcome {
    const MAX: i64 = i64::MAX >> 1;
    if position > MAX {
        return Err(Errno::OVERFLOW.into());
    }
    Ok(Value::int(position))
}

fn channel_size(channel: Value) -> Outcome {
    int(with(channel, Channel::size)?)
}

fn channel_size_64(channel: Value) -> Outcome {
    Ok(custom::alloc_int64(with(channel, Channel::size)?))
}

fn position(channel: Value) -> Outcome {
    int(with(channel, Channel::tell))
}

fn position_64(channel: Value) -> Value {
    custom::alloc_int64(with(channel, Channel::tell))
}

fn seek(channel: Value, target: Value) -> Outcome {
    with(channel, |channel| channel.seek(target.as_int()))?;
    Ok(Value::UNIT)
}

fn seek_64(channel: Value, target: Value) -> Outcome {
    with(channel, |channel| channel.seek(custom::as_int64(target)))?;
    Ok(Value::UNIT)
}

fn flush(channel: Value) -> Outcome {
    with(channel, Channel::flush)?;
    Ok(Value::UNIT)
}

/// Writes part of a string; the bounds were checked by the caller.
fn output(channel: Value, string: Value, start: Value, len: Value) -> Outcome {
    // SAFETY: a channel has memory of its own.
    let bytes = part(unsafe { string.string_bytes() }, start, len);
    match with(channel, |channel| channel.try_put(bytes)) {
        true => Ok(Value::UNIT),
        false => put(channel, bytes),
    }
}

#[inline(never)]
fn put(channel: Value, bytes: &[u8]) -> Outcome {
    with(channel, |channel| channel.put(bytes))?;
    Ok(Value::UNIT)
}

fn part(bytes: &[u8], start: Value, len: Value) -> &[u8] {
    let (start, len) = (start.as_int() as usize, len.as_int() as usize);
    &bytes[start..start + len]
}

#[inline(always)]
fn output_char(channel: Value, char: Value) -> Outcome {
    let byte = char.as_int() as u8;
    if !with(channel, |channel| channel.try_put_byte(byte)) {
        with(channel, |channel| channel.put_byte(byte))?;
    }
    Ok(Value::UNIT)
}

/// Writes 32 bits, most significant byte first.
fn output_int(channel: Value, word: Value) -> Outcome {
    let bytes = (word.as_int() as u32).to_be_bytes();
    put(channel, &bytes)
}

/// Reads into part of a bytes block; the bounds were checked by the caller.
fn input(channel: Value, mut bytes: Value, start: Value, len: Value) -> Outcome {
    let (start, len) = (start.as_int() as usize, len.as_int() as usize);
    // SAFETY: a channel has memory of its own.
    let target = unsafe { &mut bytes.string_bytes_mut()[start..start + len] };
    let count = with(channel, |channel| channel.get_some(target))?;
    Ok(Value::int(count as i64))
}

#[inline(always)]
fn input_char(channel: Value) -> Outcome {
    let buffered = with(channel, Channel::try_get_byte);
    if buffered >= 0 {
        return Ok(Value::int(buffered.into()));
    }
    let byte = with(channel, Channel::get_byte)?;
    Ok(Value::int(byte.into()))
}

/// Reads 32 bits, most significant byte first, as a signed number.
fn input_int(channel: Value) -> Outcome {
    let mut bytes = [0; 4];
    with(channel, |channel| {
        for byte in &mut bytes {
            *byte = channel.get_byte()?;
        }
        Ok::<_, Failure>(())
    })?;
    Ok(Value::int(i32::from_be_bytes(bytes).into()))
}

fn input_scan_line(channel: Value) -> Outcome {
    Ok(Value::int(with(channel, Channel::scan_line)?))
}

/// The number of rows of a terminal: not known.
fn terminal_rows(_channel: Value) -> Value {
    Value::int(-1)
}

fn enable_warnings(on: Value) -> Value {
    open::set_warnings(on.as_bool());
    Value::UNIT
}

fn warnings_enabled(_: Value) -> Value {
    Value::bool(open::warnings())
}

#[cfg(test)]
mod tests;
