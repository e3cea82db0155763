//! The Scheme and Lua: speed, from the tables that their own benchmarks print; and what it takes to
//! specialize their programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian::bench::measure;

use super::{rows, shown, sibling};
use crate::{process, workspace};
use bactrian::bench::means::geometric_mean;

/// A guest, and what it is measured by.
struct Guest {
    name: &'static str,
    native: &'static str,
    manifest: PathBuf,
    programs: PathBuf,
    ending: &'static str,
    /// The command that prints the table, with its arguments.
    bench: (&'static str, &'static [&'static str]),
    /// Its columns: generic, specialized, native, in seconds.
    columns: [usize; 3],
}

/// What came of it.
#[derive(Debug)]
pub struct Row {
    name: &'static str,
    native: &'static str,
    /// Geometric means over the programs.
    over_generic: Option<f64>,
    over_native: Option<f64>,
    programs: usize,
    /// Means of the programs' specialization, in milliseconds, and of the command's peak memory.
    specialize: f64,
    megabytes: f64,
    kilobytes: f64,
}

/// Measures both.
pub fn measured() -> Result<Vec<Row>> {
    let guests = workspace().join("guests");
    [
        Guest {
            name: "Scheme, in Rust",
            native: "Guile 3.0",
            manifest: guests.join("scheme/scheme.toml"),
            programs: guests.join("scheme/bench"),
            ending: "scm",
            bench: ("scheme-bench", &[]),
            columns: [1, 2, 4],
        },
        Guest {
            name: "PUC-Rio's Lua 5.4, in C",
            native: "`lua5.4`",
            manifest: workspace().join("target/lua/lua.toml"),
            programs: guests.join("lua/bench"),
            ending: "lua",
            bench: ("lua", &["--bench"]),
            columns: [1, 2, 3],
        },
    ]
    .iter()
    .map(row)
    .collect()
}

fn row(guest: &Guest) -> Result<Row> {
    let (name, arguments) = guest.bench;
    eprintln!("{name}");
    let outcome = process::run(Command::new(sibling(name)?).args(arguments), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "{name}: {said}");
    let table = String::from_utf8(outcome.stdout)?;
    let times = times(&table, guest.columns);
    ensure!(!times.is_empty(), "{name} measured nothing:\n{table}");
    let built = programs(guest)?
        .iter()
        .map(|program| built(&guest.manifest, program))
        .collect::<Result<Vec<_>>>()?;
    let average =
        |of: &dyn Fn(&Built) -> f64| built.iter().map(of).sum::<f64>() / built.len() as f64;
    Ok(Row {
        name: guest.name,
        native: guest.native,
        over_generic: geometric_mean(times.iter().map(|[generic, ours, _]| generic / ours)),
        over_native: geometric_mean(times.iter().map(|[_, ours, native]| native / ours)),
        programs: times.len(),
        specialize: average(&|built| built.specialize),
        megabytes: average(&|built| built.megabytes),
        kilobytes: average(&|built| built.kilobytes),
    })
}

/// The rows of a table that have a number in each of these columns: those of programs.
fn times(table: &str, columns: [usize; 3]) -> Vec<[f64; 3]> {
    let numbers = rows(table).into_iter().filter_map(|row| {
        let mut numbers = [0.0; 3];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = row.get(column)?.parse().ok()?;
        }
        Some(numbers)
    });
    numbers.collect()
}

fn programs(guest: &Guest) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(&guest.programs)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut programs: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).collect();
    programs.retain(|path| {
        path.extension()
            .is_some_and(|ending| ending == guest.ending)
    });
    programs.sort();
    Ok(programs)
}

/// What building a program takes, with no cache.
struct Built {
    specialize: f64,
    megabytes: f64,
    kilobytes: f64,
}

fn built(manifest: &Path, program: &Path) -> Result<Built> {
    let scratch = tempfile::TempDir::new()?;
    let (module, log) = (scratch.path().join("module"), scratch.path().join("log"));
    let measured = measure::median(1, scratch.path(), || {
        let mut command = Command::new(sibling("bactrian")?);
        command.arg("build").arg("--guest").arg(manifest);
        command.args(["--no-cache", "--stats", "-o"]).arg(&module);
        command.arg(program).stderr(fs::File::create(&log)?);
        Ok(command)
    })?;
    let said = fs::read_to_string(&log)?;
    ensure!(measured.status == Some(0), "{}: {said}", program.display());
    Ok(Built {
        specialize: stage(&said, "specialize").with_context(|| format!("no time in {said}"))?,
        megabytes: measured.peak as f64 / f64::from(1 << 20),
        kilobytes: fs::metadata(&module)?.len() as f64 / 1024.0,
    })
}

/// CPU milliseconds of a stage, from what `--stats` prints.
pub(super) fn stage(said: &str, name: &str) -> Option<f64> {
    let mut lines = said.lines();
    let line = lines.find(|line| line.split_whitespace().next() == Some(name))?;
    let cpu = line.split("wall").nth(1)?;
    cpu.split_whitespace().next()?.parse().ok()
}

/// The table, a guest a row.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| guest | programs | × generic | beside | × that | specialize ms | MiB | wasm KiB |\n\
         | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows {
        let [generic, native] = [row.over_generic, row.over_native].map(|gain| shown(gain, 2));
        text += &format!(
            "| {} | {} | {generic} | {} | {native} | {:.0} | {:.0} | {:.0} |\n",
            row.name, row.programs, row.native, row.specialize, row.megabytes, row.kilobytes
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_of_programs_have_all_numbers() {
        let table = "| program | a | b | c |\n| --- | ---: | ---: | ---: |\n\
                     | fib | 2.00 | 1.00 | 0.50 |\n| other | 3.00 | 1.50 | – |\n\
                     | all | | | 2.0 |\n";
        assert_eq!(times(table, [1, 2, 3]), [[2.0, 1.0, 0.5]]);
    }

    #[test]
    fn the_time_of_a_stage_is_its_cpu_time() {
        let said = "snapshot    12.0 ms wall  13.5 ms cpu  x\n\
                    specialize   2.0 ms wall   3.5 ms cpu  x\n";
        assert_eq!(stage(said, "specialize"), Some(3.5));
        assert_eq!(stage(said, "link"), None);
    }
}
