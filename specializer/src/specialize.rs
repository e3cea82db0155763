//! The pipeline: a snapshot's bytes in, a linked module's bytes out.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::eval::{self, Budgets, Declined, Evaluation, Prepared, Residual};
use crate::fault::{self, Fault, Kind};
use crate::image::Image;
use crate::ir::{Func, Stage, residual};
use crate::key::GenericKey;
use crate::lift::Unsupported;
use crate::link::{self, Absent, Choices, LinkError, Residue};
use crate::lower::Lowered;
use crate::module::{Module, ModuleError};
use crate::optimisations::Optimisations;
use crate::request::{Request, RequestError, Requests};
use crate::residue::{Stored, check};
use crate::{cleanup, lift, lower, verify};

/// What to do, beside the requests themselves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Keep the calls that report events to lockstep.
    pub lockstep_events: bool,
    /// Imports that the linked module is to do without.
    pub absent: Option<Absent>,
    pub optimisations: Optimisations,
    pub budgets: Budgets,
    /// A deliberate miscompilation, for tests of lockstep.
    pub fault: Option<Fault>,
    /// Check functions against the rules of [`crate::verify`] after each stage and each pass of
    /// cleanup, and validate the linked module. For tests: a broken rule is a bug of the
    /// specializer and panics.
    pub verify: bool,
}

impl Options {
    /// What of them the linker has to know.
    pub fn choices(&self) -> Choices<'_> {
        Choices {
            keep_events: self.lockstep_events,
            absent: self.absent.as_ref(),
        }
    }
}

/// Where residual functions are kept between runs: opaque blobs, several to a key.
pub trait Store: Sync {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>>;
    fn insert(&self, key: &[u8; 32], blob: &[u8]);
}

/// Is told how far the work has come.
pub trait Observer: Sync {
    fn stage(&self, name: &'static str);
    fn progress(&self, done: usize, total: usize);
}

/// The linked module, and what became of each request.
pub struct Output {
    pub module: Vec<u8>,
    pub report: Report,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub requests: Vec<RequestReport>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestReport {
    /// Address and length in bytes of the code that the request stands for.
    pub code: u32,
    pub code_len: u32,
    /// Address and length of the constant region that it lies in.
    pub region: (u32, u32),
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Specialized {
        /// Whether it came from the store.
        cached: bool,
        contexts: usize,
        /// Those of them whose position is not known: the loop goes round in residual code.
        unknown_positions: usize,
        /// (context, block, position) nodes evaluated.
        nodes: usize,
        /// Size of the residual body.
        bytes: usize,
    },
    Declined(Declined),
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("the interpreter's function cannot be specialized: {0}")]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// Specializes every request of a snapshot.
pub fn specialize(
    snapshot: &[u8],
    options: &Options,
    store: Option<&dyn Store>,
    observer: &dyn Observer,
) -> Result<Output, Error> {
    observer.stage("lift");
    let module = Module::parse(snapshot)?;
    let requests = Requests::read(&module)?;
    let image = Image::new(&module, &requests);
    let generic = lift_all(&module, &requests, options)?;
    observer.stage("specialize");
    let key = GenericKey::new(&module, options);
    let work = Work {
        module: &module,
        image: &image,
        generic: &generic,
        key,
        options,
        store,
    };
    let done = std::sync::atomic::AtomicUsize::new(0);
    let total = requests.requests.len();
    let results: Vec<Result<(Stored, bool), Declined>> = requests
        .requests
        .par_iter()
        .enumerate()
        .map(|(number, request)| {
            let result = work.request(number, request);
            observer.progress(
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1,
                total,
            );
            result
        })
        .collect();
    observer.stage("link");
    let sound = results
        .iter()
        .map(|result| Some(&result.as_ref().ok()?.0.lowered));
    let sound: Vec<Option<&Lowered>> = sound.collect();
    let broken = options
        .fault
        .and_then(|fault| broken_links(fault, &module, &requests, &sound));
    let bodies = match &broken {
        Some(broken) => broken.iter().map(Option::as_ref).collect(),
        None => sound,
    };
    let answered = requests.requests.iter().zip(bodies);
    let residues: Vec<Residue> = answered
        .filter_map(|(request, lowered)| lowered.map(|lowered| Residue { request, lowered }))
        .collect();
    Ok(Output {
        module: linked(&module, &requests, &residues, options)?,
        report: report(&requests, &results),
    })
}

/// The residual function of each request as text, after cleanup: what golden tests show.
pub fn residual_text(
    snapshot: &[u8],
    options: &Options,
) -> Result<Vec<Result<String, Declined>>, Error> {
    let module = Module::parse(snapshot)?;
    let requests = Requests::read(&module)?;
    let work = Work {
        module: &module,
        image: &Image::new(&module, &requests),
        generic: &lift_all(&module, &requests, options)?,
        key: GenericKey::new(&module, options),
        options,
        store: None,
    };
    let numbered = requests.requests.iter().enumerate();
    let texts = numbered.map(|(number, request)| {
        let residual = work.residual(number, request)?;
        Ok(residual.function.to_string())
    });
    Ok(texts.collect())
}

/// Links without specializing: intrinsics become plain operations.
///
/// Of the options, those on what is linked and on verification matter.
pub fn link_generic(snapshot: &[u8], options: &Options) -> Result<Vec<u8>, Error> {
    let module = Module::parse(snapshot)?;
    // Blank as in a specialized module, so that the two have the same memory. A table that cannot
    // be read stays.
    let list = Requests::read(&module).map_or(0..0, |requests| requests.list);
    let unanswered = Requests {
        list,
        ..Requests::default()
    };
    Ok(linked(&module, &unanswered, &[], options)?)
}

fn lift_all(
    module: &Module,
    requests: &Requests,
    options: &Options,
) -> Result<BTreeMap<Func, Prepared>, Unsupported> {
    let mut generic = BTreeMap::new();
    for request in &requests.requests {
        if let std::collections::btree_map::Entry::Vacant(entry) = generic.entry(request.function) {
            let lifted = lift::function(module, request.function)?;
            if options.verify {
                expect_valid("lifting", verify::generic(&lifted, module));
            }
            let prepared = entry.insert(eval::prepare(lifted));
            if options.verify {
                expect_valid("preparing", verify::generic(&prepared.function, module));
            }
        }
    }
    Ok(generic)
}

fn expect_valid<S: Stage>(stage: &str, verdict: Result<(), verify::Fault<S>>) {
    if let Err(fault) = verdict {
        panic!("{stage} leaves a function that breaks a rule: {fault}");
    }
}

/// What the linker is given, if the fault is in that.
fn broken_links(
    fault: Fault,
    module: &Module,
    requests: &Requests,
    bodies: &[Option<&Lowered>],
) -> Option<Vec<Option<Lowered>>> {
    let Kind::Link(mismatch) = fault.kind else {
        return None;
    };
    let mut bodies: Vec<Option<Lowered>> = bodies.iter().map(|body| body.cloned()).collect();
    fault::plant_in_links(mismatch, fault, module, requests, &mut bodies);
    Some(bodies)
}

fn linked(
    module: &Module,
    requests: &Requests,
    residues: &[Residue],
    options: &Options,
) -> Result<Vec<u8>, LinkError> {
    let linked = link::run(module, requests, residues, options.choices())?;
    if options.verify
        && let Err(error) = wasmparser::validate(&linked)
    {
        panic!("linking leaves a module that is not valid: {error}");
    }
    Ok(linked)
}

fn report(all: &Requests, results: &[Result<(Stored, bool), Declined>]) -> Report {
    let answered = all.requests.iter().zip(results);
    let requests = answered.map(|(request, result)| RequestReport {
        code: request.code,
        code_len: request.code_len,
        region: all.region(request.code),
        outcome: match result {
            Ok((stored, cached)) => Outcome::Specialized {
                cached: *cached,
                contexts: stored.contexts as usize,
                unknown_positions: stored.unknown_positions as usize,
                nodes: stored.nodes as usize,
                bytes: stored.lowered.body.len(),
            },
            Err(declined) => Outcome::Declined(*declined),
        },
    });
    Report {
        requests: requests.collect(),
    }
}

/// What all requests share.
struct Work<'a> {
    module: &'a Module<'a>,
    image: &'a Image<'a>,
    generic: &'a BTreeMap<Func, Prepared>,
    key: GenericKey,
    options: &'a Options,
    store: Option<&'a dyn Store>,
}

impl Work<'_> {
    /// The residual function of a request, and whether it came from the store.
    fn request(&self, number: usize, request: &Request) -> Result<(Stored, bool), Declined> {
        let Some(store) = self.store else {
            return Ok((self.evaluate(number, request)?, false));
        };
        let key = self.key.request(request, self.image);
        let around = check::Surroundings {
            module: self.module,
            image: self.image,
            keeps_events: self.options.lockstep_events,
        };
        for blob in store.candidates(&key) {
            if let Some(stored) = Stored::decode(&key, &blob)
                && check::run(&around, request, &stored).is_ok()
            {
                return Ok((stored, true));
            }
        }
        let stored = self.evaluate(number, request)?;
        store.insert(&key, &stored.encode(&key));
        Ok((stored, false))
    }

    fn evaluate(&self, number: usize, request: &Request) -> Result<Stored, Declined> {
        let residual = self.residual(number, request)?;
        let function = lower::reducible(&residual.function);
        self.verify("reduction", &function);
        let lowered = match self.fault(number) {
            None => lower::reduced(&function),
            Some(fault) => {
                let (function, plan) = fault.plan(&function);
                lower::write(&function, &plan)
            }
        };
        Ok(Stored {
            log: residual.log,
            lowered,
            contexts: residual.contexts as u32,
            unknown_positions: residual.unknown_positions as u32,
            nodes: residual.nodes as u32,
        })
    }

    /// The residual function as it is lowered.
    fn residual(&self, number: usize, request: &Request) -> Result<Residual, Declined> {
        let evaluation = Evaluation {
            prepared: &self.generic[&request.function],
            request,
            image: self.image,
            module: self.module,
            budgets: self.options.budgets,
            optimisations: self.options.optimisations,
            lockstep_events: self.options.lockstep_events,
        };
        let mut residual = eval::run(&evaluation)?;
        self.look(number, "evaluation", &mut residual.function);
        cleanup::run_watched(&mut residual.function, &mut |pass, function| {
            self.look(number, pass, function);
        });
        Ok(residual)
    }

    /// Between two stages: plants the fault that is asked for, and verifies.
    fn look(&self, number: usize, stage: &'static str, function: &mut residual::Function) {
        if let Some(fault) = self.fault(number) {
            fault.plant(stage, function);
        }
        self.verify(stage, function);
    }

    /// The fault of a request's function.
    fn fault(&self, number: usize) -> Option<Fault> {
        self.options.fault.filter(|fault| fault.request == number)
    }

    fn verify(&self, stage: &str, function: &residual::Function) {
        if self.options.verify {
            expect_valid(stage, verify::residual(function, self.module));
        }
    }
}
