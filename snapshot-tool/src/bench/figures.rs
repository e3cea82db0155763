//! The project's aims in figures, beside what was measured.

use std::time::Duration;

use super::means::geometric_mean;
use super::program::{Build, Entry, Measurement, ratio};
use super::programs::{Group, Shelf};
use super::scaling::Point;

/// What the table's columns are.
pub const HEADER: [&str; 3] = ["figure", "measured", "aim"];

/// Only programs with a peak of this size are compared by their memory: below it, most is the
/// nursery.
const LARGE: u64 = 10 << 20;

/// What the figures are drawn from.
pub struct Figures<'a> {
    pub entries: &'a [Entry],
    /// An empty program.
    pub nothing: &'a Measurement,
    pub scaling: &'a [Point],
    /// OCaml's compiler, built with an empty cache.
    pub compiler: Option<&'a Build>,
}

/// The table: figure, measured, aim. A figure of what was not measured is left out.
pub fn rows(figures: &Figures) -> Vec<Vec<String>> {
    let Figures {
        entries,
        nothing,
        scaling,
        compiler,
    } = figures;
    let header = HEADER.map(String::from).to_vec();
    let figures = all(entries, Some(nothing), scaling, *compiler);
    let measured = figures.filter_map(|figure| {
        let [label, aim] = [figure.label, figure.aim].map(String::from);
        Some(vec![label, figure.measured?, aim])
    });
    std::iter::once(header).chain(measured).collect()
}

/// The label and the aim of each figure.
pub fn labels() -> impl Iterator<Item = (&'static str, &'static str)> {
    all(&[], None, &[], None).map(|figure| (figure.label, figure.aim))
}

fn all(
    entries: &[Entry],
    nothing: Option<&Measurement>,
    scaling: &[Point],
    compiler: Option<&Build>,
) -> impl Iterator<Item = Figure> + use<> {
    let figures = [
        speed(entries),
        memory(entries, nothing),
        specializing(entries, scaling),
        building(compiler),
    ];
    figures.into_iter().flatten()
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

/// A geometric mean: its label, what it is of, of which programs, how it is written, and its aim.
type Mean = (
    &'static str,
    fn(&Entry) -> Option<f64>,
    fn(&Entry) -> bool,
    fn(f64) -> String,
    &'static str,
);

const MEANS: [Mean; 8] = [
    (
        "residual over ocamlrun, geometric mean",
        over_ocamlrun,
        is_any,
        times,
        "≥ 5×",
    ),
    (
        "residual over ocamlrun, geometric mean of programs held back",
        over_ocamlrun,
        is_held_back,
        times,
        "≥ 5×",
    ),
    (
        "of ocamlopt's speed, geometric mean",
        Entry::of_ocamlopt,
        is_any,
        part,
        "≥ 0.7",
    ),
    (
        "of ocamlopt's speed, geometric mean of programs held back",
        Entry::of_ocamlopt,
        is_held_back,
        part,
        "≥ 0.7",
    ),
    (
        "of ocamlopt's speed, geometric mean of floats",
        Entry::of_ocamlopt,
        |entry| entry.source.group == Group::Floats,
        part,
        "≥ 0.6",
    ),
    (
        "of ocamlopt's speed, geometric mean of calls and closures",
        Entry::of_ocamlopt,
        |entry| matches!(entry.source.group, Group::Calls | Group::Closures),
        part,
        "≥ 0.7",
    ),
    (
        "generic interpreter's time over ocamlrun's, geometric mean",
        |entry| entry.measurement.generic_over_ocamlrun(),
        is_any,
        times,
        "≤ 1.3×",
    ),
    (
        "residual over generic, geometric mean",
        |entry| Some(entry.measurement.over_generic()),
        is_any,
        times,
        "≥ 4×",
    ),
];

fn over_ocamlrun(entry: &Entry) -> Option<f64> {
    entry.measurement.over_ocamlrun()
}

fn is_any(_: &Entry) -> bool {
    true
}

fn is_held_back(entry: &Entry) -> bool {
    entry.source.shelf == Shelf::HeldBack
}

fn speed(entries: &[Entry]) -> Vec<Figure> {
    let means = MEANS.map(|(label, of, is_meant, written, aim)| {
        let meant = entries.iter().filter(|entry| is_meant(entry));
        figure(
            label,
            geometric_mean(meant.filter_map(of)).map(written),
            aim,
        )
    });
    let slowest = figure(
        "residual over ocamlrun, worst program",
        worst(entries, over_ocamlrun, f64::min),
        "≥ 1.3×",
    );
    means.into_iter().chain([slowest]).collect()
}

fn memory(entries: &[Entry], nothing: Option<&Measurement>) -> Vec<Figure> {
    let of_large = |entry: &Entry| {
        let ocamlrun = entry.measurement.ocamlrun.as_ref()?;
        let is_large = ocamlrun.peak >= LARGE;
        is_large.then(|| entry.measurement.memory_over_ocamlrun(nothing?))?
    };
    vec![figure(
        "peak memory over ocamlrun's, both without an empty program's, \
         worst program of 10 MiB and more",
        worst(entries, of_large, f64::max),
        "≤ 2×",
    )]
}

fn specializing(entries: &[Entry], scaling: &[Point]) -> Vec<Figure> {
    let sum = |of: fn(&Measurement) -> Duration| -> Duration {
        entries.iter().map(|entry| of(&entry.measurement)).sum()
    };
    let warm = sum(|program| program.warm.cpu_of("specialize"));
    let cold = sum(|program| program.cold.cpu_of("specialize"));
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

fn building(compiler: Option<&Build>) -> Vec<Figure> {
    let measured = |of: fn(&Build) -> String| compiler.map(of);
    vec![
        figure(
            "ocamlc.byte with an empty cache, CPU time of specializing and compiling",
            measured(|build| {
                let cpu = build.cpu_of("specialize") + build.cpu_of("compile");
                format!("{:.1} s", cpu.as_secs_f64())
            }),
            "≤ 32 s",
        ),
        figure(
            "ocamlc.byte, residual code",
            measured(|build| format!("{:.1} MB", build.summary.residual_bytes as f64 / 1e6)),
            "≤ 10 MB",
        ),
        figure(
            "ocamlc.byte, machine code",
            measured(|build| mebibytes(build.code_bytes)),
            "",
        ),
        figure(
            "ocamlc.byte, machine code and data",
            measured(|build| mebibytes(build.image_bytes)),
            "≤ 32 MiB",
        ),
    ]
}

fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(entries: &[Entry]) -> Vec<Vec<String>> {
        let nothing = Entry::sample("nothing", Group::Calls, Shelf::Visible, [1; 4]);
        rows(&Figures {
            entries,
            nothing: &nothing.measurement,
            scaling: &[],
            compiler: None,
        })
    }

    fn figure(rows: &[Vec<String>], label: &str) -> Option<String> {
        let row = rows.iter().find(|row| row[0] == label)?;
        Some(row[1].clone())
    }

    #[test]
    fn means_are_of_their_programs() {
        let entries = [
            Entry::sample("fast", Group::Floats, Shelf::Visible, [800, 1600, 100, 50]),
            Entry::sample("slow", Group::Calls, Shelf::HeldBack, [200, 400, 100, 200]),
        ];
        let rows = measured(&entries);
        for (label, expected) in [
            ("residual over ocamlrun, geometric mean", "4.00×"),
            (
                "residual over ocamlrun, geometric mean of programs held back",
                "2.00×",
            ),
            ("residual over ocamlrun, worst program", "2.00× (slow)"),
            ("of ocamlopt's speed, geometric mean", "1.00"),
            ("of ocamlopt's speed, geometric mean of floats", "0.50"),
            (
                "generic interpreter's time over ocamlrun's, geometric mean",
                "2.00×",
            ),
        ] {
            assert_eq!(figure(&rows, label).as_deref(), Some(expected), "{label}");
        }
    }

    #[test]
    fn figures_of_what_is_not_installed_are_left_out() {
        let entries = [Entry::sample(
            "alone",
            Group::Floats,
            Shelf::Visible,
            [0, 800, 100, 0],
        )];
        let rows = measured(&entries);
        let generic = figure(&rows, "residual over generic, geometric mean");
        assert_eq!(generic.as_deref(), Some("8.00×"));
        let is_compared = |row: &Vec<String>| row[0].contains("ocaml");
        assert!(!rows.iter().any(is_compared), "{rows:?}");
    }
}
