//! Signals: those that the program sends to itself (`Unix.kill`), `SIGPIPE`, and where the tool
//! serves the program those from outside. They are handled at polls: a program that can install a
//! handler has one in each loop. `SIGPIPE` ends a program that writes to a pipe which nobody reads,
//! unless the program handles or ignores it.

use super::named;
use crate::foreign;
use crate::heap;
use crate::interp;
use crate::os::host::signals::{self, Disposition};
use crate::os::{self, Errno, environment};
use crate::pending;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use crate::vm::vm;
use crate::waiting;
use std::cell::Cell;

crate::primitives! {
    Leaf "caml_install_signal_handler" install_signal_handler, 2;
}

/// `Sys.signal_behavior`, where it is an integer.
pub const DEFAULT: Value = Value::int(0);
pub const IGNORE: Value = Value::int(1);

/// What the keyboard sends.
const SIGINT: i64 = 2;
const SIGQUIT: i64 = 3;
const SIGKILL: i64 = 9;
pub const SIGPIPE: i64 = 13;
const SIGSTOP: i64 = 19;
/// The last signal of Linux's.
pub const SIGNALS: i64 = 64;

/// Signals that do nothing unless the program says so: of children, continuing, urgent data,
/// windows.
const HARMLESS: [i64; 4] = [17, 18, 23, 28];

/// Signals that stop a process: for good, of the keyboard, for reading from and for writing to a
/// terminal.
const STOPPING: [i64; 4] = [SIGSTOP, 20, 21, 22];

/// Linux's numbers of OCaml's signals −1, −2, ….
const NUMBERS: [i64; 28] = [
    6, 14, 8, 1, 4, 2, 9, 13, 3, 11, 15, 10, 12, 17, 18, 19, 20, 21, 22, 26, 27, 7, 29, 31, 5, 23,
    24, 25,
];

/// Linux's number of a signal of OCaml's.
pub fn number(signal: i64) -> i64 {
    let index = usize::try_from(-1 - signal).ok();
    index
        .and_then(|index| NUMBERS.get(index))
        .copied()
        .unwrap_or(signal)
}

/// OCaml's number of a signal of Linux's.
pub fn ocaml_number(signal: i64) -> i64 {
    let index = NUMBERS.iter().position(|&known| known == signal);
    index.map_or(signal, |index| -1 - index as i64)
}

/// Sets what a signal does; returns what it did.
fn install_signal_handler(signal: Value, action: Value) -> Outcome {
    let signal = number(signal.as_int());
    if !(0..=SIGNALS).contains(&signal) {
        return Err(raise::invalid_argument("Sys.signal: unavailable signal"));
    }
    if matches!(signal, 0 | SIGKILL | SIGSTOP | 32 | 33) {
        return Err(raise::sys_error(Errno::INVAL.message()));
    }
    let old = match in_c(action_of(signal)) {
        // As in OCaml's runtime, which knows its own handlers only.
        Some(_) => DEFAULT,
        None => action_of(signal),
    };
    if action == IGNORE || action == DEFAULT && HARMLESS.contains(&signal) {
        pending::remove(bit(signal));
    }
    named::set(name(signal).as_bytes(), action);
    tell_host(signal, disposition_for(action));
    Ok(old)
}

/// Has a function of C handle a signal, which has OCaml's number. `action` is what it does else.
pub fn handle_in_c(signal: i64, function: Option<u32>, action: Value) -> Result<(), Errno> {
    let signal = number(signal);
    if !(1..=SIGNALS).contains(&signal) || matches!(signal, SIGKILL | SIGSTOP) {
        return Err(Errno::INVAL);
    }
    let action = function.map_or(action, |function| {
        heap::alloc_fields(0, &[Value::int(function.into())])
    });
    named::set(name(signal).as_bytes(), action);
    tell_host(signal, disposition_for(action));
    Ok(())
}

/// The function of C that handles a signal, if that is its action.
fn in_c(action: Value) -> Option<u32> {
    let handler = action.is_block().then(|| action.field(0))?;
    (!handler.is_block()).then(|| handler.as_int() as u32)
}

fn disposition_for(action: Value) -> Disposition {
    match action {
        DEFAULT => Disposition::Default,
        IGNORE => Disposition::Ignore,
        _ => Disposition::Keep,
    }
}

/// Where no host takes this, the program has its own signals only.
fn tell_host(signal: i64, disposition: Disposition) {
    let address = |cell: &Cell<u32>| core::ptr::from_ref(cell) as usize as u32;
    let (pending, alert) = (address(&vm().action_pending), address(&vm().alert));
    let told = signals::set_disposition(signal, disposition, pending, alert);
    if told.is_ok() && disposition == Disposition::Keep {
        pending::expect_from_outside();
    }
}

/// Those of the signals that the program does not ignore.
pub fn unless_ignored(signals: &[i64]) -> u64 {
    let set = signals
        .iter()
        .filter(|&&signal| action_of(signal) != IGNORE);
    set.fold(0, |set, &signal| set | bit(signal))
}

thread_local! {
    /// How many commands the program waits for.
    static COMMANDS: Cell<u32> = const { Cell::new(0) };
}

/// While one of these is there, the keyboard's signals do nothing, as while C's `system` waits:
/// they are for the command.
#[derive(Debug)]
pub struct Command {
    /// What the command is to find by default.
    pub defaults: u64,
}

impl Command {
    pub fn begin() -> Self {
        if COMMANDS.replace(COMMANDS.get() + 1) == 0 {
            for signal in [SIGINT, SIGQUIT] {
                tell_host(signal, Disposition::Ignore);
            }
        }
        Self {
            defaults: unless_ignored(&[SIGINT, SIGQUIT, SIGPIPE]),
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        COMMANDS.set(COMMANDS.get() - 1);
        if COMMANDS.get() == 0 {
            for signal in [SIGINT, SIGQUIT] {
                tell_host(signal, disposition_for(action_of(signal)));
            }
        }
    }
}

fn bit(signal: i64) -> u64 {
    1 << (signal - 1)
}

/// A signal that the program sends to itself.
pub fn send(signal: i64) -> Result<(), Raised> {
    pending::add(bit(signal));
    deliver()
}

/// A signal that C raises, by OCaml's number: it waits for a poll if it is blocked, or if OCaml
/// handles it.
pub fn raise_in_c(signal: i64) -> Result<(), Errno> {
    let signal = number(signal);
    if !(1..=SIGNALS).contains(&signal) {
        return Err(Errno::INVAL);
    }
    let waits = pending::blocked() & bit(signal) != 0;
    if waits || act(signal).is_some() {
        pending::add(bit(signal));
        heap::request_safepoint();
    }
    Ok(())
}

/// Does what a signal does, but for what the program's handler does, which it returns.
fn act(signal: i64) -> Option<Value> {
    match action_of(signal) {
        IGNORE => None,
        DEFAULT if HARMLESS.contains(&signal) => None,
        DEFAULT => {
            act_by_default(signal);
            None
        }
        handler => match in_c(handler) {
            Some(function) => {
                foreign::call_with(function, ocaml_number(signal) as i32);
                None
            }
            None => Some(handler),
        },
    }
}

/// Ends the program, or stops it for so long. Where nobody does that to the process, it ends with
/// the status that shells show.
fn act_by_default(signal: i64) {
    let done = signals::act_by_default(signal);
    if done.is_err() || !STOPPING.contains(&signal) {
        os::exit(128 + signal as u8);
    }
}

/// Does what the signals do that wait and are not blocked.
pub fn deliver() -> Result<(), Raised> {
    pending::note_kept();
    while let Some(signal) = first(pending::deliverable()) {
        pending::remove(bit(signal));
        let Some(handler) = act(signal) else {
            continue;
        };
        // It is blocked while it is handled. What the handler does to the mask is undone.
        let blocked = pending::blocked();
        pending::set_blocked(blocked | bit(signal));
        let number = Value::int(ocaml_number(signal));
        let handled = interp::apply(handler.field(0), &[number]);
        pending::set_blocked(blocked);
        if let Err(Raised) = handled {
            if pending::deliverable() != 0 {
                heap::request_safepoint();
            }
            return Err(Raised);
        }
    }
    Ok(())
}

/// The same if any may have come since the last poll. For what is about to wait or to raise, as
/// that is no poll: OCaml's runtime has handlers run before either.
pub fn deliver_before() -> Result<(), Raised> {
    match vm().action_pending.get() {
        0 => Ok(()),
        _ => deliver(),
    }
}

/// The signal with the lowest number.
fn first(set: u64) -> Option<i64> {
    (set != 0).then(|| i64::from(set.trailing_zeros()) + 1)
}

/// Waits for a signal that has a handler and is none of `blocked`. The handler does not run yet, as
/// in OCaml's runtime, which runs it when it may by what is blocked afterwards.
pub fn wait(blocked: u64) -> Result<(), Errno> {
    while !has_come(!blocked) {
        match until_one_comes(blocked) {
            Ok(()) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits for one of the signals `wanted`, takes it, and returns its number: the program blocks them
/// in all of its threads. Handlers of others run meanwhile.
pub fn take(wanted: u64) -> Result<i64, Taking> {
    // What the host does not keep does not come.
    let numbers = (1..=SIGNALS).filter(|&signal| wanted & bit(signal) != 0);
    let unkept = |&signal: &i64| disposition_for(action_of(signal)) != Disposition::Keep;
    let unkept: Vec<i64> = numbers.filter(unkept).collect();
    for &signal in &unkept {
        tell_host(signal, Disposition::Keep);
    }
    let taken = loop {
        if has_come(wanted) {
            break Ok(());
        }
        match until_one_comes(pending::blocked() & !wanted) {
            Ok(()) | Err(Errno::INTR) if has_come(wanted) => break Ok(()),
            Ok(()) | Err(Errno::INTR) => {
                if let Err(Raised) = deliver() {
                    break Err(Taking::Raised);
                }
            }
            Err(error) => break Err(Taking::Failed(error)),
        }
    };
    for &signal in &unkept {
        tell_host(signal, disposition_for(action_of(signal)));
    }
    taken?;
    let signal = first(pending::all() & wanted).expect("one has come");
    pending::remove(bit(signal));
    Ok(signal)
}

/// Why no signal was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taking {
    Failed(Errno),
    /// A handler of another signal raised.
    Raised,
}

/// Whether one of these waits.
fn has_come(signals: u64) -> bool {
    pending::note_kept();
    pending::all() & signals != 0
}

/// Waits until a signal comes, while these are blocked.
fn until_one_comes(blocked: u64) -> Result<(), Errno> {
    let before = pending::blocked();
    pending::set_blocked(blocked);
    let waited = waiting::until_signal();
    pending::set_blocked(before);
    waited
}

/// The signals of a list, as OCaml numbers them. Others are passed over.
pub fn set(signals: Value) -> u64 {
    let numbers = signals.list().map(|signal| number(signal.as_int()));
    let known = numbers.filter(|signal| (1..=SIGNALS).contains(signal));
    known.fold(0, |set, signal| set | bit(signal))
}

/// The signals of a set, in a list: as in OCaml's, the last one first.
pub fn members(set: u64) -> Value {
    let members = (1..=SIGNALS).rev();
    let members = members.filter(|&signal| set & bit(signal) != 0);
    let numbers: Vec<Value> = members
        .map(|signal| Value::int(ocaml_number(signal)))
        .collect();
    heap::alloc_list(numbers.into_iter())
}

fn name(signal: i64) -> String {
    format!("\0signal {signal}")
}

/// What a signal does: [`DEFAULT`], [`IGNORE`], or a block with a function. What the program was
/// started with ignored is ignored until it says otherwise.
pub fn action_of(signal: i64) -> Value {
    named::get(name(signal).as_bytes()).unwrap_or_else(|| match environment::ignores(signal) {
        true => IGNORE,
        false => DEFAULT,
    })
}

/// Called when a write finds nobody at the other end. Returns if the program survives that.
pub fn broken_pipe() {
    if action_of(SIGPIPE) == DEFAULT {
        act_by_default(SIGPIPE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_linux() {
        assert_eq!(number(-1), 6, "SIGABRT");
        assert_eq!(number(-8), SIGPIPE);
        assert_eq!(number(-28), 25, "SIGXFSZ");
        assert_eq!(number(10), 10);
        assert_eq!(number(-29), -29);
    }
}
