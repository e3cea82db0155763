//! Other programs: starting them, becoming one of them, waiting for them. Only the tool can do that
//! for a program.
//!
//! Leaves out `fork`: what runs here cannot be copied.

use super::arguments::{self, interruptible};
use super::error;
use crate::heap;
use crate::os::host::{self, Ended, Program};
use crate::os::processes::{ANY, SHELL, candidates, first};
use crate::os::{Errno, descriptors, environment};
use crate::primitives::signals::{self, SIGPIPE};
use crate::registry::Outcome;
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Leaf "unix_spawn" spawn, 5;
    Leaf "unix_execv" execv, 2;
    Leaf "unix_execve" execve, 3;
    Leaf "unix_execvp" execvp, 2;
    Leaf "unix_execvpe" execvpe, 3;
    Leaf "unix_fork" fork, 1;
    Collects "unix_wait" wait, 1;
    Collects "unix_waitpid" waitpid, 2;
}

fn spawn(
    name: Value,
    arguments: Value,
    environment: Value,
    search: Value,
    streams: Value,
) -> Outcome {
    const NAME: &str = "create_process";
    let path = arguments::path(name, NAME)?;
    let arguments = arguments::strings(arguments, NAME)?;
    let environment = match environment.option() {
        Some(environment) => arguments::strings(environment, NAME)?,
        None => environment::all(),
    };
    let streams = [0, 1, 2].map(|number| arguments::descriptor(streams.field(number)));
    let files = descriptors::inherited(streams);
    let process = files.and_then(|files| {
        first(candidates(&path, search == Value::TRUE), |path| {
            host::spawn(&Program {
                path: &path,
                arguments: &arguments,
                environment: &environment,
                files: &files,
                defaults: signals::unless_ignored(&[SIGPIPE]),
            })
        })
    });
    match process {
        Ok(process) => Ok(Value::int(process)),
        Err(failure) => Err(error::about(failure, NAME, name)),
    }
}

/// Whether a program that is executed is looked for, and then given to the shell if it is none
/// itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    No,
    Yes,
}

fn execute(
    name: Value,
    arguments: Value,
    environment: Option<Value>,
    search: Search,
    function: &str,
) -> Outcome {
    let path = arguments::path(name, function)?;
    let arguments = arguments::strings(arguments, function)?;
    let environment = match environment {
        Some(environment) => arguments::strings(environment, function)?,
        None => environment::all(),
    };
    let search = search == Search::Yes;
    let failure = run_instead(&path, &arguments, &environment, search).err();
    Err(error::about(failure.unwrap_or(Errno::IO), function, name))
}

/// Returns only if it fails.
fn run_instead(
    path: &[u8],
    arguments: &[Vec<u8>],
    environment: &[Vec<u8>],
    search: bool,
) -> Result<(), Errno> {
    let files = descriptors::inherited([0, 1, 2])?;
    let program = |path: &[u8], arguments: &[Vec<u8>]| {
        host::execute(&Program {
            path,
            arguments,
            environment,
            files: &files,
            defaults: signals::unless_ignored(&[SIGPIPE]),
        })
    };
    first(candidates(path, search), |path| {
        match program(&path, arguments) {
            Err(Errno::NOEXEC) if search => {
                let mut script = vec![b"sh".to_vec(), path];
                script.extend(arguments.iter().skip(1).cloned());
                program(SHELL, &script)
            }
            result => result,
        }
    })
}

fn execv(path: Value, arguments: Value) -> Outcome {
    execute(path, arguments, None, Search::No, "execv")
}

fn execve(path: Value, arguments: Value, environment: Value) -> Outcome {
    execute(path, arguments, Some(environment), Search::No, "execve")
}

fn execvp(name: Value, arguments: Value) -> Outcome {
    execute(name, arguments, None, Search::Yes, "execvp")
}

fn execvpe(name: Value, arguments: Value, environment: Value) -> Outcome {
    execute(name, arguments, Some(environment), Search::Yes, "execvpe")
}

/// The argument of the exception says what to do instead.
fn fork(_: Value) -> Outcome {
    let advice = heap::alloc_string(b"use Unix.create_process or Unix.open_process");
    Err(error::about(Errno::NOSYS, "fork", advice))
}

fn wait(_: Value) -> Outcome {
    waited(ANY, 0, "wait")
}

fn waitpid(flags: Value, process: Value) -> Outcome {
    // WNOHANG and WUNTRACED, in OCaml and as Linux's bits.
    let bits = flags.list().map(|flag| 1 << flag.as_int());
    waited(
        process.as_int(),
        bits.fold(0, |all, bit| all | bit),
        "waitpid",
    )
}

/// A pair of a process, 0 for none, and a value of type `Unix.process_status`.
fn waited(process: i64, flags: i64, function: &str) -> Outcome {
    signals::deliver_before()?;
    let found = match waiting::for_process(process, flags) {
        // Nobody starts programs where the tool does not.
        Err(Errno::NOSYS) => Err(Errno::CHILD),
        found => found,
    };
    let found = interruptible(found, function)?;
    let (process, status) = found.unwrap_or((0, Ended::Exited(0)));
    let fields = [Value::int(process), status_value(status)];
    Ok(heap::alloc_fields(0, &fields))
}

fn status_value(status: Ended) -> Value {
    let (tag, number) = match status {
        Ended::Exited(code) => (0, code),
        Ended::Signaled(signal) => (1, signals::ocaml_number(signal)),
        Ended::Stopped(signal) => (2, signals::ocaml_number(signal)),
    };
    heap::alloc_fields(tag, &[Value::int(number)])
}
