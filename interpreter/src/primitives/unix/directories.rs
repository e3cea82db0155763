//! Directories: made, removed, entered, and listed by handles.
//!
//! A handle is an abstract block with a number, which is -1 once it is closed. Its listing is read
//! as a whole when it is opened or rewound.

use super::arguments::{plain, with_path};
use super::error;
use crate::heap;
use crate::os::{self, Errno};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, tag};
use std::cell::RefCell;

crate::primitives! {
    Leaf "unix_mkdir" create, 2;
    Leaf "unix_rmdir" remove, 1;
    Leaf "unix_chdir" change, 1;
    Allocates "unix_getcwd" current, 1;
    Allocates "unix_opendir" open, 1;
    Allocates "unix_readdir" read, 1;
    Leaf "unix_rewinddir" rewind, 1;
    Leaf "unix_closedir" close, 1;
}

struct Listing {
    /// Absolute, so that it means the same after a change of directory.
    path: Vec<u8>,
    /// The names still to come, last one first.
    names: Vec<Vec<u8>>,
}

thread_local! {
    /// By the number in the handle; `None` where the next one has room.
    static LISTINGS: RefCell<Vec<Option<Listing>>> = const { RefCell::new(Vec::new()) };
}

fn create(name: Value, permissions: Value) -> Outcome {
    with_path(name, "mkdir", |path| {
        os::create_directory(path, permissions.as_int() as u32)
    })?;
    Ok(Value::UNIT)
}

fn remove(name: Value) -> Outcome {
    with_path(name, "rmdir", os::remove_directory)?;
    Ok(Value::UNIT)
}

fn change(name: Value) -> Outcome {
    with_path(name, "chdir", os::change_directory)?;
    Ok(Value::UNIT)
}

fn current(_: Value) -> Outcome {
    let directory = plain(os::current_directory(), "getcwd")?;
    Ok(heap::alloc_string(&directory))
}

fn open(name: Value) -> Outcome {
    let listing = with_path(name, "opendir", |path| Listing::read(lasting(path)?))?;
    let number = LISTINGS.with_borrow_mut(|listings| {
        let free = listings.iter().position(Option::is_none);
        let number = free.unwrap_or(listings.len());
        if number == listings.len() {
            listings.push(None);
        }
        listings[number] = Some(listing);
        number
    });
    let handle = heap::alloc(1, tag::ABSTRACT);
    handle.init_field(0, Value::int(number as i64));
    Ok(handle)
}

/// A path that means the same after a change of directory, where the present one has a name.
fn lasting(path: &[u8]) -> Result<Vec<u8>, Errno> {
    match path {
        [] => Err(Errno::NOENT),
        [b'/', ..] => Ok(path.to_vec()),
        _ => Ok(match os::current_directory() {
            Ok(current) => os::path::absolute(&current, path),
            Err(_) => path.to_vec(),
        }),
    }
}

impl Listing {
    fn read(path: Vec<u8>) -> Result<Self, Errno> {
        let mut names = os::read_directory(&path)?;
        names.reverse();
        Ok(Self { path, names })
    }
}

fn with_listing<R>(
    handle: Value,
    function: &str,
    f: impl FnOnce(&mut Listing) -> Result<R, Errno>,
) -> Result<R, Raised> {
    let number = handle.field(0).as_int() as usize;
    let result = LISTINGS.with_borrow_mut(|listings| match listings.get_mut(number) {
        Some(Some(listing)) => f(listing),
        Some(None) | None => Err(Errno::BADF),
    });
    result.map_err(|failure| error::error(failure, function))
}

fn read(handle: Value) -> Outcome {
    let name = with_listing(handle, "readdir", |listing| Ok(listing.names.pop()))?;
    match name {
        Some(name) => Ok(heap::alloc_string(&name)),
        None => Err(raise::end_of_file()),
    }
}

fn rewind(handle: Value) -> Outcome {
    with_listing(handle, "rewinddir", |listing| {
        *listing = Listing::read(listing.path.clone())?;
        Ok(())
    })?;
    Ok(Value::UNIT)
}

fn close(handle: Value) -> Outcome {
    with_listing(handle, "closedir", |_| Ok(()))?;
    let number = handle.field(0).as_int() as usize;
    LISTINGS.with_borrow_mut(|listings| listings[number] = None);
    handle.init_field(0, Value::int(-1));
    Ok(Value::UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::testing::{call, start_machine, string};

    #[test]
    fn the_place_of_a_closed_handle_is_used_again() {
        start_machine();
        let open = || call("unix_opendir", &[string(".")]).expect("a directory");
        let closed = open();
        call("unix_closedir", &[closed]).expect("it is open");
        let handle = open();
        assert_eq!(LISTINGS.with_borrow(Vec::len), 1);
        for function in ["unix_readdir", "unix_rewinddir", "unix_closedir"] {
            assert!(call(function, &[closed]).is_err(), "{function}");
        }
        assert!(call("unix_readdir", &[handle]).is_ok());
    }
}
