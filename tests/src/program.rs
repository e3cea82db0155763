//! The OCaml programs under test: `NAME.ml`, with what lies beside it: `NAME.in` is standard input;
//! the lines of `NAME.args` are its arguments, of `NAME.env` its environment (`VARIABLE=value`), of
//! `NAME.flags` further arguments of the compiler. It starts in an empty directory, which it may
//! fill. A `NAME.collections` says why its output depends on when collections are done.
//!
//! Invariant: a program's output depends on nothing else, so that `ocamlrun` is the oracle of each
//! run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::process::{self, Outcome};

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub source: PathBuf,
    pub input: Vec<u8>,
    pub args: Vec<String>,
    /// Variables and their values.
    pub env: Vec<(String, String)>,
    /// Forced collections change its output.
    pub sees_collections: bool,
    flags: Vec<String>,
}

/// All programs of a directory, by name.
pub fn all(directory: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ml") {
            programs.push(Program::new(path)?);
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

impl Program {
    /// The program in this source file, and what lies beside it.
    pub fn new(source: PathBuf) -> Result<Self> {
        let name = source
            .file_stem()
            .and_then(|stem| stem.to_str())
            .with_context(|| format!("{} has no readable name", source.display()))?;
        Ok(Self {
            name: name.to_string(),
            input: read_optional(&source.with_extension("in"))?,
            args: lines(&source.with_extension("args"))?,
            env: lines(&source.with_extension("env"))?
                .iter()
                .map(|line| variable(line))
                .collect::<Result<_>>()?,
            sees_collections: source.with_extension("collections").exists(),
            flags: lines(&source.with_extension("flags"))?,
            source,
        })
    }

    /// Compiles the program into `directory`, if it is newer than what is there.
    pub fn compile(&self, directory: &Path) -> Result<PathBuf> {
        let bytecode = directory.join(format!("{}.byte", self.name));
        if is_newer(&bytecode, &self.source) {
            return Ok(bytecode);
        }
        // The compiler writes its interfaces beside the source, so the source is copied. A file
        // copied to itself would be empty.
        let copy = directory.join(format!("{}.ml", self.name));
        if copy != self.source {
            fs::copy(&self.source, &copy)?;
        }
        let outcome = process::run(
            Command::new("ocamlc")
                .args(["-w", "-a", "-o"])
                .arg(&bytecode)
                .args(&self.flags)
                .arg(&copy),
            b"",
        )
        .context("OCaml's compiler is needed: `make setup` installs it")?;
        if outcome.status != Some(0) {
            bail!(
                "ocamlc rejects {}: {}",
                self.source.display(),
                String::from_utf8_lossy(&outcome.stderr)
            );
        }
        Ok(bytecode)
    }

    /// What OCaml's own interpreter makes of the program.
    pub fn oracle(&self, bytecode: &Path) -> Result<Outcome> {
        let directory = TempDir::new()?;
        let mut command = Command::new("ocamlrun");
        command
            .current_dir(&directory)
            .env_clear()
            .envs(self.env.iter().cloned())
            .arg(bytecode)
            .args(&self.args);
        process::run(&mut command, &self.input)
    }
}

fn lines(path: &Path) -> Result<Vec<String>> {
    let text = String::from_utf8(read_optional(path)?)?;
    Ok(text.lines().map(String::from).collect())
}

fn variable(line: &str) -> Result<(String, String)> {
    let (name, value) = line
        .split_once('=')
        .with_context(|| format!("`{line}` is not VARIABLE=value"))?;
    Ok((name.to_string(), value.to_string()))
}

fn read_optional(path: &Path) -> Result<Vec<u8>> {
    match fs::read(path) {
        Ok(contents) => Ok(contents),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn is_newer(made: &Path, source: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
    matches!((modified(made), modified(source)), (Ok(made), Ok(source)) if made > source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_can_be_compiled_where_it_lies() -> Result<()> {
        let directory = TempDir::new()?;
        let source = directory.path().join("here.ml");
        fs::write(&source, "let () = print_string \"here\"")?;
        let program = Program::new(source)?;
        let bytecode = program.compile(directory.path())?;
        assert_eq!(program.oracle(&bytecode)?.stdout, b"here");
        Ok(())
    }
}
