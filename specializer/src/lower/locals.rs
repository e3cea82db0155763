//! Gives values that stack code keeps in locals a local each, shared where lifetimes do not meet.
//!
//! A lifetime is an interval of positions in emission order, found without dataflow analysis: from
//! a value's first write to its last read, and where a read is in a loop that the definition is not
//! in, to that loop's end. That is exact enough because the order keeps loops contiguous and
//! forward edges forward ([`super::structure`]). Intervals are then coloured by linear scan
//! (Poletto and Sarkar, 1999).
//!
//! Leaves out holes in lifetimes and coalescing: engines build SSA again and do not see copies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::loops::{LoopId, Loops};
use super::stackify::{Code, Item};
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{Type, residual::Function, residual::Value};

/// Which local each value is in.
#[derive(Debug)]
pub struct Locals {
    /// Meaningless for values that need none.
    of: Map<Value, u32>,
    /// Number of declared locals of each type, in the order of their indices.
    pub declared: [(u32, Type); 4],
}

impl Locals {
    pub fn of(&self, value: Value) -> u32 {
        self.of[value]
    }

    /// Moves a value to the local of another: for deliberate faults.
    pub fn share(&mut self, value: Value, with: Value) {
        self.of[value] = self.of[with];
    }
}

/// Assigns locals for `code`, whose blocks are emitted in the order of `blocks`.
pub fn run(function: &Function, code: &Code, blocks: &[Block], loops: &Loops) -> Locals {
    let intervals = Lifetimes::new(function, code, blocks, loops).run(code, blocks);
    Scan::new(function).run(function, intervals)
}

/// From the first write to the end of the last read's reach.
#[derive(Clone, Copy)]
struct Interval {
    start: u32,
    end: u32,
}

const NEVER: Interval = Interval {
    start: u32::MAX,
    end: 0,
};

struct Lifetimes<'f> {
    loops: &'f Loops,
    /// The block that defines a value.
    home: Map<Value, Block>,
    /// By loop: the position after its last block.
    loop_end: Map<LoopId, u32>,
    intervals: Map<Value, Interval>,
}

impl<'f> Lifetimes<'f> {
    fn new(function: &Function, code: &Code, blocks: &[Block], loops: &'f Loops) -> Self {
        let mut home = Map::filled_like(&function.types, Block::ENTRY);
        let mut loop_end = Map::filled(0, loops.all.len());
        let mut intervals = Map::filled_like(&function.types, NEVER);
        let mut position = 0;
        for &block in blocks {
            let data = &function.blocks[block];
            for param in &data.params {
                // Even one that is never read must not be given the local of its neighbour.
                intervals[*param].end = position;
            }
            data.defined().for_each(|value| home[value] = block);
            position += code.block(block).len() as u32;
            let mut current = loops.of[block];
            while let Some(id) = current {
                loop_end[id] = position;
                current = loops.all[id].parent;
            }
        }
        for param in &function.blocks[Block::ENTRY].params {
            intervals[*param].start = 0;
        }
        Self {
            loops,
            home,
            loop_end,
            intervals,
        }
    }

    fn run(mut self, code: &Code, blocks: &[Block]) -> Map<Value, Interval> {
        let mut position = 0;
        for &block in blocks {
            for item in code.block(block) {
                match *item {
                    Item::Get(value) | Item::CopyGet(value, _) => self.read(value, block, position),
                    Item::Set(value) | Item::Tee(value) => self.write(value, position),
                    Item::CopySet(from, value) => {
                        // If both get one local, the copy is left out: until here nobody else may
                        // write to it.
                        let from = &mut self.intervals[from];
                        from.end = from.end.max(position - 1);
                        self.write(value, position);
                    }
                    Item::Op(..) | Item::Drop => {}
                }
                position += 1;
            }
        }
        self.intervals
    }

    fn write(&mut self, value: Value, position: u32) {
        let interval = &mut self.intervals[value];
        interval.start = interval.start.min(position);
        interval.end = interval.end.max(position);
    }

    fn read(&mut self, value: Value, block: Block, position: u32) {
        let end = match self.loops.left(block, self.home[value]) {
            Some(id) => self.loop_end[id],
            None => position,
        };
        let interval = &mut self.intervals[value];
        interval.end = interval.end.max(end);
    }
}

/// The linear scan. Locals are first numbered within their type; the function's parameters come
/// with a number and are reused like the rest.
struct Scan {
    /// By type: locals in use by the position at which they become free.
    busy: [BinaryHeap<Reverse<(u32, Slot)>>; 4],
    free: [Vec<Slot>; 4],
    declared: [u32; 4],
}

/// A local, before those of each type are put together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Param(u32),
    Declared(u32),
}

const TYPES: [Type; 4] = [Type::I64, Type::I32, Type::F64, Type::F32];

fn class(ty: Type) -> usize {
    match ty {
        Type::I64 => 0,
        Type::I32 => 1,
        Type::F64 => 2,
        Type::F32 => 3,
    }
}

impl Scan {
    fn new(function: &Function) -> Self {
        assert_eq!(
            function.signature.params.len(),
            function.blocks[Block::ENTRY].params.len(),
            "the entry's parameters are the function's"
        );
        Self {
            busy: Default::default(),
            free: Default::default(),
            declared: [0; 4],
        }
    }

    fn run(mut self, function: &Function, intervals: Map<Value, Interval>) -> Locals {
        let params = &function.blocks[Block::ENTRY].params;
        let mut slots = Map::filled_like(&intervals, Slot::Param(0));
        let mut is_param = Map::filled_like(&intervals, false);
        for (index, &param) in (0..).zip(params) {
            is_param[param] = true;
            slots[param] = Slot::Param(index);
            let end = intervals[param].end;
            self.busy[class(function.types[param])].push(Reverse((end, Slot::Param(index))));
        }
        let mut queue: Vec<(u32, Value)> = (intervals.iter())
            .filter(|&(value, interval)| interval.start != u32::MAX && !is_param[value])
            .map(|(value, interval)| (interval.start, value))
            .collect();
        queue.sort_unstable();
        for (start, value) in queue {
            let class = class(function.types[value]);
            slots[value] = self.take(class, start, intervals[value].end);
        }
        self.finish(function, slots)
    }

    fn take(&mut self, class: usize, start: u32, end: u32) -> Slot {
        while let Some(&Reverse((until, slot))) = self.busy[class].peek() {
            if until >= start {
                break;
            }
            self.busy[class].pop();
            self.free[class].push(slot);
        }
        let slot = self.free[class].pop().unwrap_or_else(|| {
            self.declared[class] += 1;
            Slot::Declared(self.declared[class] - 1)
        });
        self.busy[class].push(Reverse((end, slot)));
        slot
    }

    fn finish(self, function: &Function, slots: Map<Value, Slot>) -> Locals {
        let mut base = [0; 4];
        let mut next = function.signature.params.len() as u32;
        for (start, count) in base.iter_mut().zip(self.declared) {
            *start = next;
            next += count;
        }
        let of = (slots.into_values().zip(function.types.values()))
            .map(|(slot, &ty)| match slot {
                Slot::Param(index) => index,
                Slot::Declared(index) => base[class(ty)] + index,
            })
            .collect();
        Locals {
            of,
            declared: std::array::from_fn(|class| (self.declared[class], TYPES[class])),
        }
    }
}
