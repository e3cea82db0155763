//! The program as a process: its number, its environment, its children, of which there are none.

use super::arguments::plain;
use super::error;
use crate::heap;
use crate::os::{self, Errno, descriptors, environment};
use crate::primitives::files::string_array;
use crate::registry::Outcome;
use crate::value::{Value, tag};
use std::cell::Cell;

crate::primitives! {
    Leaf "unix_exit" exit, 1;
    Leaf "unix_getpid" getpid, 1;
    Leaf "unix_getppid" getppid, 1;
    Leaf "unix_wait" wait, 1;
    Leaf "unix_waitpid" waitpid, 2;
    Leaf "unix_nice" nice, 1;
    Leaf "unix_umask" umask, 1;
    Leaf "unix_lockf" lock, 3;
    Allocates "unix_environment" all_variables, 1;
    Allocates "unix_environment_unsafe" all_variables, 1;
    Leaf "unix_putenv" putenv, 2;
    Allocates "unix_times" times, 1;
    Allocates "unix_getitimer" getitimer, 1;
    Allocates "unix_gethostname" gethostname, 1;
}

thread_local! {
    static PROCESS: Cell<i64> = const { Cell::new(0) };
    static UMASK: Cell<i64> = const { Cell::new(0o022) };
}

/// Ends the program at once: nothing is flushed.
fn exit(code: Value) -> Value {
    os::exit(code.as_int() as u8)
}

/// A number for this run, drawn at the first question: WASI has none, and programs name temporary files by it.
pub fn process_number() -> i64 {
    const SMALLEST: u32 = 2;
    const LIMIT: u32 = 1 << 22;
    if PROCESS.get() == 0 {
        let mut bytes = [0; 4];
        if os::random(&mut bytes).is_err() {
            bytes = (os::real_nanoseconds() as u32).to_le_bytes();
        }
        let number = SMALLEST + u32::from_le_bytes(bytes) % (LIMIT - SMALLEST);
        PROCESS.set(number.into());
    }
    PROCESS.get()
}

fn getpid(_: Value) -> Value {
    Value::int(process_number())
}

/// As for a parent that a process cannot see.
fn getppid(_: Value) -> Value {
    Value::int(0)
}

fn wait(_: Value) -> Outcome {
    Err(error::error(Errno::CHILD, "wait"))
}

fn waitpid(_flags: Value, _process: Value) -> Outcome {
    Err(error::error(Errno::CHILD, "waitpid"))
}

/// The priority cannot be changed, only asked for.
fn nice(increment: Value) -> Outcome {
    match increment.as_int() {
        0 => Ok(Value::int(0)),
        _ => Err(error::error(Errno::NOSYS, "nice")),
    }
}

/// Kept, without effect: WASI creates files without permissions.
fn umask(mask: Value) -> Value {
    Value::int(UMASK.replace(mask.as_int() & 0o777))
}

/// Other processes cannot be kept away; there is never a lock to give back.
fn lock(file: Value, command: Value, _size: Value) -> Outcome {
    const UNLOCK: i64 = 0;
    plain(
        descriptors::check(super::arguments::descriptor(file)),
        "lockf",
    )?;
    match command.as_int() {
        UNLOCK => Ok(Value::UNIT),
        _ => Err(error::error(Errno::NOSYS, "lockf")),
    }
}

fn all_variables(_: Value) -> Value {
    string_array(&environment::all())
}

/// A name with a `=` in it sets a variable with a shorter name, as in the C library.
fn putenv(name: Value, value: Value) -> Outcome {
    let (variable, contents) = (name.string_bytes(), value.string_bytes());
    if variable.contains(&0) || contents.contains(&0) {
        return Err(error::about(Errno::INVAL, "putenv", name));
    }
    environment::set([variable, b"=", contents].concat());
    Ok(Value::UNIT)
}

/// Floats, in a record of floats.
fn float_record(floats: &[f64]) -> Value {
    let record = heap::alloc(floats.len(), tag::DOUBLE_ARRAY);
    for (index, &float) in floats.iter().enumerate() {
        record.set_float_field(index, float);
    }
    record
}

/// All processor time counts as the program's own.
fn times(_: Value) -> Value {
    float_record(&[os::process_nanoseconds() as f64 / 1e9, 0.0, 0.0, 0.0])
}

/// No timer ever runs.
fn getitimer(_which: Value) -> Value {
    float_record(&[0.0, 0.0])
}

fn gethostname(_: Value) -> Value {
    let name = os::read_file(b"/etc/hostname").unwrap_or_default();
    let line = name.split(|&byte| byte == b'\n').next().unwrap_or_default();
    heap::alloc_string(match line {
        [] => b"localhost",
        name => name,
    })
}
