//! What waits for the outside lets other threads of the program run meanwhile.
//!
//! Invariant: where a program has one thread, nothing here does anything, and nothing that threads
//! are made of is reached.

use crate::os::{Descriptor, Errno, Transfer, descriptors};
use std::cell::Cell;

/// Runs other threads until one of the transfers can be done without waiting, or a clock
/// ([`crate::os::monotonic_nanoseconds`]) shows this time; whether that was it.
pub type RunOthers = fn(&[(Descriptor, Transfer)], Option<u64>) -> Result<bool, Errno>;

thread_local! {
    static RUN_OTHERS: Cell<Option<RunOthers>> = const { Cell::new(None) };
}

/// From now on there are others.
pub fn begin(run_others: RunOthers) {
    RUN_OTHERS.set(Some(run_others));
}

/// Whether the program has had more than one thread.
pub fn has_others() -> bool {
    RUN_OTHERS.get().is_some()
}

/// Runs others until one of the transfers can be done without waiting, or until this time; whether
/// the time is over. Returns at once where there are none. In primitives that may collect: they
/// look at no value that they had before. The error is `EINTR` if a signal came, `EDEADLK` if
/// nothing can end the waiting.
pub fn until_ready(
    wanted: &[(Descriptor, Transfer)],
    deadline: Option<u64>,
) -> Result<bool, Errno> {
    match RUN_OTHERS.get() {
        Some(run_others) => run_others(wanted, deadline),
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
