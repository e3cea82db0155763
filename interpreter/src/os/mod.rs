//! The outside world, over WASI or natively: files, directories, arguments, environment, clocks.
//!
//! Invariant: nothing of the outside is looked at before it is asked for, so that a snapshot taken
//! before the program runs holds nothing of the machine it was taken on. Two backends, [`wasi`] by
//! raw imports and [`native`] over the standard library, have the same functions.
//!
//! Left out: sockets, processes, signals, file times and permissions.

pub mod errno;
pub mod path;

#[cfg(not(target_family = "wasm"))]
pub mod native;
#[cfg(target_family = "wasm")]
pub mod wasi;

#[cfg(not(target_family = "wasm"))]
use native as backend;
#[cfg(target_family = "wasm")]
use wasi as backend;

pub use backend::{
    arguments, change_directory, close, create_directory, current_directory, environment, exit,
    is_terminal, kind, monotonic_nanoseconds, open, process_nanoseconds, random, read,
    read_directory, real_nanoseconds, remove_directory, rename, seek, unlink, write,
};
pub use errno::Errno;

/// A file descriptor.
pub type Descriptor = i32;

/// How a file is opened; the flags of `open`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenFlags {
    /// Neither this nor `append`: for reading only.
    pub write: bool,
    pub append: bool,
    pub create: bool,
    pub truncate: bool,
    pub exclusive: bool,
    pub nonblocking: bool,
}

/// From where a seek counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Whence {
    Start = 0,
    Current = 1,
    End = 2,
}

/// What a path names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Directory,
    Other,
}

/// The value of an environment variable.
pub fn variable(name: &[u8]) -> Option<Vec<u8>> {
    environment().into_iter().find_map(|entry| {
        let value = entry.strip_prefix(name)?.strip_prefix(b"=")?;
        Some(value.to_vec())
    })
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

/// Ends the program, as the runtime does when it cannot go on.
#[cold]
pub fn fatal_error(message: &str) -> ! {
    write_all(2, format!("Fatal error: {message}\n").as_bytes());
    exit(2)
}
