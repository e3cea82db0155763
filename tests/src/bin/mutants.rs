//! Plants wrong residual code behind every stage, and counts who notices it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bactrian_tests::mutants::lockstep::{Bench, Score};
use bactrian_tests::mutants::survey::Tally;
use bactrian_tests::mutants::table::{self, Row, STALE_BODY, names};
use bactrian_tests::mutants::{corpus, stale, survey};
use bactrian_tests::{scratch, workspace};
use clap::Parser;
use specializer::fault::KINDS;

/// Plants wrong residual code and counts who notices it.
#[derive(Debug, Parser)]
struct Arguments {
    /// Mutants of each kind.
    #[arg(long, default_value = "60")]
    mutants: usize,
    /// Random modules of each sort.
    #[arg(long, default_value = "60")]
    modules: u64,
    /// Put the table into this file.
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Faults of each kind in an OCaml program, for lockstep.
    #[arg(long, default_value = "3")]
    lockstep: usize,
    /// Only kinds whose name contains this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Write each survivor's modules here, as text: without the fault and with it.
    #[arg(long, value_name = "DIRECTORY")]
    survivors: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let engine = corpus::engine();
    let cases = corpus::cases(&engine, arguments.modules)?;
    let bench = match arguments.lockstep {
        0 => None,
        _ => Some(Bench::new(&scratch(&target(), "mutants")?)?),
    };
    let is_wanted = |stage: &str, name: &str| format!("{stage} {name}").contains(&arguments.only);
    let wanted = KINDS.iter().copied().filter(|&kind| {
        let (stage, name) = names(kind);
        is_wanted(stage, &name)
    });
    let survey = |kind| {
        let (stage, name) = names(kind);
        let tally = survey::survey(&engine, &cases, kind, arguments.mutants)?;
        let score = bench
            .as_ref()
            .map(|bench| bench.score(kind, arguments.lockstep));
        Ok(row(stage, name, tally, score.transpose()?))
    };
    let mut rows = survey::in_parallel(&wanted.collect::<Vec<_>>(), survey)?;
    let (stage, name) = STALE_BODY;
    if is_wanted(stage, name) {
        let tally = stale::survey(&engine, &cases, arguments.mutants)?;
        rows.push(row(stage, name.to_owned(), tally, None));
    }
    if let Some(directory) = &arguments.survivors {
        rows.iter()
            .try_for_each(|row| write_survivors(directory, row))?;
    }
    if let Some(file) = &arguments.document {
        std::fs::write(file, table::document(&rows))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let few = rows.iter().filter(|row| !row.tally.is_enough());
    let few: Vec<String> = few
        .map(|row| format!("{} {}", row.stage, row.kind))
        .collect();
    if !few.is_empty() {
        bail!("less than 95 in 100 were noticed of {}", few.join(", "));
    }
    println!("95 in 100 and more were noticed of each kind");
    Ok(())
}

/// Writes two files a survivor, to be compared.
fn write_survivors(directory: &Path, row: &Row) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    for survivor in &row.tally.survivors {
        let Some([sound, wrong]) = &survivor.modules else {
            continue;
        };
        for (version, text) in [("sound", sound), ("wrong", wrong)] {
            let name = format!("{} {}, {}", row.stage, row.kind, survivor.place);
            let file = directory.join(format!("{name}.{version}.wat").replace([' ', ','], "_"));
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}

/// Where things are that are made anew each time.
fn target() -> String {
    workspace().join("target/tmp").display().to_string()
}

/// Tells what became of a kind, as soon as it is known.
fn row(stage: &'static str, kind: String, tally: Tally, lockstep: Option<Score>) -> Row {
    println!(
        "{stage}, {kind}: {} of {} noticed {:?}, {} equal, {} not reached, lockstep {}",
        tally.noticed(),
        tally.planted,
        tally.noticed,
        tally.equal,
        tally.not_reached,
        match &lockstep {
            Some(score) => format!("{} of {}", score.noticed, score.planted()),
            None => "was not asked".to_owned(),
        }
    );
    for survivor in &tally.survivors {
        println!("    {}: {}", survivor.place, survivor.change);
    }
    for unnoticed in lockstep.iter().flat_map(|score| &score.unnoticed) {
        println!("    lockstep, {}: {}", unnoticed.place, unnoticed.change);
    }
    Row {
        stage,
        kind,
        tally,
        lockstep,
    }
}
