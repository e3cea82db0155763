//! The standard streams, handed to the guest as they are: a file that was redirected can be sought
//! in and asked for its size, a terminal or a pipe cannot, and an error is the system's.
//!
//! Wasmtime's own WASI takes every stream for a pipe and forgets most errors. Invariant: the guest
//! reaches the three files that this process was started with, and nothing else. What was closed
//! then stays closed, although Rust's runtime opens `/dev/null` in its place.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;

use crate::status_line::StatusLine;

/// An error number of WASI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub u16);

impl Errno {
    pub const BADF: Errno = Errno(8);
    pub const FAULT: Errno = Errno(21);
    pub const INVAL: Errno = Errno(28);
    pub const IO: Errno = Errno(29);
    pub const NOTSUP: Errno = Errno(58);
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        let known = NUMBERS
            .iter()
            .find(|&&(linux, _)| error.raw_os_error() == Some(linux));
        known.map_or(Errno::IO, |&(_, number)| Errno(number))
    }
}

/// Linux's numbers of the errors that streams have, and WASI's.
const NUMBERS: [(i32, u16); 28] = [
    (1, 63),
    (2, 44),
    (4, 27),
    (5, 29),
    (6, 60),
    (9, 8),
    (11, 6),
    (12, 48),
    (13, 2),
    (14, 21),
    (16, 10),
    (19, 43),
    (21, 31),
    (22, 28),
    (25, 59),
    (26, 74),
    (27, 22),
    (28, 51),
    (29, 70),
    (30, 69),
    (32, 64),
    (75, 61),
    (95, 58),
    (104, 15),
    (107, 53),
    (110, 73),
    (116, 72),
    (122, 19),
];

/// Whether a stream was closed when the process began.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// The signals that were ignored when the process began: signal 1 is the lowest bit.
static IGNORED: AtomicU64 = AtomicU64::new(0);

/// Runs before Rust's runtime, which opens what is closed and ignores `SIGPIPE`.
extern "C" fn look() {
    IGNORED.store(ignored(), Ordering::Relaxed);
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: it takes a number that is no descriptor, and changes nothing.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        let is_closed = flags < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EBADF);
        closed.store(is_closed, Ordering::Relaxed);
    }
}

fn ignored() -> u64 {
    (1..=u64::BITS)
        .filter(|&signal| is_ignored(signal as libc::c_int))
        .fold(0, |mask, signal| mask | 1 << (signal - 1))
}

/// Whether a signal is ignored. The two that C's library keeps for itself are not.
fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: it changes nothing, and writes to `action`, where it answers 0.
    unsafe {
        libc::sigaction(signal, null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// The signals that were ignored when this process began, as a mask: signal 1 is the lowest bit.
pub fn ignored_signals() -> u64 {
    IGNORED.load(Ordering::Relaxed)
}

// By hand, as the crate `ctor` would come to the same two attributes, behind a macro.
// SAFETY: the section holds functions that are called before `main`, with arguments that `look`
// does not take; it uses nothing of the runtime, and calls the system alone.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Whether the stream with this number was closed when this process began.
pub fn is_closed(number: usize) -> bool {
    CLOSED[number].load(Ordering::Relaxed)
}

/// Descriptors 0 to 2; `None` for one that is closed.
#[derive(Debug)]
pub struct Streams {
    files: [Option<File>; 3],
    /// Taken away before anything is written.
    line: Option<Arc<StatusLine>>,
    /// Read from standard input before, and to be read again.
    unread: VecDeque<u8>,
    /// What is read of standard input, where it may have to be read again.
    kept: Option<Vec<u8>>,
}

impl Streams {
    /// Those of this process, on one of which a status line may be.
    pub fn inherited(line: Option<Arc<StatusLine>>) -> io::Result<Self> {
        let file = |number: usize, stream: &dyn AsFd| {
            if is_closed(number) {
                return Ok(None);
            }
            let copy: OwnedFd = stream.as_fd().try_clone_to_owned()?;
            Ok::<_, io::Error>(Some(File::from(copy)))
        };
        Ok(Self {
            files: [
                file(0, &io::stdin())?,
                file(1, &io::stdout())?,
                file(2, &io::stderr())?,
            ],
            line,
            unread: VecDeque::new(),
            kept: None,
        })
    }

    /// Keeps what is read of standard input from now on.
    pub fn keep_input(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// What was kept.
    pub fn take_kept(&mut self) -> Vec<u8> {
        self.kept.take().unwrap_or_default()
    }

    /// Has these bytes read again, before what is left of standard input.
    pub fn unread(&mut self, bytes: Vec<u8>) {
        self.unread = bytes.into();
    }

    /// The status line that may be on one of them.
    pub fn line(&self) -> Option<&StatusLine> {
        self.line.as_deref()
    }

    /// Whether `descriptor` is one of these.
    pub fn has(&self, descriptor: u32) -> bool {
        (descriptor as usize) < self.files.len()
    }

    /// The file of this descriptor.
    pub fn file(&self, descriptor: u32) -> Result<&File, Errno> {
        self.files[descriptor as usize].as_ref().ok_or(Errno::BADF)
    }

    pub fn read(&mut self, descriptor: u32, buffer: &mut [u8]) -> Result<usize, Errno> {
        let is_again = descriptor == 0 && !self.unread.is_empty();
        let count = match is_again {
            true => self.unread.read(buffer)?,
            false => self.file(descriptor)?.read(buffer)?,
        };
        if let (0, Some(kept)) = (descriptor, &mut self.kept) {
            kept.extend_from_slice(&buffer[..count]);
        }
        Ok(count)
    }

    pub fn write(&self, descriptor: u32, parts: &[IoSlice]) -> Result<usize, Errno> {
        let file = self.file(descriptor)?;
        let write = |mut file: &File| match parts {
            [part] => file.write(part),
            _ => file.write_vectored(parts),
        };
        let Some(line) = self.line().filter(|_| rustix::termios::isatty(file)) else {
            return Ok(write(file)?);
        };
        let last = parts.iter().rev().find_map(|part| part.last());
        Ok(line.give_way(last == Some(&b'\n'), || write(file))?)
    }

    /// Moves; `whence` is WASI's: from the start, from here, from the end.
    pub fn seek(&mut self, descriptor: u32, offset: i64, whence: u32) -> Result<u64, Errno> {
        let unread = match descriptor {
            0 => self.unread.len() as i64,
            _ => 0,
        };
        let target = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::INVAL)?),
            1 => SeekFrom::Current(offset.checked_sub(unread).ok_or(Errno::INVAL)?),
            2 => SeekFrom::End(offset),
            _ => return Err(Errno::INVAL),
        };
        let position = self.file(descriptor)?.seek(target)?;
        if descriptor == 0 {
            self.unread.clear();
        }
        Ok(position)
    }

    pub fn set_size(&self, descriptor: u32, size: u64) -> Result<(), Errno> {
        Ok(self.file(descriptor)?.set_len(size)?)
    }

    pub fn synchronise(&self, descriptor: u32) -> Result<(), Errno> {
        Ok(self.file(descriptor)?.sync_all()?)
    }

    pub fn close(&mut self, descriptor: u32) -> Result<(), Errno> {
        let file = self.files[descriptor as usize].take();
        file.map(drop).ok_or(Errno::BADF)
    }

    /// WASI's `filestat`: device, inode, type, links, size, times of reading, writing, change.
    pub fn file_status(&self, descriptor: u32) -> Result<[u8; 64], Errno> {
        let metadata = self.file(descriptor)?.metadata()?;
        let time = |seconds: i64, rest: i64| (seconds * 1_000_000_000 + rest) as u64;
        let words = [
            metadata.dev(),
            metadata.ino(),
            file_type(&metadata).into(),
            metadata.nlink(),
            metadata.size(),
            time(metadata.atime(), metadata.atime_nsec()),
            time(metadata.mtime(), metadata.mtime_nsec()),
            time(metadata.ctime(), metadata.ctime_nsec()),
        ];
        Ok(bytes(words))
    }

    /// WASI's `fdstat`: type, flags, rights. What is not a terminal has the right to seek: so
    /// libraries tell them apart.
    pub fn descriptor_status(&self, descriptor: u32) -> Result<[u8; 24], Errno> {
        const READ: u64 = 1 << 1;
        const WRITE: u64 = 1 << 6;
        const SEEK_AND_TELL: u64 = 1 << 2 | 1 << 5;
        const STATUS_AND_POLL: u64 = 1 << 21 | 1 << 27;
        const APPEND: u64 = 1;
        const NONBLOCK: u64 = 4;
        let file = self.file(descriptor)?;
        let flags = rustix::fs::fcntl_getfl(file).map_err(io::Error::from)?;
        let terminal = rustix::termios::isatty(file);
        let mut rights = STATUS_AND_POLL;
        rights |= if terminal { 0 } else { SEEK_AND_TELL };
        let mode = flags & OFlags::RWMODE;
        rights |= if mode == OFlags::WRONLY { 0 } else { READ };
        rights |= if mode == OFlags::RDONLY { 0 } else { WRITE };
        let append = if flags.contains(OFlags::APPEND) {
            APPEND
        } else {
            0
        };
        let nonblock = if flags.contains(OFlags::NONBLOCK) {
            NONBLOCK
        } else {
            0
        };
        let first = u64::from(file_type(&file.metadata()?)) | (append | nonblock) << 16;
        Ok(bytes([first, rights, rights]))
    }

    /// Waits until one of `wanted` can be read (`false`) or written (`true`), at most `timeout`;
    /// which can.
    pub fn poll(
        &self,
        wanted: &[(u32, bool)],
        timeout: Option<Duration>,
    ) -> Result<Vec<bool>, Errno> {
        if !self.unread.is_empty() && wanted.contains(&(0, false)) {
            return Ok(wanted.iter().map(|&one| one == (0, false)).collect());
        }
        let mut polled = Vec::new();
        for &(descriptor, write) in wanted {
            let flags = if write { PollFlags::OUT } else { PollFlags::IN };
            polled.push(PollFd::new(self.file(descriptor)?, flags));
        }
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs() as i64,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        rustix::event::poll(&mut polled, timeout.as_ref()).map_err(io::Error::from)?;
        Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect())
    }
}

fn bytes<const WORDS: usize, const BYTES: usize>(words: [u64; WORDS]) -> [u8; BYTES] {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.try_into().expect("eight bytes a word")
}

/// WASI's number for what a file is; it has none for pipes.
fn file_type(metadata: &Metadata) -> u8 {
    let file_type = metadata.file_type();
    let known = [
        (file_type.is_block_device(), 1),
        (file_type.is_char_device(), 2),
        (file_type.is_dir(), 3),
        (file_type.is_file(), 4),
        (file_type.is_socket(), 6),
    ];
    known
        .iter()
        .find_map(|&(is, number)| is.then_some(number))
        .unwrap_or(0)
}
