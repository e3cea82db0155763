//! Arguments of the library's functions: paths, descriptors, options.

use super::error;
use crate::os::{Descriptor, Errno, Inherit};
use crate::primitives::signals;
use crate::registry::Raised;
use crate::value::Value;

/// A path; one with a NUL in it names nothing.
pub fn path(name: Value, function: &str) -> Result<Vec<u8>, Raised> {
    let bytes = name.to_bytes();
    if bytes.contains(&0) {
        return Err(error::about(Errno::NOENT, function, name));
    }
    Ok(bytes)
}

/// Does something with the path `name`, which errors mention.
pub fn with_path<R>(
    name: Value,
    function: &str,
    f: impl FnOnce(&[u8]) -> Result<R, Errno>,
) -> Result<R, Raised> {
    f(&path(name, function)?).map_err(|error| error::about(error, function, name))
}

/// Does something that can fail without anything to mention.
pub fn plain<R>(result: Result<R, Errno>, function: &str) -> Result<R, Raised> {
    result.map_err(|error| error::error(error, function))
}

/// The same for what may wait, in primitives that may collect: handlers of signals that came
/// meanwhile run first, that of one which ended the waiting above all.
pub fn interruptible<R>(result: Result<R, Errno>, function: &str) -> Result<R, Raised> {
    match result {
        Err(Errno::INTR) => signals::deliver()?,
        Err(_) => signals::deliver_before()?,
        Ok(_) => {}
    }
    plain(result, function)
}

pub fn descriptor(value: Value) -> Descriptor {
    value.as_int() as Descriptor
}

/// Whether programs that are started get a descriptor, from the optional argument `cloexec`.
pub fn inherit(close_on_exec: Value) -> Inherit {
    match close_on_exec.option() {
        Some(Value::TRUE) => Inherit::No,
        Some(_) | None => Inherit::Yes,
    }
}

/// The strings of an array, none of which may have a NUL in it.
pub fn strings(array: Value, function: &str) -> Result<Vec<Vec<u8>>, Raised> {
    let elements = (0..array.wosize()).map(|index| array.field(index));
    elements
        .map(|element| {
            let bytes = element.to_bytes();
            match bytes.contains(&0) {
                true => Err(error::about(Errno::INVAL, function, element)),
                false => Ok(bytes),
            }
        })
        .collect()
}
