//! The same program gives the same bytes: run after run, on any number of threads, with a cache
//! that is absent, cold, warm, or warmed by another program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

fn compile(name: &str, directory: &Path) -> Result<PathBuf> {
    Program::new(workspace().join(name))?.compile(directory)
}

fn build(bytecode: &Path, directory: &Path, threads: &str, cache: &[&str]) -> Result<Vec<u8>> {
    let output = directory.join("out.wasm");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command
        .current_dir(directory)
        .env("RAYON_NUM_THREADS", threads)
        .arg("build")
        .args(cache)
        .arg("-o")
        .arg(&output)
        .arg(bytecode);
    let outcome = process::run(&mut command, b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(fs::read(output)?)
}

/// One that knows functions, but no whole program.
const NO_PROGRAMS: &str = "a cache of functions";

#[test]
fn threads_and_caches_change_nothing() -> Result<()> {
    let directory = TempDir::new()?;
    let place = directory.path();
    let program = compile("tests/programs/closures.ml", place)?;
    let other = compile("tests/fixtures/faults.ml", place)?;
    let reference = build(&program, place, "1", &["--no-cache"])?;
    build(&other, place, "2", &["--cache", "warmed"])?;
    let variants: &[(&str, &str, &[&str])] = &[
        ("again", "1", &["--no-cache"]),
        ("two threads", "2", &["--no-cache"]),
        ("seven threads", "7", &["--no-cache"]),
        ("a cold cache", "2", &["--cache", "cold"]),
        ("the same cache", "2", &["--cache", "cold"]),
        (NO_PROGRAMS, "3", &["--cache", "cold"]),
        ("another program's cache", "2", &["--cache", "warmed"]),
    ];
    for (what, threads, cache) in variants {
        if *what == NO_PROGRAMS {
            fs::remove_dir_all(place.join("cold-modules"))?;
        }
        let built = build(&program, place, threads, cache)?;
        assert!(built == reference, "different with {what}");
    }
    Ok(())
}
