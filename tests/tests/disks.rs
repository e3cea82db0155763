//! Caches on disks that are full or can only be read. Where nothing can be mounted, there is
//! nothing to test.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::workshop::Workshop;

const PROGRAM: &str = "let () = print_endline \"camel\"";

/// A directory with a program and, on `disk`, a cache that has it.
fn workshop() -> Result<Workshop> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(place.path("main.ml"), PROGRAM)?;
    place.make("ocamlc", &["-o", "main.byte", "main.ml"])?;
    fs::create_dir(place.path("disk"))?;
    let run = place.bactrian(&["run", "--cache", "disk/cache", "main.byte"])?;
    ensure!(run.status == Some(0), "{run:?}");
    Ok(place)
}

/// Runs lines of a shell where `mount` has been done; nothing where it cannot be.
fn mounted(place: &Workshop, mount: &str, lines: &str) -> Result<Option<Outcome>> {
    let script = format!("{{ {mount}; }} || exit 99\n{lines}");
    let mut command = Command::new("unshare");
    command.args(["-rm", "bash", "-c", &script]);
    command.current_dir(place.path(""));
    command.env("BACTRIAN", env!("CARGO_BIN_EXE_bactrian-under-test"));
    let outcome = process::run(&mut command, b"")?;
    if outcome.status == Some(99) || outcome.stderr.starts_with(b"unshare: ") {
        eprintln!("skipped: no disk can be mounted: {outcome:?}");
        return Ok(None);
    }
    Ok(Some(outcome))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const READ_ONLY: &str = "mount --bind disk disk && mount -o remount,bind,ro disk";

#[test]
fn a_cache_that_can_only_be_read_is_used() -> Result<()> {
    let place = workshop()?;
    let names = || -> Result<usize> { Ok(fs::read_dir(place.path("disk"))?.count()) };
    let before = (names()?, fs::read(place.path("disk/cache"))?);
    let lines = "$BACTRIAN run --cache disk/cache --stats main.byte && \
        $BACTRIAN run --cache disk/cache --generic main.byte";
    let Some(run) = mounted(&place, READ_ONLY, lines)? else {
        return Ok(());
    };
    let said = text(&run.stderr);
    assert_eq!(
        (run.status, text(&run.stdout)),
        (Some(0), "camel\ncamel\n".into()),
        "{said}"
    );
    assert!(said.contains("the whole program is in the cache"), "{said}");
    let notice =
        "bactrian: the cache disk/cache can only be read here: nothing new is kept or shared\n";
    // Once for each command, and nothing else but statistics.
    assert_eq!(said.matches("bactrian: ").count(), 2, "{said}");
    assert_eq!(said.matches(notice).count(), 2, "{said}");
    assert_eq!((names()?, fs::read(place.path("disk/cache"))?), before);
    Ok(())
}

#[test]
fn who_looks_after_a_cache_that_can_only_be_read_is_told() -> Result<()> {
    let place = workshop()?;
    let lines = "for action in verify clear gc; do \
        $BACTRIAN cache $action --cache disk/cache; echo $?; done; \
        $BACTRIAN cache stats --cache disk/cache && \
        $BACTRIAN cache export --cache disk/cache exported && echo exported";
    let Some(run) = mounted(&place, READ_ONLY, lines)? else {
        return Ok(());
    };
    let (shown, said) = (text(&run.stdout), text(&run.stderr));
    assert!(
        shown.starts_with("125\n125\n125\ndisk/cache\n"),
        "{shown}{said}"
    );
    assert!(shown.ends_with("exported\n"), "{shown}{said}");
    let refused = "bactrian: the cache disk/cache can only be read here\n";
    assert_eq!(said.matches(refused).count(), 3, "{said}");
    Ok(())
}

/// SQLite can neither open nor change a database where there is no room for a log.
#[test]
fn a_cache_on_a_full_disk_is_cleared() -> Result<()> {
    let place = workshop()?;
    let mount = "mkdir full && mount -t tmpfs -o size=8m none full && cp -r disk/. full";
    for before in ["", "rm -r full/cache-modules;"] {
        let lines = format!(
            "{before} cat /dev/zero > full/zero 2> /dev/null; \
             $BACTRIAN cache clear --cache full/cache || exit; \
             $BACTRIAN cache stats --cache full/cache || exit; ls full/cache-modules 2>&1; \
             $BACTRIAN run --cache full/cache main.byte"
        );
        let Some(run) = mounted(&place, mount, &lines)? else {
            return Ok(());
        };
        let (shown, said) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(run.status, Some(0), "{shown}{said}");
        assert!(shown.ends_with("camel\n"), "{shown}{said}");
        let listed = shown.lines().filter(|line| line.contains(" entries "));
        assert!(listed.clone().count() > 0, "{shown}");
        assert!(
            listed.clone().all(|line| line.contains(" 0 entries ")),
            "{shown}"
        );
        fs::remove_dir(place.path("full"))?;
    }
    Ok(())
}

#[test]
fn a_cache_on_a_full_disk_is_used_and_made_smaller() -> Result<()> {
    let place = workshop()?;
    let mount = "mkdir full && mount -t tmpfs -o size=16m none full && cp -r disk/. full";
    let lines = "cat /dev/zero > full/zero 2> /dev/null; \
        $BACTRIAN run --cache full/cache --stats main.byte || exit; \
        $BACTRIAN cache verify --cache full/cache; echo $?; \
        $BACTRIAN cache gc --cache full/cache || exit; \
        $BACTRIAN cache verify --cache full/cache";
    let Some(run) = mounted(&place, mount, lines)? else {
        return Ok(());
    };
    let (shown, said) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status, Some(0), "{shown}{said}");
    assert!(shown.starts_with("camel\n125\n"), "{shown}{said}");
    assert!(said.contains("the whole program is in the cache"), "{said}");
    let notice = "bactrian: there is no room to write to the cache full/cache: it is only read, \
        and nothing new is kept or shared\n";
    assert_eq!(said.matches(notice).count(), 1, "{said}");
    let refused = "bactrian: there is no room to change the cache full/cache\n";
    assert_eq!(said.matches(refused).count(), 1, "{said}");
    Ok(())
}

/// SQLite finds out only when it makes a log beside the file.
#[test]
fn a_cache_whose_directory_cannot_be_written_is_used() -> Result<()> {
    let place = workshop()?;
    let mount = "mount --bind disk disk && for file in cache cache-lock; do \
        mount --bind disk/$file disk/$file || exit 99; done && mount -o remount,bind,ro disk";
    let lines = "$BACTRIAN run --cache disk/cache --stats main.byte";
    let Some(run) = mounted(&place, mount, lines)? else {
        return Ok(());
    };
    let said = text(&run.stderr);
    assert_eq!(
        (run.status, &*run.stdout),
        (Some(0), &b"camel\n"[..]),
        "{said}"
    );
    assert!(said.contains("the whole program is in the cache"), "{said}");
    assert!(said.contains("disk/cache can only be read here"), "{said}");
    Ok(())
}
