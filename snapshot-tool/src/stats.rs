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

/// A stage that runs.
pub struct Watch {
    name: &'static str,
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Watch {
    pub fn start(name: &'static str) -> Self {
        Self {
            name,
            wall: Instant::now(),
            cpu: ProcessTime::try_now().ok(),
        }
    }

    pub fn stop(self) -> Stage {
        let cpu = self
            .cpu
            .and_then(|start| start.try_elapsed().ok())
            .unwrap_or_default();
        Stage {
            name: self.name,
            wall: self.wall.elapsed(),
            cpu,
            note: String::new(),
        }
    }
}

/// The stages so far, in order.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    stages: Vec<Stage>,
}

impl Stages {
    /// Does `work` and records what it cost.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let watch = Watch::start(name);
        let result = work();
        self.stages.push(watch.stop());
        result
    }

    /// Adds stages that were timed elsewhere.
    pub fn extend(&mut self, stages: Vec<Stage>) {
        self.stages.extend(stages);
    }

    /// Adds a note to the last stage.
    pub fn note(&mut self, note: impl fmt::Display) {
        if let Some(stage) = self.stages.last_mut() {
            stage.note = note.to_string();
        }
    }

    /// In the order in which they were.
    pub fn iter(&self) -> impl Iterator<Item = &Stage> {
        self.stages.iter()
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

/// A size, for people.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
