//! What one activation keeps, and the operations that instructions are made of.
//!
//! Everything is inlined into the loop. Invariant: what is on the stack from `sp` to `base` are
//! values; below `sp` nothing lives.

use super::calls::{Arguments, all};
use super::entries::enter;
use super::requests::events;
use crate::code::{self, CELL, Opcode};
use crate::heap;
use crate::memory::{cell_read, cell_write, load_i64, load_u32, store_i64};
use crate::runtime::table::FUNCTIONS;
use crate::value::{
    FALSE, FIELDS, FIXED, UNSPECIFIED, WORD, field_address, fields_of, integer, is, is_fixnum, tag,
    truth,
};
use crate::vm::vm;
use annotations::{
    address_within, cells_drop_below, cells_invalidate, cells_sync_roots, context_pop,
    context_push, context_update, lockstep_event, points_to, safepoint_needless,
};

pub struct Registers {
    /// The entry of the function that runs.
    pub code: u32,
    /// Where the instruction is.
    pub pc: u32,
    /// The frame's upper end.
    pub base: u32,
    pub sp: u32,
    pub accu: i64,
}

impl Registers {
    /// Begins an activation: the frame has the function, if it has captured variables, and what it
    /// takes. It has at least one word, so that recursion without end meets the stack's.
    #[inline(always)]
    pub fn begin(code: u32, env: i64, base: u32, a: Arguments) -> Self {
        let first = u32::from(code::has_environment(code));
        let count = code::parameters(code);
        if first == 1 {
            cell_write(base - WORD, env);
        } else if count == 0 {
            cell_write(base - WORD, UNSPECIFIED);
        }
        macro_rules! parameters {
            ($($index:literal)*) => {$(
                if count > $index {
                    cell_write(base - WORD * (first + $index + 1), a[$index]);
                }
            )*};
        }
        parameters!(0 1 2 3 4 5);
        let depth = first + count;
        Self {
            code,
            pc: code + code::ENTRY_WORDS * CELL,
            base,
            sp: base - WORD * if depth == 0 { 1 } else { depth },
            accu: UNSPECIFIED,
        }
    }

    /// Whether a safepoint is due, or the stack has no more room.
    #[inline(always)]
    pub fn is_alerted(&self) -> bool {
        safepoint_needless() == 0 && self.sp < vm().alert.get()
    }

    /// A safepoint; whether the stack goes on to have room.
    #[inline(always)]
    #[must_use]
    pub fn safepoint(&mut self) -> bool {
        lockstep_event(events::SAFEPOINT, self.pc, self.sp, UNSPECIFIED);
        cells_drop_below(self.sp);
        cells_sync_roots();
        let has_room = heap::safepoint(self.sp) != 0;
        cells_invalidate();
        has_room
    }

    /// Calls the function that runs anew, with what it took. So the way through a safepoint leaves
    /// compiled code.
    #[inline(always)]
    pub fn begin_again(&self) -> i64 {
        let first = u32::from(code::has_environment(self.code));
        let count = code::parameters(self.code);
        let env = if first == 1 {
            self.slot(0)
        } else {
            UNSPECIFIED
        };
        let parameter = |index: u32| match index < count {
            true => self.slot(first + index),
            false => UNSPECIFIED,
        };
        enter(self.code, env, self.base, count, all(parameter))
    }

    // Instructions.

    /// Operand `k`, counted from 1.
    #[inline(always)]
    pub fn operand(&self, k: u32) -> u32 {
        load_u32(self.pc + k * CELL)
    }

    /// Sets the accumulator, and goes on behind so many operands.
    #[inline(always)]
    pub fn set(&mut self, value: i64, operands: u32) {
        self.accu = value;
        self.next(operands);
    }

    #[inline(always)]
    pub fn next(&mut self, operands: u32) {
        self.pc += (operands + 1) * CELL;
    }

    /// Where the jump in operand `k` leads.
    #[inline(always)]
    pub fn target(&self, k: u32) -> u32 {
        let at = self.pc + k * CELL;
        at.wrapping_add(load_u32(at))
    }

    /// Takes the jump in operand 1, or goes on.
    #[inline(always)]
    pub fn branch(&mut self, taken: bool) {
        if taken {
            self.pc = self.target(1);
            context_update(self.pc);
        } else {
            self.next(1);
        }
    }

    /// The accumulator becomes a truth, or, if the next instruction is a jump by it, that is done.
    #[inline(always)]
    pub fn decide(&mut self, b: bool) {
        self.next(1);
        let next = load_u32(self.pc);
        if next == Opcode::JumpIfFalse as u32 {
            self.accu = UNSPECIFIED;
            self.branch(!b);
        } else if next == Opcode::JumpIfTrue as u32 {
            // Where it jumps, this is a value.
            self.accu = truth(b);
            self.branch(b);
        } else {
            self.accu = truth(b);
        }
    }

    /// Calls the primitive in operand 1.
    #[inline(always)]
    pub fn primitive(&self, x: i64, y: i64, z: i64) -> i64 {
        let result = FUNCTIONS[self.operand(1) as usize](x, y, z);
        lockstep_event(events::PRIMITIVE, self.pc, self.sp, result);
        result
    }

    // The stack.

    #[inline(always)]
    fn slot_address(&self, slot: u32) -> u32 {
        self.base - WORD * (slot + 1)
    }

    #[inline(always)]
    pub fn slot(&self, slot: u32) -> i64 {
        cell_read(self.slot_address(slot))
    }

    #[inline(always)]
    pub fn set_slot(&mut self, slot: u32, value: i64) {
        cell_write(self.slot_address(slot), value);
    }

    #[inline(always)]
    pub fn push(&mut self, value: i64) {
        self.sp -= WORD;
        cell_write(self.sp, value);
    }

    #[inline(always)]
    pub fn pop(&mut self) -> i64 {
        let value = cell_read(self.sp);
        self.drop(1);
        value
    }

    #[inline(always)]
    pub fn drop(&mut self, words: u32) {
        self.sp += words * WORD;
    }

    /// The last `n` words that were pushed, at most 6, in that order.
    #[inline(always)]
    pub fn arguments(&self, n: u32) -> Arguments {
        let argument = |index: u32| match index < n {
            true => cell_read(self.sp + WORD * (n - 1 - index)),
            false => UNSPECIFIED,
        };
        all(argument)
    }

    /// Moves the last words that were pushed to slots, and drops what is above these.
    #[inline(always)]
    pub fn again(&mut self) {
        let (count, slot) = (self.operand(1), self.operand(2));
        Self::rounds(count, |index| {
            let value = cell_read(self.sp + WORD * (count - 1 - index));
            cell_write(self.base - WORD * (slot + index + 1), value);
        });
        self.pc = self.target(3);
        self.sp = self.base - WORD * (slot + count);
        self.accu = UNSPECIFIED;
    }

    /// Runs `step` for `0..count`.
    #[inline(always)]
    fn rounds(count: u32, mut step: impl FnMut(u32)) {
        let mut index = 0;
        context_push(index);
        while index < count {
            step(index);
            index += 1;
            context_update(index);
        }
        context_pop();
    }

    // Blocks.

    #[inline(always)]
    pub fn constant(&self) -> i64 {
        load_i64(vm().constants.get() + WORD * self.operand(1))
    }

    #[inline(always)]
    pub fn global_address(&self) -> u32 {
        vm().globals.get() + WORD * self.operand(1)
    }

    #[inline(always)]
    pub fn captured(&self) -> i64 {
        load_i64(Self::place(tag::CLOSURE, self.slot(0), 1 + self.operand(1)))
    }

    #[inline(always)]
    pub fn make_box(&mut self) {
        let slot = self.operand(1);
        let block = heap::block(1, tag::BOX).into();
        heap::init(block, 0, self.slot(slot));
        self.set_slot(slot, block);
        self.next(1);
    }

    /// A block whose fields from `first` on are the last `count` words that were pushed.
    #[inline(always)]
    fn block_of_pushed(&mut self, tag: u32, first: u32, count: u32) -> i64 {
        let block = heap::block(first + count, tag).into();
        Self::rounds(count, |index| {
            let value = cell_read(self.sp + WORD * (count - 1 - index));
            store_i64(Self::place(tag, block, first + index), value);
        });
        self.drop(count);
        block
    }

    /// Where a field of a block of this kind is.
    #[inline(always)]
    fn place(tag: u32, block: i64, index: u32) -> u32 {
        let region = if tag == tag::CLOSURE { FIXED } else { FIELDS };
        address_within(block as u32 + WORD * index, region)
    }

    #[inline(always)]
    pub fn make_block(&mut self) {
        let block = self.block_of_pushed(self.operand(1), 0, self.operand(2));
        self.set(block, 2);
    }

    #[inline(always)]
    pub fn make_closure(&mut self) {
        let closure = self.block_of_pushed(tag::CLOSURE, 1, self.operand(1));
        let code = self.operand(2);
        store_i64(Self::place(tag::CLOSURE, closure, 0), code.into());
        self.set(points_to(closure, code), 2);
    }

    #[inline(always)]
    pub fn capture(&mut self) {
        let closure = self.slot(self.operand(1));
        store_i64(
            Self::place(tag::CLOSURE, closure, 1 + self.operand(2)),
            self.accu,
        );
        self.next(2);
    }

    /// Stores in a block that may be older than the value.
    #[inline(always)]
    pub fn store(&mut self, address: u32, value: i64) {
        store_i64(address, value);
        self.set(UNSPECIFIED, 1);
    }

    /// The address of an element of a vector, if there is one.
    #[inline(always)]
    pub fn element(vector: i64, index: i64) -> Option<u32> {
        let is_there = is(vector, tag::VECTOR)
            && is_fixnum(index)
            && (integer(index) as u64) < fields_of(vector).into();
        is_there.then(|| field_address(vector, integer(index) as u32))
    }

    /// Whether the accumulator is not false.
    #[inline(always)]
    pub fn is_true(&self) -> bool {
        self.accu != FALSE
    }
}
