//! Every program of `tests/programs`, under the generic interpreter, specialized, and in lockstep,
//! the latter two with and without forced collections: output and exit code are those of
//! `ocamlrun`, byte for byte.
//!
//! One test a program and mode, named `PROGRAM::MODE`, so that a table of failures is the test
//! run's summary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
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
    let programs = program::all(&workspace().join("tests/programs"))?;
    let mut trials = Vec::new();
    for group in programs.chunks(GROUP) {
        for mode in Mode::ALL {
            for program in group {
                let name = format!("{}::{}", program.name, mode.name());
                let (program, tool, directory) = (program.clone(), tool.clone(), directory.clone());
                trials.push(Trial::test(name, move || {
                    check(&program, mode, &tool, &directory).map_err(Failed::from)
                }));
            }
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn check(program: &Program, mode: Mode, tool: &Tool, directory: &Path) -> Result<(), String> {
    // Tests run side by side: each mode has a build of its own.
    let outcome = || -> Result<Option<String>> {
        let bytecode = program.compile(&scratch(&directory.to_string_lossy(), mode.name())?)?;
        let expected = program.oracle(&bytecode)?;
        let mut actual = tool.execute(mode, program, &bytecode)?;
        if matches!(mode, Mode::Stress | Mode::Collecting) && program.sees_collections {
            actual.stdout.clone_from(&expected.stdout);
        }
        Ok(actual.difference(&expected))
    };
    match outcome() {
        Ok(None) => Ok(()),
        Ok(Some(difference)) => Err(difference),
        Err(error) => Err(format!("{error:#}")),
    }
}
