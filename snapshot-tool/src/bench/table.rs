//! Rows of text as a table: aligned for a terminal, or Markdown. The first row is the header.

use std::time::Duration;

use super::Measured;
use super::program::{Entry, Measurement};
use super::programs::{Shelf, Source};
use super::rebuild::{self, Rebuild};
use super::shapes::Point;
use super::users::Task;

/// One row for each program of ours.
pub fn programs(entries: &[Entry]) -> Vec<Vec<String>> {
    let header = [
        "program",
        "group",
        "ocamlrun s",
        "ocamlopt s",
        "generic s",
        "residual s",
        "× generic",
        "× ocamlrun",
        "of ocamlopt",
        "ocamlrun MiB",
        "residual MiB",
        "functions",
        "declined",
        "wasm KiB",
        "cold build ms",
        "warm build ms",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    rows.extend(entries.iter().map(program));
    rows
}

/// One row for each program that the demo shows.
pub fn demo(measurements: &[Measurement]) -> Vec<Vec<String>> {
    let header = [
        "program",
        "ocamlrun s",
        "generic s",
        "residual s",
        "× generic",
        "× ocamlrun",
        "functions",
        "declined",
        "bytecode KiB",
        "wasm KiB",
        "cold build ms",
        "warm build ms",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    rows.extend(measurements.iter().map(|measurement| {
        let built = built(measurement);
        let [functions, declined, wasm, cold, warm] = built;
        let bytecode = (measurement.bytecode_bytes >> 10).to_string();
        vec![
            measurement.name.clone(),
            or_absent(measurement.ocamlrun.as_ref().map(seconds)),
            seconds(&measurement.generic),
            seconds(&measurement.residual),
            ratio(measurement.over_generic()),
            or_absent(measurement.over_ocamlrun().map(ratio)),
            functions,
            declined,
            bytecode,
            wasm,
            cold,
            warm,
        ]
    }));
    rows
}

/// One row for each task.
pub fn tasks(tasks: &[Task]) -> Vec<Vec<String>> {
    let header = [
        "as users run it",
        "ocamlrun ms",
        "residual ms",
        "× ocamlrun",
        "aim",
        "ocamlrun MiB",
        "residual MiB",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    let millis = |measured: &Measured| format!("{:.1}", measured.cpu.as_secs_f64() * 1e3);
    let mebibytes =
        |measured: &Measured| format!("{:.1}", measured.peak as f64 / f64::from(1 << 20));
    rows.extend(tasks.iter().map(|task| {
        vec![
            task.name.to_string(),
            millis(&task.ocamlrun),
            millis(&task.residual),
            format!("{:.2}", task.over_ocamlrun()),
            aim(task.aim),
            mebibytes(&task.ocamlrun),
            mebibytes(&task.residual),
        ]
    }));
    rows
}

/// How much faster than `ocamlrun` something should be.
pub fn aim(ratio: f64) -> String {
    format!("≥ {ratio:.2}")
}

/// One row for each size of each shape.
pub fn shapes(points: &[Point]) -> Vec<Vec<String>> {
    let header = [
        "shape, first run with an empty cache",
        "size",
        "CPU s",
        "MiB",
        "ms a unit",
        "KiB a unit",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    rows.extend(points.iter().map(|point| {
        vec![
            point.shape.name().to_string(),
            point.size.to_string(),
            format!("{:.1}", point.measured.cpu.as_secs_f64()),
            (point.measured.peak >> 20).to_string(),
            format!("{:.2}", point.cpu_per_unit.as_secs_f64() * 1e3),
            format!("{:.1}", point.bytes_per_unit as f64 / 1024.0),
        ]
    }));
    rows
}

/// One row for each build.
pub fn rebuilds(rebuilds: &[Rebuild]) -> Vec<Vec<String>> {
    let header = [
        "program",
        "edit",
        "specialized",
        "from the cache",
        "compiled",
        "known",
        "snapshot s",
        "specialize s",
        "link s",
        "compile s",
        "CPU s",
        "of cold",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    rows.extend(rebuilds.iter().map(|rebuild| {
        let build = &rebuild.build;
        let stage = |name| seconds_of(build.cpu_of(name));
        let known = build.functions.precompiled + build.functions.cached;
        vec![
            rebuild.program.name(),
            rebuild::title(rebuild.edit).to_string(),
            build.summary.specialized.to_string(),
            share(build.summary.cached, build.summary.specialized),
            build.functions.compiled.to_string(),
            share(known, build.functions.compiled),
            stage("snapshot"),
            stage("specialize"),
            stage("link"),
            stage("compile"),
            seconds_of(build.cpu()),
            format!("{:.0} %", rebuild.of_cold * 100.0),
        ]
    }));
    rows
}

fn share(part: usize, rest: usize) -> String {
    format!("{:.1} %", part as f64 / (part + rest).max(1) as f64 * 100.0)
}

fn seconds_of(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64())
}

/// A program's group, and whether it is held back.
pub fn group(source: &Source) -> String {
    match source.shelf {
        Shelf::Visible => source.group.to_string(),
        Shelf::HeldBack => format!("{}, held back", source.group),
    }
}

fn program(entry: &Entry) -> Vec<String> {
    let Entry {
        source,
        measurement,
        ocamlopt,
    } = entry;
    let mebibytes = |measured: &Measured| (measured.peak >> 20).to_string();
    let mut cells = vec![
        source.name.clone(),
        group(source),
        or_absent(measurement.ocamlrun.as_ref().map(seconds)),
        or_absent(ocamlopt.as_ref().map(seconds)),
        seconds(&measurement.generic),
        seconds(&measurement.residual),
        ratio(measurement.over_generic()),
        or_absent(measurement.over_ocamlrun().map(ratio)),
        or_absent(entry.of_ocamlopt().map(ratio)),
        or_absent(measurement.ocamlrun.as_ref().map(mebibytes)),
        mebibytes(&measurement.residual),
    ];
    cells.extend(built(measurement));
    cells
}

/// Functions specialized and declined, KiB of Wasm, and milliseconds of a cold and a warm build.
fn built(measurement: &Measurement) -> [String; 5] {
    let Measurement { cold, warm, .. } = measurement;
    let millis = |duration: Duration| format!("{:.0}", duration.as_secs_f64() * 1e3);
    [
        (cold.summary.specialized + cold.summary.cached).to_string(),
        cold.summary.declined.len().to_string(),
        (cold.wasm_bytes >> 10).to_string(),
        millis(cold.wall),
        millis(warm.wall),
    ]
}

fn seconds(measured: &Measured) -> String {
    format!("{:.3}", measured.cpu.as_secs_f64())
}

fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

/// What stands where a tool to compare with is not installed.
fn or_absent(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "not installed".into())
}

/// For a terminal: columns aligned, numbers to the right.
pub fn plain(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            let cell = if column == 0 {
                format!("{cell}{padding}")
            } else {
                format!("  {padding}{cell}")
            };
            text.push_str(&cell);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// For a README.
pub fn markdown(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
        if at == 0 {
            text.push_str(&format!("| --- |{}\n", " ---: |".repeat(row.len() - 1)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        [["a", "number"], ["longer", "1"]]
            .map(|row| row.map(String::from).to_vec())
            .to_vec()
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(plain(&rows()), "a       number\nlonger       1\n");
    }

    #[test]
    fn markdown_has_a_header() {
        assert_eq!(
            markdown(&rows()),
            "| a | number |\n| --- | ---: |\n| longer | 1 |\n"
        );
    }
}
