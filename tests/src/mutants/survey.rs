//! So many mutants of a kind, over the corpus: who noticed how many, and which survived.
//!
//! Invariant: the places depend on the corpus alone, so two surveys find the same.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::thread;

use anyhow::{Context, Result};
use specializer::fault::{Act, Fault, KINDS, Kind};
use wasmtime::Engine;

use super::corpus::Case;
use super::explain;
use super::judge::{Net, Verdict, judge};
use crate::workers;

/// Places that are tried in each function: the first ones, then ever further apart.
const PLACES: [usize; 12] = [0, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60, 90];

/// A mutant that nobody noticed.
#[derive(Clone, Debug)]
pub struct Survivor {
    /// Module, request, and place in its function.
    pub place: String,
    /// The code without the fault, and with it.
    pub change: String,
    /// The whole modules without the fault and with it, as text; absent where it is no code.
    pub modules: Option<[String; 2]>,
    /// Whether it leaves other values than sound code in memory that nobody may read.
    pub differs_in_dead_memory: bool,
}

/// Mutants of one kind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// In code that a call reaches.
    pub planted: usize,
    pub not_reached: usize,
    /// That certainly do what sound code does.
    pub equal: usize,
    pub noticed: BTreeMap<Net, usize>,
    /// Those that nobody noticed.
    pub survivors: Vec<Survivor>,
}

impl Tally {
    /// Counts a mutant; of a survivor, `survivor` says more.
    pub fn count(
        &mut self,
        verdict: Verdict,
        survivor: impl FnOnce() -> Result<Survivor>,
    ) -> Result<()> {
        match verdict {
            Verdict::NoMutant => return Ok(()),
            Verdict::Equal => {
                self.equal += 1;
                return Ok(());
            }
            Verdict::NotReached => {
                self.not_reached += 1;
                return Ok(());
            }
            Verdict::Noticed(net) => *self.noticed.entry(net).or_default() += 1,
            Verdict::Survived => self.survivors.push(survivor()?),
        }
        self.planted += 1;
        Ok(())
    }

    pub fn noticed(&self) -> usize {
        self.noticed.values().sum()
    }

    /// Whether at least 95 in 100 were noticed.
    pub fn is_enough(&self) -> bool {
        self.noticed() * 100 >= self.planted * 95
    }
}

/// Plants faults of `kind` until `wanted` of them are mutants: in each module at one place after
/// the other, in no two neighbours at the same one, and each kind first at another.
pub fn survey(engine: &Engine, cases: &[Case], kind: Kind, wanted: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    let first = KINDS
        .iter()
        .position(|known| *known == kind)
        .unwrap_or_default();
    for round in 0..PLACES.len() {
        for (number, case) in cases.iter().enumerate() {
            let nth = PLACES[(first + round + number) % PLACES.len()];
            for request in 0..case.requests {
                if tally.planted == wanted {
                    return Ok(tally);
                }
                let fault = Fault {
                    kind,
                    nth,
                    request,
                    act: Act::Break,
                };
                let place = || format!("{}, request {request}, place {nth}", case.name);
                let verdict = judge(engine, case, fault)
                    .with_context(|| format!("{kind:?} in {}", place()))?;
                tally.count(verdict, || explain::survivor(engine, case, fault, place()))?;
            }
        }
    }
    Ok(tally)
}

/// What `work` makes of each kind, in their order.
pub fn in_parallel<T: Send>(
    kinds: &[Kind],
    work: impl Fn(Kind) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let done = workers::each(kinds, threads, |_, &kind| work(kind));
    done.into_iter().collect()
}
