//! Every program of `tests/programs`, under the generic interpreter, specialized, and in lockstep,
//! the latter two with and without forced collections: output and exit code are those of
//! `ocamlrun`, byte for byte.
//!
//! One test a program and mode, named `PROGRAM::MODE`, so that a table of failures is the test
//! run's summary.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use anyhow::{Error, Result};
use bactrian_tests::process::Outcome;
use bactrian_tests::program::{self, Program};
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::{scratch, workspace};
use libtest_mimic::{Arguments, Failed, Trial};

/// So many programs go through one mode before they go through the next. The two modes of lockstep
/// share their modules: the second finds them compiled, and not yet evicted.
const GROUP: usize = 8;

fn main() -> Result<ExitCode> {
    let arguments = Arguments::from_args();
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "programs")?;
    let binary = env!("CARGO_BIN_EXE_bactrian-under-test");
    let tool = Arc::new(Tool::new(binary, &directory)?);
    let directory: Arc<Path> = directory.into();
    let programs = program::all(&workspace().join("tests/programs"))?;
    let cases = programs.into_iter().map(Case::new).map(Arc::new);
    let cases: Vec<_> = cases.collect();
    let mut trials = Vec::new();
    for group in cases.chunks(GROUP) {
        for mode in Mode::ALL {
            for case in group {
                let name = format!("{}::{}", case.program.name, mode.name());
                let (case, tool, directory) = (case.clone(), tool.clone(), directory.clone());
                trials.push(Trial::test(name, move || {
                    case.check(mode, &tool, &directory).map_err(Failed::from)
                }));
            }
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// A program, for all modes.
struct Case {
    program: Program,
    /// Its bytecode, and what `ocamlrun` makes of it, once a mode has asked.
    expected: OnceLock<Result<(PathBuf, Outcome), String>>,
}

impl Case {
    fn new(program: Program) -> Self {
        Self {
            program,
            expected: OnceLock::new(),
        }
    }

    fn check(&self, mode: Mode, tool: &Tool, directory: &Path) -> Result<(), String> {
        let expected = self
            .expected
            .get_or_init(|| self.expect(directory).map_err(told));
        let (bytecode, expected) = expected.as_ref().map_err(String::clone)?;
        let mut actual = tool.execute(mode, &self.program, bytecode).map_err(told)?;
        if matches!(mode, Mode::Stress | Mode::Collecting) && self.program.sees_collections {
            actual.stdout.clone_from(&expected.stdout);
        }
        actual.difference(expected).map_or(Ok(()), Err)
    }

    fn expect(&self, directory: &Path) -> Result<(PathBuf, Outcome)> {
        let bytecode = self.program.compile(directory)?;
        let expected = self.program.oracle(&bytecode)?;
        Ok((bytecode, expected))
    }
}

fn told(error: Error) -> String {
    format!("{error:#}")
}
