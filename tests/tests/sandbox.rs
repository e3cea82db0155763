//! Programs that use files: in a directory that they were given they do as under `ocamlrun`, and
//! without one they see nothing.
//!
//! Each program of `tests/sandbox` starts in an empty directory of its own, whose name it must not
//! print.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use bactrian_tests::process::in_fresh_directory;
use bactrian_tests::program::Program;
use bactrian_tests::tool::Tool;
use bactrian_tests::workspace;

fn tool(directory: &Path) -> Result<Tool> {
    Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), directory)
}

fn compile(name: &str, directory: &Path) -> Result<PathBuf> {
    let source = workspace().join("tests/sandbox").join(name);
    Program::new(source.with_extension("ml"))?.compile(directory)
}

fn check(name: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = compile(name, scratch.path())?;
    let expected =
        in_fresh_directory(Command::new("ocamlrun").arg(&bytecode), scratch.path(), b"")?;
    let mut command = tool(scratch.path())?.command(["run", "--no-cache", "--generic"]);
    command.args(["--dir", ".", "--env", "PWD"]).arg(&bytecode);
    let actual = in_fresh_directory(&mut command, scratch.path(), b"")?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    assert_eq!(actual.difference(&expected), None);
    Ok(())
}

#[test]
fn channels() -> Result<()> {
    check("channels")
}

#[test]
fn directories() -> Result<()> {
    check("directories")
}

#[test]
fn two_directories_have_two_names() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = compile("channels", scratch.path())?;
    let mut command = tool(scratch.path())?.command(["run", "--dir", "/tmp::a", "--dir", "/::a"]);
    let outcome = in_fresh_directory(command.arg(&bytecode), scratch.path(), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert!(said.contains("two directories cannot both be a"), "{said}");
    assert_eq!(outcome.status, Some(125));
    Ok(())
}

#[test]
fn without_a_directory_there_are_no_files() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = compile("channels", scratch.path())?;
    let mut command = tool(scratch.path())?.command(["run", "--no-cache", "--generic"]);
    let outcome = in_fresh_directory(command.arg(&bytecode), scratch.path(), b"")?;
    let error = "Sys_error(\"closed: No such file or directory\")";
    assert_eq!(
        String::from_utf8_lossy(&outcome.stderr),
        format!("Fatal error: exception {error}\n")
    );
    assert_eq!(outcome.status, Some(2));
    Ok(())
}

#[test]
fn a_reader_that_leaves_ends_the_program_quietly() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bytecode = compile("endless", scratch.path())?;
    let mut command = tool(scratch.path())?.command(["run", "--no-cache", "--generic"]);
    let mut child = command
        .arg(&bytecode)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(child.stdout.take().context("stdout is piped")?);
    let output = child.wait_with_output()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        output.status.code(),
        Some(128 + 13),
        "as a shell shows SIGPIPE"
    );
    Ok(())
}
