//! So many mutants of a kind, over the corpus: who noticed how many, and which survived.
//!
//! Invariant: the places depend on the corpus alone, so two surveys find the same.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use specializer::fault::{Act, Fault, Kind};
use wasmtime::Engine;

use super::corpus::Case;
use super::judge::{Net, Verdict, judge};

/// Places that are tried in each function: the first ones, then ever further apart.
const PLACES: [usize; 12] = [0, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60, 90];

/// Mutants of one kind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// In code that a call reaches.
    pub planted: usize,
    pub not_reached: usize,
    pub noticed: BTreeMap<Net, usize>,
    /// Where those are that nobody noticed.
    pub survivors: Vec<String>,
}

impl Tally {
    pub fn count(&mut self, place: String, verdict: Verdict) {
        match verdict {
            Verdict::NoMutant => return,
            Verdict::NotReached => {
                self.not_reached += 1;
                return;
            }
            Verdict::Noticed(net) => *self.noticed.entry(net).or_default() += 1,
            Verdict::Survived => self.survivors.push(place),
        }
        self.planted += 1;
    }

    pub fn noticed(&self) -> usize {
        self.noticed.values().sum()
    }

    /// Whether at least 95 in 100 were noticed.
    pub fn is_enough(&self) -> bool {
        self.noticed() * 100 >= self.planted * 95
    }
}

/// Plants faults of `kind` until `wanted` of them are mutants.
pub fn survey(engine: &Engine, cases: &[Case], kind: Kind, wanted: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    for nth in PLACES {
        for case in cases {
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
                let place = format!("{kind:?} in {}, request {request}, place {nth}", case.name);
                let verdict = judge(engine, case, fault).with_context(|| place.clone())?;
                tally.count(place, verdict);
            }
        }
    }
    Ok(tally)
}
