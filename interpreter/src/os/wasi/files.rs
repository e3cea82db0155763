//! Files by name, and what is known of them, over WASI.

use super::super::{Errno, Follow, Handle, Kind, Status};
use super::abi::{self, FileStat};
use super::at;

fn lookup(follow: Follow) -> u32 {
    match follow {
        Follow::Yes => abi::LOOKUP_FOLLOW,
        Follow::No => 0,
    }
}

/// What is known of the file that `path` names.
pub fn status(path: &[u8], follow: Follow) -> Result<Status, Errno> {
    at(path, follow, |directory, rest| {
        let mut stat = FileStat::default();
        // SAFETY: the path is `rest`, the out pointer is valid.
        Errno::check(unsafe {
            abi::path_filestat_get(
                directory,
                lookup(follow),
                rest.as_ptr(),
                rest.len(),
                &mut stat,
            )
        })?;
        Ok(described(&stat))
    })
}

/// What is known of an open file.
pub fn status_of(handle: Handle) -> Result<Status, Errno> {
    let mut stat = FileStat::default();
    // SAFETY: the out pointer is valid.
    Errno::check(unsafe { abi::fd_filestat_get(handle.0, &mut stat) })?;
    Ok(described(&stat))
}

fn described(stat: &FileStat) -> Status {
    Status {
        device: stat.device,
        inode: stat.inode,
        kind: kind(stat.file_type),
        links: stat.links,
        size: stat.size,
        times: stat.times.map(|time| time as i64),
        ownership: None,
    }
}

/// WASI has no number for pipes: what is none of the others is one.
fn kind(file_type: u8) -> Kind {
    match file_type {
        abi::TYPE_REGULAR => Kind::Regular,
        abi::TYPE_DIRECTORY => Kind::Directory,
        abi::TYPE_CHARACTER_DEVICE => Kind::CharacterDevice,
        abi::TYPE_BLOCK_DEVICE => Kind::BlockDevice,
        abi::TYPE_LINK => Kind::Link,
        abi::TYPE_SOCKET_DATAGRAM | abi::TYPE_SOCKET_STREAM => Kind::Socket,
        _ => Kind::Pipe,
    }
}

/// Cuts a file to `size` bytes, or adds zeros.
pub fn set_size(handle: Handle, size: u64) -> Result<(), Errno> {
    // SAFETY: no pointers.
    Errno::check(unsafe { abi::fd_filestat_set_size(handle.0, size) })
}

/// Waits until what was written is on the disk.
pub fn synchronise(handle: Handle) -> Result<(), Errno> {
    // SAFETY: no pointers.
    Errno::check(unsafe { abi::fd_sync(handle.0) })
}

/// Sets the times of last reading and writing, in nanoseconds since 1970; `None` for now.
pub fn set_times(path: &[u8], times: Option<[i64; 2]>) -> Result<(), Errno> {
    let ([read, written], which) = match times {
        Some(times) if times.iter().any(|&time| time < 0) => return Err(Errno::INVAL),
        Some(times) => (
            times.map(|time| time as u64),
            abi::SET_READ | abi::SET_WRITTEN,
        ),
        None => ([0; 2], abi::SET_READ_NOW | abi::SET_WRITTEN_NOW),
    };
    at(path, Follow::Yes, |directory, rest| {
        // SAFETY: the path is `rest`.
        Errno::check(unsafe {
            abi::path_filestat_set_times(
                directory,
                abi::LOOKUP_FOLLOW,
                rest.as_ptr(),
                rest.len(),
                read,
                written,
                which,
            )
        })
    })
}

pub fn unlink(path: &[u8]) -> Result<(), Errno> {
    at(path, Follow::No, |directory, rest| {
        // SAFETY: the path is `rest`.
        Errno::check(unsafe { abi::path_unlink_file(directory, rest.as_ptr(), rest.len()) })
    })
}

pub fn rename(from: &[u8], to: &[u8]) -> Result<(), Errno> {
    at(from, Follow::No, |from_directory, from| {
        at(to, Follow::No, |to_directory, to| {
            // SAFETY: the paths are `from` and `to`.
            Errno::check(unsafe {
                abi::path_rename(
                    from_directory,
                    from.as_ptr(),
                    from.len(),
                    to_directory,
                    to.as_ptr(),
                    to.len(),
                )
            })
        })
    })
}

/// Makes `new` another name of the file `old`.
pub fn link(old: &[u8], follow: Follow, new: &[u8]) -> Result<(), Errno> {
    at(old, follow, |old_directory, old| {
        at(new, Follow::No, |new_directory, new| {
            // SAFETY: the paths are `old` and `new`.
            Errno::check(unsafe {
                abi::path_link(
                    old_directory,
                    lookup(follow),
                    old.as_ptr(),
                    old.len(),
                    new_directory,
                    new.as_ptr(),
                    new.len(),
                )
            })
        })
    })
}

/// Makes `path` a symbolic link to `target`.
pub fn symbolic_link(target: &[u8], path: &[u8]) -> Result<(), Errno> {
    at(path, Follow::No, |directory, rest| {
        // SAFETY: the paths are `target` and `rest`.
        Errno::check(unsafe {
            abi::path_symlink(
                target.as_ptr(),
                target.len(),
                directory,
                rest.as_ptr(),
                rest.len(),
            )
        })
    })
}

/// Where a symbolic link leads.
pub fn read_link(path: &[u8]) -> Result<Vec<u8>, Errno> {
    at(path, Follow::No, target_of_link)
}

/// The same, from an open directory.
pub fn target_of_link(directory: i32, path: &[u8]) -> Result<Vec<u8>, Errno> {
    const LONGEST: usize = 4096;
    let mut target = vec![0; LONGEST];
    let mut used = 0;
    // SAFETY: the path is `path`, the buffer has the length given, the out pointer is valid.
    Errno::check(unsafe {
        abi::path_readlink(
            directory,
            path.as_ptr(),
            path.len(),
            target.as_mut_ptr(),
            target.len(),
            &mut used,
        )
    })?;
    target.truncate(used);
    Ok(target)
}

pub fn create_directory(path: &[u8], _permissions: u32) -> Result<(), Errno> {
    at(path, Follow::No, |directory, rest| {
        // SAFETY: the path is `rest`.
        Errno::check(unsafe { abi::path_create_directory(directory, rest.as_ptr(), rest.len()) })
    })
}

pub fn remove_directory(path: &[u8]) -> Result<(), Errno> {
    at(path, Follow::No, |directory, rest| {
        // SAFETY: the path is `rest`.
        Errno::check(unsafe { abi::path_remove_directory(directory, rest.as_ptr(), rest.len()) })
    })
}
