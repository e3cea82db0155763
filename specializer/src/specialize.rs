//! The pipeline: a snapshot's bytes in, a linked module's bytes out.
//!
//! Invariant: neither the number of threads nor the contents of the store changes the output.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::allocator::Allocator;
use crate::cleanup::{self, Trapped};
use crate::eval::{self, Boxes, Boxing, Declined, Evaluation, Inlining, Prepared, Residual, Small};
use crate::image::Image;
use crate::ir::Func;
use crate::key::GenericKey;
use crate::lift::{self, Unsupported};
use crate::link::{self, LinkError, Linked, Residue};
use crate::lower;
use crate::module::{Module, ModuleError};
use crate::optimisations::Optimisations;
use crate::options::Options;
use crate::profile::Fit;
use crate::recall::{Recall, Store};
use crate::report::{Answer, Report};
use crate::request::{self, Heat, Request, RequestError, Requests};
use crate::stored::Stored;
use crate::stored::check::Surroundings;
use crate::versions::{self, Answered};
use crate::watch::Watch;

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

/// Why a snapshot cannot be specialized at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
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
    let (requests, fit) = read(&module, options)?;
    let mut work = Work::lift_and_prepare(&module, &requests, options)?;
    let key = GenericKey::new(&module, options, &work.inlining);
    observer.stage("specialize");
    let recall = store.map(|store| Recall::new(store, &key, work.surroundings()));
    let answered = versions::answer(&requests, &work.image, |first, requests| {
        in_parallel(first, requests, observer, |number, request| {
            let compute = || {
                let residual = work.clean(number, request)?;
                work.lower(number, request, residual)
            };
            match recall.as_ref().filter(|_| request.heat != Heat::Cold) {
                Some(recall) => recall.answer(number, request, compute),
                None => compute().map(Answer::made),
            }
        })
    });
    drop(recall);
    // The linker has no use for it, and needs as much memory.
    work.generic.clear();
    observer.stage("link");
    let linked = work.link(&answered)?;
    let said = work.said.into_inner();
    let said = said.unwrap_or_else(PoisonError::into_inner).into_values();
    Ok(Output {
        report: Report {
            said: said.flatten().collect(),
            ..Report::new(&answered, fit, linked.residual_bytes)
        },
        module: linked.module,
    })
}

/// A residual function as text.
struct Text {
    text: String,
    stored: Stored,
}

impl AsRef<Stored> for Text {
    fn as_ref(&self) -> &Stored {
        &self.stored
    }
}

/// The residual function of each request as text, after cleanup: what golden tests show.
pub fn residual_text(
    snapshot: &[u8],
    options: &Options,
) -> Result<Vec<Result<String, Declined>>, Error> {
    let module = Module::parse(snapshot)?;
    let (requests, _) = read(&module, options)?;
    let work = Work::lift_and_prepare(&module, &requests, options)?;
    let answered = versions::answer(&requests, &work.image, |first, requests| {
        let texts = (first..).zip(requests).map(|(number, request)| {
            let residual = work.clean(number, request)?;
            let text = residual.function.to_string();
            let stored = work.lower(number, request, residual)?;
            Ok(Text { text, stored })
        });
        texts.collect()
    });
    let texts = answered.answers.into_iter();
    Ok(texts.map(|text| Ok(text?.text)).collect())
}

/// Links without specializing: intrinsics become plain operations.
///
/// Of the options, those on what is linked and on verification matter.
pub fn link_generic(snapshot: &[u8], options: &Options) -> Result<Vec<u8>, Error> {
    let module = Module::parse(snapshot)?;
    // Blank as in a specialized module, so that the two have the same memory. A table that cannot
    // be read stays.
    let lists = Requests::read(&module).map_or(Vec::new(), |requests| requests.lists);
    let unanswered = Requests {
        lists,
        ..Requests::default()
    };
    let layout = link::Layout::new(&module, &unanswered, &[], options.linking())?;
    let linked = link::write(&module, &layout, &[])?.module;
    Watch::new(&module, options).linked(&linked);
    Ok(linked)
}

/// The requests, with what the profile says of them, and how it fits.
fn read(module: &Module, options: &Options) -> Result<(Requests, Option<Fit>), RequestError> {
    let mut requests = Requests::read(module)?;
    let profile = options.profile.as_ref();
    let fit = profile.map(|profile| profile.apply(&mut requests));
    Ok((requests, fit))
}

/// Answers requests, in their order; the first has this number.
fn in_parallel(
    first: usize,
    requests: &[Request],
    observer: &dyn Observer,
    answer: impl Fn(usize, &Request) -> Result<Answer, Declined> + Sync,
) -> Vec<Result<Answer, Declined>> {
    let (done, total) = (AtomicUsize::new(first), first + requests.len());
    let numbered = requests.par_iter().enumerate();
    let answers = numbered.map(|(index, request)| {
        let answer = answer(first + index, request);
        observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        answer
    });
    answers.collect()
}

/// The stages, with what all requests share. Each hands what it leaves to the [`Watch`].
struct Work<'a> {
    module: &'a Module<'a>,
    options: &'a Options,
    image: Image<'a>,
    /// Where one cannot be lifted, what its requests are answered with.
    generic: BTreeMap<Func, Result<Prepared, Declined>>,
    boxes: Boxes,
    small: Small,
    allocator: Option<Allocator>,
    trapped: Trapped,
    inlining: Inlining,
    /// What the interpreter said, by the number of the request.
    said: Mutex<BTreeMap<usize, Vec<String>>>,
    watch: Watch<'a>,
}

impl<'a> Work<'a> {
    /// Lifts and prepares each generic function that is asked for, once. If none can be lifted, the
    /// module is refused.
    fn lift_and_prepare(
        module: &'a Module<'a>,
        requests: &'a Requests,
        options: &'a Options,
    ) -> Result<Self, Unsupported> {
        let watch = Watch::new(module, options);
        let mut generic = BTreeMap::new();
        let mut refused = None;
        for request in &requests.requests {
            let Entry::Vacant(entry) = generic.entry(request.function) else {
                continue;
            };
            match lift::with_places(module, request.function) {
                Ok((lifted, places)) => {
                    watch.generic("lifting", &lifted);
                    let prepared = eval::prepare(lifted, places);
                    watch.generic("preparing", &prepared.function);
                    entry.insert(Ok(prepared));
                }
                Err(unsupported) if unsupported.can_stay_generic() => {
                    entry.insert(Err(Declined::Unsupported(unsupported.to_string())));
                    refused.get_or_insert(unsupported);
                }
                Err(unsupported) => return Err(unsupported),
            }
        }
        let are_all_refused = generic.values().all(Result::is_err);
        if let Some(unsupported) = refused.filter(|_| are_all_refused) {
            return Err(unsupported);
        }
        Ok(Self {
            module,
            options,
            image: Image::new(module, requests),
            generic,
            boxes: Boxes::find(module),
            small: Small::find(module),
            allocator: Allocator::declared(module),
            trapped: match request::is_for_weval(module) {
                true => Trapped::GoesOn,
                false => Trapped::Ends,
            },
            inlining: Inlining::for_program(requests.code_len()),
            said: Mutex::default(),
            watch,
        })
    }

    fn evaluation<'w>(&'w self, request: &'w Request) -> Result<Evaluation<'w>, Declined> {
        let prepared = self.generic[&request.function].as_ref();
        Ok(Evaluation {
            prepared: prepared.map_err(Clone::clone)?,
            request,
            image: &self.image,
            module: self.module,
            budgets: self.options.budgets,
            inlining: self.inlining,
            optimisations: self.options.optimisations,
            lockstep_events: self.options.lockstep_events,
            counts: self.options.counts,
            verify: self.options.verify,
            apart: false,
            boxes: &self.boxes,
            boxing: self.boxing(),
            small: &self.small,
        })
    }

    fn evaluate(&self, number: usize, request: &Request) -> Result<Residual, Declined> {
        let mut said = Vec::new();
        let evaluated = match request.heat {
            Heat::Cold => Err(Declined::Cold),
            Heat::Usual | Heat::Hot => self
                .evaluation(request)
                .and_then(|evaluation| eval::run(&evaluation, &mut said)),
        };
        self.note_said(number, request, said);
        let mut residual = evaluated.or_else(|declined| self.boxes_and_calls(request, declined))?;
        let function = &mut residual.function;
        self.watch.residual(number, "evaluation", function);
        Ok(residual)
    }

    /// What a declined request leaves if it is for a version that takes bare numbers.
    fn boxes_and_calls(&self, request: &Request, declined: Declined) -> Result<Residual, Declined> {
        eval::boxing(request, self.module, &self.boxes).ok_or(declined)
    }

    /// Keeps what the interpreter said for the report.
    fn note_said(&self, number: usize, request: &Request, said: Vec<String>) {
        if said.is_empty() {
            return;
        }
        let title = request.title();
        let lines = said.into_iter().map(|line| format!("{title}: {line}"));
        let mut all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(number, lines.collect());
    }

    /// How numbers are boxed. Lockstep compares addresses, so the same is allocated there as in
    /// generic code.
    fn boxing(&self) -> Boxing {
        let are_virtual = self.options.optimisations.virtual_boxes;
        match are_virtual && !self.options.lockstep_events {
            false => Boxing::Called,
            true if self.counts_allocations() => Boxing::InPlace,
            true => Boxing::Virtual,
        }
    }

    /// Whether the program can ask how much it allocated.
    fn counts_allocations(&self) -> bool {
        self.allocator.is_some_and(|found| found.is_counted)
    }

    fn clean_up(&self, number: usize, residual: &mut Residual) {
        let are_seen = self.options.lockstep_events || self.counts_allocations();
        let optimisations = Optimisations {
            scalar_replacement: self.options.optimisations.scalar_replacement && !are_seen,
            ..self.options.optimisations
        };
        cleanup::run(
            &mut residual.function,
            &residual.reloads,
            self.allocator.as_ref(),
            self.trapped,
            &optimisations,
            &mut |pass, left| {
                self.watch.residual(number, pass, left);
            },
        );
    }

    /// What a request leaves, cleaned up.
    fn clean(&self, number: usize, request: &Request) -> Result<Residual, Declined> {
        let mut residual = self.evaluate(number, request)?;
        self.clean_up(number, &mut residual);
        Ok(residual)
    }

    /// What functions of a store are checked against.
    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            module: self.module,
            image: &self.image,
            kept: self.options.kept(),
        }
    }

    /// What a request leaves, as the linker takes it.
    fn lower(
        &self,
        number: usize,
        request: &Request,
        residual: Residual,
    ) -> Result<Stored, Declined> {
        let lower = |residual: Residual| {
            let reducible = lower::make_reducible(&residual.function);
            let lowered = self.watch.lower(number, &reducible);
            Stored::new(residual, lowered)
        };
        lower(residual).or_else(|declined| {
            let mut called = self.boxes_and_calls(request, declined)?;
            self.clean_up(number, &mut called);
            lower(called)
        })
    }

    /// Puts the answers into the snapshot; declined requests keep their generic functions.
    fn link(&self, answered: &Answered<Answer>) -> Result<Linked, LinkError> {
        let requests = &answered.requests;
        let answers = answered.answers.iter().map(Result::as_ref);
        let bodies: Vec<_> = answers
            .map(|answer| Some(&answer.ok()?.stored.lowered))
            .collect();
        let bodies = self.watch.bodies(requests, &bodies);
        let answered = requests.requests.iter().zip(&bodies);
        let residues: Vec<Residue> = answered
            .filter_map(|(request, lowered)| {
                let lowered = lowered.as_deref()?;
                Some(Residue { request, lowered })
            })
            .collect();
        let options = self.options.linking();
        let mut layout = link::Layout::new(self.module, requests, &residues, options)?;
        self.watch.layout(requests, &mut layout);
        let linked = link::write(self.module, &layout, &residues)?;
        self.watch.linked(&linked.module);
        Ok(linked)
    }
}
