//! `bactrian bench` and `bactrian demo`: the same programs under `ocamlrun`, generic and residual,
//! and as `ocamlopt` compiles them.
//!
//! [`programs`] lists the programs, [`program`] takes one through everything, [`compiler`] calls
//! OCaml's compilers, [`measure`] is how time is taken. [`figures`] draws figures from it and
//! compares them with the aims, [`means`] is by group, [`chart`] draws a picture, [`table`]
//! renders, [`place`] is where tables go, [`skeleton`] what they have without figures. [`ladder`]
//! measures what each optimisation is worth, [`bytecode`] counts instructions, [`scaling`] measures
//! the specializer on functions of growing size, [`shapes`] cold builds of large programs,
//! [`rebuild`] builds after edits, [`users`] start-up and OCaml's compiler; [`numbers`] compares
//! numbers with `ocamlrun`'s.
//!
//! Invariant: a ratio is of CPU times, medians, from one run on one machine; a program whose
//! outputs differ is an error, not a figure.

mod bytecode;
mod chart;
mod compiler;
mod figures;
pub mod ladder;
pub mod means;
pub mod measure;
mod numbers;
mod place;
mod program;
mod programs;
pub mod rebuild;
mod scaling;
pub mod shapes;
pub mod skeleton;
mod table;
mod users;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::{BenchArgs, DemoArgs};
use crate::precompiled::Precompiled;
use figures::Figures;
use measure::Measured;
pub use numbers::MAY_DIFFER;
use place::{Marks, Place};
use program::{Bench, Entry};
use programs::Source;

const SUMMARY: Marks = [
    "<!-- bench:begin (written by `make bench`) -->",
    "<!-- bench:end -->",
];

const PROGRAMS: Marks = [
    "<!-- programs:begin (written by `make bench`) -->",
    "<!-- programs:end -->",
];

const LADDER: Marks = [
    "<!-- ladder:begin (written by `make ladder`) -->",
    "<!-- ladder:end -->",
];

const SHAPES: Marks = [
    "<!-- shapes:begin (written by `make shapes`) -->",
    "<!-- shapes:end -->",
];

const REBUILD: Marks = [
    "<!-- rebuild:begin (written by `make rebuild`) -->",
    "<!-- rebuild:end -->",
];

/// The files of `--docs`.
const PAGE: &str = "bench.md";
const CACHING: &str = "caching.md";
const CHART: &str = "bench.svg";

/// Measures what the arguments ask for and prints the tables; with `--readme` and `--docs`, also
/// puts them there.
pub fn bench(args: &BenchArgs, precompiled: Precompiled) -> Result<()> {
    if args.numbers {
        return numbers::numbers(args, precompiled);
    }
    let bench = Bench::new(args.runs, precompiled)?;
    match (args.shapes, args.ladder, args.rebuild) {
        (true, ..) => measure_shapes(args, &bench),
        (false, true, _) => measure_ladder(args, &bench),
        (false, false, true) => measure_rebuilds(args, &bench),
        (false, false, false) => measure_programs(args, &bench),
    }
}

fn measure_rebuilds(args: &BenchArgs, bench: &Bench) -> Result<()> {
    let page = args.docs.as_ref().map(|docs| docs.join(CACHING));
    let place = place(page.as_deref(), REBUILD)?;
    let rows = table::rebuilds(&rebuild::measure(bench)?);
    show(&render(&[rows]), place)
}

fn measure_shapes(args: &BenchArgs, bench: &Bench) -> Result<()> {
    let place = place(args.readme.as_deref(), SHAPES)?;
    let rows = table::shapes(&shapes::measure(bench)?);
    show(&render(&[rows]), place)
}

fn measure_ladder(args: &BenchArgs, bench: &Bench) -> Result<()> {
    let place = place(page(args).as_deref(), LADDER)?;
    let sources = Source::list(&args.programs, &args.names)?;
    show(&render(&ladder::measure(bench, &sources)?), place)
}

/// Programs and tasks; with names, only these.
fn measure_programs(args: &BenchArgs, bench: &Bench) -> Result<()> {
    let summary = place(args.readme.as_deref(), SUMMARY)?;
    let page = place(page(args).as_deref(), PROGRAMS)?;
    let is_whole = args.names.is_empty();
    let (tasks, names): (Vec<_>, Vec<_>) = args
        .names
        .iter()
        .cloned()
        .partition(|name| users::is_task(name));
    let sources = match is_whole || !names.is_empty() {
        true => Source::list(&args.programs, &names)?,
        false => Vec::new(),
    };
    let tasks = users::measure(bench, |task| {
        is_whole || tasks.iter().any(|name| name == task)
    })?;
    let entries = measure_sources(bench, sources)?;
    let (scaling, compiler) = match is_whole {
        true => (scaling::measure(bench)?, users::build(bench)?),
        false => Default::default(),
    };
    if let Some(docs) = &args.docs {
        let path = docs.join(CHART);
        fs::write(&path, chart::draw(&entries))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    show(&render(&[table::programs(&entries)]), page)?;
    let figures = Figures {
        entries: &entries,
        nothing: &bench.measure_nothing()?,
        scaling: &scaling,
        compiler: compiler.as_ref(),
    };
    let tables = [
        figures::rows(&figures),
        means::rows(&entries),
        table::tasks(&tasks),
    ];
    show(&render(&tables), summary)
}

fn measure_sources(bench: &Bench, sources: Vec<Source>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for source in sources {
        let name = source.name.clone();
        notice!("{name} ...");
        entries.push(bench.measure_source(source).context(name)?);
    }
    Ok(entries)
}

/// The page of `--docs`.
fn page(args: &BenchArgs) -> Option<PathBuf> {
    args.docs.as_ref().map(|docs| docs.join(PAGE))
}

fn place(path: Option<&Path>, marks: Marks) -> Result<Option<Place>> {
    path.map(|path| Place::open(path, marks)).transpose()
}

fn render(tables: &[Vec<Vec<String>>]) -> String {
    let tables: Vec<_> = tables.iter().map(|rows| table::markdown(rows)).collect();
    tables.join("\n")
}

/// Prints tables, and puts them into their place.
fn show(text: &str, place: Option<Place>) -> Result<()> {
    println!("{text}");
    place.map_or(Ok(()), |place| place.replace(text))
}

/// Takes a few compiled programs through the pipeline, with their output and a table.
pub fn demo(args: &DemoArgs, precompiled: Precompiled) -> Result<()> {
    let files = if args.programs.is_empty() {
        programs::files(Path::new("demo"), "byte")?
    } else {
        args.programs.clone()
    };
    let bench = Bench::new(1, precompiled)?;
    let mut measurements = Vec::new();
    for bytecode in &files {
        let name = programs::name(bytecode);
        let measurement = bench
            .measure(&name, bytecode)
            .with_context(|| name.clone())?;
        println!("{name}:");
        for line in String::from_utf8_lossy(&measurement.residual.output).lines() {
            println!("    {line}");
        }
        measurements.push(measurement);
    }
    println!("\n{}", table::plain(&table::demo(&measurements)));
    Ok(())
}
