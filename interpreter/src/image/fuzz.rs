//! Mutated executables: each is refused with an error, or runs to an end that `docs/differences.md`
//! describes.
//!
//! What may happen to a program whose values are not what its instructions take them for: it ends,
//! raises, runs on until its fuel is used up, or faults: reads outside of memory, or meets a check
//! of the runtime. What may not: a panic of the loader, an access that no check caught, a loop that
//! uses no fuel.
//!
//! A fault ends the process, for it leaves code that cannot unwind. So the test starts itself
//! again, as often as it takes, to run a range of cases. `make fuzz` runs more of them;
//! `BACTRIAN_FUZZ_CASES` says how many, `BACTRIAN_FUZZ_FIRST` from which on.

use super::mutate::{Program, seeds};
use crate::os::native;
use crate::program;
use crate::start::run_loaded;
use fastrand::Rng;
use std::cell::Cell;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CASES: &str = "BACTRIAN_FUZZ_CASES";
const FIRST: &str = "BACTRIAN_FUZZ_FIRST";
/// Given to a child: the first case, and the one after the last.
const RANGE: &str = "BACTRIAN_FUZZ_RANGE";

/// Steps that a case may take.
const FUEL: u64 = 20_000;

/// Enough for the OCaml stack's limit to be met first.
const NATIVE_STACK: usize = 1 << 30;

/// How long a child may work on one case.
const PATIENCE: Duration = Duration::from_secs(60);

thread_local! {
    static FUEL_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Called by the interpreter loop before each instruction, in tests only: whether the program may
/// go on.
pub fn tick() -> bool {
    FUEL_LEFT.with(|left| {
        left.set(left.get().saturating_sub(1));
        left.get() > 0
    })
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    refused: u64,
    ended: u64,
    faults: u64,
}

/// Case `number`, the same each time.
fn case(seeds: &[Program], number: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(number);
    // Small programs ten times as often as large ones.
    let seed = if random.usize(..10) == 0 {
        random.usize(..seeds.len())
    } else {
        random.usize(..4)
    };
    seeds[seed].mutated(&mut random)
}

/// Loads and runs one case on this thread; whether it was loaded.
fn check(file: &[u8]) -> bool {
    let _silence = (native::capture(1), native::capture(2));
    native::feed(0, b"");
    if program::load(file).is_err() {
        return false;
    }
    FUEL_LEFT.set(FUEL);
    // An exception is as good as a result.
    let _ = run_loaded();
    true
}

/// The cases of a child. Each has a machine, so a thread, of its own; the numbers tell the parent
/// where a fault was.
fn run_range(range: &str) {
    let (first, end) = range.split_once("..").expect("a range");
    let numbers: std::ops::Range<u64> =
        first.parse().expect("a number")..end.parse().expect("a number");
    let seeds = seeds();
    for number in numbers {
        let file = case(&seeds, number);
        eprintln!("case {number}");
        let worker = thread::Builder::new()
            .stack_size(NATIVE_STACK)
            .spawn(move || check(&file));
        let loaded = worker.expect("a thread can be started").join();
        eprintln!(
            "{}",
            if loaded.expect("the loader does not panic") {
                "ended"
            } else {
                "refused"
            }
        );
    }
    eprintln!("done");
}

struct Child {
    said: String,
    status: ExitStatus,
}

fn start(first: u64, end: u64, test: &str) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", test, "--nocapture"])
        .env(RANGE, format!("{first}..{end}"))
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test can be started again");
    let pipe = child.stderr.take().expect("standard error is piped");
    let reader = thread::spawn(move || std::io::read_to_string(pipe).expect("readable text"));
    let deadline = Instant::now() + PATIENCE + Duration::from_millis(20 * (end - first));
    while !reader.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child can be killed");
    let status = child.wait().expect("a child ends");
    Child {
        said: reader.join().expect("no panic"),
        status,
    }
}

/// Runs cases in children until all are done; panics at the first outcome that may not be.
fn fuzz(first: u64, end: u64, test: &str) -> Tally {
    let mut tally = Tally::default();
    let mut next = first;
    while next < end {
        let stop = end.min(next + 1_000);
        let child = start(next, stop, test);
        tally.refused += child.said.matches("\nrefused\n").count() as u64;
        tally.ended += child.said.matches("\nended\n").count() as u64;
        let last = child.said.rfind("case ").map(|at| &child.said[at..]);
        let last = last.unwrap_or_else(|| panic!("no case was run: {}", child.said));
        let (number, fate) = last["case ".len()..].split_once('\n').unwrap_or((last, ""));
        if child.said.ends_with("done\n") {
            next = stop;
            continue;
        }
        assert!(
            is_fault(fate, child.status),
            "case {number}, {}: {fate}",
            child.status
        );
        tally.faults += 1;
        next = number.parse::<u64>().expect("a case's number") + 1;
    }
    tally
}

/// Whether a child ended in a way that is allowed to a program whose values have wrong types.
fn is_fault(said: &str, status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const ABORTED: i32 = 6;
    if std::env::var_os("BACTRIAN_FUZZ_VERBOSE").is_some() {
        eprintln!(
            "{status}: {}",
            said.lines().take(3).collect::<Vec<_>>().join(" | ")
        );
    }
    // Where it panicked and what it said; the backtrace after that names files without blame.
    let said = said.split("stack backtrace").next().unwrap_or(said);
    let impossible = [
        "unreachable",
        "overflowed its stack",
        "the loader does not panic",
        "src/image/",
    ];
    let checked =
        status.signal() == Some(ABORTED) && !impossible.iter().any(|text| said.contains(text));
    // `exit`, and errors that the runtime itself calls fatal.
    checked || status.code().is_some_and(|code| code != 101)
}

#[test]
fn mutated_executables_are_refused_or_run() {
    if let Ok(range) = std::env::var(RANGE) {
        return run_range(&range);
    }
    let number = |name, default| {
        std::env::var(name).map_or(default, |text| text.parse::<u64>().expect("a number"))
    };
    let (first, cases) = (number(FIRST, 0), number(CASES, 400));
    let test = "image::fuzz::mutated_executables_are_refused_or_run";
    let (middle, end) = (first + cases / 2, first + cases);
    let halves = [(first, middle), (middle, end)];
    let workers = halves.map(|(first, end)| thread::spawn(move || fuzz(first, end, test)));
    let tallies = workers.map(|worker| worker.join().expect("every case ends as it may"));
    eprintln!("{tallies:?}");
    assert!(
        tallies
            .iter()
            .all(|tally| tally.refused > 0 && tally.ended > 0),
        "{tallies:?}"
    );
}
