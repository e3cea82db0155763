//! What waits for the outside lets other threads of the program run meanwhile.
//!
//! Invariant: where a program has one thread, nothing here does anything, and nothing that threads
//! are made of is reached.

use crate::os::host::{self, Ended, signals};
use crate::os::pipe::{ATOMIC, Blocking};
use crate::os::{self, Descriptor, Errno, Kind, OpenFlags, Transfer, descriptors};
use std::cell::Cell;

/// Runs other threads until one of the transfers can be done without waiting, or a clock
/// ([`crate::os::monotonic_nanoseconds`]) shows this time; whether that was it.
pub type RunOthers = fn(&[(Descriptor, Transfer)], Option<u64>) -> Result<bool, Errno>;

/// A queue of threads, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Queue(pub u64);

/// What there is besides the present thread.
#[derive(Clone, Copy, Debug)]
pub struct Others {
    pub run: RunOthers,
    /// Has the threads wait no more that wait for the outside and that these signals are for.
    pub signals_came: fn(u64),
    pub wait_in: fn(Queue) -> Result<(), Errno>,
    pub wake_all: fn(Queue),
}

thread_local! {
    static OTHERS: Cell<Option<Others>> = const { Cell::new(None) };
}

/// From now on there are others.
pub fn begin(others: Others) {
    OTHERS.set(Some(others));
}

/// Whether the program has had more than one thread.
pub fn has_others() -> bool {
    OTHERS.get().is_some()
}

/// Runs others until one of the transfers can be done without waiting, or until this time; whether
/// the time is over. Returns at once where there are none. In primitives that may collect: they
/// look at no value that they had before. The error is `EINTR` if a signal came, `EDEADLK` if
/// nothing can end the waiting.
pub fn until_ready(
    wanted: &[(Descriptor, Transfer)],
    deadline: Option<u64>,
) -> Result<bool, Errno> {
    match OTHERS.get() {
        Some(others) => (others.run)(wanted, deadline),
        None => Ok(false),
    }
}

/// Runs others until a transfer can be done without waiting, or is not to wait. As above.
pub fn until_transfer(descriptor: Descriptor, transfer: Transfer) -> Result<(), Errno> {
    while has_others() && descriptors::may_wait(descriptor) {
        match descriptors::poll(&[(descriptor, transfer)], Some(0)) {
            Ok(ready) if ready == [false] => {
                until_ready(&[(descriptor, transfer)], None)?;
            }
            // Whoever does the transfer meets the error.
            Ok(_) | Err(_) => break,
        }
    }
    Ok(())
}

/// Which of these transfers can be done without waiting; waits for one of them, at most so many
/// nanoseconds. Runs others meanwhile, as above.
pub fn poll(wanted: &[(Descriptor, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    if !has_others() {
        return descriptors::poll(wanted, timeout);
    }
    let deadline = timeout.map(|time| os::monotonic_nanoseconds().saturating_add(time));
    loop {
        let is_over = until_ready(wanted, deadline)?;
        let ready = descriptors::poll(wanted, Some(0))?;
        // Another thread may have been there first.
        if is_over || ready.contains(&true) {
            return Ok(ready);
        }
    }
}

/// Looks now and then until there is something, where nothing tells when. Runs others meanwhile,
/// as above.
pub fn until_found<R>(mut look: impl FnMut() -> Result<Option<R>, Errno>) -> Result<R, Errno> {
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        until_ready(&[], Some(os::monotonic_nanoseconds() + INTERVAL))?;
    }
}

/// How long nobody looks, in nanoseconds.
const INTERVAL: u64 = 2_000_000;

/// Waits for a process to end, see [`host::wait`]. Runs others meanwhile, as above.
pub fn for_process(process: i64, flags: i64) -> Result<Option<(i64, Ended)>, Errno> {
    /// `WNOHANG`: only looks.
    const LOOK: i64 = 1;
    if flags & LOOK != 0 || !has_others() {
        return host::wait(process, flags);
    }
    until_found(|| host::wait(process, flags | LOOK)).map(Some)
}

/// Opens a file. A named pipe waits for somebody at its other end: runs others meanwhile, as above.
pub fn open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Descriptor, Errno> {
    let waits = !flags.nonblocking && flags.read != flags.write;
    if !has_others() || !waits || os::kind(path) != Ok(Kind::Pipe) {
        return os::open(path, flags, permissions);
    }
    let at_once = OpenFlags {
        nonblocking: true,
        ..flags
    };
    let opened = if flags.write {
        until_found(|| match os::open(path, at_once, permissions) {
            Err(Errno::NXIO) => Ok(None),
            result => result.map(Some),
        })?
    } else {
        let opened = os::open(path, at_once, permissions)?;
        let found = until_found(|| Ok(descriptors::has_writer(opened)?.then_some(())));
        if let Err(failure) = found {
            os::close(opened)?;
            return Err(failure);
        }
        opened
    };
    descriptors::set_blocking(opened, Blocking::Yes)?;
    Ok(opened)
}

/// How many bytes a transfer writes without waiting once the descriptor takes any: where there are
/// other threads, one of them may be the reader of a pipe.
pub fn most_written(descriptor: Descriptor) -> usize {
    let is_file = || descriptors::kind(descriptor) == Ok(Kind::Regular);
    match has_others() && descriptors::may_wait(descriptor) && !is_file() {
        true => ATOMIC,
        false => usize::MAX,
    }
}

/// Runs others until a signal comes that is for this thread, upon which it may also fail with
/// `EINTR`; fails if none can.
pub fn until_signal() -> Result<(), Errno> {
    match OTHERS.get() {
        Some(others) => (others.run)(&[], None).map(|_| ()),
        None => signals::wait(),
    }
}

/// Waits in a queue until another thread wakes those in it.
pub fn in_queue(queue: Queue) -> Result<(), Errno> {
    match OTHERS.get() {
        Some(others) => (others.wait_in)(queue),
        None => Err(Errno::DEADLK),
    }
}

/// Wakes all threads of a queue.
pub fn wake_all(queue: Queue) {
    if let Some(others) = OTHERS.get() {
        (others.wake_all)(queue);
    }
}

/// Says that signals have come.
pub fn signals_came(signals: u64) {
    if let Some(others) = OTHERS.get() {
        (others.signals_came)(signals);
    }
}
