//! A cache with a million entries: what a look-up costs, and how large the file is.
//!
//! `make store` runs this.

use std::time::{Duration, Instant};

use cache::{Cache, Kind};
use fastrand::Rng;
use tempfile::TempDir;

/// Bytes of an entry: what the machine code of a function has in the middle.
const SIZE: usize = 600;

/// Entries that are written at once, as by a build.
const BATCH: u64 = 20_000;

/// Look-ups that are timed.
const LOOK_UPS: u64 = 100_000;

fn key(number: u64) -> [u8; 32] {
    let mut key = [0; 32];
    Rng::with_seed(number).fill(&mut key);
    key
}

fn blob(number: u64) -> Vec<u8> {
    let mut blob = vec![0; SIZE];
    Rng::with_seed(!number).fill(&mut blob);
    blob
}

fn main() {
    println!("| entries | limit MiB | file MiB | µs to insert | µs to find | µs to miss |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for (entries, limit) in [
        (10_000, 4096),
        (100_000, 4096),
        (1_000_000, 4096),
        (1_000_000, 256),
    ] {
        let directory = TempDir::new().expect("there is room");
        let file = directory.path().join("cache");
        let cache = Cache::open(&file, limit << 20).expect("it can be opened");
        let begun = Instant::now();
        for number in 0..entries {
            cache.insert(Kind::MachineCode, &key(number), &blob(number));
            if number % BATCH == BATCH - 1 {
                cache.flush();
            }
        }
        cache.flush();
        let inserted = begun.elapsed();
        // The last ones, in no order that the file knows.
        let stride = (entries / 7) | 1;
        let known =
            (0..LOOK_UPS).map(|number| entries - 1 - number * stride % entries.min(100_000));
        let found = timed(known, |number| {
            let blobs = cache.get(Kind::MachineCode, &key(number));
            assert_eq!(blobs, [blob(number)]);
        });
        let missed = timed(entries..entries + LOOK_UPS, |number| {
            assert!(cache.get(Kind::MachineCode, &key(number)).is_empty());
        });
        let bytes = std::fs::metadata(&file).expect("it is there").len();
        println!(
            "| {entries} | {limit} | {} | {:.1} | {found:.1} | {missed:.1} |",
            bytes >> 20,
            micros(inserted) / entries as f64,
        );
        assert_eq!(cache.notices(), [""; 0]);
    }
}

/// Microseconds that one of these takes.
fn timed(numbers: impl Iterator<Item = u64>, work: impl Fn(u64)) -> f64 {
    let begun = Instant::now();
    numbers.for_each(work);
    micros(begun.elapsed()) / LOOK_UPS as f64
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
