//! Files and directories by name: the parts of `sys.c` that touch the file system.
//!
//! Invariant: a name with a NUL in it names nothing (`ENOENT`), and errors carry the name as
//! OCaml's do.

use crate::heap::{self, Root};
use crate::os::{self, Descriptor, Errno, Kind, OpenFlags};
use crate::primitives::signals;
use crate::raise::{self, Predefined};
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Collects "caml_sys_open" open, 3;
    Leaf "caml_sys_close" close, 1;
    Leaf "caml_sys_file_exists" file_exists, 1;
    Leaf "caml_sys_is_directory" is_directory, 1;
    Leaf "caml_sys_remove" remove, 1;
    Leaf "caml_sys_rename" rename, 2;
    Leaf "caml_sys_chdir" change_directory, 1;
    Leaf "caml_sys_mkdir" create_directory, 2;
    Leaf "caml_sys_rmdir" remove_directory, 1;
    Allocates "caml_sys_getcwd" current_directory, 1;
    Allocates "caml_sys_read_directory" read_directory, 1;
    Leaf "caml_sys_isatty" is_terminal, 1;
}

/// `Sys_error "NAME: message"`.
pub fn error_about(name: Value, error: Errno) -> Raised {
    if error == Errno::AGAIN {
        return raise::constant(Predefined::SysBlockedIo);
    }
    raise::sys_error([&name.to_bytes(), &b": "[..], error.message().as_bytes()].concat())
}

/// The bytes of `name`, if it can name something.
fn path(name: Value) -> Result<Vec<u8>, Errno> {
    let bytes = name.to_bytes();
    if bytes.contains(&0) {
        Err(Errno::NOENT)
    } else {
        Ok(bytes)
    }
}

/// Does something with the path `name`; errors mention it.
fn about<R>(name: Value, f: impl FnOnce(&[u8]) -> Result<R, Errno>) -> Result<R, Raised> {
    path(name)
        .and_then(|path| f(&path))
        .map_err(|error| error_about(name, error))
}

fn open(name: Value, flags: Value, permissions: Value) -> Outcome {
    let flags = open_flags(flags);
    let path = path(name);
    let name = Root::new(name);
    signals::deliver_before()?;
    match path.and_then(|path| waiting::open(&path, flags, permissions.as_int() as u32)) {
        Ok(descriptor) => Ok(Value::int(descriptor.into())),
        Err(failure) => {
            signals::deliver()?;
            Err(error_about(name.get(), failure))
        }
    }
}

/// The flags in a list of `Stdlib.open_flag`.
fn open_flags(list: Value) -> OpenFlags {
    let mut flags = OpenFlags {
        close_on_exec: true,
        ..OpenFlags::default()
    };
    for flag in list.list() {
        match flag.as_int() {
            1 => flags.write = true,
            2 => (flags.append, flags.write) = (true, true),
            3 => flags.create = true,
            4 => flags.truncate = true,
            5 => flags.exclusive = true,
            8 => flags.nonblocking = true,
            // Read-only is the default; binary and text are the same.
            _ => {}
        }
    }
    flags.read = !flags.write;
    flags
}

/// Errors are not reported, as under `ocamlrun`.
fn close(descriptor: Value) -> Value {
    let _ = os::close(descriptor.as_int() as Descriptor);
    Value::UNIT
}

fn file_exists(name: Value) -> Value {
    Value::bool(path(name).and_then(|path| os::kind(&path)).is_ok())
}

fn is_directory(name: Value) -> Outcome {
    Ok(Value::bool(about(name, os::kind)? == Kind::Directory))
}

fn remove(name: Value) -> Outcome {
    about(name, os::unlink)?;
    Ok(Value::UNIT)
}

/// The error of a rename does not say which of the two names it is about.
fn rename(from: Value, to: Value) -> Outcome {
    let from = path(from).map_err(|error| error_about(from, error))?;
    let to = path(to).map_err(|error| error_about(to, error))?;
    os::rename(&from, &to)?;
    Ok(Value::UNIT)
}

fn change_directory(name: Value) -> Outcome {
    about(name, os::change_directory)?;
    Ok(Value::UNIT)
}

fn create_directory(name: Value, permissions: Value) -> Outcome {
    about(name, |path| {
        os::create_directory(path, permissions.as_int() as u32)
    })?;
    Ok(Value::UNIT)
}

fn remove_directory(name: Value) -> Outcome {
    about(name, os::remove_directory)?;
    Ok(Value::UNIT)
}

fn current_directory(_: Value) -> Outcome {
    Ok(heap::alloc_string(&os::current_directory()?))
}

fn read_directory(name: Value) -> Outcome {
    let mut names = about(name, os::read_directory)?;
    names.retain(|name| name != b"." && name != b"..");
    Ok(string_array(&names))
}

/// An array of strings.
pub fn string_array(strings: &[Vec<u8>]) -> Value {
    if strings.is_empty() {
        return heap::atom(0);
    }
    let strings: Vec<Value> = strings
        .iter()
        .map(|string| heap::alloc_string(string))
        .collect();
    heap::alloc_fields(0, &strings)
}

fn is_terminal(channel: Value) -> Value {
    let descriptor = super::channels::open::with(channel, |channel| channel.descriptor());
    Value::bool(descriptor.is_some_and(os::is_terminal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{raised, start_machine, string};

    #[test]
    fn errors_name_the_file() {
        start_machine();
        let missing = string("/no/such");
        let text = "Sys_error(\"/no/such: No such file or directory\")";
        assert_eq!(
            raised(open(missing, Value::EMPTY_LIST, Value::int(0))),
            text
        );
        assert_eq!(raised(remove(missing)), text);
        assert_eq!(raised(is_directory(missing)), text);
        assert_eq!(raised(read_directory(missing)), text);
        assert_eq!(raised(change_directory(missing)), text);
        assert_eq!(
            raised(rename(missing, missing)),
            "Sys_error(\"No such file or directory\")"
        );
        assert_eq!(
            raised(create_directory(string("/tmp"), Value::int(0))),
            "Sys_error(\"/tmp: File exists\")"
        );
        assert_eq!(file_exists(missing), Value::FALSE);
        assert_eq!(file_exists(string("/tmp\0x")), Value::FALSE);
    }

    #[test]
    fn a_directory_of_its_own() {
        start_machine();
        let name = format!("/tmp/bactrian-files-{}", std::process::id());
        let directory = string(&name);
        create_directory(directory, Value::int(0o755)).expect("created");
        change_directory(directory).expect("it is there");
        assert_eq!(
            current_directory(Value::UNIT).expect("known").to_bytes(),
            name.as_bytes()
        );
        let flags = heap::alloc_list([Value::int(1), Value::int(3)].into_iter());
        let opened = open(string("file"), flags, Value::int(0o644)).expect("created");
        close(opened);
        let listed = read_directory(string(".")).expect("readable");
        assert_eq!(
            (listed.wosize(), listed.field(0).to_bytes()),
            (1, b"file".to_vec())
        );
        let both = heap::alloc_list([Value::int(3), Value::int(5)].into_iter());
        assert_eq!(
            raised(open(string("file"), both, Value::int(0o644))),
            "Sys_error(\"file: File exists\")"
        );
        rename(string("file"), string("../other-file")).expect("renamed");
        assert_eq!(file_exists(string("file")), Value::FALSE);
        remove(string("../other-file")).expect("removed");
        assert_eq!(
            read_directory(string(".")).expect("readable"),
            heap::atom(0)
        );
        change_directory(string("..")).expect("it is there");
        remove_directory(directory).expect("removed");
    }
}
