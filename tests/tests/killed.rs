//! The tool killed at any moment, and files that cannot be written: nothing half-made is left, and
//! the cache stays sound.
//!
//! The moments come from a fixed sequence; which instruction they hit depends on the machine, what
//! has to hold does not.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use bactrian_tests::place::Place;
use bactrian_tests::process;

fn place() -> Result<Place> {
    Place::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

fn build(place: &Place) -> Command {
    place.build("out/program.wasm")
}

/// Builds once undisturbed; what came of it.
fn reference(place: &Place) -> Result<Vec<u8>> {
    let outcome = process::run(&mut build(place), b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert_eq!(complaints(&outcome.stderr), [""; 0]);
    Ok(fs::read(place.path("out/program.wasm"))?)
}

/// The same program built without a cache.
fn without_cache(place: &Place) -> Result<Vec<u8>> {
    let output = place.path("reference.wasm");
    let mut command = place.command(&["build", "--no-cache", "-o"]);
    command.arg(&output).arg(&place.bytecode);
    let outcome = process::run(&mut command, b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(fs::read(output)?)
}

/// Fails if the cache is damaged, or if there is more beside it than belongs to it.
fn assert_cache_is_sound(place: &Place) -> Result<()> {
    place.assert_cache_is_sound()?;
    let known = ["file", "file-lock", "file-wal", "file-shm", "file-modules"].map(String::from);
    let names = place.names("cache")?;
    assert!(names.is_subset(&known.into()), "{names:?}");
    Ok(())
}

/// What the command said beside what it reused.
fn complaints(stderr: &[u8]) -> Vec<String> {
    let said = String::from_utf8_lossy(stderr);
    let complaints = said.lines().filter(|line| {
        line.contains("bactrian")
            && !line.contains("specialized functions were in the cache")
            && !line.contains("the whole program was in the cache")
    });
    complaints.map(String::from).collect()
}

#[test]
fn a_killed_build_leaves_nothing_half_made() -> Result<()> {
    let place = place()?;
    // Cold and warm builds; the last ones are as often as not at the writing of the output.
    let moments = [3, 11, 29, 71, 140, 260, 390, 520, 180, 230, 310, 350];
    for (index, milliseconds) in moments.into_iter().enumerate() {
        // Every third one is a run, which keeps machine code beside the cache.
        let mut command = if index % 3 == 2 {
            place.run(&[])
        } else {
            let mut command = build(&place);
            // Otherwise than before, as a build that is known only writes its output.
            let options = ["--strip", "--keep-unreached", "--eval=none"].iter();
            command.args(options.enumerate().filter_map(|(bit, option)| {
                let is_given = index >> bit & 1 == 1;
                is_given.then_some(option)
            }));
            command
        };
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill()?;
        let outcome = child.wait_with_output()?;
        let said = complaints(&outcome.stderr);
        assert!(said.is_empty(), "after {milliseconds} ms: {said:?}");
        let names = place.names("out")?;
        let whole = BTreeSet::from(["program.wasm".to_owned()]);
        assert!(
            names.is_subset(&whole),
            "after {milliseconds} ms: {names:?}"
        );
    }
    assert_cache_is_sound(&place)?;
    let after = reference(&place)?;
    assert!(
        after == without_cache(&place)?,
        "the cache changed the result"
    );
    assert_cache_is_sound(&place)
}

#[test]
fn two_builds_of_one_output_at_once() -> Result<()> {
    let place = place()?;
    let mut children = Vec::new();
    for _ in 0..2 {
        children.push(build(&place).stderr(Stdio::piped()).spawn()?);
    }
    for child in children {
        let outcome = child.wait_with_output()?;
        assert!(
            outcome.status.success() && complaints(&outcome.stderr).is_empty(),
            "{outcome:?}"
        );
    }
    assert_eq!(place.names("out")?.len(), 1);
    let built = fs::read(place.path("out/program.wasm"))?;
    assert!(built == reference(&place)?);
    assert_cache_is_sound(&place)
}

/// Files may not grow beyond a limit, as on a disk that is full: the build of a large output says
/// so and leaves nothing; a cache that cannot be written is said, too, and the build goes on.
#[test]
fn a_full_disk_is_said() -> Result<()> {
    let place = place()?;
    let limited = |blocks: u32, command: &Command| {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("ulimit -f {blocks}; exec \"$@\""))
            .arg("sh");
        shell.arg(command.get_program()).args(command.get_args());
        shell
    };
    let outcome = process::run(&mut limited(256, &build(&place)), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(125), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("program.wasm"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(place.names("out")?, BTreeSet::new());

    // Room for the module, none for the cache of what it is made of.
    let expected = without_cache(&place)?;
    let blocks = expected.len() as u32 / 512 + 64;
    fs::remove_dir_all(place.path("cache")).context("the cache is there")?;
    let outcome = process::run(&mut limited(blocks, &build(&place)), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(0), "{said}");
    assert!(fs::read(place.path("out/program.wasm"))? == expected);
    assert_cache_is_sound(&place)
}
