//! Memory regions: which stores may change what a load gave, and what the rounds of a loop leave
//! alone.
//!
//! An interpreter says within which region an address lies (`address.within`). Accesses to two
//! regions never meet, nor does one to a region and one at an address that is constant in the
//! interpreter's code. Of one that specialization made constant nothing is known: the evaluator
//! says so of those that it found, and those that passes find are none of [`MemoryUse::literals`].
//! Cells are a region of their own: other code accesses them in calls only.

use crate::allocator::Allocator;
use crate::dominators::{Dominators, Order};
use crate::hash::FastSet;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Value};
use crate::ir::{Callee, Func};
use crate::op::intrinsic::CELLS_REGION;
use crate::op::{Const, Effect, Intrinsic, Op};

/// What passes know of how an interpreter uses memory.
pub struct MemoryUse<'a> {
    pub allocator: Option<&'a Allocator>,
    /// Where accesses go that do so by a constant in the interpreter's code.
    literals: FastSet<u32>,
}

impl<'a> MemoryUse<'a> {
    /// That of a function as the evaluator wrote it: an address that is constant there and within
    /// nothing is so in the interpreter's code.
    pub fn new(function: &Function, allocator: Option<&'a Allocator>) -> Self {
        let mut constants = Map::filled_like(&function.types, None);
        let mut literals = FastSet::default();
        literals.extend(
            allocator
                .iter()
                .flat_map(|found| [found.pointer, found.floor]),
        );
        let insts = function.blocks.values().flat_map(|block| &block.insts);
        for inst in insts.clone() {
            if let (Op::Const(Const::I32(number)), Some(result)) = (inst.op, inst.result) {
                constants[result] = Some(number as u32);
            }
        }
        for inst in insts {
            if let Op::Load { offset, .. } | Op::Store { offset, .. } = inst.op {
                let base: Option<u32> = constants[inst.args[0]];
                literals.extend(base.map(|base| base.wrapping_add(offset)));
            }
        }
        Self {
            allocator,
            literals,
        }
    }
}

/// A memory region, 1 to [`CELLS_REGION`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region(u32);

impl Region {
    fn new(number: u32) -> Option<Self> {
        (1..=CELLS_REGION).contains(&number).then_some(Self(number))
    }
}

/// Where an access goes, as far as regions tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    Region(Region),
    /// At an address that is constant in the interpreter's code.
    Constant,
    Unknown,
}

impl Area {
    /// Whether accesses to both never meet.
    pub fn is_apart(self, other: Self) -> bool {
        match (self, other) {
            (Area::Region(one), Area::Region(another)) => one != another,
            (Area::Region(_), Area::Constant) | (Area::Constant, Area::Region(_)) => true,
            (Area::Constant, Area::Constant) | (Area::Unknown, _) | (_, Area::Unknown) => false,
        }
    }
}

/// By address, where it is.
pub struct Areas<'a> {
    regions: Map<Value, Option<Region>>,
    constants: Map<Value, Option<u32>>,
    literals: &'a FastSet<u32>,
    /// The function that takes memory for blocks, which writes within no region.
    allocate: Option<Func>,
}

impl<'a> Areas<'a> {
    /// Those of all values of a function whose definitions come before their uses in `order`.
    pub fn new(function: &Function, order: &Order, memory: &'a MemoryUse) -> Self {
        let mut regions = Map::filled_like(&function.types, None);
        let mut constants = Map::filled_like(&function.types, None);
        let blocks = order.blocks.iter();
        for inst in blocks.flat_map(|&block| &function.blocks[block].insts) {
            let Some(result) = inst.result else { continue };
            match inst.op {
                Op::Const(Const::I32(number)) => {
                    constants[result] = Some(number as u32);
                }
                // A distance between addresses is no address.
                Op::I32Sub if constants[inst.args[1]].is_none() => {}
                Op::I32Add | Op::I32Sub => {
                    regions[result] = regions[inst.args[0]].or(regions[inst.args[1]]);
                }
                Op::Intrinsic(Intrinsic::AddressWithin) => {
                    let region = constants[inst.args[1]].and_then(Region::new);
                    regions[result] = region.or(regions[inst.args[0]]);
                }
                _ => {}
            }
        }
        Self {
            regions,
            constants,
            literals: &memory.literals,
            allocate: memory.allocator.map(|allocator| allocator.allocate),
        }
    }

    /// Where an access at this distance from an address goes.
    pub fn of(&self, address: Value, offset: u32) -> Area {
        if let Some(&Some(region)) = self.regions.get(address) {
            return Area::Region(region);
        }
        let base = self.constants.get(address).copied().flatten();
        match base.is_some_and(|base| self.literals.contains(&base.wrapping_add(offset))) {
            true => Area::Constant,
            false => Area::Unknown,
        }
    }
}

/// A set of regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written(u32);

impl Written {
    const NOTHING: Self = Self(0);
    const EVERYTHING: Self = Self(u32::MAX);

    fn in_blocks(function: &Function, blocks: &[Block], areas: &Areas) -> Self {
        let insts = blocks
            .iter()
            .flat_map(|&block| &function.blocks[block].insts);
        Self(insts.fold(0, |all, inst| all | Self::by(inst, areas).0))
    }

    /// Whether what is in `area` is certainly not in the set.
    pub fn leaves(self, area: Area) -> bool {
        match area {
            Area::Region(Region(number)) => self.0 >> number & 1 == 0,
            // A word of the interpreter's own, such as the one that a poll looks at, a host may
            // write from one round to the next.
            Area::Constant | Area::Unknown => false,
        }
    }

    /// By an instruction.
    pub fn by(inst: &Inst, areas: &Areas) -> Self {
        match (inst.op, inst.op.effect()) {
            (Op::Store { offset, .. }, _) => match areas.of(inst.args[0], offset) {
                Area::Region(Region(number)) => Self(1 << number),
                Area::Constant => Self::NOTHING,
                Area::Unknown => Self::EVERYTHING,
            },
            (Op::Call(Callee::Direct(called)), _) if Some(called) == areas.allocate => {
                Self::NOTHING
            }
            (_, Effect::Writes | Effect::Calls) => Self::EVERYTHING,
            (
                _,
                Effect::Pure
                | Effect::Traps
                | Effect::Reads
                | Effect::ReadsGlobal
                | Effect::WritesGlobal,
            ) => Self::NOTHING,
        }
    }
}

/// What loops write, by the block that they begin with.
pub struct WrittenInLoops(Map<Block, Option<Written>>);

impl WrittenInLoops {
    /// How many blocks are looked at, as a multiple of those that there are: loops in loops are
    /// looked at again.
    const MOST_LOOKS: usize = 8;

    pub fn new(function: &Function, order: &Order, dominators: &Dominators, areas: &Areas) -> Self {
        let mut looks = Self::MOST_LOOKS * order.blocks.len();
        let mut loops = Map::filled_like(&function.blocks, None);
        for &head in order
            .blocks
            .iter()
            .filter(|&&block| order.begins_loop(block))
        {
            let blocks = order.blocks_of_loop(dominators, head, looks);
            loops[head] = Some(match blocks {
                Some(blocks) => {
                    looks = looks.saturating_sub(blocks.len());
                    Written::in_blocks(function, &blocks, areas)
                }
                None => Written::EVERYTHING,
            });
        }
        Self(loops)
    }

    /// Whether no round of the loop that begins at `head` changes what is in `area`.
    pub fn leaves(&self, head: Block, area: Area) -> bool {
        self.0[head].is_some_and(|written| written.leaves(area))
    }
}
