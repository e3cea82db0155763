//! One run of a command: what it wrote, how it ended.
//!
//! Invariant: a run ends, at the latest after its time limit, which is wall time: a command that
//! waits for something uses no processor time.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use wait_timeout::ChildExt;

/// How long any single command may take. No test comes near it, even on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(900);

/// What came out of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit status; of a process that a signal killed, minus the signal's number.
    pub status: Option<i32>,
}

/// Runs `command` with `input` on its standard input.
pub fn run(command: &mut Command, input: &[u8]) -> Result<Outcome> {
    within(command, input, TIME_LIMIT)
}

/// Runs `command`, at most for so long.
pub fn within(command: &mut Command, input: &[u8], limit: Duration) -> Result<Outcome> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let feed = feed(&mut child, input.to_vec());
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status = child.wait_timeout(limit)?;
    if status.is_none() {
        child.kill()?;
        child.wait()?;
    }
    let (stdout, stderr) = (joined(stdout), joined(stderr));
    feed.join().expect("feeding a pipe does not panic");
    let Some(status) = status else {
        let said = String::from_utf8_lossy(&stderr).into_owned();
        bail!("{command:?} did not end within {limit:?}; it said: {said}");
    };
    Ok(Outcome {
        stdout,
        stderr,
        status: status
            .code()
            .or_else(|| status.signal().map(|signal| -signal)),
    })
}

/// Runs `command` in a new directory inside `parent`, which is removed again.
pub fn in_fresh_directory(command: &mut Command, parent: &Path, input: &[u8]) -> Result<Outcome> {
    let directory = parent.join("work");
    fs::create_dir(&directory)?;
    let outcome = run(
        command.current_dir(&directory).env("PWD", &directory),
        input,
    );
    open_all(&directory)?;
    fs::remove_dir_all(&directory)?;
    outcome
}

/// Lets directories be removed whose permissions a program took away.
fn open_all(directory: &Path) -> Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_all(&entry.path())?;
        }
    }
    Ok(())
}

fn feed(child: &mut Child, input: Vec<u8>) -> thread::JoinHandle<()> {
    let mut pipe = child.stdin.take().expect("stdin is piped");
    // A program need not read all of its input: a broken pipe is no failure.
    thread::spawn(move || drop(pipe.write_all(&input)))
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    let mut pipe = pipe.expect("the stream is piped");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes)
            .expect("a child's pipe can be read");
        bytes
    })
}

fn joined(reader: thread::JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().expect("a child's pipe can be read")
}

impl Outcome {
    /// Describes the first difference from `expected`, stream by stream.
    pub fn difference(&self, expected: &Outcome) -> Option<String> {
        let stdout = stream("stdout", &self.stdout, &expected.stdout);
        let stderr = stream("stderr", &self.stderr, &expected.stderr);
        let status = (self.status != expected.status).then(|| {
            format!(
                "status: {:?}, expected {:?}\nstderr: {}",
                self.status,
                expected.status,
                Excerpt(&self.stderr)
            )
        });
        let parts: Vec<_> = [status, stdout, stderr].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }
}

fn stream(name: &str, got: &[u8], expected: &[u8]) -> Option<String> {
    if got == expected {
        return None;
    }
    let at = got.iter().zip(expected).take_while(|(a, b)| a == b).count();
    let line = got[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let from = got[..at]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    Some(format!(
        "{name} differs at byte {at}, line {line}\n  got:      {}\n  expected: {}",
        Excerpt(&got[from..]),
        Excerpt(&expected[from..])
    ))
}

/// The beginning of some output, printable.
struct Excerpt<'a>(&'a [u8]);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LENGTH: usize = 600;
        let shown = &self.0[..self.0.len().min(LENGTH)];
        write!(f, "{}", shown.escape_ascii())?;
        if shown.len() < self.0.len() {
            write!(f, " ... ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_status_are_collected() {
        let outcome = run(
            Command::new("sh").args(["-c", "cat; echo no >&2; exit 3"]),
            b"yes",
        )
        .expect("sh is installed");
        assert_eq!(outcome.stdout, b"yes");
        assert_eq!(outcome.stderr, b"no\n");
        assert_eq!(outcome.status, Some(3));
    }

    #[test]
    fn a_difference_names_its_line() {
        let outcome = |text: &str| Outcome {
            stdout: text.into(),
            stderr: Vec::new(),
            status: Some(0),
        };
        assert_eq!(outcome("a\n").difference(&outcome("a\n")), None);
        let difference = outcome("a\nbx\n")
            .difference(&outcome("a\nby\n"))
            .expect("they differ");
        assert!(difference.contains("byte 3, line 2"), "{difference}");
        assert!(difference.contains(r"got:      bx\n"), "{difference}");
    }
}
