//! `bactrian bench` and `bactrian demo`: the same programs under `ocamlrun`, generic and residual.
//!
//! [`program`] takes one program through everything, [`measure`] is how time is taken, [`figures`]
//! draws the means and compares them with the aims, [`bytecode`] counts instructions, [`scaling`]
//! measures the specializer on functions of growing size, [`shapes`] cold builds of large programs,
//! [`users`] measures start-up and OCaml's compiler, [`table`] renders; [`numbers`] compares
//! numbers with `ocamlrun`'s. Invariant: a ratio is of CPU times, medians, from one run on one
//! machine; a program whose outputs differ is an error, not a figure.

mod bytecode;
mod figures;
pub mod measure;
mod numbers;
mod program;
mod scaling;
pub mod shapes;
mod table;
mod users;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cli::{BenchArgs, DemoArgs};
use crate::precompiled::Precompiled;
use figures::Figures;
use measure::Measured;
pub use numbers::MAY_DIFFER;
use program::{Bench, Measurement};
use users::Task;

/// A place for tables in a README: between these two lines.
type Marks = [&'static str; 2];

const PROGRAMS: Marks = [
    "<!-- bench:begin (written by `make bench`) -->",
    "<!-- bench:end -->",
];

const SHAPES: Marks = [
    "<!-- shapes:begin (written by `make shapes`) -->",
    "<!-- shapes:end -->",
];

/// Measures the benchmark programs and prints the tables; with `--readme`, also puts them there.
/// With names, only these programs and tasks are measured.
pub fn bench(args: &BenchArgs, precompiled: Precompiled) -> Result<()> {
    if args.numbers {
        return numbers::numbers(args, precompiled);
    }
    let marks = if args.shapes { SHAPES } else { PROGRAMS };
    let readme = args
        .readme
        .as_ref()
        .map(|path| Readme::open(path, marks))
        .transpose()?;
    let bench = Bench::new(args.runs, precompiled)?;
    if args.shapes {
        let rows = table::shapes(&shapes::measure(&bench)?);
        return show(&table::markdown(&rows), readme);
    }
    let is_whole = args.names.is_empty();
    let is_task = |name: &&String| users::is_task(name);
    let names: Vec<String> = args
        .names
        .iter()
        .filter(|name| !is_task(name))
        .cloned()
        .collect();
    let sources = match is_whole || !names.is_empty() {
        true => sources(&args.programs, "ml", &names)?,
        false => Vec::new(),
    };
    let tasks = users::measure(&bench, |task| {
        is_whole || args.names.iter().any(|name| name == task)
    })?;
    let mut measurements = Vec::new();
    for source in &sources {
        let name = name(source);
        eprintln!("{name} ...");
        let bytecode = bench.compile(source)?;
        measurements.push(
            bench
                .measure(&name, &bytecode)
                .with_context(|| name.clone())?,
        );
    }
    let scaling = match is_whole {
        true => scaling::measure(&bench)?,
        false => Vec::new(),
    };
    let nothing = bench.measure_nothing()?;
    let figures = Figures::new(&measurements, &nothing, &scaling);
    show(&report(&measurements, &figures, &tasks), readme)
}

/// Prints tables, and puts them into their place.
fn show(text: &str, readme: Option<Readme>) -> Result<()> {
    println!("{text}");
    readme.map_or(Ok(()), |readme| readme.replace(text))
}

/// The first rows of the tables that go into the README: programs, figures, tasks.
pub fn headers() -> [Vec<String>; 3] {
    [
        table::programs(&[]).remove(0),
        figures::HEADER.map(String::from).to_vec(),
        table::tasks(&[]).remove(0),
    ]
}

/// Takes a few compiled programs through the pipeline, with their output and a table.
pub fn demo(args: &DemoArgs, precompiled: Precompiled) -> Result<()> {
    let programs = if args.programs.is_empty() {
        sources(&PathBuf::from("demo"), "byte", &[])?
    } else {
        args.programs.clone()
    };
    let bench = Bench::new(1, precompiled)?;
    let mut measurements = Vec::new();
    for bytecode in &programs {
        let name = name(bytecode);
        let measurement = bench
            .measure(&name, bytecode)
            .with_context(|| name.clone())?;
        println!("{name}:");
        for line in String::from_utf8_lossy(&measurement.residual.output).lines() {
            println!("    {line}");
        }
        measurements.push(measurement);
    }
    println!("\n{}", table::plain(&table::programs(&measurements)));
    Ok(())
}

/// What the program in this file is called.
fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The files of `directory` with this extension, in order; only those of these names, if any are
/// given.
fn sources(directory: &Path, extension: &str, names: &[String]) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| {
        format!(
            "cannot list {} (run this from the repository)",
            directory.display()
        )
    })?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default();
        let wanted = names.is_empty() || names.iter().any(|name| stem == name.as_str());
        if wanted && path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("there is no such program in {}", directory.display());
    }
    files.sort();
    Ok(files)
}

fn report(measurements: &[Measurement], figures: &Figures, tasks: &[Task]) -> String {
    [
        table::programs(measurements),
        figures.rows(),
        table::tasks(tasks),
    ]
    .map(|rows| table::markdown(&rows))
    .join("\n")
}

/// A file with a place for tables.
struct Readme {
    path: PathBuf,
    text: String,
    marks: Marks,
}

impl Readme {
    fn open(path: &Path, marks: Marks) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let readme = Self {
            path: path.to_path_buf(),
            text,
            marks,
        };
        readme.place()?;
        Ok(readme)
    }

    /// Where the tables begin and end.
    fn place(&self) -> Result<(usize, usize)> {
        let [first, last] = self.marks;
        let begin = self.text.find(first).map(|at| at + first.len());
        match (begin, self.text.find(last)) {
            (Some(begin), Some(end)) if begin <= end => Ok((begin, end)),
            _ => bail!(
                "{} has no place for the tables: a line `{first}` and a line `{last}`",
                self.path.display()
            ),
        }
    }

    fn replace(&self, table: &str) -> Result<()> {
        let (begin, end) = self.place()?;
        let text = format!(
            "{}\n\n{}\n\n{}",
            &self.text[..begin],
            table.trim_end(),
            &self.text[end..]
        );
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}
