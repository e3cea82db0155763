//! `Gc.finalise` and `Gc.finalise_last`: see [`crate::heap::finalise`].

use crate::heap;
use crate::heap::finalise;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, tag};

crate::primitives! {
    Leaf "caml_final_register" register, 2;
    Leaf "caml_final_register_called_without_value" register_last, 2;
    Leaf "caml_final_release" release, 1;
}

fn register(function: Value, value: Value) -> Outcome {
    check(value)?;
    finalise::attach_first(function, value);
    Ok(Value::UNIT)
}

fn register_last(function: Value, value: Value) -> Outcome {
    check(value)?;
    finalise::attach_last(function, value);
    Ok(Value::UNIT)
}

fn release(_: Value) -> Value {
    finalise::release_running();
    Value::UNIT
}

/// Values that may be copied or skipped behind the program's back have no death to speak of.
fn check(value: Value) -> Result<(), Raised> {
    let accepted = heap::is_known_block(value)
        && !matches!(value.tag(), tag::LAZY | tag::DOUBLE | tag::FORWARD);
    match accepted {
        true => Ok(()),
        false => Err(raise::invalid_argument("Gc.finalise")),
    }
}
