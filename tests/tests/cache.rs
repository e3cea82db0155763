//! The cache as a user sees it: a second build specialises nothing, damage is set aside, builds share a file.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::Result;
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

/// A program and a cache in a directory of their own.
struct Place {
    directory: TempDir,
    bytecode: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        let directory = TempDir::new()?;
        let source = workspace().join("tests/fixtures/faults.ml");
        let bytecode = Program::new(source)?.compile(directory.path())?;
        Ok(Self {
            directory,
            bytecode,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        command.args(args).arg("--cache").arg(self.path("cache"));
        command
    }

    fn build(&self, output: &str) -> Result<String> {
        let mut command = self.command(&["build", "--stats"]);
        command.arg("-o").arg(self.path(output)).arg(&self.bytecode);
        let outcome = process::run(&mut command, b"")?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        Ok(String::from_utf8(outcome.stderr)?)
    }

    fn run(&self) -> Result<Outcome> {
        process::run(self.command(&["run"]).arg(&self.bytecode), b"")
    }

    /// What the program prints, as `ocamlrun` has it.
    fn expected(&self) -> Result<Vec<u8>> {
        let outcome = process::run(Command::new("ocamlrun").arg(&self.bytecode), b"")?;
        Ok(outcome.stdout)
    }

    fn verify(&self) -> Result<String> {
        let outcome = process::run(&mut self.command(&["cache", "verify"]), b"")?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        Ok(String::from_utf8(outcome.stdout)?)
    }

    /// Files beside the cache that hold what was set aside.
    fn set_aside(&self) -> Result<usize> {
        let mut count = 0;
        for entry in fs::read_dir(self.directory.path())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            count += usize::from(name.starts_with("cache-damaged-"));
        }
        Ok(count)
    }
}

#[test]
fn a_second_build_specialises_nothing() -> Result<()> {
    let place = Place::new()?;
    let cold = place.build("cold.wasm")?;
    assert!(cold.contains(" 0 from the cache"), "{cold}");
    let warm = place.build("warm.wasm")?;
    assert!(warm.contains(": 0 specialised"), "{warm}");
    assert!(!warm.contains(" 0 from the cache"), "{warm}");
    assert_eq!(
        fs::read(place.path("cold.wasm"))?,
        fs::read(place.path("warm.wasm"))?
    );
    Ok(())
}

#[test]
fn a_truncated_cache_is_set_aside_and_rebuilt() -> Result<()> {
    let place = Place::new()?;
    let expected = place.expected()?;
    assert_eq!(place.run()?.stdout, expected);
    let contents = fs::read(place.path("cache"))?;
    fs::write(place.path("cache"), &contents[..contents.len() / 2])?;
    let outcome = place.run()?;
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.status, Some(0));
    assert!(!outcome.stderr.is_empty(), "nothing is said about it");
    assert_eq!(place.set_aside()?, 1);
    assert!(place.verify()?.contains("0 damaged"));
    Ok(())
}

#[test]
fn a_foreign_file_is_set_aside_whole() -> Result<()> {
    let place = Place::new()?;
    fs::write(place.path("cache"), "somebody's notes")?;
    let outcome = place.run()?;
    assert_eq!(outcome.stdout, place.expected()?);
    assert_eq!(place.set_aside()?, 1);
    let kept = fs::read_dir(place.directory.path())?.any(|entry| {
        entry.is_ok_and(|entry| {
            fs::read(entry.path()).is_ok_and(|contents| contents == b"somebody's notes")
        })
    });
    assert!(kept, "the file is not ours to throw away");
    Ok(())
}

#[test]
fn flipped_bytes_are_never_believed() -> Result<()> {
    let place = Place::new()?;
    let expected = place.expected()?;
    assert_eq!(place.run()?.stdout, expected);
    let mut contents = fs::read(place.path("cache"))?;
    let length = contents.len();
    for at in (length / 3..length).step_by(997) {
        contents[at] ^= 0x55;
    }
    fs::write(place.path("cache"), &contents)?;
    let outcome = place.run()?;
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.status, Some(0));
    Ok(())
}

#[test]
fn concurrent_builds_share_one_file() -> Result<()> {
    let place = Place::new()?;
    thread::scope(|scope| {
        let builds = ["a.wasm", "b.wasm", "c.wasm"].map(|output| {
            let place = &place;
            scope.spawn(move || place.build(output))
        });
        for build in builds {
            build.join().expect("a build does not panic")?;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    let first = fs::read(place.path("a.wasm"))?;
    assert_eq!(first, fs::read(place.path("b.wasm"))?);
    assert_eq!(first, fs::read(place.path("c.wasm"))?);
    assert!(place.verify()?.contains("0 damaged"));
    assert!(place.build("d.wasm")?.contains(": 0 specialised"));
    Ok(())
}
