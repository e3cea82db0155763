//! Users and groups.
//!
//! As which user the program runs is known where the tool serves it itself; WASI does not tell. A
//! user's entry comes from the tool's database of users, else from `/etc/passwd`, a group's entry
//! from `/etc/group`, where these files can be read.

use super::arguments::plain;
use crate::heap;
use crate::os::host::{self, Identity};
use crate::os::{self, Errno};
use crate::primitives::files::string_array;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "unix_getuid" getuid, 1;
    Leaf "unix_geteuid" geteuid, 1;
    Leaf "unix_getgid" getgid, 1;
    Leaf "unix_getegid" getegid, 1;
    Allocates "unix_getgroups" getgroups, 1;
    Allocates "unix_getlogin" getlogin, 1;
    Allocates "unix_getpwnam" getpwnam, 1;
    Allocates "unix_getpwuid" getpwuid, 1;
    Allocates "unix_getgrnam" getgrnam, 1;
    Allocates "unix_getgrgid" getgrgid, 1;
}

/// A number that only the host knows.
pub fn identity(which: Identity, function: &str) -> Outcome {
    Ok(Value::int(plain(host::identity(which), function)?))
}

fn getuid(_: Value) -> Outcome {
    identity(Identity::User, "getuid")
}

fn geteuid(_: Value) -> Outcome {
    identity(Identity::EffectiveUser, "geteuid")
}

fn getgid(_: Value) -> Outcome {
    identity(Identity::Group, "getgid")
}

fn getegid(_: Value) -> Outcome {
    identity(Identity::EffectiveGroup, "getegid")
}

fn getgroups(_: Value) -> Outcome {
    let groups = plain(host::groups(), "getgroups")?;
    if groups.is_empty() {
        return Ok(heap::atom(0));
    }
    let groups: Vec<Value> = groups.into_iter().map(Value::int).collect();
    Ok(heap::alloc_fields(0, &groups))
}

fn getlogin(_: Value) -> Outcome {
    let name = plain(host::login(), "getlogin")?;
    Ok(heap::alloc_string(&name))
}

/// A name with a NUL in it is nobody's.
fn getpwnam(name: Value) -> Outcome {
    let name = name.to_bytes();
    user(host::user_by_name(&name), |fields| fields[0] == name)
}

fn getpwuid(number: Value) -> Outcome {
    let number = number.as_int();
    user(host::user_by_number(number), |fields| {
        integer(&fields[2]) == Some(number)
    })
}

fn getgrnam(name: Value) -> Outcome {
    let name = name.to_bytes();
    group(|fields| fields[0] == name)
}

fn getgrgid(number: Value) -> Outcome {
    group(|fields| integer(&fields[2]) == Some(number.as_int()))
}

/// A value of type `Unix.passwd_entry`, from the host, or where it has no database, the line that
/// `wanted` accepts.
fn user(of_host: Result<Vec<Vec<u8>>, Errno>, wanted: impl Fn(&[Vec<u8>]) -> bool) -> Outcome {
    const FIELDS: usize = 7;
    let fields = match of_host {
        Err(Errno::NOSYS) => line(b"/etc/passwd", FIELDS, wanted),
        of_host => of_host.ok().filter(|fields| fields.len() == FIELDS),
    };
    entry(&fields.ok_or_else(raise::not_found)?)
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

/// The first line of a file with fields between colons that `wanted` accepts, if it has `count` of
/// them.
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
