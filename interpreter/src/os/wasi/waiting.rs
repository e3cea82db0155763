//! Waiting for time to pass or for descriptors, over WASI.

use super::super::{Errno, Handle, Transfer};
use super::abi::{self, Event, Subscription};

/// The number of the subscription for the time limit; the others are numbered from 0.
const LIMIT: u64 = u64::MAX;

/// Waits until one of `wanted` can be done without waiting, at most `timeout` nanoseconds; which
/// can.
pub fn poll(wanted: &[(Handle, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    let mut subscriptions: Vec<Subscription> = wanted
        .iter()
        .zip(0..)
        .map(|(&(handle, transfer), id)| subscription(handle, transfer, id))
        .collect();
    subscriptions.extend(timeout.map(limit));
    let mut ready = vec![false; wanted.len()];
    for event in wait(&subscriptions)? {
        if let Some(ready) = ready.get_mut(event.id as usize) {
            Errno::check(event.error)?;
            *ready = true;
        }
    }
    Ok(ready)
}

/// Waits for so many nanoseconds.
pub fn sleep(nanoseconds: u64) -> Result<(), Errno> {
    wait(&[limit(nanoseconds)]).map(drop)
}

fn subscription(handle: Handle, transfer: Transfer, id: u64) -> Subscription {
    let tag = match transfer {
        Transfer::Read => abi::WAIT_READ,
        Transfer::Write => abi::WAIT_WRITE,
    };
    Subscription {
        id,
        tag,
        subject: handle.0 as u64,
        ..Subscription::default()
    }
}

fn limit(timeout: u64) -> Subscription {
    Subscription {
        id: LIMIT,
        tag: abi::WAIT_CLOCK,
        subject: abi::CLOCK_MONOTONIC.into(),
        timeout,
        ..Subscription::default()
    }
}

fn wait(subscriptions: &[Subscription]) -> Result<Vec<Event>, Errno> {
    let mut events = vec![Event::default(); subscriptions.len()];
    let mut happened = 0;
    // SAFETY: both arrays have the length given, the out pointer is valid.
    Errno::check(unsafe {
        abi::poll_oneoff(
            subscriptions.as_ptr(),
            events.as_mut_ptr(),
            subscriptions.len(),
            &mut happened,
        )
    })?;
    events.truncate(happened);
    Ok(events)
}
