//! One line on the terminal that says how far the work has come, while a program writes to the same
//! terminal.
//!
//! Invariant: what the program writes looks as it would without the line. The line is taken away
//! before something is written, and shown only where the program has ended its own line.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between one text and the next.
const PERIOD: Duration = Duration::from_millis(100);

/// Back to the line's first column, and nothing after it.
const CLEAR: &str = "\r\x1b[K";

/// The line, which is on standard error.
#[derive(Debug, Default)]
pub struct StatusLine {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_shown: bool,
    is_within_a_line: bool,
    changed: Option<Instant>,
}

impl StatusLine {
    /// A line, if standard error is a terminal.
    pub fn new() -> Option<Self> {
        stderr().is_terminal().then(Self::default)
    }

    /// Shows a text, unless there is no place for it or the last one is too young.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let mut state = self.state();
        let is_young = state.changed.is_some_and(|then| then.elapsed() < PERIOD);
        if !is_young && !state.is_within_a_line {
            state.put(&format!("{CLEAR}{}", text()));
            state.is_shown = true;
            state.changed = Some(Instant::now());
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.state().clear();
    }

    /// Takes the line away and calls `write`, which writes to the terminal. `ends_line` says
    /// whether what it writes ends with the end of a line.
    pub fn give_way<T>(&self, ends_line: bool, write: impl FnOnce() -> T) -> T {
        let mut state = self.state();
        state.clear();
        let result = write();
        state.is_within_a_line = !ends_line;
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            self.put(CLEAR);
        }
    }

    /// Writes to the terminal. A failure is ignored: there is then no line.
    fn put(&self, text: &str) {
        let mut terminal = stderr().lock();
        let _ = terminal
            .write_all(text.as_bytes())
            .and_then(|()| terminal.flush());
    }
}
