//! Plants wrong residual code behind every stage, and counts who notices it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use bactrian_tests::mutants::table::{self, Row};
use bactrian_tests::mutants::{corpus, stale, survey};
use clap::Parser;
use specializer::fault::{Damage, KINDS, Kind, Mismatch, Muddle};

/// Plants wrong residual code and counts who notices it.
#[derive(Debug, Parser)]
struct Arguments {
    /// Mutants of each kind.
    #[arg(long, default_value = "100")]
    mutants: usize,
    /// Random modules of each sort.
    #[arg(long, default_value = "60")]
    modules: u64,
    /// Put the table into this file.
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Name each survivor.
    #[arg(long)]
    survivors: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let engine = corpus::engine();
    let cases = corpus::cases(&engine, arguments.modules)?;
    let mut rows = Vec::new();
    for &kind in KINDS {
        let (stage, name) = names(kind);
        let tally = survey::survey(&engine, &cases, kind, arguments.mutants)?;
        rows.push(row(stage, name, tally, reason(kind), &arguments));
    }
    let tally = stale::survey(&engine, &cases, arguments.mutants)?;
    rows.push(row("cache", "StaleBody".to_owned(), tally, "", &arguments));
    if let Some(file) = &arguments.document {
        std::fs::write(file, table::document(&rows))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let unnoticed = rows.iter().filter(|row| row.tally.noticed() == 0);
    let kinds: Vec<&str> = unnoticed.map(|row| &row.kind[..]).collect();
    if !kinds.is_empty() {
        bail!("none was noticed of {}", kinds.join(", "));
    }
    let enough = rows.iter().filter(|row| row.tally.is_enough()).count();
    println!("95 in 100 were noticed of {enough} kinds in {}", rows.len());
    Ok(())
}

fn row(
    stage: &'static str,
    kind: String,
    tally: survey::Tally,
    reason: &'static str,
    arguments: &Arguments,
) -> Row {
    println!(
        "{stage}, {kind}: {} of {} noticed {:?}, {} not reached",
        tally.noticed(),
        tally.planted,
        tally.noticed,
        tally.not_reached
    );
    for survivor in tally.survivors.iter().filter(|_| arguments.survivors) {
        println!("    {survivor}");
    }
    Row {
        stage,
        kind,
        tally,
        reason,
    }
}

/// The stage and the name of a kind.
fn names(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Code(stage, damage) => (stage, format!("{damage:?}")),
        Kind::Plan(muddle) => ("lowering", format!("{muddle:?}")),
        Kind::Link(mismatch) => ("linking", format!("{mismatch:?}")),
    }
}

/// Why mutants of a kind survive, as far as those say that were looked at.
fn reason(kind: Kind) -> &'static str {
    match kind {
        Kind::Code(_, Damage::Constant | Damage::MergedConstants | Damage::WrongNumber) => {
            "A mask, a comparison or a product with zero gives the same for both values."
        }
        Kind::Code(_, Damage::JoinArguments | Damage::MergedParameter) => {
            "The two values are equal in every call, or used only where no call goes."
        }
        Kind::Code(_, Damage::StaleCell) => {
            "The call leaves the cell as it is: only a collection would change it. Lockstep with forced \
             collections notices (`tests/tests/faults.rs`)."
        }
        Kind::Code(_, Damage::MissingSync | Damage::WrongCell) => {
            "The cell is stored again before anybody looks at it, or nobody does."
        }
        Kind::Code(_, Damage::DroppedStore | Damage::DroppedEffect | Damage::ReorderedEffects) => {
            "Memory held that value already, or is overwritten before anybody looks."
        }
        Kind::Code(_, Damage::SkippedBlock | Damage::SwappedEdge | Damage::EarlyTailCall) => {
            "What is left out has no effect on the calls that are made."
        }
        Kind::Code(_, Damage::WrongOperator | Damage::DroppedGlobal) => {
            "The operands are such that both operators give the same."
        }
        Kind::Plan(Muddle::BranchDepth | Muddle::BlockOrder | Muddle::StackOrder) => {
            "The code between the two places does nothing in the calls that are made."
        }
        Kind::Plan(Muddle::SharedLocal | Muddle::LostLocal) => {
            "The local holds the same value already."
        }
        Kind::Link(Mismatch::WrongAddress) => {
            "The address is an argument that the callee knows as a constant and does not read."
        }
        Kind::Link(
            Mismatch::WrongCallee | Mismatch::WrongSlotCallee | Mismatch::ExchangedSlots,
        ) => "Both functions do the same in the calls that are made.",
    }
}
