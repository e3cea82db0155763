//! Other programs, which the tool starts for this one.

use super::super::{Descriptor, Errno, Handle};
use super::{abi, done, words};

/// A program that is to be started.
#[derive(Debug)]
pub struct Program<'a> {
    pub path: &'a [u8],
    pub arguments: &'a [Vec<u8>],
    pub environment: &'a [Vec<u8>],
    /// Its open files, by its numbers.
    pub files: &'a [(Descriptor, Handle)],
    /// The signals that do what they do by default when it begins: signal 1 is the lowest bit. Of
    /// others, those stay ignored that the tool's process ignores, as it always does `SIGPIPE`.
    pub defaults: u64,
}

/// How a child ended, or that it stopped; signals have Linux's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Exited(i64),
    Signaled(i64),
    Stopped(i64),
}

impl Program<'_> {
    /// How many files and arguments, and the signals; and all of it: two words a file, then
    /// strings, each with a NUL behind it.
    fn encode(&self) -> ([i64; 3], Vec<u8>) {
        let counts = [
            self.files.len() as i64,
            self.arguments.len() as i64,
            self.defaults as i64,
        ];
        let mut bytes = Vec::new();
        for (number, handle) in self.files {
            bytes.extend(i64::from(*number).to_le_bytes());
            bytes.extend(i64::from(handle.0).to_le_bytes());
        }
        let strings = self.arguments.iter().chain(self.environment);
        for string in std::iter::once(self.path).chain(strings.map(Vec::as_slice)) {
            bytes.extend(string);
            bytes.push(0);
        }
        (counts, bytes)
    }
}

/// Starts a program; the number of its process.
pub fn spawn(program: &Program) -> Result<i64, Errno> {
    let (counts, input) = program.encode();
    abi::spawn(counts, &input, &mut [])
}

/// Puts a program in this one's place. Returns only if it fails.
pub fn execute(program: &Program) -> Result<(), Errno> {
    let (counts, input) = program.encode();
    done(abi::execute(counts, &input, &mut []))
}

/// Waits for a process, as `waitpid` does, with Linux's flags. Which one it is; nothing if none has
/// ended and the flags say not to wait.
pub fn wait(process: i64, flags: i64) -> Result<Option<(i64, Ended)>, Errno> {
    let mut found = [0; 24];
    abi::wait([process, flags, 0], b"", &mut found)?;
    let found = words(&found);
    let ended = match found[1] {
        0 => Ended::Exited(found[2]),
        1 => Ended::Signaled(found[2]),
        _ => Ended::Stopped(found[2]),
    };
    Ok((found[0] != 0).then_some((found[0], ended)))
}

/// Sends a signal, which has Linux's number, to a process or to several, as `kill` does.
pub fn kill(process: i64, signal: i64) -> Result<(), Errno> {
    done(abi::kill([process, signal, 0], b"", &mut []))
}
