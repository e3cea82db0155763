//! What a program's memory begins with: little, and close together, so that a runtime can map it
//! from a file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use specializer::module::Module;
use tempfile::TempDir;

/// Bytes of data, and of memory from the first of them to the last.
#[derive(Debug)]
struct Extent {
    data: u64,
    range: u64,
}

/// Memory of `bytecode`, linked generic.
fn extent(bytecode: &Path, directory: &Path) -> Result<Extent> {
    let output = directory.join("out.wasm");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["build", "--generic", "--no-cache", "-o"]);
    command.args([&output, bytecode]);
    let outcome = process::run(&mut command, b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let wasm = fs::read(output)?;
    let segments = Module::parse(&wasm)?.segments;
    let starts = segments.iter().map(|&(start, _)| u64::from(start));
    let ends = segments
        .iter()
        .map(|&(start, len)| u64::from(start) + u64::from(len));
    Ok(Extent {
        data: segments.iter().map(|&(_, len)| u64::from(len)).sum(),
        range: ends.max().unwrap_or(0) - starts.min().unwrap_or(0),
    })
}

#[test]
fn a_small_program_has_a_small_image() -> Result<()> {
    let directory = TempDir::new()?;
    let program = Program::new(workspace().join("tests/programs/closures.ml"))?;
    let extent = extent(&program.compile(directory.path())?, directory.path())?;
    assert!(
        extent.data < 1 << 20 && extent.range < 2 << 20,
        "{extent:?}"
    );
    Ok(())
}

/// Wasmtime maps memory of more than 16 MiB if half of it is data.
#[test]
fn a_large_program_has_a_dense_image() -> Result<()> {
    let directory = TempDir::new()?;
    let extent = extent(Path::new("/usr/bin/ocamldep.byte"), directory.path())?;
    assert!(
        extent.data > 4 << 20 && extent.range < 2 * extent.data,
        "{extent:?}"
    );
    Ok(())
}
