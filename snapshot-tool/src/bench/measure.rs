//! Time and memory of a process: its own CPU time (user and system) and its peak resident memory,
//! as the kernel counts them.

use std::ffi::OsStr;
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
    /// Peak resident memory in bytes.
    pub peak: u64,
    pub status: Option<i32>,
    pub output: Vec<u8>,
}

impl Measured {
    /// Whether it ended as another run did, with the same output.
    pub fn ends_as(&self, other: &Self) -> bool {
        (self.status, &self.output) == (other.status, &other.output)
    }
}

/// This executable, to be given arguments.
pub fn bactrian() -> Result<Command> {
    let executable = std::env::current_exe().context("cannot find this executable")?;
    Ok(Command::new(executable))
}

/// `ocamlrun` with this program, to be given its arguments.
pub fn ocamlrun(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("ocamlrun");
    command.arg(program);
    command
}

/// Runs the command `runs` times; time is the median, all else is that of the last run.
pub fn median(
    runs: usize,
    scratch: &Path,
    command: impl Fn() -> Result<Command>,
) -> Result<Measured> {
    let [measured] = in_turn(runs, scratch, [&command])?;
    Ok(measured)
}

/// The same of several commands, one after the other in each of the `runs`: where a machine is
/// faster at times, each has its share of that.
pub fn in_turn<const COUNT: usize>(
    runs: usize,
    scratch: &Path,
    commands: [&dyn Fn() -> Result<Command>; COUNT],
) -> Result<[Measured; COUNT]> {
    let mut last = commands
        .iter()
        .map(|command| once(scratch, command()?))
        .collect::<Result<Vec<Measured>>>()?;
    let mut times: Vec<Vec<Duration>> = last.iter().map(|measured| vec![measured.cpu]).collect();
    for _ in 1..runs {
        for ((command, last), times) in commands.iter().zip(&mut last).zip(&mut times) {
            *last = once(scratch, command()?)?;
            times.push(last.cpu);
        }
    }
    for (last, times) in last.iter_mut().zip(&mut times) {
        times.sort_unstable();
        last.cpu = times[times.len() / 2];
    }
    Ok(last.try_into().expect("one for each command"))
}

fn once(scratch: &Path, mut command: Command) -> Result<Measured> {
    let path = scratch.join("output");
    let output = File::create(&path).context("cannot create a scratch file")?;
    let child = command
        .stdin(Stdio::null())
        .stdout(output)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let id = child.id();
    let sampler = std::thread::spawn(move || peak(id));
    let used = child.wait4().context("cannot wait for a process")?;
    let peak = sampler.join().expect("the sampler does not panic");
    Ok(Measured {
        cpu: used.rusage.utime + used.rusage.stime,
        peak,
        status: used.status.code(),
        output: fs::read(&path).context("cannot read a scratch file")?,
    })
}

/// Waits for a process to end. Returns its peak memory: the last sample of its high-water mark.
/// What the kernel says of a process that has ended includes the memory of its parent, whose copy
/// it was before it started a program of its own.
fn peak(process: u32) -> u64 {
    const PAUSE: Duration = Duration::from_millis(2);
    let mut peak = 0;
    while let Some(mark) = high_water_mark(process) {
        peak = mark;
        std::thread::sleep(PAUSE);
    }
    peak
}

/// Bytes of a process's largest resident memory so far; `None` when it has ended.
fn high_water_mark(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_that_of_the_process_alone() -> Result<()> {
        let scratch = tempfile::tempdir()?;
        let ballast = vec![1u8; 64 << 20];
        let command = || {
            let mut command = Command::new("sleep");
            command.arg("0.1");
            Ok(command)
        };
        let measured = median(1, scratch.path(), command)?;
        assert_eq!(measured.status, Some(0));
        assert!(
            (100 << 10..32 << 20).contains(&measured.peak),
            "{measured:?}"
        );
        assert_eq!(ballast[ballast.len() / 2], 1);
        Ok(())
    }
}
