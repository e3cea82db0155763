//! Signals that the program sends to itself, and to others. Masks are kept; a blocked signal
//! waits.

use super::arguments::plain;
use super::error;
use crate::heap;
use crate::interp;
use crate::os::host::{self, Identity};
use crate::os::{self, Errno};
use crate::primitives::signals::{self, DEFAULT, IGNORE};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use std::cell::Cell;

crate::primitives! {
    Collects "unix_kill" kill, 2;
    Collects "unix_sigprocmask" mask, 2;
    Collects "caml_thread_sigmask" mask, 2;
    Allocates "unix_sigpending" pending, 1;
    Leaf "caml_wait_signal" wait_signal, 1;
}

/// Signals that do nothing unless the program says so: of children, continuing, urgent data,
/// windows.
const HARMLESS: [i64; 4] = [17, 18, 23, 28];
const SIGNALS: i64 = 64;

thread_local! {
    static BLOCKED: Cell<u64> = const { Cell::new(0) };
    static PENDING: Cell<u64> = const { Cell::new(0) };
}

fn kill(process: Value, signal: Value) -> Outcome {
    let signal = signals::number(signal.as_int());
    if !is_this_program(process.as_int()) {
        plain(host::kill(process.as_int(), signal), "kill")?;
        return Ok(Value::UNIT);
    }
    match signal {
        0 => return Ok(Value::UNIT),
        1..=SIGNALS => PENDING.set(PENDING.get() | bit(signal)),
        _ => return Err(error::error(Errno::INVAL, "kill")),
    }
    deliver()?;
    Ok(Value::UNIT)
}

/// Number 0 stands for it.
fn is_this_program(process: i64) -> bool {
    process == 0 || host::identity(Identity::Process) == Ok(process)
}

fn bit(signal: i64) -> u64 {
    1 << (signal - 1)
}

/// Does what the signals do that wait and are not blocked.
fn deliver() -> Result<(), Raised> {
    while let ready @ 1.. = PENDING.get() & !BLOCKED.get() {
        let signal = i64::from(ready.trailing_zeros()) + 1;
        PENDING.set(PENDING.get() & !bit(signal));
        match signals::action_of(signal) {
            DEFAULT if HARMLESS.contains(&signal) => {}
            DEFAULT => os::exit(128 + signal as u8),
            IGNORE => {}
            handler => {
                let number = Value::int(signals::ocaml_number(signal));
                interp::apply(handler.field(0), &[number])?;
            }
        }
    }
    Ok(())
}

/// Changes which signals are blocked; the ones that were.
fn mask(command: Value, signals: Value) -> Outcome {
    let old = BLOCKED.get();
    let set = signals
        .list()
        .map(|signal| signals::number(signal.as_int()))
        .filter(|signal| (1..=SIGNALS).contains(signal))
        .fold(0, |set, signal| set | bit(signal));
    BLOCKED.set(match command.as_int() {
        0 => set,
        1 => old | set,
        _ => old & !set,
    });
    deliver()?;
    Ok(members(old))
}

/// The signals of a set, in a list.
fn members(set: u64) -> Value {
    let members = (1..=SIGNALS).filter(|&signal| set & bit(signal) != 0);
    let numbers: Vec<Value> = members
        .map(|signal| Value::int(signals::ocaml_number(signal)))
        .collect();
    heap::alloc_list(numbers.into_iter())
}

fn pending(_: Value) -> Value {
    members(PENDING.get())
}

/// No signal comes while the program waits.
fn wait_signal(_signals: Value) -> Outcome {
    let reason = Errno::NOSYS.message();
    Err(raise::sys_error(format!("Thread.wait_signal: {reason}")))
}
