//! The files of `tests/golden`: each is an annotated module with, in comments, the calls to make
//! and the residual code of its requests. `tests/tests/golden.rs` says how they are written, and
//! `tests/tables` how the tables in them are.
//!
//! Leaves out: whether the residual code is the expected one.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use specializer::Options;

use crate::annotated::{Program, verified};
use crate::workspace;

/// The line from which on a file holds what `BLESS=1` writes.
pub const RESIDUAL: &str = ";; residual\n";

/// The files of `tests/golden`, in the order of their names.
pub fn files() -> Vec<PathBuf> {
    let directory = workspace().join("tests/golden");
    let entries = fs::read_dir(directory).expect("the directory of goldens can be listed");
    let paths = entries.map(|entry| entry.expect("a directory entry can be read").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "wat"))
        .collect();
    files.sort();
    files
}

/// An annotated module, and the calls to make.
pub struct Golden {
    pub module: Vec<u8>,
    pub options: Options,
    pub calls: Vec<Call>,
}

/// `run args -> result after trace`; a trace that is long has a line of its own, `after trace`.
pub struct Call {
    pub args: Vec<i64>,
    pub result: Option<u64>,
    pub trace: Vec<i64>,
}

impl Golden {
    /// Reads what comes before the residual code.
    pub fn parse(head: &str) -> Result<Self> {
        let mut golden = Golden {
            module: tables::module(head)?,
            options: verified(),
            calls: Vec::new(),
        };
        for line in head.lines() {
            if let Some(call) = line.strip_prefix(";; run ") {
                let call = Call::parse(call).with_context(|| line.to_owned())?;
                golden.calls.push(call);
            } else if let Some(trace) = line.strip_prefix(";; after ") {
                let call = golden
                    .calls
                    .last_mut()
                    .context("`after` belongs to a `run`")?;
                call.trace = numbers(trace)?;
            } else if let Some(nodes) = line.strip_prefix(";; nodes ") {
                golden.options.budgets.nodes = nodes.parse()?;
                golden.options.budgets.nodes_per_byte = 0;
            }
        }
        ensure!(!golden.calls.is_empty(), "no `;; run` line");
        Ok(golden)
    }

    /// Makes the calls: each has to do what the file says.
    pub fn check_calls(&self, program: &Program) -> Result<()> {
        for call in &self.calls {
            let found = program.run(&call.args)?;
            if (found.result, &found.trace) != (call.result, &call.trace) {
                bail!(
                    "run {:?}: found {:?} after {:?}, expected {:?} after {:?}",
                    call.args,
                    found.result.map(|bits| bits as i64),
                    found.trace,
                    call.result.map(|bits| bits as i64),
                    call.trace
                );
            }
        }
        Ok(())
    }

    /// The residual functions as comment lines.
    pub fn residual_comment(&self) -> Result<String> {
        let texts = specializer::residual_text(&self.module, &self.options)?;
        let texts = texts.into_iter().map(|text| match text {
            Ok(text) => text,
            Err(declined) => format!("declined: {declined}\n"),
        });
        let lines: Vec<String> = texts
            .flat_map(|text| {
                let lines = text.lines().map(|line| format!(";; {line}\n"));
                lines.collect::<Vec<_>>()
            })
            .collect();
        Ok(lines.concat())
    }
}

impl Call {
    fn parse(text: &str) -> Result<Self> {
        let (args, outcome) = text.split_once("->").context("no `->`")?;
        let (result, trace) = outcome.split_once("after").unwrap_or((outcome, ""));
        let result = match result.trim() {
            "trap" => None,
            number => Some(number.parse::<i64>()? as u64),
        };
        Ok(Self {
            args: numbers(args)?,
            result,
            trace: numbers(trace)?,
        })
    }
}

fn numbers(text: &str) -> Result<Vec<i64>> {
    let words = text.split_whitespace();
    Ok(words.map(str::parse).collect::<Result<_, _>>()?)
}
