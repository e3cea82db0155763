//! What one activation keeps, and the operations that the instructions' arms are made of.
//!
//! Everything is inlined into the loop and dissolves into locals: the loop has no memory of its
//! own. Invariants: the stack slots from `sp` to `base` are values and are accessed as cells only;
//! below `sp` nothing is live. `cells_sync` comes before any code that looks at the stack,
//! `cells_invalidate` after it. Jump distances are added to `pc` on separate paths, so that `pc`
//! never depends on run-time data.

use super::bigarrays::USUAL;
use super::entries::{Arguments, UNUSED};
use super::fields::{field, fixed_field, global, modify, payload};
use super::polls::polls_for_nothing;
use crate::code::effect::{RETURN_SIZE, frame_size};
use crate::code::opcode::Opcode;
use crate::code::{self, CELL, Callee};
use crate::memory::{self, Region, cell_read, cell_write, within};
use crate::raise;
use crate::value::{Value, WORD};
use crate::vm::vm;
use annotations::{
    box_exists, box_literal, cells_drop_below, context_pop, context_push, context_update,
    immediate, points_to, profile_callee, specialize_active, specialize_guess,
    specialize_guess_by_name, specialize_known, specialize_range,
};

/// The registers of an activation.
pub struct Registers {
    /// Where its code begins.
    pub entry: u32,
    /// The current instruction's cell.
    pub pc: u32,
    /// The frame's upper end: the cell below it holds the environment.
    pub base: u32,
    pub sp: u32,
    pub accu: i64,
    /// Distance from `base` down to the innermost trap frame; 0: none in this activation.
    pub trap: u32,
    /// The cut where this function took the activation over, and the frame's size then; 0: it began
    /// it.
    pub piece: u32,
    pub inherited: u32,
    /// A constant of compiled code: see `bigarrays`.
    pub version: u32,
}

pub const UNIT: i64 = Value::UNIT.0;
pub const FALSE: i64 = Value::FALSE.0;
pub const TRUE: i64 = Value::TRUE.0;

/// The OCaml integer `n` as a word.
#[inline(always)]
pub const fn tagged(n: i64) -> i64 {
    Value::int(n).0
}

/// The OCaml boolean as a word.
#[inline(always)]
pub const fn truth(b: bool) -> i64 {
    1 + 2 * (b as i64)
}

impl Registers {
    // Activations.

    /// Those of an activation of the code at `entry`; its frame has room for the environment and
    /// `nargs` arguments.
    #[inline(always)]
    pub fn entered(entry: u32, base: u32, nargs: u32) -> Self {
        Self {
            entry,
            pc: entry,
            base,
            sp: base - frame_size(nargs),
            accu: UNIT,
            trap: 0,
            piece: 0,
            inherited: 0,
            version: USUAL,
        }
    }

    /// Goes to the entry, as in a fresh activation. What a tail call left in the accumulator is
    /// cleared, so that it is not saved with the activation.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.pc = self.entry;
        self.accu = UNIT;
        self.piece = 0;
        self.inherited = 0;
    }

    // Instructions.

    /// Operand `k`, counted from 1.
    #[inline(always)]
    pub fn operand(&self, k: u32) -> u32 {
        memory::load_u32(self.pc + k * CELL)
    }

    /// Operand `k` as an integer.
    #[inline(always)]
    pub fn int(&self, k: u32) -> i64 {
        i64::from(self.operand(k) as i32)
    }

    /// To the next instruction, over `operands` operands.
    #[inline(always)]
    pub fn next(&mut self, operands: u32) {
        self.pc += (operands + 1) * CELL;
    }

    /// Where the jump in operand `k` leads, counted from operand `origin`.
    #[inline(always)]
    pub fn target(&self, origin: u32, k: u32) -> u32 {
        (self.pc + origin * CELL).wrapping_add(self.operand(k).wrapping_mul(CELL))
    }

    /// Goes on at `target`; past it, if that is a poll for nothing: the loop that it begins has
    /// been entered, and polls no more.
    #[inline(always)]
    pub fn jump(&mut self, target: u32) {
        self.pc = target;
        if polls_for_nothing() && memory::load_u32(target) == Opcode::CheckSignals as u32 {
            self.begin_round();
            self.next(0);
        }
    }

    /// Takes the jump in operand `k`, the last one, or goes on.
    #[inline(always)]
    pub fn branch(&mut self, k: u32, taken: bool) {
        if taken {
            self.jump(self.target(k, k));
            // Keeps the two paths apart: the next position must not be a run-time choice between
            // two.
            context_update(self.pc);
        } else {
            self.next(k);
        }
    }

    /// Runs `step` for `from..to`, each round in a context of its own.
    #[inline(always)]
    pub fn rounds(from: u32, to: u32, mut step: impl FnMut(u32)) {
        let mut index = from;
        context_push(index);
        while index < to {
            step(index);
            index += 1;
            context_update(index);
        }
        context_pop();
    }

    /// Takes the jump in operand 2 if operand 1 and the integer in the accumulator say so.
    #[inline(always)]
    pub fn compare_branch(&mut self, compare: impl FnOnce(i64, i64) -> bool) {
        self.branch(2, compare(tagged(self.int(1)), self.accu));
    }

    // The accumulator.

    /// Sets the accumulator and goes on.
    #[inline(always)]
    pub fn set(&mut self, value: i64, operands: u32) {
        self.accu = value;
        self.next(operands);
    }

    /// Pushes the accumulator, then sets it and goes on.
    #[inline(always)]
    pub fn push_set(&mut self, value: i64, operands: u32) {
        self.push_accu();
        self.set(value, operands);
    }

    #[inline(always)]
    pub fn acc(&mut self, index: u32, operands: u32) {
        self.set(self.slot(index), operands);
    }

    #[inline(always)]
    pub fn push_acc(&mut self, index: u32, operands: u32) {
        self.push_accu();
        self.set(self.slot(index), operands);
    }

    /// Sets the accumulator to an integer and goes on.
    #[inline(always)]
    pub fn set_int(&mut self, value: i64, operands: u32) {
        self.set(immediate(value), operands);
    }

    /// The same with an operation on the accumulator and the top of the stack, which is popped.
    /// Operands are integers, or the result is none of OCaml's.
    #[inline(always)]
    pub fn binary_int(&mut self, operation: impl FnOnce(i64, i64) -> i64) {
        self.binary(|a, b| immediate(operation(a, b)));
    }

    /// An operation on the accumulator and the top of the stack, which is popped.
    #[inline(always)]
    pub fn binary(&mut self, operation: impl FnOnce(i64, i64) -> i64) {
        let top = self.pop();
        self.set(operation(self.accu, top), 0);
    }

    /// DIVINT and MODINT: false if the divisor is 0.
    #[inline(always)]
    #[must_use]
    pub fn divide(&mut self, operation: impl FnOnce(i64, i64) -> i64) -> bool {
        let divisor = self.pop() >> 1;
        if divisor == 0 {
            raise::division_by_zero();
            return false;
        }
        self.set_int(tagged(operation(self.accu >> 1, divisor)), 0);
        true
    }

    // The stack.

    #[inline(always)]
    pub fn slot_address(&self, index: u32) -> u32 {
        self.sp + index * WORD
    }

    #[inline(always)]
    pub fn slot(&self, index: u32) -> i64 {
        cell_read(self.slot_address(index))
    }

    #[inline(always)]
    pub fn push(&mut self, value: i64) {
        self.sp -= WORD;
        cell_write(self.sp, value);
    }

    #[inline(always)]
    pub fn pop(&mut self) -> i64 {
        let value = cell_read(self.sp);
        self.sp += WORD;
        value
    }

    #[inline(always)]
    pub fn drop(&mut self, slots: u32) {
        self.sp += slots * WORD;
    }

    /// Adds the integer in operand 2 to that in the slot of operand 1.
    #[inline(always)]
    pub fn offset_slot(&mut self) {
        let slot = self.operand(1);
        let sum = self.slot(slot).wrapping_add(self.int(2) << 1);
        cell_write(self.slot_address(slot), immediate(sum));
        self.set(UNIT, 2);
    }

    /// The same with the slots that there are once the accumulator is pushed.
    #[inline(always)]
    pub fn push_offset_slot(&mut self) {
        self.push_accu();
        self.offset_slot();
    }

    #[inline(always)]
    pub fn push_accu(&mut self) {
        self.push(self.accu);
    }

    /// The closure that runs.
    #[inline(always)]
    pub fn env(&self) -> i64 {
        cell_read(self.base - WORD)
    }

    #[inline(always)]
    pub fn env_field(&self, index: u32) -> i64 {
        self.known(fixed_field(self.env(), index))
    }

    /// GETGLOBALFIELD, without what follows.
    #[inline(always)]
    pub fn module_field(&self) -> i64 {
        self.known(fixed_field(global(self.operand(1)), self.operand(2)))
    }

    /// What the instruction loads; compiled code learns which closure or integer that is, or which
    /// kind of number, if it is known.
    #[inline(always)]
    pub fn known(&self, value: i64) -> i64 {
        if specialize_active() == 0 {
            value
        } else if let Some(integer) = code::known_integer(self.pc) {
            tagged(i64::from(integer))
        } else if let Some(entry) = code::known_closure(self.pc) {
            points_to(value, entry)
        } else if let Some(kind) = code::known_number(self.pc) {
            box_exists(value, kind)
        } else {
            value
        }
    }

    /// Tells compiled code that an arm ends with a number, where the analysis of the program found
    /// that ([`crate::image::elements::ends`]); whether that was all of the instruction, whose
    /// cell has the word `cell`.
    #[inline(always)]
    pub fn ends_with_number(&mut self, cell: u32) -> bool {
        if specialize_active() == 0 {
            return false;
        }
        let Some(kind) = code::known_number(self.pc) else {
            return false;
        };
        let opcode = cell & 0xff;
        let fields = Opcode::GetField0 as u32..=Opcode::GetField3 as u32;
        let (loaded, operands) = if opcode <= Opcode::Acc7 as u32 {
            (self.slot(opcode), 0)
        } else if opcode == Opcode::Acc as u32 {
            (self.slot(self.operand(1)), 1)
        } else if fields.contains(&opcode) {
            (field(self.accu, opcode - fields.start()), 0)
        } else if opcode == Opcode::GetField as u32 {
            (field(self.accu, self.operand(1)), 1)
        } else {
            if opcode == Opcode::Branch as u32 || opcode == Opcode::Pop as u32 {
                self.accu = box_exists(self.accu, kind);
            }
            return false;
        };
        self.set(box_exists(loaded, kind), operands);
        true
    }

    /// The closure `words` further in the same block.
    #[inline(always)]
    pub fn sibling(&self, words: i64) -> i64 {
        self.known(self.env().wrapping_add(words * i64::from(WORD)))
    }

    /// PUSH_RETADDR: room for what a call of more than seven arguments needs above them.
    #[inline(always)]
    pub fn push_return(&mut self) {
        for _ in 0..RETURN_SIZE {
            self.push(UNIT);
        }
        self.next(1);
    }

    /// GETGLOBAL, without what follows.
    #[inline(always)]
    pub fn global(&self) -> i64 {
        let index = self.operand(1);
        let value = global(index);
        if specialize_active() == 0 {
            return value;
        }
        match code::constant_box(self.pc) {
            Some(kind) => box_literal(value, kind, payload(index)),
            None => value,
        }
    }

    /// SETGLOBAL, without what follows.
    #[inline(always)]
    pub fn set_global(&self, index: u32) {
        modify(vm().globals.get().field_address(index as usize), self.accu);
    }

    // Calls.

    /// The first `n` slots, at most 7.
    #[inline(always)]
    pub fn arguments(&self, n: u32) -> Arguments {
        let argument = |index: u32| if index < n { self.slot(index) } else { UNUSED };
        [
            argument(0),
            argument(1),
            argument(2),
            argument(3),
            argument(4),
            argument(5),
            argument(6),
        ]
    }

    /// Writes `n` arguments, 1 to 7, to the topmost slots.
    #[inline(always)]
    pub fn write_arguments(&mut self, n: u32, arguments: Arguments) {
        cell_write(self.sp, arguments[0]);
        macro_rules! argument {
            ($($index:literal)*) => {$(
                if n > $index {
                    cell_write(self.slot_address($index), arguments[$index]);
                }
            )*};
        }
        argument!(1 2 3 4 5 6);
    }

    /// The code of the closure in the accumulator. If the instruction has a hint, what follows is
    /// compiled once more for each code that the hint names, or only for the one that is certain.
    /// Where the hint is a guess, or there is none, a profile may know better.
    #[inline(always)]
    pub fn callee(&self) -> u32 {
        let callee = code::callee(self.pc);
        if let Callee::Certain(entry) = callee {
            return entry;
        }
        let code = memory::load_u32(within(self.accu as u32, Region::Fixed));
        match (profile_callee(self.pc, code), callee) {
            (0, Callee::Guessed(entry)) => specialize_guess(code, entry),
            (0, Callee::Several(candidates)) => guess_several(code, candidates),
            (0, _) => code,
            (entry, _) => specialize_guess(code, entry),
        }
    }

    /// Moves the topmost `n` slots to where the frame of a tail call begins; their new address.
    #[inline(always)]
    pub fn move_arguments(&self, n: u32) -> u32 {
        let (from, to) = (self.sp, self.base - (n + 1) * WORD);
        // The frame is at least as deep: the last slot first.
        Self::rounds(0, n, |round| {
            let offset = (n - 1 - round) * WORD;
            cell_write(to + offset, cell_read(from + offset));
        });
        cells_drop_below(to);
        to
    }

    /// SWITCH: goes where the accumulator says.
    #[inline(always)]
    pub fn switch(&mut self) {
        let sizes = self.operand(1);
        let (integers, blocks) = (sizes & 0xffff, sizes >> 16);
        let case = if blocks == 0 || (integers > 0 && self.accu & 1 == 1) {
            specialize_range((self.accu >> 1) as u32, 0, integers)
        } else {
            let tag = within(self.accu as u32 - WORD, Region::Fixed);
            let tag = u32::from(memory::load_u8(tag));
            specialize_range(integers + tag, integers, integers + blocks)
        };
        self.pc = self.target(2, 2 + case);
    }
}

/// Compares code with each of the candidates that there are to compare. What it is otherwise is
/// named only where guesses are made ([`annotations::ONE_CANDIDATE_EXPORT`] says where not).
#[inline(always)]
fn guess_several(code: u32, candidates: u32) -> u32 {
    if specialize_active() == 0 {
        return code;
    }
    const { assert!(code::MAX_CANDIDATES == 16 && code::MAX_IN_PLACE == 4) };
    let otherwise = code::otherwise_called(candidates);
    let most_compared = code::MAX_IN_PLACE as u32 - u32::from(otherwise.is_some());
    let is_many = code::candidate(candidates, most_compared).is_some();
    macro_rules! guess {
        ($($index:literal)*) => {$(
            let Some(entry) = code::candidate(candidates, $index) else {
                return otherwise.unwrap_or(code);
            };
            let guessed = match is_many {
                true => specialize_guess_by_name(code, entry),
                false => specialize_guess(code, entry),
            };
            // Where it came true, the others are not looked at.
            if specialize_known(guessed) != 0 {
                return guessed;
            }
        )*};
    }
    guess!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    code
}
