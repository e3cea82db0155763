//! The cache as a user sees it: a second build specializes nothing, damage is set aside, builds
//! share a file.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::Result;
use bactrian_tests::place::Place;
use bactrian_tests::process::{self, Outcome};

fn place() -> Result<Place> {
    Place::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

/// Builds the program; what is said about it.
fn build(place: &Place, output: &str) -> Result<String> {
    let outcome = process::run(place.build(output).arg("--stats"), b"")?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(String::from_utf8(outcome.stderr)?)
}

fn run(place: &Place) -> Result<Outcome> {
    process::run(&mut place.run(), b"")
}

/// What the program prints, as `ocamlrun` has it.
fn expected(place: &Place) -> Result<Vec<u8>> {
    let outcome = process::run(Command::new("ocamlrun").arg(&place.bytecode), b"")?;
    Ok(outcome.stdout)
}

/// Files beside the cache that hold what was set aside.
fn set_aside(place: &Place) -> Result<Vec<PathBuf>> {
    let names = place.names("cache")?.into_iter();
    let set_aside = names.filter(|name| name.starts_with("file-damaged-"));
    Ok(set_aside
        .map(|name| place.path("cache").join(name))
        .collect())
}

#[test]
fn a_second_build_specializes_nothing() -> Result<()> {
    let place = place()?;
    let cold = build(&place, "out/cold.wasm")?;
    assert!(cold.contains(" 0 from the cache"), "{cold}");
    let warm = build(&place, "out/warm.wasm")?;
    assert!(warm.contains(": 0 specialized"), "{warm}");
    assert!(!warm.contains(" 0 from the cache"), "{warm}");
    assert_eq!(
        fs::read(place.path("out/cold.wasm"))?,
        fs::read(place.path("out/warm.wasm"))?
    );
    Ok(())
}

#[test]
fn a_truncated_cache_is_set_aside_and_rebuilt() -> Result<()> {
    let place = place()?;
    let expected = expected(&place)?;
    assert_eq!(run(&place)?.stdout, expected);
    let contents = fs::read(place.path("cache/file"))?;
    fs::write(place.path("cache/file"), &contents[..contents.len() / 2])?;
    let outcome = run(&place)?;
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.status, Some(0));
    assert!(!outcome.stderr.is_empty(), "nothing is said about it");
    assert_eq!(set_aside(&place)?.len(), 1);
    place.assert_cache_is_sound()?;
    Ok(())
}

#[test]
fn a_foreign_file_is_set_aside_whole() -> Result<()> {
    let place = place()?;
    fs::write(place.path("cache/file"), "somebody's notes")?;
    let outcome = run(&place)?;
    assert_eq!(outcome.stdout, expected(&place)?);
    let kept = set_aside(&place)?;
    assert_eq!(kept.len(), 1);
    // The file is not ours to throw away.
    assert_eq!(fs::read(&kept[0])?, b"somebody's notes");
    Ok(())
}

#[test]
fn flipped_bytes_are_never_believed() -> Result<()> {
    let place = place()?;
    let expected = expected(&place)?;
    assert_eq!(run(&place)?.stdout, expected);
    let mut contents = fs::read(place.path("cache/file"))?;
    let length = contents.len();
    for at in (length / 3..length).step_by(997) {
        contents[at] ^= 0x55;
    }
    fs::write(place.path("cache/file"), &contents)?;
    let outcome = run(&place)?;
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.status, Some(0));
    Ok(())
}

#[test]
fn concurrent_builds_share_one_file() -> Result<()> {
    let place = place()?;
    thread::scope(|scope| {
        let builds = ["out/a.wasm", "out/b.wasm", "out/c.wasm"].map(|output| {
            let place = &place;
            scope.spawn(move || build(place, output))
        });
        for build in builds {
            build.join().expect("a build does not panic")?;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    let first = fs::read(place.path("out/a.wasm"))?;
    assert_eq!(first, fs::read(place.path("out/b.wasm"))?);
    assert_eq!(first, fs::read(place.path("out/c.wasm"))?);
    place.assert_cache_is_sound()?;
    assert!(build(&place, "out/d.wasm")?.contains(": 0 specialized"));
    Ok(())
}
