//! Open files by the guest's numbers: the standard streams are 0 to 2. In the sandbox, where WASI
//! has files of its own, others begin at [`BESIDE_WASI`].
//!
//! Invariant: a number is that of the lowest free place, and lives until the guest closes it. The
//! standard streams are in [`Streams`] only, where WASI's functions find them as well.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{self, Dir, Gid, Mode, OFlags, SeekFrom, Uid};
use rustix::io::Errno;

use super::{Answer, Call, Function, Unconfined, done, refused};
use crate::streams::Streams;

pub(super) const FUNCTIONS: [(&str, Function); 19] = [
    ("open", open),
    ("opendir", open_directory),
    ("close", close),
    ("read", read),
    ("readdir", read_directory),
    ("write", write),
    ("seek", seek),
    ("pipe", pipe),
    ("set_nonblocking", set_nonblocking),
    ("poll", poll),
    ("has_writer", has_writer),
    ("isatty", is_terminal),
    ("ftruncate", set_size),
    ("fsync", synchronise),
    ("fstat", status),
    ("fchmod", set_permissions),
    ("fchown", set_owner),
    ("umask", set_mask),
    ("getrlimit", most_descriptors),
];

#[derive(Debug)]
enum Open {
    /// The standard stream of this number.
    Stream(u32),
    File(OwnedFd),
    Directory {
        entries: Dir,
        /// The name that did not fit into the last answer.
        left: Option<Vec<u8>>,
    },
}

/// The first number of a file where WASI has others; the guest knows it (`os/choice.rs`).
pub(super) const BESIDE_WASI: i64 = 1 << 20;

/// Linux's own limit, if nobody changed it.
const MOST: i64 = 1 << 20;

/// How many numbers are those of standard streams.
const STREAMS: i64 = 3;

#[derive(Debug)]
pub(super) struct Files {
    open: Vec<Option<Open>>,
    streams: Streams,
    /// The number of the first file that is no standard stream.
    first: i64,
}

impl Files {
    pub(super) fn new(streams: Streams) -> Self {
        let open = |number| streams.file(number).is_ok().then_some(Open::Stream(number));
        Self {
            open: [0, 1, 2].map(open).into(),
            streams,
            first: STREAMS,
        }
    }

    /// The same with numbers that WASI gives to nothing.
    pub(super) fn beside_wasi(streams: Streams) -> Self {
        Self {
            first: BESIDE_WASI,
            ..Self::new(streams)
        }
    }

    /// The place that a number means. A standard stream's is free only where nobody else gives
    /// numbers.
    fn index(&self, number: i64) -> Result<usize, Errno> {
        let place = match number {
            0..STREAMS => number,
            _ if number < self.first => return Err(Errno::NOTSOCK),
            _ => number - self.first + STREAMS,
        };
        usize::try_from(place).map_err(|_| Errno::BADF)
    }

    fn add(&mut self, file: Open) -> i64 {
        let least = match self.first {
            STREAMS => 0,
            _ => STREAMS as usize,
        };
        let free = self.open[least..].iter().position(Option::is_none);
        let index = free.map_or(self.open.len(), |free| least + free);
        if index == self.open.len() {
            self.open.push(None);
        }
        self.open[index] = Some(file);
        match index as i64 {
            stream @ 0..STREAMS => stream,
            index => index - STREAMS + self.first,
        }
    }

    /// The number that the guest knows an open file by from now on.
    pub(super) fn add_file(&mut self, file: OwnedFd) -> i64 {
        self.add(Open::File(file))
    }

    fn place(&mut self, number: i64) -> Result<&mut Option<Open>, Errno> {
        let index = self.index(number)?;
        self.open.get_mut(index).ok_or(Errno::BADF)
    }

    pub(super) fn streams(&self) -> &Streams {
        &self.streams
    }

    pub(super) fn streams_mut(&mut self) -> &mut Streams {
        &mut self.streams
    }

    pub(super) fn file(&self, number: i64) -> Result<BorrowedFd<'_>, Errno> {
        match self.open.get(self.index(number)?) {
            Some(Some(Open::File(file))) => Ok(file.as_fd()),
            Some(Some(Open::Stream(stream))) => {
                let file = self.streams.file(*stream);
                Ok(file.map_err(|_| Errno::BADF)?.as_fd())
            }
            Some(Some(Open::Directory { .. }) | None) | None => Err(Errno::BADF),
        }
    }
}

/// Numbers that come in, eight bytes each.
pub(super) fn numbered(bytes: &[u8]) -> Vec<i64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| i64::from_le_bytes(*word)).collect()
}

/// The file that the call's first number names.
pub(super) fn subject<'a>(state: &'a Unconfined, call: &Call) -> Result<BorrowedFd<'a>, Errno> {
    state.files.file(call.numbers[0])
}

/// Flags and permissions, as Linux numbers them; a path.
fn open(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [flags, permissions, _] = call.numbers;
    let flags = OFlags::from_bits_retain(flags as u32) | OFlags::CLOEXEC;
    let permissions = Mode::from_raw_mode(permissions as u32);
    let file = fs::open(call.input, flags, permissions)?;
    Ok(state.files.add_file(file))
}

fn open_directory(state: &mut Unconfined, call: &mut Call) -> Answer {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = fs::open(call.input, flags, Mode::empty())?;
    Ok(state.files.add(Open::Directory {
        entries: Dir::new(directory)?,
        left: None,
    }))
}

fn close(state: &mut Unconfined, call: &mut Call) -> Answer {
    let closed = state.files.place(call.numbers[0])?.take();
    if let Some(Open::Stream(stream)) = closed {
        state.files.streams.close(stream).map_err(|_| Errno::BADF)?;
    }
    closed.map(|_| 0).ok_or(Errno::BADF)
}

fn read(state: &mut Unconfined, call: &mut Call) -> Answer {
    let count = rustix::io::read(subject(state, call)?, &mut *call.output)?;
    Ok(count as i64)
}

fn write(state: &mut Unconfined, call: &mut Call) -> Answer {
    let file = subject(state, call)?;
    let put = || rustix::io::write(file, call.input);
    let line = state.files.streams.line();
    let count = match line.filter(|_| rustix::termios::isatty(file)) {
        Some(line) => line.give_way(call.input.ends_with(b"\n"), put)?,
        None => put()?,
    };
    Ok(count as i64)
}

/// As many of the names that are left as there is room for, with a NUL after each; nothing at the
/// end.
fn read_directory(state: &mut Unconfined, call: &mut Call) -> Answer {
    let Some(Open::Directory { entries, left }) = state.files.place(call.numbers[0])? else {
        return Err(Errno::BADF);
    };
    let mut used = 0;
    loop {
        let name = match left.take().map(Ok).or_else(|| next_name(entries)) {
            Some(name) => name?,
            None => return Ok(used as i64),
        };
        match call.output.get_mut(used..used + name.len()) {
            Some(room) => {
                room.copy_from_slice(&name);
                used += name.len();
            }
            None => {
                *left = Some(name);
                return if used == 0 {
                    Err(Errno::RANGE)
                } else {
                    Ok(used as i64)
                };
            }
        }
    }
}

fn next_name(entries: &mut Dir) -> Option<Result<Vec<u8>, Errno>> {
    let entry = entries.read()?;
    Some(entry.map(|entry| entry.file_name().to_bytes_with_nul().to_vec()))
}

/// An offset, from the start (0), from here (1), from the end (2).
fn seek(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [_, offset, whence] = call.numbers;
    let target = match whence {
        0 => SeekFrom::Start(offset as u64),
        1 => SeekFrom::Current(offset),
        2 => SeekFrom::End(offset),
        _ => return Err(Errno::INVAL),
    };
    Ok(fs::seek(subject(state, call)?, target)? as i64)
}

/// The ends for reading and for writing.
fn pipe(state: &mut Unconfined, call: &mut Call) -> Answer {
    let (reader, writer) = std::io::pipe().map_err(refused)?;
    let ends = [OwnedFd::from(reader), OwnedFd::from(writer)];
    let ends = ends.map(|end| state.files.add_file(end));
    call.put_words(&ends)
}

fn set_nonblocking(state: &mut Unconfined, call: &mut Call) -> Answer {
    let file = subject(state, call)?;
    let mut flags = fs::fcntl_getfl(file)?;
    flags.set(OFlags::NONBLOCK, call.numbers[1] != 0);
    done(fs::fcntl_setfl(file, flags))
}

/// Waits, at most so many nanoseconds if that is not negative. Comes in: file and 0 (to read) or 1
/// (to write) for each; goes out: whether it can be done, a byte each.
fn poll(state: &mut Unconfined, call: &mut Call) -> Answer {
    let mut polled = Vec::new();
    for wanted in numbered(call.input).chunks_exact(2) {
        let flags = match wanted[1] {
            0 => PollFlags::IN,
            _ => PollFlags::OUT,
        };
        let file = state.files.file(wanted[0])?;
        polled.push((PollFd::from_borrowed_fd(file, flags), flags));
    }
    let timeout = u64::try_from(call.numbers[0]).ok();
    let end = timeout.and_then(|timeout| Instant::now().checked_add(Duration::from_nanos(timeout)));
    let mut ready = vec![0; polled.len()];
    // Those that may still become ready.
    let mut left: Vec<usize> = (0..polled.len()).collect();
    loop {
        let mut files: Vec<_> = left.iter().map(|&at| polled[at].0.clone()).collect();
        let some = rustix::event::poll(&mut files, time_until(end).as_ref())?;
        for (&at, file) in left.iter().zip(&files) {
            ready[at] = is_ready(polled[at].1, file.revents()).into();
        }
        if some == 0 || ready.contains(&1) {
            return call.put(&ready);
        }
        // The system reports at once, and again each time, that nobody has the other end.
        let mut events = files.iter().map(PollFd::revents);
        left.retain(|_| events.next().is_some_and(|events| events.is_empty()));
    }
}

/// Whether a transfer that these flags ask for can be done, as `select` has it: what can never be
/// written, as its other end is closed, can be read to its end.
fn is_ready(asked: PollFlags, found: PollFlags) -> bool {
    let hung_up = match asked {
        PollFlags::IN => PollFlags::HUP,
        _ => PollFlags::empty(),
    };
    found.intersects(asked | PollFlags::ERR | PollFlags::NVAL | hung_up)
}

fn time_until(end: Option<Instant>) -> Option<Timespec> {
    let left = end?.saturating_duration_since(Instant::now());
    Some(Timespec {
        tv_sec: left.as_secs() as i64,
        tv_nsec: left.subsec_nanos().into(),
    })
}

/// Whether somebody has a named pipe open for writing, or had since this end was opened, which does
/// not wait. Of an empty pipe, copying to another one tells: it fails where a writer may come with
/// more.
fn has_writer(state: &mut Unconfined, call: &mut Call) -> Answer {
    let file = subject(state, call)?;
    let mut polled = [PollFd::from_borrowed_fd(file, PollFlags::IN)];
    if rustix::event::poll(&mut polled, time_until(Some(Instant::now())).as_ref())? > 0 {
        return Ok(1);
    }
    let (_reader, writer) = std::io::pipe().map_err(refused)?;
    let (from, to) = (file.as_raw_fd(), writer.as_raw_fd());
    // SAFETY: it takes numbers of open files.
    match unsafe { libc::tee(from, to, 1, libc::SPLICE_F_NONBLOCK) } {
        0 => Ok(0),
        1.. => Ok(1),
        _ => match refused(std::io::Error::last_os_error()) {
            Errno::AGAIN => Ok(1),
            error => Err(error),
        },
    }
}

fn is_terminal(state: &mut Unconfined, call: &mut Call) -> Answer {
    Ok(rustix::termios::isatty(subject(state, call)?).into())
}

fn set_size(state: &mut Unconfined, call: &mut Call) -> Answer {
    let size = call.numbers[1] as u64;
    done(fs::ftruncate(subject(state, call)?, size))
}

fn synchronise(state: &mut Unconfined, call: &mut Call) -> Answer {
    done(fs::fsync(subject(state, call)?))
}

fn status(state: &mut Unconfined, call: &mut Call) -> Answer {
    let found = fs::fstat(subject(state, call)?)?;
    call.put_words(&described(&found))
}

/// What goes out of a file's status: device, inode, mode, links, user, group, number of the device
/// that it is, size, and the times of reading, writing and change in nanoseconds.
pub(super) fn described(found: &fs::Stat) -> [i64; 11] {
    let time = |seconds: i64, rest: u64| {
        let whole = seconds.saturating_mul(1_000_000_000);
        whole.saturating_add(rest as i64)
    };
    [
        found.st_dev as i64,
        found.st_ino as i64,
        found.st_mode.into(),
        found.st_nlink as i64,
        found.st_uid.into(),
        found.st_gid.into(),
        found.st_rdev as i64,
        found.st_size,
        time(found.st_atime, found.st_atime_nsec),
        time(found.st_mtime, found.st_mtime_nsec),
        time(found.st_ctime, found.st_ctime_nsec),
    ]
}

fn set_permissions(state: &mut Unconfined, call: &mut Call) -> Answer {
    let permissions = Mode::from_raw_mode(call.numbers[1] as u32);
    done(fs::fchmod(subject(state, call)?, permissions))
}

fn set_owner(state: &mut Unconfined, call: &mut Call) -> Answer {
    let (user, group) = owners(call.numbers[1], call.numbers[2]);
    done(fs::fchown(subject(state, call)?, user, group))
}

/// A user and a group; -1 stands for what it was.
pub(super) fn owners(user: i64, group: i64) -> (Option<Uid>, Option<Gid>) {
    let number = |number: i64| (number != -1).then_some(number as u32);
    (
        number(user).map(Uid::from_raw),
        number(group).map(Gid::from_raw),
    )
}

/// Sets the mask of permissions that new files do not get; answers what it was.
fn set_mask(_: &mut Unconfined, call: &mut Call) -> Answer {
    let mask = Mode::from_raw_mode(call.numbers[0] as u32);
    Ok(rustix::process::umask(mask).as_raw_mode().into())
}

/// How many descriptors this process may have: so many numbers the guest gives out.
fn most_descriptors(_: &mut Unconfined, _: &mut Call) -> Answer {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    Ok(limit.map_or(i64::MAX, |limit| limit as i64).min(MOST))
}
