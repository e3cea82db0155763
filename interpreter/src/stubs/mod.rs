//! What stubs call: OCaml's interface for C, function by function, as its manual describes it
//! (chapter "Interfacing C with OCaml"). The headers in `snapshot-tool/src/guest/ocaml/include`
//! declare them.
//!
//! A `value` of C is a [`Value`], a pointer is an address. Each function's letters say what it may
//! do: `a` allocate, `c` collect or run OCaml code, `r` raise; `m` says that it returns a block
//! that it made. The linker adds up what a stub may do from what it calls, and so finds how the
//! interpreter has to call it.
//!
//! Invariants:
//! * allocation never collects, so only functions with a `c` move blocks; whatever the stub still
//!   needs then is a local or global root (see `roots`);
//! * a function that raises has said so by [`foreign::unwind`] and returns at once.
//!
//! Leaves out: what the headers can do themselves.

mod alloc;
mod bigarray;
mod callback;
mod custom;
mod marshal;
mod memory;
mod raise;
mod roots;
mod runtime;
mod system;
mod unix;

use crate::foreign::{self, BACTRIAN_STUBS};
use crate::value::Value;

/// Defines functions for stubs: letters, then a function of C.
macro_rules! interface {
    ($(
        $letters:literal fn $name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)? $body:block
    )*) => {$(
        #[unsafe(export_name = concat!("stubs:", $letters, ":", stringify!($name)))]
        extern "C" fn $name($($argument: $ty),*) $(-> $result)? $body
    )*};
}
use interface;

/// Makes what was joined to this module ready: values that stubs keep are roots from now on, and
/// their constructors have run.
pub fn start() {
    if foreign::get(&BACTRIAN_STUBS.primitives_len) == 0 {
        return;
    }
    roots::register();
    foreign::call(foreign::get(&BACTRIAN_STUBS.initialise));
}

/// Address and length of an array of values.
fn values(address: u32, len: u32) -> Vec<Value> {
    let at = |index| crate::registry::argument(address, index);
    (0..len).map(at).collect()
}
