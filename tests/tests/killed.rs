//! The tool killed at any moment, and files that cannot be written: nothing half-made is left, and the cache stays sound.
//!
//! The moments come from a fixed sequence; which instruction they hit depends on the machine, what has to hold does not.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

const TOOL: &str = env!("CARGO_BIN_EXE_bactrian-under-test");

/// A program, a cache and an output file in a directory of their own.
struct Place {
    directory: TempDir,
    bytecode: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        let directory = TempDir::new()?;
        fs::create_dir(directory.path().join("out"))?;
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

    fn build(&self) -> Command {
        let mut command = Command::new(TOOL);
        command.arg("build").arg(&self.bytecode);
        command.arg("-o").arg(self.path("out/program.wasm"));
        command.arg("--cache").arg(self.path("cache/file"));
        command
    }

    fn run(&self) -> Command {
        let mut command = Command::new(TOOL);
        command
            .args(["run", "--cache"])
            .arg(self.path("cache/file"));
        command.arg(&self.bytecode);
        command
    }

    /// The names in a directory.
    fn names(&self, directory: &str) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(self.path(directory))? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    /// Builds once undisturbed; what came of it.
    fn reference(&self) -> Result<Vec<u8>> {
        let outcome = process::run(&mut self.build(), b"")?;
        assert_eq!(
            (outcome.status, outcome.stderr.as_slice()),
            (Some(0), &b""[..])
        );
        Ok(fs::read(self.path("out/program.wasm"))?)
    }

    /// The same program built without a cache.
    fn without_cache(&self) -> Result<Vec<u8>> {
        let output = self.path("reference.wasm");
        let mut command = Command::new(TOOL);
        command
            .args(["build", "--no-cache", "-o"])
            .arg(&output)
            .arg(&self.bytecode);
        let outcome = process::run(&mut command, b"")?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        Ok(fs::read(output)?)
    }

    fn assert_cache_is_sound(&self) -> Result<()> {
        let mut command = Command::new(TOOL);
        command
            .args(["cache", "verify", "--cache"])
            .arg(self.path("cache/file"));
        let outcome = process::run(&mut command, b"")?;
        let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
        assert!(
            outcome.status == Some(0) && said.contains("0 damaged"),
            "{outcome:?}"
        );
        let known = ["file", "file-lock", "file-wal", "file-shm", "file-modules"].map(String::from);
        let names = self.names("cache")?;
        assert!(names.is_subset(&known.into()), "{names:?}");
        Ok(())
    }
}

#[test]
fn a_killed_build_leaves_nothing_half_made() -> Result<()> {
    let place = Place::new()?;
    // Cold and warm builds; the last ones are as often as not at the writing of the output.
    let moments = [3, 11, 29, 71, 140, 260, 390, 520, 180, 230, 310, 350];
    for (index, milliseconds) in moments.into_iter().enumerate() {
        // Every third one is a run, which keeps machine code beside the cache.
        let mut command = if index % 3 == 2 {
            place.run()
        } else {
            place.build()
        };
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill()?;
        let outcome = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(
            !said.contains("bactrian"),
            "after {milliseconds} ms: {said}"
        );
        let names = place.names("out")?;
        let whole = BTreeSet::from(["program.wasm".to_owned()]);
        assert!(
            names.is_subset(&whole),
            "after {milliseconds} ms: {names:?}"
        );
    }
    place.assert_cache_is_sound()?;
    let after = place.reference()?;
    assert!(
        after == place.without_cache()?,
        "the cache changed the result"
    );
    place.assert_cache_is_sound()
}

#[test]
fn two_builds_of_one_output_at_once() -> Result<()> {
    let place = Place::new()?;
    let mut children = Vec::new();
    for _ in 0..2 {
        children.push(place.build().stderr(Stdio::piped()).spawn()?);
    }
    for child in children {
        let outcome = child.wait_with_output()?;
        assert!(
            outcome.status.success() && outcome.stderr.is_empty(),
            "{outcome:?}"
        );
    }
    assert_eq!(place.names("out")?.len(), 1);
    let built = fs::read(place.path("out/program.wasm"))?;
    assert!(built == place.reference()?);
    place.assert_cache_is_sound()
}

/// Files may not grow beyond a limit, as on a disk that is full: the build of a large output says so and leaves nothing; a
/// cache that cannot be written is said, too, and the build goes on.
#[test]
fn a_full_disk_is_said() -> Result<()> {
    let place = Place::new()?;
    let limited = |blocks: u32, command: &Command| {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""))
            .arg("sh");
        shell.arg(command.get_program()).args(command.get_args());
        shell
    };
    let outcome = process::run(&mut limited(64, &place.build()), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(125), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("program.wasm"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(place.names("out")?, BTreeSet::new());

    // Room for the module, none for the cache of what it is made of.
    let expected = place.without_cache()?;
    let blocks = expected.len() as u32 / 512 + 64;
    fs::remove_dir_all(place.path("cache")).context("the cache is there")?;
    let outcome = process::run(&mut limited(blocks, &place.build()), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(0), "{said}");
    assert!(fs::read(place.path("out/program.wasm"))? == expected);
    place.assert_cache_is_sound()
}
