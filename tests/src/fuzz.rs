//! The targets of `make fuzz` that are also tests: each runs a few cases in `cargo test`, and
//! ranges of cases for as long as the command says.
//!
//! Invariant: a case is made from its number alone, so a number in a report is enough to see it
//! again. A target is a test that reads its range from the environment, as [`cases`] does.

use std::env;
use std::ops::Range;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::process::{self, Outcome};
use crate::workspace;

const FIRST: &str = "BACTRIAN_FUZZ_FIRST";
const CASES: &str = "BACTRIAN_FUZZ_CASES";

/// A test that takes a range of cases.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    pub package: &'static str,
    /// Which of the package's test programs has it.
    pub program: &'static [&'static str],
    pub test: &'static str,
    /// Cases that one run of the test does.
    pub chunk: u64,
}

/// The targets, in the order of the pipeline.
pub const TARGETS: &[Target] = &[
    Target {
        name: "executables",
        package: "bactrian-interpreter",
        program: &["--lib"],
        test: "image::fuzz::mutated_executables_are_refused_or_run",
        chunk: 20_000,
    },
    Target {
        name: "lift",
        package: "bactrian-specializer",
        program: &["--lib"],
        test: "lift::tests::random_programs_compute_what_they_should",
        chunk: 20_000,
    },
    Target {
        name: "lower",
        package: "bactrian-specializer",
        program: &["--lib"],
        test: "lower::tests::random_functions_keep_their_meaning",
        chunk: 20_000,
    },
    Target {
        name: "machines",
        package: "bactrian-tests",
        program: &["--test", "properties"],
        test: "random_programs_of_a_machine",
        chunk: 500,
    },
    Target {
        name: "intrinsics",
        package: "bactrian-tests",
        program: &["--test", "properties"],
        test: "random_functions_with_intrinsics",
        chunk: 500,
    },
    Target {
        name: "weval",
        package: "bactrian-tests",
        program: &["--test", "weval"],
        test: "random_programs_of_a_machine_for_weval",
        chunk: 500,
    },
    Target {
        name: "modules",
        package: "bactrian-tests",
        program: &["--test", "damaged"],
        test: "damaged_modules_are_refused_or_specialized",
        chunk: 20_000,
    },
    Target {
        name: "residues",
        package: "bactrian-tests",
        program: &["--test", "damaged"],
        test: "damaged_residues_are_misses",
        chunk: 5_000,
    },
];

/// What a target's cases came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub first: u64,
    pub cases: u64,
    pub faults: u64,
    pub time: Duration,
}

/// The cases that a test does: `few`, or the range that the environment names.
///
/// # Panics
///
/// If the environment names no range.
pub fn cases(few: u64) -> Range<u64> {
    let number = |name, default| {
        env::var(name).map_or(default, |text| text.parse().expect("a number of cases"))
    };
    let first = number(FIRST, 0);
    first..first + number(CASES, few)
}

/// What became of cases that end at a deadline.
pub fn run(target: &Target, first: u64, time: Duration) -> Result<Tally> {
    let start = Instant::now();
    let mut tally = Tally {
        first,
        ..Tally::default()
    };
    while tally.cases == 0 || start.elapsed() < time {
        let outcome = chunk(target, first + tally.cases)?;
        let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
        if outcome.status != Some(0) {
            tally.faults += 1;
            println!(
                "{}, from case {} on:\n{}",
                target.name,
                first + tally.cases,
                show(&outcome)
            );
        }
        let ran = said.contains("1 passed") || said.contains("1 failed");
        ensure!(
            ran,
            "the test {} was not run:\n{}",
            target.test,
            show(&outcome)
        );
        tally.cases += target.chunk;
    }
    tally.time = start.elapsed();
    Ok(tally)
}

fn chunk(target: &Target, first: u64) -> Result<Outcome> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace())
        .args(["test", "--quiet", "--package", target.package])
        .args(target.program)
        .args(["--", "--exact", target.test])
        .env(FIRST, first.to_string())
        .env(CASES, target.chunk.to_string());
    process::run(&mut command, b"")
}

/// The end of what a test said.
fn show(outcome: &Outcome) -> String {
    let said = [&outcome.stdout[..], &outcome.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}
