//! OCaml's own test suite as a measure: each execution of bytecode that its tests ask for, under
//! `ocamlrun`, generic and residual.
//!
//! In the order of a run: [`source`] fetches the suite, [`header`] reads what a test says of
//! itself, [`walk`] does it, with [`actions`] for the names in it, [`environment`] for its
//! variables, [`compile`] for programs, [`needs`] for what a sandbox lacks and [`engine`] for
//! executions; [`verdict`] judges them and [`report`] shows the result.
//!
//! Nothing of the suite is kept in this repository. Leaves out: the compiler, native code and the
//! other tools.

pub mod actions;
pub mod compile;
pub mod engine;
pub mod environment;
pub mod files;
pub mod header;
pub mod needs;
pub mod reasons;
pub mod report;
pub mod source;
pub mod verdict;
pub mod walk;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use compile::Suite;
use engine::Engines;
use header::Fault;
use verdict::{Case, Kind};
use walk::{Test, Walk};

use crate::workers;

/// All tests of a source tree whose path begins with one of `filters` (all, if there is none), by
/// name.
pub fn tests(source: &Path, filters: &[String]) -> Result<Vec<Test>> {
    let root = source.join("testsuite/tests");
    let mut found = Vec::new();
    collect(&root, &root, filters, &mut found)?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn collect(root: &Path, directory: &Path, filters: &[String], found: &mut Vec<Test>) -> Result<()> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_none_or(|name| name.to_string_lossy().starts_with(['.', '_']));
        if hidden {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, filters, found)?;
        } else if let Some(test) = test(root, path, filters)? {
            found.push(test);
        }
    }
    Ok(())
}

fn test(root: &Path, source: PathBuf, filters: &[String]) -> Result<Option<Test>> {
    const ENDINGS: &[&str] = &["ml", "mli", "mll", "mly", "c"];
    let ending = source.extension().unwrap_or_default();
    if !ENDINGS.iter().any(|known| ending == *known) {
        return Ok(None);
    }
    let name = source.strip_prefix(root)?.to_string_lossy().into_owned();
    let wanted = |filter: &String| {
        name.strip_prefix(filter.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || filter.ends_with('/'))
    };
    if !filters.is_empty() && !filters.iter().any(wanted) {
        return Ok(None);
    }
    let text = fs::read(&source)?;
    match header::parse(&String::from_utf8_lossy(&text)) {
        Ok(header) => Ok(header.map(|header| Test {
            name,
            source,
            header,
        })),
        // A part of another test, or one for the driver's own errors.
        Err(Fault::Endless | Fault::Character(_) | Fault::Token(_) | Fault::Depth { .. }) => {
            Ok(None)
        }
    }
}

/// What a run of the suite works with.
pub struct Plan {
    pub tests: Vec<Test>,
    pub suite: Suite,
    pub engines: Engines,
    pub kinds: Vec<Kind>,
    /// Where programs are built.
    pub build: PathBuf,
    /// Tests at a time.
    pub jobs: usize,
    /// Whether what was built stays.
    pub keep: bool,
}

impl Plan {
    /// Does all tests; the cases come in the tests' order. A test that could not be done is an
    /// error beside them.
    pub fn run(&self) -> (Vec<Case>, Vec<anyhow::Error>) {
        let done = workers::each(&self.tests, self.jobs, |index, test| {
            let cases = self.one(test);
            report::progress(index, self.tests.len(), test, &cases);
            cases
        });
        let (mut cases, mut errors) = (Vec::new(), Vec::new());
        for result in done {
            match result {
                Ok(found) => cases.extend(found),
                Err(error) => errors.push(error),
            }
        }
        (cases, errors)
    }

    fn one(&self, test: &Test) -> Result<Vec<Case>> {
        let mut walk = Walk {
            test,
            suite: &self.suite,
            engines: &self.engines,
            kinds: &self.kinds,
            build: self.build.join(&test.name).with_extension(""),
            cases: Vec::new(),
            directory: PathBuf::new(),
        };
        walk.run().with_context(|| test.name.clone())?;
        if !self.keep {
            files::remove(&walk.build)?;
        }
        Ok(walk.cases)
    }
}
