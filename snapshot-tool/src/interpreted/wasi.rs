//! WASI for an interpreted module: what the tool serves itself, else Wasmtime's.
//!
//! Invariant: what can be seen from outside, or cannot be had twice, lifts the limit on
//! instructions before it happens, so that the initialisation is not begun anew after it. Reading
//! standard input is the exception: streams keep what was read.

use anyhow::Result;
use wasmi::{Caller, Error, Extern, Linker};
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as p1, WasiSnapshotPreview1};
use wasmtime_wasi::runtime::in_tokio;
use wiggle::GuestMemory;

use super::Failure;
use crate::host::{ExitStatus, Host};
use crate::streams::Errno;
use crate::wasi::{self, CALL_FUEL, MODULE};

/// Of `path_open`'s flags: create, fail if it exists, truncate.
const CHANGES: u32 = 1 | 4 | 8;

/// Defines functions that go to Wasmtime's of the same name, after the tool's own, if there is one.
/// `waits` or `returns` says whether Wasmtime's is a future, the expression whether the call is an
/// effect.
macro_rules! wasi {
    ($linker:ident: $(
        $how:ident $name:ident($($argument:ident: $ty:ty),*) $effect:expr $(, $ours:path)?;
    )*) => {$(
        wasi!(@define $linker $how $name [$($argument: $ty),*] [$effect] [$($ours)?]);
    )*};
    (@define $linker:ident $how:ident $name:ident [$($argument:ident: $ty:ty),*]
        [$effect:expr] [$($ours:path)?]) => {
        $linker.func_wrap(
            MODULE,
            stringify!($name),
            |mut caller: Caller<'_, Host>, $($argument: $ty),*| -> Result<i32, Error> {
                if $effect {
                    caller.set_fuel(u64::MAX)?;
                }
                let (memory, host) = parts(&mut caller)?;
                let answer = wasi!(@ours [$($ours)?] memory, host, $($argument),*);
                if let Some(answer) = answer {
                    return Ok(status(answer));
                }
                let wasi = &mut host.wasi;
                wasi.set_hostcall_fuel(CALL_FUEL);
                let mut memory = GuestMemory::Unshared(memory);
                wasi!(@$how p1::$name(wasi, &mut memory, $($argument as _),*))
                    .map_err(Failure::of)
            },
        )?;
    };
    (@ours [] $($argument:expr),* $(,)?) => { NOBODY };
    (@ours [$ours:path] $($argument:expr),* $(,)?) => { $ours($($argument),*) };
    (@waits $call:expr) => { in_tokio($call) };
    (@returns $call:expr) => { $call };
}

/// The answer to a call that the tool does not serve itself.
const NOBODY: wasi::Answer = None;

fn status(answer: Result<(), Errno>) -> i32 {
    answer.map_or_else(|Errno(number)| number.into(), |()| 0)
}

/// Defines all of WASI.
pub fn define(linker: &mut Linker<Host>) -> Result<()> {
    define_process(linker)?;
    define_files(linker)?;
    define_paths(linker)?;
    linker.func_wrap(MODULE, "proc_exit", |status: i32| -> Result<(), Error> {
        Err(Failure::of(ExitStatus(status & 0xff)))
    })?;
    Ok(())
}

fn define_process(linker: &mut Linker<Host>) -> Result<()> {
    wasi! { linker:
        returns args_get(list: u32, bytes: u32) false;
        returns args_sizes_get(count: u32, bytes: u32) false;
        returns environ_get(list: u32, bytes: u32) false, wasi::variables;
        returns environ_sizes_get(count: u32, bytes: u32) false, wasi::sizes_of_variables;
        returns clock_res_get(clock: u32, resolution: u32) false;
        returns clock_time_get(clock: u32, precision: i64, time: u32) false, wasi::time_of;
        waits poll_oneoff(wanted: u32, events: u32, count: u32, happened: u32) false, wasi::poll;
        returns proc_raise(signal: u32) true;
        returns sched_yield() false;
        returns random_get(bytes: u32, len: u32) false;
        returns sock_accept(fd: u32, flags: u32, accepted: u32) true;
        returns sock_recv(fd: u32, at: u32, count: u32, flags: u32, read: u32, got: u32) true;
        returns sock_send(fd: u32, at: u32, count: u32, flags: u32, sent: u32) true;
        returns sock_shutdown(fd: u32, how: u32) true;
    }
    Ok(())
}

fn define_files(linker: &mut Linker<Host>) -> Result<()> {
    wasi! { linker:
        waits fd_advise(fd: u32, offset: i64, len: i64, advice: u32) false;
        returns fd_allocate(fd: u32, offset: i64, len: i64) true;
        waits fd_close(fd: u32) false, wasi::close;
        waits fd_datasync(fd: u32) false, wasi::synchronise;
        waits fd_fdstat_get(fd: u32, status: u32) false, wasi::descriptor_status;
        returns fd_fdstat_set_flags(fd: u32, flags: u32) false;
        returns fd_fdstat_set_rights(fd: u32, base: i64, inheriting: i64) false;
        waits fd_filestat_get(fd: u32, status: u32) false, wasi::file_status;
        waits fd_filestat_set_size(fd: u32, size: i64) true, wasi::set_size;
        waits fd_filestat_set_times(fd: u32, access: i64, change: i64, flags: u32) true;
        waits fd_pread(fd: u32, at: u32, count: u32, offset: i64, read: u32) false;
        returns fd_prestat_get(fd: u32, status: u32) false;
        returns fd_prestat_dir_name(fd: u32, path: u32, len: u32) false;
        waits fd_pwrite(fd: u32, at: u32, count: u32, offset: i64, written: u32) true;
        waits fd_read(fd: u32, at: u32, count: u32, read: u32) false, wasi::get;
        waits fd_readdir(fd: u32, buffer: u32, len: u32, cookie: i64, used: u32) false;
        waits fd_renumber(from: u32, to: u32) is_stream(from) || is_stream(to), wasi::renumber;
        waits fd_seek(fd: u32, offset: i64, whence: u32, position: u32)
            is_stream(fd) && (offset, whence) != (0, 1), wasi::seek_in;
        waits fd_sync(fd: u32) false, wasi::synchronise;
        returns fd_tell(fd: u32, position: u32) false, wasi::tell;
        waits fd_write(fd: u32, at: u32, count: u32, written: u32) true, wasi::put;
    }
    Ok(())
}

fn define_paths(linker: &mut Linker<Host>) -> Result<()> {
    wasi! { linker:
        waits path_create_directory(fd: u32, path: u32, len: u32) true;
        waits path_filestat_get(fd: u32, flags: u32, path: u32, len: u32, status: u32) false;
        waits path_filestat_set_times(
            fd: u32, flags: u32, path: u32, len: u32, access: i64, change: i64, set: u32
        ) true;
        waits path_link(
            fd: u32, flags: u32, path: u32, len: u32, new: u32, new_path: u32, new_len: u32
        ) true;
        waits path_open(
            fd: u32, follow: u32, path: u32, len: u32, flags: u32, rights: i64, inheriting: i64,
            status: u32, opened: u32
        ) flags & CHANGES != 0;
        waits path_readlink(
            fd: u32, path: u32, len: u32, buffer: u32, room: u32, used: u32
        ) false;
        waits path_remove_directory(fd: u32, path: u32, len: u32) true;
        waits path_rename(
            fd: u32, path: u32, len: u32, new: u32, new_path: u32, new_len: u32
        ) true;
        waits path_symlink(target: u32, target_len: u32, fd: u32, path: u32, len: u32) true;
        waits path_unlink_file(fd: u32, path: u32, len: u32) true;
    }
    Ok(())
}

fn is_stream(fd: u32) -> bool {
    (0..=2).contains(&fd)
}

/// The module's memory, and its host.
fn parts<'a>(caller: &'a mut Caller<'_, Host>) -> Result<(&'a mut [u8], &'a mut Host), Error> {
    match caller.get_export("memory").and_then(Extern::into_memory) {
        Some(memory) => Ok(memory.data_and_store_mut(caller)),
        None => Err(Error::new("the module exports no memory")),
    }
}
