//! The Scheme's speed: generic, compiled, and beside Guile, where that is installed.
//!
//! `make scheme-bench` runs this. With `--document FILE` it writes the table between the marks
//! there; other arguments are names of programs, which alone are measured. Time is CPU time of the
//! whole process, with a warm cache, the median of three runs; programs have to write the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian::bench::means::geometric_mean;
use bactrian::bench::measure::{Measured, median};
use bactrian_tests::beside::shown;
use bactrian_tests::selection::Selection;
use bactrian_tests::workspace;
use clap::Parser;
use tempfile::TempDir;

const RUNS: usize = 3;

const HEADER: &str = "\
| program | generic s | compiled s | × generic | Guile s | × Guile | specialize ms | wasm KiB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

const MARKS: [&str; 2] = [
    "<!-- scheme:begin (written by `make scheme-bench`) -->",
    "<!-- scheme:end -->",
];

/// What one program came to.
struct Row {
    name: String,
    generic: f64,
    compiled: f64,
    guile: Option<f64>,
    specialize: String,
    bytes: u64,
}

impl Row {
    fn cells(&self) -> String {
        let Self {
            name,
            generic,
            compiled,
            ..
        } = self;
        let guile = |f: &dyn Fn(f64) -> f64| match self.guile {
            Some(seconds) => format!("{:.2}", f(seconds)),
            None => "–".to_owned(),
        };
        format!(
            "| {name} | {generic:.2} | {compiled:.2} | {:.1} | {} | {} | {} | {} |\n",
            generic / compiled,
            guile(&|seconds| seconds),
            guile(&|seconds| seconds / compiled),
            self.specialize,
            self.bytes >> 10,
        )
    }
}

/// Where everything is, and files of this run.
struct Bench {
    scratch: TempDir,
    has_guile: bool,
}

fn main() -> Result<()> {
    let selection = Selection::parse();
    let has_guile = Command::new("guile").arg("--version").output().is_ok();
    let bench = Bench {
        scratch: TempDir::new()?,
        has_guile,
    };
    let mut table = HEADER.to_owned();
    let mut rows = Vec::new();
    for program in selection.programs(&directory(), "scm")? {
        let row = bench.measure(&program)?;
        eprint!("{}", row.cells());
        table.push_str(&row.cells());
        rows.push(row);
    }
    let mean = |ratio: &dyn Fn(&Row) -> Option<f64>| {
        shown(geometric_mean(rows.iter().filter_map(ratio)), 1)
    };
    table.push_str(&format!(
        "| all | | | {} | | {} | | |\n",
        mean(&|row| Some(row.generic / row.compiled)),
        mean(&|row| Some(row.guile? / row.compiled)),
    ));
    selection.put_out(MARKS, &table)
}

fn directory() -> PathBuf {
    workspace().join("guests/scheme/bench")
}

fn name_of(program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

impl Bench {
    fn measure(&self, program: &Path) -> Result<Row> {
        let generic = self.run(program, &["--generic"])?;
        let compiled = self.run(program, &[])?;
        ensure!(compiled.ends_as(&generic), "{} differs", program.display());
        let guile = match self.has_guile {
            true => Some(self.guile(program)?),
            false => None,
        };
        if let Some(guile) = &guile {
            let other = String::from_utf8_lossy(&guile.output);
            let ours = String::from_utf8_lossy(&compiled.output);
            ensure!(
                guile.output == compiled.output,
                "Guile says {other}, not {ours}"
            );
        }
        let (specialize, bytes) = self.build(program)?;
        Ok(Row {
            name: name_of(program),
            generic: generic.cpu.as_secs_f64(),
            compiled: compiled.cpu.as_secs_f64(),
            guile: guile.map(|guile| guile.cpu.as_secs_f64()),
            specialize,
            bytes,
        })
    }

    fn run(&self, program: &Path, options: &[&str]) -> Result<Measured> {
        let command = || {
            let mut command = self.tool("run")?;
            command
                .arg("--cache")
                .arg(self.scratch.path().join("cache"));
            command.args(options).arg(program);
            Ok(command)
        };
        // What it takes to fill the cache is not the program's.
        median(1, self.scratch.path(), command)?;
        median(RUNS, self.scratch.path(), command)
    }

    /// How long specialization takes, in milliseconds, and how large the result is.
    fn build(&self, program: &Path) -> Result<(String, u64)> {
        let module = self.scratch.path().join("program.wasm");
        let mut command = self.tool("build")?;
        command.args(["--no-cache", "--stats", "-o"]);
        let said = command.arg(&module).arg(program).output()?.stderr;
        let said = String::from_utf8_lossy(&said);
        ensure!(said.contains(" 0 declined"), "{said}");
        let line = said.lines().find(|line| line.starts_with("specialize "));
        let cpu = line.and_then(|line| line.split("wall").nth(1)?.split_whitespace().next());
        let cpu = cpu.with_context(|| format!("no time in {said}"))?;
        let cpu: f64 = cpu.parse()?;
        Ok((format!("{cpu:.0}"), fs::metadata(&module)?.len()))
    }

    /// The command of this build.
    fn tool(&self, subcommand: &str) -> Result<Command> {
        let this = std::env::current_exe()?;
        let mut command = Command::new(this.with_file_name("bactrian"));
        let manifest = workspace().join("guests/scheme/scheme.toml");
        command.arg(subcommand).arg("--guest").arg(manifest);
        Ok(command)
    }

    /// The same program under Guile, which has compiled it before.
    fn guile(&self, program: &Path) -> Result<Measured> {
        let prefix = fs::read_to_string(directory().join("native/guile.scm"))?;
        let source = self.scratch.path().join(name_of(program) + ".scm");
        fs::write(&source, prefix + &fs::read_to_string(program)?)?;
        let command = || {
            let mut command = Command::new("guile");
            command.env("XDG_CACHE_HOME", self.scratch.path());
            command.env("GUILE_AUTO_COMPILE", "1").arg(&source);
            Ok(command)
        };
        median(1, self.scratch.path(), command)?;
        median(RUNS, self.scratch.path(), command)
    }
}
