//! Exceptions within an activation, and how it tells where it is: it reports its position to the
//! backtrace when it unwinds, and leaves it on the stack for `Printexc.get_callstack` and
//! `Gc.Memprof`.

use super::registers::{Registers, UNIT, tagged};
use crate::backtrace;
use crate::code;
use crate::code::effect::TRAP_SIZE;
use crate::evaluation;
use crate::memory::cell_write;
use crate::raise::{self, Predefined};
use crate::value::Value;
use crate::vm::{ALL_LOOPS_POLL, THREAD_ENDS, vm};
use annotations::{cells_drop_below, context_update, specialize_guess, specialize_inlined};

/// Beside a position: what is raised has come to the handler there.
const HANDLES: u32 = 1;
/// Beside an entry: what is raised leaves the activation.
const UNWINDS: u32 = 2;

/// Raises at the entry of an activation. The entry is no position in a backtrace; the call is.
pub fn stack_overflow() {
    // Who starts the program says how large its stack is.
    evaluation::effect("a stack overflow");
    raise::constant(Predefined::StackOverflow);
    backtrace::restart(vm().exception.get());
}

impl Registers {
    #[inline(always)]
    pub fn push_trap(&mut self, handler: u32) {
        self.push(UNIT);
        self.push(UNIT);
        self.push(tagged(i64::from(self.trap)));
        self.push(tagged(i64::from(handler.wrapping_sub(self.entry))));
        self.trap = self.base - self.sp;
    }

    /// POPTRAP. Which trap frame is next is in the code, because the frame itself may be another
    /// piece's. Where signals may be handled, it polls first: what that raises is this handler's.
    /// False if it raised.
    #[inline(always)]
    #[must_use]
    pub fn pop_trap(&mut self) -> bool {
        if vm().loops_poll.get() == ALL_LOOPS_POLL && !self.poll() {
            return false;
        }
        self.trap = code::outer_trap(self.pc);
        self.drop(TRAP_SIZE);
        true
    }

    /// Goes to the handler of the innermost trap frame, which exists, with what is raised. All that
    /// raise with this handler meet there, and are reported in one place.
    #[inline(always)]
    pub fn handle(&mut self) {
        let raised_at = self.offset();
        self.take_trap();
        context_update(self.pc + HANDLES);
        cells_drop_below(self.sp);
        backtrace::unwind_here(self.entry, raised_at);
        self.take_exception();
    }

    /// Takes the innermost trap frame off the stack and goes to its handler.
    #[inline(always)]
    pub fn take_trap(&mut self) {
        self.sp = self.base - self.trap;
        self.pc = self.entry.wrapping_add((self.slot(0) >> 1) as u32);
        self.trap = (self.slot(1) >> 1) as u32;
        self.drop(TRAP_SIZE);
    }

    /// Takes what is raised out of the machine state: what it holds may be collected.
    #[inline(always)]
    pub fn take_exception(&mut self) {
        self.accu = vm().exception.replace(Value::UNIT).0;
    }

    /// Whether what is raised is the thread's end.
    #[inline(always)]
    pub fn thread_ends(&self) -> bool {
        vm().has_threads.get() != 0 && vm().exception.get() == THREAD_ENDS
    }

    /// Tells the backtrace that this instruction raises, or that its call did.
    #[inline(always)]
    pub fn unwind(&self) {
        backtrace::unwind(self.entry, self.offset());
    }

    /// The same where this activation handles nothing more; its result. All that end it so meet
    /// here.
    #[inline(always)]
    pub fn unwind_last(&self) -> i64 {
        let raised_at = self.offset();
        context_update(self.entry + UNWINDS);
        // Within its caller, a function says by a constant that it raises.
        if specialize_inlined() != 0 {
            backtrace::unwind(self.entry, raised_at);
            return Value::RAISED.0;
        }
        backtrace::unwind_last(self.entry, raised_at)
    }

    /// Where this instruction is, from the entry on. It is computed here: LLVM would do it after
    /// the next change of context, when the position may be unknown.
    #[inline(always)]
    fn offset(&self) -> u32 {
        let offset = self.pc.wrapping_sub(self.entry);
        specialize_guess(offset, offset)
    }

    /// Leaves the position of this instruction, a call, on the stack, if the program may ask for
    /// the calls in progress. The caller restores `sp`.
    #[inline(always)]
    pub fn keep_position(&mut self) {
        if keeps_positions() {
            self.push(backtrace::position_word(self.pc));
        }
    }

    /// The same in the words of PUSH_RETADDR above `n` arguments on the stack. The first is the
    /// callee's.
    #[inline(always)]
    pub fn keep_position_above(&mut self, n: u32) {
        if keeps_positions() {
            cell_write(self.slot_address(n + 1), backtrace::position_word(self.pc));
        }
    }
}

/// A constant of the program.
#[inline(always)]
fn keeps_positions() -> bool {
    vm().keeps_positions.get() != 0
}
