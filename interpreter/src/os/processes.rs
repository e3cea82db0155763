//! Programs that this one starts: where they are found, and the shell.

use super::host::{self, Program};
use super::{Errno, descriptors, environment};

/// Where programs are looked for if nothing else is said.
const PATH: &[u8] = b"/bin:/usr/bin";

pub const SHELL: &[u8] = b"/bin/sh";

/// Any child, for [`host::wait`].
pub const ANY: i64 = -1;

/// The files by which a program may be meant: itself, or one of that name in each directory of the
/// variable PATH.
pub fn candidates(name: &[u8], search: bool) -> Vec<Vec<u8>> {
    if !search || name.contains(&b'/') || name.is_empty() {
        return vec![name.to_vec()];
    }
    let path = environment::variable(b"PATH").unwrap_or(PATH.to_vec());
    path.split(|&byte| byte == b':')
        .map(|directory| match directory {
            b"" => name.to_vec(),
            _ => [directory, b"/", name].concat(),
        })
        .collect()
}

/// Does something with the first of `candidates` that can be executed.
pub fn first<R>(
    candidates: Vec<Vec<u8>>,
    mut f: impl FnMut(Vec<u8>) -> Result<R, Errno>,
) -> Result<R, Errno> {
    let mut failure = Errno::NOENT;
    for candidate in candidates {
        match f(candidate) {
            // Found, and another one may do.
            Err(Errno::ACCES) => failure = Errno::ACCES,
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            result => return result,
        }
    }
    Err(failure)
}

/// Starts the shell with a command, and with `defaults` of [`Program`]; its process.
pub fn shell(command: &[u8], defaults: u64) -> Result<i64, Errno> {
    host::spawn(&Program {
        path: SHELL,
        arguments: &[b"sh".to_vec(), b"-c".to_vec(), command.to_vec()],
        environment: &environment::all(),
        files: &descriptors::inherited([0, 1, 2])?,
        defaults,
    })
}
