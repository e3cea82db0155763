//! Writes out what an allocation does while there is room, and takes the memory of several blocks
//! at once.
//!
//! A group of allocations has nothing but loads, stores and arithmetic between them, in blocks of
//! code that follow one another. It becomes one comparison. While there is room, the blocks get the
//! addresses that they would get one by one; else each calls.
//!
//! That is done as early as the same rule allows: what is computed afterwards need not be kept over
//! these calls.
//!
//! Leaves out allocations of a size that is not known: they stay calls.

#[cfg(test)]
pub mod tests;

use smallvec::SmallVec;

use super::constants::{self, ByValue, Constants, is_constant};
use super::regions::MemoryUse;
use crate::allocator::{Allocator, HEADER};
use crate::dominators::Order;
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::ir::{Callee, Type};
use crate::op::intrinsic::FRESH_REGION;
use crate::op::{Const, Effect, Intrinsic, LoadKind, Op, StoreKind};
use crate::optimisations::Optimisations;

/// Most bytes of a group, so that the rest of the memory is not left unused.
const MOST_BYTES: u32 = 256;

/// Whether several allocations may be one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Groups {
    Several,
    Single,
}

pub fn run(function: &mut Function, memory: &MemoryUse, optimisations: &Optimisations) {
    let Some(allocator) = memory.allocator else {
        return;
    };
    let groups = match optimisations.allocations {
        true => Groups::Several,
        false => Groups::Single,
    };
    let mut groups = Finder::new(function, allocator, groups).run();
    let mut is_member = Map::filled_like(&function.types, false);
    for group in &groups {
        for member in &group.members {
            is_member[member.result] = true;
        }
    }
    // From the back, so that indices of instructions stay right.
    groups.sort_by_key(|group| std::cmp::Reverse((group.block, group.index)));
    let mut writer = Writer {
        constants: Constants::of(function),
        function,
        allocator,
    };
    for group in groups {
        writer.group(group);
    }
    writer.constants.place(function);
    for block in function.blocks.values_mut() {
        block.insts.retain(|inst| {
            inst.result
                .is_none_or(|result| !is_member.get(result).copied().unwrap_or(false))
        });
    }
}

/// One allocation.
#[derive(Clone, Copy)]
struct Member {
    result: Value,
    bytes: u32,
    header: i64,
}

/// Allocations that are made at once, before the instruction with this index.
struct Group {
    block: Block,
    index: usize,
    members: SmallVec<[Member; 4]>,
}

impl Group {
    fn at(block: Block, index: usize) -> Self {
        Self {
            block,
            index,
            members: SmallVec::new(),
        }
    }

    fn bytes(&self) -> u32 {
        self.members.iter().map(|member| member.bytes).sum()
    }
}

struct Finder<'f> {
    function: &'f Function,
    allocator: &'f Allocator,
    limit: Groups,
    constants: ByValue,
    groups: Vec<Group>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function, allocator: &'f Allocator, limit: Groups) -> Self {
        Self {
            function,
            allocator,
            limit,
            constants: constants::by_value(function),
            groups: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Group> {
        let order = Order::new(self.function);
        for &block in &order.blocks {
            if !self.follows(&order, block) {
                self.chain(&order, block);
            }
        }
        self.groups
    }

    /// Whether a block comes after one other, always.
    fn follows(&self, order: &Order, block: Block) -> bool {
        let [before] = order.preds.of(block) else {
            return false;
        };
        matches!(self.function.blocks[*before].term, Terminator::Jump(_))
    }

    /// Finds the groups in `block` and those that follow it.
    fn chain(&mut self, order: &Order, mut block: Block) {
        // Constants come first.
        let insts = self.function.blocks[block].insts.iter();
        let constants = insts.take_while(|inst| is_constant(inst.op)).count();
        let mut group = Group::at(block, constants);
        loop {
            for (index, inst) in self.function.blocks[block].insts.iter().enumerate() {
                let Some(member) = self.member(inst) else {
                    if self.is_barrier(inst) {
                        self.close(&mut group, Group::at(block, index + 1));
                    }
                    continue;
                };
                let is_full = match self.limit {
                    Groups::Several => group.bytes().saturating_add(member.bytes) > MOST_BYTES,
                    Groups::Single => true,
                };
                if is_full {
                    self.close(&mut group, Group::at(block, index));
                }
                group.members.push(member);
            }
            match &self.function.blocks[block].term {
                Terminator::Jump(next) if self.follows(order, next.block) => block = next.block,
                _ => break,
            }
        }
        self.keep(group);
    }

    fn close(&mut self, group: &mut Group, next: Group) {
        let closed = std::mem::replace(group, next);
        self.keep(closed);
    }

    fn keep(&mut self, group: Group) {
        if !group.members.is_empty() {
            self.groups.push(group);
        }
    }

    /// Whether no allocation moves over an instruction: it is more than a load, a store or
    /// arithmetic.
    fn is_barrier(&self, inst: &Inst) -> bool {
        match (inst.op, inst.op.effect()) {
            (Op::Load { .. }, _) => false,
            (Op::Store { offset, .. }, _) => self.takes_memory(inst, offset),
            (_, Effect::Pure | Effect::Traps) => false,
            // Where there is no room, the call may set a global.
            (_, Effect::ReadsGlobal | Effect::WritesGlobal) => true,
            (_, Effect::Reads | Effect::Writes | Effect::Calls) => true,
        }
    }

    /// Whether a store moves the pointer or the floor, which only calls should.
    fn takes_memory(&self, inst: &Inst, offset: u32) -> bool {
        let Some(Const::I32(address)) = self.constants[inst.args[0]] else {
            return false;
        };
        let address = (address as u32).wrapping_add(offset);
        address == self.allocator.pointer || address == self.allocator.floor
    }

    fn member(&self, inst: &Inst) -> Option<Member> {
        if inst.op != Op::Call(Callee::Direct(self.allocator.allocate)) {
            return None;
        }
        match inst
            .args
            .iter()
            .map(|&arg| self.constants[arg])
            .collect::<SmallVec<[_; 2]>>()[..]
        {
            [Some(Const::I32(bytes)), Some(Const::I64(header))] => Some(Member {
                result: inst.result?,
                bytes: bytes as u32,
                header,
            }),
            _ => None,
        }
    }
}

struct Writer<'f> {
    constants: Constants,
    function: &'f mut Function,
    allocator: &'f Allocator,
}

impl Writer<'_> {
    /// Splits the block: the results become parameters of what follows.
    fn group(&mut self, group: Group) {
        let Group {
            block,
            index,
            members,
        } = &group;
        let results = members.iter().map(|member| member.result).collect();
        let after = self.function.split(*block, *index, results);
        let [room, call] = [(); 2].map(|()| self.function.blocks.push(BlockData::empty()));
        let pointer = self.constant(Const::I32(self.allocator.pointer as i32));
        let floor = self.constant(Const::I32(self.allocator.floor as i32));
        let [old, floor] = [pointer, floor].map(|word| {
            let kind = LoadKind::I32Load;
            self.value(*block, Op::Load { kind, offset: 0 }, &[word], Type::I32)
        });
        let start = self.below(*block, old, group.bytes());
        let is_full = self.value(*block, Op::I32LtU, &[start, floor], Type::I32);
        self.function.blocks[*block].term = Terminator::Branch {
            cond: is_full,
            then: Target::new(call, []),
            otherwise: Target::new(room, []),
        };
        let kind = StoreKind::I32Store;
        self.effect(room, Op::Store { kind, offset: 0 }, &[pointer, start]);
        let taken = self.take(room, old, start, members);
        self.function.blocks[room].term = Terminator::Jump(Target::new(after, taken));
        let called: SmallVec<[Value; 4]> = members
            .iter()
            .map(|member| self.call(call, member))
            .collect();
        self.function.blocks[call].term = Terminator::Jump(Target::new(after, called));
    }

    /// The addresses of the blocks from `old` down to `end`, their headers written.
    fn take(
        &mut self,
        block: Block,
        old: Value,
        end: Value,
        members: &[Member],
    ) -> SmallVec<[Value; 4]> {
        let mut bytes = 0;
        let take = |(number, member): (usize, &Member)| {
            bytes += member.bytes;
            let start = match number + 1 == members.len() {
                true => end,
                false => self.below(block, old, bytes),
            };
            let header = self.constant(Const::I64(member.header));
            let region = self.constant(Const::I32(FRESH_REGION as i32));
            let within = Op::Intrinsic(Intrinsic::AddressWithin);
            let start = self.value(block, within, &[start, region], Type::I32);
            let kind = StoreKind::I64Store;
            self.effect(block, Op::Store { kind, offset: 0 }, &[start, header]);
            self.below(block, old, bytes - HEADER)
        };
        members.iter().enumerate().map(take).collect()
    }

    fn call(&mut self, block: Block, member: &Member) -> Value {
        let bytes = self.constant(Const::I32(member.bytes as i32));
        let header = self.constant(Const::I64(member.header));
        let callee = Callee::Direct(self.allocator.allocate);
        self.value(block, Op::Call(callee), &[bytes, header], Type::I32)
    }

    fn below(&mut self, block: Block, address: Value, bytes: u32) -> Value {
        let bytes = self.constant(Const::I32((bytes as i32).wrapping_neg()));
        self.value(block, Op::I32Add, &[address, bytes], Type::I32)
    }

    fn constant(&mut self, constant: Const) -> Value {
        self.constants.value(self.function, constant)
    }

    fn value(&mut self, block: Block, op: Op, args: &[Value], ty: Type) -> Value {
        self.function.append(block, op, args, ty)
    }

    fn effect(&mut self, block: Block, op: Op, args: &[Value]) {
        self.function.blocks[block].insts.push(Inst {
            op,
            args: args.into(),
            result: None,
        });
    }
}
