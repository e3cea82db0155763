//! One library: its program compiled, the functions in C of the libraries that it names made, its
//! executions compared.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bactrian::guest;

use super::list::Library;
use crate::process::{self, Outcome};
use crate::tool::{Mode, Tool};
use crate::workspace;

/// How long one execution may take.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Libraries whose functions in C the interpreter has itself.
const BUILT_IN: [&str; 3] = ["dllcamlstr", "dllthreads", "dllunix"];

/// The modes that count.
pub const MODES: [Mode; 2] = [Mode::Generic, Mode::Residual];

/// What trials work with.
#[derive(Debug)]
pub struct Trials {
    pub tool: Tool,
    /// Where programs are compiled and run.
    pub place: PathBuf,
    /// Libraries in C that were made, or why not: one at a time is.
    pub made: Mutex<Vec<(String, Result<String, String>)>>,
}

/// What came of one library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub library: Library,
    /// The package's, or nothing where it is not installed.
    pub version: Option<String>,
    /// Recipes of functions in C, by their names.
    pub recipes: BTreeSet<String>,
    pub threads: bool,
    pub state: State,
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// All executions are as under `ocamlrun`.
    Same,
    /// It cannot be tried here.
    Untried(String),
    /// It is not as under `ocamlrun`, and how.
    Differs(String),
}

impl Trials {
    /// Tries a library. What goes wrong with the library is its state.
    pub fn one(&self, library: &Library) -> Result<Tried> {
        let mut tried = Tried {
            library: library.clone(),
            version: version(&library.package)?,
            recipes: BTreeSet::new(),
            threads: false,
            state: State::Same,
        };
        if tried.version.is_none() {
            tried.state = State::Untried(format!("{} is not installed", library.package));
            return Ok(tried);
        }
        let directory = self.place.join(&library.name);
        crate::conformance::files::remove(&directory)?;
        fs::create_dir_all(&directory)?;
        let program = compile(library, &directory)?;
        tried.state = self.compared(&mut tried, &program, &directory)?;
        Ok(tried)
    }

    fn compared(&self, tried: &mut Tried, program: &Path, directory: &Path) -> Result<State> {
        let named = (guest::default().libraries)(&mut File::open(program)?);
        tried.threads = named.iter().any(|name| name == "dllthreads");
        for name in named {
            if BUILT_IN.contains(&name.as_str()) {
                continue;
            }
            match self.stubs(&name)? {
                Ok(recipe) => _ = tried.recipes.insert(recipe),
                Err(reason) => return Ok(State::Untried(reason)),
            }
        }
        let mut differences = Vec::new();
        for run in &tried.library.runs {
            let run = |mut command: Command| {
                command.args(run);
                execute(&tried.library, &mut command, directory)
            };
            let mut plain = Command::new("ocamlrun");
            plain.arg(program);
            let expected = run(plain)?;
            for mode in MODES {
                // Not to end is a difference, too.
                let difference = match run(self.command(&tried.library, mode, program)) {
                    Ok(outcome) => outcome.difference(&expected),
                    Err(error) => Some(format!("{error:#}")),
                };
                let told = |difference| format!("{}: {difference}", mode.name());
                differences.extend(difference.map(told));
            }
        }
        Ok(match differences.is_empty() {
            true => State::Same,
            false => State::Differs(differences.join("\n")),
        })
    }

    /// The recipe that made the functions in C of a library, or why they are not there.
    fn stubs(&self, library: &str) -> Result<Result<String, String>> {
        let mut made = self.made.lock().expect("no trial panics");
        if let Some((_, result)) = made.iter().find(|(name, _)| name == library) {
            return Ok(result.clone());
        }
        let mut script = Command::new(workspace().join("scripts/stubs.sh"));
        script.args(["--for", library]);
        script.env("BACTRIAN", &self.tool.binary);
        let outcome = process::run(&mut script, b"")?;
        let said = String::from_utf8_lossy(&outcome.stdout).trim().to_owned();
        let result = match outcome.status {
            Some(0) => Ok(said),
            _ => Err(said.replace("stubs: ", "").replace('\n', "; ")),
        };
        made.push((library.into(), result.clone()));
        Ok(result)
    }

    /// As a user runs the program.
    fn command(&self, library: &Library, mode: Mode, program: &Path) -> Command {
        let mut command = self.tool.command(mode.flags());
        command.arg("--cache").arg(&self.tool.cache);
        command.arg("--stubs-path");
        command.arg(workspace().join("target/stubs/made"));
        match library.unconfined {
            true => _ = command.arg("--unconfined"),
            false => {
                command.args(["--dir", "."]);
                for (name, value) in &library.env {
                    command.arg("--env").arg(format!("{name}={value}"));
                }
            }
        }
        command.arg(program).arg("--");
        command
    }
}

/// Runs a command in an empty directory.
fn execute(library: &Library, command: &mut Command, directory: &Path) -> Result<Outcome> {
    let work = directory.join("work");
    crate::conformance::files::remove(&work)?;
    fs::create_dir(&work)?;
    command.current_dir(&work).env("PWD", &work);
    command.envs(library.env.iter().map(|(name, value)| (name, value)));
    let outcome = process::within(command, b"", TIME_LIMIT)?;
    Ok(Outcome {
        stdout: library.settled(&outcome.stdout),
        stderr: library.settled(&outcome.stderr),
        ..outcome
    })
}

/// The program's bytecode. That it can be compiled is not in question.
fn compile(library: &Library, directory: &Path) -> Result<PathBuf> {
    // A module of the program's own name, which may be a library's.
    let source = format!("use_{}.ml", library.program);
    fs::copy(library.source(), directory.join(&source))?;
    let mut compiler = Command::new("ocamlfind");
    compiler.args([
        "ocamlc",
        "-package",
        &library.findlib,
        "-linkpkg",
        "-w",
        "-a",
    ]);
    if library.findlib.contains("threads") {
        compiler.arg("-thread");
    }
    compiler.args(["-o", "program.byte", &source]);
    compiler.current_dir(directory);
    let outcome = process::run(&mut compiler, b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    ensure!(outcome.status == Some(0), "{}: {said}", library.name);
    Ok(directory.join("program.byte"))
}

/// The installed version of a package.
fn version(package: &str) -> Result<Option<String>> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f=${db:Status-Status} ${Version}", package]);
    let outcome = process::run(&mut query, b"").context("dpkg-query")?;
    let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
    Ok(said.strip_prefix("installed ").map(String::from))
}
