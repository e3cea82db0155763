//! The first use of a program: what the build compiled ahead is used, and where it cannot be,
//! nothing changes but the cost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use bactrian::pipeline::{Pipeline, Settings};
use bactrian::precompiled::Precompiled;
use bactrian::unconfined;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

fn program(directory: &Path) -> Result<PathBuf> {
    Program::new(workspace().join("tests/programs/closures.ml"))?.compile(directory)
}

/// Builds machine code with the command; gives that and the statistics.
fn build(bytecode: &Path, output: &Path, cache: &[&str]) -> Result<(Vec<u8>, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command
        .args(["build", "--emit", "cwasm", "--stats"])
        .args(cache)
        .arg("-o")
        .args([output, bytecode]);
    let outcome = process::run(&mut command, b"")?;
    let stats = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(0), "{stats}");
    Ok((fs::read(output)?, stats))
}

/// The number before `what` in the statistics.
fn number(stats: &str, what: &str) -> Result<usize> {
    let (before, _) = stats.split_once(what).with_context(|| stats.to_owned())?;
    let word = before.split_whitespace().last();
    Ok(word.context("nothing before it")?.parse()?)
}

#[test]
fn the_first_build_takes_the_runtime_from_the_command() -> Result<()> {
    let directory = TempDir::new()?;
    let bytecode = program(directory.path())?;
    let cache = directory.path().join("cache");
    let cache = ["--cache", cache.to_str().context("UTF-8")?];
    let output = directory.path().join("out.cwasm");
    let (cold, stats) = build(&bytecode, &output, &cache)?;
    assert!(stats.contains("the interpreter precompiled"), "{stats}");
    let functions = number(&stats, " functions precompiled")?;
    assert!(functions > 900, "{stats}");
    let (warm, _) = build(&bytecode, &output, &cache)?;
    assert!(warm == cold, "another program with a warm cache");
    Ok(())
}

/// The code is damaged: all is compiled here.
#[test]
fn without_it_the_same_program_comes_out() -> Result<()> {
    let damaged = |part: &[u8]| {
        let mut part = part.to_vec();
        part.iter_mut()
            .skip(64)
            .step_by(16)
            .for_each(|byte| *byte ^= 0x55);
        &*part.leak()
    };
    let precompiled = Precompiled {
        interpreter: damaged(command::PRECOMPILED.interpreter),
        functions: damaged(command::PRECOMPILED.functions),
    };
    let directory = TempDir::new()?;
    let bytecode = program(directory.path())?;
    let mut pipeline = Pipeline::new(Settings {
        precompiled: Some(precompiled),
        ..Settings::default()
    })?;
    // As `build` has it.
    pipeline.settings.options.absent = Some(unconfined::absent());
    pipeline.settings.options.shares_code = true;
    let compiled = pipeline.program_file(&bytecode)?.serialize();
    let stats = pipeline.stages.to_string();
    assert!(stats.contains("it is damaged"), "{stats}");
    let functions = number(&stats, " functions precompiled")?;
    assert_eq!(functions, 0, "{stats}");

    let output = directory.path().join("out.cwasm");
    let (taken, _) = build(&bytecode, &output, &["--no-cache"])?;
    assert!(
        compiled.is_ok_and(|compiled| compiled == taken),
        "another program"
    );
    Ok(())
}
