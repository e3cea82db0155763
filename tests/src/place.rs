//! A small program and a cache in a directory of a test's own, and what the command does there.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use crate::process;
use crate::program::Program;
use crate::workspace;

/// The cache is `cache/file`, what is built goes to `out`.
#[derive(Debug)]
pub struct Place {
    binary: &'static str,
    directory: TempDir,
    pub bytecode: PathBuf,
}

impl Place {
    /// A place for the command `binary`.
    pub fn new(binary: &'static str) -> Result<Self> {
        let directory = TempDir::new()?;
        for name in ["cache", "out"] {
            fs::create_dir(directory.path().join(name))?;
        }
        let source = workspace().join("tests/fixtures/faults.ml");
        let bytecode = Program::new(source)?.compile(directory.path())?;
        Ok(Self {
            binary,
            directory,
            bytecode,
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The names in a directory.
    pub fn names(&self, directory: &str) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(self.path(directory))? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    /// The command with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.binary);
        command.args(arguments);
        command
    }

    /// The command with these arguments and the place's cache.
    pub fn with_cache(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.arg("--cache").arg(self.path("cache/file"));
        command
    }

    /// Builds the program as `output`.
    pub fn build(&self, output: &str) -> Command {
        let mut command = self.with_cache(&["build"]);
        command.arg("-o").arg(self.path(output)).arg(&self.bytecode);
        command
    }

    /// Runs the program.
    pub fn run(&self, options: &[&str]) -> Command {
        let mut command = self.with_cache(&["run"]);
        command.args(options).arg(&self.bytecode);
        command
    }

    /// Removes whole programs from the cache, so that a build is made of what is known of
    /// functions.
    pub fn forget_programs(&self) -> Result<()> {
        Ok(fs::remove_dir_all(self.path("cache/file-modules"))?)
    }

    /// Fails if an entry of the cache is damaged.
    pub fn assert_cache_is_sound(&self) -> Result<()> {
        let outcome = process::run(&mut self.with_cache(&["cache", "verify"]), b"")?;
        let said = String::from_utf8_lossy(&outcome.stdout);
        assert!(
            outcome.status == Some(0) && said.contains("0 damaged"),
            "{outcome:?}"
        );
        Ok(())
    }
}
