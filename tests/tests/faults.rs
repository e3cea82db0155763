//! Lockstep notices miscompilations: residual code is broken on purpose, in each of five ways, and
//! the comparison must stop. Without a fault it must not.
//!
//! A place for a fault may lie on a path that the program never takes; so places are tried, in the
//! program's own functions, until one is caught. A kind that is never caught fails the test.
//! `make mutants` plants the other kinds, and counts.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::{Context, Result};
use bactrian::lockstep::{self, Setup, Verdict};
use bactrian::pipeline::{Pipeline, Settings};
use bactrian::specialize::{self, Options};
use bactrian::{engine, guest};
use bactrian_tests::program::Program;
use bactrian_tests::{scratch, workspace};
use cache::Cache;
use specializer::fault::{Act, Damage, Fault, Kind};
use wasmtime::{Engine, Module};

/// How many functions, from the last, are tried.
const FUNCTIONS: usize = 16;

/// How many places of each function.
const PLACES: usize = 4;

/// One for both tests: compiled twice at once into one directory, the program would get into its
/// own way.
static BENCH: LazyLock<Bench> =
    LazyLock::new(|| Bench::new().expect("the program can be compiled and specialized"));

struct Bench {
    engine: Engine,
    /// Machine code of the functions that a fault leaves alone: the same in each module.
    cache: Arc<Cache>,
    snapshot: Vec<u8>,
    generic: Module,
    /// The residual module without a fault, and how many functions it has of the program.
    sound: Vec<u8>,
    requests: usize,
    setup: Setup,
}

impl Bench {
    fn new() -> Result<Self> {
        let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "faults")?;
        let source = workspace().join("tests/fixtures/faults.ml");
        let bytecode = std::fs::read(Program::new(source)?.compile(&directory)?)?;
        let cache = Arc::new(Cache::open(&directory.join("cache.sqlite"), 1 << 30)?);
        let engine = engine::interruptible(Some(&cache))?;
        let snapshot =
            Pipeline::new(Settings::default())?.snapshot(guest::DEFAULT.module, &bytecode)?;
        let generic = specialize::link_generic(&snapshot, &options(None))?;
        let (sound, summary, _) = specialize::run(&snapshot, &options(None), None)?;
        Ok(Self {
            generic: engine::compile(&engine, &generic, None)?.0,
            engine,
            cache,
            snapshot,
            sound,
            requests: summary.requests,
            setup: Setup {
                stress: true,
                patience: Duration::from_secs(20),
                functions: summary.functions,
                ..Setup::default()
            },
        })
    }

    /// Compares the generic module with `residual`.
    fn verdict(&self, residual: &[u8]) -> Result<Verdict> {
        let (residual, _) = engine::compile(&self.engine, residual, None)
            .context("the residual module is not valid")?;
        self.cache.flush();
        lockstep::compare(&self.engine, &self.generic, &residual, &self.setup)
    }

    /// What lockstep says of the module with this fault; `None` if there was no place for it.
    fn with(&self, fault: Fault) -> Result<Option<Verdict>> {
        let (residual, ..) = specialize::run(&self.snapshot, &options(Some(fault)), None)?;
        if residual == self.sound {
            return Ok(None);
        }
        self.verdict(&residual).map(Some)
    }

    /// The report of the first fault of this kind that is caught.
    fn caught(&self, kind: Kind) -> Result<Option<String>> {
        let last = self.requests.saturating_sub(FUNCTIONS);
        for nth in 0..PLACES {
            for request in (last..self.requests).rev() {
                let fault = Fault {
                    kind,
                    nth,
                    request,
                    act: Act::Break,
                };
                if let Some(Verdict::Diverged(divergence)) = self.with(fault)? {
                    return Ok(Some(divergence.to_string()));
                }
            }
        }
        Ok(None)
    }
}

fn options(fault: Option<Fault>) -> Options {
    Options {
        lockstep_events: true,
        fault,
        verify: true,
        ..Options::default()
    }
}

#[test]
fn sound_code_agrees() -> Result<()> {
    match BENCH.verdict(&BENCH.sound)? {
        Verdict::Agree { events, end } => {
            assert!(events > 100, "only {events} events were compared");
            assert_eq!(end.exit.status(), 0);
            Ok(())
        }
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
}

#[test]
fn each_kind_of_fault_is_caught() -> Result<()> {
    let damages = [
        Damage::Constant,
        Damage::SwappedEdge,
        Damage::DroppedStore,
        Damage::MissingSync,
        Damage::StaleCell,
    ];
    for damage in damages {
        let kind = Kind::Code("evaluation", damage);
        let report = BENCH
            .caught(kind)?
            .unwrap_or_else(|| panic!("{kind:?} was never caught"));
        println!("{kind:?}: {report}");
    }
    Ok(())
}
