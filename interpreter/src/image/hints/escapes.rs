//! Which functions only calls call of which the analysis knows, and what follows from it: what they
//! are given, and what they return.
//!
//! A function *escapes* where its closure gets out of sight: where something unknown is called with
//! it, where it is stored in a block that is not followed, where it may be one of several. From
//! then on, anything may call it with anything. A closure in a variable of another closure does not
//! escape, as only that function reads it.
//!
//! A parameter, a result or what is loaded, if it is always the box of a number, is *kept* where
//! somebody may look at the box, not at the number: where it is stored, captured, compared by its
//! address, or handed to who does so. Such a box stays one. So a weak pointer to it lives as long
//! as it does, and what is marshaled shares it.

use super::made::Made;
use super::pending::Dependency;
use super::state::{Known, Lost, Origin, Seen};
use super::{Boxed, Program};
use rustc_hash::{FxHashMap, FxHashSet};

impl Program<'_> {
    /// Something unknown may get hold of this. What follows from it is left to
    /// [`Self::follow_lost`].
    pub(super) fn lose(&mut self, seen: Seen) {
        self.kept.extend(seen.origin());
        self.lost.extend(seen.made());
    }

    /// The same of what a pass has lost sight of.
    pub(super) fn lose_all(&mut self, lost: &mut Lost) {
        lost.seen.drain(..).for_each(|seen| self.lose(seen));
        for [one, other] in lost.joined.drain(..) {
            self.flow(one, other);
            self.flow(other, one);
        }
        self.follow_lost();
    }

    /// Loses what the things that are lost give access to.
    pub(super) fn follow_lost(&mut self) {
        while let Some(made) = self.lost.pop() {
            match made {
                Made::Closure(function) => {
                    let function = function as usize;
                    if self.escaped.insert(function) {
                        self.give_anything(function);
                        self.lost.extend(self.results[function].seen.made());
                    }
                }
                // Its function was lost when it was applied.
                Made::Partial(..) => {}
                Made::Block(site) => {
                    let site = site as usize;
                    if self.lost_blocks.insert(site) {
                        // Its fields are no more than guesses from now on.
                        self.pending.change(Dependency::Block(site));
                        let fields = self.blocks.get(site).into_iter().flatten();
                        self.lost.extend(fields.flat_map(|field| field.seen.made()));
                    }
                }
            }
        }
    }

    fn give_anything(&mut self, function: usize) {
        for index in 0..self.parameters[function].len() {
            let known = self.parameters[function][index];
            self.parameters[function][index] =
                self.note(Dependency::Function(function), known, Known::ANYTHING);
        }
    }

    /// What `from` is goes where `to` is: it is kept if that is.
    pub(super) fn flow(&mut self, from: Origin, to: Origin) {
        self.flows.entry(to).or_default().insert(from);
    }

    /// The origins that are kept, and those that are no numbers.
    pub(super) fn all_kept(&self) -> FxHashSet<Origin> {
        let mut kept = FxHashSet::default();
        let others = self.flows.keys().filter(|to| self.kind_of(**to).is_none());
        let mut left: Vec<Origin> = self.kept.iter().chain(others).copied().collect();
        while let Some(origin) = left.pop() {
            if kept.insert(origin) {
                left.extend(self.flows.get(&origin).into_iter().flatten());
            }
        }
        kept
    }

    /// The kind of numbers that what is from there always is a box of.
    fn kind_of(&self, origin: Origin) -> Option<u32> {
        let known = match origin {
            Origin::Made => return None,
            Origin::Parameter(function, index) => self.parameters[function][index],
            Origin::Result(function) => self.results[function],
            Origin::Loaded(at) => self
                .loads
                .get(at)
                .copied()
                .map_or(Known::ANYTHING, Known::certain),
        };
        match known {
            Known {
                seen: Seen::Number(kind, _),
                certain: true,
            } => Some(kind),
            _ => None,
        }
    }

    /// By entry, what is always a box of a number that is not kept, if anything is.
    pub(super) fn boxed(&self, kept: &FxHashSet<Origin>) -> FxHashMap<usize, Boxed> {
        let kind = |origin| self.kind_of(origin).filter(|_| !kept.contains(&origin));
        let found = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(function, entry)| {
                let parameters = 0..self.parameters[function].len();
                let boxed = Boxed {
                    parameters: parameters
                        .map(|index| kind(Origin::Parameter(function, index)))
                        .collect(),
                    result: kind(Origin::Result(function)),
                };
                let is_any = boxed.result.is_some() || boxed.parameters.iter().any(Option::is_some);
                is_any.then_some((entry.position, boxed))
            });
        found.collect()
    }
}
