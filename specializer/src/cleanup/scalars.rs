//! Scalar replacement: a block of memory whose address nobody else sees is not made; its fields are
//! values.
//!
//! Such a block is used to store to its fields and to load them, and each load gives what was
//! stored before it. Where only some ways lead to a use that hands the address on (to a call, to
//! memory, to a join), the block is made on these: its allocation and its stores move down to where
//! they are needed. So a pair that is taken apart at once is never made, and one that a slow path
//! has to leave on the stack is made on that path.
//!
//! Invariants: a block is made once at most, so its address stays the same. It is made before
//! anybody sees it, and where its address was used before, so no collection comes in between.
//!
//! Leaves out blocks of which a field is stored on one of several ways to a load of it.

mod apply;
mod find;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use self::find::{Field, Fields, Finder, Fresh, Point};
use super::regions::MemoryUse;
use crate::dominators::{Dominators, Order};
use crate::ir::residual::{Block, Function};

/// How often blocks are looked for: those within others are found once these are gone.
const ROUNDS: usize = 4;

/// In how many places a block may be made.
const MOST_PLACES: usize = 4;

/// How many blocks of code are looked at to find ways, as a multiple of those that there are.
const MOST_LOOKS: usize = 8;

pub fn run(function: &mut Function, memory: &MemoryUse) {
    let Some(allocator) = memory.allocator else {
        return;
    };
    for _ in 0..ROUNDS {
        if !find::allocates(function, allocator) {
            return;
        }
        let order = Order::new(function);
        let found = Finder::new(function, allocator).run(&order);
        if found.is_empty() {
            return;
        }
        let dominators = Dominators::new(function, &order);
        let mut decisions = Decisions {
            function,
            order: &order,
            dominators: &dominators,
            looks: MOST_LOOKS * order.blocks.len(),
        };
        let unmade = decisions.all(found);
        if unmade.is_empty() {
            return;
        }
        apply::run(function, unmade);
    }
}

/// A block that is not made where it was.
struct Unmade {
    fresh: Fresh,
    /// What each load gives, in order.
    loaded: Vec<Field>,
    /// Where it is made.
    places: Vec<Place>,
    /// By use that hands its address on: the number of the place that makes it.
    made_at: Vec<usize>,
}

/// Where a block is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Before(Point),
    /// On the way to the target of this number.
    Edge(Block, usize),
}

impl Place {
    fn block(self) -> Block {
        match self {
            Place::Before(point) => point.block,
            Place::Edge(block, _) => block,
        }
    }
}

struct Decisions<'f> {
    function: &'f Function,
    order: &'f Order,
    dominators: &'f Dominators,
    /// How many more blocks of code may be looked at.
    looks: usize,
}

impl Decisions<'_> {
    /// Those of the blocks that need not be made where they are. What one of them holds is left for
    /// the next round.
    fn all(&mut self, found: Vec<Fresh>) -> Vec<Unmade> {
        let [mut is_chosen, mut is_held] = [(); 2].map(|()| vec![false; found.len()]);
        let mut chosen = Vec::new();
        // Blocks that hold others mostly come after them.
        for (number, fresh) in found.into_iter().enumerate().rev() {
            let holds_chosen = fresh.holds.iter().any(|&held| is_chosen[held]);
            if is_held[number] || holds_chosen {
                continue;
            }
            if let Some(unmade) = self.one(fresh) {
                is_chosen[number] = true;
                unmade
                    .fresh
                    .holds
                    .iter()
                    .for_each(|&held| is_held[held] = true);
                chosen.push(unmade);
            }
        }
        chosen
    }

    fn one(&mut self, fresh: Fresh) -> Option<Unmade> {
        let fields = Fields::of(&fresh);
        let loaded = fresh.loads.iter();
        let loaded =
            loaded.map(|load| fields.given_by(load, |one, other| self.is_before(one, other)));
        let loaded = loaded.collect::<Option<Vec<_>>>()?;
        let (places, made_at) = self.places(&fresh)?;
        Some(Unmade {
            fresh,
            loaded,
            places,
            made_at,
        })
    }

    /// Whether each way to `other` leads through `one`.
    fn is_before(&self, one: Point, other: Point) -> bool {
        match one.block == other.block {
            true => one.index < other.index,
            false => self.dominators.dominates(one.block, other.block),
        }
    }

    /// Where a block is made in place of where it is, and for each use that hands it on, where;
    /// nothing if it is better made where it is.
    fn places(&mut self, fresh: &Fresh) -> Option<(Vec<Place>, Vec<usize>)> {
        let (mut places, mut made_at) = (Vec::new(), Vec::new());
        // The first use for which each place is: what is before that is before the others.
        let mut firsts = Vec::new();
        for &escape in &fresh.escapes {
            let known = places.iter().position(|place| match *place {
                Place::Before(point) => point == escape || self.is_before(point, escape),
                Place::Edge(..) => false,
            });
            made_at.push(known.unwrap_or(places.len()));
            if known.is_none() {
                places.push(self.place(fresh, escape));
                firsts.push(escape);
            }
            if places.len() > MOST_PLACES {
                return None;
            }
        }
        if places.is_empty() {
            return Some((places, made_at));
        }
        let is_stored = fresh.stores.iter().all(|store| {
            let mut firsts = firsts.iter();
            firsts.all(|&escape| self.is_before(store.at, escape))
        });
        let is_good = is_stored && self.avoids(fresh, &places) && self.makes_once(fresh, &places);
        is_good.then_some((places, made_at))
    }

    /// Where the block is made for a use: on an edge, if it is only an argument there.
    fn place(&self, fresh: &Fresh, escape: Point) -> Place {
        let data = &self.function.blocks[escape.block];
        if escape.index < data.insts.len() {
            return Place::Before(escape);
        }
        let is_part = |value| fresh.part(value).is_some();
        let targets: Vec<_> = data.term.targets().collect();
        let taking = (0..targets.len()).filter(|&number| {
            let mut args = targets[number].args.iter();
            args.any(|&arg| is_part(arg))
        });
        let taking: Vec<usize> = taking.collect();
        let mut own = data.term.own_operands().iter();
        match taking[..] {
            [number] if targets.len() > 1 && !own.any(|&value| is_part(value)) => {
                Place::Edge(escape.block, number)
            }
            _ => Place::Before(escape),
        }
    }

    /// Whether some way from the allocation to an end, or to itself, makes the block nowhere.
    fn avoids(&mut self, fresh: &Fresh, places: &[Place]) -> bool {
        let start = fresh.at.block;
        let (mut stack, mut seen) = (vec![start], HashSet::new());
        while let Some(block) = stack.pop() {
            let makes = |place: &Place| matches!(place, Place::Before(at) if at.block == block);
            if places.iter().any(makes) || !seen.insert(block) || !self.may_look() {
                continue;
            }
            let nexts = self.order.succs.of(block);
            if nexts.is_empty() {
                return true;
            }
            for (number, &next) in nexts.iter().enumerate() {
                if places.contains(&Place::Edge(block, number)) {
                    continue;
                }
                if next == start {
                    return true;
                }
                stack.push(next);
            }
        }
        false
    }

    /// Whether no way leads from one of the places to one of them, or to a load, but through the
    /// allocation. What is loaded there, others may have written.
    fn makes_once(&mut self, fresh: &Fresh, places: &[Place]) -> bool {
        let mut last: HashMap<Block, usize> = HashMap::new();
        for Point { block, index } in fresh.loads.iter().map(|load| load.at) {
            let last = last.entry(block).or_default();
            *last = index.max(*last);
        }
        let loads = |block: Block, from: usize| last.get(&block).is_some_and(|&last| last >= from);
        places.iter().all(|place| {
            if matches!(place, Place::Before(at) if loads(at.block, at.index)) {
                return false;
            }
            let nexts = self.order.succs.of(place.block());
            let mut stack = match *place {
                Place::Before(_) => nexts.to_vec(),
                Place::Edge(_, number) => vec![nexts[number]],
            };
            let mut seen = HashSet::new();
            while let Some(block) = stack.pop() {
                if block == fresh.at.block || !seen.insert(block) {
                    continue;
                }
                let makes = places.iter().any(|other| other.block() == block);
                if !self.may_look() || makes || loads(block, 0) {
                    return false;
                }
                stack.extend(self.order.succs.of(block));
            }
            true
        })
    }

    fn may_look(&mut self) -> bool {
        let may = self.looks > 0;
        self.looks = self.looks.saturating_sub(1);
        may
    }
}
