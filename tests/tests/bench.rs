//! The benchmark command measures: a program and a task, once each. What they take is nobody's
//! business here; that both sides end alike, the command itself checks.

use std::fs;

use anyhow::Result;
use bactrian::bench::ladder;
use bactrian_tests::process;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn a_program_and_a_task_are_measured() -> Result<()> {
    let directory = TempDir::new()?;
    fs::write(
        directory.path().join("tiny.ml"),
        "(* calls: a sum. *)\n\
         let rec sum n = if n = 0 then 0 else n + sum (n - 1)\n\
         let () = print_int (sum 1000)\n",
    )?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["bench", "--runs", "1", "--programs"]);
    command.arg(directory.path()).args(["tiny", "hello"]);
    let outcome = process::run(&mut command, b"")?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let rows = said.lines().filter(|line| line.starts_with("| "));
    let firsts = rows.map(|row| row.split('|').nth(1).unwrap_or_default().trim());
    let firsts: Vec<&str> = firsts.collect();
    for first in [
        "tiny",
        "residual over generic, geometric mean",
        "residual over ocamlrun, geometric mean",
        "residual over ocamlrun, worst program",
        "of ocamlopt's speed, geometric mean",
        "calls",
        "hello world, prebuilt",
    ] {
        assert!(firsts.contains(&first), "no row {first} in\n{said}");
    }
    Ok(())
}

#[test]
fn the_ladder_has_a_rung_for_each_optimisation() -> Result<()> {
    let directory = TempDir::new()?;
    fs::create_dir(directory.path().join("held_back"))?;
    for name in ["tiny.ml", "held_back/hidden.ml"] {
        let text = "(* floats: one. *)\nlet () = print_float (sqrt 2.)\n";
        fs::write(directory.path().join(name), text)?;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["bench", "--ladder", "--runs", "1", "--programs"]);
    command.arg(directory.path());
    let outcome = process::run(&mut command, b"")?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    for name in ladder::switches() {
        assert!(said.contains(&format!("| `{name}` |")), "{said}");
    }
    assert!(said.contains("(tiny)"), "{said}");
    assert!(!String::from_utf8_lossy(&outcome.stderr).contains("hidden"));
    Ok(())
}

#[test]
fn a_program_that_is_not_there_is_an_error() -> Result<()> {
    let directory = TempDir::new()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["bench", "--programs"]);
    command.arg(directory.path()).arg("absent");
    let outcome = process::run(&mut command, b"")?;
    assert_ne!(outcome.status, Some(0), "{outcome:?}");
    Ok(())
}
