//! All functions of WASI but `proc_exit`, in one table.

/// Hands the table to `$define`, behind `$with`. A row says whether Wasmtime's function is a future
/// (`waits`) or not (`returns`), name and parameters, whether a call with these arguments can be
/// seen from outside or cannot be had twice, and the function of ours that is asked first, if there
/// is one.
macro_rules! functions {
    ($define:ident!($($with:tt)*)) => {
        $define! { $($with)*:
            returns args_get(list: u32, bytes: u32) false, wasi::strings::<{ wasi::ARGUMENTS }>;
            returns args_sizes_get(count: u32, bytes: u32)
                false, wasi::sizes_of::<{ wasi::ARGUMENTS }>;
            returns environ_get(list: u32, bytes: u32) false, wasi::strings::<{ wasi::VARIABLES }>;
            returns environ_sizes_get(count: u32, bytes: u32)
                false, wasi::sizes_of::<{ wasi::VARIABLES }>;
            returns clock_res_get(clock: u32, resolution: u32) false;
            returns clock_time_get(clock: u32, precision: i64, time: u32) false, wasi::time_of;
            waits poll_oneoff(wanted: u32, events: u32, count: u32, happened: u32)
                false, wasi::poll;
            returns proc_raise(signal: u32) true;
            returns sched_yield() false;
            returns random_get(bytes: u32, len: u32) false;
            returns sock_accept(fd: u32, flags: u32, accepted: u32) true;
            returns sock_recv(fd: u32, at: u32, count: u32, flags: u32, read: u32, got: u32) true;
            returns sock_send(fd: u32, at: u32, count: u32, flags: u32, sent: u32) true;
            returns sock_shutdown(fd: u32, how: u32) true;

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
            waits fd_renumber(from: u32, to: u32)
                wasi::is_stream(from) || wasi::is_stream(to), wasi::renumber;
            waits fd_seek(fd: u32, offset: i64, whence: u32, position: u32)
                wasi::is_stream(fd) && (offset, whence) != (0, 1), wasi::seek_in;
            waits fd_sync(fd: u32) false, wasi::synchronise;
            returns fd_tell(fd: u32, position: u32) false, wasi::tell;
            waits fd_write(fd: u32, at: u32, count: u32, written: u32) true, wasi::put;

            waits path_create_directory(fd: u32, path: u32, len: u32) true;
            waits path_filestat_get(fd: u32, flags: u32, path: u32, len: u32, status: u32) false;
            waits path_filestat_set_times(
                fd: u32, flags: u32, path: u32, len: u32, access: i64, change: i64, set: u32
            ) true;
            waits path_link(
                fd: u32, flags: u32, path: u32, len: u32, new: u32, new_path: u32, new_len: u32
            ) true;
            waits path_open(
                fd: u32, follow: u32, path: u32, len: u32, flags: u32, rights: i64,
                inheriting: i64, status: u32, opened: u32
            ) flags & wasi::CHANGES != 0;
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
    };
}

/// A call of the function `$name` by a guest with this memory and host: asks `$ours`, if there is
/// such a function, and hands the call on if that has no answer. What may wait is handed on within
/// Tokio, whose start takes time and threads.
macro_rules! call {
    ($how:ident $name:ident [$($ours:path)?] $memory:ident, $host:ident
        $(, $argument:ident)*) => {
        match $crate::wasi::table::call!(@ours [$($ours)?] $memory, $host $(, $argument)*) {
            Some(answer) => Ok($crate::wasi::status(answer)),
            None => {
                let wasi = &mut $host.wasi;
                wasi.set_hostcall_fuel($crate::wasi::CALL_FUEL);
                let mut memory = wiggle::GuestMemory::Unshared($memory);
                $crate::wasi::table::call!(
                    @$how p1::$name(wasi, &mut memory $(, $argument as _)*)
                )
            }
        }
    };
    (@ours [] $($argument:ident),*) => { $crate::wasi::NOBODY };
    (@ours [$ours:path] $($argument:ident),*) => { $ours($($argument),*) };
    (@waits $call:expr) => { wasmtime_wasi::runtime::in_tokio($call) };
    (@returns $call:expr) => { $call };
}

pub(crate) use {call, functions};
