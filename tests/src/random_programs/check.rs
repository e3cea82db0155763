//! Runs random programs under `ocamlrun`, in each mode of the tool, and once more without half of
//! the optimisations, and compares.
//!
//! Invariant: the oracle and the modes run one and the same executable. A program that `ocamlc`
//! does not compile is no case: its pattern-match compiler gives up on some.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, Result};

use fastrand::Rng;
use specializer::Optimisations;

use super::shrink::shrink;
use super::tree::Tree;
use super::{Program, program};
use crate::process::Outcome;
use crate::program::Program as File;
use crate::tool::{Mode, Tool};

/// The modes that a program is run in with all optimisations.
const MODES: [Mode; 4] = [
    Mode::Generic,
    Mode::Residual,
    Mode::Stress,
    Mode::Collecting,
];

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Way {
    mode: Mode,
    /// The optimisations that are switched off.
    off: Vec<&'static str>,
}

impl Way {
    /// The ways for the program of a seed: all modes, and one without a random half of the
    /// optimisations.
    fn all(seed: u64) -> impl Iterator<Item = Self> {
        let mut rng = Rng::with_seed(seed);
        let names = Optimisations::NAMES.iter().copied();
        let off = names.filter(|_| rng.bool()).collect();
        let whole = MODES.map(|mode| Self {
            mode,
            off: Vec::new(),
        });
        let half = Self {
            mode: Mode::Collecting,
            off,
        };
        whole.into_iter().chain([half])
    }

    /// What files of faults are called after.
    pub fn name(&self) -> String {
        let mode = self.mode.name();
        match self.off.is_empty() {
            true => mode.to_owned(),
            false => format!("{mode}_half"),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.mode.name())?;
        match self.off.is_empty() {
            true => Ok(()),
            false => write!(f, " without {}", self.off.join(", ")),
        }
    }
}

/// How often a failing program is tried to be made smaller.
const ATTEMPTS: usize = 600;

/// Where programs are compiled and run.
#[derive(Clone, Debug)]
pub struct Checker {
    tool: Tool,
    directory: PathBuf,
}

/// What became of a program.
#[derive(Debug)]
pub enum Verdict {
    Same,
    NotCompiled,
    Fault(Box<Fault>),
}

/// A way of running the program in which it does something else than under `ocamlrun`.
#[derive(Debug)]
pub struct Fault {
    pub way: Way,
    pub difference: String,
}

struct Compiled {
    file: File,
    bytecode: PathBuf,
    expected: Outcome,
}

impl Checker {
    /// Uses the command `binary`, and `directory` for its cache and for programs.
    pub fn new(binary: PathBuf, directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory.join("compiled"))?;
        Ok(Self {
            tool: Tool::new(binary, directory)?,
            directory: directory.to_path_buf(),
        })
    }

    /// Runs the program of a seed in all ways, up to the first in which it fails.
    pub fn check(&self, seed: u64, functions: usize) -> Result<Verdict> {
        let program = program(seed, functions);
        let name = format!("random_{seed}");
        let Some(compiled) = self.compile(&name, &program.text(), flags(seed))? else {
            return Ok(Verdict::NotCompiled);
        };
        for way in Way::all(seed) {
            if let Some(difference) = self.difference(&compiled, &way) {
                return Ok(Verdict::Fault(Box::new(Fault { way, difference })));
            }
        }
        fs::remove_file(&compiled.file.source)?;
        fs::remove_file(compiled.file.source.with_extension("flags"))?;
        fs::remove_file(&compiled.bytecode)?;
        Ok(Verdict::Same)
    }

    /// A smaller program that also fails in this way.
    pub fn shrink(&self, seed: u64, functions: usize, way: &Way) -> Program {
        let Program { items, generator } = program(seed, functions);
        let name = format!("shrunk_{seed}");
        let mut shows = |items: &Tree| {
            let program = Program {
                items: items.clone(),
                generator: generator.clone(),
            };
            // A program that cannot be tried does not show the fault.
            let compiled = self.compile(&name, &program.text(), flags(seed));
            let compiled = compiled.ok().flatten();
            compiled.is_some_and(|compiled| self.difference(&compiled, way).is_some())
        };
        let items = shrink(&items, &generator, ATTEMPTS, &mut shows);
        Program { items, generator }
    }

    fn compile(&self, name: &str, text: &str, flags: &str) -> Result<Option<Compiled>> {
        let source = self.directory.join(format!("{name}.ml"));
        fs::write(source.with_extension("flags"), flags)?;
        fs::write(&source, text).with_context(|| format!("cannot write {}", source.display()))?;
        let file = File::new(source)?;
        let compiled = self.directory.join("compiled");
        let bytecode = compiled.join(format!("{name}.byte"));
        if bytecode.exists() {
            fs::remove_file(&bytecode)?;
        }
        let Ok(bytecode) = file.compile(&compiled) else {
            return Ok(None);
        };
        let expected = file.oracle(&bytecode)?;
        Ok(Some(Compiled {
            file,
            bytecode,
            expected,
        }))
    }

    fn difference(&self, compiled: &Compiled, way: &Way) -> Option<String> {
        let Compiled {
            file,
            bytecode,
            expected,
        } = compiled;
        match self
            .tool
            .execute_without(&way.off, way.mode, file, bytecode)
        {
            Ok(actual) => actual.difference(expected),
            // For instance, it did not end in time.
            Err(error) => Some(format!("{error:#}")),
        }
    }
}

/// What the program of a seed is compiled with: half of them as for a debugger, which leaves
/// references blocks.
fn flags(seed: u64) -> &'static str {
    match seed % 2 {
        0 => "",
        _ => "-g",
    }
}
