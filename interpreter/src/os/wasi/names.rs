//! Directories over WASI: the current one, which the guest keeps itself because WASI has none;
//! paths without links; and listings.

use super::super::path::{self, Part};
use super::super::{Errno, Follow, Handle, Kind};
use super::{abi, close, directories, path_open, read_link, status};

pub fn current_directory() -> Result<Vec<u8>, Errno> {
    Ok(directories(|directories| {
        directories.current.borrow().clone()
    }))
}

/// Makes a directory the current one, by the name that it has without links.
pub fn change_directory(path: &[u8]) -> Result<(), Errno> {
    if status(path, Follow::Yes)?.kind != Kind::Directory {
        return Err(Errno::NOTDIR);
    }
    let real = real_path(path)?;
    directories(|directories| drop(directories.current.replace(real)));
    Ok(())
}

/// The absolute path without links that leads to the same file, which must exist.
pub fn real_path(path: &[u8]) -> Result<Vec<u8>, Errno> {
    if path.is_empty() {
        return Err(Errno::NOENT);
    }
    let absolute = [&current_directory()?[..], b"/", path].concat();
    let start = if path.starts_with(b"/") {
        path
    } else {
        &absolute
    };
    let real = path::resolve(start, Follow::Yes, |path| {
        if !is_visible(path) {
            return Ok(Part::Directory);
        }
        match status(path, Follow::No)?.kind {
            Kind::Link => Ok(Part::Link(read_link(path)?)),
            Kind::Directory => Ok(Part::Directory),
            Kind::Regular
            | Kind::CharacterDevice
            | Kind::BlockDevice
            | Kind::Pipe
            | Kind::Socket => Ok(Part::Other),
        }
    })?;
    if is_visible(&real) {
        status(&real, Follow::No)?;
    }
    Ok(real)
}

/// Whether a path is inside of a directory that the host opened.
fn is_visible(path: &[u8]) -> bool {
    directories(|directories| path::locate(&directories.names, path).is_some())
}

/// The names in a directory, in the host's order, after `.` and `..`.
pub fn read_directory(path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    let handle = path_open(path, abi::OPEN_DIRECTORY, abi::RIGHT_READ_DIRECTORY, 0)?;
    let names = directory_entries(handle);
    close(handle)?;
    names
}

/// Bytes of the buffer for entries at first. Hosts may look at each entry of the directory, however
/// many there is room for, and begin anew at each call. So it grows from call to call, and the last
/// call takes most of the time.
const ENTRIES: usize = 1 << 16;
const GROWTH: usize = 4;

fn directory_entries(handle: Handle) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = vec![b".".to_vec(), b"..".to_vec()];
    let mut buffer = vec![0; ENTRIES];
    let mut cookie = 0;
    loop {
        let mut used = 0;
        // SAFETY: the buffer has the length given, the out pointer is valid.
        Errno::check(unsafe {
            abi::fd_readdir(
                handle.0,
                buffer.as_mut_ptr(),
                buffer.len(),
                cookie,
                &mut used,
            )
        })?;
        cookie = take_entries(&buffer[..used], cookie, &mut names);
        if used < buffer.len() {
            return Ok(names);
        }
        buffer.resize(buffer.len() * GROWTH, 0);
    }
}

/// Adds the names of the complete entries in `bytes`; returns the cookie after the last of them.
fn take_entries(mut bytes: &[u8], mut cookie: u64, names: &mut Vec<Vec<u8>>) -> u64 {
    while let Some((header, rest)) = bytes.split_at_checked(abi::ENTRY_HEADER) {
        let next = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
        let len = u32::from_le_bytes(header[16..20].try_into().expect("four bytes"));
        let Some((name, rest)) = rest.split_at_checked(len as usize) else {
            break;
        };
        if name != b"." && name != b".." {
            names.push(name.to_vec());
        }
        cookie = next;
        bytes = rest;
    }
    cookie
}
