//! Entries of activations, by arity: the functions that request slots hold, hence the signatures of
//! residual functions.
//!
//! A slot at a cut holds [`resume`], by which an activation goes on in the middle of its code.
//!
//! `enter_1` to `enter_7` take the arguments as parameters, and run the closure's own code: a
//! parameter less, of which engines pass few in registers. Code that runs with another closure is
//! entered by [`enter_with`]. `enter_many` finds the arguments on the OCaml stack at `sp`, as many
//! as the entry's cell says, and owns the cell above them.

use super::run::interp;
use crate::code;
use crate::memory;
use crate::vm::vm;
use annotations::cells_sync_roots;

/// Most arguments that are passed as parameters.
pub const MAX_DIRECT: u32 = 7;

/// What a parameter that is not used holds: unit.
pub const UNUSED: i64 = 1;

/// The direct arguments of a call; those not used are [`UNUSED`].
pub type Arguments = [i64; MAX_DIRECT as usize];

macro_rules! entries {
    ($($name:ident $given:ident $ty:ident $slot:ident $arity:literal
          ($($argument:ident)*) ($($unused:tt)*);)*) => {$(
        #[doc = concat!("One activation of the closure `env`, of arity ", $arity, ", below `sp`.")]
        pub extern "C" fn $name(env: i64, sp: u32, $($argument: i64),*) -> i64 {
            interp(code_of(env), env, sp, $arity, $($argument,)* $($unused),*)
        }

        #[doc = concat!(
            "The same of the code at `vm().given_code`, of arity ", $arity, ", with this closure."
        )]
        pub extern "C" fn $given(env: i64, sp: u32, $($argument: i64),*) -> i64 {
            interp(vm().given_code.get(), env, sp, $arity, $($argument,)* $($unused),*)
        }

        /// The type of a function in a slot of this arity.
        pub type $ty = extern "C" fn(i64, u32, $(entries!(@i64 $argument)),*) -> i64;

        #[doc = concat!(
            "The function in the slot of the code at `code`, whose arity is ", $arity, "."
        )]
        #[cfg(target_family = "wasm")]
        #[inline(always)]
        pub fn $slot(code: u32) -> $ty {
            // SAFETY: the slot of an entry with this arity holds a function of this type.
            unsafe { core::mem::transmute(slot(code)) }
        }

        /// Natively there are no slots.
        #[cfg(not(target_family = "wasm"))]
        #[inline(always)]
        pub fn $slot(_code: u32) -> $ty {
            $name
        }
    )*};
    (@i64 $argument:ident) => { i64 };
}

entries! {
    enter_1 given_1 Enter1 slot_1 1 (a0) (1 1 1 1 1 1);
    enter_2 given_2 Enter2 slot_2 2 (a0 a1) (1 1 1 1 1);
    enter_3 given_3 Enter3 slot_3 3 (a0 a1 a2) (1 1 1 1);
    enter_4 given_4 Enter4 slot_4 4 (a0 a1 a2 a3) (1 1 1);
    enter_5 given_5 Enter5 slot_5 5 (a0 a1 a2 a3 a4) (1 1);
    enter_6 given_6 Enter6 slot_6 6 (a0 a1 a2 a3 a4 a5) (1);
    enter_7 given_7 Enter7 slot_7 7 (a0 a1 a2 a3 a4 a5 a6) ();
}

#[cfg(target_family = "wasm")]
type EnterMany = extern "C" fn(u32, i64, u32) -> i64;

/// One activation of code of any other arity, 0 included.
pub extern "C" fn enter_many(code: u32, env: i64, sp: u32) -> i64 {
    interp(code, env, sp, code::arity(code), 1, 1, 1, 1, 1, 1, 1)
}

/// As `nargs` of the interpreter loop: an activation goes on, see [`resume`].
pub const RESUMED: u32 = u32::MAX;

#[cfg(target_family = "wasm")]
type Resume = extern "C" fn(u32, u32, u32, u32, u32, i64) -> i64;

/// Goes on with an activation at the instruction at `pc`: what is in the slots of cuts. `entry` is
/// the address of its entry, `base` the upper end of its frame, which is `size` bytes large; `trap`
/// and `accu` are its registers.
pub extern "C" fn resume(pc: u32, entry: u32, base: u32, size: u32, trap: u32, accu: i64) -> i64 {
    let distance = i64::from(pc - entry);
    let (size, trap) = (i64::from(size), i64::from(trap));
    interp(
        pc, distance, base, RESUMED, accu, size, trap, 0, UNUSED, UNUSED, UNUSED,
    )
}

/// The same, through the slot if there is a cut at `pc`.
#[inline(never)]
pub extern "C" fn resume_anywhere(
    pc: u32,
    entry: u32,
    base: u32,
    size: u32,
    trap: u32,
    accu: i64,
) -> i64 {
    if code::is_cut(memory::load_u32(pc)) {
        resume_through_slot(pc, entry, base, size, trap, accu)
    } else {
        resume(pc, entry, base, size, trap, accu)
    }
}

/// What a request slot holds before it is specialized: the function-table index of the entry.
#[cfg(target_family = "wasm")]
pub fn generic_slot(arity: u32) -> u32 {
    let function = match arity {
        1 => enter_1 as *const () as usize,
        2 => enter_2 as *const () as usize,
        3 => enter_3 as *const () as usize,
        4 => enter_4 as *const () as usize,
        5 => enter_5 as *const () as usize,
        6 => enter_6 as *const () as usize,
        7 => enter_7 as *const () as usize,
        _ => enter_many as *const () as usize,
    };
    function as u32
}

/// Natively there are no slots.
#[cfg(not(target_family = "wasm"))]
pub fn generic_slot(_arity: u32) -> u32 {
    0
}

/// What the slot of a cut holds before it is specialized.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn resume_slot() -> u32 {
    resume as *const () as usize as u32
}

/// Natively there are no slots.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
pub fn resume_slot() -> u32 {
    0
}

/// The code of a closure.
#[inline(always)]
pub fn code_of(closure: i64) -> u32 {
    memory::load_u32(closure as u32)
}

/// Whether the code at `code` is the closure's own. It mostly is; a partial application keeps the
/// code that it was made of, and `#trace` gives closures another.
#[inline(always)]
pub fn is_own(code: u32, closure: i64) -> bool {
    code_of(closure) == code
}

/// The same as [`enter`], where the code may be another than the closure's own.
#[inline(always)]
pub fn enter_with(code: u32, closure: i64, sp: u32, n: u32, a: Arguments) -> i64 {
    if code::closures_keep_code() || is_own(code, closure) {
        return enter(code, closure, sp, n, a);
    }
    cells_sync_roots();
    // No array: it would be in memory, in each activation of the loop.
    interp(
        code, closure, sp, n, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
    )
}

/// Calls the code at `code`, which is the closure's own, through its slot with `n` arguments, 1 to
/// 7; `n` is its arity. Syncs first, at the call itself: one that is evaluated in place needs no
/// sync.
#[inline(always)]
pub fn enter(code: u32, closure: i64, sp: u32, n: u32, a: Arguments) -> i64 {
    macro_rules! through {
        ($slot:ident, $($index:literal)*) => {{
            let function = $slot(code);
            cells_sync_roots();
            function(closure, sp, $(a[$index]),*)
        }};
    }
    match n {
        1 => through!(slot_1, 0),
        2 => through!(slot_2, 0 1),
        3 => through!(slot_3, 0 1 2),
        4 => through!(slot_4, 0 1 2 3),
        5 => through!(slot_5, 0 1 2 3 4),
        6 => through!(slot_6, 0 1 2 3 4 5),
        _ => through!(slot_7, 0 1 2 3 4 5 6),
    }
}

/// Calls the code at `code` through its slot, its arguments at `sp`.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn enter_through_slot(code: u32, closure: i64, sp: u32) -> i64 {
    // SAFETY: the slot of an entry with such an arity holds a function of this type.
    let function: EnterMany = unsafe { core::mem::transmute(slot(code)) };
    function(code, closure, sp)
}

/// The function for one argument in the slot of the RESTART at `code`.
#[inline(always)]
pub fn restart_slot_1(code: u32) -> Enter1 {
    slot_1(code::restart_holder(code, 1))
}

/// The same for two.
#[inline(always)]
pub fn restart_slot_2(code: u32) -> Enter2 {
    slot_2(code::restart_holder(code, 2))
}

/// The same for three.
#[inline(always)]
pub fn restart_slot_3(code: u32) -> Enter3 {
    slot_3(code::restart_holder(code, 3))
}

/// Goes on at the cut at `pc` through its slot.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn resume_through_slot(pc: u32, entry: u32, base: u32, size: u32, trap: u32, accu: i64) -> i64 {
    // SAFETY: the slot of a cut holds a function of this type.
    let function: Resume = unsafe { core::mem::transmute(slot(pc)) };
    function(pc, entry, base, size, trap, accu)
}

#[cfg(target_family = "wasm")]
#[inline(always)]
fn slot(code: u32) -> *const () {
    code::slot(code) as usize as *const ()
}

/// Calls the code at `code`, its arguments at `sp`.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
pub fn enter_through_slot(code: u32, closure: i64, sp: u32) -> i64 {
    enter_many(code, closure, sp)
}

/// Goes on at the cut at `pc`.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
pub fn resume_through_slot(pc: u32, entry: u32, base: u32, size: u32, trap: u32, accu: i64) -> i64 {
    resume(pc, entry, base, size, trap, accu)
}
