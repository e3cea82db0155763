//! `Gc.finalise` and `Gc.finalise_last`: see [`crate::heap::finalise`].

use crate::heap;
use crate::heap::finalise;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, tag};

crate::primitives! {
    AllocatesLarge "caml_final_register" register, 2;
    AllocatesLarge "caml_final_register_called_without_value" register_last, 2;
    Leaf "caml_final_release" release, 1;
}

fn register(function: Value, value: Value) -> Outcome {
    check(value)?;
    attached(finalise::attach_first(function, value))
}

fn register_last(function: Value, value: Value) -> Outcome {
    check(value)?;
    attached(finalise::attach_last(function, value))
}

fn attached(attached: Option<()>) -> Outcome {
    attached
        .map(|()| Value::UNIT)
        .ok_or_else(raise::out_of_memory)
}

fn release(_: Value) -> Value {
    finalise::release_running();
    Value::UNIT
}

/// Values that may be copied or skipped behind the program's back have no death to speak of. Blocks
/// of no fields are outside of the heap.
fn check(value: Value) -> Result<(), Raised> {
    let accepted = heap::is_known_block(value)
        && value.wosize() > 0
        && !matches!(value.tag(), tag::LAZY | tag::DOUBLE | tag::FORWARD);
    match accepted {
        true => Ok(()),
        false => Err(raise::invalid_argument("Gc.finalise")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::testing::{call, start_machine};

    /// What is outside of the heap under ocamlrun, and what the collector may copy or skip.
    #[test]
    fn values_without_a_death_are_refused() {
        start_machine();
        let refused = [
            Value::int(3),
            heap::atom(0),
            heap::atom(tag::DOUBLE_ARRAY),
            heap::alloc_float(1.5),
            heap::alloc_fields(tag::FORWARD, &[Value::UNIT]),
        ];
        for name in [
            "caml_final_register",
            "caml_final_register_called_without_value",
        ] {
            for value in refused {
                let error = "Invalid_argument: Gc.finalise".to_owned();
                assert_eq!(call(name, &[Value::UNIT, value]), Err(error), "{value:?}");
            }
            let accepted = heap::alloc_fields(0, &[Value::UNIT]);
            assert_eq!(call(name, &[Value::UNIT, accepted]), Ok(Value::UNIT));
        }
    }
}
