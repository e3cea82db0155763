//! Signals that the program sends to itself and to others, that it blocks and waits for; and
//! timers, which send some. A blocked signal waits, but what it does by default the system does at
//! once if it comes from outside.

use super::arguments::plain;
use super::error;
use super::process::float_record;
use crate::os::host::signals::{self as host_signals, Timer};
use crate::os::host::{self, Identity};
use crate::os::{self, Errno};
use crate::pending;
use crate::primitives::signals::{self, Taking};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Collects "unix_kill" kill, 2;
    Collects "unix_sigprocmask" mask, 2;
    Collects "caml_thread_sigmask" mask, 2;
    Collects "unix_sigsuspend" suspend, 1;
    Collects "unix_sleep" sleep, 1;
    Allocates "unix_sigpending" all_pending, 1;
    Leaf "unix_alarm" alarm, 1;
    Allocates "unix_getitimer" timer, 1;
    Allocates "unix_setitimer" set_timer, 2;
    Collects "caml_wait_signal" wait_signal, 1;
}

const SECOND: f64 = 1e9;

fn kill(process: Value, signal: Value) -> Outcome {
    let signal = signals::number(signal.as_int());
    if !is_this_program(process.as_int()) {
        plain(host::kill(process.as_int(), signal), "kill")?;
        return Ok(Value::UNIT);
    }
    match signal {
        0 => {}
        1..=signals::SIGNALS => signals::send(signal)?,
        _ => return Err(error::error(Errno::INVAL, "kill")),
    }
    Ok(Value::UNIT)
}

/// Number 0 stands for it.
fn is_this_program(process: i64) -> bool {
    process == 0 || host::identity(Identity::Process) == Ok(process)
}

/// Changes which signals are blocked; the ones that were.
fn mask(command: Value, signals: Value) -> Outcome {
    let (old, set) = (pending::blocked(), signals::set(signals));
    pending::set_blocked(match command.as_int() {
        0 => set,
        1 => old | set,
        _ => old & !set,
    });
    signals::deliver()?;
    Ok(signals::members(old))
}

/// Waits for a signal that is not among these.
fn suspend(blocked: Value) -> Outcome {
    plain(signals::wait(signals::set(blocked)), "sigsuspend")?;
    signals::deliver()?;
    Ok(Value::UNIT)
}

fn all_pending(_: Value) -> Value {
    pending::note_kept();
    signals::members(pending::all())
}

/// Times from here on are none: seconds have 63 bits.
const MOST_SECONDS: f64 = 9_223_372_036_854_775_808.0;

/// Goes on after each signal that comes.
fn sleep(seconds: Value) -> Outcome {
    let seconds = seconds.as_float();
    if seconds.is_nan() || seconds >= MOST_SECONDS {
        return Err(error::error(Errno::INVAL, "sleep"));
    }
    signals::deliver_before()?;
    let mut left = (seconds.max(0.0) * SECOND) as u64;
    if waiting::has_others() {
        let deadline = os::monotonic_nanoseconds().saturating_add(left);
        loop {
            match waiting::until_ready(&[], Some(deadline)) {
                Err(Errno::INTR) => signals::deliver()?,
                result => return plain(result, "sleep").map(|_| Value::UNIT),
            }
        }
    }
    while left > 0 {
        left = plain(host_signals::sleep(left), "sleep")?;
        signals::deliver()?;
    }
    Ok(Value::UNIT)
}

fn alarm(seconds: Value) -> Outcome {
    let left = plain(host_signals::alarm(seconds.as_int()), "alarm")?;
    Ok(Value::int(left))
}

/// A value of type `Unix.interval_timer_status`.
fn status(timer: Timer) -> Value {
    let seconds = |microseconds: i64| microseconds as f64 / MICROSECONDS;
    float_record(&[seconds(timer.interval), seconds(timer.value)])
}

/// Without a host, no timer ever runs.
fn timer(which: Value) -> Outcome {
    const NONE: Timer = Timer {
        value: 0,
        interval: 0,
    };
    let found = match host_signals::timer(which.as_int()) {
        Err(Errno::NOSYS) => Ok(NONE),
        found => found,
    };
    Ok(status(plain(found, "getitimer")?))
}

/// Microseconds in a second.
const MICROSECONDS: f64 = 1e6;

/// A time in seconds, rounded up so that what is not 0 does not become 0.
fn microseconds(seconds: f64) -> i64 {
    let whole = seconds.trunc();
    let rest = (MICROSECONDS * (seconds - whole)).ceil() as i64;
    (whole as i64)
        .saturating_mul(1_000_000)
        .saturating_add(rest)
}

fn set_timer(which: Value, wanted: Value) -> Outcome {
    let wanted = Timer {
        interval: microseconds(wanted.float_field(0)),
        value: microseconds(wanted.float_field(1)),
    };
    let old = plain(host_signals::set_timer(which.as_int(), wanted), "setitimer")?;
    Ok(status(old))
}

/// Waits for one of these signals, and takes it: no handler runs.
fn wait_signal(wanted: Value) -> Outcome {
    match signals::take(signals::set(wanted)) {
        Ok(signal) => Ok(Value::int(signals::ocaml_number(signal))),
        Err(Taking::Raised) => Err(Raised),
        Err(Taking::Failed(error)) => Err(raise::sys_error(format!("Thread.wait_signal: {error}"))),
    }
}
