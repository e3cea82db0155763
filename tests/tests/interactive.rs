//! Programs under lockstep that talk with somebody: what they write comes at once, and what they
//! read is read when they ask for it; on a terminal a line says how far the comparison has come.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use bactrian_tests::place::Place;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use tempfile::TempDir;

const TALK: &str = "let () =
  print_endline \"who?\";
  let name = read_line () in
  prerr_endline \"thinking\";
  for i = 1 to 100000 do ignore (Sys.opaque_identity (string_of_int i)) done;
  print_endline (\"good day, \" ^ name)
";

/// The program, compiled, and a cache.
fn place() -> Result<(Place, TempDir, String)> {
    let place = Place::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let directory = TempDir::new()?;
    let (source, made) = (
        directory.path().join("talk.ml"),
        directory.path().join("made"),
    );
    fs::write(&source, TALK)?;
    fs::create_dir(&made)?;
    let bytecode = Program::new(source)?.compile(&made)?;
    let bytecode = bytecode.to_str().context("a name in UTF-8")?.to_string();
    Ok((place, directory, bytecode))
}

#[test]
fn an_answer_can_depend_on_the_question() -> Result<()> {
    let (place, _directory, bytecode) = place()?;
    let mut child = place
        .command(&["lockstep", "--no-cache", &bytecode])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("piped")?).lines();
    // Its input is open and empty: what waits for all of it waits for ever.
    assert_eq!(lines.next().transpose()?.as_deref(), Some("who?"));
    child
        .stdin
        .take()
        .context("piped")?
        .write_all(b"Bactrian\n")?;
    assert_eq!(
        lines.next().transpose()?.as_deref(),
        Some("good day, Bactrian")
    );
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stderr, b"thinking\n");
    Ok(())
}

#[test]
fn a_terminal_shows_how_far_it_has_come() -> Result<()> {
    let (place, _directory, bytecode) = place()?;
    let bactrian = place.command(&["lockstep", "--no-cache", &bytecode]);
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command"]);
    command.arg(format!(
        "{:?} lockstep --no-cache {bytecode}",
        bactrian.get_program()
    ));
    let outcome = process::run(command.arg("/dev/null"), b"Bactrian\n")?;
    let screen = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert_eq!(outcome.status, Some(0), "{screen}");
    let line = screen
        .find(" events agree")
        .context(format!("no such line: {screen}"))?;
    let cleared = &screen[line..];
    let answer = cleared.find("\r\u{1b}[Kgood day, Bactrian");
    assert!(answer.is_some(), "{screen}");
    assert!(screen.contains("who?"), "{screen}");
    Ok(())
}
