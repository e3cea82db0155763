//! What is specialized for a RESTART: a partial application gets the arguments that are missing,
//! and the function is entered by name. Other numbers of arguments go the way of generic code. What
//! is specialized for a short function is in [`super::restarted`], which finds the arguments as
//! this does. With that in common, the calls here were none in tail position.

use super::calls::{inexact_1, inexact_2, inexact_3};
use super::entries::{UNUSED, enter_with};
use super::partial::ARGUMENTS;
use crate::code;
use crate::value::Value;

macro_rules! restart {
    ($($name:ident $inexact:ident $n:literal ($($argument:ident $place:literal)*);)*) => {$(
        #[doc = concat!("Applies a partial application to ", $n, " arguments, of a function that")]
        /// takes up to [`MAX_DIRECT`](super::entries::MAX_DIRECT): what is specialized for the
        /// RESTART at `code`.
        pub extern "C" fn $name(code: u32, partial: i64, top: u32, $($argument: i64),*) -> i64 {
            let function = code + code::CELL;
            let arity = code::arity(function);
            let held = (arity - $n) as usize;
            if Value(partial).wosize() != ARGUMENTS + held {
                return $inexact(partial, top, $($argument),*);
            }
            let field = |index| Value(partial).field(index).0;
            let arguments = core::array::from_fn(|index| match index.checked_sub(held) {
                None => field(ARGUMENTS + index),
                // No array of the new ones: it would be in memory, and its release after the call
                // would keep that from being a tail call.
                $(Some($place) => $argument,)*
                Some(_) => UNUSED,
            });
            let closure = field(ARGUMENTS - 1);
            enter_with(function, closure, top, arity, arguments)
        }
    )*};
}

restart! {
    restart_1 inexact_1 1 (a0 0);
    restart_2 inexact_2 2 (a0 0 a1 1);
    restart_3 inexact_3 3 (a0 0 a1 1 a2 2);
}
