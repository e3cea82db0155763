//! Files and directories by name.
//!
//! WASI has no permissions: they cannot be set, and `access` finds out by trying.

use super::arguments::{path, with_path};
use crate::custom;
use crate::heap;
use crate::os::{self, Errno, Follow, Kind, OpenFlags, descriptors};
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "unix_unlink" unlink, 1;
    Leaf "unix_rename" rename, 2;
    Leaf "unix_link" link, 3;
    Leaf "unix_symlink" symbolic_link, 3;
    Leaf "unix_has_symlink" has_symbolic_links, 1;
    Allocates "unix_readlink" read_link, 1;
    Allocates "unix_realpath" real_path, 1;
    Leaf "unix_truncate" truncate, 2;
    Leaf "unix_truncate_64" truncate_64, 2;
    Leaf "unix_utimes" set_times, 3;
    Leaf "unix_access" access, 2;
}

fn unlink(name: Value) -> Outcome {
    with_path(name, "unlink", os::unlink)?;
    Ok(Value::UNIT)
}

fn rename(from: Value, to: Value) -> Outcome {
    path(from, "rename")?;
    let to = path(to, "rename")?;
    with_path(from, "rename", |from| os::rename(from, to))?;
    Ok(Value::UNIT)
}

/// `follow` says what to do with a symbolic link; without it, what Linux does: link to the link.
fn link(follow: Value, old: Value, new: Value) -> Outcome {
    path(old, "link")?;
    path(new, "link")?;
    let follow = match follow.option() {
        Some(Value::TRUE) => Follow::Yes,
        Some(_) | None => Follow::No,
    };
    with_path(new, "link", |new| os::link(old.string_bytes(), follow, new))?;
    Ok(Value::UNIT)
}

fn symbolic_link(_to_directory: Value, target: Value, name: Value) -> Outcome {
    let target = path(target, "symlink")?;
    with_path(name, "symlink", |path| os::symbolic_link(target, path))?;
    Ok(Value::UNIT)
}

fn has_symbolic_links(_: Value) -> Value {
    Value::TRUE
}

fn read_link(name: Value) -> Outcome {
    let target = with_path(name, "readlink", os::read_link)?;
    Ok(heap::alloc_string(&target))
}

fn real_path(name: Value) -> Outcome {
    let path = with_path(name, "realpath", os::real_path)?;
    Ok(heap::alloc_string(&path))
}

fn truncate(name: Value, size: Value) -> Outcome {
    set_size(name, size.as_int())
}

fn truncate_64(name: Value, size: Value) -> Outcome {
    set_size(name, custom::as_int64(size))
}

fn set_size(name: Value, size: i64) -> Outcome {
    with_path(name, "truncate", |path| {
        let size = u64::try_from(size).map_err(|_| Errno::INVAL)?;
        let file = os::open(path, OpenFlags::WRITE, 0)?;
        let result = descriptors::set_size(file, size);
        os::close(file)?;
        result
    })?;
    Ok(Value::UNIT)
}

/// Two zeros stand for now.
fn set_times(name: Value, read: Value, written: Value) -> Outcome {
    let (read, written) = (read.as_float(), written.as_float());
    let times = (read != 0.0 || written != 0.0).then(|| [read, written].map(nanoseconds));
    with_path(name, "utimes", |path| os::set_times(path, times))?;
    Ok(Value::UNIT)
}

/// Whole microseconds of a time in seconds, as `utimes` has them.
fn nanoseconds(seconds: f64) -> u64 {
    let whole = seconds.floor();
    let microseconds = ((seconds - whole) * 1e6) as u64;
    whole as u64 * 1_000_000_000 + microseconds * 1_000
}

fn access(name: Value, permissions: Value) -> Outcome {
    let wanted: Vec<i64> = permissions.list().map(Value::as_int).collect();
    with_path(name, "access", |path| may_access(path, &wanted))?;
    Ok(Value::UNIT)
}

/// Whether a file can be read, written, executed (numbers 0 to 2): nothing can be executed, so only directories
/// have that permission.
fn may_access(path: &[u8], wanted: &[i64]) -> Result<(), Errno> {
    let directory = os::kind(path)? == Kind::Directory;
    for permission in wanted {
        match permission {
            0 if directory => drop(os::read_directory(path)?),
            0 => try_open(path, OpenFlags::READ)?,
            1 if !directory => try_open(path, OpenFlags::WRITE)?,
            2 if !directory => return Err(Errno::ACCES),
            _ => {}
        }
    }
    Ok(())
}

fn try_open(path: &[u8], flags: OpenFlags) -> Result<(), Errno> {
    os::close(os::open(path, flags, 0)?)
}
