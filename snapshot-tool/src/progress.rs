//! Times the specializer's stages. Shows a progress bar for those that take longer than a second,
//! if standard error is a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use specializer::Observer;

use crate::heap;
use crate::stats::{Stage, Watch};

const PATIENCE: Duration = Duration::from_secs(1);

/// From how many bytes a module is large.
const LARGE: usize = 8 << 20;

/// Shows and times the specializer's stages.
pub struct Progress {
    visible: bool,
    /// Whether stages take so much memory that what one has freed is worth giving back.
    is_large: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    done: Vec<Stage>,
}

struct Running {
    name: &'static str,
    since: Instant,
    watch: Watch,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For a module of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            visible: stderr().is_terminal(),
            is_large: bytes >= LARGE,
            state: Mutex::default(),
        }
    }

    /// The stages and what they cost.
    pub fn finish(self) -> Vec<Stage> {
        let mut state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.stop();
        state.done
    }
}

impl State {
    fn stop(&mut self) {
        if let Some(Running { watch, bar, .. }) = self.running.take() {
            self.done.push(watch.stop());
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        }
    }
}

impl Observer for Progress {
    fn stage(&self, name: &'static str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.stop();
        if self.is_large {
            heap::give_back();
        }
        let (since, watch) = (Instant::now(), Watch::start(name));
        state.running = Some(Running {
            name,
            since,
            watch,
            bar: None,
        });
    }

    fn progress(&self, done: usize, total: usize) {
        if !self.visible {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = &mut state.running else {
            return;
        };
        if running.bar.is_none() && running.since.elapsed() > PATIENCE {
            let template = "{msg:>12} {bar:40} {pos}/{len} {eta}";
            let style = ProgressStyle::with_template(template).expect("the template is sound");
            let bar = ProgressBar::new(total as u64)
                .with_style(style)
                .with_message(running.name);
            running.bar = Some(bar);
        }
        if let Some(bar) = &running.bar {
            bar.set_position(done as u64);
        }
    }
}
