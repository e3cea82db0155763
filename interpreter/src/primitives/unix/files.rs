//! Files and directories by name.
//!
//! Permissions and owners are known where the tool serves the program itself; WASI does not tell
//! them.

use super::arguments::{descriptor, path, plain, with_path};
use crate::custom;
use crate::heap;
use crate::os::{self, Access, Errno, Follow, descriptors, host};
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
    Leaf "unix_chmod" change_mode, 2;
    Leaf "unix_fchmod" change_mode_of, 2;
    Leaf "unix_chown" change_owner, 3;
    Leaf "unix_fchown" change_owner_of, 3;
    Leaf "unix_mkfifo" create_pipe, 2;
    Leaf "unix_umask" set_mask, 1;
}

fn unlink(name: Value) -> Outcome {
    with_path(name, "unlink", os::unlink)?;
    Ok(Value::UNIT)
}

fn rename(from: Value, to: Value) -> Outcome {
    path(from, "rename")?;
    let to = path(to, "rename")?;
    with_path(from, "rename", |from| os::rename(from, &to))?;
    Ok(Value::UNIT)
}

/// `follow` says what to do with a symbolic link. Without it the new name is one for the link
/// itself, as on Linux.
fn link(follow: Value, old: Value, new: Value) -> Outcome {
    let old = path(old, "link")?;
    path(new, "link")?;
    let follow = match follow.option() {
        Some(Value::TRUE) => Follow::Yes,
        Some(_) | None => Follow::No,
    };
    with_path(new, "link", |new| os::link(&old, follow, new))?;
    Ok(Value::UNIT)
}

fn symbolic_link(_to_directory: Value, target: Value, name: Value) -> Outcome {
    let target = path(target, "symlink")?;
    with_path(name, "symlink", |path| os::symbolic_link(&target, path))?;
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
    with_path(name, "truncate", |path| os::truncate(path, size))?;
    Ok(Value::UNIT)
}

/// Two zeros stand for now.
fn set_times(name: Value, read: Value, written: Value) -> Outcome {
    let (read, written) = (read.as_float(), written.as_float());
    with_path(name, "utimes", |path| {
        let times = match (read, written) {
            (0.0, 0.0) => None,
            _ => Some([nanoseconds(read)?, nanoseconds(written)?]),
        };
        os::set_times(path, times)
    })?;
    Ok(Value::UNIT)
}

/// Whole microseconds of a time in seconds, as `utimes` has them: its fraction of a second cannot
/// be negative.
fn nanoseconds(seconds: f64) -> Result<i64, Errno> {
    let whole = seconds.trunc();
    let microseconds = ((seconds - whole) * 1e6) as i64;
    if microseconds < 0 {
        return Err(Errno::INVAL);
    }
    let whole = (whole as i64).saturating_mul(1_000_000_000);
    Ok(whole.saturating_add(microseconds * 1_000))
}

fn access(name: Value, permissions: Value) -> Outcome {
    let wanted = |permission: Value| match permission.as_int() {
        0 => Some(Access::Read),
        1 => Some(Access::Write),
        2 => Some(Access::Execute),
        _ => None,
    };
    let wanted: Vec<Access> = permissions.list().filter_map(wanted).collect();
    with_path(name, "access", |path| os::access(path, &wanted))?;
    Ok(Value::UNIT)
}

fn change_mode(name: Value, permissions: Value) -> Outcome {
    let permissions = permissions.as_int() as u32;
    with_path(name, "chmod", |path| {
        host::set_permissions(path, permissions)
    })?;
    Ok(Value::UNIT)
}

fn change_mode_of(file: Value, permissions: Value) -> Outcome {
    let permissions = permissions.as_int() as u32;
    let result = descriptors::set_permissions(descriptor(file), permissions);
    plain(result, "fchmod")?;
    Ok(Value::UNIT)
}

fn change_owner(name: Value, user: Value, group: Value) -> Outcome {
    let [user, group] = [user, group].map(|number| number.as_int() as i32);
    with_path(name, "chown", |path| host::set_owner(path, user, group))?;
    Ok(Value::UNIT)
}

fn change_owner_of(file: Value, user: Value, group: Value) -> Outcome {
    let [user, group] = [user, group].map(|number| number.as_int() as i32);
    let result = descriptors::set_owner(descriptor(file), user, group);
    plain(result, "fchown")?;
    Ok(Value::UNIT)
}

fn create_pipe(name: Value, permissions: Value) -> Outcome {
    let permissions = permissions.as_int() as u32;
    with_path(name, "mkfifo", |path| host::create_pipe(path, permissions))?;
    Ok(Value::UNIT)
}

fn set_mask(mask: Value) -> Outcome {
    let old = plain(host::set_mask(mask.as_int() as u32 & 0o777), "umask")?;
    Ok(Value::int(old.into()))
}
