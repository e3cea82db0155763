//! PUC-Rio's Lua as a guest: Debian's source package with our lines inserted, its test suite, and
//! what specialization is worth to programs.

pub mod bench;
pub mod build;
pub mod edits;
pub mod suite;
pub mod unwind;

use std::path::PathBuf;
use std::process::Command;

/// What runs scripts: the `bactrian` command, its cache, the guest's manifest.
#[derive(Clone, Debug)]
pub struct Lua {
    pub binary: PathBuf,
    pub cache: PathBuf,
    pub manifest: PathBuf,
}

/// How a script runs under `bactrian`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Generic,
    Specialized,
}

impl Mode {
    pub const BOTH: [Mode; 2] = [Mode::Generic, Mode::Specialized];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Generic => "generic",
            Mode::Specialized => "specialized",
        }
    }
}

impl Lua {
    /// `bactrian run`, to be given a script.
    pub fn command(&self, mode: Mode) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("run").arg("--guest").arg(&self.manifest);
        command.arg("--cache").arg(&self.cache).args(["--dir", "."]);
        if mode == Mode::Generic {
            command.arg("--generic");
        }
        command
    }
}
