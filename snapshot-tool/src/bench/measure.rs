//! Time of a process: CPU time of its own, user and system, as the kernel counts it.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use wait4::Wait4;

/// What a run, or the median of several, came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub cpu: Duration,
    pub status: Option<i32>,
    pub output: Vec<u8>,
}

/// Runs the command `runs` times; output and status are those of the last run, and time is the median.
pub fn median(runs: usize, scratch: &Path, command: impl Fn() -> Command) -> Result<Measured> {
    let mut results = Vec::new();
    for _ in 0..runs.max(1) {
        results.push(once(scratch, command())?);
    }
    let mut times: Vec<Duration> = results.iter().map(|result| result.cpu).collect();
    times.sort_unstable();
    let last = results.pop().expect("there was at least one run");
    Ok(Measured {
        cpu: times[times.len() / 2],
        ..last
    })
}

fn once(scratch: &Path, mut command: Command) -> Result<Measured> {
    let path = scratch.join("output");
    let output = File::create(&path).context("cannot create a scratch file")?;
    let child = command
        .stdin(Stdio::null())
        .stdout(output)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let used = child.wait4().context("cannot wait for a process")?;
    Ok(Measured {
        cpu: used.rusage.utime + used.rusage.stime,
        status: used.status.code(),
        output: fs::read(&path).context("cannot read a scratch file")?,
    })
}
