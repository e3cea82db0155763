//! Users and groups: one user, and what the files `/etc/passwd` and `/etc/group` say, where they can be read.

use super::error;
use crate::heap;
use crate::os::{self, Errno};
use crate::primitives::files::string_array;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "unix_getuid" getuid, 1;
    Leaf "unix_geteuid" getuid, 1;
    Leaf "unix_getgid" getgid, 1;
    Leaf "unix_getegid" getgid, 1;
    Allocates "unix_getgroups" getgroups, 1;
    Allocates "unix_getlogin" getlogin, 1;
    Allocates "unix_getpwnam" getpwnam, 1;
    Allocates "unix_getpwuid" getpwuid, 1;
    Allocates "unix_getgrnam" getgrnam, 1;
    Allocates "unix_getgrgid" getgrgid, 1;
}

/// The numbers of the user and the group: an ordinary user's, as WASI tells none.
pub const USER: i64 = 1000;
pub const GROUP: i64 = 1000;

fn getuid(_: Value) -> Value {
    Value::int(USER)
}

fn getgid(_: Value) -> Value {
    Value::int(GROUP)
}

fn getgroups(_: Value) -> Value {
    heap::alloc_fields(0, &[Value::int(GROUP)])
}

fn getlogin(_: Value) -> Outcome {
    match os::variable(b"LOGNAME") {
        Some(name) => Ok(heap::alloc_string(&name)),
        None => Err(error::error(Errno::NOENT, "getlogin")),
    }
}

fn getpwnam(name: Value) -> Outcome {
    user(|fields| fields[0] == name.string_bytes())
}

fn getpwuid(number: Value) -> Outcome {
    user(|fields| integer(&fields[2]) == Some(number.as_int()))
}

fn getgrnam(name: Value) -> Outcome {
    group(|fields| fields[0] == name.string_bytes())
}

fn getgrgid(number: Value) -> Outcome {
    group(|fields| integer(&fields[2]) == Some(number.as_int()))
}

/// The first line of a file with fields between colons that `wanted` accepts, if it has `count` of them.
fn line(file: &[u8], count: usize, wanted: impl Fn(&[Vec<u8>]) -> bool) -> Option<Vec<Vec<u8>>> {
    let contents = os::read_file(file).ok()?;
    contents
        .split(|&byte| byte == b'\n')
        .map(|line| {
            line.split(|&byte| byte == b':')
                .map(<[u8]>::to_vec)
                .collect()
        })
        .find(|fields: &Vec<Vec<u8>>| fields.len() == count && wanted(fields))
}

fn integer(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A value of type `Unix.passwd_entry`.
fn user(wanted: impl Fn(&[Vec<u8>]) -> bool) -> Outcome {
    let fields = line(b"/etc/passwd", 7, wanted).ok_or_else(raise::not_found)?;
    entry(&fields)
}

/// A value of type `Unix.group_entry`.
fn group(wanted: impl Fn(&[Vec<u8>]) -> bool) -> Outcome {
    let fields = line(b"/etc/group", 4, wanted).ok_or_else(raise::not_found)?;
    let record = entry(&fields)?;
    let members = fields[3].split(|&byte| byte == b',');
    let members: Vec<Vec<u8>> = members
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
        .collect();
    record.init_field(3, string_array(&members));
    Ok(record)
}

/// The fields as strings, but for the numbers: user and group of a user, number of a group.
fn entry(fields: &[Vec<u8>]) -> Outcome {
    let numbers = if fields.len() == 7 { 2..4 } else { 2..3 };
    let values: Vec<Value> = fields
        .iter()
        .enumerate()
        .map(|(index, field)| match numbers.contains(&index) {
            true => Value::int(integer(field).unwrap_or(0)),
            false => heap::alloc_string(field),
        })
        .collect();
    Ok(heap::alloc_fields(0, &values))
}
