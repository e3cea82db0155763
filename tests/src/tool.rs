//! The `bactrian` command as the tests call it: the binary of this build, a cache of the test's
//! own, and nothing of the user's environment that could change what a program does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use tempfile::TempDir;

use crate::process::{self, Outcome};
use crate::program::Program;

/// How large the cache may become, in MiB: room for what tests that run side by side, or soon after
/// one another, share. Room for all that they make would be five gigabytes of disk.
const CACHE_SIZE: &str = "1024";

/// The command, and the cache it uses.
#[derive(Clone, Debug)]
pub struct Tool {
    pub binary: PathBuf,
    pub cache: PathBuf,
}

/// How a program is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Generic,
    Residual,
    /// Both, side by side.
    Lockstep,
    /// Both, with a collection at each safepoint.
    Stress,
    /// Residual code alone, with a collection at each safepoint: lockstep has no virtual boxes.
    Collecting,
}

impl Mode {
    pub const ALL: [Mode; 5] = [
        Mode::Generic,
        Mode::Residual,
        Mode::Lockstep,
        Mode::Stress,
        Mode::Collecting,
    ];

    /// What a test in this mode is called.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Generic => "generic",
            Mode::Residual => "residual",
            Mode::Lockstep => "lockstep",
            Mode::Stress => "stress",
            Mode::Collecting => "collecting",
        }
    }

    /// The subcommand and its options.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Mode::Generic => &["run", "--generic"],
            Mode::Residual => &["run"],
            Mode::Lockstep => &["lockstep"],
            Mode::Stress => &["lockstep", "--stress"],
            Mode::Collecting => &["run", "--env", "BACTRIAN_STRESS=1"],
        }
    }
}

impl Tool {
    /// The command `binary`, whose cache is in `directory` and is of its version.
    pub fn new(binary: impl Into<PathBuf>, directory: &Path) -> Result<Self> {
        let tool = Self {
            binary: binary.into(),
            cache: directory.join("cache.sqlite"),
        };
        tool.look_at_cache()?;
        Ok(tool)
    }

    /// The command with these arguments; `--cache` is among them where a subcommand takes it.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.binary);
        command.env_remove("OCAMLRUNPARAM").args(args);
        command
    }

    /// Looks at the cache: what is said of one that another version made must not be in a program's
    /// output.
    fn look_at_cache(&self) -> Result<()> {
        let file = self.cache.as_os_str();
        let arguments = ["cache", "--cache"].map(OsStr::new);
        let arguments = arguments.into_iter().chain([file, OsStr::new("stats")]);
        let outcome = process::run(&mut self.command(arguments), b"")?;
        if outcome.status != Some(0) {
            let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
            bail!("the cache cannot be used: {said}");
        }
        Ok(())
    }

    /// Executes `program`, compiled to `bytecode`.
    pub fn execute(&self, mode: Mode, program: &Program, bytecode: &Path) -> Result<Outcome> {
        self.execute_without(&[], mode, program, bytecode)
    }

    /// The same without these optimisations.
    pub fn execute_without(
        &self,
        off: &[&str],
        mode: Mode,
        program: &Program,
        bytecode: &Path,
    ) -> Result<Outcome> {
        let directory = TempDir::new()?;
        let mut command = self.command(mode.flags());
        command.args(off.iter().map(|name| format!("-O{name}=off")));
        command.current_dir(&directory).args(["--dir", "."]);
        command.arg("--cache").arg(&self.cache);
        command.args(["--cache-size", CACHE_SIZE]);
        for (name, value) in &program.env {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        command.arg(bytecode);
        if !program.args.is_empty() {
            command.arg("--").args(&program.args);
        }
        process::run(&mut command, &program.input)
    }

    /// Starts `program` as `ocamlrun` would: all files are open to it, and it is where its process
    /// is. Its arguments follow after `--`.
    pub fn drop_in(&self, mode: Mode, program: &str) -> Command {
        let mut command = self.command(mode.flags());
        command.arg("--unconfined").arg("--cache").arg(&self.cache);
        command.args(["--cache-size", CACHE_SIZE]).arg(program);
        command
    }
}
