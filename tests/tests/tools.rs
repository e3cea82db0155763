//! Programs that Debian ships in bytecode, OCaml's own tools foremost, at work on the files of
//! `tests/tools`: what they print, how they end and every file that they write is the same as under
//! `ocamlrun`, byte for byte.
//!
//! A session is a list of commands in a directory of its own. It runs under `ocamlrun` first, then,
//! in the same place, generic, specialized or in lockstep. The compiler's session ends by running
//! what it built.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::{scratch, workspace};
use libtest_mimic::{Arguments, Failed, Trial};

/// A tool and what it is asked to do. A name without a slash is a program in the session's
/// directory.
struct Session {
    name: &'static str,
    commands: &'static [&'static str],
    /// How many of the commands run in lockstep, too: each takes the specializer's time again.
    in_lockstep: usize,
}

const SESSIONS: [Session; 8] = [
    Session {
        name: "ocamlc",
        commands: &[
            "/usr/bin/ocamlc.byte -c shapes.mli",
            "/usr/bin/ocamllex.byte words.mll",
            "/usr/bin/ocamlc.byte -g -o program.byte shapes.ml words.ml main.ml",
            "program.byte",
            "/usr/bin/ocamlc.byte -c wrong_type.ml",
            "/usr/bin/ocamlc.byte -c wrong_syntax.ml",
            "/usr/bin/ocamlc.byte -c absent.ml",
            "/usr/bin/ocamlc.byte -w +a -c warned.ml",
            "/usr/bin/ocamlc.byte -i shapes.ml",
            "/usr/bin/ocamlc.byte -a -o shapes.cma shapes.cmo",
            "/usr/bin/ocamlc.byte -config",
        ],
        in_lockstep: 5,
    },
    Session {
        name: "ocamllex",
        commands: &[
            "/usr/bin/ocamllex.byte words.mll",
            "/usr/bin/ocamllex.byte -ml -o table_free.ml words.mll",
            "/usr/bin/ocamllex.byte wrong_rule.mll",
        ],
        in_lockstep: 3,
    },
    Session {
        name: "ocamldep",
        commands: &[
            "/usr/bin/ocamldep.byte -sort shapes.ml shapes.mli main.ml",
            "/usr/bin/ocamldep.byte -modules main.ml wrong_type.ml",
            "/usr/bin/ocamldep.byte wrong_syntax.ml",
        ],
        in_lockstep: 1,
    },
    Session {
        name: "ocamlobjinfo",
        commands: &[
            "/usr/bin/ocamlobjinfo.byte /usr/lib/ocaml/stdlib.cmi /usr/lib/ocaml/str.cma",
            "/usr/bin/ocamlobjinfo.byte main.ml",
        ],
        in_lockstep: 1,
    },
    Session {
        name: "ocamldoc",
        commands: &[
            "/usr/bin/ocamldoc -dump shapes.odoc shapes.mli",
            "/usr/bin/ocamldoc -man shapes.mli",
            "/usr/bin/ocamldoc -html -d . shapes.mli shapes.ml",
        ],
        in_lockstep: 1,
    },
    // Loads its grammar and its printer while it runs.
    Session {
        name: "camlp5",
        commands: &[
            "/usr/bin/camlp5 -nolib -I /usr/lib/ocaml/camlp5 pa_o.cmo pr_r.cmo shapes.ml",
            "/usr/bin/camlp5 -nolib -I /usr/lib/ocaml/camlp5 pa_o.cmo pr_r.cmo main.ml",
            "/usr/bin/camlp5 -nolib -I /usr/lib/ocaml/camlp5 pa_o.cmo pr_r.cmo wrong_syntax.ml",
        ],
        in_lockstep: 1,
    },
    Session {
        name: "hlins",
        commands: &[
            "/usr/bin/hlins -db names.adr page.html",
            "/usr/bin/hlins -db names.adr -db-to-html",
            "/usr/bin/hlins -db absent.adr page.html",
        ],
        in_lockstep: 3,
    },
    // As far as it does not fork.
    Session {
        name: "ledit",
        commands: &[
            "/usr/bin/ledit -v",
            "/usr/bin/ledit -help",
            "/usr/bin/ledit -l",
            "/usr/bin/ledit -nothing",
        ],
        in_lockstep: 2,
    },
];

fn main() -> Result<ExitCode> {
    let arguments = Arguments::from_args();
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "tools")?;
    let binary = env!("CARGO_BIN_EXE_bactrian-under-test");
    let tool = Arc::new(Tool::new(binary, &directory)?);
    let mut trials = Vec::new();
    for session in &SESSIONS {
        for mode in [Mode::Generic, Mode::Residual, Mode::Lockstep] {
            let name = format!("{}::{}", session.name, mode.name());
            let (tool, directory) = (tool.clone(), directory.clone());
            trials.push(Trial::test(name, move || {
                check(session, mode, &tool, &directory)
                    .map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn check(session: &Session, mode: Mode, tool: &Tool, directory: &Path) -> Result<()> {
    for command in session.commands {
        let program = command.split(' ').next().unwrap_or_default();
        ensure!(
            !program.starts_with('/') || Path::new(program).exists(),
            "{program} is not installed: `make setup` installs it"
        );
    }
    let place = directory.join(format!("{}-{}", session.name, mode.name()));
    let count = match mode {
        Mode::Generic | Mode::Residual | Mode::Collecting => session.commands.len(),
        Mode::Lockstep | Mode::Stress => session.in_lockstep,
    };
    let commands = &session.commands[..count];
    let expected = run(commands, &place, |program| {
        let mut command = Command::new("ocamlrun");
        command.env_remove("OCAMLRUNPARAM").arg(program);
        command
    })?;
    let actual = run(commands, &place, |program| {
        let mut command = tool.drop_in(mode, program);
        command.arg("--");
        command
    })?;
    for ((command, expected), actual) in commands.iter().zip(&expected).zip(&actual) {
        compare(expected, actual).with_context(|| format!("`{command}`"))?;
    }
    Ok(())
}

/// What a command came to, and the files that were there after it.
struct Step {
    outcome: Outcome,
    files: BTreeMap<String, Vec<u8>>,
}

/// Runs `commands` one after the other at `place`, made anew with the sources in it. `launch` says
/// how a program is started.
fn run(commands: &[&str], place: &Path, launch: impl Fn(&str) -> Command) -> Result<Vec<Step>> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    fs::create_dir_all(place)?;
    for entry in fs::read_dir(workspace().join("tests/tools"))? {
        let entry = entry?;
        fs::copy(entry.path(), place.join(entry.file_name()))?;
    }
    let step = |command: &&str| {
        let mut words = command.split(' ');
        let program = words.next().context("a command is not empty")?;
        let outcome = process::run(launch(program).args(words).current_dir(place), b"")?;
        let files = files(place)?;
        Ok(Step { outcome, files })
    };
    commands.iter().map(step).collect()
}

fn files(place: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, fs::read(entry.path())?);
    }
    Ok(files)
}

fn compare(expected: &Step, actual: &Step) -> Result<()> {
    if let Some(difference) = actual.outcome.difference(&expected.outcome) {
        bail!("{difference}");
    }
    let names = |step: &Step| step.files.keys().cloned().collect::<Vec<_>>();
    let (expected_names, actual_names) = (names(expected), names(actual));
    ensure!(
        expected_names == actual_names,
        "files differ: {actual_names:?}, expected {expected_names:?}"
    );
    for (name, contents) in &expected.files {
        ensure!(contents == &actual.files[name], "the file {name} differs");
    }
    Ok(())
}
