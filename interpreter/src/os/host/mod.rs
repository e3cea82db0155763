//! The outside as the tool serves it to a program that may use whatever the tool's process may
//! (`--unconfined`): files by the system's own calls, and what WASI has no words for.
//!
//! Invariant: everything here fails with `ENOSYS` where the tool serves nothing; no value is made
//! up. Handles are numbers of the tool's, of which 0 to 2 are the standard streams.

mod abi;
mod identity;
mod processes;
pub mod signals;
pub mod sockets;

use super::pipe::Blocking;
use super::{Errno, Follow, Handle, Kind, OpenFlags, Ownership, Status, Transfer, Whence};

pub use identity::{
    Identity, groups, host_name, identity, login, nice, times, user_by_name, user_by_number,
};
pub use processes::{Ended, Program, execute, kill, spawn, wait};

/// What [`abi::version`] answers where the tool serves this module.
const VERSION: i64 = 1;

/// Room for a path, at first.
const PATH: usize = 4096;

/// The most room that an answer is given.
const MOST: usize = 1 << 24;

/// Whether the tool serves this program.
pub fn serves() -> bool {
    abi::version([0; 3], b"", &mut []) == Ok(VERSION)
}

/// Calls `f` with more and more room, until the answer fits.
fn bytes(room: usize, f: impl Fn(&mut [u8]) -> abi::Answer) -> Result<Vec<u8>, Errno> {
    let mut answer = vec![0; room];
    loop {
        match f(&mut answer) {
            Err(Errno::RANGE) if answer.len() < MOST => answer.resize(2 * answer.len(), 0),
            Err(error) => return Err(error),
            Ok(len) => {
                answer.truncate(len as usize);
                return Ok(answer);
            }
        }
    }
}

/// Numbers of the host's, eight bytes each.
fn words(bytes: &[u8]) -> Vec<i64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| i64::from_le_bytes(*word)).collect()
}

fn two(first: &[u8], second: &[u8]) -> Vec<u8> {
    [first, b"\0", second].concat()
}

fn number(handle: Handle) -> i64 {
    handle.0.into()
}

/// For calls whose result says only that they were done.
fn done(answer: abi::Answer) -> Result<(), Errno> {
    answer.map(drop)
}

pub fn open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Handle, Errno> {
    let numbers = [flags.to_linux().into(), permissions.into(), 0];
    let handle = abi::open(numbers, path, &mut [])?;
    Ok(Handle(handle as i32))
}

pub fn close(handle: Handle) -> Result<(), Errno> {
    done(abi::close([number(handle), 0, 0], b"", &mut []))
}

pub fn read(handle: Handle, buffer: &mut [u8]) -> Result<usize, Errno> {
    let count = abi::read([number(handle), 0, 0], b"", buffer)?;
    Ok(count as usize)
}

pub fn write(handle: Handle, bytes: &[u8]) -> Result<usize, Errno> {
    let count = abi::write([number(handle), 0, 0], bytes, &mut [])?;
    Ok(count as usize)
}

pub fn seek(handle: Handle, offset: i64, whence: Whence) -> Result<i64, Errno> {
    abi::seek([number(handle), offset, whence as i64], b"", &mut [])
}

/// A pipe's ends, for reading and for writing.
pub fn pipe() -> Result<[Handle; 2], Errno> {
    let mut ends = [0; 16];
    abi::pipe([0; 3], b"", &mut ends)?;
    let ends = words(&ends);
    Ok([Handle(ends[0] as i32), Handle(ends[1] as i32)])
}

pub fn set_blocking(handle: Handle, blocking: Blocking) -> Result<(), Errno> {
    let on = blocking == Blocking::No;
    done(abi::set_nonblocking(
        [number(handle), on.into(), 0],
        b"",
        &mut [],
    ))
}

/// Waits until one of `wanted` can be done without waiting, at most `timeout` nanoseconds; which
/// can.
pub fn poll(wanted: &[(Handle, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    let mut input = Vec::new();
    for (handle, transfer) in wanted {
        input.extend(number(*handle).to_le_bytes());
        input.extend((*transfer as i64).to_le_bytes());
    }
    let timeout = timeout.map_or(-1, |timeout| i64::try_from(timeout).unwrap_or(i64::MAX));
    let mut ready = vec![0; wanted.len()];
    abi::poll([timeout, 0, 0], &input, &mut ready)?;
    Ok(ready.iter().map(|&ready| ready != 0).collect())
}

/// Whether somebody has the pipe open for writing, or had since this end was opened, which does not
/// wait.
pub fn has_writer(handle: Handle) -> Result<bool, Errno> {
    Ok(abi::has_writer([number(handle), 0, 0], b"", &mut [])? != 0)
}

pub fn is_terminal(handle: Handle) -> bool {
    abi::isatty([number(handle), 0, 0], b"", &mut []) == Ok(1)
}

pub fn set_size(handle: Handle, size: u64) -> Result<(), Errno> {
    done(abi::ftruncate(
        [number(handle), size as i64, 0],
        b"",
        &mut [],
    ))
}

pub fn synchronise(handle: Handle) -> Result<(), Errno> {
    done(abi::fsync([number(handle), 0, 0], b"", &mut []))
}

/// Locks or unlocks a part of a file, or asks whether somebody else did. `command` is the number of
/// a constructor of `Unix.lock_command`.
pub fn lock(handle: Handle, command: i64, size: i64) -> Result<(), Errno> {
    done(abi::lockf([number(handle), command, size], b"", &mut []))
}

/// Bytes of what is known of a file.
const STATUS: usize = 11 * 8;

pub fn status(path: &[u8], follow: Follow) -> Result<Status, Errno> {
    let mut found = [0; STATUS];
    abi::stat([follow as i64, 0, 0], path, &mut found)?;
    Ok(described(&found))
}

pub fn status_of(handle: Handle) -> Result<Status, Errno> {
    let mut found = [0; STATUS];
    abi::fstat([number(handle), 0, 0], b"", &mut found)?;
    Ok(described(&found))
}

fn described(found: &[u8; STATUS]) -> Status {
    let words = words(found);
    let mode = words[2] as u32;
    Status {
        device: words[0] as u64,
        inode: words[1] as u64,
        kind: kind(mode),
        links: words[3] as u64,
        size: words[7] as u64,
        times: [words[8], words[9], words[10]],
        ownership: Some(Ownership {
            permissions: mode & 0o7777,
            user: words[4] as u32,
            group: words[5] as u32,
            device: words[6] as u64,
        }),
    }
}

/// What a file is, from Linux's `st_mode`.
fn kind(mode: u32) -> Kind {
    match mode & 0o170000 {
        0o040000 => Kind::Directory,
        0o020000 => Kind::CharacterDevice,
        0o060000 => Kind::BlockDevice,
        0o120000 => Kind::Link,
        0o010000 => Kind::Pipe,
        0o140000 => Kind::Socket,
        _ => Kind::Regular,
    }
}

/// Whether the file can be used so: bits 4 for reading, 2 for writing, 1 for executing.
pub fn access(path: &[u8], wanted: u32) -> Result<(), Errno> {
    done(abi::access([wanted.into(), 0, 0], path, &mut []))
}

pub fn set_permissions(path: &[u8], permissions: u32) -> Result<(), Errno> {
    done(abi::chmod([permissions.into(), 0, 0], path, &mut []))
}

pub fn set_permissions_of(handle: Handle, permissions: u32) -> Result<(), Errno> {
    let numbers = [number(handle), permissions.into(), 0];
    done(abi::fchmod(numbers, b"", &mut []))
}

/// Gives a file to a user and a group; -1 leaves it with its own.
pub fn set_owner(path: &[u8], user: i32, group: i32) -> Result<(), Errno> {
    done(abi::chown([user.into(), group.into(), 0], path, &mut []))
}

pub fn set_owner_of(handle: Handle, user: i32, group: i32) -> Result<(), Errno> {
    let numbers = [number(handle), user.into(), group.into()];
    done(abi::fchown(numbers, b"", &mut []))
}

/// Sets the times of last reading and writing, in nanoseconds since 1970; `None` for now.
pub fn set_times(path: &[u8], times: Option<[i64; 2]>) -> Result<(), Errno> {
    let [read, written] = times.unwrap_or_default();
    let now = times.is_none();
    done(abi::utimes([read, written, now.into()], path, &mut []))
}

/// Cuts the file of this name to `size` bytes, or adds zeros.
pub fn truncate(path: &[u8], size: i64) -> Result<(), Errno> {
    done(abi::truncate([size, 0, 0], path, &mut []))
}

pub fn create_directory(path: &[u8], permissions: u32) -> Result<(), Errno> {
    done(abi::mkdir([permissions.into(), 0, 0], path, &mut []))
}

pub fn remove_directory(path: &[u8]) -> Result<(), Errno> {
    done(abi::rmdir([0; 3], path, &mut []))
}

pub fn create_pipe(path: &[u8], permissions: u32) -> Result<(), Errno> {
    done(abi::mkfifo([permissions.into(), 0, 0], path, &mut []))
}

pub fn unlink(path: &[u8]) -> Result<(), Errno> {
    done(abi::unlink([0; 3], path, &mut []))
}

pub fn rename(from: &[u8], to: &[u8]) -> Result<(), Errno> {
    done(abi::rename([0; 3], &two(from, to), &mut []))
}

pub fn link(old: &[u8], follow: Follow, new: &[u8]) -> Result<(), Errno> {
    done(abi::link([follow as i64, 0, 0], &two(old, new), &mut []))
}

pub fn symbolic_link(target: &[u8], path: &[u8]) -> Result<(), Errno> {
    done(abi::symlink([0; 3], &two(target, path), &mut []))
}

pub fn read_link(path: &[u8]) -> Result<Vec<u8>, Errno> {
    bytes(PATH, |room| abi::readlink([0; 3], path, room))
}

pub fn real_path(path: &[u8]) -> Result<Vec<u8>, Errno> {
    bytes(PATH, |room| abi::realpath([0; 3], path, room))
}

/// The names in a directory, in the host's order, `.` and `..` among them.
pub fn read_directory(path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    let directory = abi::opendir([0; 3], path, &mut [])?;
    let names = names(directory);
    done(abi::close([directory, 0, 0], b"", &mut []))?;
    names
}

fn names(directory: i64) -> Result<Vec<Vec<u8>>, Errno> {
    const PIECE: usize = 1 << 15;
    let mut names = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let len = abi::readdir([directory, 0, 0], b"", &mut piece)?;
        let Some(found) = piece[..len as usize].strip_suffix(b"\0") else {
            return Ok(names);
        };
        names.extend(found.split(|&byte| byte == 0).map(<[u8]>::to_vec));
    }
}

pub fn change_directory(path: &[u8]) -> Result<(), Errno> {
    done(abi::chdir([0; 3], path, &mut []))
}

pub fn current_directory() -> Result<Vec<u8>, Errno> {
    bytes(PATH, |room| abi::getcwd([0; 3], b"", room))
}

/// How many descriptors this process may have.
pub fn most_descriptors() -> Result<usize, Errno> {
    Ok(abi::getrlimit([0; 3], b"", &mut [])? as usize)
}

/// Sets the mask of permissions that new files do not get; what it was.
pub fn set_mask(mask: u32) -> Result<u32, Errno> {
    Ok(abi::umask([mask.into(), 0, 0], b"", &mut [])? as u32)
}
