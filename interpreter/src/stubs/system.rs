//! The system as C knows it: files, descriptors and the environment are the program's own
//! ([`crate::os`]), whatever C library the stubs have. `system.c` makes of these functions those of
//! POSIX.
//!
//! Invariant: a result below zero is an error's number, negated.

use super::{interface, memory as blocks, raise};
use crate::memory::{self, c_string};
use crate::os::host::{self, Ended};
use crate::os::pipe::Blocking;
use crate::os::{
    self, Access, Descriptor, Errno, Follow, Inherit, Kind, OpenFlags, Status, Transfer, Whence,
    descriptors, environment,
};
use crate::primitives::unix::time;
use crate::primitives::{signals, sys};
use crate::waiting;
use std::array;
use std::cell::Cell;

interface! {
    "" fn bactrian_open(path: u32, flags: u32, permissions: u32) -> i32 {
        result(open(&c_string(path), flags, permissions))
    }
    "" fn bactrian_close(descriptor: i32) -> i32 {
        done(os::close(descriptor))
    }
    "" fn bactrian_read(descriptor: i32, buffer: u32, len: u32) -> i32 {
        let len = len.min(i32::MAX as u32);
        let read = wait_for(descriptor, Transfer::Read).and_then(|()| {
            // SAFETY: C gives the memory, and nobody else looks at it meanwhile.
            os::read(descriptor, unsafe { memory::bytes_mut(buffer, len as usize) })
        });
        result(read.map(|count| count as i32))
    }
    "" fn bactrian_write(descriptor: i32, bytes: u32, len: u32) -> i32 {
        let most = as_said(|| waiting::most_written(descriptor), || usize::MAX);
        let len = (len.min(i32::MAX as u32) as usize).min(most);
        let written = wait_for(descriptor, Transfer::Write).and_then(|()| {
            // SAFETY: writing to the outside changes no memory of C's.
            os::write(descriptor, unsafe { memory::bytes(bytes, len) })
        });
        if written == Err(Errno::PIPE) {
            signals::broken_pipe();
        }
        result(written.map(|count| count as i32))
    }
    "" fn bactrian_seek(descriptor: i32, offset: i64, whence: i32) -> i64 {
        let whence = match whence {
            0 => Whence::Start,
            1 => Whence::Current,
            2 => Whence::End,
            _ => return -i64::from(Errno::INVAL.0),
        };
        os::seek(descriptor, offset, whence).unwrap_or_else(|error| -i64::from(error.0))
    }
    "" fn bactrian_status(path: u32, follow: i32, status: u32) -> i32 {
        let follow = match follow {
            0 => Follow::No,
            _ => Follow::Yes,
        };
        done(os::status(&c_string(path), follow).map(|found| describe(found, status)))
    }
    "" fn bactrian_status_of(descriptor: i32, status: u32) -> i32 {
        done(descriptors::status(descriptor).map(|found| describe(found, status)))
    }
    // What is wanted: 4 to read, 2 to write, 1 to execute.
    "" fn bactrian_access(path: u32, wanted: i32) -> i32 {
        let all = [Access::Read, Access::Write, Access::Execute];
        let is_wanted = |access: &Access| wanted & *access as i32 != 0;
        let wanted: Vec<_> = all.into_iter().filter(is_wanted).collect();
        done(os::access(&c_string(path), &wanted))
    }
    "" fn bactrian_set_size(descriptor: i32, size: i64) -> i32 {
        let size = u64::try_from(size).map_err(|_| Errno::INVAL);
        done(size.and_then(|size| descriptors::set_size(descriptor, size)))
    }
    "" fn bactrian_truncate(path: u32, size: i64) -> i32 {
        done(os::truncate(&c_string(path), size))
    }
    "" fn bactrian_synchronise(descriptor: i32) -> i32 {
        done(descriptors::synchronise(descriptor))
    }
    "" fn bactrian_set_times(path: u32, read: i64, written: i64) -> i32 {
        done(os::set_times(&c_string(path), Some([read, written])))
    }
    "" fn bactrian_set_times_now(path: u32) -> i32 {
        done(os::set_times(&c_string(path), None))
    }
    "" fn bactrian_unlink(path: u32) -> i32 {
        done(os::unlink(&c_string(path)))
    }
    "" fn bactrian_create_directory(path: u32, permissions: u32) -> i32 {
        done(os::create_directory(&c_string(path), permissions))
    }
    "" fn bactrian_remove_directory(path: u32) -> i32 {
        done(os::remove_directory(&c_string(path)))
    }
    "" fn bactrian_rename(from: u32, to: u32) -> i32 {
        done(os::rename(&c_string(from), &c_string(to)))
    }
    "" fn bactrian_link(old: u32, new: u32) -> i32 {
        done(os::link(&c_string(old), Follow::No, &c_string(new)))
    }
    "" fn bactrian_symbolic_link(target: u32, path: u32) -> i32 {
        done(os::symbolic_link(&c_string(target), &c_string(path)))
    }
    "" fn bactrian_change_directory(path: u32) -> i32 {
        done(os::change_directory(&c_string(path)))
    }
    // The next three write the address of memory that C frees: text, or the names in a directory,
    // each ended by a NUL; and return its length.
    "" fn bactrian_read_link(path: u32, text: u32) -> i32 {
        handed_over(os::read_link(&c_string(path)), text)
    }
    "" fn bactrian_current_directory(text: u32) -> i32 {
        handed_over(os::current_directory(), text)
    }
    "" fn bactrian_read_directory(path: u32, names: u32) -> i32 {
        let found = os::read_directory(&c_string(path));
        let joined = found.map(|found| {
            found.into_iter().flat_map(|name| name.into_iter().chain([0])).collect()
        });
        handed_over(joined, names)
    }
    "" fn bactrian_pipe(ends: u32) -> i32 {
        done(descriptors::pipe(Inherit::Yes).map(|[reader, writer]| {
            memory::store_u32(ends, reader as u32);
            memory::store_u32(ends + 4, writer as u32);
        }))
    }
    "" fn bactrian_duplicate(descriptor: i32) -> i32 {
        result(descriptors::duplicate(descriptor, Inherit::Yes))
    }
    "" fn bactrian_duplicate_to(descriptor: i32, target: i32) -> i32 {
        done(descriptors::duplicate_to(descriptor, target, Inherit::Yes))
    }
    "" fn bactrian_inherit(descriptor: i32, inherit: i32) -> i32 {
        let inherit = match inherit {
            0 => Inherit::No,
            _ => Inherit::Yes,
        };
        done(descriptors::set_inherit(descriptor, inherit))
    }
    "" fn bactrian_is_inherited(descriptor: i32) -> i32 {
        let inherit = descriptors::inherit(descriptor);
        result(inherit.map(|inherit| (inherit == Inherit::Yes).into()))
    }
    "" fn bactrian_set_blocking(descriptor: i32, blocking: i32) -> i32 {
        let blocking = match blocking {
            0 => Blocking::No,
            _ => Blocking::Yes,
        };
        done(descriptors::set_blocking(descriptor, blocking))
    }
    "" fn bactrian_is_terminal(descriptor: i32) -> i32 {
        os::is_terminal(descriptor).into()
    }
    // Descriptors, and for each whether it is to be written; a time in nanoseconds, or less than 0
    // to wait for ever. Writes for each whether it is ready.
    "" fn bactrian_poll(files: u32, ways: u32, ready: u32, count: u32, timeout: i64) -> i32 {
        let wanted = (0..count).map(|index| {
            let way = match memory::load_u8(ways + index) {
                0 => Transfer::Read,
                _ => Transfer::Write,
            };
            (memory::load_u32(files + 4 * index) as Descriptor, way)
        });
        let wanted: Vec<_> = wanted.collect();
        let timeout = u64::try_from(timeout).ok();
        let found = as_said(
            || waiting::poll(&wanted, timeout),
            || descriptors::poll(&wanted, timeout),
        );
        result(found.map(|found| {
            let bytes: Vec<u8> = found.iter().map(|&ready| ready.into()).collect();
            memory::write(ready, &bytes);
            found.iter().filter(|ready| **ready).count() as i32
        }))
    }
    // A process, or any (-1); Linux's flags. Which one has ended, 0 for none. Writes how: 0 and a
    // code, or by a signal (1) or stopped by one (2), with OCaml's number.
    "" fn bactrian_wait(process: i32, flags: i32, status: u32) -> i32 {
        let (process, flags) = (process.into(), flags.into());
        let found = as_said(
            || waiting::for_process(process, flags),
            || host::wait(process, flags),
        );
        let found = match found {
            // Nobody starts programs where the tool does not.
            Err(Errno::NOSYS) => Err(Errno::CHILD),
            found => found,
        };
        result(found.map(|found| {
            let (process, ended) = found.unwrap_or((0, Ended::Exited(0)));
            let (how, number) = match ended {
                Ended::Exited(code) => (0, code),
                Ended::Signaled(signal) => (1, signals::ocaml_number(signal)),
                Ended::Stopped(signal) => (2, signals::ocaml_number(signal)),
            };
            memory::store_u32(status, how);
            memory::store_u32(status + 4, number as u32);
            process as i32
        }))
    }
    // Nanoseconds: since 1970, since some begin, of processor time.
    "" fn bactrian_clock(kind: i32) -> i64 {
        (match kind {
            0 => os::real_nanoseconds(),
            1 => os::monotonic_nanoseconds(),
            _ => os::process_nanoseconds(),
        }) as i64
    }
    "" fn bactrian_random(bytes: u32, count: u32) -> i32 {
        // SAFETY: C gives the memory, and nobody else looks at it meanwhile.
        done(os::random(unsafe { memory::bytes_mut(bytes, count as usize) }))
    }
    // The next two write a local date: the fields of C's `tm`, and the offset from UTC. The second
    // also reads it, and writes the time that it stands for.
    "" fn bactrian_local_time(time: i64, fields: u32) -> i32 {
        done(time::local(time).map(|local| store_date(fields, &local)))
    }
    "" fn bactrian_time_of_local(fields: u32, time: u32) -> i32 {
        let wanted = array::from_fn(|index| memory::load_u32(fields + 4 * index as u32) as i32);
        done(time::of_local(wanted).map(|(found, local)| {
            memory::store_u64(time, found as u64);
            store_date(fields, &local);
        }))
    }
    // Between the next two, what waits lets others run. A primitive that calls the first may
    // collect for that, so no other function here has to say so. Handlers of signals that came
    // before run first.
    "cr" fn caml_enter_blocking_section() {
        match signals::deliver_before() {
            Ok(()) => LETS_OTHERS_RUN.set(true),
            Err(raised) => raise::unwind(raised),
        }
    }
    "" fn caml_leave_blocking_section() {
        LETS_OTHERS_RUN.set(false);
    }
    // 0 where it is not set.
    "" fn bactrian_variable(name: u32) -> u32 {
        let value = sys::variable(&c_string(name));
        value.map_or(0, |mut value| {
            value.push(0);
            blocks::copied(&value).unwrap_or(0)
        })
    }
    "" fn bactrian_set_variable(entry: u32) {
        environment::set(c_string(entry));
    }
    "" fn bactrian_unset_variable(name: u32) {
        environment::unset(&c_string(name));
    }
}

thread_local! {
    /// Whether C has said that others may run while it waits.
    static LETS_OTHERS_RUN: Cell<bool> = const { Cell::new(false) };
}

/// Does the first if others may run meanwhile, else the second. The C of others has not said so.
fn as_said<R>(letting_others_run: impl FnOnce() -> R, alone: impl FnOnce() -> R) -> R {
    if !LETS_OTHERS_RUN.replace(false) {
        return alone();
    }
    let result = letting_others_run();
    LETS_OTHERS_RUN.set(true);
    result
}

/// Where others may run, waits until a transfer can be done at once.
fn wait_for(descriptor: Descriptor, transfer: Transfer) -> Result<(), Errno> {
    as_said(|| waiting::until_transfer(descriptor, transfer), || Ok(()))
}

/// Flags of `open` as wasi-libc numbers them.
mod flag {
    pub const APPEND: u32 = 1;
    pub const DATA_SYNCHRONOUS: u32 = 1 << 1;
    pub const NONBLOCKING: u32 = 1 << 2;
    pub const SYNCHRONOUS: u32 = 1 << 3 | 1 << 4;
    pub const CREATE: u32 = 1 << 12;
    pub const DIRECTORY: u32 = 1 << 13;
    pub const EXCLUSIVE: u32 = 1 << 14;
    pub const TRUNCATE: u32 = 1 << 15;
    pub const NO_LINK: u32 = 1 << 24;
    pub const READ: u32 = 1 << 26;
    pub const WRITE: u32 = 1 << 28;
}

fn open(path: &[u8], flags: u32, permissions: u32) -> Result<Descriptor, Errno> {
    let has = |flag: u32| flags & flag != 0;
    if has(flag::NO_LINK) && os::status(path, Follow::No).is_ok_and(|at| at.kind == Kind::Link) {
        return Err(Errno::LOOP);
    }
    if has(flag::DIRECTORY) && os::kind(path)? != Kind::Directory {
        return Err(Errno::NOTDIR);
    }
    let flags = OpenFlags {
        // One of them is asked for at least: elsewhere `O_RDONLY` is 0.
        read: has(flag::READ) || !has(flag::WRITE),
        write: has(flag::WRITE),
        append: has(flag::APPEND),
        create: has(flag::CREATE),
        truncate: has(flag::TRUNCATE),
        exclusive: has(flag::EXCLUSIVE),
        nonblocking: has(flag::NONBLOCKING),
        data_synchronous: has(flag::DATA_SYNCHRONOUS),
        synchronous: has(flag::SYNCHRONOUS),
        ..OpenFlags::default()
    };
    os::open(path, flags, permissions)
}

/// Writes what is known of a file as `system.c` reads it: words of 64 bits.
fn describe(found: Status, status: u32) {
    /// WASI's numbers of kinds; it has none for pipes.
    fn number(kind: Kind) -> u64 {
        match kind {
            Kind::BlockDevice => 1,
            Kind::CharacterDevice => 2,
            Kind::Directory => 3,
            Kind::Regular => 4,
            Kind::Socket => 6,
            Kind::Link => 7,
            Kind::Pipe => 8,
        }
    }
    let owner = found.ownership;
    let of_owner = |field: fn(os::Ownership) -> u32| owner.map_or(0, |owner| field(owner).into());
    let words = [
        found.device,
        found.inode,
        number(found.kind),
        found.links,
        found.size,
        found.times[0] as u64,
        found.times[1] as u64,
        found.times[2] as u64,
        of_owner(|owner| owner.permissions),
        of_owner(|owner| owner.user),
        of_owner(|owner| owner.group),
        owner.map_or(0, |owner| owner.device),
    ];
    for (index, word) in words.into_iter().enumerate() {
        memory::store_u64(status + 8 * index as u32, word);
    }
}

/// Writes a local date as `clock.c` reads it: words of 32 bits.
fn store_date(fields: u32, local: &time::LocalDate) {
    for (index, field) in local.fields().into_iter().chain([local.offset]).enumerate() {
        memory::store_u32(fields + 4 * index as u32, field as u32);
    }
}

fn result(result: Result<i32, Errno>) -> i32 {
    result.unwrap_or_else(|error| -i32::from(error.0))
}

fn done(outcome: Result<(), Errno>) -> i32 {
    result(outcome.map(|()| 0))
}

/// Copies bytes, and a NUL behind them, to memory of C's, whose address it writes.
fn handed_over(bytes: Result<Vec<u8>, Errno>, address: u32) -> i32 {
    const NO_MEMORY: Errno = Errno(48);
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return -i32::from(error.0),
    };
    match blocks::copied(&[&bytes[..], &[0]].concat()) {
        Ok(copy) => {
            memory::store_u32(address, copy);
            bytes.len() as i32
        }
        Err(_) => -i32::from(NO_MEMORY.0),
    }
}
