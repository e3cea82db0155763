//! A cache in the hands of many processes at once, and of some that are killed while they write.
//!
//! A process is this test program, started for the one test that [`child`] is.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use bactrian_cache::{Cache, Kind, Verified};
use tempfile::TempDir;

/// Large enough for all entries of a test.
const LIMIT: u64 = 512 << 20;

/// Tells [`child`] what to do: where the cache is, the first of its numbers, and how many there
/// are.
const FILE: &str = "TEST_CACHE_FILE";
const FIRST: &str = "TEST_CACHE_FIRST";
const COUNT: &str = "TEST_CACHE_COUNT";

fn key(number: u64) -> [u8; 8] {
    number.to_le_bytes()
}

/// What belongs under a key: of many sizes, and different in each byte.
fn blob(number: u64) -> Vec<u8> {
    let size = 100 + number.wrapping_mul(0x9e37_79b9) % 5000;
    (0..size).map(|at| (number ^ at) as u8).collect()
}

fn start(file: &Path, first: u64, count: u64) -> Child {
    Command::new(env::current_exe().expect("a test has a file"))
        .args(["--exact", "child"])
        .env(FILE, file)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started again")
}

/// Inserts what it is told to, number by number, and reads that again; without being told, nothing.
#[test]
fn child() {
    let number = |name| env::var(name).ok()?.parse::<u64>().ok();
    let (Some(file), Some(first), Some(count)) = (env::var_os(FILE), number(FIRST), number(COUNT))
    else {
        return;
    };
    let cache = Cache::open(&PathBuf::from(file), LIMIT).expect("it can be opened");
    for number in first..first + count {
        cache.insert(Kind::MachineCode, &key(number), &blob(number));
        if number % 5 == 0 {
            cache.flush();
        }
    }
    cache.flush();
    for number in first..first + count {
        assert_eq!(cache.get(Kind::MachineCode, &key(number)), [blob(number)]);
    }
    assert_eq!(cache.notices(), [""; 0]);
}

/// How many of so many numbers are there; what is there is right.
fn present(cache: &Cache, numbers: u64) -> u64 {
    let found = (0..numbers).filter(|&number| {
        let blobs = cache.get(Kind::MachineCode, &key(number));
        assert!(blobs.is_empty() || blobs == [blob(number)], "{number}");
        !blobs.is_empty()
    });
    found.count() as u64
}

#[test]
fn two_hundred_processes_lose_nothing() {
    const PROCESSES: u64 = 200;
    const EACH: u64 = 20;
    let directory = TempDir::new().expect("there is room");
    let file = directory.path().join("cache");
    let children: Vec<Child> = (0..PROCESSES)
        .map(|process| start(&file, process * EACH, EACH))
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
    }
    let cache = Cache::open(&file, LIMIT).expect("it can be opened");
    assert_eq!(present(&cache, PROCESSES * EACH), PROCESSES * EACH);
    assert_eq!(verified(&cache).damaged, 0);
}

fn verified(cache: &Cache) -> Verified {
    let verified = cache.verify().expect("it can be read");
    verified.expect("it is not damaged as a whole")
}

/// Killed in the middle of opening, inserting, committing: what is there afterwards is right, and
/// the next process goes on.
#[test]
fn writers_that_are_killed_damage_nothing() {
    const KILLED: u64 = 300;
    const EACH: u64 = 400;
    let directory = TempDir::new().expect("there is room");
    let file = directory.path().join("cache");
    let mut random = fastrand::Rng::with_seed(2026);
    for round in 0..KILLED {
        let mut child = start(&file, round * EACH, EACH);
        thread::sleep(Duration::from_micros(random.u64(0..30_000)));
        child.kill().expect("it is ours");
        let output = child.wait_with_output().expect("it was killed");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{said}");
    }
    let cache = Cache::open(&file, LIMIT).expect("it can be opened");
    let there = present(&cache, KILLED * EACH);
    assert!(there > 0, "no process came as far as writing");
    assert_eq!(cache.notices(), [""; 0]);
    assert_eq!(verified(&cache).damaged, 0);
    // Whoever comes next can write.
    let next = start(&file, KILLED * EACH, 10).wait_with_output();
    assert!(next.expect("it ends").status.success());
    assert_eq!(present(&cache, KILLED * EACH + 10), there + 10);
}
