//! Which functions only calls call of which the analysis knows, and what follows from it: what they
//! are given, and what they return.
//!
//! A function *escapes* where a closure or a partial application of it gets out of sight: where
//! something unknown is called with it, where it is stored in a block that is not followed, where
//! it may be one of too many. From then on, anything may call it with anything. A closure in a
//! variable of another closure does not escape, as only that function reads it.

use super::boxes::Followed;
use super::made::Made;
use super::pending::Dependency;
use super::state::{Known, Lost, Origin, Seen};
use super::{Boxed, Program};
use rustc_hash::FxHashMap;

impl Program<'_> {
    /// Something unknown may get hold of this. What follows from it is left to
    /// [`Self::follow_lost`].
    pub(super) fn lose(&mut self, seen: Seen) {
        self.boxes.store(seen);
        self.lost.extend(seen.made());
    }

    /// The same of what a pass has lost sight of.
    pub(super) fn lose_all(&mut self, lost: &mut Lost) {
        lost.seen.drain(..).for_each(|seen| self.lose(seen));
        for [one, other] in lost.joined.drain(..) {
            self.boxes.flow(one, other);
            self.boxes.flow(other, one);
        }
        self.follow_lost();
    }

    /// Loses what the things that are lost give access to.
    pub(super) fn follow_lost(&mut self) {
        while let Some(made) = self.lost.pop() {
            match made {
                Made::Closure(function) | Made::Partial(function, _) => {
                    let function = function as usize;
                    if self.escaped.insert(function) {
                        self.give_anything(function);
                        self.lost.extend(self.results[function].seen.made());
                    }
                }
                Made::Block(site) => {
                    let site = site as usize;
                    let block = self.blocks.get_mut(site).expect("it was made there");
                    if !std::mem::replace(&mut block.is_lost, true) {
                        // Its fields are no more than guesses from now on.
                        self.pending.change(Dependency::Block(site));
                        let fields = block.fields.iter();
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

    /// What becomes of the boxes of numbers.
    pub(super) fn follow_boxes(&self) -> Followed {
        self.boxes.follow(|origin| self.kind_of(origin).is_some())
    }

    /// By entry, what is always a box of a number and may be passed without it, if anything is.
    pub(super) fn boxed(&self, followed: &Followed) -> FxHashMap<usize, Boxed> {
        let boxed = (0..self.entries.len()).filter_map(|function| {
            let boxed = self.boxed_from(function, 0, followed);
            boxed
                .is_any()
                .then_some((self.entries[function].position, boxed))
        });
        boxed.collect()
    }

    /// The same of partial applications, all of which wait for that many arguments.
    pub(super) fn restarted(&self, followed: &Followed) -> FxHashMap<(usize, u32), Boxed> {
        let mut waits: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for &(function, missing) in &self.partial {
            waits.entry(function).or_default().push(missing);
        }
        let boxed = waits.into_iter().filter_map(|(function, missing)| {
            let entry = self.entries[function];
            let &[missing] = &missing[..] else {
                return None;
            };
            let held = entry.arity - missing;
            let boxed = self.boxed_from(function, held as usize, followed);
            let is_known = !self.escaped.contains(&function) && boxed.is_any();
            is_known.then_some(((entry.position, missing), boxed))
        });
        boxed.collect()
    }

    /// Of a function's parameters from `first` on, and of its result.
    fn boxed_from(&self, function: usize, first: usize, followed: &Followed) -> Boxed {
        let kind = |origin| {
            self.kind_of(origin)
                .filter(|_| followed.may_be_bare(origin))
        };
        let parameters = first..self.parameters[function].len();
        Boxed {
            parameters: parameters
                .map(|index| kind(Origin::Parameter(function, index)))
                .collect(),
            result: kind(Origin::Result(function)),
        }
    }
}
