//! The safepoints at which the collector may run, polls that look whether one is due, and what
//! compiled code knows of that.
//!
//! Safepoints are at entries and in loops, where little is in registers: only the accumulator and
//! the stack survive.

use super::events;
use super::registers::{Registers, UNIT};
use crate::code::CELL;
use crate::code::opcode::Opcode;
use crate::heap;
use crate::memory;
use crate::vm::{ALERT_STEP, ALL_LOOPS_POLL, NO_LOOP_POLLS, POLLS_COUNT, vm};
use annotations::{
    box_kind, cells_drop_below, cells_invalidate, cells_sync_roots, lockstep_event,
    safepoint_needless, safepoint_passed, specialize_active,
};

/// Whether a poll here has nothing to do, as nothing can wait for it.
#[inline(always)]
pub fn polls_for_nothing() -> bool {
    safepoint_needless() != 0 && vm().loops_poll.get() == NO_LOOP_POLLS
}

/// What [`still_passed`] is told after a call: whether nothing can wait for a safepoint before it.
/// That says nothing where the call `takes_box`, a box of a number that compiled code may make for
/// it: a loop that does so has to poll.
#[inline(always)]
pub fn needless_before(takes_box: bool) -> u32 {
    if takes_box { 0 } else { safepoint_needless() }
}

/// After a call that leaves nothing for a safepoint to do: nothing waits if nothing did before it,
/// when a poll was `needless`.
#[inline(always)]
pub fn still_passed(needless: u32) {
    if needless != 0 {
        safepoint_passed();
    }
}

/// Whether compiled code knows `value` as the box of a number.
#[inline(always)]
pub fn is_box(value: i64) -> bool {
    box_kind(value) != 0
}

impl Registers {
    /// Lets the collector run; false if something that it ran raised. The accumulator survives.
    #[inline(always)]
    #[must_use]
    pub fn safepoint(&mut self, bytes: u32) -> bool {
        self.push_accu();
        let top = self.sp;
        self.keep_position();
        cells_drop_below(self.sp);
        lockstep_event(events::SAFEPOINT, self.pc, self.sp, self.accu);
        vm().sp.set(self.sp);
        cells_sync_roots();
        let fine = heap::safepoint(bytes) != 0;
        cells_invalidate();
        self.sp = top;
        self.accu = self.pop();
        fine
    }

    /// A round of a loop begins, at a poll. Clears the accumulator if the next instruction does not
    /// look at it, so that it is not kept.
    #[inline(always)]
    pub fn begin_round(&mut self) {
        self.leave_version();
        if self.next_sets_accu() {
            self.accu = UNIT;
        }
    }

    /// Whether the next instruction sets the accumulator without looking at it, as is usual where a
    /// loop begins.
    #[inline(always)]
    fn next_sets_accu(&self) -> bool {
        use Opcode::*;
        // SAFETY: only verified code is loaded, and this instruction is not the last of it.
        let next = unsafe { Opcode::from_cell(memory::load_u32(self.pc + CELL)) };
        matches!(
            next,
            Acc0 | Acc1
                | Acc2
                | Acc3
                | Acc4
                | Acc5
                | Acc6
                | Acc7
                | Acc
                | EnvAcc1
                | EnvAcc2
                | EnvAcc3
                | EnvAcc4
                | EnvAcc
                | OffsetClosure0
                | GetGlobal
                | GetGlobalField
                | Const0
                | Const1
                | Const2
                | Const3
                | ConstInt
        )
    }

    /// A safepoint, if one is due.
    #[inline(always)]
    #[must_use]
    pub fn poll(&mut self) -> bool {
        if polls_for_nothing() {
            return true;
        }
        if self.is_alerted() && !self.safepoint(0) {
            return false;
        }
        safepoint_passed();
        true
    }

    /// Whether the stack overflows, or something waits for a safepoint.
    #[inline(always)]
    pub fn is_alerted(&self) -> bool {
        // A loop of compiled code that stores nothing would load the word once.
        if specialize_active() != 0 && vm().loops_poll.get() == ALL_LOOPS_POLL {
            vm().polled.set(1);
        }
        let alert = vm().alert.get();
        if vm().loops_poll.get() == POLLS_COUNT {
            vm().alert.set(alert.wrapping_add(ALERT_STEP));
        }
        self.sp < alert
    }
}
