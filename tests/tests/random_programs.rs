//! A random OCaml program does the same under `ocamlrun` and in every mode. `make fuzz` tries
//! others.

use anyhow::Result;
use bactrian_tests::random_programs::check::{Checker, Verdict};
use bactrian_tests::random_programs::program;
use bactrian_tests::scratch;

/// The program that is tried, and how many functions it has: one that compiles, within half a
/// minute.
const SEED: u64 = 1;
const FUNCTIONS: usize = 12;

#[test]
fn a_random_program_runs_as_under_ocamlrun() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "random_programs")?;
    let binary = env!("CARGO_BIN_EXE_bactrian-under-test");
    let checker = Checker::new(binary.into(), &directory)?;
    match checker.check(SEED, FUNCTIONS)? {
        Verdict::Same => Ok(()),
        other => panic!("program {SEED}: {other:?}"),
    }
}

#[test]
fn a_seed_gives_one_program() {
    let text = program(SEED, FUNCTIONS).text();
    assert_eq!(text, program(SEED, FUNCTIONS).text());
    assert_ne!(text, program(SEED + 1, FUNCTIONS).text());
}
