//! The outside natively: the standard library's files behind a table of descriptors.
//!
//! Each thread has its own table, arguments and current directory, so that tests run in parallel; a
//! test may put memory in the place of a descriptor ([`capture`], [`feed`]). Linux only.

use super::path;
use super::pipe::Blocking;
use super::{Descriptor, Errno, Follow, Handle, Kind, OpenFlags};
use super::{Ownership, Status, Transfer, Whence};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Bytes that a test reads while, or after, the program wrote them.
pub type Captured = Rc<RefCell<Vec<u8>>>;

enum Stream {
    File(File),
    Captured(Captured),
    Fed(io::Cursor<Vec<u8>>),
}

struct Outside {
    streams: Vec<Option<Stream>>,
    arguments: Option<Vec<Vec<u8>>>,
    /// Absolute; the process's until it is changed.
    directory: Option<Vec<u8>>,
}

thread_local! {
    static OUTSIDE: RefCell<Outside> = RefCell::new(Outside {
        streams: standard_streams(),
        arguments: None,
        directory: None,
    });
    static START: Instant = Instant::now();
}

fn standard_streams() -> Vec<Option<Stream>> {
    let duplicate = |stream: io::Result<std::os::fd::OwnedFd>| {
        stream.ok().map(|fd| Stream::File(File::from(fd)))
    };
    vec![
        duplicate(io::stdin().as_fd().try_clone_to_owned()),
        duplicate(io::stdout().as_fd().try_clone_to_owned()),
        duplicate(io::stderr().as_fd().try_clone_to_owned()),
    ]
}

fn outside<R>(f: impl FnOnce(&mut Outside) -> R) -> R {
    OUTSIDE.with(|outside| f(&mut outside.borrow_mut()))
}

fn replace(descriptor: Descriptor, stream: Stream) {
    outside(|outside| {
        let index = descriptor as usize;
        if outside.streams.len() <= index {
            outside.streams.resize_with(index + 1, || None);
        }
        outside.streams[index] = Some(stream);
    })
}

/// From now on, this thread's writes to `descriptor` go to the bytes returned.
pub fn capture(descriptor: Descriptor) -> Captured {
    let bytes = Captured::default();
    replace(descriptor, Stream::Captured(bytes.clone()));
    bytes
}

/// From now on, this thread reads `bytes` from `descriptor`.
pub fn feed(descriptor: Descriptor, bytes: &[u8]) {
    replace(descriptor, Stream::Fed(io::Cursor::new(bytes.to_vec())));
}

/// Sets this thread's command line, program name first.
pub fn set_arguments(arguments: Vec<Vec<u8>>) {
    outside(|outside| outside.arguments = Some(arguments));
}

/// Stops where the module would trap.
pub fn trap(what: &str) -> ! {
    panic!("the module would trap: {what}")
}

fn errno(error: io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_linux)
}

fn with_stream<R>(
    handle: Handle,
    f: impl FnOnce(&mut Stream) -> Result<R, Errno>,
) -> Result<R, Errno> {
    outside(|outside| {
        let index = usize::try_from(handle.0).map_err(|_| Errno::BADF)?;
        match outside.streams.get_mut(index) {
            Some(Some(stream)) => f(stream),
            Some(None) | None => Err(Errno::BADF),
        }
    })
}

/// Reads up to `buffer.len()` bytes; 0 at the end.
pub fn read(handle: Handle, buffer: &mut [u8]) -> Result<usize, Errno> {
    with_stream(handle, |stream| match stream {
        Stream::File(file) => file.read(buffer).map_err(errno),
        Stream::Fed(cursor) => cursor.read(buffer).map_err(errno),
        Stream::Captured(_) => Err(Errno::BADF),
    })
}

/// Writes a prefix of `bytes`; returns its length.
pub fn write(handle: Handle, bytes: &[u8]) -> Result<usize, Errno> {
    with_stream(handle, |stream| match stream {
        Stream::File(file) => file.write(bytes).map_err(errno),
        Stream::Captured(captured) => captured.borrow_mut().write(bytes).map_err(errno),
        Stream::Fed(_) => Err(Errno::BADF),
    })
}

/// Moves to `offset`; returns the new position from the start.
pub fn seek(handle: Handle, offset: i64, whence: Whence) -> Result<i64, Errno> {
    let target = match whence {
        Whence::Start => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::INVAL)?),
        Whence::Current => SeekFrom::Current(offset),
        Whence::End => SeekFrom::End(offset),
    };
    with_stream(handle, |stream| match stream {
        Stream::File(file) => file
            .seek(target)
            .map(|position| position as i64)
            .map_err(errno),
        Stream::Captured(_) | Stream::Fed(_) => Err(Errno::SPIPE),
    })
}

pub fn close(handle: Handle) -> Result<(), Errno> {
    with_stream(handle, |_| Ok(()))?;
    outside(|outside| outside.streams[handle.0 as usize] = None);
    Ok(())
}

pub fn is_terminal(handle: Handle) -> bool {
    let terminal = with_stream(handle, |stream| match stream {
        Stream::File(file) => Ok(file.is_terminal()),
        Stream::Captured(_) | Stream::Fed(_) => Ok(false),
    });
    terminal.unwrap_or(false)
}

/// Opens a file, or a directory, which can then not be read. `permissions` of a file that is
/// created.
pub fn open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Handle, Errno> {
    let file = fs::OpenOptions::new()
        .read(flags.read)
        .write(flags.write)
        .append(flags.append && flags.write)
        .mode(permissions)
        .custom_flags(flags.to_linux())
        .open(host_path(path)?)
        .map_err(errno)?;
    Ok(outside(|outside| {
        let free = outside.streams.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            outside.streams.push(None);
            outside.streams.len() - 1
        });
        outside.streams[index] = Some(Stream::File(file));
        Handle(index as i32)
    }))
}

fn host_path(path: &[u8]) -> Result<PathBuf, Errno> {
    if path.is_empty() {
        return Err(Errno::NOENT);
    }
    let absolute = path::absolute(&current_directory()?, path);
    Ok(PathBuf::from(OsStr::from_bytes(&absolute)))
}

/// What is known of the file that `path` names.
pub fn status(path: &[u8], follow: Follow) -> Result<Status, Errno> {
    let path = host_path(path)?;
    let metadata = match follow {
        Follow::Yes => fs::metadata(path),
        Follow::No => fs::symlink_metadata(path),
    };
    Ok(described(&metadata.map_err(errno)?))
}

/// What is known of an open file.
pub fn status_of(handle: Handle) -> Result<Status, Errno> {
    with_stream(handle, |stream| match stream {
        Stream::File(file) => Ok(described(&file.metadata().map_err(errno)?)),
        Stream::Captured(_) | Stream::Fed(_) => Ok(Status::PIPE),
    })
}

fn described(metadata: &fs::Metadata) -> Status {
    let time = |seconds: i64, nanoseconds: i64| seconds * 1_000_000_000 + nanoseconds;
    Status {
        device: metadata.dev(),
        inode: metadata.ino(),
        kind: kind(metadata.file_type()),
        links: metadata.nlink(),
        size: metadata.size(),
        times: [
            time(metadata.atime(), metadata.atime_nsec()),
            time(metadata.mtime(), metadata.mtime_nsec()),
            time(metadata.ctime(), metadata.ctime_nsec()),
        ],
        ownership: Some(Ownership {
            permissions: metadata.mode() & 0o7777,
            user: metadata.uid(),
            group: metadata.gid(),
            device: metadata.rdev(),
        }),
    }
}

fn kind(file_type: fs::FileType) -> Kind {
    let tests = [
        (file_type.is_dir(), Kind::Directory),
        (file_type.is_symlink(), Kind::Link),
        (file_type.is_char_device(), Kind::CharacterDevice),
        (file_type.is_block_device(), Kind::BlockDevice),
        (file_type.is_fifo(), Kind::Pipe),
        (file_type.is_socket(), Kind::Socket),
    ];
    tests
        .into_iter()
        .find_map(|(is, kind)| is.then_some(kind))
        .unwrap_or(Kind::Regular)
}

/// Nobody asks for it here: reading and writing block.
pub fn set_blocking(_handle: Handle, _blocking: Blocking) -> Result<(), Errno> {
    Ok(())
}

/// Cuts a file to `size` bytes, or adds zeros.
pub fn set_size(handle: Handle, size: u64) -> Result<(), Errno> {
    with_stream(handle, |stream| match stream {
        Stream::File(file) => file.set_len(size).map_err(errno),
        Stream::Captured(_) | Stream::Fed(_) => Err(Errno::INVAL),
    })
}

/// Waits until what was written is on the disk.
pub fn synchronise(handle: Handle) -> Result<(), Errno> {
    with_stream(handle, |stream| match stream {
        Stream::File(file) => file.sync_all().map_err(errno),
        Stream::Captured(_) | Stream::Fed(_) => Err(Errno::INVAL),
    })
}

/// Sets the times of last reading and writing, in nanoseconds since 1970; `None` for now.
pub fn set_times(path: &[u8], times: Option<[i64; 2]>) -> Result<(), Errno> {
    let path = host_path(path)?;
    let at = |nanoseconds: i64| {
        let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
        match nanoseconds {
            0.. => UNIX_EPOCH + distance,
            _ => UNIX_EPOCH - distance,
        }
    };
    let [read, written] = times.map_or([SystemTime::now(); 2], |times| times.map(at));
    let times = fs::FileTimes::new()
        .set_accessed(read)
        .set_modified(written);
    let file = File::open(path).map_err(errno)?;
    file.set_times(times).map_err(errno)
}

/// Makes `new` another name of the file `old`.
pub fn link(old: &[u8], follow: Follow, new: &[u8]) -> Result<(), Errno> {
    let mut old = host_path(old)?;
    if follow == Follow::Yes {
        old = fs::canonicalize(old).map_err(errno)?;
    }
    fs::hard_link(old, host_path(new)?).map_err(errno)
}

/// Makes `path` a symbolic link to `target`.
pub fn symbolic_link(target: &[u8], path: &[u8]) -> Result<(), Errno> {
    std::os::unix::fs::symlink(OsStr::from_bytes(target), host_path(path)?).map_err(errno)
}

/// Where a symbolic link leads.
pub fn read_link(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let target = fs::read_link(host_path(path)?).map_err(errno)?;
    Ok(target.into_os_string().into_vec())
}

/// Which of `wanted` can be done without waiting: here, everything.
pub fn poll(wanted: &[(Handle, Transfer)], _timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    Ok(vec![true; wanted.len()])
}

/// Waits for so many nanoseconds.
pub fn sleep(nanoseconds: u64) -> Result<(), Errno> {
    std::thread::sleep(Duration::from_nanos(nanoseconds));
    Ok(())
}

pub fn unlink(path: &[u8]) -> Result<(), Errno> {
    fs::remove_file(host_path(path)?).map_err(errno)
}

pub fn rename(from: &[u8], to: &[u8]) -> Result<(), Errno> {
    fs::rename(host_path(from)?, host_path(to)?).map_err(errno)
}

pub fn create_directory(path: &[u8], permissions: u32) -> Result<(), Errno> {
    fs::DirBuilder::new()
        .mode(permissions)
        .create(host_path(path)?)
        .map_err(errno)
}

pub fn remove_directory(path: &[u8]) -> Result<(), Errno> {
    fs::remove_dir(host_path(path)?).map_err(errno)
}

/// The names in a directory, in the host's order, after `.` and `..`.
pub fn read_directory(path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = vec![b".".to_vec(), b"..".to_vec()];
    for entry in fs::read_dir(host_path(path)?).map_err(errno)? {
        names.push(entry.map_err(errno)?.file_name().into_vec());
    }
    Ok(names)
}

/// The absolute path without links that leads to the same file, which must exist.
pub fn real_path(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let real = fs::canonicalize(host_path(path)?).map_err(errno)?;
    Ok(real.into_os_string().into_vec())
}

/// Makes a directory this thread's current one, by the name that it has without links.
pub fn change_directory(path: &[u8]) -> Result<(), Errno> {
    if status(path, Follow::Yes)?.kind != Kind::Directory {
        return Err(Errno::NOTDIR);
    }
    let real = real_path(path)?;
    outside(|outside| outside.directory = Some(real));
    Ok(())
}

pub fn current_directory() -> Result<Vec<u8>, Errno> {
    if let Some(directory) = outside(|outside| outside.directory.clone()) {
        return Ok(directory);
    }
    let directory = std::env::current_dir().map_err(errno)?;
    Ok(directory.into_os_string().into_vec())
}

/// The command line, program name first.
pub fn arguments() -> Vec<Vec<u8>> {
    let set = outside(|outside| outside.arguments.clone());
    set.unwrap_or_else(|| std::env::args_os().map(OsStringExt::into_vec).collect())
}

/// The environment, as `NAME=value`.
pub fn environment() -> Vec<Vec<u8>> {
    let entry = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        [name.as_bytes(), b"=", value.as_bytes()].concat()
    };
    std::env::vars_os().map(entry).collect()
}

/// Nanoseconds since 1970.
pub fn real_nanoseconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |duration| duration.as_nanos() as u64)
}

/// Nanoseconds since some start.
pub fn monotonic_nanoseconds() -> u64 {
    START.with(|start| start.elapsed().as_nanos() as u64)
}

/// Nanoseconds of processor time; here, those since the first question.
pub fn process_nanoseconds() -> u64 {
    monotonic_nanoseconds()
}

/// Fills `buffer` with random bytes.
pub fn random(buffer: &mut [u8]) -> Result<(), Errno> {
    let mut source = File::open("/dev/urandom").map_err(errno)?;
    source.read_exact(buffer).map_err(errno)
}

/// Ends the process.
pub fn exit(code: u8) -> ! {
    std::process::exit(code.into())
}
