//! What a call of C costs, beside `ocamlopt` with the same C compiled for this machine.
//!
//! `make stubs-bench` runs this. With `--document FILE` it writes the table between the marks
//! there; other arguments are names of programs in `tests/stubs-bench`, which alone are measured.
//! Each program makes as many calls as its argument says. Time is CPU time of the whole process,
//! less that of one which makes few calls: the least of five runs, in turn.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian::bench::measure::{Measured, median};
use bactrian_tests::selection::Selection;
use bactrian_tests::workspace;
use clap::Parser;
use tempfile::TempDir;

const RUNS: usize = 5;

/// Calls of a run, and of the run that is taken off.
const CALLS: u64 = 50_000_000;
const FEW: u64 = 2;

const HEADER: &str = "\
| calls | `ocamlopt` ns | ns | × `ocamlopt` | called ns | × `ocamlopt` |
| --- | ---: | ---: | ---: | ---: | ---: |
";

const MARKS: [&str; 2] = [
    "<!-- calls:begin (written by `make stubs-bench`) -->",
    "<!-- calls:end -->",
];

/// A program as it is run: under a name, and how.
struct Run {
    command: PathBuf,
    before: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let selection = Selection::parse();
    let mut table = HEADER.to_owned();
    for program in selection.programs(&workspace().join("tests/stubs-bench"), "ml")? {
        let row = row(&program)?;
        eprint!("{row}");
        table.push_str(&row);
    }
    selection.put_out(MARKS, &table)
}

/// One row: natively, specialized, and with each function called.
fn row(program: &Path) -> Result<String> {
    let scratch = TempDir::new()?;
    let runs = [
        native(program, &scratch)?,
        ours(program, &scratch, "on")?,
        ours(program, &scratch, "off")?,
    ];
    let mut least = [[f64::INFINITY; 2]; 3];
    let mut outputs: [Option<Vec<u8>>; 2] = [None, None];
    for _ in 0..RUNS {
        for (run, least) in runs.iter().zip(&mut least) {
            for (number, calls) in [CALLS, FEW].into_iter().enumerate() {
                let measured = run.measure(calls, &scratch)?;
                let output = &mut outputs[number];
                let expected = output.get_or_insert_with(|| measured.output.clone());
                ensure!(
                    *expected == measured.output,
                    "{} differs",
                    program.display()
                );
                least[number] = least[number].min(measured.cpu.as_secs_f64());
            }
        }
    }
    let [native, special, called] = least.map(|[many, few]| (many - few) * 1e9 / CALLS as f64);
    let text = fs::read_to_string(program)?;
    let what = text.lines().next().unwrap_or_default();
    let what = what.trim_start_matches("(*").trim_end_matches("*)").trim();
    let what = what
        .trim_end_matches('.')
        .replace("[@@", "`[@@")
        .replace(']', "]`");
    Ok(format!(
        "| {what} | {native:.2} | {special:.2} | {:.2} | {called:.2} | {:.2} |\n",
        special / native,
        called / native,
    ))
}

impl Run {
    fn measure(&self, calls: u64, scratch: &TempDir) -> Result<Measured> {
        median(1, scratch.path(), || {
            let mut command = Command::new(&self.command);
            command.args(&self.before).arg(calls.to_string());
            Ok(command)
        })
    }
}

/// The program as `ocamlopt` and the C compiler make it.
fn native(program: &Path, scratch: &TempDir) -> Result<Run> {
    let made = scratch.path().join("native");
    let source = scratch.path().join("native.ml");
    let c = scratch.path().join("native_stubs.c");
    fs::copy(program, &source)?;
    fs::copy(program.with_extension("c"), &c)?;
    let mut command = Command::new("ocamlopt");
    command.args(["-O3", "-ccopt", "-O2", "-o"]).arg(&made);
    done(command.arg(&c).arg(&source).current_dir(scratch.path()))?;
    Ok(Run {
        command: made,
        before: Vec::new(),
    })
}

/// The program as machine code of ours.
fn ours(program: &Path, scratch: &TempDir, is_on: &str) -> Result<Run> {
    let tool = std::env::current_exe()?.with_file_name("bactrian");
    let [byte, made, stubs] =
        ["byte", "cwasm", "stubs"].map(|ending| scratch.path().join(format!("{is_on}.{ending}")));
    let source = scratch.path().join("bytecode.ml");
    fs::copy(program, &source)?;
    done(
        Command::new(&tool)
            .args(["stubs", "-o"])
            .arg(&stubs)
            .arg(program.with_extension("c")),
    )?;
    // Bytecode that takes the functions from elsewhere.
    let text = fs::read_to_string(program.with_extension("c"))?;
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("value ")?.split('(').next()?;
        Some(format!("{name}\n"))
    });
    let known = Command::new("ocamlrun").arg("-p").output()?.stdout;
    let known = String::from_utf8(known)? + &names.collect::<String>();
    let primitives = scratch.path().join("primitives");
    fs::write(&primitives, known)?;
    let mut command = Command::new("ocamlc");
    command
        .arg("-use-prims")
        .arg(&primitives)
        .arg("-o")
        .arg(&byte);
    done(command.arg(&source).current_dir(scratch.path()))?;
    let mut command = Command::new(&tool);
    command.args(["build", "--no-cache", "--emit", "cwasm", "-O"]);
    command
        .arg(format!("small-stubs={is_on}"))
        .arg("--stubs")
        .arg(&stubs);
    done(command.arg("-o").arg(&made).arg(&byte))?;
    Ok(Run {
        command: tool,
        before: ["run", "--allow-precompiled"]
            .map(PathBuf::from)
            .into_iter()
            .chain([made])
            .collect(),
    })
}

fn done(command: &mut Command) -> Result<()> {
    let output = command.output().context("it cannot be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {said}");
    Ok(())
}
