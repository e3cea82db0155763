//! Blobs that are files beside the cache: they come and go with their entries, and what others have
//! put there stays.

use std::fs;
use std::path::{Path, PathBuf};

use bactrian_cache::{Cache, Kind, Verified};
use tempfile::TempDir;

const LIMIT: u64 = 1 << 20;

fn place() -> TempDir {
    TempDir::new().expect("a temporary directory")
}

fn database(place: &TempDir) -> PathBuf {
    place.path().join("cache.sqlite")
}

fn open(place: &TempDir) -> Cache {
    Cache::open(&database(place), LIMIT).expect("the cache opens")
}

fn verified(cache: &Cache) -> Verified {
    let verified = cache.verify().expect("it can be read");
    verified.expect("it is not damaged as a whole")
}

#[test]
fn a_large_blob_is_a_file_and_goes_with_its_entry() {
    let place = place();
    let cache = open(&place);
    cache.insert_file(Kind::Module, b"key", b"machine code");
    let file = cache.get_file(Kind::Module, b"key").expect("it was kept");
    assert_eq!(fs::read(&file).expect("readable"), b"machine code");
    assert!(cache.get_file(Kind::Module, b"other").is_none());
    assert!(
        cache.get(Kind::Module, b"key").is_empty(),
        "files are no blobs"
    );
    assert_eq!(cache.stats().expect("it is sound").total().entries, 1);
    drop(cache);
    Cache::clear_file(&database(&place)).expect("it can be written");
    assert!(!file.exists());
    let cleared = open(&place);
    assert_eq!(cleared.stats().expect("it is sound").total().entries, 0);
}

#[test]
fn a_damaged_file_is_a_miss_and_is_written_anew() {
    for damage in [
        |file: &Path| fs::write(file, b"machine cod3").expect("writable"),
        |file: &Path| fs::remove_file(file).expect("removable"),
    ] {
        let place = place();
        let cache = open(&place);
        cache.insert_file(Kind::Module, b"key", b"machine code");
        damage(&cache.get_file(Kind::Module, b"key").expect("it was kept"));
        assert!(cache.get_file(Kind::Module, b"key").is_none());
        cache.insert_file(Kind::Module, b"key", b"machine code");
        assert!(cache.get_file(Kind::Module, b"key").is_some());
    }
}

#[test]
fn verification_tells_files_that_are_gone_from_damage() {
    let place = place();
    let cache = open(&place);
    for key in [b"first", b"other", b"third"] {
        cache.insert_file(Kind::Module, key, key);
    }
    let file = |key| cache.get_file(Kind::Module, key).expect("it was kept");
    fs::remove_file(file(b"first")).expect("removable");
    fs::write(file(b"other"), b"machine cod3").expect("writable");
    let expected = Verified {
        entries: 3,
        damaged: 1,
        lost: 1,
    };
    assert_eq!(verified(&cache), expected);
    assert_eq!(cache.stats().expect("it is sound").total().entries, 1);
}

#[test]
fn files_that_are_no_entries_are_swept_and_evicted_entries_lose_their_files() {
    let place = place();
    let cache = open(&place);
    cache.insert_file(Kind::Module, b"first", &[1; 600_000]);
    let first = cache.get_file(Kind::Module, b"first").expect("it was kept");
    let digest = "0f".repeat(32);
    let left = [
        digest.clone(),
        format!(".{digest}.new"),
        ".tmpAbc123".into(),
    ];
    let stray = left.map(|name| first.with_file_name(name));
    for stray in &stray {
        fs::write(stray, b"of a process that died").expect("writable");
    }
    cache.insert_file(Kind::Module, b"second", &[2; 600_000]);
    assert!(!first.exists() && stray.iter().all(|stray| !stray.exists()));
    assert!(cache.get_file(Kind::Module, b"second").is_some());
    assert_eq!(verified(&cache).entries, 1);
}

/// The directory beside a cache may be one of somebody's sources.
#[test]
fn what_is_not_ours_stays_beside_a_cache() {
    let place = place();
    let directory = database(&place).with_file_name("cache.sqlite-modules");
    let digest = "0f".repeat(32);
    fs::create_dir_all(directory.join(&digest)).expect("it can be made");
    let theirs = [
        "parser.ml".into(),
        ".tmp".into(),
        format!("{digest}/lexer.ml"),
        format!("{digest}.ml"),
        digest.to_uppercase(),
    ];
    let theirs = theirs.map(|name| directory.join(name));
    for file in &theirs {
        fs::write(file, "let parse () = ()").expect("writable");
    }
    let cache = open(&place);
    cache.insert_file(Kind::Module, b"key", b"machine code");
    let kept = cache.get_file(Kind::Module, b"key").expect("it was kept");
    verified(&cache);
    drop(cache);
    Cache::clear_file(&database(&place)).expect("it can be written");
    assert!(!kept.exists());
    let stats = open(&place).stats().expect("it is sound");
    assert_eq!(stats.total().entries, 0);
    for file in &theirs {
        assert!(file.is_file(), "{}", file.display());
    }
}
