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
use super::state::{Known, Origin, Seen};
use super::{Boxed, Given, Program};
use crate::code::decode::Instruction;
use crate::code::effect;
use rustc_hash::{FxHashMap, FxHashSet};

impl Program<'_> {
    /// Something unknown may get hold of this.
    pub(super) fn lose(&mut self, seen: Seen) {
        self.kept.extend(seen.origin());
        let mut left = Vec::new();
        for &made in seen.made() {
            self.lose_made(made, &mut left);
        }
        while let Some(made) = left.pop() {
            self.lose_made(made, &mut left);
        }
    }

    /// The same of one thing; what this gives access to is left to do.
    fn lose_made(&mut self, made: Made, left: &mut Vec<Made>) {
        match made {
            Made::Closure(function) => {
                let function = function as usize;
                if self.escaped.insert(function) {
                    self.give_anything(function);
                    left.extend(self.results[function].seen.made());
                }
            }
            // Its function was lost when it was applied.
            Made::Partial(..) => {}
            Made::Block(site) => {
                if self.lost_blocks.insert(site as usize) {
                    // Its fields are no more than guesses from now on.
                    self.pending.change(Dependency::Block(site as usize));
                    let fields = self.blocks.get(site as usize).into_iter().flatten();
                    left.extend(fields.flat_map(|field| field.seen.made()));
                }
            }
        }
    }

    fn give_anything(&mut self, function: usize) {
        for index in 0..self.parameters[function].len() {
            let mut known = self.parameters[function][index];
            self.note(Dependency::Function(function), &mut known, Known::ANYTHING);
            self.parameters[function][index] = known;
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

    /// What a primitive returns.
    pub(super) fn given_by(&self, call: &Instruction) -> Known {
        let primitive = effect::primitive(call);
        match primitive.and_then(|(index, _)| self.facts.given_by(index)) {
            Some(Given::Integer(integer)) => Known::certain(Seen::Integer(integer)),
            Some(Given::Number(kind)) => number(Some(kind)),
            None => number(None),
        }
    }

    /// What is in a global that the code does not set.
    pub(super) fn constant(&self, global: i32) -> Known {
        let global = usize::try_from(global).ok();
        number(global.and_then(|global| self.facts.constant(global)))
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

fn number(kind: Option<u32>) -> Known {
    kind.map_or(Known::ANYTHING, |kind| {
        Known::certain(Seen::Number(kind, Origin::Made))
    })
}
