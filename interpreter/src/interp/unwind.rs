//! How an activation tells where it is: it reports its position to the backtrace when it unwinds,
//! and leaves it on the stack for `Printexc.get_callstack` and `Gc.Memprof`.

use super::registers::Registers;
use crate::backtrace;
use crate::evaluation;
use crate::memory::cell_write;
use crate::raise::{self, Predefined};
use crate::vm::{THREAD_ENDS, vm};

/// Raises at the entry of an activation. The entry is no position in a backtrace; the call is.
pub fn stack_overflow() {
    // Who starts the program says how large its stack is.
    evaluation::effect("a stack overflow");
    raise::constant(Predefined::StackOverflow);
    backtrace::restart(vm().exception.get());
}

impl Registers {
    /// Whether what is raised is the thread's end.
    #[inline(always)]
    pub fn thread_ends(&self) -> bool {
        vm().has_threads.get() != 0 && vm().exception.get() == THREAD_ENDS
    }

    /// Tells the backtrace that this instruction raises, or that its call did.
    #[inline(always)]
    pub fn unwind(&self) {
        backtrace::unwind(self.pc);
    }

    /// The same where nothing handles that in this activation; its result.
    #[inline(always)]
    pub fn unwind_last(&self) -> i64 {
        backtrace::unwind_last(self.pc)
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
