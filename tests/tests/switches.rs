//! Optimisations that are switched off, alone and several at once: a program that has something for
//! each of them writes what it writes under `ocamlrun`.

use std::process::Command;

use anyhow::{Context, Result};
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;
use fastrand::Rng;
use specializer::Optimisations;

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
    let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let source = workspace().join("tests/fixtures/switches.ml");
    let program = Program::new(source)?.compile(&workshop.path(""))?;
    let expected = process::run(Command::new("ocamlrun").arg(&program), b"")?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    let program = program.to_str().context("a path of ours is UTF-8")?;
    for set in sets {
        let off: Vec<String> = set.iter().map(|name| format!("-O{name}=off")).collect();
        let off = off.iter().map(String::as_str);
        let arguments: Vec<&str> = ["run"].into_iter().chain(off).chain([program]).collect();
        assert_eq!(workshop.bactrian(&arguments)?, expected, "without {set:?}");
    }
    Ok(())
}
