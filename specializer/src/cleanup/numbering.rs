//! Value numbering: what was loaded, stored or decided before is not loaded or decided again.
//!
//! Values that are computed alike have the same number. A load goes if the same place was loaded
//! or stored on every path here and nothing has been written since that may overlap; a branch goes
//! if its condition was decided by a branch that dominates it. So the second access to an array
//! neither loads the array's length nor tests the index. Engines do less: Cranelift forgets at each
//! block of a loop what it knew of memory.
//!
//! Invariant: a value that replaces another one dominates it. Each block remembers [`MOST`] things
//! of a kind, the last ones, so that the cost is linear.
//!
//! At the beginning of a loop, what is known of memory is what was loaded from regions that the
//! loop does not write to ([`super::regions`]).
//!
//! A load from where a store was goes even if its own sum of address and offset would be beyond all
//! memory, where the store's address wrapped: a trap that the interpreter would have met is lost.
//!
//! Leaves out: computations that are repeated, which engines find as well.

#[cfg(test)]
mod tests;

use std::collections::hash_map::Entry;

use smallvec::SmallVec;

use super::compact::empty_unreached;
use super::regions::{Area, Areas, MemoryUse, Written, WrittenInLoops};
use super::rename::Renaming;
use crate::dominators::{Dominators, Order};
use crate::hash::FastMap;
use crate::index::{Map, index};
use crate::ir::residual::{Block, Function, Inst, Target, Terminator, Value};
use crate::op::{Const, Effect, Intrinsic, LoadKind, Op, Plain, StoreKind};

/// How many loads, and how many conditions, are remembered at a time.
const MOST: usize = 32;

/// A block with more predecessors begins with what its dominator knows of conditions alone.
const MOST_PREDECESSORS: usize = 8;

index!(/// Stands for all values that are computed alike.
    Number, "n");

pub fn run(function: &mut Function, memory: &MemoryUse) {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let areas = Areas::new(function, &order, memory);
    let mut pass = Pass {
        loops: WrittenInLoops::new(function, &order, &dominators, &areas),
        dominators,
        areas,
        numbers: Map::filled_like(&function.types, Number(0)),
        places: Map::default(),
        known: FastMap::default(),
        left: Map::filled_like(&function.blocks, Facts::default()),
        renaming: Renaming::new(function),
        has_decided: false,
        order: &order,
    };
    for &block in &order.blocks {
        pass.block(function, block);
    }
    let has_decided = pass.has_decided;
    pass.renaming.apply(function);
    if has_decided {
        let order = Order::new(function);
        empty_unreached(function, &order);
    }
}

/// An operator applied to numbers.
type Expression = (Op, SmallVec<[Number; 2]>);

/// An address: the sum of a number, if it is not constant, and a constant, modulo 2³².
///
/// An access that does not trap is within the memory, so its address is that sum exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Address {
    base: Option<Number>,
    displacement: u32,
}

impl Address {
    fn of(number: Number) -> Self {
        Self {
            base: Some(number),
            displacement: 0,
        }
    }

    fn plus(self, distance: u32) -> Self {
        Self {
            displacement: self.displacement.wrapping_add(distance),
            ..self
        }
    }

    /// Whether `width` bytes here and `other_width` bytes there have none in common, for sure.
    fn is_apart(self, width: u32, other: Self, other_width: u32) -> bool {
        let up = self.displacement.wrapping_sub(other.displacement);
        self.base == other.base && up >= other_width && up.wrapping_neg() >= width
    }
}

/// What a load would give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Loaded {
    kind: LoadKind,
    address: Address,
    area: Area,
    value: Value,
}

/// What is known at some point.
#[derive(Clone, Default, Debug)]
struct Facts {
    loads: Vec<Loaded>,
    /// Whether the values with this number are not 0.
    decided: Vec<(Number, bool)>,
}

impl Facts {
    fn loads(&mut self, loaded: Loaded) {
        make_room(&mut self.loads);
        self.loads.push(loaded);
    }

    fn decide(&mut self, number: Number, truth: bool) {
        make_room(&mut self.decided);
        self.decided.push((number, truth));
    }
}

fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == MOST {
        list.remove(0);
    }
}

struct Pass<'o> {
    order: &'o Order,
    dominators: Dominators,
    areas: Areas<'o>,
    loops: WrittenInLoops,
    numbers: Map<Value, Number>,
    /// The address that values of each number are.
    places: Map<Number, Address>,
    known: FastMap<Expression, Number>,
    /// What is known where a block ends.
    left: Map<Block, Facts>,
    renaming: Renaming,
    has_decided: bool,
}

impl Pass<'_> {
    fn block(&mut self, function: &mut Function, block: Block) {
        let mut facts = self.entering(function, block);
        let data = &mut function.blocks[block];
        for &param in &data.params {
            self.numbers[param] = self.new_number();
        }
        data.insts.retain(|inst| self.keeps(inst, &mut facts));
        if let Some(taken) = self.decided(&data.term, &facts) {
            data.term = Terminator::Jump(taken);
            self.has_decided = true;
        }
        self.left[block] = facts;
    }

    /// What is known where a block begins.
    fn entering(&self, function: &Function, block: Block) -> Facts {
        let preds = self.order.preds.of(block);
        let Some((&first, others)) = preds.split_first() else {
            return Facts::default();
        };
        if others.is_empty() {
            return self.along(function, first, block);
        }
        let dominator = self.dominators.parent[block].expect("a block with predecessors has one");
        let is_forward = |pred: &Block| !self.order.retreats(*pred, block);
        let loads = match preds.iter().find(|&pred| is_forward(pred)) {
            Some(&first) if preds.len() <= MOST_PREDECESSORS => {
                let is_known = |load: &&Loaded| {
                    preds.iter().all(|pred| match is_forward(pred) {
                        true => self.left[*pred].loads.contains(load),
                        false => self.loops.leaves(block, load.area),
                    })
                };
                let loads = self.left[first].loads.iter();
                loads.filter(is_known).copied().collect()
            }
            _ => Vec::new(),
        };
        Facts {
            loads,
            decided: self.left[dominator].decided.clone(),
        }
    }

    /// What is known on the only edge to a block.
    fn along(&self, function: &Function, from: Block, to: Block) -> Facts {
        let mut facts = self.left[from].clone();
        if let Terminator::Branch { cond, then, .. } = &function.blocks[from].term {
            facts.decide(self.numbers[*cond], then.block == to);
        }
        facts
    }

    /// Numbers an instruction's result; whether the instruction stays.
    fn keeps(&mut self, inst: &Inst, facts: &mut Facts) -> bool {
        match inst.op {
            Op::Intrinsic(Intrinsic::AddressWithin) => {
                let result = inst.result.expect("an address");
                self.numbers[result] = self.numbers[inst.args[0]];
            }
            Op::Load { kind, offset } => {
                let address = self.address(inst.args[0], offset);
                let result = inst.result.expect("a load has a result");
                let mut loads = facts.loads.iter();
                let known = loads.find(|load| load.kind == kind && load.address == address);
                if let Some(&Loaded { value, .. }) = known {
                    self.numbers[result] = self.numbers[value];
                    self.renaming.replace(result, value);
                    return false;
                }
                self.numbers[result] = self.new_number();
                facts.loads(Loaded {
                    kind,
                    address,
                    area: self.areas.of(inst.args[0], offset),
                    value: result,
                });
            }
            Op::Store { kind, offset } => {
                let address = self.address(inst.args[0], offset);
                let area = self.areas.of(inst.args[0], offset);
                facts.loads.retain(|load| {
                    load.area.is_apart(area)
                        || load
                            .address
                            .is_apart(load.kind.width(), address, kind.width())
                });
                if let Some(kind) = reads_back(kind) {
                    let value = inst.args[1];
                    facts.loads(Loaded {
                        kind,
                        address,
                        area,
                        value,
                    });
                }
            }
            op => match op.effect() {
                Effect::Pure | Effect::Traps => self.number(inst),
                Effect::Reads | Effect::ReadsGlobal | Effect::WritesGlobal => {
                    self.number_anew(inst)
                }
                Effect::Writes | Effect::Calls => {
                    let written = Written::by(inst, &self.areas);
                    facts.loads.retain(|load| written.leaves(load.area));
                    self.number_anew(inst);
                }
            },
        }
        true
    }

    fn number(&mut self, inst: &Inst) {
        let args = inst.args.iter().map(|&arg| self.numbers[arg]).collect();
        let number = match self.known.entry((inst.op, args)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = self.places.next_key();
                let place = place(&self.places, new.key()).unwrap_or(Address::of(number));
                *new.insert(self.places.push(place))
            }
        };
        if let Some(result) = inst.result {
            self.numbers[result] = number;
        }
    }

    fn number_anew(&mut self, inst: &Inst) {
        if let Some(result) = inst.result {
            self.numbers[result] = self.new_number();
        }
    }

    /// The number of a value of which nothing is known.
    fn new_number(&mut self) -> Number {
        let number = self.places.next_key();
        self.places.push(Address::of(number))
    }

    fn address(&self, address: Value, offset: u32) -> Address {
        self.places[self.numbers[address]].plus(offset)
    }

    /// Where a branch leads, if that is decided.
    fn decided(&self, term: &Terminator, facts: &Facts) -> Option<Target> {
        let Terminator::Branch {
            cond,
            then,
            otherwise,
        } = term
        else {
            return None;
        };
        let number = self.numbers[*cond];
        let mut decided = facts.decided.iter();
        let &(_, truth) = decided.find(|(known, _)| *known == number)?;
        Some(if truth { then } else { otherwise }.clone())
    }
}

/// The address that an expression gives, if it is a constant, or the sum of another and one.
fn place(places: &Map<Number, Address>, (op, args): &Expression) -> Option<Address> {
    match op {
        Op::Const(Const::I32(constant)) => Some(Address {
            base: None,
            displacement: *constant as u32,
        }),
        Op::Plain(Plain::I32Add) => {
            let by = places[args[1]];
            let is_constant = by.base.is_none();
            is_constant.then(|| places[args[0]].plus(by.displacement))
        }
        _ => None,
    }
}

/// The load that gives what was stored, if there is one.
fn reads_back(kind: StoreKind) -> Option<LoadKind> {
    match kind {
        StoreKind::I32Store => Some(LoadKind::I32Load),
        StoreKind::I64Store => Some(LoadKind::I64Load),
        StoreKind::F32Store => Some(LoadKind::F32Load),
        StoreKind::F64Store => Some(LoadKind::F64Load),
        StoreKind::I32Store8
        | StoreKind::I32Store16
        | StoreKind::I64Store8
        | StoreKind::I64Store16
        | StoreKind::I64Store32 => None,
    }
}
