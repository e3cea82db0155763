//! How fast programs are: generic, specialized, under the native `lua5.4` and under LuaJIT.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::beside::shown;
use anyhow::{Context, Result, ensure};
use bactrian::bench::means::geometric_mean;
use bactrian::bench::measure::{self, Measured};

use super::{Lua, Mode};

/// What a program takes, in seconds of CPU.
#[derive(Debug)]
pub struct Row {
    name: String,
    generic: f64,
    specialized: f64,
    native: f64,
    /// Absent where LuaJIT does not have what the program uses.
    jit: Option<f64>,
}

impl Row {
    fn gain(&self) -> f64 {
        self.generic / self.specialized
    }
}

/// The programs: every script of the directory, by name.
pub fn programs(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut programs = Vec::new();
    for entry in directory.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "lua") {
            programs.push(path);
        }
    }
    programs.sort();
    Ok(programs)
}

/// Runs a program `runs` times in each way, in turn; the output has to be the same, but LuaJIT's
/// may be an error. What is compiled is in the cache before time is taken.
pub fn row(lua: &Lua, program: &Path, runs: usize) -> Result<Row> {
    let scratch = tempfile::TempDir::new()?;
    let of = |mut command: Command| {
        command.arg(program).stderr(std::process::Stdio::null());
        Ok(command)
    };
    for mode in [Mode::Generic, Mode::Specialized] {
        measure::median(1, scratch.path(), || of(lua.command(mode)))?;
    }
    let [native, generic, specialized, jit] = measure::in_turn(
        runs,
        scratch.path(),
        [
            &|| of(Command::new("lua5.4")),
            &|| of(lua.command(Mode::Generic)),
            &|| of(lua.command(Mode::Specialized)),
            &|| of(Command::new("luajit")),
        ],
    )?;
    ensure!(native.status == Some(0), "lua5.4 {}", program.display());
    for (mode, measured) in [(Mode::Generic, &generic), (Mode::Specialized, &specialized)] {
        let name = program.display();
        ensure!(
            measured.ends_as(&native),
            "{name}, {mode:?}: another output"
        );
    }
    let seconds = |measured: &Measured| measured.cpu.as_secs_f64();
    let name = program.file_stem().context("a program has a name")?;
    Ok(Row {
        name: name.to_string_lossy().into_owned(),
        generic: seconds(&generic),
        specialized: seconds(&specialized),
        native: seconds(&native),
        jit: (jit.status == Some(0)).then(|| seconds(&jit)),
    })
}

/// The table, with geometric means.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| program | generic s | specialized s | `lua5.4` s | LuaJIT s | generic / specialized \
         | `lua5.4` / specialized |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows {
        let jit = shown(row.jit, 2);
        let (generic, specialized, native) = (row.generic, row.specialized, row.native);
        let (gain, against) = (row.gain(), native / specialized);
        let line = format!(
            "| {} | {generic:.2} | {specialized:.2} | {native:.2} | {jit} | {gain:.2} \
             | {against:.2} |",
            row.name
        );
        writeln!(text, "{line}").expect("writing to a string");
    }
    let mean = |ratios: &dyn Fn(&Row) -> f64| shown(geometric_mean(rows.iter().map(ratios)), 2);
    let (gain, against) = (mean(&Row::gain), mean(&|row| row.native / row.specialized));
    writeln!(text, "| geometric mean | | | | | **{gain}** | {against} |")
        .expect("writing to a string");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_geometric() {
        let row = |generic, specialized| Row {
            name: "p".into(),
            generic,
            specialized,
            native: specialized,
            jit: None,
        };
        let text = table(&[row(8.0, 1.0), row(2.0, 1.0)]);
        assert!(
            text.contains("| p | 8.00 | 1.00 | 1.00 | – | 8.00 | 1.00 |"),
            "{text}"
        );
        assert!(text.ends_with("| **4.00** | 1.00 |\n"), "{text}");
    }
}
