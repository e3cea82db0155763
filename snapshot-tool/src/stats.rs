//! Time by stage, wall clock and CPU (of all threads), for `--stats` and the benchmarks.

use std::fmt;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// One stage's cost.
#[derive(Clone, Debug)]
pub struct Stage {
    pub name: &'static str,
    pub wall: Duration,
    pub cpu: Duration,
    /// Where the result came from, how large it is, and the like; may be empty.
    pub note: String,
}

/// The stages so far, in order.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    stages: Vec<Stage>,
}

impl Stages {
    /// Does `work` and records what it cost.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let (wall, cpu) = (Instant::now(), ProcessTime::try_now());
        let result = work();
        let cpu = cpu
            .and_then(|start| start.try_elapsed())
            .unwrap_or_default();
        self.stages.push(Stage {
            name,
            wall: wall.elapsed(),
            cpu,
            note: String::new(),
        });
        result
    }

    /// Adds a note to the last stage.
    pub fn note(&mut self, note: impl fmt::Display) {
        if let Some(stage) = self.stages.last_mut() {
            stage.note = note.to_string();
        }
    }

    /// The last stage of this name.
    pub fn get(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().rev().find(|stage| stage.name == name)
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Stage {
            name,
            wall,
            cpu,
            note,
        } in &self.stages
        {
            writeln!(
                f,
                "{name:<12} {:>9.1} ms wall {:>9.1} ms cpu  {note}",
                millis(*wall),
                millis(*cpu)
            )?;
        }
        Ok(())
    }
}

/// Milliseconds, for people.
pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
