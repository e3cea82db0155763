//! Two ways out of the sandbox: `run --unconfined` answers as `ocamlrun` does, and everywhere else
//! what WASI does not know is an error. `docs/unix.md` has the table; each of its functions that
//! work unconfined is called by a program of `tests/unconfined`, whose output has a line for each
//! case.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use bactrian_tests::process::{self, in_fresh_directory};
use bactrian_tests::program::{self, Program};
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::workspace;
use wasmtime::{Engine, Module};

fn tool(directory: &Path) -> Result<Tool> {
    Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), directory)
}

fn source(name: &str) -> PathBuf {
    workspace().join(name).with_extension("ml")
}

/// Runs a program of `tests/unconfined` as `ocamlrun` does, in three ways.
fn check(name: &str) -> Result<()> {
    check_in(
        &format!("tests/unconfined/{name}"),
        &[Mode::Generic, Mode::Residual, Mode::Lockstep],
    )
}

fn check_in(program: &str, modes: &[Mode]) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let program = Program::new(source(program))?;
    let bytecode = program.compile(scratch.path())?;
    let mut oracle = Command::new("ocamlrun");
    let expected = in_fresh_directory(oracle.arg(&bytecode), scratch.path(), &program.input)?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    for &mode in modes {
        let bytecode = bytecode.to_str().context("the path is UTF-8")?;
        let mut command = tool.drop_in(mode, bytecode);
        let actual = in_fresh_directory(&mut command, scratch.path(), &program.input)?;
        assert_eq!(actual.difference(&expected), None, "{}", mode.name());
    }
    Ok(())
}

#[test]
fn status_and_permissions() -> Result<()> {
    check("status")
}

/// `ledit` forks to start the program whose lines are edited. It hears by name what to use instead.
#[test]
fn fork_says_what_to_use_instead() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut command = tool(scratch.path())?.drop_in(Mode::Residual, "/usr/bin/ledit");
    let outcome = process::run(command.args(["--", "cat"]), b"a line\n")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(2), "{said}");
    let advice = "On function fork use Unix.create_process or Unix.open_process\n";
    assert_eq!(
        said,
        format!("Unix error: Function not implemented\n{advice}")
    );
    Ok(())
}

#[test]
fn names_links_and_directories() -> Result<()> {
    check("names")
}

#[test]
fn open_files_pipes_and_devices() -> Result<()> {
    check("files")
}

#[test]
fn users_process_and_machine() -> Result<()> {
    check("identity")
}

#[test]
fn signals_to_itself() -> Result<()> {
    check("signals")
}

#[test]
fn programs_that_it_starts() -> Result<()> {
    check("processes")
}

#[test]
fn sockets_on_this_machine() -> Result<()> {
    check("sockets")
}

#[test]
fn locks_stay_while_programs_start() -> Result<()> {
    check("held")
}

/// As many as the system allows.
#[test]
fn many_descriptors() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let bytecode = Program::new(source("tests/unconfined/many"))?.compile(scratch.path())?;
    let limited = |command: &Command| {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -n 2000 && exec \"$@\"", "sh"]);
        limited.arg(command.get_program()).args(command.get_args());
        in_fresh_directory(&mut limited, scratch.path(), b"")
    };
    let expected = limited(Command::new("ocamlrun").arg(&bytecode))?;
    let program = bytecode.to_str().context("the path is UTF-8")?;
    let actual = limited(&tool.drop_in(Mode::Generic, program))?;
    assert_eq!(actual.difference(&expected), None);
    Ok(())
}

/// Not in lockstep, whose sides have no signals from outside.
#[test]
fn signals_from_outside() -> Result<()> {
    check_in("tests/alarms/alarms", &[Mode::Generic, Mode::Residual])
}

/// The same.
#[test]
fn signals_from_outside_end_delays() -> Result<()> {
    check_in("tests/alarms/delays", &[Mode::Generic, Mode::Residual])
}

/// The body of a `try` ends when what waits is done.
#[test]
fn signals_are_handled_before_the_body_of_a_try_ends() -> Result<()> {
    check_in("tests/alarms/traps", &[Mode::Generic, Mode::Residual])
}

/// What waits does not begin to, and what is interrupted raises what the handler does.
#[test]
fn signals_are_handled_before_what_waits_and_what_raises() -> Result<()> {
    check_in("tests/alarms/before", &[Mode::Generic, Mode::Residual])
}

/// They end what channels wait for.
#[test]
fn signals_are_handled_while_channels_wait() -> Result<()> {
    check_in("tests/alarms/channels", &[Mode::Generic, Mode::Residual])
}

/// What the keyboard sends while a command runs, and what programs find that are started.
#[test]
fn signals_of_programs_that_it_starts() -> Result<()> {
    check_in("tests/alarms/commands", &[Mode::Generic, Mode::Residual])
}

#[test]
fn options_of_sockets() -> Result<()> {
    check("options")
}

#[test]
fn descriptors_and_directories() -> Result<()> {
    check("descriptors")
}

#[test]
fn ends_of_pipes() -> Result<()> {
    check("ends")
}

/// Until a signal comes.
#[test]
fn waiting_for_what_never_comes() -> Result<()> {
    check_in("tests/alarms/forever", &[Mode::Generic, Mode::Residual])
}

/// A timer's signal would come to neither side, and end both.
#[test]
fn no_timer_runs_in_lockstep() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = Program::new(source("tests/alarms/timers"))?.compile(scratch.path())?;
    let bytecode = bytecode.to_str().context("the path is UTF-8")?;
    let mut command = tool(scratch.path())?.drop_in(Mode::Lockstep, bytecode);
    let outcome = in_fresh_directory(&mut command, scratch.path(), b"")?;
    assert_eq!(
        String::from_utf8_lossy(&outcome.stdout),
        "alarm: Function not implemented in alarm\n\
         setitimer: Function not implemented in setitimer\n"
    );
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(())
}

/// A program becomes another: what that prints and ends with is what this one does.
#[test]
fn programs_that_it_becomes() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let bytecode = Program::new(source("tests/execute/execute"))?.compile(scratch.path())?;
    let bytecode = bytecode.to_str().context("the path is UTF-8")?;
    for way in [
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "script",
        "redirected",
        "signal",
    ] {
        let mut oracle = Command::new("ocamlrun");
        let oracle = oracle.args([bytecode, way]);
        let expected = in_fresh_directory(oracle, scratch.path(), b"input\n")?;
        assert!(expected.status != Some(2), "{expected:?}");
        for mode in [Mode::Generic, Mode::Residual] {
            let mut command = tool.drop_in(mode, bytecode);
            let command = command.args(["--", way]);
            let actual = in_fresh_directory(command, scratch.path(), b"input\n")?;
            assert_eq!(actual.difference(&expected), None, "{way}, {}", mode.name());
        }
    }
    Ok(())
}

/// Whoever waits for it sees that a signal stopped or ended it, as `PROGRAM watch COMMAND` tells.
#[test]
fn signals_by_default() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let bytecode = Program::new(source("tests/execute/itself"))?.compile(scratch.path())?;
    let program = bytecode.to_str().context("the path is UTF-8")?;
    let watched = |command: &Command| {
        let mut watch = Command::new("ocamlrun");
        watch.arg(&bytecode).arg("watch").arg(command.get_program());
        watch.args(command.get_args()).env_remove("OCAMLRUNPARAM");
        in_fresh_directory(&mut watch, scratch.path(), b"")
    };
    let names = [
        "stop", "tstp", "term", "kill", "abrt", "segv", "int", "cont",
    ];
    let sent = names.map(|name| vec!["send", name]);
    for arguments in sent.into_iter().chain([vec!["pipe"]]) {
        let mut oracle = Command::new("ocamlrun");
        let expected = watched(oracle.arg(&bytecode).args(&arguments))?;
        assert_eq!(expected.status, Some(0), "{expected:?}");
        let mut command = tool.drop_in(Mode::Generic, program);
        let actual = watched(command.arg("--").args(&arguments))?;
        assert_eq!(actual.difference(&expected), None, "{arguments:?}");
    }
    Ok(())
}

/// `PROGRAM hold FILE` has locks on a part of the file until its input ends.
struct Holder(Child);

impl Holder {
    fn start(bytecode: &Path, file: &Path) -> Result<Self> {
        let mut command = Command::new("ocamlrun");
        command.arg(bytecode).arg("hold").arg(file);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut said = String::new();
        let output = child.stdout.take().context("it is a pipe")?;
        BufReader::new(output).read_line(&mut said)?;
        let holder = Self(child);
        ensure!(said == "held\n", "{said:?}");
        Ok(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends with its input; how does not matter.
        let _ = self.0.wait();
    }
}

/// Locks against another process, which holds some.
#[test]
fn locks_on_files() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let bytecode = Program::new(source("tests/unconfined/locks"))?.compile(scratch.path())?;
    let file = scratch.path().join("locked");
    fs::write(&file, [b'x'; 100])?;
    let _holder = Holder::start(&bytecode, &file)?;
    let mut oracle = Command::new("ocamlrun");
    let oracle = oracle.arg(&bytecode).arg("try").arg(&file);
    let expected = in_fresh_directory(oracle, scratch.path(), b"")?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    for mode in [Mode::Generic, Mode::Residual, Mode::Lockstep] {
        let program = bytecode.to_str().context("the path is UTF-8")?;
        let mut command = tool.drop_in(mode, program);
        let command = command.args(["--", "try"]).arg(&file);
        let actual = in_fresh_directory(command, scratch.path(), b"")?;
        assert_eq!(actual.difference(&expected), None, "{}", mode.name());
    }
    Ok(())
}

/// The rows of the table in `docs/unix.md`: the functions, and what they do in the sandbox and
/// unconfined.
fn table() -> Result<Vec<(Vec<String>, String, String)>> {
    let text = fs::read_to_string(workspace().join("docs/unix.md"))?;
    let (_, table) = text
        .split_once("| functions | in the sandbox | with `--unconfined` |\n")
        .context("the table has its head")?;
    let rows = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let mut found = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [functions, sandbox, unconfined] = cells[..] else {
            anyhow::bail!("a row has three cells: {row}");
        };
        let functions = functions.split('`').skip(1).step_by(2).map(String::from);
        found.push((
            functions.collect(),
            sandbox.trim().into(),
            unconfined.trim().into(),
        ));
    }
    ensure!(found.len() > 20, "the table has rows");
    Ok(found)
}

/// Whether `text` has `name` as a word.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name)
}

#[test]
fn each_function_that_works_unconfined_is_compared_with_ocamlrun() -> Result<()> {
    let mut programs = program::all(&workspace().join("tests/unconfined"))?;
    for place in ["tests/execute", "tests/alarms"] {
        programs.extend(program::all(&workspace().join(place))?);
    }
    let texts = programs
        .iter()
        .map(|program| fs::read_to_string(&program.source));
    let text = texts.collect::<std::io::Result<Vec<_>>>()?.concat();
    let mut missing = Vec::new();
    for (functions, _, unconfined) in table()? {
        if unconfined.starts_with("as under `ocamlrun`") {
            missing.extend(functions.into_iter().filter(|name| !names(&text, name)));
        }
    }
    assert_eq!(missing, [""; 0], "no program calls them");
    Ok(())
}

/// What WASI does not know raises `ENOSYS`: each function whose row says so, at least of a program
/// to which nothing else was opened, and no other.
#[test]
fn in_the_sandbox_nothing_is_made_up() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = Program::new(source("tests/sandbox/unknown"))?.compile(scratch.path())?;
    let mut command = tool(scratch.path())?.command(["run", "--no-cache", "--generic"]);
    command.args(["--dir", "."]).arg(&bytecode);
    let outcome = in_fresh_directory(&mut command, scratch.path(), b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let said = String::from_utf8(outcome.stdout)?;
    let unknown: BTreeSet<&str> = said
        .lines()
        .map(|line| {
            line.strip_suffix(": ENOSYS")
                .with_context(|| line.to_owned())
        })
        .collect::<Result<_>>()?;
    let mut documented = BTreeSet::new();
    for (functions, sandbox, unconfined) in table()? {
        let usually = sandbox.split(", or ").next();
        if usually == Some("`ENOSYS`") && unconfined != "`ENOSYS`" {
            documented.extend(functions);
        }
    }
    let documented: BTreeSet<&str> = documented.iter().map(String::as_str).collect();
    assert_eq!(unknown, documented);
    Ok(())
}

/// What `build` writes is a WASI command and nothing else; any host may run it.
#[test]
fn a_built_program_imports_wasi_only() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tool = tool(scratch.path())?;
    let program = Program::new(source("tests/sandbox/directories"))?;
    let bytecode = program.compile(scratch.path())?;
    let mut oracle = Command::new("ocamlrun");
    let expected = in_fresh_directory(oracle.arg(&bytecode), scratch.path(), b"")?;
    for generic in [Some("--generic"), None] {
        let wasm = scratch.path().join("program.wasm");
        let mut build = tool.command(["build"]);
        build.args(generic).arg("--cache").arg(&tool.cache);
        let built = process::run(build.arg(&bytecode).arg("-o").arg(&wasm), b"")?;
        assert_eq!(built.status, Some(0), "{built:?}");
        let module =
            Module::new(&Engine::default(), fs::read(&wasm)?).map_err(bactrian::engine::error)?;
        let modules: BTreeSet<&str> = module.imports().map(|import| import.module()).collect();
        assert_eq!(modules, BTreeSet::from(["wasi_snapshot_preview1"]));
        let mut command = tool.command(["run", "--dir", ".", "--env", "PWD", "--no-cache"]);
        let actual = in_fresh_directory(command.arg(&wasm), scratch.path(), b"")?;
        assert_eq!(actual.difference(&expected), None, "{generic:?}");
    }
    Ok(())
}
