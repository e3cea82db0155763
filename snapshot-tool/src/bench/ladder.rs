//! The ladder: what each optimisation is worth, by switching only that one off.
//!
//! Invariant: only programs that are not held back take part, and what is compared is one program
//! built in two ways and run one after the other.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use specializer::Optimisations;

use super::compiler::Compiler;
use super::means::geometric_mean;
use super::measure::Measured;
use super::program::{Bench, ratio};
use super::programs::{Shelf, Source};
use crate::specialize;

const HEADER: [&str; 4] = [
    "switched off",
    "× time",
    "× residual code",
    "× time, worst program",
];

/// A program without one optimisation, over the same with all.
struct Step {
    program: String,
    time: f64,
    bytes: f64,
}

/// The table: a row for each optimisation, the one that is worth most first.
pub fn measure(bench: &Bench, sources: &[Source]) -> Result<Vec<Vec<String>>> {
    let mut rungs: Vec<(&str, Vec<Step>)> = Optimisations::NAMES
        .iter()
        .map(|name| (*name, Vec::new()))
        .collect();
    let is_visible = |source: &&Source| source.shelf == Shelf::Visible;
    let visible: Vec<_> = sources.iter().filter(is_visible).collect();
    ensure!(!visible.is_empty(), "all these programs are held back");
    for source in visible {
        eprintln!("{} ...", source.name);
        climb(bench, source, &mut rungs).with_context(|| source.name.clone())?;
    }
    let mut rows: Vec<_> = rungs.iter().map(|(name, steps)| row(name, steps)).collect();
    rows.sort_by(|left, right| right.0.total_cmp(&left.0));
    let header = HEADER.map(String::from).to_vec();
    let rows = rows.into_iter().map(|(_, row)| row);
    Ok(std::iter::once(header).chain(rows).collect())
}

/// One program, once with all optimisations and once without each.
fn climb(bench: &Bench, source: &Source, rungs: &mut [(&str, Vec<Step>)]) -> Result<()> {
    let bytecode = bench.compile(Compiler::Bytecode, &source.path)?;
    let (all, bytes) = without(bench, &bytecode, None)?;
    for (name, steps) in rungs {
        let (measured, fewer) = without(bench, &bytecode, Some(name))?;
        ensure!(
            (measured.status, &measured.output) == (all.status, &all.output),
            "without {name} the program's output is not what it is with it"
        );
        steps.push(Step {
            program: source.name.clone(),
            time: ratio(measured.cpu, all.cpu),
            bytes: fewer as f64 / bytes as f64,
        });
    }
    Ok(())
}

/// A run without this optimisation, and the size of the residual code. Programs share what they
/// have in common in a cache, one for each choice of optimisations.
fn without(bench: &Bench, bytecode: &Path, name: Option<&str>) -> Result<(Measured, usize)> {
    let switches: Vec<_> = name.iter().map(|name| (name.to_string(), false)).collect();
    let options = specialize::options(&switches)?;
    let cache = bench.path(&format!("ladder-{}.sqlite", name.unwrap_or("all")));
    bench.residual(bytecode, options, &cache)
}

/// The mean time, and the row.
fn row(name: &str, steps: &[Step]) -> (f64, Vec<String>) {
    let mean =
        |of: fn(&Step) -> f64| geometric_mean(steps.iter().map(of)).expect("a rung has steps");
    let time = mean(|step| step.time);
    let worst = steps
        .iter()
        .max_by(|left, right| left.time.total_cmp(&right.time))
        .map_or_else(String::new, |step| {
            format!("{:.2} ({})", step.time, step.program)
        });
    let bytes = mean(|step| step.bytes);
    let cells = [
        format!("`{name}`"),
        format!("{time:.2}"),
        format!("{bytes:.2}"),
        worst,
    ];
    (time, cells.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rung_is_the_mean_of_its_steps() {
        let step = |program: &str, time, bytes| Step {
            program: program.into(),
            time,
            bytes,
        };
        let (time, cells) = row("facts", &[step("a", 2.0, 1.0), step("b", 8.0, 4.0)]);
        assert!((time - 4.0).abs() < 1e-9);
        assert_eq!(cells, ["`facts`", "4.00", "2.00", "8.00 (b)"]);
    }
}
