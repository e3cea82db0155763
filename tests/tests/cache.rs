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
    process::run(&mut place.run(&[]), b"")
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

/// Whether a build had nothing to do.
fn is_known(said: &str) -> bool {
    said.contains("the whole program is in the cache")
}

#[test]
fn a_second_build_does_nothing() -> Result<()> {
    let place = place()?;
    let cold = build(&place, "out/cold.wasm")?;
    assert!(cold.contains(" 0 from the cache"), "{cold}");
    let warm = build(&place, "out/warm.wasm")?;
    assert!(is_known(&warm) && !warm.contains("snapshot"), "{warm}");
    assert_eq!(
        fs::read(place.path("out/cold.wasm"))?,
        fs::read(place.path("out/warm.wasm"))?
    );
    let said = process::run(&mut place.build("out/again.wasm"), b"")?.stderr;
    assert_eq!(
        String::from_utf8(said)?,
        "bactrian: the whole program was in the cache\n"
    );
    Ok(())
}

#[test]
fn a_build_without_the_whole_program_specializes_nothing() -> Result<()> {
    let place = place()?;
    build(&place, "out/cold.wasm")?;
    place.forget_programs()?;
    let warm = build(&place, "out/warm.wasm")?;
    assert!(warm.contains(": 0 specialized"), "{warm}");
    assert!(!warm.contains(" 0 from the cache"), "{warm}");
    assert_eq!(
        fs::read(place.path("out/cold.wasm"))?,
        fs::read(place.path("out/warm.wasm"))?
    );
    Ok(())
}

/// Each option that changes what is built is in the key that it is found by.
#[test]
fn a_program_built_otherwise_is_another() -> Result<()> {
    let place = place()?;
    let profile = place.path("profile");
    let profile = profile.to_string_lossy();
    process::run(&mut place.run(&["--profile", &profile]), b"")?;
    let ways: &[&[&str]] = &[
        &[],
        &["--strip"],
        &["--keep-unreached"],
        &["--eval", "none"],
        &["--generic"],
        &["--profile", &profile],
        &["-O", "inlining=off"],
        &["-O", "references=off"],
        &["--emit", "cwasm"],
        &["--emit", "cwasm", "--strip"],
    ];
    let mut found = Vec::new();
    for way in ways {
        let first = process::run(place.build("out/first").args(*way), b"")?;
        assert_eq!(first.status, Some(0), "{way:?}: {first:?}");
        let second = process::run(place.build("out/second").args(*way).arg("--stats"), b"")?;
        let said = String::from_utf8(second.stderr)?;
        assert!(is_known(&said), "{way:?}: {said}");
        let mut command = place.command(&["build", "--no-cache", "-o"]);
        command.arg(place.path("out/apart")).arg(&place.bytecode);
        assert_eq!(process::run(command.args(*way), b"")?.status, Some(0));
        let read = |name: &str| fs::read(place.path("out").join(name));
        let apart = read("apart")?;
        assert!(read("first")? == apart, "{way:?}");
        assert!(read("second")? == apart, "{way:?}");
        found.push(apart);
    }
    for (index, (way, built)) in ways.iter().zip(&found).enumerate() {
        let same = found[..index].iter().position(|other| other == built);
        assert_eq!(same.map(|same| ways[same]), None, "as {way:?}");
    }
    Ok(())
}

/// What a profile says of a program is said again.
#[test]
fn a_known_program_is_told_the_same() -> Result<()> {
    let place = place()?;
    let profile = place.path("profile");
    let profile = profile.to_string_lossy();
    process::run(&mut place.run(&["--profile", &profile]), b"")?;
    let build = || -> Result<String> {
        let mut command = place.build("out/program.wasm");
        let outcome = process::run(command.args(["--profile", &profile]), b"")?;
        Ok(String::from_utf8(outcome.stderr)?)
    };
    let (first, second) = (build()?, build()?);
    let fit = first.lines().next().unwrap_or_default();
    assert!(fit.contains("the profile knows"), "{first}");
    assert_eq!(
        second,
        format!("{fit}\nbactrian: the whole program was in the cache\n")
    );
    Ok(())
}

#[test]
fn a_damaged_program_is_built_again() -> Result<()> {
    let place = place()?;
    build(&place, "out/first.wasm")?;
    for name in place.names("cache/file-modules")? {
        let path = place.path("cache/file-modules").join(name);
        let mut contents = fs::read(&path)?;
        let middle = contents.len() / 2;
        contents[middle] ^= 0x55;
        fs::write(&path, contents)?;
    }
    let said = build(&place, "out/second.wasm")?;
    assert!(!is_known(&said), "{said}");
    assert_eq!(
        fs::read(place.path("out/first.wasm"))?,
        fs::read(place.path("out/second.wasm"))?
    );
    assert!(is_known(&build(&place, "out/third.wasm")?));
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
fn who_asks_whether_a_damaged_cache_is_sound_is_told() -> Result<()> {
    let place = place()?;
    build(&place, "out/first.wasm")?;
    let contents = fs::read(place.path("cache/file"))?;
    fs::write(place.path("cache/file"), &contents[..contents.len() / 2])?;
    let outcome = process::run(&mut place.with_cache(&["cache", "verify"]), b"")?;
    let said = String::from_utf8(outcome.stderr)?;
    assert_eq!((outcome.status, &*outcome.stdout), (Some(125), &b""[..]));
    assert!(said.contains("file-damaged-1"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    place.assert_cache_is_sound()
}

#[test]
fn a_cache_that_is_not_there_is_not_made_by_looking() -> Result<()> {
    let place = place()?;
    let absent = place.path("absent/cache");
    let exported = place.path("out/exported");
    let exported = exported.to_string_lossy();
    for (action, status) in [
        (&["verify"][..], 125),
        (&["gc"], 125),
        (&["export", &exported], 125),
        (&["stats"], 0),
        (&["clear"], 0),
    ] {
        let mut command = place.command(&["cache"]);
        let outcome = process::run(command.args(action).arg("--cache").arg(&absent), b"")?;
        let said = String::from_utf8(outcome.stderr)?;
        assert_eq!(outcome.status, Some(status), "{action:?}: {said}");
        let expected = match status {
            0 => String::new(),
            _ => format!("bactrian: there is no cache {}\n", absent.display()),
        };
        assert_eq!(said, expected, "{action:?}");
        let shown = String::from_utf8(outcome.stdout)?;
        let zeros = shown
            .lines()
            .skip(1)
            .filter(|line| line.contains(" 0 entries "));
        let kinds = if action == ["stats"] { 5 } else { 0 };
        assert_eq!(zeros.count(), kinds, "{action:?}: {shown}");
    }
    assert!(!place.path("absent").exists() && !place.path("out/exported").exists());
    Ok(())
}

/// As in a directory that cannot be searched.
#[test]
fn who_cannot_find_out_whether_a_cache_is_there_says_so() -> Result<()> {
    let place = place()?;
    let beyond = place.bytecode.join("cache");
    for action in ["stats", "clear", "verify"] {
        let mut command = place.command(&["cache", action, "--cache"]);
        let outcome = process::run(command.arg(&beyond), b"")?;
        let said = String::from_utf8(outcome.stderr)?;
        assert_eq!(outcome.status, Some(125), "{action}: {said}");
        let expected = format!("bactrian: cannot look for {}: ", beyond.display());
        assert!(said.starts_with(&expected), "{action}: {said}");
    }
    Ok(())
}

#[test]
fn a_file_that_is_no_cache_is_refused_and_stays() -> Result<()> {
    let place = place()?;
    fs::write(place.path("cache/file"), "somebody's notes")?;
    let outcome = run(&place)?;
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(
        message.contains("cache/file is not a cache of Bactrian"),
        "{message}"
    );
    assert_eq!((outcome.status, outcome.stdout.len()), (Some(125), 0));
    assert_eq!(set_aside(&place)?.len(), 0);
    assert_eq!(fs::read(place.path("cache/file"))?, b"somebody's notes");
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
    assert!(is_known(&build(&place, "out/d.wasm")?));
    place.forget_programs()?;
    assert!(build(&place, "out/e.wasm")?.contains(": 0 specialized"));
    Ok(())
}

#[test]
fn another_machine_builds_with_what_one_exported() -> Result<()> {
    let (here, there) = (place()?, place()?);
    build(&here, "out/first.wasm")?;
    let file = here.path("out/exported");
    let cache = |place: &Place, action: &str| {
        let mut command = place.with_cache(&["cache", action]);
        process::run(command.arg(&file), b"")
    };
    assert_eq!(cache(&here, "export")?.status, Some(0));
    let imported = cache(&there, "import")?;
    assert_eq!(imported.status, Some(0), "{imported:?}");
    let said = String::from_utf8(imported.stdout)?;
    assert!(said.ends_with(" 0 damaged ones left out\n"), "{said}");
    assert!(build(&there, "out/second.wasm")?.contains(": 0 specialized"));
    assert_eq!(
        fs::read(here.path("out/first.wasm"))?,
        fs::read(there.path("out/second.wasm"))?
    );
    Ok(())
}

#[test]
fn a_cache_can_be_made_smaller() -> Result<()> {
    let place = place()?;
    build(&place, "out/first.wasm")?;
    let mut gc = place.with_cache(&["cache", "gc", "--cache-size", "0"]);
    assert_eq!(process::run(&mut gc, b"")?.status, Some(0));
    place.assert_cache_is_sound()?;
    assert!(build(&place, "out/again.wasm")?.contains(" 0 from the cache"));
    Ok(())
}

#[test]
fn a_build_says_what_it_reused() -> Result<()> {
    let place = place()?;
    let said = |command: &mut Command| -> Result<String> {
        Ok(String::from_utf8(process::run(command, b"")?.stderr)?)
    };
    let first = said(&mut place.build("out/first.wasm"))?;
    assert!(first.starts_with("bactrian: 0 of "), "{first}");
    let second = said(place.build("out/second.wasm").args(["--emit", "cwasm"]))?;
    let numbers: Vec<usize> = second
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    let &[cached, all, known, functions] = &numbers[..] else {
        panic!("{second}");
    };
    assert!(cached == all && known < functions, "{second}");
    Ok(())
}

#[test]
fn machines_are_told_the_same() -> Result<()> {
    let place = place()?;
    let stats = || -> Result<serde_json::Value> {
        let mut run = place.with_cache(&["run", "--stats=json"]);
        let outcome = process::run(run.arg(&place.bytecode), b"")?;
        let said = String::from_utf8(outcome.stderr)?;
        let line = said.lines().last().unwrap_or_default();
        Ok(serde_json::from_str(line)?)
    };
    let (cold, warm) = (stats()?, stats()?);
    assert_eq!(cold["known_program"], false);
    assert_eq!(cold["specialization"]["cached"], 0);
    assert!(cold["machine_code"]["compiled"].as_u64() > Some(0));
    assert_eq!(cold["stages"][1]["name"], "snapshot");
    assert_eq!(warm["known_program"], true);
    assert_eq!(warm["specialization"], serde_json::Value::Null);
    Ok(())
}
