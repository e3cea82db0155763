//! The outside over WASI preview 1: raw imports, no C library in between.
//!
//! The preopened directories are asked for at the first path that is used. The current directory is
//! at first that of the environment variable `BACTRIAN_CWD`, which the program does not see, else
//! that of `PWD`, else `/`. Preopens with a relative name are taken from there. A path outside of
//! all preopens does not exist.
//!
//! Hosts refuse to follow a link with an absolute target, and one that leads out of a preopen. The
//! target may still be inside of this or another preopen: then the runtime follows the link itself
//! ([`at`]).
//!
//! Permissions of new files are the host's choice, as WASI has none.

mod abi;
mod c_library;
mod files;
mod names;
mod waiting;

use super::path;
use super::pipe::Blocking;
use super::{Errno, Follow, Handle, OpenFlags, Whence};
use crate::memory;
use abi::{Buffer, ConstBuffer, FdStat, Prestat};
use core::cell::{OnceCell, RefCell};
use core::ops::Range;

pub use files::{
    create_directory, link, read_link, remove_directory, rename, set_size, set_times, status,
    status_of, symbolic_link, synchronise, unlink,
};
pub use names::{change_directory, current_directory, read_directory, real_path};
pub use waiting::{poll, sleep};

/// The directories of this run, looked up at first use.
struct Directories {
    /// Absolute names, and the descriptors in the same order.
    names: Vec<Vec<u8>>,
    descriptors: Vec<i32>,
    current: RefCell<Vec<u8>>,
}

thread_local! {
    static DIRECTORIES: OnceCell<Directories> = const { OnceCell::new() };
    static START: OnceCell<u64> = const { OnceCell::new() };
}

fn directories<R>(f: impl FnOnce(&Directories) -> R) -> R {
    DIRECTORIES.with(|cell| f(cell.get_or_init(Directories::query)))
}

impl Directories {
    fn query() -> Self {
        let current = super::environment::start_directory();
        let current = path::normal(b"/", &current.unwrap_or_default());
        let mut names = Vec::new();
        let mut descriptors = Vec::new();
        for descriptor in 3.. {
            let mut prestat = Prestat::default();
            // SAFETY: the out pointer is valid.
            if unsafe { abi::fd_prestat_get(descriptor, &mut prestat) } != 0 {
                break;
            }
            let mut name = vec![0; prestat.name_len];
            // SAFETY: the buffer has the length given.
            let error =
                unsafe { abi::fd_prestat_dir_name(descriptor, name.as_mut_ptr(), name.len()) };
            if error == 0 && prestat.kind == 0 {
                names.push(path::normal(&current, &name));
                descriptors.push(descriptor);
            }
        }
        Self {
            names,
            descriptors,
            current: RefCell::new(current),
        }
    }
}

/// Calls `f` with the preopened directory that holds `path`, and the path from there. Where the
/// host refuses, it is called again with the links on the way followed; `follow` says whether a
/// link at the end is followed, too.
fn at<R>(
    path: &[u8],
    follow: Follow,
    f: impl Fn(i32, &[u8]) -> Result<R, Errno>,
) -> Result<R, Errno> {
    if path.is_empty() {
        return Err(Errno::NOENT);
    }
    directories(|directories| {
        let absolute = path::absolute(&directories.current.borrow(), path);
        let inside = |path: &[u8]| {
            let (index, rest) = path::locate(&directories.names, path).ok_or(Errno::NOENT)?;
            f(directories.descriptors[index], rest)
        };
        match inside(&absolute) {
            Err(refusal @ (Errno::PERM | Errno::NOTCAPABLE)) => {
                let look = |path: &[u8]| directories.look(path);
                match path::resolve(&absolute, follow, look) {
                    Ok(real) if real != absolute => inside(&real),
                    Ok(_) | Err(_) => Err(refusal),
                }
            }
            result => result,
        }
    })
}

impl Directories {
    /// What is at the end of a path without links. Where there is nothing, or nothing is open,
    /// links end.
    fn look(&self, path: &[u8]) -> Result<path::Part, Errno> {
        let target = path::locate(&self.names, path)
            .ok_or(Errno::NOENT)
            .and_then(|(index, rest)| files::target_of_link(self.descriptors[index], rest));
        Ok(target.map_or(path::Part::Directory, path::Part::Link))
    }
}

/// Reads up to `buffer.len()` bytes; 0 at the end.
pub fn read(handle: Handle, buffer: &mut [u8]) -> Result<usize, Errno> {
    let vector = Buffer {
        address: buffer.as_mut_ptr(),
        len: buffer.len(),
    };
    let mut count = 0;
    // SAFETY: one vector, which describes `buffer`.
    match Errno::check(unsafe { abi::fd_read(handle.0, &vector, 1, &mut count) }) {
        Ok(()) => Ok(count),
        // For reading a directory, a WASI host reports a descriptor that must not be read.
        Err(Errno::BADF) if is_directory(handle) => Err(Errno::ISDIR),
        Err(error) => Err(error),
    }
}

fn is_directory(handle: Handle) -> bool {
    descriptor_stat(handle).is_ok_and(|stat| stat.file_type == abi::TYPE_DIRECTORY)
}

/// Writes a prefix of `bytes`; returns its length.
pub fn write(handle: Handle, bytes: &[u8]) -> Result<usize, Errno> {
    let vector = ConstBuffer {
        address: bytes.as_ptr(),
        len: bytes.len(),
    };
    let mut count = 0;
    // SAFETY: one vector, which describes `bytes`.
    match Errno::check(unsafe { abi::fd_write(handle.0, &vector, 1, &mut count) }) {
        Ok(()) => Ok(count),
        // Hosts do not say why a standard stream failed; the usual reason is that nobody reads it.
        Err(Errno::IO) if matches!(handle, Handle(1 | 2)) => Err(Errno::PIPE),
        Err(error) => Err(error),
    }
}

/// Moves to `offset`; returns the new position from the start.
pub fn seek(handle: Handle, offset: i64, whence: Whence) -> Result<i64, Errno> {
    let mut position = 0;
    // SAFETY: the out pointer is valid.
    Errno::check(unsafe { abi::fd_seek(handle.0, offset, whence as u8, &mut position) })?;
    Ok(position as i64)
}

pub fn close(handle: Handle) -> Result<(), Errno> {
    // SAFETY: no pointers.
    Errno::check(unsafe { abi::fd_close(handle.0) })
}

/// Files never wait, and WASI's hosts do not let standard streams change.
pub fn set_blocking(_handle: Handle, _blocking: Blocking) -> Result<(), Errno> {
    Ok(())
}

fn descriptor_stat(handle: Handle) -> Result<FdStat, Errno> {
    let mut stat = FdStat::default();
    // SAFETY: the out pointer is valid.
    Errno::check(unsafe { abi::fd_fdstat_get(handle.0, &mut stat) })?;
    Ok(stat)
}

pub fn is_terminal(handle: Handle) -> bool {
    let seekable = abi::RIGHT_SEEK | abi::RIGHT_TELL;
    descriptor_stat(handle).is_ok_and(|stat| {
        stat.file_type == abi::TYPE_CHARACTER_DEVICE && stat.rights & seekable == 0
    })
}

/// Opens a file, or a directory, which can then not be read.
pub fn open(path: &[u8], flags: OpenFlags, _permissions: u32) -> Result<Handle, Errno> {
    let read = if flags.read { abi::RIGHT_READ } else { 0 };
    let write = if flags.write { abi::RIGHT_WRITE } else { 0 };
    let bits = [
        (flags.create, abi::OPEN_CREATE),
        (flags.exclusive, abi::OPEN_EXCLUSIVE),
        (flags.truncate, abi::OPEN_TRUNCATE),
    ];
    let how = bits
        .iter()
        .filter(|(on, _)| *on)
        .fold(0, |all, (_, bit)| all | bit);
    let append = if flags.append { abi::FLAG_APPEND } else { 0 };
    let nonblock = if flags.nonblocking {
        abi::FLAG_NONBLOCK
    } else {
        0
    };
    path_open(
        path,
        how,
        read | write | abi::RIGHT_SEEK | abi::RIGHT_TELL,
        append | nonblock,
    )
}

fn path_open(path: &[u8], how: u16, rights: u64, flags: u16) -> Result<Handle, Errno> {
    at(path, Follow::Yes, |directory, rest| {
        let mut opened = 0;
        // SAFETY: the path is `rest`, the out pointer is valid.
        Errno::check(unsafe {
            abi::path_open(
                directory,
                abi::LOOKUP_FOLLOW,
                rest.as_ptr(),
                rest.len(),
                how,
                rights,
                0,
                flags,
                &mut opened,
            )
        })?;
        Ok(Handle(opened))
    })
}

type Sizes = unsafe extern "C" fn(*mut usize, *mut usize) -> u16;
type Strings = unsafe extern "C" fn(*mut *const u8, *mut u8) -> u16;

/// The strings that a pair of WASI functions returns.
fn strings(sizes: Sizes, strings: Strings) -> Vec<Vec<u8>> {
    let (mut count, mut size) = (0, 0);
    // SAFETY: the out pointers are valid.
    if unsafe { sizes(&mut count, &mut size) } != 0 {
        return Vec::new();
    }
    let mut pointers = vec![core::ptr::null(); count];
    let mut bytes = vec![0; size];
    // SAFETY: the buffers have the sizes asked for.
    if unsafe { strings(pointers.as_mut_ptr(), bytes.as_mut_ptr()) } != 0 {
        return Vec::new();
    }
    let mut parts = bytes.split(|&byte| byte == 0);
    pointers
        .iter()
        .filter_map(|_| parts.next().map(<[u8]>::to_vec))
        .collect()
}

/// The command line, program name first.
pub fn arguments() -> Vec<Vec<u8>> {
    strings(abi::args_sizes_get, abi::args_get)
}

/// The environment that the host gave, as `NAME=value`.
pub fn environment() -> Vec<Vec<u8>> {
    strings(abi::environ_sizes_get, abi::environ_get)
}

/// Whether one of the variables is set. For this only the free memory at `scratch` is used, which
/// is zero before and after; where that does not suffice, the answer is yes.
pub fn has_variable<'a>(mut names: impl Iterator<Item = &'a [u8]>, scratch: Range<u32>) -> bool {
    let (mut count, mut size) = (0, 0);
    // SAFETY: the out pointers are valid.
    if unsafe { abi::environ_sizes_get(&mut count, &mut size) } != 0 || count == 0 {
        return false;
    }
    let (list, text) = (scratch.start, scratch.start + 4 * count as u32);
    let used = 4 * count + size;
    if used > scratch.len() {
        return true;
    }
    // SAFETY: there is room for as much as was asked for.
    if unsafe { abi::environ_get(list as usize as *mut _, text as usize as *mut u8) } != 0 {
        return false;
    }
    // SAFETY: nobody writes there before the end of this function but one.
    let entries = unsafe { memory::bytes(text, size) };
    let is_set = |name: &[u8]| {
        entries.split(|&byte| byte == 0).any(|entry| {
            entry
                .strip_prefix(name)
                .is_some_and(|rest| rest.first() == Some(&b'='))
        })
    };
    let found = names.any(is_set);
    memory::fill(list, used, 0);
    found
}

fn clock(id: u32) -> Option<u64> {
    let mut time = 0;
    // SAFETY: the out pointer is valid.
    (unsafe { abi::clock_time_get(id, 1, &mut time) } == 0).then_some(time)
}

/// Nanoseconds since 1970.
pub fn real_nanoseconds() -> u64 {
    clock(abi::CLOCK_REAL).unwrap_or(0)
}

/// Nanoseconds since some start.
pub fn monotonic_nanoseconds() -> u64 {
    clock(abi::CLOCK_MONOTONIC).unwrap_or(0)
}

/// Nanoseconds of processor time; on hosts without such a clock, those since the first question.
pub fn process_nanoseconds() -> u64 {
    clock(abi::CLOCK_PROCESS).unwrap_or_else(|| {
        let now = monotonic_nanoseconds();
        START.with(|start| now - *start.get_or_init(|| now))
    })
}

/// Fills `buffer` with random bytes.
pub fn random(buffer: &mut [u8]) -> Result<(), Errno> {
    // SAFETY: the buffer has the length given.
    Errno::check(unsafe { abi::random_get(buffer.as_mut_ptr(), buffer.len()) })
}

/// Ends the program.
pub fn exit(code: u8) -> ! {
    // SAFETY: no pointers; does not return.
    unsafe { abi::proc_exit(code.into()) }
}
