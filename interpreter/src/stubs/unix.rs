//! What stubs share with the unix library: its exception, and functions of it that C has no other
//! way to.

use super::{interface, raise};
use crate::heap::{self, Root};
use crate::memory::c_string;
use crate::os::Errno;
use crate::primitives::signals;
use crate::primitives::unix::{error, sockets};
use crate::value::Value;

interface! {
    "acr" fn unix_accept(close_on_exec: Value, socket: Value) -> Value {
        sockets::accept(close_on_exec, socket).unwrap_or_else(|raised| {
            raise::unwind(raised);
            Value::RAISED
        })
    }
    "a" fn unix_error_of_code(number: i32) -> Value {
        error::constructor(Errno(number as u16).to_linux())
    }
    "" fn code_of_unix_error(error: Value) -> i32 {
        Errno::from_linux(error::number(error)).0.into()
    }
    // About nothing where the argument is the null pointer. Handlers of signals run first, one of
    // which may have ended what C was waiting for.
    "acr" fn unix_error(number: i32, function: u32, argument: Value) {
        let function = String::from_utf8_lossy(&c_string(function)).into_owned();
        let argument = Root::new(match argument {
            Value(0) => heap::alloc_string(b""),
            argument => argument,
        });
        let handled = signals::deliver();
        let failure = Errno(number as u16);
        raise::unwind(match handled {
            Ok(()) => error::about(failure, &function, argument.get()),
            Err(raised) => raised,
        });
    }
}
