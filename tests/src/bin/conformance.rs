//! Runs OCaml's own test suite; see `docs/conformance.md`. The status is 1 if too few cases pass,
//! or if one that fails is not explained.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use bactrian_tests::conformance::compile::Suite;
use bactrian_tests::conformance::engine::{Engines, OURS};
use bactrian_tests::conformance::reasons::Reasons;
use bactrian_tests::conformance::verdict::Kind;
use bactrian_tests::conformance::{Plan, report, source, tests};
use bactrian_tests::tool::Tool;
use bactrian_tests::workspace;
use clap::Parser;

/// Run the test suite of OCaml's source package under ocamlrun, generic and specialized.
#[derive(Debug, Parser)]
struct Arguments {
    /// Directories or files of the suite to run, instead of all.
    tests: Vec<String>,
    /// Use this source tree of OCaml instead of fetching one.
    #[arg(long)]
    source: Option<PathBuf>,
    /// Only show which tests there are.
    #[arg(long)]
    list: bool,
    /// Keep what was built for each test.
    #[arg(long)]
    keep: bool,
    /// Only generic, or only residual.
    #[arg(long, value_name = "generic|residual")]
    only: Option<String>,
    /// Only one kind of executions.
    #[arg(long, value_name = "program|toplevel|expect")]
    kind: Option<String>,
    /// Tests at a time.
    #[arg(long, default_value = "2")]
    jobs: usize,
    /// How long one execution may take, in seconds.
    #[arg(long, default_value = "300")]
    time_limit: u64,
    /// A document that gets the tables, between its markers.
    #[arg(long)]
    document: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let place = workspace().join("target/conformance");
    let source = match &arguments.source {
        Some(source) => source.canonicalize()?,
        None => source::tree(&place.join("source"))?,
    };
    let tests = tests(&source, &arguments.tests)?;
    if arguments.list {
        tests.iter().for_each(|test| println!("{}", test.name));
        return Ok(ExitCode::SUCCESS);
    }
    let plan = Plan {
        tests,
        suite: Suite::build(source, &place.join("suite"))?,
        engines: engines(&arguments, &place)?,
        kinds: Kind::ALL
            .into_iter()
            .filter(|kind| {
                arguments
                    .kind
                    .as_deref()
                    .is_none_or(|only| only == kind.name())
            })
            .collect(),
        build: place.join("build"),
        jobs: arguments.jobs,
        keep: arguments.keep,
    };
    let reasons = fs::read_to_string(workspace().join("tests/conformance.reasons"))?;
    let reasons = Reasons::parse(&reasons)?;
    let (cases, errors) = plan.run();
    let table = report::markdown(&cases, &reasons);
    println!("{table}");
    fs::write(place.join("summary.txt"), report::summary(&cases))?;
    report::keep_outputs(&cases, &place.join("outputs"))?;
    if let Some(document) = &arguments.document {
        report::write_into(document, &table)?;
    }
    for error in &errors {
        eprintln!("conformance: could not be done: {error:#}");
    }
    let unexplained = report::unexplained(&cases, &reasons);
    for case in &unexplained {
        eprintln!("conformance: {case} fails and is not explained");
    }
    let enough = report::total(&cases).meets_the_bar(&plan.engines.ours);
    let good = errors.is_empty() && unexplained.is_empty() && enough;
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn engines(arguments: &Arguments, place: &Path) -> Result<Engines> {
    let here = std::env::current_exe()?;
    let beside = here.parent().context("an executable is somewhere")?;
    let only = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    Ok(Engines {
        tool: Tool::new(beside.join("bactrian-under-test"), place)?,
        ours: OURS
            .into_iter()
            .filter(|engine| only(engine.name()))
            .collect(),
        time_limit: Duration::from_secs(arguments.time_limit),
    })
}
