//! Signals from outside, and the timers that send some.

use super::{abi, done, words};
use crate::os::{self, Errno};

/// What the system does when a signal comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    Default = 0,
    Ignore = 1,
    /// The host keeps it until it is taken.
    Keep = 2,
}

/// Says what happens when a signal comes, which has Linux's number. When one comes that is kept,
/// the host writes 1 to the word at `pending` and the largest number to that at `alert`.
pub fn set_disposition(
    signal: i64,
    disposition: Disposition,
    pending: u32,
    alert: u32,
) -> Result<(), Errno> {
    let words = i64::from(alert) << 32 | i64::from(pending);
    done(abi::sigaction(
        [signal, disposition as i64, words],
        b"",
        &mut [],
    ))
}

/// Has a signal do to the tool's process what it does by default: end it, or stop it, upon which
/// this returns when it goes on.
pub fn act_by_default(signal: i64) -> Result<(), Errno> {
    done(abi::sigdefault([signal, 0, 0], b"", &mut []))
}

/// The signals that were kept and are now taken: signal 1 is the lowest bit.
pub fn take() -> Result<u64, Errno> {
    Ok(abi::sigtake([0; 3], b"", &mut [])? as u64)
}

/// Has the host write to these words several times a second, as if a signal came: in the sandbox,
/// too.
pub fn tick(pending: u32, alert: u32) -> Result<(), Errno> {
    done(abi::tick([pending.into(), alert.into(), 0], b"", &mut []))
}

/// Waits until one is kept.
pub fn wait() -> Result<(), Errno> {
    done(abi::sigwait([0; 3], b"", &mut []))
}

/// Waits for so many nanoseconds, or until a signal comes; how many are left then. Without a host
/// none comes.
pub fn sleep(nanoseconds: u64) -> Result<u64, Errno> {
    let most = i64::try_from(nanoseconds).unwrap_or(i64::MAX);
    match abi::nanosleep([most, 0, 0], b"", &mut []) {
        Err(Errno::NOSYS) => os::sleep(nanoseconds).map(|()| 0),
        left => Ok(left? as u64),
    }
}

/// Has the signal ALRM come in so many seconds; how many were left of the last such wish.
pub fn alarm(seconds: i64) -> Result<i64, Errno> {
    abi::alarm([seconds, 0, 0], b"", &mut [])
}

/// A timer: microseconds until it sends its signal, 0 for never, and from one signal to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timer {
    pub value: i64,
    pub interval: i64,
}

impl Timer {
    fn from(found: &[u8; 16]) -> Self {
        let found = words(found);
        Self {
            value: found[0],
            interval: found[1],
        }
    }
}

/// A timer by its number in `Unix.interval_timer`.
pub fn timer(which: i64) -> Result<Timer, Errno> {
    let mut found = [0; 16];
    abi::getitimer([which, 0, 0], b"", &mut found)?;
    Ok(Timer::from(&found))
}

/// Sets it; what it was.
pub fn set_timer(which: i64, timer: Timer) -> Result<Timer, Errno> {
    let mut found = [0; 16];
    abi::setitimer([which, timer.value, timer.interval], b"", &mut found)?;
    Ok(Timer::from(&found))
}
