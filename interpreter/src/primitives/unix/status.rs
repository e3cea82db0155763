//! What is known of a file: `stat` and its kin.
//!
//! Invariant: a record holds only what is known. WASI tells neither owner nor permissions, so over
//! WASI the functions fail.

use super::arguments::{descriptor, plain, with_path};
use crate::custom;
use crate::heap;
use crate::os::{self, Errno, Follow, Kind, Ownership, Status, descriptors};
use crate::registry::{Outcome, Raised};
use crate::value::Value;

crate::primitives! {
    Allocates "unix_stat" stat, 1;
    Allocates "unix_lstat" stat_link, 1;
    Allocates "unix_fstat" stat_open, 1;
    Allocates "unix_stat_64" stat_64, 1;
    Allocates "unix_lstat_64" stat_link_64, 1;
    Allocates "unix_fstat_64" stat_open_64, 1;
}

fn small(size: u64) -> Value {
    Value::int(size as i64)
}

fn large(size: u64) -> Value {
    custom::alloc_int64(size as i64)
}

fn stat(name: Value) -> Outcome {
    Ok(record(&followed(name)?, small))
}

fn stat_64(name: Value) -> Outcome {
    Ok(record(&followed(name)?, large))
}

fn stat_link(name: Value) -> Outcome {
    Ok(record(&not_followed(name)?, small))
}

fn stat_link_64(name: Value) -> Outcome {
    Ok(record(&not_followed(name)?, large))
}

fn stat_open(file: Value) -> Outcome {
    Ok(record(&open(file)?, small))
}

fn stat_open_64(file: Value) -> Outcome {
    Ok(record(&open(file)?, large))
}

fn followed(name: Value) -> Result<Known, Raised> {
    with_path(name, "stat", |path| known(os::status(path, Follow::Yes)?))
}

fn not_followed(name: Value) -> Result<Known, Raised> {
    with_path(name, "lstat", |path| known(os::status(path, Follow::No)?))
}

fn open(file: Value) -> Result<Known, Raised> {
    let status = descriptors::status(descriptor(file)).and_then(known);
    plain(status, "fstat")
}

/// All that a record of type `Unix.stats` says.
type Known = (Status, Ownership);

fn known(status: Status) -> Result<Known, Errno> {
    Ok((status, status.ownership.ok_or(Errno::NOSYS)?))
}

/// A value of type `Unix.stats`.
fn record((status, ownership): &Known, offset: fn(u64) -> Value) -> Value {
    let [read, written, changed] = status.times.map(|time| heap::alloc_float(seconds(time)));
    heap::alloc_fields(
        0,
        &[
            Value::int(status.device as i64),
            Value::int(status.inode as i64),
            Value::int(constructor(status.kind)),
            Value::int(ownership.permissions.into()),
            Value::int(status.links as i64),
            Value::int(ownership.user.into()),
            Value::int(ownership.group.into()),
            Value::int(ownership.device as i64),
            offset(status.size),
            read,
            written,
            changed,
        ],
    )
}

/// The number of the constructor of `Unix.file_kind`.
fn constructor(kind: Kind) -> i64 {
    match kind {
        Kind::Regular => 0,
        Kind::Directory => 1,
        Kind::CharacterDevice => 2,
        Kind::BlockDevice => 3,
        Kind::Link => 4,
        Kind::Pipe => 5,
        Kind::Socket => 6,
    }
}

/// A time in seconds, whose integer part is the whole seconds even where the sum is rounded up.
fn seconds(nanoseconds: i64) -> f64 {
    const SECOND: i64 = 1_000_000_000;
    let whole = nanoseconds.div_euclid(SECOND) as f64;
    let sum = whole + nanoseconds.rem_euclid(SECOND) as f64 / 1e9;
    if sum == whole + 1.0 {
        sum.next_down()
    } else {
        sum
    }
}
