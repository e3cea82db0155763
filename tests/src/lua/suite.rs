//! Lua's own test suite: each file as a script of its own, generic and specialized.
//!
//! Debian's package does not have the suite; it is part of Lua's repository. Functions that a
//! script loads while it runs stay generic, so a file is not loaded by another one (`all.lua`).
//! Leaves out: tests of the C API, which skip themselves where Lua is not built for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{Lua, Mode};
use crate::process;

/// Where the suite comes from, and its version.
const REPOSITORY: &str = "https://github.com/lua/lua";
const TAG: &str = "v5.4.4";

/// What is no test of its own: `all.lua` runs the others, `heavy.lua` takes all memory there is.
const LEFT_OUT: [&str; 2] = ["all.lua", "heavy.lua"];

/// How long a file may take.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// What `all.lua` sets: no test that depends on the system or takes long, and few messages.
const SETTINGS: &str = "_port = true _soft = true _nomsg = true ";

/// Why a file fails that does, one a line: its name, a colon, the reason.
const REASONS: &str = include_str!("../../../guests/lua/suite.reasons");

/// One file in one mode.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub mode: Mode,
    /// The end of what it said, if it failed.
    pub failure: Option<String>,
}

impl Case {
    /// Why it fails, if that is known.
    pub fn reason(&self) -> Option<&'static str> {
        let named = REASONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(": "));
        let mut named = named.filter(|(name, _)| *name == self.name);
        named.next().map(|(_, reason)| reason)
    }
}

/// The suite in `directory`, fetched unless it is there.
pub fn fetched(directory: &Path) -> Result<PathBuf> {
    let suite = directory.join("testes");
    if !suite.is_dir() {
        let mut git = Command::new("git");
        git.args(["clone", "--depth", "1", "--branch", TAG, REPOSITORY]);
        let outcome = process::run(git.arg(directory), b"")?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        ensure!(outcome.status == Some(0), "git clone {REPOSITORY}: {said}");
    }
    Ok(suite)
}

/// Runs the files of the suite, or those that are named, in a copy of it.
pub fn run(lua: &Lua, suite: &Path, only: &[String]) -> Result<Vec<Case>> {
    let place = tempfile::TempDir::new()?;
    let mut names = Vec::new();
    for entry in fs::read_dir(suite)? {
        let path = entry?.path();
        let name = path.file_name().context("an entry has a name")?;
        let name = name.to_string_lossy().into_owned();
        if path.is_file() {
            fs::copy(&path, place.path().join(&name))?;
        }
        if name.ends_with(".lua") && !LEFT_OUT.contains(&&*name) {
            names.push(name);
        }
    }
    names.retain(|name| only.is_empty() || only.contains(name));
    names.sort();
    let mut cases = Vec::new();
    for name in names {
        let text = fs::read(place.path().join(&name))?;
        let first = text.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        // In front of the first line, so that lines keep their numbers.
        let rest = if text.starts_with(b"#") {
            &text[first..]
        } else {
            &text[..]
        };
        let script = format!("test_{name}");
        fs::write(
            place.path().join(&script),
            [SETTINGS.as_bytes(), rest].concat(),
        )?;
        for mode in Mode::BOTH {
            let mut command = lua.command(mode);
            let command = command.args(["--env", "PATH"]).arg(&script);
            command.current_dir(place.path());
            let failure = match process::within(command, b"", TIME_LIMIT) {
                Ok(outcome) if outcome.status == Some(0) => None,
                Ok(outcome) => {
                    let said = String::from_utf8_lossy(&outcome.stderr);
                    let lines: Vec<&str> = said.lines().take(3).collect();
                    Some(format!(
                        "status {:?}: {}",
                        outcome.status,
                        lines.join(" | ")
                    ))
                }
                Err(error) => Some(error.to_string()),
            };
            eprintln!(
                "{name} {}: {}",
                mode.name(),
                failure.as_deref().unwrap_or("passed")
            );
            let name = name.clone();
            cases.push(Case {
                name,
                mode,
                failure,
            });
        }
    }
    Ok(cases)
}

/// A summary: how many pass, and which do not.
pub fn table(cases: &[Case]) -> String {
    let mut text = String::new();
    for mode in Mode::BOTH {
        let of_mode = || cases.iter().filter(|case| case.mode == mode);
        let passed = of_mode().filter(|case| case.failure.is_none()).count();
        let (name, all) = (mode.name(), of_mode().count());
        text += &format!("{passed} of {all} files of the suite pass {name}.\n");
    }
    let mut rows: Vec<String> = Vec::new();
    for case in cases.iter().filter(|case| case.failure.is_some()) {
        let reason = case.reason().unwrap_or("not explained");
        rows.push(format!(
            "| `{}` | {} | {reason} |\n",
            case.name,
            case.mode.name()
        ));
    }
    if !rows.is_empty() {
        text += "\n| fails | in | reason |\n| --- | --- | --- |\n";
        text.extend(rows);
    }
    text
}
