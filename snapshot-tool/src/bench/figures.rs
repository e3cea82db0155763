//! The project's aims in figures, beside what was measured.

use std::time::Duration;

use super::program::{Measurement, ratio};
use super::scaling::Point;

/// What the table's columns are.
pub const HEADER: [&str; 3] = ["figure", "measured", "aim"];

/// Only programs with a peak of this size are compared by their memory: below it, most is the
/// nursery.
const LARGE: u64 = 10 << 20;

/// Geometric means and rates over all programs.
pub struct Figures {
    over_generic: f64,
    /// Absent where `ocamlrun` is not installed.
    over_ocamlrun: Option<f64>,
    slowest: Option<(String, f64)>,
    /// The program whose peak memory is the largest multiple of `ocamlrun`'s, among those of
    /// [`LARGE`] and more.
    largest: Option<(String, f64)>,
    instructions_per_second: f64,
    warm_share: f64,
    scaling: Vec<Point>,
}

impl Figures {
    /// `nothing`: the measurement of an empty program.
    pub fn new(measurements: &[Measurement], nothing: &Measurement, scaling: &[Point]) -> Self {
        let over_generic: Vec<f64> = measurements.iter().map(Measurement::over_generic).collect();
        let against: Vec<(String, f64)> = measurements
            .iter()
            .filter_map(|each| Some((each.name.clone(), each.over_ocamlrun()?)))
            .collect();
        let over_ocamlrun: Vec<f64> = against.iter().map(|(_, ratio)| *ratio).collect();
        let cold: Duration = measurements
            .iter()
            .map(|each| each.cold.specialize_cpu)
            .sum();
        let warm: Duration = measurements
            .iter()
            .map(|each| each.warm.specialize_cpu)
            .sum();
        let instructions: usize = measurements.iter().map(|each| each.instructions).sum();
        let uncached: Duration = measurements.iter().map(|each| each.specialize_cpu).sum();
        Self {
            over_generic: geometric_mean(&over_generic),
            over_ocamlrun: (!over_ocamlrun.is_empty()).then(|| geometric_mean(&over_ocamlrun)),
            slowest: against
                .into_iter()
                .min_by(|left, right| left.1.total_cmp(&right.1)),
            largest: measurements
                .iter()
                .filter(|each| each.ocamlrun.as_ref().is_some_and(|run| run.peak >= LARGE))
                .filter_map(|each| Some((each.name.clone(), each.memory_over_ocamlrun(nothing)?)))
                .max_by(|left, right| left.1.total_cmp(&right.1)),
            instructions_per_second: instructions as f64 / uncached.as_secs_f64().max(1e-9),
            warm_share: ratio(warm, cold),
            scaling: scaling.to_vec(),
        }
    }

    /// The table: figure, measured, aim. A figure of what was not measured is left out.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let mut rows = vec![row(HEADER)];
        rows.push(row([
            "residual over generic, geometric mean",
            &times(self.over_generic),
            "≥ 4×",
        ]));
        if let Some(mean) = self.over_ocamlrun {
            rows.push(row([
                "residual over ocamlrun, geometric mean",
                &times(mean),
                "≥ 1.5×",
            ]));
        }
        if let Some((name, ratio)) = &self.slowest {
            rows.push(row([
                "residual over ocamlrun, worst program",
                &format!("{} ({name})", times(*ratio)),
                "≥ 1×",
            ]));
        }
        if let Some((name, ratio)) = &self.largest {
            rows.push(row([
                "peak memory over ocamlrun's, both without an empty program's, worst program of 10 MiB and more",
                &format!("{} ({name})", times(*ratio)),
                "≤ 2×",
            ]));
        }
        let rate = format!("{:.0}", self.instructions_per_second);
        rows.push(row([
            "bytecode instructions specialized per second of CPU time",
            &rate,
            "≥ 100000",
        ]));
        rows.push(row([
            "CPU time of specializing, warm cache over cold cache",
            &percent(self.warm_share),
            "≤ 10 %",
        ]));
        let points = self
            .scaling
            .iter()
            .map(|point| format!("{:.1} µs ({} words)", point.micros_per_cell(), point.cells));
        let points: Vec<String> = points.collect();
        if !points.is_empty() {
            rows.push(row([
                "specialization of one function, per word of bytecode",
                &points.join(", "),
                "constant",
            ]));
        }
        rows
    }
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_mean_is_that_of_ratios() {
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-9);
    }
}
