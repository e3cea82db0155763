//! A progress bar on standard error, where that is a terminal, for stages that take longer than a second.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use specializer::Observer;

const PATIENCE: Duration = Duration::from_secs(1);

/// Shows how the specializer gets on.
pub struct Progress {
    enabled: bool,
    state: Mutex<State>,
}

struct State {
    stage: &'static str,
    since: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Self {
        let state = State {
            stage: "",
            since: Instant::now(),
            bar: None,
        };
        Self {
            enabled: stderr().is_terminal(),
            state: Mutex::new(state),
        }
    }
}

impl Observer for Progress {
    fn stage(&self, name: &'static str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        state.stage = name;
        state.since = Instant::now();
    }

    fn progress(&self, done: usize, total: usize) {
        if !self.enabled {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.bar.is_none() && state.since.elapsed() > PATIENCE {
            let style = ProgressStyle::with_template("{msg:>12} {bar:40} {pos}/{len} {eta}")
                .expect("the template is sound");
            state.bar = Some(
                ProgressBar::new(total as u64)
                    .with_style(style)
                    .with_message(state.stage),
            );
        }
        if let Some(bar) = &state.bar {
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stage("");
    }
}
