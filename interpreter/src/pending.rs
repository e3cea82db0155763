//! Signals that have come and wait for a poll, and those that are blocked meanwhile. What they do
//! is `primitives::signals`' business.
//!
//! Which are blocked is a thread's own: the set here is that of the thread that runs, and
//! `threads` exchanges it. The host knows nothing of it, and hands over all that it keeps.

use crate::os::host::signals;
use crate::waiting;
use std::cell::Cell;

thread_local! {
    /// What has come and waits: signal 1 is the lowest bit.
    static PENDING: Cell<u64> = const { Cell::new(0) };
    static BLOCKED: Cell<u64> = const { Cell::new(0) };
    /// Whether the host keeps signals for this program.
    static FROM_OUTSIDE: Cell<bool> = const { Cell::new(false) };
}

/// From now on the host keeps some.
pub fn expect_from_outside() {
    FROM_OUTSIDE.set(true);
}

/// Whether it does.
pub fn is_expected() -> bool {
    FROM_OUTSIDE.get()
}

/// Signals have come. A thread that waits and that they are for waits no more.
pub fn add(signals: u64) {
    PENDING.set(PENDING.get() | signals);
    waiting::signals_came(signals);
}

/// Takes over what the host has kept.
pub fn note_kept() {
    if FROM_OUTSIDE.get()
        && let Ok(kept @ 1..) = signals::take()
    {
        add(kept);
    }
}

/// Those that wait.
pub fn all() -> u64 {
    PENDING.get()
}

/// Those that wait and are not blocked.
pub fn deliverable() -> u64 {
    PENDING.get() & !BLOCKED.get()
}

/// These are no longer pending.
pub fn remove(signals: u64) {
    PENDING.set(PENDING.get() & !signals);
}

/// The signals that are blocked.
pub fn blocked() -> u64 {
    BLOCKED.get()
}

pub fn set_blocked(signals: u64) {
    BLOCKED.set(signals);
}
