//! Locks on parts of files, for one writer or for many readers: POSIX's `fcntl`.
//!
//! They belong to this process: they keep other processes away, and end when any descriptor of the
//! file is closed here. `rustix` locks whole files only, so the call is made by `libc`.

use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{F_GETLK, F_RDLCK, F_SETLK, F_SETLKW, F_UNLCK, F_WRLCK, SEEK_CUR, c_int, c_short};
use rustix::io::Errno;

use super::{Answer, Call, Function, Unconfined, refused};

pub(super) const FUNCTIONS: [(&str, Function); 1] = [("lockf", lock)];

/// A file, a command (0 unlocks, 1 waits for the lock, 2 tries, 3 only tests, 4 and 5 are 1 and 2
/// for a lock that readers share), and a size: of the part after the file's position, or before it
/// if that is negative; 0 for all that comes.
fn lock(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [number, command, size] = call.numbers;
    let file = state.files.file(number)?;
    let (how, kind) = match command {
        0 => (F_SETLK, F_UNLCK),
        1 => (F_SETLKW, F_WRLCK),
        2 => (F_SETLK, F_WRLCK),
        3 => return test(file, size),
        4 => (F_SETLKW, F_RDLCK),
        5 => (F_SETLK, F_RDLCK),
        _ => return Err(Errno::INVAL),
    };
    control(file, how, &mut part(kind, size)).map(|()| 0)
}

/// Fails if another process has a lock there.
fn test(file: BorrowedFd, size: i64) -> Answer {
    let mut found = part(F_WRLCK, size);
    control(file, F_GETLK, &mut found)?;
    match c_int::from(found.l_type) {
        F_UNLCK => Ok(0),
        _ => Err(Errno::ACCESS),
    }
}

fn part(kind: c_int, size: i64) -> libc::flock {
    libc::flock {
        l_type: kind as c_short,
        l_whence: SEEK_CUR as c_short,
        l_start: size.min(0),
        l_len: size.wrapping_abs(),
        l_pid: 0,
    }
}

fn control(file: BorrowedFd, how: c_int, lock: &mut libc::flock) -> Result<(), Errno> {
    // SAFETY: the descriptor is open, and these commands read and write one `flock`.
    match unsafe { libc::fcntl(file.as_raw_fd(), how, lock) } {
        -1 => Err(refused(std::io::Error::last_os_error())),
        _ => Ok(()),
    }
}
