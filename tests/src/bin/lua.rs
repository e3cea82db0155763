//! Builds PUC-Rio's Lua as a guest, runs its test suite and measures programs; see `docs/lua.md`.
//! The status is 1 if a file of the suite fails without a reason that is known.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use bactrian_tests::conformance::report;
use bactrian_tests::lua::{Lua, bench, build, suite};
use bactrian_tests::workspace;
use clap::Parser;

/// Where the tables stand in the document.
const BEGIN: &str = "<!-- lua:begin (written by `make lua`) -->";
const END: &str = "<!-- lua:end -->";

/// Build Lua as a guest, run its test suite generic and specialized, measure programs.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only build.
    #[arg(long)]
    build: bool,
    /// Only measure.
    #[arg(long)]
    bench: bool,
    /// Use this directory of Lua's repository (`testes`) instead of fetching it.
    #[arg(long)]
    suite: Option<PathBuf>,
    /// Files of the suite to run, instead of all.
    #[arg(long)]
    only: Vec<String>,
    /// Runs of each program; the median counts.
    #[arg(long, default_value = "3")]
    runs: usize,
    /// A document that gets the tables, between its markers.
    #[arg(long)]
    document: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let place = workspace().join("target/lua");
    let manifest = build::guest(&place)?;
    println!("built: bactrian run --guest {} SCRIPT", manifest.display());
    if arguments.build {
        return Ok(ExitCode::SUCCESS);
    }
    let binary = std::env::current_exe()?.with_file_name("bactrian-under-test");
    let cache = place.join("cache.sqlite");
    let lua = Lua {
        binary,
        cache,
        manifest,
    };
    let mut tables = Vec::new();
    let mut unexplained = 0;
    if !arguments.bench {
        let directory = match arguments.suite {
            Some(directory) => directory,
            None => suite::fetched(&place.join("suite"))?,
        };
        let cases = suite::run(&lua, &directory, &arguments.only)?;
        let failed = cases.iter().filter(|case| case.failure.is_some());
        unexplained = failed.filter(|case| case.reason().is_none()).count();
        tables.push(suite::table(&cases));
    }
    if arguments.only.is_empty() {
        let mut rows = Vec::new();
        for program in bench::programs(&workspace().join("guests/lua/bench"))? {
            eprintln!("{}", program.display());
            rows.push(bench::row(&lua, &program, arguments.runs)?);
        }
        tables.push(bench::table(&rows));
    }
    let text = tables.join("\n");
    println!("{text}");
    if let Some(document) = arguments.document {
        let document = fs::canonicalize(document)?;
        report::write_between(&document, [BEGIN, END], text.trim_end())?;
    }
    Ok(ExitCode::from(u8::from(unexplained > 0)))
}
