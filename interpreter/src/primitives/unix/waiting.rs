//! Waiting for several descriptors: `select`.

use super::arguments::{descriptor, interruptible};
use crate::heap;
use crate::os::{Descriptor, Errno, Transfer, descriptors};
use crate::pending;
use crate::primitives::signals;
use crate::registry::Outcome;
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Collects "unix_select" select, 4;
}

/// Times from here on are none: seconds are C's `int`.
const MOST_SECONDS: f64 = 2_147_483_648.0;

/// Descriptors from here on are too large for `select`.
const TOO_LARGE: Descriptor = 1024;

/// Nothing exceptional ever happens to a descriptor here, so the third list only has to be valid.
fn select(reading: Value, writing: Value, exceptional: Value, timeout: Value) -> Outcome {
    let reading: Vec<_> = reading.list().map(descriptor).collect();
    let writing: Vec<_> = writing.list().map(descriptor).collect();
    let exceptional: Vec<_> = exceptional.list().map(descriptor).collect();
    let timeout = timeout.as_float();
    signals::deliver_before()?;
    let ready = wait(&reading, &writing, &exceptional, timeout);
    let ready = interruptible(ready, "select")?;
    let (readable, writable) = ready.split_at(reading.len());
    let lists = [
        chosen(&reading, readable),
        chosen(&writing, writable),
        Value::EMPTY_LIST,
    ];
    Ok(heap::alloc_fields(0, &lists))
}

fn wait(
    reading: &[Descriptor],
    writing: &[Descriptor],
    exceptional: &[Descriptor],
    timeout: f64,
) -> Result<Vec<bool>, Errno> {
    let mut all = reading.iter().chain(writing).chain(exceptional);
    if all.any(|file| !(0..TOO_LARGE).contains(file)) {
        return Err(Errno::INVAL);
    }
    for &file in exceptional {
        descriptors::check(file)?;
    }
    let reading = reading.iter().map(|&file| (file, Transfer::Read));
    let writing = writing.iter().map(|&file| (file, Transfer::Write));
    let wanted: Vec<_> = reading.chain(writing).collect();
    if timeout.is_nan() || timeout >= MOST_SECONDS {
        return Err(Errno::INVAL);
    }
    let timeout = (timeout >= 0.0).then_some((timeout * 1e9) as u64);
    if wanted.is_empty() && timeout.is_none() {
        return until_signal();
    }
    waiting::poll(&wanted, timeout)
}

/// Waits for nothing else, so one that is blocked does not end it.
fn until_signal() -> Result<Vec<bool>, Errno> {
    match signals::wait(pending::blocked()) {
        Ok(()) => Err(Errno::INTR),
        // None can come.
        Err(Errno::NOSYS) => Err(Errno::DEADLK),
        Err(error) => Err(error),
    }
}

/// The list of those that are ready, in the order in which the C library's stub builds it: last one
/// first.
fn chosen(files: &[Descriptor], ready: &[bool]) -> Value {
    let ready = files.iter().zip(ready).filter(|(_, ready)| **ready);
    let files: Vec<Value> = ready.map(|(&file, _)| Value::int(file.into())).collect();
    heap::alloc_list(files.into_iter().rev())
}
