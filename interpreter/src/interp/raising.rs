//! Goes on with what a call has returned when that may be an exception, without a second way on:
//! LLVM makes a tail call only of the one call in which a function ends.

#[cfg(target_family = "wasm")]
use super::entries::MAX_DIRECT;
#[cfg(target_family = "wasm")]
use crate::code;
use crate::memory;
#[cfg(target_family = "wasm")]
use crate::value::Value;

/// A cell that looks like the entry of a function.
#[cfg(target_family = "wasm")]
#[repr(C, align(8))]
struct Raising {
    word: u32,
    slot: *const (),
}

// SAFETY: nobody writes it, and functions are the same for all threads.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Raising {}

/// The code of what a call has returned, to be applied to `n` arguments. If it has raised, that of
/// a function that raises again: so that there is one way on, which is a tail call.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn code_of(returned: i64, n: u32) -> u32 {
    match returned == Value::RAISED.0 {
        true => &raw const RAISING[n as usize - 1] as usize as u32,
        false => memory::load_u32(returned as u32),
    }
}

#[cfg(not(target_family = "wasm"))]
pub fn code_of(returned: i64, _n: u32) -> u32 {
    memory::load_u32(returned as u32)
}

macro_rules! raising {
    ($($name:ident $n:literal ($($argument:ident)*);)*) => {
        $(
            #[cfg(target_family = "wasm")]
            extern "C" fn $name(_: u32, _: i64, _: u32, $($argument: i64),*) -> i64 {
                Value::RAISED.0
            }
        )*

        /// By number of arguments, less one.
        #[cfg(target_family = "wasm")]
        static RAISING: [Raising; MAX_DIRECT as usize - 1] = [$(Raising {
            word: code::entry_word($n),
            slot: $name as *const (),
        }),*];
    };
}

raising! {
    raise_1 1 (_0);
    raise_2 2 (_0 _1);
    raise_3 3 (_0 _1 _2);
    raise_4 4 (_0 _1 _2 _3);
    raise_5 5 (_0 _1 _2 _3 _4);
    raise_6 6 (_0 _1 _2 _3 _4 _5);
}
