//! Optimisations that are switched off, alone and several at once: a program that has something for
//! each of them writes what it writes under `ocamlrun`.

use anyhow::Result;
use bactrian_tests::program::Program;
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::workspace;
use fastrand::Rng;
use specializer::Optimisations;
use tempfile::TempDir;

/// How many sets of switches are tried beside each switch and all of them.
const SETS: u64 = 6;

#[test]
fn each_optimisation_can_be_switched_off() -> Result<()> {
    let names = Optimisations::NAMES;
    let each = names.iter().map(|&name| vec![name]);
    agree(each.chain([names.to_vec()]))
}

#[test]
fn random_sets_of_optimisations_can_be_switched_off() -> Result<()> {
    agree((0..SETS).map(|seed| {
        let mut rng = Rng::with_seed(seed);
        let names = Optimisations::NAMES.iter().copied();
        names.filter(|_| rng.bool()).collect()
    }))
}

/// The program's outcome is the same without each of these sets.
fn agree(sets: impl Iterator<Item = Vec<&'static str>>) -> Result<()> {
    let directory = TempDir::new()?;
    let tool = Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), directory.path())?;
    let program = Program::new(workspace().join("tests/fixtures/switches.ml"))?;
    let bytecode = program.compile(directory.path())?;
    let expected = program.oracle(&bytecode)?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    for off in sets {
        let outcome = tool.execute_without(&off, Mode::Residual, &program, &bytecode)?;
        assert_eq!(outcome, expected, "without {off:?}");
    }
    Ok(())
}
