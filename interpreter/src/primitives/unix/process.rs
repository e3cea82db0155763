//! The program as a process: its number, its environment, its times.
//!
//! WASI does not tell the process's number, its priority, the machine's name, or which part of the
//! processor time was the system's. The tool does where it serves the program itself.

use super::arguments::plain;
use super::error;
use super::users::identity;
use crate::heap;
use crate::os::host::{self, Identity};
use crate::os::{self, Errno, environment};
use crate::primitives::files::string_array;
use crate::registry::Outcome;
use crate::value::{Value, tag};

crate::primitives! {
    Leaf "unix_exit" exit, 1;
    Leaf "unix_getpid" getpid, 1;
    Leaf "unix_getppid" getppid, 1;
    Leaf "unix_nice" nice, 1;
    Allocates "unix_environment" all_variables, 1;
    Allocates "unix_environment_unsafe" all_variables, 1;
    Leaf "unix_putenv" putenv, 2;
    Allocates "unix_times" times, 1;
    Allocates "unix_gethostname" gethostname, 1;
}

/// Ends the program at once: nothing is flushed.
fn exit(code: Value) -> Value {
    os::exit(code.as_int() as u8)
}

fn getpid(_: Value) -> Outcome {
    identity(Identity::Process, "getpid")
}

fn getppid(_: Value) -> Outcome {
    identity(Identity::Parent, "getppid")
}

fn nice(increment: Value) -> Outcome {
    let niceness = plain(host::nice(increment.as_int()), "nice")?;
    Ok(Value::int(niceness))
}

fn all_variables(_: Value) -> Value {
    string_array(&environment::all())
}

/// A name with a `=` in it sets a variable with a shorter name, as in the C library.
fn putenv(name: Value, value: Value) -> Outcome {
    let (variable, contents) = (name.to_bytes(), value.to_bytes());
    if variable.contains(&0) || contents.contains(&0) {
        return Err(error::about(Errno::INVAL, "putenv", name));
    }
    environment::set([variable, b"=".to_vec(), contents].concat());
    Ok(Value::UNIT)
}

/// Floats, in a record of floats.
pub fn float_record(floats: &[f64]) -> Value {
    let record = heap::alloc(floats.len(), tag::DOUBLE_ARRAY);
    for (index, &float) in floats.iter().enumerate() {
        record.set_float_field(index, float);
    }
    record
}

fn times(_: Value) -> Outcome {
    let times = plain(host::times(), "times")?;
    Ok(float_record(
        &times.map(|nanoseconds| nanoseconds as f64 / 1e9),
    ))
}

fn gethostname(_: Value) -> Outcome {
    let name = plain(host::host_name(), "gethostname")?;
    Ok(heap::alloc_string(&name))
}
