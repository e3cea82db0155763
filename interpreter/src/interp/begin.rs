//! Beginnings of activations where something waits for a safepoint, or the stack overflows.
//! Compiled code leaves for them by a tail call, and is entered again through its slot: so it keeps
//! nothing over a call there, and may need no frame.

use super::entries::*;
use super::events;
use super::raising::*;
use super::registers::Registers;
use super::unwind::stack_overflow;
use crate::code;
use crate::code::effect::frame_size;
use crate::heap;
use crate::memory;
use crate::value::{Value, WORD};
use crate::vm::vm;
use annotations::{
    cells_drop_below, cells_invalidate, cells_sync, cells_sync_roots, lockstep_event,
    specialize_active, specialize_in_slot,
};

macro_rules! begin {
    ($($name:ident $ty:ident $slot:ident $raise:ident $case:pat, $n:literal
          ($($argument:ident $index:literal)*);)*) => {
        $(
            /// Begins an activation of `closure`, whose frame ends at `top`, when nothing waits any
            /// more.
            #[inline(never)]
            extern "C" fn $name(closure: i64, top: u32, $($argument: i64),*) -> i64 {
                let (env, sp) = (top - WORD, top - frame_size($n));
                memory::store_i64(env, closure);
                $(memory::store_i64(sp + $index * WORD, $argument);)*
                let code = code_of(closure);
                let function: $ty = match prepare(code, env, sp) {
                    true => $slot(code),
                    false => $raise,
                };
                function(memory::load_i64(env), top, $(memory::load_i64(sp + $index * WORD)),*)
            }
        )*

        impl Registers {
            /// Begins the activation when nothing waits any more; its result.
            #[inline(always)]
            fn begin_through_slot(&self, nargs: u32) -> i64 {
                let (closure, arguments) = (self.env(), self.arguments(nargs));
                cells_drop_below(self.base);
                cells_sync_roots();
                match nargs {
                    $($case => $name(closure, self.base, $(arguments[$index]),*),)*
                }
            }
        }
    };
}

begin! {
    begin_1 Enter1 slot_1 raise_1 1, 1 (a0 0);
    begin_2 Enter2 slot_2 raise_2 2, 2 (a0 0 a1 1);
    begin_3 Enter3 slot_3 raise_3 3, 3 (a0 0 a1 1 a2 2);
    begin_4 Enter4 slot_4 raise_4 4, 4 (a0 0 a1 1 a2 2 a3 3);
    begin_5 Enter5 slot_5 raise_5 5, 5 (a0 0 a1 1 a2 2 a3 3 a4 4);
    begin_6 Enter6 slot_6 raise_6 6, 6 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5);
    begin_7 Enter7 slot_7 raise_7 _, 7 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5 a6 6);
}

impl Registers {
    /// The safepoint at the beginning of an activation, whose arguments are on the stack. Compiled
    /// code begins anew, so that the slow path leaves nothing behind in the code after it, and
    /// returns the result; generic code goes on, unless something raised.
    #[inline(always)]
    pub fn begin_slowly(&mut self, nargs: u32) -> Option<i64> {
        let is_direct = nargs.wrapping_sub(1) < MAX_DIRECT;
        // Another function than the slot's would lose what it was given.
        if specialize_in_slot() != 0 && code::closures_keep_code() && is_direct {
            return Some(self.begin_through_slot(nargs));
        }
        lockstep_event(events::SAFEPOINT, self.pc, self.sp, self.accu);
        cells_sync_roots();
        let fine = begin_slowly(self.sp) != 0;
        cells_invalidate();
        if !fine {
            lockstep_event(events::ENTER, self.entry, self.sp, self.env());
            lockstep_event(events::EXIT, self.entry, self.sp, Value::RAISED.0);
            return Some(Value::RAISED.0);
        }
        (specialize_active() != 0).then(|| self.begin_again(nargs, is_direct))
    }

    /// Begins the activation anew, from the arguments that are on the stack; its result.
    #[inline(always)]
    fn begin_again(&self, nargs: u32, is_direct: bool) -> i64 {
        let (code, closure) = (self.entry, self.env());
        if is_direct {
            enter_with(code, closure, self.base, nargs, self.arguments(nargs))
        } else {
            // The entry reads them in memory, as the collector need not have done.
            cells_sync();
            enter_through_slot(code, closure, self.sp)
        }
    }
}

/// The safepoint at the beginning of an activation of the code at `code`, whose closure is at `env`
/// and whose frame ends at `sp`. False if something raised.
fn prepare(code: u32, env: u32, sp: u32) -> bool {
    lockstep_event(events::SAFEPOINT, code, sp, Value::UNIT.0);
    if begin_slowly(sp) != 0 {
        return true;
    }
    lockstep_event(events::ENTER, code, sp, memory::load_i64(env));
    lockstep_event(events::EXIT, code, sp, Value::RAISED.0);
    false
}

/// What code does at the beginning of an activation whose frame ends at `sp`: 0 if the stack
/// overflows there, or something that waited raised.
#[inline(never)]
extern "C" fn begin_slowly(sp: u32) -> u32 {
    if sp < vm().stack_threshold.get() {
        stack_overflow();
        return 0;
    }
    vm().sp.set(sp);
    heap::safepoint(0)
}
