//! Takes blocks apart: loads become values, stores go, and what makes the block moves.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::find::{Field, Fresh, Part, Point};
use super::{Place, Unmade};
use crate::cleanup::constants::Constants;
use crate::cleanup::rename::Renaming;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::ir::{Callee, Type};
use crate::op::{Const, Op};

pub fn run(function: &mut Function, unmade: Vec<Unmade>) {
    let mut writer = Writer {
        constants: Constants::of(function),
        renaming: Renaming::new(function),
        removed: HashSet::new(),
        changed: HashMap::new(),
        inserted: HashMap::new(),
        split: BTreeMap::new(),
        function,
    };
    for one in &unmade {
        writer.one(one);
    }
    writer.finish();
}

struct Writer<'f> {
    function: &'f mut Function,
    constants: Constants,
    renaming: Renaming,
    removed: HashSet<(Block, usize)>,
    /// Instructions in the place of others.
    changed: HashMap<(Block, usize), Inst>,
    /// Instructions before others.
    inserted: HashMap<(Block, usize), Vec<Inst>>,
    /// By the block that an edge leaves and its number there: the block that is on it now.
    split: BTreeMap<(Block, usize), Block>,
}

/// A block where it is made: what makes it, and its parts.
struct Made<'a> {
    fresh: &'a Fresh,
    insts: Vec<Inst>,
    address: Value,
    parts: Vec<(Part, Value)>,
}

impl Writer<'_> {
    fn one(&mut self, unmade: &Unmade) {
        let Unmade { fresh, .. } = unmade;
        let stored = fresh.stores.iter().map(|store| store.at);
        for at in fresh.computed_at.iter().copied().chain(stored) {
            self.removed.insert((at.block, at.index));
        }
        for &(value, constant) in &fresh.tests {
            let constant = self.constants.value(self.function, constant);
            self.renaming.replace(value, constant);
        }
        for (load, field) in fresh.loads.iter().zip(&unmade.loaded) {
            self.load(load.at, load.result, *field);
        }
        for (number, place) in unmade.places.iter().enumerate() {
            let mut made = self.make(fresh);
            let escapes = fresh.escapes.iter().zip(&unmade.made_at);
            for (&escape, _) in escapes.filter(|&(_, &made_at)| made_at == number) {
                self.hand_on(escape, &mut made);
            }
            self.insert(*place, made.insts);
        }
    }

    /// What a load gives takes its place.
    fn load(&mut self, at: Point, result: Value, field: Field) {
        match field {
            Field::Const(constant) => {
                let constant = self.constants.value(self.function, constant);
                self.renaming.replace(result, constant);
                self.removed.insert((at.block, at.index));
            }
            Field::Value(value) => {
                self.renaming.replace(result, value);
                self.removed.insert((at.block, at.index));
            }
            Field::Bits(op, value) => {
                let inst = Inst {
                    op,
                    args: Values::from_slice(&[value]),
                    result: Some(result),
                };
                self.changed.insert((at.block, at.index), inst);
            }
        }
    }

    /// Makes the block anew.
    fn make<'a>(&mut self, fresh: &'a Fresh) -> Made<'a> {
        let address = self.function.new_value(Type::I32);
        let mut made = Made {
            fresh,
            insts: vec![Inst {
                op: Op::Call(Callee::Direct(fresh.allocate)),
                args: Values::from_slice(&[fresh.bytes, fresh.header]),
                result: Some(address),
            }],
            address,
            parts: vec![(Part::Address(0), address)],
        };
        for store in &fresh.stores {
            let address = self.part(&mut made, Part::Address(store.displacement));
            made.insts.push(Inst {
                op: Op::Store {
                    kind: store.kind,
                    offset: 0,
                },
                args: Values::from_slice(&[address, store.value]),
                result: None,
            });
        }
        made
    }

    /// A part of a block that is made.
    fn part(&mut self, made: &mut Made, part: Part) -> Value {
        if let Some(&(_, value)) = made.parts.iter().find(|(known, _)| *known == part) {
            return value;
        }
        let (op, args, ty) = match part {
            Part::Address(displacement) => {
                let by = self
                    .constants
                    .value(self.function, Const::I32(displacement));
                (
                    Op::I32Add,
                    Values::from_slice(&[made.address, by]),
                    Type::I32,
                )
            }
            Part::Word => (
                Op::I64ExtendI32U,
                Values::from_slice(&[made.address]),
                Type::I64,
            ),
        };
        let result = self.function.new_value(ty);
        made.insts.push(Inst {
            op,
            args,
            result: Some(result),
        });
        made.parts.push((part, result));
        result
    }

    /// A use of the block that was becomes one of the block that is made.
    fn hand_on(&mut self, escape: Point, made: &mut Made) {
        let Point { block, index } = escape;
        if index == self.function.blocks[block].insts.len() {
            let split = self.split.range((block, 0)..=(block, usize::MAX));
            let ends: Vec<Block> = split.map(|(_, &between)| between).chain([block]).collect();
            for end in ends {
                let term = &mut self.function.blocks[end].term;
                let mut term = std::mem::replace(term, Terminator::Unreachable);
                term.for_each_operand_mut(|operand| self.operand(operand, made));
                self.function.blocks[end].term = term;
            }
        } else {
            let known = self.changed.remove(&(block, index));
            let mut inst =
                known.unwrap_or_else(|| self.function.blocks[block].insts[index].clone());
            for operand in &mut inst.args {
                self.operand(operand, made);
            }
            self.changed.insert((block, index), inst);
        }
    }

    fn operand(&mut self, operand: &mut Value, made: &mut Made) {
        if let Some(part) = made.fresh.part(*operand) {
            *operand = self.part(made, part);
        }
    }

    fn insert(&mut self, place: Place, insts: Vec<Inst>) {
        match place {
            Place::Before(Point { block, index }) => {
                let before = self.inserted.entry((block, index)).or_default();
                before.extend(insts);
            }
            Place::Edge(block, number) => {
                let between = self.between(block, number);
                self.function.blocks[between].insts.extend(insts);
            }
        }
    }

    /// The block on an edge.
    fn between(&mut self, block: Block, number: usize) -> Block {
        if let Some(&between) = self.split.get(&(block, number)) {
            return between;
        }
        let between = self.function.blocks.push(BlockData::empty());
        let targets = self.function.blocks[block].term.targets_mut();
        let target = targets.into_iter().nth(number).expect("the edge is there");
        let to = Target {
            block: between,
            args: Values::new(),
        };
        let onward = std::mem::replace(target, to);
        self.function.blocks[between].term = Terminator::Jump(onward);
        self.split.insert((block, number), between);
        between
    }

    fn finish(mut self) {
        let places = self.removed.iter().chain(self.changed.keys());
        let places = places.chain(self.inserted.keys());
        let touched: HashSet<Block> = places.map(|&(block, _)| block).collect();
        for block in touched {
            let insts = std::mem::take(&mut self.function.blocks[block].insts);
            let mut kept = Vec::with_capacity(insts.len());
            let end = insts.len();
            for (index, inst) in insts.into_iter().enumerate() {
                let at = (block, index);
                kept.extend(self.inserted.remove(&at).into_iter().flatten());
                match self.changed.remove(&at) {
                    Some(changed) => kept.push(changed),
                    None if self.removed.contains(&at) => {}
                    None => kept.push(inst),
                }
            }
            kept.extend(self.inserted.remove(&(block, end)).into_iter().flatten());
            self.function.blocks[block].insts = kept;
        }
        self.constants.place(self.function);
        self.renaming.apply(self.function);
    }
}
