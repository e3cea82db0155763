//! The project's aims in figures, beside what was measured.

use std::time::Duration;

use super::means::geometric_mean;
use super::program::{Entry, Measurement, ratio};
use super::programs::{Group, Shelf};
use super::scaling::Point;

/// What the table's columns are.
pub const HEADER: [&str; 3] = ["figure", "measured", "aim"];

/// Only programs with a peak of this size are compared by their memory: below it, most is the
/// nursery.
const LARGE: u64 = 10 << 20;

/// The table: figure, measured, aim. A figure of what was not measured is left out. `nothing` is
/// the measurement of an empty program.
pub fn rows(entries: &[Entry], nothing: &Measurement, scaling: &[Point]) -> Vec<Vec<String>> {
    let header = HEADER.map(String::from).to_vec();
    let figures = [
        speed(entries),
        memory(entries, nothing),
        specializing(entries, scaling),
    ];
    let measured = figures.into_iter().flatten().filter_map(|figure| {
        let [label, aim] = [figure.label, figure.aim].map(String::from);
        Some(vec![label, figure.measured?, aim])
    });
    std::iter::once(header).chain(measured).collect()
}

struct Figure {
    label: &'static str,
    /// Absent where what it takes was not measured.
    measured: Option<String>,
    aim: &'static str,
}

fn figure(label: &'static str, measured: Option<String>, aim: &'static str) -> Figure {
    Figure {
        label,
        measured,
        aim,
    }
}

fn speed(entries: &[Entry]) -> Vec<Figure> {
    let over_ocamlrun = |entry: &Entry| entry.measurement.over_ocamlrun();
    let generic = |entry: &Entry| entry.measurement.generic_over_ocamlrun();
    let over_generic = |entry: &Entry| Some(entry.measurement.over_generic());
    let held_back = |entry: &Entry| entry.source.shelf == Shelf::HeldBack;
    let floats = |entry: &Entry| entry.source.group == Group::Floats;
    let calls = |entry: &Entry| matches!(entry.source.group, Group::Calls | Group::Closures);
    let all = |_: &Entry| true;
    let mean = |of: &dyn Fn(&Entry) -> Option<f64>, is_meant: &dyn Fn(&Entry) -> bool| {
        geometric_mean(
            entries
                .iter()
                .filter(|entry| is_meant(entry))
                .filter_map(of),
        )
    };
    let over_ocamlrun_mean = |is_meant| mean(&over_ocamlrun, is_meant).map(times);
    let of_ocamlopt_mean = |is_meant| mean(&Entry::of_ocamlopt, is_meant).map(part);
    let slowest = worst(entries, over_ocamlrun, f64::min);
    vec![
        figure(
            "residual over ocamlrun, geometric mean",
            over_ocamlrun_mean(&all),
            "≥ 5×",
        ),
        figure(
            "residual over ocamlrun, geometric mean of programs held back",
            over_ocamlrun_mean(&held_back),
            "≥ 5×",
        ),
        figure("residual over ocamlrun, worst program", slowest, "≥ 1.3×"),
        figure(
            "of ocamlopt's speed, geometric mean",
            of_ocamlopt_mean(&all),
            "≥ 0.7",
        ),
        figure(
            "of ocamlopt's speed, geometric mean of programs held back",
            of_ocamlopt_mean(&held_back),
            "≥ 0.7",
        ),
        figure(
            "of ocamlopt's speed, geometric mean of floats",
            of_ocamlopt_mean(&floats),
            "≥ 0.6",
        ),
        figure(
            "of ocamlopt's speed, geometric mean of calls and closures",
            of_ocamlopt_mean(&calls),
            "≥ 0.7",
        ),
        figure(
            "generic interpreter's time over ocamlrun's, geometric mean",
            mean(&generic, &all).map(times),
            "≤ 1.3×",
        ),
        figure(
            "residual over generic, geometric mean",
            mean(&over_generic, &all).map(times),
            "≥ 4×",
        ),
    ]
}

fn memory(entries: &[Entry], nothing: &Measurement) -> Vec<Figure> {
    let of_large = |entry: &Entry| {
        let ocamlrun = entry.measurement.ocamlrun.as_ref()?;
        let is_large = ocamlrun.peak >= LARGE;
        is_large.then(|| entry.measurement.memory_over_ocamlrun(nothing))?
    };
    vec![figure(
        "peak memory over ocamlrun's, both without an empty program's, worst program of 10 MiB and more",
        worst(entries, of_large, f64::max),
        "≤ 2×",
    )]
}

fn specializing(entries: &[Entry], scaling: &[Point]) -> Vec<Figure> {
    let sum = |of: fn(&Measurement) -> Duration| -> Duration {
        entries.iter().map(|entry| of(&entry.measurement)).sum()
    };
    let warm = sum(|program| program.warm.specialize_cpu);
    let cold = sum(|program| program.cold.specialize_cpu);
    let uncached = sum(|program| program.specialize_cpu).as_secs_f64();
    let instructions = entries.iter().map(|entry| entry.measurement.instructions);
    let rate = instructions.sum::<usize>() as f64 / uncached.max(1e-9);
    let points = scaling
        .iter()
        .map(|point| format!("{:.1} µs ({} words)", point.micros_per_cell(), point.cells));
    let points: Vec<String> = points.collect();
    let is_measured = !entries.is_empty();
    vec![
        figure(
            "bytecode instructions specialized per second of CPU time",
            is_measured.then(|| format!("{rate:.0}")),
            "≥ 100000",
        ),
        figure(
            "CPU time of specializing, warm cache over cold cache",
            is_measured.then(|| format!("{:.1} %", ratio(warm, cold) * 100.0)),
            "≤ 10 %",
        ),
        figure(
            "specialization of one function, per word of bytecode",
            (!points.is_empty()).then(|| points.join(", ")),
            "constant",
        ),
    ]
}

/// The figure farthest from its aim, with the name of its program.
fn worst(
    entries: &[Entry],
    of: impl Fn(&Entry) -> Option<f64>,
    worse: fn(f64, f64) -> f64,
) -> Option<String> {
    let figures = entries.iter().filter_map(|entry| Some((of(entry)?, entry)));
    let (figure, entry) = figures.reduce(|one, other| {
        if worse(one.0, other.0) == one.0 {
            one
        } else {
            other
        }
    })?;
    Some(format!("{} ({})", times(figure), entry.source.name))
}

fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

fn part(ratio: f64) -> String {
    format!("{ratio:.2}")
}
