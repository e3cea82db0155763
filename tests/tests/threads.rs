//! Threads, as far as `tests/programs/threads.ml` does not show them: who runs while nobody waits,
//! while somebody waits for the outside, and when nobody can go on; and what a program finds where
//! it cannot have any.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use bactrian_tests::process::{self, Outcome, in_fresh_directory};
use bactrian_tests::program::Program;
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::workspace;
use tempfile::TempDir;
use wasmparser::{Parser, Payload};

struct Place {
    scratch: TempDir,
    tool: Tool,
}

impl Place {
    fn new() -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let tool = Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), scratch.path())?;
        Ok(Self { scratch, tool })
    }

    fn path(&self) -> &Path {
        self.scratch.path()
    }

    fn program(&self, name: &str) -> Result<(Program, PathBuf)> {
        let source = workspace().join("tests/threads").join(name);
        let program = Program::new(source.with_extension("ml"))?;
        let bytecode = program.compile(self.path())?;
        Ok((program, bytecode))
    }

    /// Builds a program; what is said of it.
    fn build(&self, bytecode: &Path, output: &Path, options: &[&str]) -> Result<String> {
        let mut build = self.tool.command(["build", "--no-cache", "-o"]);
        let built = process::run(build.arg(output).args(options).arg(bytecode), b"")?;
        assert_eq!(built.status, Some(0), "{built:?}");
        Ok(text(&built.stderr))
    }
}

/// Threads run in turns though none waits. In lockstep nothing ticks.
#[test]
fn threads_that_never_wait_take_turns() -> Result<()> {
    let place = Place::new()?;
    let (program, bytecode) = place.program("preemption")?;
    let expected = program.oracle(&bytecode)?;
    for mode in [Mode::Generic, Mode::Residual] {
        let actual = place.tool.execute(mode, &program, &bytecode)?;
        assert_eq!(actual.difference(&expected), None, "{}", mode.name());
    }
    Ok(())
}

#[test]
fn a_hundred_thousand_threads_one_after_the_other() -> Result<()> {
    let place = Place::new()?;
    let (program, bytecode) = place.program("sequence")?;
    let outcome = place.tool.execute(Mode::Residual, &program, &bytecode)?;
    assert_eq!(text(&outcome.stdout), "100000\n", "{outcome:?}");
    assert_eq!(outcome.status, Some(0));
    Ok(())
}

/// The other end is a thread of the same program.
#[test]
fn others_run_while_one_waits_for_the_outside() -> Result<()> {
    as_under_ocamlrun("outside", &Mode::ALL)
}

/// Each thread is in callbacks of `Gc.Memprof` by itself.
#[test]
fn others_call_callbacks_while_one_waits_in_one() -> Result<()> {
    as_under_ocamlrun("sampling", &Mode::ALL)
}

#[test]
fn others_run_while_the_system_makes_one_wait() -> Result<()> {
    as_under_ocamlrun("waiting", &Mode::ALL)
}

#[test]
fn others_run_while_one_waits_for_a_channel() -> Result<()> {
    as_under_ocamlrun("channels", &Mode::ALL)
}

#[test]
fn others_run_while_one_opens_a_named_pipe() -> Result<()> {
    as_under_ocamlrun("pipes", &Mode::ALL)
}

/// In the sandbox pipes are inside of the program.
#[test]
fn channels_are_shared_in_the_sandbox() -> Result<()> {
    let place = Place::new()?;
    let (program, bytecode) = place.program("channels")?;
    let expected = program.oracle(&bytecode)?;
    let actual = place.tool.execute(Mode::Lockstep, &program, &bytecode)?;
    assert_eq!(actual.difference(&expected), None);
    Ok(())
}

#[test]
fn a_signal_is_for_a_thread_that_does_not_block_it() -> Result<()> {
    // When a signal comes, lockstep does not know.
    as_under_ocamlrun("signals", &[Mode::Generic, Mode::Residual])
}

/// With all that the process can use outside.
fn as_under_ocamlrun(name: &str, modes: &[Mode]) -> Result<()> {
    let place = Place::new()?;
    let (_, bytecode) = place.program(name)?;
    let expected = in_fresh_directory(Command::new("ocamlrun").arg(&bytecode), place.path(), b"")?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    let bytecode = bytecode.to_str().context("the path is UTF-8")?;
    for &mode in modes {
        let mut command = place.tool.drop_in(mode, bytecode);
        let actual = in_fresh_directory(&mut command, place.path(), b"")?;
        assert_eq!(actual.difference(&expected), None, "{}", mode.name());
    }
    Ok(())
}

/// Under `ocamlrun` this program waits for ever.
#[test]
fn who_waits_in_vain_is_told() -> Result<()> {
    let place = Place::new()?;
    let (program, bytecode) = place.program("ends")?;
    for mode in [Mode::Generic, Mode::Residual, Mode::Lockstep] {
        let outcome = place.tool.execute(mode, &program, &bytecode)?;
        assert_eq!(
            text(&outcome.stdout),
            "Mutex.lock: Resource deadlock avoided\n\
             Condition.wait: Resource deadlock avoided\n\
             Condition.wait: Operation not permitted\n\
             Thread.join: Resource deadlock avoided\n\
             last\n",
            "{}: {outcome:?}",
            mode.name()
        );
        assert_eq!(outcome.status, Some(0), "{}", mode.name());
    }
    Ok(())
}

/// Their stacks are used again: there are 4096 at most.
#[test]
fn threads_that_exit_leave_their_stacks() -> Result<()> {
    let place = Place::new()?;
    let (program, bytecode) = place.program("exits")?;
    let expected = program.oracle(&bytecode)?;
    for mode in [Mode::Generic, Mode::Residual, Mode::Lockstep] {
        let actual = place.tool.execute(mode, &program, &bytecode)?;
        assert_eq!(actual.difference(&expected), None, "{}", mode.name());
    }
    Ok(())
}

/// A module asks for nothing but WASI, and no host ticks for it.
#[test]
fn what_is_built_has_threads_where_the_engine_switches_stacks() -> Result<()> {
    let place = Place::new()?;
    for name in ["preemption", "channels"] {
        let (program, bytecode) = place.program(name)?;
        let expected = program.oracle(&bytecode)?;
        let module = place.path().join(name).with_extension("wasm");
        let code = module.with_extension("cwasm");
        let forms = [
            (&module, ["--stack-switching", "--emit=wasm"]),
            (&code, ["--generic", "--emit=cwasm"]),
            (&code, ["--verify", "--emit=cwasm"]),
        ];
        for (output, options) in forms {
            place.build(&bytecode, output, &options)?;
            let mut run = place
                .tool
                .command(["run", "--no-cache", "--allow-precompiled"]);
            let actual = process::run(run.arg(output), b"")?;
            assert_eq!(actual.difference(&expected), None, "{name} {options:?}");
        }
        for payload in Parser::new(0).parse_all(&fs::read(&module)?) {
            if let Payload::ImportSection(section) = payload? {
                for import in section.into_imports() {
                    assert_eq!(import?.module, "wasi_snapshot_preview1");
                }
            }
        }
    }
    Ok(())
}

/// An engine that counts instructions switches no stacks, and what `build` writes is for engines
/// that need not be able to.
#[test]
fn where_there_is_one_stack_no_thread_is_created() -> Result<()> {
    let place = Place::new()?;
    let (_, bytecode) = place.program("sequence")?;
    let arguments = ["run", "--no-cache", "--generic", "-W", "fuel=10000000000"];
    let counted = process::run(place.tool.command(arguments).arg(&bytecode), b"")?;
    assert_refused(&counted);
    let said = text(&counted.stderr);
    assert!(said.contains("sequence.byte: with `-W fuel` a program has one stack"));
    let module = place.path().join("sequence.wasm");
    let said = place.build(&bytecode, &module, &[])?;
    assert!(said.contains("build it with --stack-switching"), "{said}");
    let mut run = place.tool.command(["run", "--no-cache"]);
    assert_refused(&process::run(run.arg(&module), b"")?);
    Ok(())
}

fn assert_refused(outcome: &Outcome) {
    let error = "Fatal error: exception Sys_error(\"Thread.create: Function not implemented\")";
    assert!(text(&outcome.stderr).contains(error), "{outcome:?}");
    assert_eq!(outcome.status, Some(2));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
