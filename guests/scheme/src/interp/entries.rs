//! How activations begin: by functions with as many parameters as the code takes. They are what
//! slots hold, so compiled functions look like them. A *dispatcher* calls what is not known.
//!
//! Functions here end in one call, which is therefore a tail call: no program that loops by tail
//! calls uses up the native stack.

use super::calls::{Arguments, Last, below, call_inexactly, code_of};
use super::run::interp;
use crate::code;
use crate::memory::{load_i64, load_u32};
use crate::value::UNSPECIFIED;
use annotations::cells_sync_roots;
use core::mem::transmute;
use core::ptr::without_provenance;

macro_rules! entries {
    ($($count:literal $by:ident ($($a:ident $index:literal)*) ($($unused:ident)*);)*) => {
        $(mod $by {
            use super::*;
            pub type Entry = extern "C" fn(u32, i64, u32 $(, entries!(@i64 $a))*) -> i64;

            pub extern "C" fn enter(code: u32, env: i64, sp: u32 $(, $a: i64)*) -> i64 {
                interp(code, env, sp $(, $a)* $(, entries!(@unspecified $unused))*)
            }

            #[inline(always)]
            pub fn slot(code: u32) -> Entry {
                // SAFETY: slots of code that takes so many hold functions of this type.
                unsafe { transmute(function_in_slot(code, enter as *const ())) }
            }

            pub extern "C" fn last(code: u32, function: i64, sp: u32) -> i64 {
                slot(code)(code, function, sp $(, load_i64(below(sp, $index)))*)
            }

            #[inline(never)]
            pub extern "C" fn dispatch(_: u32, function: i64, sp: u32 $(, $a: i64)*) -> i64 {
                let code = code_of(function).unwrap_or(0);
                let fits = code != 0 && code::takes(code, $count);
                let enter = if fits { slot(code) } else { slow };
                enter(code, function, sp $(, $a)*)
            }

            extern "C" fn slow(_: u32, function: i64, sp: u32 $(, $a: i64)*) -> i64 {
                let a = [$($a,)* $(entries!(@unspecified $unused)),*];
                call_inexactly(function, sp, $count, a)
            }
        })*

        /// Calls code that takes so many.
        #[inline(always)]
        pub fn enter(code: u32, function: i64, sp: u32, n: u32, a: Arguments) -> i64 {
            match n {
                $($count => {
                    let enter = $by::slot(code);
                    cells_sync_roots();
                    enter(code, function, sp $(, a[$index])*)
                })*
                _ => unreachable!(),
            }
        }

        /// Calls a function of which nothing is known with so many arguments.
        #[inline(always)]
        pub fn dispatch(function: i64, sp: u32, n: u32, a: Arguments) -> i64 {
            cells_sync_roots();
            match n {
                $($count => $by::dispatch(0, function, sp $(, a[$index])*),)*
                _ => unreachable!(),
            }
        }

        /// How code is called that takes so many.
        pub static LAST: [Last; 7] = [$($by::last),*];

        /// What slots hold until they are specialized.
        pub static GENERIC: [Pointer; 7] = [$(Pointer($by::enter as *const ())),*];

        /// Exported under [`annotations::DISPATCHERS_EXPORT`].
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub static BACTRIAN_DISPATCHERS: [Pointer; 8] =
            [Pointer(without_provenance(7)), $(Pointer($by::dispatch as *const ())),*];
    };
    (@i64 $a:ident) => { i64 };
    (@unspecified $a:ident) => { UNSPECIFIED };
}

entries! {
    0 by_0 () (a0 a1 a2 a3 a4 a5);
    1 by_1 (a0 0) (a1 a2 a3 a4 a5);
    2 by_2 (a0 0 a1 1) (a2 a3 a4 a5);
    3 by_3 (a0 0 a1 1 a2 2) (a3 a4 a5);
    4 by_4 (a0 0 a1 1 a2 2 a3 3) (a4 a5);
    5 by_5 (a0 0 a1 1 a2 2 a3 3 a4 4) (a5);
    6 by_6 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5) ();
}

/// A function, whatever its type.
#[repr(transparent)]
pub struct Pointer(pub *const ());

// SAFETY: functions are the same for all threads.
unsafe impl Sync for Pointer {}

/// Natively there are no slots.
#[inline(always)]
fn function_in_slot(code: u32, generic: *const ()) -> *const () {
    match cfg!(target_family = "wasm") {
        true => load_u32(code::slot(code)) as usize as *const (),
        false => generic,
    }
}
