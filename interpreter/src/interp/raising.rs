//! Goes on with what a call has returned when that may be an exception, without a second way on:
//! LLVM makes a tail call only of the one call in which a function ends.

#[cfg(target_family = "wasm")]
use super::entries::MAX_DIRECT;
#[cfg(target_family = "wasm")]
use crate::code;
use crate::value::Value;

/// What looks like a closure, and behind it the cell of its code, which looks like an entry.
#[cfg(target_family = "wasm")]
#[repr(C, align(8))]
struct Raising {
    code: *const Cell,
    cell: Cell,
}

#[cfg(target_family = "wasm")]
#[repr(C, align(8))]
struct Cell {
    word: u32,
    slot: *const (),
}

// SAFETY: nobody writes it, and functions are the same for all threads.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Raising {}

/// What a call has returned, to be applied to `n` arguments. If it has raised, a function that
/// raises again: so that there is one way on, which is a tail call.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn raised_or(returned: i64, n: u32) -> i64 {
    match returned == Value::RAISED.0 {
        true => &raw const RAISING[n as usize - 1] as usize as i64,
        false => returned,
    }
}

#[cfg(not(target_family = "wasm"))]
pub fn raised_or(returned: i64, _n: u32) -> i64 {
    returned
}

macro_rules! raising {
    ($($name:ident $n:literal ($($argument:ident)*);)*) => {
        $(
            pub extern "C" fn $name(_: i64, _: u32, $($argument: i64),*) -> i64 {
                Value::RAISED.0
            }
        )*

        /// By number of arguments, less one.
        #[cfg(target_family = "wasm")]
        static RAISING: [Raising; MAX_DIRECT as usize] = [$(Raising {
            code: &raw const RAISING[$n - 1].cell,
            cell: Cell {
                word: code::entry_word($n),
                slot: $name as *const (),
            },
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
    raise_7 7 (_0 _1 _2 _3 _4 _5 _6);
}
