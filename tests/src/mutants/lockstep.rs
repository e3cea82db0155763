//! Faults in the residual code of an OCaml program, for lockstep to notice: a collection is forced
//! at each safepoint, and generic and residual code are compared event by event.
//!
//! Leaves out standard library functions that the program's own do not need: places are tried in
//! its last functions.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use bactrian::known_code::KnownCode;
use bactrian::lockstep::{self, Setup};
use bactrian::pipeline::{Pipeline, Settings};
use bactrian::specialize::{self, Options};
use bactrian::{engine, guest};
use cache::Cache;
use specializer::fault::{Act, Fault, Kind};
use wasmtime::{Engine, Module};

use super::explain;
use super::judge::{PROBES, quietly};
use crate::program::Program;
use crate::workspace;

pub use bactrian::lockstep::Verdict;

/// How many functions, from the last, are tried.
const FUNCTIONS: usize = 16;

/// Places of each function that are tried.
const PLACES: usize = 16;

/// A program, ready to get faults.
pub struct Bench {
    engine: Engine,
    /// Residual functions and machine code of the functions that a fault leaves alone.
    cache: Arc<Cache>,
    snapshot: Vec<u8>,
    generic: Module,
    /// The residual module without a fault, and how many functions it has of the program.
    pub sound: Vec<u8>,
    requests: usize,
    setup: Setup,
}

/// What became of one fault.
pub enum Answer {
    /// There was no such place.
    NoMutant,
    /// The specializer, its verifier or the validator refused: nothing is left for lockstep.
    Refused,
    /// The report of the difference.
    Noticed(String),
    Agrees,
}

/// Faults of a kind that the specializer lets pass, in code that runs.
#[derive(Clone, Default)]
pub struct Score {
    pub noticed: usize,
    /// The others.
    pub unnoticed: Vec<Unnoticed>,
}

/// A fault that lockstep does not notice.
#[derive(Clone)]
pub struct Unnoticed {
    /// Request, and place in its function.
    pub place: String,
    /// The code without the fault, and with it.
    pub change: String,
}

impl Score {
    pub fn planted(&self) -> usize {
        self.noticed + self.unnoticed.len()
    }
}

impl Bench {
    /// Compiles the program in a directory of its own.
    pub fn new(directory: &Path) -> Result<Self> {
        let source = workspace().join("tests/fixtures/faults.ml");
        let bytecode = std::fs::read(Program::new(source)?.compile(directory)?)?;
        let cache = Arc::new(Cache::open(&directory.join("cache.sqlite"), 1 << 30)?);
        let engine = engine::interruptible(KnownCode::new(None, Some(&cache)).store())?;
        let snapshot =
            Pipeline::new(Settings::default())?.snapshot(&guest::default().module, &bytecode)?;
        let generic = specialize::link_generic(&snapshot, &options(None))?;
        let (sound, summary, _) = specialize::run(&snapshot, &options(None), Some(&cache))?;
        cache.flush();
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
    pub fn verdict(&self, residual: &[u8]) -> Result<Verdict> {
        let (residual, _) = engine::compile(&self.engine, residual, None)
            .context("the residual module is not valid")?;
        self.cache.flush();
        lockstep::compare(&self.engine, &self.generic, &residual, &self.setup)
    }

    /// What lockstep says of the module with this fault.
    pub fn with(&self, fault: Fault) -> Result<Answer> {
        let Ok(residual) = quietly(|| self.specialize(fault)) else {
            return Ok(Answer::Refused);
        };
        let residual = residual?;
        if residual == self.sound {
            return Ok(Answer::NoMutant);
        }
        Ok(match self.verdict(&residual)? {
            Verdict::Diverged(divergence) => Answer::Noticed(divergence.to_string()),
            Verdict::Agree { .. } => Answer::Agrees,
        })
    }

    /// The residual module with this fault.
    fn specialize(&self, fault: Fault) -> Result<Vec<u8>> {
        let options = options(Some(fault));
        let (residual, ..) = specialize::run(&self.snapshot, &options, Some(&self.cache))?;
        Ok(residual)
    }

    /// Faults of this kind, in the order in which they are tried: neighbours get theirs at
    /// different places.
    pub fn faults(&self, kind: Kind) -> impl Iterator<Item = Fault> {
        let last = self.requests.saturating_sub(FUNCTIONS);
        let requests = self.requests;
        (0..PLACES).flat_map(move |round| {
            (last..requests).rev().map(move |request| Fault {
                kind,
                nth: (round + request) % PLACES,
                request,
                act: Act::Break,
            })
        })
    }

    /// Plants faults of a kind until `wanted` of them are in code that runs.
    pub fn score(&self, kind: Kind, wanted: usize) -> Result<Score> {
        let mut score = Score::default();
        for fault in self.faults(kind) {
            if score.planted() == wanted {
                break;
            }
            match self.with(fault)? {
                Answer::NoMutant | Answer::Refused => {}
                Answer::Noticed(_) => score.noticed += 1,
                Answer::Agrees => {
                    if self.is_reached(fault)? {
                        score.unnoticed.push(self.unnoticed(fault)?);
                    }
                }
            }
        }
        Ok(score)
    }

    fn unnoticed(&self, fault: Fault) -> Result<Unnoticed> {
        let [sound, wrong] = [&self.sound, &self.specialize(fault)?].map(wasmprinter::print_bytes);
        Ok(Unnoticed {
            place: format!("request {}, place {}", fault.request, fault.nth),
            change: explain::change(&[sound?, wrong?]),
        })
    }

    /// Whether lockstep notices what is planted in the place of a fault to show that.
    fn is_reached(&self, fault: Fault) -> Result<bool> {
        for act in PROBES {
            if let Answer::Agrees = self.with(Fault { act, ..fault })? {
                return Ok(false);
            }
        }
        Ok(true)
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
