//! Which functions only calls call of which the analysis knows, and what follows from it: what they
//! are given, and what they return.
//!
//! A function *escapes* where its closure gets out of sight: where something unknown is called with
//! it, where it is stored in a block that is not followed, where it may be one of several. From
//! then on, anything may call it with anything. A closure in a variable of another closure does not
//! escape, as only that function reads it.

use super::made::Made;
use super::pending::Place;
use super::state::{Known, Seen};
use super::{Boxed, Program};
use crate::code::decode::Instruction;
use crate::code::effect;
use std::collections::HashMap;

impl Program<'_> {
    /// Something unknown may get hold of this.
    pub(super) fn lose(&mut self, seen: Seen) {
        let mut left = seen.made().to_vec();
        while let Some(made) = left.pop() {
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
                        let fields = self.blocks.get(&(site as usize)).into_iter().flatten();
                        left.extend(fields.flat_map(|field| field.seen.made()));
                    }
                }
            }
        }
    }

    fn give_anything(&mut self, function: usize) {
        for index in 0..self.parameters[function].len() {
            let mut known = self.parameters[function][index];
            self.note(Place::Function(function), &mut known, Known::ANYTHING);
            self.parameters[function][index] = known;
        }
    }

    /// What a primitive returns.
    pub(super) fn given_by(&self, call: &Instruction) -> Known {
        let primitive = effect::primitive(call);
        let kind = primitive.and_then(|(index, _)| self.facts.given_by(index));
        number(kind)
    }

    /// What is in a global that the code does not set.
    pub(super) fn constant(&self, global: i32) -> Known {
        let global = usize::try_from(global).ok();
        number(global.and_then(|global| self.facts.constant(global)))
    }

    /// By entry, what is always a box of a number, if anything is.
    pub(super) fn boxed(&self) -> HashMap<usize, Boxed> {
        let kind = |known: &Known| match known {
            Known {
                seen: Seen::Number(kind),
                certain: true,
            } => Some(*kind),
            _ => None,
        };
        let functions = self.entries.iter().zip(&self.parameters);
        let functions = functions.zip(&self.results);
        let found = functions.filter_map(|((entry, parameters), result)| {
            let boxed = Boxed {
                parameters: parameters.iter().map(kind).collect(),
                result: kind(result),
            };
            let is_any = boxed.result.is_some() || boxed.parameters.iter().any(Option::is_some);
            is_any.then_some((entry.position, boxed))
        });
        found.collect()
    }
}

fn number(kind: Option<u32>) -> Known {
    kind.map_or(Known::ANYTHING, |kind| Known::certain(Seen::Number(kind)))
}
