//! Open files by descriptor: reading, writing, seeking, duplicates, pipes, channels.

use super::arguments::{self, descriptor, inherit, interruptible, plain};
use super::error;
use crate::custom;
use crate::heap::{self, Root};
use crate::os::pipe::Blocking;
use crate::os::{self, Descriptor, Errno, Inherit, Kind, OpenFlags, Transfer, Whence, descriptors};
use crate::primitives::channels;
use crate::primitives::signals;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Collects "unix_open" open, 3;
    Leaf "unix_close" close, 1;
    Leaf "unix_fsync" synchronise, 1;
    Collects "unix_lockf" lock, 3;
    Collects "unix_read" read, 4;
    Collects "unix_write" write, 4;
    Collects "unix_single_write" single_write, 4;
    Leaf "unix_lseek" seek, 3;
    Allocates "unix_lseek_64" seek_64, 3;
    Leaf "unix_ftruncate" truncate, 2;
    Leaf "unix_ftruncate_64" truncate_64, 2;
    Leaf "unix_dup" duplicate, 2;
    Leaf "unix_dup2" duplicate_to, 3;
    Allocates "unix_pipe" pipe, 2;
    Leaf "unix_isatty" is_terminal, 1;
    Leaf "unix_set_nonblock" set_nonblocking, 1;
    Leaf "unix_clear_nonblock" clear_nonblocking, 1;
    Leaf "unix_set_close_on_exec" set_close_on_exec, 1;
    Leaf "unix_clear_close_on_exec" clear_close_on_exec, 1;
    Allocates "unix_inchannel_of_filedescr" input_channel, 1;
    Allocates "unix_outchannel_of_filedescr" output_channel, 1;
}

/// What one transfer of the library's moves at most.
pub const PIECE: usize = 65536;

fn open(path: Value, flags: Value, permissions: Value) -> Outcome {
    let flags = open_flags(flags);
    let bytes = arguments::path(path, "open")?;
    let path = Root::new(path);
    signals::deliver_before()?;
    match waiting::open(&bytes, flags, permissions.as_int() as u32) {
        Ok(descriptor) => Ok(Value::int(descriptor.into())),
        Err(failure) => {
            signals::deliver()?;
            Err(error::about(failure, "open", path.get()))
        }
    }
}

/// The flags in a list of `Unix.open_flag`. A program that is started gets the file unless a flag
/// says otherwise.
fn open_flags(flags: Value) -> OpenFlags {
    let mut result = OpenFlags::default();
    let (mut read_and_write, mut kept) = (false, false);
    for flag in flags.list() {
        match flag.as_int() {
            1 => result.write = true,
            2 => read_and_write = true,
            3 => result.nonblocking = true,
            4 => result.append = true,
            5 => result.create = true,
            6 => result.truncate = true,
            7 => result.exclusive = true,
            8 => result.no_terminal = true,
            9 => result.data_synchronous = true,
            // Linux's `O_RSYNC` is `O_SYNC`.
            10 | 11 => result.synchronous = true,
            13 => result.close_on_exec = true,
            14 => kept = true,
            _ => {}
        }
    }
    result.read = read_and_write || !result.write;
    result.write |= read_and_write;
    result.close_on_exec &= !kept;
    result
}

fn close(file: Value) -> Outcome {
    plain(os::close(descriptor(file)), "close")?;
    Ok(Value::UNIT)
}

fn synchronise(file: Value) -> Outcome {
    plain(descriptors::synchronise(descriptor(file)), "fsync")?;
    Ok(Value::UNIT)
}

/// Keeps other processes away, or asks whether they keep this one away.
fn lock(file: Value, command: Value, size: Value) -> Outcome {
    signals::deliver_before()?;
    let result = lock_letting_others_run(descriptor(file), command.as_int(), size.as_int());
    interruptible(result, "lockf")?;
    Ok(Value::UNIT)
}

/// Where there are other threads, tries now and then. Then no process is told that it would wait
/// for ever.
fn lock_letting_others_run(file: Descriptor, command: i64, size: i64) -> Result<(), Errno> {
    // `F_LOCK` and `F_RLOCK` wait, and what comes behind either tries.
    const WAITING: [i64; 2] = [1, 4];
    if !waiting::has_others() || !WAITING.contains(&command) {
        return descriptors::lock(file, command, size);
    }
    waiting::until_found(|| match descriptors::lock(file, command + 1, size) {
        Err(Errno::AGAIN | Errno::ACCES) => Ok(None),
        result => result.map(Some),
    })
}

fn range(start: Value, len: Value) -> std::ops::Range<usize> {
    let start = start.as_int() as usize;
    start..start + len.as_int() as usize
}

fn read(file: Value, buffer: Value, start: Value, len: Value) -> Outcome {
    let buffer = Root::new(buffer);
    signals::deliver_before()?;
    let waited = waiting::until_transfer(descriptor(file), Transfer::Read);
    interruptible(waited, "read")?;
    let mut buffer = buffer.get();
    // SAFETY: the outside writes there, and nothing else is done meanwhile.
    let target = unsafe { &mut buffer.string_bytes_mut()[range(start, len)] };
    let most = target.len().min(PIECE);
    let count = interruptible(os::read(descriptor(file), &mut target[..most]), "read")?;
    Ok(Value::int(count as i64))
}

/// Writes all of it, unless the descriptor does not block and takes only part.
fn write(file: Value, buffer: Value, start: Value, len: Value) -> Outcome {
    let (buffer, range) = (Root::new(buffer), range(start, len));
    let mut written = 0;
    while written < range.len() {
        let rest = range.start + written..range.end;
        signals::deliver_before()?;
        match put_piece(descriptor(file), &buffer, rest) {
            Ok(count) => written += count,
            Err(Errno::AGAIN) if written > 0 => break,
            Err(failure) => interruptible(Err(failure), "write")?,
        }
    }
    Ok(Value::int(written as i64))
}

fn single_write(file: Value, buffer: Value, start: Value, len: Value) -> Outcome {
    let range = range(start, len);
    if range.is_empty() {
        return Ok(Value::int(0));
    }
    let buffer = Root::new(buffer);
    signals::deliver_before()?;
    let put = put_piece(descriptor(file), &buffer, range);
    let count = interruptible(put, "single_write")?;
    Ok(Value::int(count as i64))
}

/// Writes as much of a part of a block as one transfer moves.
fn put_piece(
    file: Descriptor,
    buffer: &Root,
    range: std::ops::Range<usize>,
) -> Result<usize, Errno> {
    waiting::until_transfer(file, Transfer::Write)?;
    let most = waiting::most_written(file).min(PIECE);
    let buffer = buffer.get();
    // SAFETY: writing to the outside changes no block, and handlers of signals run later.
    let bytes = unsafe { &buffer.string_bytes()[range] };
    put(file, &bytes[..bytes.len().min(most)])
}

fn put(file: Descriptor, bytes: &[u8]) -> Result<usize, Errno> {
    let result = os::write(file, bytes);
    if result == Err(Errno::PIPE) {
        signals::broken_pipe();
    }
    result
}

fn seek(file: Value, offset: Value, whence: Value) -> Outcome {
    const MAX: i64 = i64::MAX >> 1;
    let position = moved(file, offset.as_int(), whence)?;
    if position > MAX {
        return Err(error::error(Errno::OVERFLOW, "lseek"));
    }
    Ok(Value::int(position))
}

fn seek_64(file: Value, offset: Value, whence: Value) -> Outcome {
    let position = moved(file, custom::as_int64(offset), whence)?;
    Ok(custom::alloc_int64(position))
}

fn moved(file: Value, offset: i64, whence: Value) -> Result<i64, Raised> {
    let whence = match whence.as_int() {
        0 => Whence::Start,
        1 => Whence::Current,
        _ => Whence::End,
    };
    plain(os::seek(descriptor(file), offset, whence), "lseek")
}

fn truncate(file: Value, size: Value) -> Outcome {
    set_size(file, size.as_int())
}

fn truncate_64(file: Value, size: Value) -> Outcome {
    set_size(file, custom::as_int64(size))
}

fn set_size(file: Value, size: i64) -> Outcome {
    let size = u64::try_from(size).map_err(|_| Errno::INVAL);
    let result = size.and_then(|size| descriptors::set_size(descriptor(file), size));
    plain(result, "ftruncate")?;
    Ok(Value::UNIT)
}

fn duplicate(close_on_exec: Value, file: Value) -> Outcome {
    let copy = descriptors::duplicate(descriptor(file), inherit(close_on_exec));
    let copy = plain(copy, "dup")?;
    Ok(Value::int(copy.into()))
}

fn duplicate_to(close_on_exec: Value, file: Value, target: Value) -> Outcome {
    let (file, target) = (descriptor(file), descriptor(target));
    let result = match (file == target, close_on_exec.option()) {
        (false, _) => descriptors::duplicate_to(file, target, inherit(close_on_exec)),
        // As in OCaml's library, which then does nothing but set the flag if it is given.
        (true, Some(_)) => descriptors::set_inherit(target, inherit(close_on_exec)),
        (true, None) => Ok(()),
    };
    plain(result, "dup2")?;
    Ok(Value::UNIT)
}

fn pipe(close_on_exec: Value, _: Value) -> Outcome {
    let ends = plain(descriptors::pipe(inherit(close_on_exec)), "pipe")?;
    Ok(heap::alloc_fields(
        0,
        &ends.map(|end| Value::int(end.into())),
    ))
}

fn is_terminal(file: Value) -> Value {
    Value::bool(os::is_terminal(descriptor(file)))
}

fn set_nonblocking(file: Value) -> Outcome {
    let result = descriptors::set_blocking(descriptor(file), Blocking::No);
    plain(result, "set_nonblock")?;
    Ok(Value::UNIT)
}

fn clear_nonblocking(file: Value) -> Outcome {
    let result = descriptors::set_blocking(descriptor(file), Blocking::Yes);
    plain(result, "clear_nonblock")?;
    Ok(Value::UNIT)
}

fn set_close_on_exec(file: Value) -> Outcome {
    let result = descriptors::set_inherit(descriptor(file), Inherit::No);
    plain(result, "set_close_on_exec")?;
    Ok(Value::UNIT)
}

fn clear_close_on_exec(file: Value) -> Outcome {
    let result = descriptors::set_inherit(descriptor(file), Inherit::Yes);
    // OCaml's library has one function for both, with one name.
    plain(result, "set_close_on_exec")?;
    Ok(Value::UNIT)
}

fn input_channel(file: Value) -> Outcome {
    plain(check_stream(file), "in_channel_of_descr")?;
    channels::open_descriptor_in(file)
}

fn output_channel(file: Value) -> Outcome {
    plain(check_stream(file), "out_channel_of_descr")?;
    channels::open_descriptor_out(file)
}

/// Fails where bytes do not come one after the other.
fn check_stream(file: Value) -> Result<(), Errno> {
    match descriptors::status(descriptor(file))?.kind {
        Kind::Regular | Kind::CharacterDevice | Kind::Pipe | Kind::Socket => Ok(()),
        Kind::Directory | Kind::BlockDevice | Kind::Link => Err(Errno::INVAL),
    }
}
