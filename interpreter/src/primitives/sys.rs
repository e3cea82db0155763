//! `sys.c` without the files: constants, command line, environment, clock, exit.
//!
//! Constants are those of `ocamlrun` on amd64 Linux.

use super::files::{error_about, string_array};
use super::named;
use super::signals;
use crate::evaluation;
use crate::foreign;
use crate::heap::{self, Root};
use crate::os::host::Ended;
use crate::os::{self, Errno, processes};
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Leaf "caml_sys_const_big_endian" big_endian, 1;
    Leaf "caml_sys_const_word_size" word_size, 1;
    Leaf "caml_sys_const_int_size" int_size, 1;
    Leaf "caml_sys_const_max_wosize" max_wosize, 1;
    Leaf "caml_sys_const_ostype_unix" ostype_unix, 1;
    Leaf "caml_sys_const_ostype_win32" ostype_other, 1;
    Leaf "caml_sys_const_ostype_cygwin" ostype_other, 1;
    Leaf "caml_sys_const_backend_type" backend_type, 1;
    Leaf "caml_sys_const_naked_pointers_checked" naked_pointers_checked, 1;
    Allocates "caml_sys_get_config" get_config, 1;
    Allocates "caml_sys_argv" argv, 1;
    Allocates "caml_sys_get_argv" get_argv, 1;
    Leaf "caml_sys_modify_argv" modify_argv, 1;
    Allocates "caml_sys_executable_name" executable_name, 1;
    Allocates "caml_sys_getenv" getenv, 1;
    Allocates "caml_sys_unsafe_getenv" getenv, 1;
    Collects "caml_sys_system_command" system_command, 1;
    Allocates "caml_sys_time" time, 1;
    Allocates "caml_sys_time_include_children" time, 1;
    Allocates "caml_sys_random_seed" random_seed, 1;
    Leaf "caml_sys_exit" exit, 1;
    Leaf "caml_reset_afl_instrumentation" reset_afl, 1;
}

fn big_endian(_: Value) -> Value {
    Value::FALSE
}

fn word_size(_: Value) -> Value {
    Value::int(64)
}

fn int_size(_: Value) -> Value {
    Value::int(63)
}

fn max_wosize(_: Value) -> Value {
    Value::int((1 << 54) - 1)
}

fn ostype_unix(_: Value) -> Value {
    Value::TRUE
}

fn ostype_other(_: Value) -> Value {
    Value::FALSE
}

/// `Sys.Bytecode`.
fn backend_type(_: Value) -> Value {
    Value::int(1)
}

fn naked_pointers_checked(_: Value) -> Value {
    Value::FALSE
}

/// `Sys.os_type`, the word size, whether big endian.
fn get_config(_: Value) -> Value {
    let os_type = heap::alloc_string(b"Unix");
    heap::alloc_fields(0, &[os_type, Value::int(64), Value::FALSE])
}

/// Makes what OCaml's runtime allocates before the program: the command line, and a list of flags
/// for its debugger. Nothing here uses the list, but programs can count its words.
pub fn start() {
    start_command_line();
    start_debugger();
}

/// Makes the command line.
pub fn start_command_line() {
    named::set(named::COMMAND_LINE, string_array(&command_line()));
}

/// The same as [`start`] where the command line is not known yet.
pub fn start_evaluation() {
    named::set(named::COMMAND_LINE, evaluation::ARGUMENTS);
    start_debugger();
}

fn start_debugger() {
    let flags = heap::alloc_list([Value::int(1)].into_iter());
    named::set(named::DEBUGGER_FLAGS, flags);
}

/// The command line: one array for the whole run, which the program may change.
fn argv(_: Value) -> Value {
    named::get(named::COMMAND_LINE).unwrap_or(heap::atom(0))
}

/// Never empty.
fn command_line() -> Vec<Vec<u8>> {
    let mut arguments = os::arguments();
    if arguments.is_empty() {
        arguments.push(Vec::new());
    }
    arguments
}

fn get_argv(unit: Value) -> Value {
    let name = executable_name(unit);
    heap::alloc_fields(0, &[name, argv(unit)])
}

fn modify_argv(array: Value) -> Value {
    evaluation::effect("the command line");
    named::set(named::COMMAND_LINE, array);
    Value::UNIT
}

pub fn executable_name(_: Value) -> Value {
    if evaluation::is_running() {
        return evaluation::PROGRAM;
    }
    heap::alloc_string(&command_line()[0])
}

fn getenv(name: Value) -> Outcome {
    match variable(&name.to_bytes()) {
        Some(value) => Ok(heap::alloc_string(&value)),
        None => Err(raise::not_found()),
    }
}

/// The value of a variable of the environment. An evaluation assumes that it is not set.
pub fn variable(name: &[u8]) -> Option<Vec<u8>> {
    let possible = !name.contains(&0);
    if evaluation::is_running() {
        evaluation::assume_unset(name);
        return None;
    }
    os::variable(name).filter(|_| possible)
}

/// What the command ended with; 255 if that was a signal.
fn system_command(command: Value) -> Outcome {
    const KILLED: i64 = 255;
    let bytes = command.to_bytes();
    if bytes.contains(&0) {
        return Err(error_about(command, Errno::INVAL));
    }
    let command = Root::new(command);
    signals::deliver_before()?;
    let started = signals::Command::begin();
    let ended = processes::shell(&bytes, started.defaults).and_then(end_of);
    drop(started);
    match ended {
        Ok(Ended::Exited(code)) => Ok(Value::int(code)),
        Ok(Ended::Signaled(_) | Ended::Stopped(_)) => Ok(Value::int(KILLED)),
        Err(failure) => Err(error_about(command.get(), failure)),
    }
}

/// Waits for the end of a process, whatever signals come.
fn end_of(process: i64) -> Result<Ended, Errno> {
    /// How long to wait where a signal came that another thread may handle, in nanoseconds.
    const PAUSE: u64 = 1_000_000;
    loop {
        match waiting::for_process(process, 0) {
            Ok(Some((_, ended))) => return Ok(ended),
            Ok(None) => {}
            Err(Errno::INTR) if waiting::has_others() => os::sleep(PAUSE)?,
            Err(Errno::INTR) => {}
            Err(failure) => return Err(failure),
        }
    }
}

/// Processor time in seconds.
fn time(_: Value) -> Value {
    heap::alloc_float(os::process_nanoseconds() as f64 / 1e9)
}

/// Twelve random bytes as an array of integers; from the clock where there is no better source.
fn random_seed(_: Value) -> Value {
    let mut bytes = [0; 12];
    if os::random(&mut bytes).is_err() {
        bytes[..8].copy_from_slice(&os::real_nanoseconds().to_le_bytes());
    }
    heap::alloc_fields(0, &bytes.map(|byte| Value::int(byte.into())))
}

/// Ends the program without further ado: `Stdlib.exit` has run the `at_exit` functions.
pub fn exit(code: Value) -> Value {
    heap::settings::show_at_exit();
    foreign::finish();
    os::exit(code.as_int() as u8)
}

fn reset_afl(_: Value) -> Value {
    Value::UNIT
}
