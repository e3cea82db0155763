//! What a call of C costs, beside `ocamlopt` with the same C compiled for this machine.
//!
//! `make stubs-bench` runs this. With `--document FILE` it writes the table between the marks
//! there; other arguments are names of programs in `tests/stubs-bench`, which alone are measured.
//! A program may measure the C of a library ([`LIBRARIES`]), which is fetched first, with the
//! library's modules. Each program makes as many calls as its argument says. Time is CPU time of
//! the whole process, less that of one which makes few calls: the least of five runs, in turn.

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

/// Libraries of programs that measure one.
const LIBRARIES: [Library; 1] = [Library {
    name: "zarith",
    stubs: "dllzarith",
    modules: &["ocaml-zarith/z.mli", "ocaml-zarith/z.ml"],
    // What the library's own build generates.
    generated: &[("zarith_version.ml", "let version = \"1.12\"\n")],
    includes: &[
        "tests/stubs/zarith",
        "target/stubs/gmp/mini-gmp",
        "target/stubs/ocaml-zarith",
    ],
}];

/// A library whose C `scripts/stubs.sh` fetches.
#[derive(Clone, Copy, Default)]
struct Library {
    /// Programs begin with it and an underscore, and share the C of this name.
    name: &'static str,
    /// What an executable calls its stubs.
    stubs: &'static str,
    /// Its modules in the order in which they are linked, from where sources are fetched.
    modules: &'static [&'static str],
    /// Modules before those, by the names of their files, with what they say.
    generated: &'static [(&'static str, &'static str)],
    /// Where the program's C finds that of the library, in the repository.
    includes: &'static [&'static str],
}

/// What one row measures.
struct Subject {
    /// Its modules, the program last.
    modules: Vec<PathBuf>,
    c: PathBuf,
    includes: Vec<PathBuf>,
    scratch: TempDir,
}

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
    let subject = Subject::new(program)?;
    let runs = [subject.native()?, subject.ours("on")?, subject.ours("off")?];
    let mut least = [[f64::INFINITY; 2]; 3];
    let mut outputs: [Option<Vec<u8>>; 2] = [None, None];
    for _ in 0..RUNS {
        for (run, least) in runs.iter().zip(&mut least) {
            for (number, calls) in [CALLS, FEW].into_iter().enumerate() {
                let measured = run.measure(calls, &subject.scratch)?;
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

impl Subject {
    /// The program, in a directory of its own with what it is compiled of.
    fn new(program: &Path) -> Result<Self> {
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let family = stem.split('_').next().unwrap_or_default();
        let mut libraries = LIBRARIES.into_iter();
        let (library, c) = match libraries.find(|library| library.name == family) {
            Some(library) => {
                let fetching = workspace().join("scripts/stubs.sh");
                done(Command::new(fetching).args(["--for", library.stubs]))?;
                (library, program.with_file_name(library.name))
            }
            None => (Library::default(), program.to_owned()),
        };
        let scratch = TempDir::new()?;
        let mut modules = Vec::new();
        for (name, text) in library.generated {
            fs::write(scratch.path().join(name), text)?;
            modules.push(name.into());
        }
        let fetched = library.modules.iter();
        let fetched = fetched.map(|module| workspace().join("target/stubs").join(module));
        for module in fetched.chain([program.to_owned()]) {
            let mut name = PathBuf::from(module.file_name().context("a file has a name")?);
            if module == program {
                name = "program.ml".into();
            }
            fs::copy(&module, scratch.path().join(&name))?;
            modules.push(name);
        }
        let includes = library.includes.iter();
        Ok(Self {
            modules,
            c: c.with_extension("c"),
            includes: includes.map(|place| workspace().join(place)).collect(),
            scratch,
        })
    }

    /// The program as `ocamlopt` and the C compiler make it.
    fn native(&self) -> Result<Run> {
        let made = self.scratch.path().join("native");
        let c = self.scratch.path().join("native_stubs.c");
        fs::copy(&self.c, &c)?;
        let mut command = Command::new("ocamlopt");
        command.args(["-O3", "-ccopt", "-O2", "-o"]).arg(&made);
        for place in &self.includes {
            command.arg("-ccopt").arg(format!("-I{}", place.display()));
        }
        command.arg(&c).args(&self.modules);
        done(command.current_dir(self.scratch.path()))?;
        Ok(Run {
            command: made,
            before: Vec::new(),
        })
    }

    /// The program as machine code of ours.
    fn ours(&self, is_on: &str) -> Result<Run> {
        let tool = std::env::current_exe()?.with_file_name("bactrian");
        let [byte, made, stubs] = ["byte", "cwasm", "stubs"]
            .map(|ending| self.scratch.path().join(format!("{is_on}.{ending}")));
        let mut command = Command::new(&tool);
        command.args(["stubs", "-o"]).arg(&stubs);
        for place in &self.includes {
            command.arg("-I").arg(place);
        }
        done(command.arg(&self.c))?;
        let primitives = self.scratch.path().join("primitives");
        fs::write(&primitives, self.primitives()?)?;
        let mut command = Command::new("ocamlc");
        command.arg("-use-prims").arg(&primitives);
        command.arg("-o").arg(&byte).args(&self.modules);
        done(command.current_dir(self.scratch.path()))?;
        let mut command = Command::new(&tool);
        command.args(["build", "--no-cache", "--emit", "cwasm", "-O"]);
        command.arg(format!("small-stubs={is_on}"));
        command.arg("--stubs").arg(&stubs);
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

    /// The names of primitives that bytecode may take from elsewhere, a line each: those of
    /// `ocamlrun`, and what the modules declare.
    fn primitives(&self) -> Result<String> {
        let known = Command::new("ocamlrun").arg("-p").output()?.stdout;
        let mut names = String::from_utf8(known)?;
        for module in &self.modules {
            let text = fs::read_to_string(self.scratch.path().join(module))?;
            for line in text.lines().filter(|line| line.starts_with("external ")) {
                let quoted = line.split('"').skip(1).step_by(2);
                let own = quoted.filter(|name| !name.starts_with(['%', '-', '+']));
                own.for_each(|name| names.extend([name, "\n"]));
            }
        }
        Ok(names)
    }
}

fn done(command: &mut Command) -> Result<()> {
    let output = command.output().context("it cannot be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {said}");
    Ok(())
}
