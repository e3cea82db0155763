//! The C_CALL instructions: what surrounds the call of a primitive, by its effect.
//!
//! Effects are constants of the primitive table, so in compiled code only what a primitive needs
//! remains: a plain call for a leaf, a poll after one that allocates much, sync and invalidate
//! around one that collects, a second attempt after one that found no memory.

use super::blocks::allocations_poll;
use super::events;
use super::polls::{is_box, needless_before, still_passed};
use super::registers::Registers;
use super::shortcut::Attempt;
use crate::code;
use crate::image::{bind, missing};
use crate::raise;
use crate::registry::Effect;
use crate::value::Value;
use crate::vm::vm;
use annotations::{
    box_exists, cells_drop_below, cells_invalidate, cells_sync, cells_sync_roots, lockstep_event,
    specialize_active,
};

macro_rules! calls {
    ($($name:ident $call:ident $attempt:ident ($($argument:ident)*);)*) => {$(
        /// Calls the primitive that the instruction names, or takes its shortcut; the first
        /// argument is the accumulator, the others are popped. False if it raised.
        #[inline(always)]
        #[must_use]
        pub fn $name(&mut self) -> bool {
            let primitive = self.operand(1);
            lockstep_event(events::PRIMITIVE, self.pc, self.sp, i64::from(primitive));
            match self.$attempt(bind::shortcut(primitive)) {
                Attempt::Call => {}
                Attempt::Raised => return false,
                Attempt::OutOfBounds => {
                    index_out_of_bounds();
                    lockstep_event(events::RESULT, self.pc, self.sp, Value::RAISED.0);
                    return false;
                }
                Attempt::DivisionByZero => {
                    division_by_zero();
                    lockstep_event(events::RESULT, self.pc, self.sp, Value::RAISED.0);
                    return false;
                }
                Attempt::Done => {
                    lockstep_event(events::RESULT, self.pc, self.sp, self.accu);
                    self.next(1);
                    return true;
                }
            }
            let accu = Value(self.accu);
            $(let $argument = Value(self.pop());)*
            let takes_box = is_box(accu.0) $(|| is_box($argument.0))*;
            // SAFETY: the effect is known where this is called; the verifier compared the arities.
            let call = || unsafe { bind::$call(primitive, accu, $($argument),*) };
            let fine = self.primitive(primitive, 1, takes_box, call);
            if fine || bind::effect(primitive) != Effect::AllocatesLarge as u32 {
                return fine;
            }
            // The primitive returned; a callback that ran after it (signal handler, finaliser)
            // raised.
            if self.accu != Value::RAISED.0 || vm().retry.get() == 0 {
                return false;
            }
            push_reversed!(self $($argument)*);
            self.accu = accu.0;
            if !self.safepoint(0) {
                return false;
            }
            let accu = Value(self.accu);
            $(let $argument = Value(self.pop());)*
            // SAFETY: the effect is known where this is called; the verifier compared the arities.
            let call = || unsafe { bind::$call(primitive, accu, $($argument),*) };
            let fine = self.primitive(primitive, 1, takes_box, call);
            vm().retry.set(0);
            fine
        }
    )*};
}

macro_rules! push_reversed {
    ($registers:ident) => {};
    ($registers:ident $first:ident $($rest:ident)*) => {
        push_reversed!($registers $($rest)*);
        $registers.push($first.0);
    };
}

impl Registers {
    calls! {
        primitive_1 call_1 shortcut_1 ();
        primitive_2 call_2 shortcut_2 (b);
        primitive_3 call_3 shortcut_3 (b c);
        primitive_4 call_4 shortcut_4 (b c d);
        primitive_5 call_5 shortcut_5 (b c d e);
    }

    /// The same for a primitive that takes its arguments in memory.
    #[inline(always)]
    #[must_use]
    pub fn primitive_n(&mut self) -> bool {
        let (count, primitive) = (self.operand(1), self.operand(2));
        self.push_accu();
        let arguments = self.sp;
        lockstep_event(events::PRIMITIVE, self.pc, self.sp, i64::from(primitive));
        cells_sync();
        // SAFETY: the effect is known where this is called; the verifier compared the arities.
        let call = || unsafe { bind::call_n(primitive, arguments, count) };
        let fine = self.primitive(primitive, 2, true, call);
        if fine {
            self.drop(count);
        }
        fine
    }

    #[inline(always)]
    fn primitive(
        &mut self,
        primitive: u32,
        operands: u32,
        takes_box: bool,
        call: impl FnOnce() -> Value,
    ) -> bool {
        let effect = bind::effect(primitive);
        if effect == bind::EFFECT_UNKNOWN {
            unknown(primitive);
            return false;
        }
        let collects = effect == Effect::Collects as u32;
        let top = self.sp;
        if collects {
            self.keep_position();
            cells_drop_below(self.sp);
            vm().sp.set(self.sp);
            cells_sync_roots();
        }
        let needless = needless_before(takes_box);
        let result = call().0;
        if effect == Effect::Leaf as u32 {
            still_passed(needless);
        }
        if collects {
            cells_invalidate();
            self.sp = top;
        }
        lockstep_event(events::RESULT, self.pc, self.sp, result);
        self.accu = result;
        let polls = effect == Effect::AllocatesLarge as u32
            || (effect == Effect::Allocates as u32 && allocations_poll());
        let raised = bind::raises(primitive) && result == Value::RAISED.0;
        if raised || (polls && !self.poll()) {
            return false;
        }
        if specialize_active() != 0
            && let Some(kind) = bind::gives_box(primitive).or(code::element_box(self.pc))
        {
            self.accu = box_exists(self.accu, kind);
        }
        self.next(operands);
        true
    }
}

#[inline(never)]
extern "C" fn index_out_of_bounds() {
    raise::index_out_of_bounds();
}

#[inline(never)]
extern "C" fn division_by_zero() {
    raise::division_by_zero();
}

/// Raises Failure with the name of a primitive that nothing defines, or that was taken back.
#[inline(never)]
extern "C" fn unknown(primitive: u32) {
    let name = bind::name(primitive);
    let index = primitive as usize;
    raise::failure(if bind::is_missing(index) {
        missing::message(&name)
    } else if bind::is_misfit(index) {
        missing::misfit(&name)
    } else {
        missing::unexpected(&name)
    });
}
