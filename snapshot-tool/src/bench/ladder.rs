//! The ladder: what each optimisation is worth, by switching only that one off.
//!
//! Invariant: only programs that are not held back take part. One program is built in all ways;
//! these run in turn, and what is compared is two runs of the same turn.

use std::path::{Path, PathBuf};

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

/// One optimisation, and each program without it. All rungs have the same programs.
struct Rung {
    name: &'static str,
    steps: Vec<Step>,
}

/// A program without one optimisation, over the same with all.
struct Step {
    program: String,
    time: f64,
    bytes: f64,
}

/// The switches that have a row. None of the programs calls C, so code for that has none here.
pub fn switches() -> impl Iterator<Item = &'static str> {
    let all = Optimisations::NAMES.iter().copied();
    all.filter(|&name| name != "small-stubs")
}

/// Two tables: the means, and each program's time. The optimisation that is worth most comes
/// first.
pub fn measure(bench: &Bench, sources: &[Source]) -> Result<[Vec<Vec<String>>; 2]> {
    let is_visible = |source: &&Source| source.shelf == Shelf::Visible;
    let visible: Vec<_> = sources.iter().filter(is_visible).collect();
    ensure!(!visible.is_empty(), "all these programs are held back");
    let bottom = |name: &'static str| Rung {
        name,
        steps: Vec::new(),
    };
    let mut rungs: Vec<Rung> = switches().map(bottom).collect();
    for source in visible {
        notice!("{} ...", source.name);
        climb(bench, source, &mut rungs).with_context(|| source.name.clone())?;
    }
    rungs.sort_by(|left, right| right.time().total_cmp(&left.time()));
    Ok([means(&rungs), programs(&rungs)])
}

/// One program with all optimisations and without each, all of these run in turn.
fn climb(bench: &Bench, source: &Source, rungs: &mut [Rung]) -> Result<()> {
    let bytecode = bench.compile(Compiler::Bytecode, &source.path)?;
    let (path, bytes) = without(bench, &bytecode, None)?;
    let mut paths = vec![path];
    for Rung { name, steps } in rungs.iter_mut() {
        let (path, fewer) = without(bench, &bytecode, Some(name))?;
        paths.push(path);
        steps.push(Step {
            program: source.name.clone(),
            time: f64::NAN,
            bytes: fewer as f64 / bytes as f64,
        });
    }
    let runs = bench.in_turn(&paths)?;
    let (all, others) = runs.split_first().context("a program was built")?;
    for (Rung { name, steps }, runs) in rungs.iter_mut().zip(others) {
        ensure!(
            runs.iter().zip(all).all(|(run, all)| run.ends_as(all)),
            "without {name} the program's output is not what it is with it"
        );
        steps.last_mut().expect(STEPS).time = median_ratio(runs, all);
    }
    Ok(())
}

/// The median of the ratios of runs that came close after each other.
fn median_ratio(runs: &[Measured], all: &[Measured]) -> f64 {
    let pairs = runs.iter().zip(all);
    let mut ratios: Vec<f64> = pairs.map(|(run, all)| ratio(run.cpu, all.cpu)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// Machine code made without this optimisation, and the size of the residual code. Programs share
/// what they have in common in a cache, one for each choice of optimisations.
fn without(bench: &Bench, bytecode: &Path, name: Option<&str>) -> Result<(PathBuf, usize)> {
    let switches: Vec<_> = name.iter().map(|name| (name.to_string(), false)).collect();
    let options = specialize::options(&switches, &[])?;
    let name = name.unwrap_or("all");
    let cache = bench.path(&format!("ladder-{name}.sqlite"));
    let (module, bytes) = bench.residual(bytecode, options, &cache)?;
    Ok((bench.compiled(&format!("{name}.cwasm"), &module)?, bytes))
}

fn means(rungs: &[Rung]) -> Vec<Vec<String>> {
    let header = HEADER.map(String::from).to_vec();
    let rows = rungs.iter().map(|rung| {
        let by_time = |left: &&Step, right: &&Step| left.time.total_cmp(&right.time);
        let worst = rung.steps.iter().max_by(by_time).expect(STEPS);
        vec![
            format!("`{}`", rung.name),
            format!("{:.2}", rung.time()),
            format!("{:.2}", rung.mean(|step| step.bytes)),
            format!("{:.2} ({})", worst.time, worst.program),
        ]
    });
    std::iter::once(header).chain(rows).collect()
}

/// A column for each rung.
fn programs(rungs: &[Rung]) -> Vec<Vec<String>> {
    let names = rungs.iter().map(|rung| format!("without `{}`", rung.name));
    let header = std::iter::once("× time".to_string()).chain(names).collect();
    let programs = rungs.first().map_or(0, |rung| rung.steps.len());
    let rows = (0..programs).map(|at| {
        let times = rungs
            .iter()
            .map(|rung| format!("{:.2}", rung.steps[at].time));
        let name = rungs[0].steps[at].program.clone();
        std::iter::once(name).chain(times).collect()
    });
    std::iter::once(header).chain(rows).collect()
}

const STEPS: &str = "a rung has steps";

impl Rung {
    fn time(&self) -> f64 {
        self.mean(|step| step.time)
    }

    fn mean(&self, of: fn(&Step) -> f64) -> f64 {
        geometric_mean(self.steps.iter().map(of)).expect(STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_was_disturbed_does_not_count() {
        let run = |millis| Measured {
            cpu: std::time::Duration::from_millis(millis),
            peak: 0,
            status: Some(0),
            output: Vec::new(),
        };
        let (slow, all) = ([60, 20, 90], [30, 100, 30]);
        assert_eq!(median_ratio(&slow.map(run), &all.map(run)), 2.0);
    }

    #[test]
    fn a_rung_is_the_mean_of_its_steps() {
        let step = |program: &str, time, bytes| Step {
            program: program.into(),
            time,
            bytes,
        };
        let rungs = [
            Rung {
                name: "facts",
                steps: vec![step("a", 2.0, 1.0), step("b", 8.0, 4.0)],
            },
            Rung {
                name: "guesses",
                steps: vec![step("a", 1.0, 1.0), step("b", 1.0, 1.0)],
            },
        ];
        let means = means(&rungs);
        assert_eq!(means[1], ["`facts`", "4.00", "2.00", "8.00 (b)"]);
        let programs = programs(&rungs);
        assert_eq!(
            programs[0],
            ["× time", "without `facts`", "without `guesses`"]
        );
        assert_eq!(programs[2], ["b", "8.00", "1.00"]);
    }
}
