//! What the tests have in common: OCaml programs with their inputs, compiling them, running
//! commands to their end, and comparing what came out.
//!
//! * [`annotated`]: annotated modules, random ones too, generic and specialized;
//! * [`beside`]: guests measured beside weval and native implementations;
//! * [`conformance`]: OCaml's own test suite;
//! * [`fuzz`]: tests that take ranges of cases;
//! * [`golden`]: the modules of `tests/golden`, with the calls to make;
//! * [`libraries`]: libraries of Debian;
//! * [`lua`]: PUC-Rio's Lua, annotated, built, tested and measured;
//! * [`mutants`]: wrong residual code, and who notices it;
//! * [`pages`]: pages of the documents that can be followed;
//! * [`place`]: a directory with a program and a cache;
//! * [`program`]: the programs of `tests/programs` and what belongs to each;
//! * [`random_programs`]: OCaml programs made at random, and their check;
//! * [`process`]: one run of a command: streams, status, a time limit;
//! * [`repository`]: its documents and sources, and what they quote;
//! * [`selection`]: which programs are measured, and where the table goes;
//! * [`tool`]: the `bactrian` command with a test's cache;
//! * [`workers`]: work on a list of items, by a number of threads;
//! * [`workshop`]: a directory in which tests make files with compilers, and run the command.
//!
//! Leaves out: what is expected. Each file of `tests/tests` states one concern.

pub mod annotated;
pub mod beside;
pub mod conformance;
pub mod fuzz;
pub mod golden;
pub mod libraries;
pub mod lua;
pub mod mutants;
pub mod pages;
pub mod place;
pub mod process;
pub mod program;
pub mod random_programs;
pub mod repository;
pub mod selection;
pub mod tool;
pub mod workers;
pub mod workshop;

use std::path::{Path, PathBuf};

/// The workspace's root.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is a directory of the workspace")
}

/// A directory of the build, for what tests compile; made if need be.
pub fn scratch(target_directory: &str, name: &str) -> anyhow::Result<PathBuf> {
    let directory = Path::new(target_directory).join(name);
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}
