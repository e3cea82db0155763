//! The outside world, over WASI or natively: files, directories, arguments, environment, clocks.
//!
//! Invariant: nothing of the outside is looked at before it is asked for, so that a snapshot taken
//! before the program runs holds nothing of the machine it was taken on. Two backends, [`wasi`] by
//! raw imports and [`native`] over the standard library, have the same functions; above them,
//! [`descriptors`] numbers open files as Unix does, with duplicates and pipes, and [`environment`] keeps what the
//! program changes in its environment.
//!
//! Left out: sockets, processes, signals and permissions.

pub mod descriptors;
pub mod environment;
pub mod errno;
pub mod path;
pub mod pipe;

#[cfg(not(target_family = "wasm"))]
pub mod native;
#[cfg(target_family = "wasm")]
pub mod wasi;

#[cfg(not(target_family = "wasm"))]
use native as backend;
#[cfg(target_family = "wasm")]
use wasi as backend;

pub use backend::{
    arguments, create_directory, current_directory, exit, link, monotonic_nanoseconds,
    process_nanoseconds, random, read_directory, read_link, real_nanoseconds, remove_directory,
    rename, set_times, sleep, status, symbolic_link, unlink,
};
pub use descriptors::{close, is_terminal, open, read, seek, write};
pub use environment::variable;
pub use errno::Errno;

/// A file descriptor of the program's.
pub type Descriptor = i32;

/// What the outside calls an open file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(pub i32);

/// How a file is opened; the flags of `open`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenFlags {
    pub read: bool,
    pub write: bool,
    /// Only where it is opened for writing.
    pub append: bool,
    pub create: bool,
    pub truncate: bool,
    pub exclusive: bool,
    pub nonblocking: bool,
}

impl OpenFlags {
    pub const READ: Self = Self {
        read: true,
        write: false,
        append: false,
        create: false,
        truncate: false,
        exclusive: false,
        nonblocking: false,
    };
    pub const WRITE: Self = Self {
        read: false,
        write: true,
        ..Self::READ
    };
}

/// From where a seek counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Whence {
    Start = 0,
    Current = 1,
    End = 2,
}

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Regular,
    Directory,
    CharacterDevice,
    BlockDevice,
    Link,
    Pipe,
    Socket,
}

/// What is known of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub device: u64,
    pub inode: u64,
    pub kind: Kind,
    pub links: u64,
    pub size: u64,
    /// Nanoseconds since 1970: last read, last written, last changed in any way.
    pub times: [u64; 3],
}

impl Status {
    /// Of a pipe of our own, which the outside knows nothing of.
    const PIPE: Self = Self {
        device: 0,
        inode: 0,
        kind: Kind::Pipe,
        links: 1,
        size: 0,
        times: [0; 3],
    };
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    Yes,
    No,
}

/// Which way data is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    Read,
    Write,
}

/// What the path names, links followed.
pub fn kind(path: &[u8]) -> Result<Kind, Errno> {
    Ok(status(path, Follow::Yes)?.kind)
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
        if !backend::is_visible(path) {
            return Ok(path::Part::Directory);
        }
        match status(path, Follow::No)?.kind {
            Kind::Link => Ok(path::Part::Link(read_link(path)?)),
            Kind::Directory => Ok(path::Part::Directory),
            _ => Ok(path::Part::Other),
        }
    })?;
    if backend::is_visible(&real) {
        status(&real, Follow::No)?;
    }
    Ok(real)
}

/// Makes a directory the current one, by the name that it has without links.
pub fn change_directory(path: &[u8]) -> Result<(), Errno> {
    if kind(path)? != Kind::Directory {
        return Err(Errno::NOTDIR);
    }
    backend::set_current_directory(real_path(path)?);
    Ok(())
}

/// All of a file.
pub fn read_file(path: &[u8]) -> Result<Vec<u8>, Errno> {
    const PIECE: usize = 1 << 14;
    let descriptor = open(path, OpenFlags::READ, 0)?;
    let mut contents = Vec::new();
    let result = loop {
        let len = contents.len();
        contents.resize(len + PIECE, 0);
        let count = read(descriptor, &mut contents[len..]);
        contents.truncate(len + count.unwrap_or(0));
        match count {
            Ok(0) => break Ok(contents),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => break Err(error),
        }
    };
    close(descriptor)?;
    result
}

/// Writes all of `bytes`, for messages of the runtime's own; errors have nowhere to go.
pub fn write_all(descriptor: Descriptor, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match write(descriptor, bytes) {
            Ok(0) => return,
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

/// Processor time counts from here, where the host has no clock for it.
pub fn start_clock() {
    process_nanoseconds();
}

/// Ends the program, as the runtime does when it cannot go on. Needs no memory.
#[cold]
pub fn fatal_error(message: &str) -> ! {
    for part in ["Fatal error: ", message, "\n"] {
        write_all(2, part.as_bytes());
    }
    exit(2)
}
