//! What is known of a file: `stat` and its kin.
//!
//! WASI tells neither owner nor permissions: files seem to belong to the program's user, readable by all and writable by
//! their owner; directories can be searched as well.

use super::arguments::{descriptor, plain, with_path};
use super::users;
use crate::custom;
use crate::heap;
use crate::os::{self, Follow, Kind, Status, descriptors};
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

fn followed(name: Value) -> Result<Status, Raised> {
    with_path(name, "stat", |path| os::status(path, Follow::Yes))
}

fn not_followed(name: Value) -> Result<Status, Raised> {
    with_path(name, "lstat", |path| os::status(path, Follow::No))
}

fn open(file: Value) -> Result<Status, Raised> {
    plain(descriptors::status(descriptor(file)), "fstat")
}

/// A value of type `Unix.stats`.
fn record(status: &Status, offset: fn(u64) -> Value) -> Value {
    let [read, written, changed] = status.times.map(|time| heap::alloc_float(seconds(time)));
    heap::alloc_fields(
        0,
        &[
            Value::int(status.device as i64),
            Value::int(status.inode as i64),
            Value::int(constructor(status.kind)),
            Value::int(permissions(status.kind)),
            Value::int(status.links as i64),
            Value::int(users::USER),
            Value::int(users::GROUP),
            Value::int(0),
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

fn permissions(kind: Kind) -> i64 {
    match kind {
        Kind::Regular => 0o644,
        Kind::Directory => 0o755,
        Kind::Link | Kind::Socket => 0o777,
        Kind::CharacterDevice | Kind::BlockDevice => 0o666,
        Kind::Pipe => 0o600,
    }
}

/// A time in seconds, whose integer part is the whole seconds even where the sum is rounded up.
fn seconds(nanoseconds: u64) -> f64 {
    let whole = (nanoseconds / 1_000_000_000) as f64;
    let sum = whole + (nanoseconds % 1_000_000_000) as f64 / 1e9;
    if sum == whole + 1.0 {
        sum.next_down()
    } else {
        sum
    }
}
