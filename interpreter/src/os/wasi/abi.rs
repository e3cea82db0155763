//! The imports of `wasi_snapshot_preview1` that the runtime uses, and the layout of what they
//! return.
//!
//! Pointers are addresses of this module's own memory. Each function returns an error number.

#[link(wasm_import_module = "wasi_snapshot_preview1")]
unsafe extern "C" {
    pub fn args_get(pointers: *mut *const u8, bytes: *mut u8) -> u16;
    pub fn args_sizes_get(count: *mut usize, size: *mut usize) -> u16;
    pub fn environ_get(pointers: *mut *const u8, bytes: *mut u8) -> u16;
    pub fn environ_sizes_get(count: *mut usize, size: *mut usize) -> u16;
    pub fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u16;
    pub fn fd_close(fd: i32) -> u16;
    pub fn fd_fdstat_get(fd: i32, stat: *mut FdStat) -> u16;
    pub fn fd_prestat_get(fd: i32, prestat: *mut Prestat) -> u16;
    pub fn fd_prestat_dir_name(fd: i32, path: *mut u8, len: usize) -> u16;
    pub fn fd_read(fd: i32, vectors: *const Buffer, count: usize, read: *mut usize) -> u16;
    pub fn fd_readdir(fd: i32, buffer: *mut u8, len: usize, cookie: u64, used: *mut usize) -> u16;
    pub fn fd_seek(fd: i32, offset: i64, whence: u8, position: *mut u64) -> u16;
    pub fn fd_write(fd: i32, vectors: *const ConstBuffer, count: usize, written: *mut usize)
    -> u16;
    pub fn fd_filestat_get(fd: i32, stat: *mut FileStat) -> u16;
    pub fn fd_filestat_set_size(fd: i32, size: u64) -> u16;
    pub fn fd_sync(fd: i32) -> u16;
    pub fn poll_oneoff(
        wanted: *const Subscription,
        events: *mut Event,
        count: usize,
        happened: *mut usize,
    ) -> u16;
    pub fn path_create_directory(fd: i32, path: *const u8, len: usize) -> u16;
    pub fn path_filestat_get(
        fd: i32,
        flags: u32,
        path: *const u8,
        len: usize,
        stat: *mut FileStat,
    ) -> u16;
    pub fn path_filestat_set_times(
        fd: i32,
        lookup: u32,
        path: *const u8,
        len: usize,
        read: u64,
        written: u64,
        which: u16,
    ) -> u16;
    pub fn path_link(
        from: i32,
        lookup: u32,
        path: *const u8,
        len: usize,
        to: i32,
        new: *const u8,
        new_len: usize,
    ) -> u16;
    pub fn path_readlink(
        fd: i32,
        path: *const u8,
        len: usize,
        buffer: *mut u8,
        buffer_len: usize,
        used: *mut usize,
    ) -> u16;
    pub fn path_symlink(
        target: *const u8,
        target_len: usize,
        fd: i32,
        path: *const u8,
        len: usize,
    ) -> u16;
    pub fn path_open(
        fd: i32,
        lookup: u32,
        path: *const u8,
        len: usize,
        open: u16,
        rights: u64,
        inherited: u64,
        flags: u16,
        opened: *mut i32,
    ) -> u16;
    pub fn path_remove_directory(fd: i32, path: *const u8, len: usize) -> u16;
    pub fn path_rename(
        from: i32,
        path: *const u8,
        len: usize,
        to: i32,
        new: *const u8,
        new_len: usize,
    ) -> u16;
    pub fn path_unlink_file(fd: i32, path: *const u8, len: usize) -> u16;
    pub fn proc_exit(code: u32) -> !;
    pub fn random_get(buffer: *mut u8, len: usize) -> u16;
}

#[repr(C)]
pub struct Buffer {
    pub address: *mut u8,
    pub len: usize,
}

#[repr(C)]
pub struct ConstBuffer {
    pub address: *const u8,
    pub len: usize,
}

#[repr(C)]
#[derive(Default)]
pub struct FdStat {
    pub file_type: u8,
    pub flags: u16,
    pub rights: u64,
    pub inherited: u64,
}

/// A preopened descriptor: its type (0: a directory) and the length of its name.
#[repr(C)]
#[derive(Default)]
pub struct Prestat {
    pub kind: u8,
    pub name_len: usize,
}

#[repr(C)]
#[derive(Default)]
pub struct FileStat {
    pub device: u64,
    pub inode: u64,
    pub file_type: u8,
    pub links: u64,
    pub size: u64,
    pub times: [u64; 3],
}

/// Something to wait for: with tag [`WAIT_CLOCK`], `subject` is the clock; otherwise it is a
/// descriptor.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Subscription {
    pub id: u64,
    pub tag: u8,
    pub subject: u64,
    pub timeout: u64,
    pub precision: u64,
    pub flags: u16,
}

/// Something that happened.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Event {
    pub id: u64,
    pub error: u16,
    pub tag: u8,
    pub bytes: u64,
    pub flags: u16,
}

const _: () = assert!(size_of::<Subscription>() == 48 && size_of::<Event>() == 32);

pub const WAIT_CLOCK: u8 = 0;
pub const WAIT_READ: u8 = 1;
pub const WAIT_WRITE: u8 = 2;

pub const CLOCK_REAL: u32 = 0;
pub const CLOCK_MONOTONIC: u32 = 1;
pub const CLOCK_PROCESS: u32 = 2;

pub const TYPE_BLOCK_DEVICE: u8 = 1;
pub const TYPE_CHARACTER_DEVICE: u8 = 2;
pub const TYPE_DIRECTORY: u8 = 3;
pub const TYPE_REGULAR: u8 = 4;
pub const TYPE_SOCKET_DATAGRAM: u8 = 5;
pub const TYPE_SOCKET_STREAM: u8 = 6;
pub const TYPE_LINK: u8 = 7;

pub const SET_READ: u16 = 1;
pub const SET_READ_NOW: u16 = 2;
pub const SET_WRITTEN: u16 = 4;
pub const SET_WRITTEN_NOW: u16 = 8;

pub const LOOKUP_FOLLOW: u32 = 1;

pub const OPEN_CREATE: u16 = 1;
pub const OPEN_DIRECTORY: u16 = 2;
pub const OPEN_EXCLUSIVE: u16 = 4;
pub const OPEN_TRUNCATE: u16 = 8;

pub const FLAG_APPEND: u16 = 1;
pub const FLAG_NONBLOCK: u16 = 4;

pub const RIGHT_READ: u64 = 1 << 1;
pub const RIGHT_SEEK: u64 = 1 << 2;
pub const RIGHT_TELL: u64 = 1 << 5;
pub const RIGHT_WRITE: u64 = 1 << 6;
pub const RIGHT_READ_DIRECTORY: u64 = 1 << 14;

/// Bytes of a directory entry before its name: the next cookie (8), inode (8), name length (4),
/// type (1).
pub const ENTRY_HEADER: usize = 24;
