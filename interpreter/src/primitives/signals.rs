//! Signals. WASI has none. Handlers are kept for the signals that the program sends to itself
//! (`Unix.kill`), and for `SIGPIPE`: it ends a program that writes to a pipe which nobody reads,
//! unless the program handles or ignores it.

use super::named;
use crate::os::{self, Errno, environment};
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "caml_install_signal_handler" install_signal_handler, 2;
}

/// `Sys.signal_behavior`, where it is an integer.
pub const DEFAULT: Value = Value::int(0);
pub const IGNORE: Value = Value::int(1);

const SIGKILL: i64 = 9;
const SIGPIPE: i64 = 13;
const SIGSTOP: i64 = 19;
/// Numbers below this one are signals on Linux.
const SIGNALS: i64 = 65;

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
    if !(0..SIGNALS).contains(&signal) {
        return Err(raise::invalid_argument("Sys.signal: unavailable signal"));
    }
    if matches!(signal, 0 | SIGKILL | SIGSTOP | 32 | 33) {
        return Err(raise::sys_error(Errno::INVAL.message()));
    }
    let old = action_of(signal);
    named::set(name(signal).as_bytes(), action);
    Ok(old)
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
        os::exit(128 + SIGPIPE as u8);
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
