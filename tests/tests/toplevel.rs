//! OCaml's toplevel, a bytecode program that compiles and runs what it reads: scripts and piped
//! sessions of `tests/toplevel` give what they give under `ocamlrun`, byte for byte, generic,
//! specialized and in lockstep.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::{scratch, workspace};

/// The toplevel and what it loads.
const TOPLEVEL: &str = "/usr/bin/ocaml";
const LIBRARY: &str = "/usr/lib/ocaml";

/// Its arguments and standard input.
struct Session {
    args: &'static [&'static str],
    input: &'static str,
}

const SESSION: Session = Session {
    args: &[],
    input: "session.in",
};

const SCRIPT: Session = Session {
    args: &["script.ml", "one", "two three"],
    input: "empty.in",
};

const WITH_INIT: Session = Session {
    args: &["-noprompt", "-init", "init.ml", "-w", "+a-4-70"],
    input: "init.in",
};

const BACKTRACES: Session = Session {
    args: &[],
    input: "backtraces.in",
};

impl Session {
    fn input(&self) -> Result<Vec<u8>> {
        let path = directory().join(self.input);
        std::fs::read(&path).with_context(|| path.display().to_string())
    }

    fn oracle(&self) -> Result<Outcome> {
        let mut command = Command::new("ocamlrun");
        command
            .current_dir(directory())
            .env_clear()
            .arg(TOPLEVEL)
            .args(self.args);
        process::run(&mut command, &self.input()?)
    }

    fn execute(&self, tool: &Tool, mode: Mode) -> Result<Outcome> {
        let mut command = tool.command(mode.flags());
        command
            .current_dir(directory())
            .args(["--dir", ".", "--dir", &format!("{LIBRARY}::{LIBRARY}")])
            .arg("--cache")
            .arg(&tool.cache)
            .args([TOPLEVEL, "--"])
            .args(self.args);
        process::run(&mut command, &self.input()?)
    }

    fn check(&self, tool: &Tool, modes: &[Mode]) -> Result<()> {
        let expected = self.oracle()?;
        for &mode in modes {
            let difference = self.execute(tool, mode)?.difference(&expected);
            assert_eq!(difference, None, "{}, {}", self.input, mode.name());
        }
        Ok(())
    }
}

fn directory() -> PathBuf {
    workspace().join("tests/toplevel")
}

/// Definitions, types, errors with their places, warnings, directives, traces, loaded libraries,
/// uncaught exceptions. One test: the first session fills the cache for the others.
#[test]
fn sessions_and_scripts() -> Result<()> {
    let cache = scratch(env!("CARGO_TARGET_TMPDIR"), "toplevel")?;
    let tool = Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), &cache)?;
    SESSION.check(&tool, &[Mode::Generic, Mode::Residual, Mode::Lockstep])?;
    BACKTRACES.check(&tool, &[Mode::Residual, Mode::Lockstep])?;
    SCRIPT.check(&tool, &[Mode::Generic, Mode::Residual])?;
    WITH_INIT.check(&tool, &[Mode::Generic, Mode::Residual])
}
