//! Runs all fuzz targets for a given time, half of it random OCaml programs; see `docs/fuzzing.md`.
//! The status is 1 if there is a fault.
//!
//! A fault of an OCaml program leaves, in `target/fuzz/faults`, the program, a smaller one, and
//! what differs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bactrian_tests::fuzz::{self, TARGETS, Tally, Target};
use bactrian_tests::random_programs::check::{Checker, Fault, Verdict};
use bactrian_tests::random_programs::program;
use bactrian_tests::workspace;
use clap::Parser;

/// The target that is no test: it takes too long for one.
const PROGRAMS: &str = "programs";

/// Run random cases for a given time: OCaml programs, modules, executables, stored residues.
#[derive(Debug, Parser)]
struct Arguments {
    /// How long, in seconds.
    #[arg(long, default_value = "600")]
    seconds: u64,
    /// Only this target, for all of the time.
    #[arg(long, value_name = "TARGET")]
    only: Option<String>,
    /// The number of the first case of each target; the others follow.
    #[arg(long, default_value = "0")]
    first: u64,
    /// How many functions a random program has, more or less.
    #[arg(long, default_value = "60")]
    functions: usize,
    /// Only write the first random program to standard output.
    #[arg(long)]
    print: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if arguments.print {
        print!("{}", program(arguments.first, arguments.functions).text());
        return Ok(ExitCode::SUCCESS);
    }
    let is_chosen = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| is_chosen(target.name))
        .collect();
    let has_programs = is_chosen(PROGRAMS);
    ensure!(
        has_programs || !chosen.is_empty(),
        "there is no such target"
    );
    let (each, rest) = shares(
        Duration::from_secs(arguments.seconds),
        chosen.len(),
        has_programs,
    );
    let mut rows = Vec::new();
    for target in chosen {
        rows.push((target.name, tests(target, &arguments, each)?));
    }
    if has_programs {
        rows.push((PROGRAMS, programs(&arguments, rest)?));
    }
    println!("{}", table(&rows));
    let is_good = rows.iter().all(|(_, tally)| tally.faults == 0);
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The time of each test, and that of the programs.
fn shares(time: Duration, tests: usize, has_programs: bool) -> (Duration, Duration) {
    match (tests, has_programs) {
        (0, _) => (Duration::ZERO, time),
        (tests, true) => (time / 2 / tests as u32, time / 2),
        (tests, false) => (time / tests as u32, Duration::ZERO),
    }
}

fn tests(target: &Target, arguments: &Arguments, time: Duration) -> Result<Tally> {
    eprintln!("fuzz: {}", target.name);
    fuzz::run(target, arguments.first, time)
}

/// Random programs from the first on, as many as there is time for.
fn programs(arguments: &Arguments, time: Duration) -> Result<Tally> {
    let place = place();
    let here = std::env::current_exe()?;
    let beside = here.parent().context("an executable is somewhere")?;
    let checker = Checker::new(beside.join("bactrian-under-test"), &place)?;
    let start = Instant::now();
    let mut tally = Tally {
        first: arguments.first,
        ..Tally::default()
    };
    while tally.cases == 0 || start.elapsed() < time {
        let seed = arguments.first + tally.cases;
        match checker.check(seed, arguments.functions)? {
            Verdict::Same => eprintln!("fuzz: program {seed}"),
            Verdict::NotCompiled => eprintln!("fuzz: program {seed} is not compiled by ocamlc"),
            Verdict::Fault(fault) => {
                tally.faults += 1;
                report(&checker, arguments, seed, &fault, &place.join("faults"))?;
            }
        }
        tally.cases += 1;
    }
    tally.time = start.elapsed();
    Ok(tally)
}

fn place() -> PathBuf {
    workspace().join("target/fuzz")
}

/// Shows a fault, and keeps what shows it.
fn report(
    checker: &Checker,
    arguments: &Arguments,
    seed: u64,
    fault: &Fault,
    place: &Path,
) -> Result<()> {
    fs::create_dir_all(place)?;
    let Fault { way, difference } = fault;
    let name = format!("{seed}_{}", way.name());
    println!("program {seed}, {way}: {difference}");
    let whole = program(seed, arguments.functions).text();
    fs::write(place.join(format!("{name}.ml")), whole)?;
    fs::write(place.join(format!("{name}.txt")), difference)?;
    let small = checker.shrink(seed, arguments.functions, way).text();
    let path = place.join(format!("{name}_small.ml"));
    fs::write(&path, small)?;
    println!("a smaller one is {}", path.display());
    Ok(())
}

/// A row a target.
fn table(rows: &[(&str, Tally)]) -> String {
    let mut table =
        "| target | cases | seconds | faults |\n| --- | ---: | ---: | ---: |".to_string();
    for (name, tally) in rows {
        let Tally {
            first,
            cases,
            faults,
            time,
        } = tally;
        let end = first + cases;
        let seconds = time.as_secs();
        table.push_str(&format!(
            "\n| {name} | {first} to {end} | {seconds} | {faults} |"
        ));
    }
    table
}
