//! Under Wasm, which backend a run uses: WASI, or the tool's own functions, where the tool lets the
//! program use what its process can use.
//!
//! Invariant: it is WASI until the program begins, so that a snapshot knows nothing of the run. The
//! handles of the standard streams are the same in both; any other belongs to one of them.

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

/// Defines functions that both have.
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

either! {
    open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Handle, Errno>;
    close(handle: Handle) -> Result<(), Errno>;
    read(handle: Handle, buffer: &mut [u8]) -> Result<usize, Errno>;
    write(handle: Handle, bytes: &[u8]) -> Result<usize, Errno>;
    seek(handle: Handle, offset: i64, whence: Whence) -> Result<i64, Errno>;
    set_blocking(handle: Handle, blocking: Blocking) -> Result<(), Errno>;
    poll(wanted: &[(Handle, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno>;
    is_terminal(handle: Handle) -> bool;
    set_size(handle: Handle, size: u64) -> Result<(), Errno>;
    synchronise(handle: Handle) -> Result<(), Errno>;
    status(path: &[u8], follow: Follow) -> Result<Status, Errno>;
    status_of(handle: Handle) -> Result<Status, Errno>;
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
