//! Files and directories by name: the system's own calls, so that links, permissions and errors are
//! the system's.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::{self, Access, AtFlags, CWD, FileType, Mode, Timespec, Timestamps};
use rustix::io::Errno;

use super::files::{described, owners};
use super::{Answer, Call, Function, Unconfined, checked, done, refused};

pub(super) const FUNCTIONS: [(&str, Function); 17] = [
    ("stat", status),
    ("access", access),
    ("chmod", set_permissions),
    ("chown", set_owner),
    ("utimes", set_times),
    ("truncate", set_size),
    ("mkdir", create_directory),
    ("rmdir", remove_directory),
    ("unlink", unlink),
    ("rename", rename),
    ("link", link),
    ("symlink", symbolic_link),
    ("readlink", read_link),
    ("realpath", real_path),
    ("mkfifo", create_pipe),
    ("chdir", change_directory),
    ("getcwd", current_directory),
];

/// Whether a link at the end is followed; a path.
fn status(_: &mut Unconfined, call: &mut Call) -> Answer {
    let found = match call.numbers[0] {
        0 => fs::lstat(call.input)?,
        _ => fs::stat(call.input)?,
    };
    call.put_words(&described(&found))
}

/// The permissions asked for, as bits; a path.
fn access(_: &mut Unconfined, call: &mut Call) -> Answer {
    let wanted = Access::from_bits_truncate(call.numbers[0] as u32);
    done(fs::access(call.input, wanted))
}

/// The permissions that the call's first number is.
fn permissions(call: &Call) -> Mode {
    Mode::from_raw_mode(call.numbers[0] as u32)
}

fn set_permissions(_: &mut Unconfined, call: &mut Call) -> Answer {
    done(fs::chmod(call.input, permissions(call)))
}

fn set_owner(_: &mut Unconfined, call: &mut Call) -> Answer {
    let (user, group) = owners(call.numbers[0], call.numbers[1]);
    done(fs::chown(call.input, user, group))
}

/// Times of last reading and writing in nanoseconds, or now; a path.
fn set_times(_: &mut Unconfined, call: &mut Call) -> Answer {
    const SECOND: i64 = 1_000_000_000;
    let [read, written, now] = call.numbers;
    let time = |nanoseconds: i64| Timespec {
        tv_sec: nanoseconds.div_euclid(SECOND),
        tv_nsec: match now {
            0 => nanoseconds.rem_euclid(SECOND),
            _ => fs::UTIME_NOW,
        },
    };
    let times = Timestamps {
        last_access: time(read),
        last_modification: time(written),
    };
    done(fs::utimensat(CWD, call.input, &times, AtFlags::empty()))
}

/// Opens nothing: closing it again would end the locks on the file.
fn set_size(_: &mut Unconfined, call: &mut Call) -> Answer {
    let path = CString::new(call.input).map_err(|_| Errno::NOENT)?;
    // SAFETY: it reads a C string.
    checked(unsafe { libc::truncate(path.as_ptr(), call.numbers[0]) })
}

fn create_directory(_: &mut Unconfined, call: &mut Call) -> Answer {
    done(fs::mkdir(call.input, permissions(call)))
}

fn remove_directory(_: &mut Unconfined, call: &mut Call) -> Answer {
    done(fs::rmdir(call.input))
}

fn unlink(_: &mut Unconfined, call: &mut Call) -> Answer {
    done(fs::unlink(call.input))
}

fn rename(_: &mut Unconfined, call: &mut Call) -> Answer {
    let (from, to) = call.two()?;
    done(fs::rename(from, to))
}

/// Whether a symbolic link is followed; the file and its new name.
fn link(_: &mut Unconfined, call: &mut Call) -> Answer {
    let flags = match call.numbers[0] {
        0 => AtFlags::empty(),
        _ => AtFlags::SYMLINK_FOLLOW,
    };
    let (old, new) = call.two()?;
    done(fs::linkat(CWD, old, CWD, new, flags))
}

/// The target and the name of the link.
fn symbolic_link(_: &mut Unconfined, call: &mut Call) -> Answer {
    let (target, path) = call.two()?;
    done(fs::symlink(target, path))
}

fn read_link(_: &mut Unconfined, call: &mut Call) -> Answer {
    let target = fs::readlink(call.input, Vec::new())?;
    call.put(target.as_bytes())
}

fn real_path(_: &mut Unconfined, call: &mut Call) -> Answer {
    let path = std::fs::canonicalize(OsStr::from_bytes(call.input)).map_err(refused)?;
    call.put(&path.into_os_string().into_vec())
}

fn create_pipe(_: &mut Unconfined, call: &mut Call) -> Answer {
    let permissions = permissions(call);
    done(fs::mknodat(CWD, call.input, FileType::Fifo, permissions, 0))
}

fn change_directory(_: &mut Unconfined, call: &mut Call) -> Answer {
    done(rustix::process::chdir(call.input))
}

fn current_directory(_: &mut Unconfined, call: &mut Call) -> Answer {
    let directory = rustix::process::getcwd(Vec::new())?;
    call.put(directory.as_bytes())
}
