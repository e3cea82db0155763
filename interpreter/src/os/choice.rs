//! Under Wasm, which backend a run uses: WASI, or the tool's own functions, where the tool lets the
//! program use what its process can use. Sockets are always the tool's.
//!
//! Invariant: it is WASI until the program begins, so that a snapshot knows nothing of the run. The
//! handles of the standard streams are the same in both; any other belongs to one of them, and in
//! the sandbox says to which: those of sockets begin at [`SOCKETS`].

use super::pipe::Blocking;
use super::{Errno, Follow, Handle, OpenFlags, Status, Transfer, Whence};
use super::{host, wasi};
use core::cell::Cell;

pub use wasi::{
    arguments, environment, exit, has_variable, monotonic_nanoseconds, process_nanoseconds, random,
    real_nanoseconds, sleep,
};

thread_local! {
    static BY_HOST: Cell<bool> = const { Cell::new(false) };
}

/// The program begins: asks the host whether it serves.
pub fn begin() {
    BY_HOST.set(host::serves());
}

/// The first handle that the tool gives to a socket in the sandbox, where WASI has others.
const SOCKETS: i32 = 1 << 20;

fn is_sockets(handle: Handle) -> bool {
    handle.0 >= SOCKETS
}

/// Waits for files of which some may be sockets. The tool has the standard streams as well.
pub fn poll(wanted: &[(Handle, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    let has_sockets = wanted.iter().any(|&(handle, _)| is_sockets(handle));
    match BY_HOST.get() || has_sockets {
        true => host::poll(wanted, timeout),
        false => wasi::poll(wanted, timeout),
    }
}

/// Defines functions of names, which both have.
macro_rules! either {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        $(pub fn $name($($argument: $ty),*) -> $result {
            if BY_HOST.get() {
                host::$name($($argument),*)
            } else {
                wasi::$name($($argument),*)
            }
        })*
    };
}

/// The same of open files, which come first.
macro_rules! either_of_file {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        $(pub fn $name(file: Handle $(, $argument: $ty)*) -> $result {
            if BY_HOST.get() || is_sockets(file) {
                host::$name(file $(, $argument)*)
            } else {
                wasi::$name(file $(, $argument)*)
            }
        })*
    };
}

either! {
    open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Handle, Errno>;
    status(path: &[u8], follow: Follow) -> Result<Status, Errno>;
    set_times(path: &[u8], times: Option<[i64; 2]>) -> Result<(), Errno>;
    create_directory(path: &[u8], permissions: u32) -> Result<(), Errno>;
    remove_directory(path: &[u8]) -> Result<(), Errno>;
    unlink(path: &[u8]) -> Result<(), Errno>;
    rename(from: &[u8], to: &[u8]) -> Result<(), Errno>;
    link(old: &[u8], follow: Follow, new: &[u8]) -> Result<(), Errno>;
    symbolic_link(target: &[u8], path: &[u8]) -> Result<(), Errno>;
    read_link(path: &[u8]) -> Result<Vec<u8>, Errno>;
    real_path(path: &[u8]) -> Result<Vec<u8>, Errno>;
    read_directory(path: &[u8]) -> Result<Vec<Vec<u8>>, Errno>;
    change_directory(path: &[u8]) -> Result<(), Errno>;
    current_directory() -> Result<Vec<u8>, Errno>;
}

either_of_file! {
    close() -> Result<(), Errno>;
    read(buffer: &mut [u8]) -> Result<usize, Errno>;
    write(bytes: &[u8]) -> Result<usize, Errno>;
    seek(offset: i64, whence: Whence) -> Result<i64, Errno>;
    set_blocking(blocking: Blocking) -> Result<(), Errno>;
    is_terminal() -> bool;
    set_size(size: u64) -> Result<(), Errno>;
    synchronise() -> Result<(), Errno>;
    status_of() -> Result<Status, Errno>;
}
