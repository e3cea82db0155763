//! Lockstep: the generic and the residual module run side by side from the same snapshot, with the
//! same input, and every event that they report is compared.
//!
//! [`compare`] does all of it. [`side`] runs one module on a thread and sends its events in
//! batches; [`event`] is their form; [`report`] is what is printed of a divergence.
//!
//! Invariant: both sides see the same outside: arguments, a clock that what they do moves
//! ([`clock`]), fixed "random" numbers. What one side reads and does there, the other is told
//! ([`outside`]).

mod clock;
mod event;
mod outside;
mod report;
mod side;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Result;
use wasmtime::{Engine, Module};

use crate::engine;
use crate::guest::{self, Guest};
use crate::host::Sandbox;
use crate::pipeline::{Mode, Pipeline};
use crate::run::Exit;
use crate::status_line::StatusLine;
pub use event::Event;
use event::{BATCH, Batch};
use outside::Outside;
pub use report::{Cause, Divergence};
use side::{Side, Started};

/// How many events before a divergence are reported with it.
const HISTORY: usize = 12;

/// How to run the two.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Whose modules these are.
    pub guest: Arc<Guest>,
    pub sandbox: Sandbox,
    pub standard: Standard,
    /// Collect at every safepoint, in guests that can.
    pub stress: bool,
    /// How long one side may keep the other waiting.
    pub patience: Duration,
    /// The functions of the program, for the report: address and length of their code.
    pub functions: Vec<(u32, u32)>,
}

impl Default for Setup {
    fn default() -> Self {
        let (sandbox, standard, functions) = Default::default();
        Self {
            guest: guest::default(),
            sandbox,
            standard,
            stress: false,
            patience: Duration::from_secs(60),
            functions,
        }
    }
}

/// The standard streams of the side that makes calls; the other needs none.
#[derive(Clone, Debug)]
pub enum Standard {
    /// This process's, as they are; the status line is on one of them.
    Inherited(Option<Arc<StatusLine>>),
    /// This input; what is written is in the [`End`].
    Given(Vec<u8>),
}

impl Default for Standard {
    fn default() -> Self {
        Standard::Given(Vec::new())
    }
}

/// The end of a program, as seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub exit: Exit,
    /// Empty where the program had this process's streams.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// What came of a comparison.
#[derive(Debug)]
pub enum Verdict {
    Agree { events: u64, end: End },
    Diverged(Box<Divergence>),
}

/// Runs `generic` and `residual`, linked with events, until they end or differ. The engine must be
/// [`engine::interruptible`].
pub fn compare(
    engine: &Engine,
    generic: &Module,
    residual: &Module,
    setup: &Setup,
) -> Result<Verdict> {
    let (calls, replayed) = channel();
    let waits = Arc::new(AtomicBool::new(false));
    let record = Outside::Record {
        calls,
        waits: Arc::clone(&waits),
        relay: Vec::new(),
    };
    let replay = Outside::Replay(replayed);
    let generic = side::start(engine, Side::Generic, generic, record, setup)?;
    let residual = side::start(engine, Side::Residual, residual, replay, setup)?;
    let mut comparison = Comparison {
        engine,
        setup,
        waits: &waits,
        events: 0,
        history: VecDeque::new(),
    };
    if let Some(divergence) = comparison.run(&generic.events, &residual.events) {
        return comparison.stop(divergence, [generic, residual]);
    }
    let (end, other) = (side::join(generic.thread)?, side::join(residual.thread)?);
    Ok(match comparison.exits(&end, &other) {
        None => Verdict::Agree {
            events: comparison.events,
            end,
        },
        Some(mut divergence) => {
            for (side, end) in [(Side::Generic, end), (Side::Residual, other)] {
                divergence.note_end(side, &end.exit);
            }
            Verdict::Diverged(Box::new(divergence))
        }
    })
}

struct Comparison<'a> {
    engine: &'a Engine,
    setup: &'a Setup,
    /// Whether the generic side is in a call to the outside: then the other side may wait for its
    /// result.
    waits: &'a AtomicBool,
    events: u64,
    history: VecDeque<Event>,
}

impl Comparison<'_> {
    /// Compares until both sides have ended or one event differs.
    fn run(&mut self, generic: &Receiver<Batch>, residual: &Receiver<Batch>) -> Option<Divergence> {
        loop {
            let (left, right) = (self.receive(generic), self.receive(residual));
            match (left, right) {
                (Ok(left), Ok(right)) => {
                    if let Some(divergence) = self.batches(&left, &right) {
                        return Some(divergence);
                    }
                    if left.len() < BATCH {
                        return None;
                    }
                }
                (Err(_), _) => return Some(self.silent(Side::Generic)),
                (_, Err(_)) => return Some(self.silent(Side::Residual)),
            }
        }
    }

    /// The next batch; an empty one after the end. A side that is silent for too long is
    /// interrupted and hands out what it has, unless it waits for the outside.
    fn receive(&self, events: &Receiver<Batch>) -> Result<Batch, RecvTimeoutError> {
        loop {
            match events.recv_timeout(self.setup.patience) {
                Ok(batch) => return Ok(batch),
                Err(RecvTimeoutError::Disconnected) => return Ok(Batch::default()),
                Err(RecvTimeoutError::Timeout) if self.waits.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.engine.increment_epoch();
                    return events.recv_timeout(self.setup.patience);
                }
            }
        }
    }

    /// Stops both sides. What they say goes into the report. Where the generic side waits for the
    /// outside, both are left behind until this process ends.
    fn stop(&self, mut divergence: Divergence, sides: [Started; 2]) -> Result<Verdict> {
        const PAUSE: Duration = Duration::from_millis(1);
        self.engine.increment_epoch();
        for Started {
            side,
            events,
            thread,
        } in sides
        {
            // A side whose events nobody receives stops at its next one.
            drop(events);
            while !thread.is_finished() && !self.waits.load(Ordering::Relaxed) {
                std::thread::sleep(PAUSE);
            }
            if thread.is_finished() {
                divergence.note_end(side, &side::join(thread)?.exit);
            }
        }
        Ok(Verdict::Diverged(Box::new(divergence)))
    }

    fn batches(&mut self, left: &Batch, right: &Batch) -> Option<Divergence> {
        if left == right {
            self.events += left.len() as u64;
            self.remember(left, left.len());
            if let Standard::Inherited(Some(line)) = &self.setup.standard {
                line.show(|| format!("{} events agree", self.events));
            }
            return None;
        }
        let agreed = (0..left.len().min(right.len()))
            .take_while(|&at| left.same(right, at))
            .count();
        self.events += agreed as u64;
        self.remember(left, agreed);
        let stack = self.setup.guest.manifest.stack;
        let cause = Cause::Events {
            generic: left.event(agreed, stack),
            residual: right.event(agreed, stack),
        };
        Some(self.divergence(cause))
    }

    fn remember(&mut self, batch: &Batch, count: usize) {
        for at in count.saturating_sub(HISTORY)..count {
            self.history
                .extend(batch.event(at, self.setup.guest.manifest.stack));
        }
        while self.history.len() > HISTORY {
            self.history.pop_front();
        }
    }

    fn silent(&self, side: Side) -> Divergence {
        self.divergence(Cause::Silence {
            side,
            patience: self.setup.patience,
        })
    }

    fn exits(&self, generic: &End, residual: &End) -> Option<Divergence> {
        (generic.exit != residual.exit).then(|| {
            self.divergence(Cause::Exits {
                generic: generic.exit.clone(),
                residual: residual.exit.clone(),
            })
        })
    }

    fn divergence(&self, cause: Cause) -> Divergence {
        let history = self.history.iter().cloned().collect();
        Divergence {
            events: self.events,
            cause,
            traps: Vec::new(),
            history,
            guest: Arc::clone(&self.setup.guest),
            functions: self.setup.functions.clone(),
        }
    }
}

/// Snapshots `program` once, links it generic and residual, with events, and compares the two.
/// `setup.guest` and `setup.functions` are filled in.
pub fn program(pipeline: &mut Pipeline, program: &[u8], mut setup: Setup) -> Result<Verdict> {
    setup.guest = Arc::clone(&pipeline.settings.guest);
    let snapshot = pipeline.snapshot(&setup.guest.module, program)?;
    pipeline.settings.options.lockstep_events = true;
    pipeline.settings.mode = Mode::Generic;
    let generic = pipeline.linked(&snapshot)?;
    pipeline.settings.mode = Mode::Residual;
    let residual = pipeline.linked(&snapshot)?;
    if let Some(summary) = &pipeline.summary {
        setup.functions.clone_from(&summary.functions);
    }
    let engine = engine::interruptible(pipeline.known_code.store())?;
    let cache = pipeline.settings.cache.as_deref();
    let (generic, _) = engine::compile(&engine, &generic, cache)?;
    let (residual, _) = engine::compile(&engine, &residual, cache)?;
    let verdict = compare(&engine, &generic, &residual, &setup)?;
    if let Verdict::Agree { events, .. } = verdict {
        pipeline.events = Some(events);
    }
    Ok(verdict)
}
