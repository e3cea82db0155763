//! Cells that are in memory when a loop begins, as each round ends with that, after a call: edges
//! into the loop store them, and rounds need not.
//!
//! Invariant: this decides nothing but what the fixpoint takes for the state at the loop's head. An
//! edge stores whatever memory lacks of that ([`super::emit`]).

use std::borrow::Cow;

use smallvec::SmallVec;

use super::abs::Abs;
use super::cells::{Cell, Cells, Memory};
use super::node::NodeId;
use super::span::Span;

/// Most edges into a loop of which is known whether they end a round.
const MOST_SOURCES: usize = 8;

/// What is settled of the loop that begins with a node.
#[derive(Default)]
pub struct Settled {
    /// Nodes with edges into the loop, and whether these end a round.
    sources: SmallVec<[(NodeId, bool); 2]>,
    /// Whether a round has ended, and so decided which cells.
    pub is_decided: bool,
    cells: Vec<Span>,
}

impl Settled {
    /// Whether it matters to the cells `here`, at the head, if an edge with the cells `ended` ends
    /// a round.
    pub fn matters(&self, here: &Cells<Abs>, ended: &Cells<Abs>) -> bool {
        match self.is_decided {
            true => !self.cells.is_empty(),
            false => unsettled(here, ended).next().is_some(),
        }
    }

    /// Whether edges from `source` end a round, if that is known or there is no room to note it.
    pub fn ends_round(&self, source: NodeId) -> Option<bool> {
        let known = self.sources.iter().find(|known| known.0 == source);
        let is_full = self.sources.len() == MOST_SOURCES;
        known.map_or(is_full.then_some(false), |known| Some(known.1))
    }

    pub fn note(&mut self, source: NodeId, ends_round: bool) {
        self.sources.push((source, ends_round));
    }

    /// Settles the cells `here` that a round ends with in memory. Returns whether there are any.
    pub fn settle(&mut self, here: &mut Cells<Abs>, ended: &Cells<Abs>) -> bool {
        self.cells = unsettled(here, ended).collect();
        self.put_into_memory(here, ended);
        !self.cells.is_empty()
    }

    /// The cells that an edge brings to those `here`, once those that are settled are in memory.
    /// One that a round ends with otherwise is settled no more.
    pub fn brought<'a>(
        &mut self,
        here: &Cells<Abs>,
        cells: &'a Cells<Abs>,
        ends_round: bool,
    ) -> Cow<'a, Cells<Abs>> {
        if self.cells.is_empty() {
            return Cow::Borrowed(cells);
        }
        if ends_round {
            let is_stored = |span: &Span| {
                let cell = cells.get(*span);
                cell.is_none_or(|cell| cell.memory == Memory::Same)
            };
            self.cells.retain(is_stored);
            return Cow::Borrowed(cells);
        }
        let mut cells = cells.clone();
        self.put_into_memory(&mut cells, here);
        Cow::Owned(cells)
    }

    /// Takes those of the `cells` that are settled for what memory has, and keeps of them what the
    /// others do. A box that is made for that may ask for a safepoint.
    fn put_into_memory(&self, cells: &mut Cells<Abs>, others: &Cells<Abs>) {
        for &span in &self.cells {
            match others.get(span) {
                Some(_) => cells.mark_stored(span),
                None => {
                    let is_virtual = |cell: &Cell<Abs>| cell.value.is_virtual();
                    cells.polled &= !cells.get(span).is_some_and(is_virtual);
                    cells.forget(span);
                }
            }
        }
    }
}

/// The cells that memory does not have here, but at the end of a round. Not those of boxes, which
/// may not have been made.
fn unsettled<'a>(here: &'a Cells<Abs>, ended: &'a Cells<Abs>) -> impl Iterator<Item = Span> + 'a {
    let is_of_box = |cell: &Cell<Abs>| cell.value.is_of_box();
    let is_unsettled = move |cell: &&Cell<Abs>| {
        let end = ended.get(cell.span);
        let is_stored = end.is_none_or(|end| end.memory == Memory::Same && !is_of_box(end));
        cell.memory == Memory::Stale && is_stored && !is_of_box(cell)
    };
    here.iter().filter(is_unsettled).map(|cell| cell.span)
}
