//! A directory in which a test makes files with compilers and other tools, and what the command
//! does there, with a cache of its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use wasmparser::{KnownCustom, Name, Parser, Payload};

use crate::process::{self, Outcome};

/// The directory, and the command under test.
#[derive(Debug)]
pub struct Workshop {
    binary: &'static str,
    directory: TempDir,
}

impl Workshop {
    /// An empty directory for the command `binary`.
    pub fn new(binary: &'static str) -> Result<Self> {
        let directory = TempDir::new()?;
        Ok(Self { binary, directory })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a compiler, or what else makes a file, here.
    pub fn make(&self, command: &str, args: &[&str]) -> Result<()> {
        let output = Command::new(command)
            .args(args)
            .current_dir(&self.directory)
            .output()
            .with_context(|| format!("{command} cannot be started"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command} {args:?}: {said}");
        Ok(())
    }

    /// Runs the command here.
    pub fn bactrian(&self, args: &[&str]) -> Result<Outcome> {
        process::run(self.command().args(args), b"")
    }

    /// The command, to be run here.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.binary);
        command
            .current_dir(&self.directory)
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env_remove("BACTRIAN_STUBS_PATH");
        command
    }

    /// Has the command make a file of stubs here.
    pub fn make_stubs(&self, output: &str, args: &[&str]) -> Result<()> {
        let made = self.bactrian(&[&["stubs", "-o", output], args].concat())?;
        let said = String::from_utf8_lossy(&made.stderr);
        ensure!(made.status == Some(0), "{args:?}: {said}");
        Ok(())
    }

    /// Removes whole programs from the cache, so that a build is made of what is known of
    /// functions.
    pub fn forget_programs(&self) -> Result<()> {
        let programs = self.path("cache/bactrian/cache.sqlite-modules");
        Ok(fs::remove_dir_all(programs)?)
    }

    /// The names that a module here has for its functions.
    pub fn function_names(&self, module: &str) -> Result<BTreeSet<String>> {
        let module = fs::read(self.path(module))?;
        let mut found = BTreeSet::new();
        for payload in Parser::new(0).parse_all(&module) {
            let Payload::CustomSection(section) = payload? else {
                continue;
            };
            let KnownCustom::Name(names) = section.as_known() else {
                continue;
            };
            for subsection in names {
                if let Name::Function(functions) = subsection? {
                    for naming in functions {
                        found.insert(naming?.name.to_owned());
                    }
                }
            }
        }
        Ok(found)
    }
}
