//! Damaged input of the specializer: modules that are not what a snapshot is, and stored residues
//! that are not what was stored. Each is refused or specialized; none panics, and what is linked
//! from a valid module is valid.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use bactrian_tests::annotated::random::{self, Watch};
use bactrian_tests::fuzz::cases;
use bactrian_tests::workspace;
use fastrand::Rng;
use specializer::{Observer, Options, Store};
use wasmtime::{Engine, Module};

/// Is told nothing.
struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// Nodes that a request may take: a damaged interpreter need not end.
const NODES: u32 = 2000;

#[test]
fn damaged_modules_are_refused_or_specialized() {
    let seeds = seeds();
    let engine = Engine::default();
    for number in cases(300) {
        let mut rng = Rng::with_seed(number);
        let module = damaged(&seeds, &mut rng);
        let is_valid = Module::validate(&engine, &module).is_ok();
        let specialized = panic::catch_unwind(AssertUnwindSafe(|| {
            specializer::specialize(&module, &options(), None, &Silent)
        }));
        let specialized = specialized.unwrap_or_else(|_| panic!("case {number}: a panic"));
        if let (true, Ok(output)) = (is_valid, specialized)
            && let Err(error) = Module::validate(&engine, &output.module)
        {
            panic!("case {number}: what was linked is not valid: {error:?}");
        }
    }
}

#[test]
fn damaged_residues_are_misses() {
    let stored: Vec<_> = seeds().into_iter().map(Stored::new).collect();
    for number in cases(200) {
        let mut rng = Rng::with_seed(number);
        let stored = &stored[rng.usize(..stored.len())];
        let damaged = Damaged {
            stored,
            rng: Mutex::new(rng),
        };
        let specialized = panic::catch_unwind(AssertUnwindSafe(|| {
            specializer::specialize(&stored.module, &options(), Some(&damaged), &Silent)
        }));
        assert!(specialized.is_ok(), "case {number}: a panic");
    }
}

/// Case 39396 of an earlier version: the linker panicked at the call.
#[test]
fn an_intrinsic_that_is_called_through_the_table_is_refused() {
    let text = fs::read_to_string(workspace().join("tests/golden/declined.wat"));
    let text = text
        .expect("a golden is text")
        .replace(
            "(elem (i32.const 1) $interpret)",
            "(elem (i32.const 1) $interpret $position)",
        )
        .replace(
            "(call $position (local.get $count))",
            "(call_indirect (param i32) (i32.const 0) (i32.const 2))",
        );
    let module = tables::module(&text).expect("valid text");
    let refused = specializer::specialize(&module, &options(), None, &Silent);
    let message = refused.map(|_| ()).map_err(|error| error.to_string());
    let expected = "fn0 is a removed intrinsic but is used other than by a call";
    assert_eq!(message, Err(expected.to_string()));
}

fn options() -> Options {
    let mut options = Options::default();
    options.budgets.nodes = NODES;
    options.budgets.nodes_per_byte = 0;
    options
}

/// The corpus: the goldens, and some random modules.
fn seeds() -> Vec<Vec<u8>> {
    let directory = workspace().join("tests/golden");
    let mut paths: Vec<_> = fs::read_dir(directory)
        .expect("the directory of goldens can be listed")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    let goldens = paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a golden is text"));
    let mut texts: Vec<_> = goldens.collect();
    for seed in 0..4 {
        texts.push(random::machine(&mut Rng::with_seed(seed), Watch::Some));
        texts.push(random::function(&mut Rng::with_seed(seed), Watch::Some));
    }
    let modules = texts
        .iter()
        .map(|text| tables::module(text).expect("the corpus is valid"));
    modules.collect()
}

/// One of the seeds with a few changes.
fn damaged(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seeds[rng.usize(..seeds.len())].clone();
    for _ in 0..rng.usize(1..4) {
        let other = &seeds[rng.usize(..seeds.len())];
        damage(&mut bytes, other, rng);
    }
    bytes
}

/// Changes a bit, a byte or a few, or puts a piece of `other` somewhere.
fn damage(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.usize(..bytes.len());
    let end = bytes.len().min(at + rng.usize(1..9));
    match rng.usize(0..12) {
        0..5 => bytes[at] ^= 1 << rng.u32(0..8),
        5..7 => bytes[at] = rng.u8(..),
        7..9 => {
            bytes[at] = *rng
                .choice(&[0, 1, 0x7f, 0x80, 0xff])
                .expect("there are some")
        }
        9 => drop(bytes.drain(at..end)),
        10 => bytes.truncate(at),
        _ => {
            let from = rng.usize(..other.len());
            let to = other.len().min(from + rng.usize(1..9));
            bytes.splice(at..end, other[from..to].iter().copied());
        }
    }
}

/// A module, and what was stored when it was specialized.
struct Stored {
    module: Vec<u8>,
    blobs: Vec<([u8; 32], Vec<u8>)>,
}

#[derive(Default)]
struct Recorder(Mutex<Vec<([u8; 32], Vec<u8>)>>);

impl Store for Recorder {
    fn candidates(&self, _: &[u8; 32]) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn insert(&self, key: &[u8; 32], blob: &[u8]) {
        let mut entries = self.0.lock().expect("no panic before");
        entries.push((*key, blob.to_vec()));
    }
}

impl Stored {
    fn new(module: Vec<u8>) -> Self {
        let recorder = Recorder::default();
        let specialized = specializer::specialize(&module, &options(), Some(&recorder), &Silent);
        assert!(specialized.is_ok(), "the corpus can be specialized");
        let mut blobs = recorder.0.into_inner().expect("no panic before");
        blobs.sort();
        Self { module, blobs }
    }
}

/// Gives damaged blobs for the keys that there were.
struct Damaged<'s> {
    stored: &'s Stored,
    rng: Mutex<Rng>,
}

impl Store for Damaged<'_> {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>> {
        let mut rng = self.rng.lock().expect("no panic before");
        let blobs = self.stored.blobs.iter().filter(|(own, _)| own == key);
        let damaged = blobs.map(|(_, blob)| {
            let mut blob = blob.clone();
            // What leads to others has to be sound now and then, or they are never asked for.
            if rng.bool() {
                return blob;
            }
            let (_, other) = &self.stored.blobs[rng.usize(..self.stored.blobs.len())];
            for _ in 0..rng.usize(1..4) {
                damage(&mut blob, other, &mut rng);
            }
            blob
        });
        damaged.collect()
    }

    fn insert(&self, _: &[u8; 32], _: &[u8]) {}
}
