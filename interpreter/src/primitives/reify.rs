//! What a program uses to extend itself: code from memory, more globals, its own sections, traced
//! functions.
//!
//! The global data block is at an address that compiled code knows: it grows in place, in room
//! reserved for it.

use super::dynamic;
use crate::code::fragments::Digest;
use crate::code::{self, ImageError};
use crate::evaluation;
use crate::image::sections;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, closure_info, header, tag};
use crate::vm::vm;
use crate::{custom, heap, interp, raise};

crate::primitives! {
    Allocates "caml_reify_bytecode" reify_bytecode, 3;
    Leaf "caml_static_release_bytecode" static_release_bytecode, 1;
    Leaf "caml_realloc_global" realloc_global, 1;
    Allocates "caml_get_section_table" get_section_table, 1;
    Collects "caml_invoke_traced_function" invoke_traced_function, 3;
    Leaf "caml_get_current_environment" get_current_environment, 1;
}

/// By how many globals the block grows at once is a multiple of this.
const GLOBALS_STEP: usize = 0x100;

/// Fields of the block that stands for loaded code: address, length in bytes of the words.
const HANDLE_WORDS: usize = 2;

/// Makes a function of code: `segments` are the bytes of its words. Returns what releases it, and
/// the function.
fn reify_bytecode(segments: Value, debug: Value, digest: Value) -> Outcome {
    let bytes = concatenated(segments);
    let start =
        dynamic::load(&code::words(&bytes), debug, given_digest(digest)).map_err(rejected)?;
    let handle = heap::alloc(HANDLE_WORDS, tag::ABSTRACT);
    handle.init_field(0, Value(start.into()));
    handle.init_field(1, Value(bytes.len() as i64));
    let closure = heap::alloc_fields(tag::CLOSURE, &[Value(start.into()), closure_info(2)]);
    Ok(heap::alloc_fields(0, &[handle, closure]))
}

/// The bytes of an array of `Bytes`.
fn concatenated(segments: Value) -> Vec<u8> {
    let parts: Vec<Vec<u8>> = (0..segments.wosize())
        .map(|index| segments.field(index).to_bytes())
        .collect();
    parts.concat()
}

/// The digest in an option.
fn given_digest(digest: Value) -> Option<Digest> {
    digest.option()?.to_bytes().try_into().ok()
}

fn rejected(error: ImageError) -> Raised {
    match error {
        ImageError::OutOfMemory => raise::out_of_memory(),
        error => raise::failure(format!("caml_reify_bytecode: {error}")),
    }
}

fn static_release_bytecode(handle: Value) -> Value {
    dynamic::release(handle.field(0).0 as u32);
    Value::UNIT
}

/// Grows the global data block to more than `size` words, in the steps of `ocamlrun`, which
/// programs can see.
fn realloc_global(size: Value) -> Outcome {
    evaluation::effect("code that is loaded");
    let globals = vm().globals.get();
    let (requested, actual) = (size.as_int() as usize, globals.wosize());
    if requested < actual {
        return Ok(Value::UNIT);
    }
    let words = (requested + GLOBALS_STEP) & !(GLOBALS_STEP - 1);
    if words > vm().globals_room.get() {
        return Err(raise::out_of_memory());
    }
    for index in actual..words {
        globals.init_field(index, Value::int(0));
    }
    globals.set_header(header(words, 0));
    Ok(Value::UNIT)
}

fn get_section_table(_: Value) -> Outcome {
    sections::table()
}

/// Applies a traced function: its own code, with the closure that now holds the tracer's.
fn invoke_traced_function(code: Value, closure: Value, argument: Value) -> Outcome {
    interp::apply_code(custom::as_int64(code) as u32, closure, &[argument])
}

/// The closure of the calling function: the interpreter's shortcut answers, since it alone knows.
fn get_current_environment(_: Value) -> Value {
    unreachable!("the interpreter has a shortcut for caml_get_current_environment")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Root;
    use crate::image::assemble::{GLOBALS, assemble, with_program};
    use crate::primitives::testing::call;
    use crate::testing::exceptions;

    /// The program: global 12 adds one, global 13 applies its argument to 5, global 14 subtracts
    /// its second argument.
    const PROGRAM: &str = "Closure 0 @add; SetGlobal 12; Closure 0 @five; SetGlobal 13; \
        Closure 0 @sub; SetGlobal 14; Stop; \
        add: Acc0; OffsetInt 1; Return 1; \
        five: ConstInt 5; PushAcc1; Apply1; Return 1; \
        Restart; sub: Grab 1; Acc1; PushAcc1; SubInt; Return 2";

    fn on_program<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
        with_program(assemble(PROGRAM), |result| {
            result.expect("the program ends");
            for (index, exception) in exceptions().into_iter().enumerate() {
                heap::modify(vm().globals.get(), index, exception);
            }
            f()
        })
    }

    fn segments(words: &[i32]) -> Value {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // In two pieces, the cut within a word.
        let (first, second) = bytes.split_at(bytes.len() / 2 + 1);
        heap::alloc_fields(0, &[first, second].map(heap::alloc_string))
    }

    /// The handle and the function.
    fn reify(words: &[i32]) -> Result<(Value, Value), String> {
        let none = Value::int(0);
        let pair = call("caml_reify_bytecode", &[segments(words), none, none])?;
        Ok((pair.field(0), pair.field(1)))
    }

    fn function(text: &str) -> Value {
        reify(&assemble(text)).expect("the code is well-formed").1
    }

    fn apply(function: Value, argument: i64) -> Result<i64, i64> {
        interp::apply(function, &[Value::int(argument)])
            .map(Value::as_int)
            .map_err(|_| vm().exception.get().as_int())
    }

    fn global(index: usize) -> Value {
        vm().globals.get().field(index)
    }

    #[test]
    fn new_code_and_the_program_call_each_other() {
        on_program(|| {
            let new = Root::new(function("Acc0; PushGetGlobal 12; Apply1; Return 1"));
            assert_eq!(apply(new.get(), 41), Ok(42));
            let through = interp::apply(global(13), &[new.get()]);
            assert_eq!(through.map(Value::as_int), Ok(6));
            heap::collect_major();
            heap::verify::verify();
            assert_eq!(apply(new.get(), 1), Ok(2));
        });
    }

    #[test]
    fn exceptions_cross_between_new_code_and_the_program() {
        on_program(|| {
            let raises = "Closure 0 @r; PushGetGlobal 13; Apply1; Return 1; r: Acc0; Raise";
            assert_eq!(apply(function(raises), 0), Err(5));
            let handles = format!("PushTrap @h; {raises}").replace(
                "Return 1; r:",
                "PopTrap; Return 1; h: OffsetInt 2; Return 1; r:",
            );
            assert_eq!(apply(function(&handles), 0), Ok(7));
        });
    }

    #[test]
    fn malformed_code_raises() {
        on_program(|| {
            let failure = |words: &[i32]| {
                let message = reify(words).expect_err("an exception");
                message.split_once(": ").expect("an argument").1.to_owned()
            };
            assert_eq!(
                failure(&[149]),
                "caml_reify_bytecode: section CODE, offset 0: 149 is no instruction"
            );
            assert_eq!(
                failure(&assemble("Acc1; Return 1")),
                "caml_reify_bytecode: section CODE, offset 0: stack underflow"
            );
            let beyond = format!("GetGlobal {GLOBALS}; Return 1");
            assert_eq!(
                failure(&assemble(&beyond)),
                format!(
                    "caml_reify_bytecode: section CODE, offset 0: operand {GLOBALS} is out of range"
                )
            );
            let none = Value::int(0);
            let empty = call("caml_reify_bytecode", &[heap::atom(0), none, none]);
            assert!(empty.is_err(), "code without an instruction");
        });
    }

    #[test]
    fn released_memory_is_used_again() {
        on_program(|| {
            let words = assemble("Const1; Return 1");
            let (handle, closure) = reify(&words).expect("well-formed");
            let address = closure.field(0);
            call("caml_static_release_bytecode", &[handle]).expect("it does not raise");
            let (_, again) = reify(&words).expect("well-formed");
            assert_eq!(again.field(0), address);
            assert_eq!(apply(again, 0), Ok(1));
        });
    }

    #[test]
    fn closures_of_new_code_are_marshalled_by_its_digest() {
        on_program(|| {
            let closure = function("Const3; Return 1");
            let other = function("Const2; Return 1");
            let closures = heap::alloc_list([Value::int(1)].into_iter());
            let marshalled = |value: Value| {
                call("caml_output_value_to_string", &[value, closures]).expect("it is marshalled")
            };
            for (value, result) in [(closure, 3), (other, 2), (global(12), 1)] {
                let copy = call(
                    "caml_input_value_from_bytes",
                    &[marshalled(value), Value::int(0)],
                )
                .expect("the code is known");
                assert_ne!(copy, value);
                assert_eq!(copy.field(0), value.field(0));
                assert_eq!(apply(copy, 0), Ok(result));
            }
            let compared = call("caml_compare", &[closure, other]);
            assert!(compared.is_err_and(|message| message.contains("functional value")));
        });
    }

    #[test]
    fn globals_grow_in_place() {
        on_program(|| {
            let before = vm().globals.get();
            let grow = |size: i64| call("caml_realloc_global", &[Value::int(size)]);
            assert_eq!(grow(GLOBALS as i64 - 1), Ok(Value::UNIT));
            assert_eq!(before.wosize(), GLOBALS);
            assert_eq!(grow(300), Ok(Value::UNIT));
            assert_eq!((vm().globals.get(), before.wosize()), (before, 512));
            assert_eq!(global(511), Value::int(0));
            // A young block in a new global survives.
            let set = function("Const2; PushConst1; MakeBlock2 0; SetGlobal 400; Return 1");
            assert!(interp::apply(set, &[Value::UNIT]).is_ok());
            heap::verify::verify();
            heap::collect_minor();
            heap::collect_major();
            heap::verify::verify();
            assert_eq!(global(400).field(1), Value::int(2));
            assert_eq!(grow(1 << 30), Err("Out_of_memory".to_owned()));
        });
    }

    #[test]
    fn a_traced_function_runs_its_own_code_to_the_end() {
        on_program(|| {
            let closure = Root::new(global(14));
            let code = custom::alloc_nativeint(closure.get().field(0).0);
            closure
                .get()
                .init_field(0, function("Const0; Return 1").field(0));
            assert_eq!(apply(closure.get(), 10), Ok(0));
            let partial = invoke_traced_function(code, closure.get(), Value::int(10));
            assert_eq!(apply(partial.expect("a closure"), 3), Ok(7));
        });
    }

    #[test]
    fn the_environment_is_the_running_function() {
        let code = assemble(
            "Closure 0 @f; SetGlobal 12; Const0; PushGetGlobal 12; Apply1; PushGetGlobal 12; Eq; \
             Stop; f: Const0; CCall1 4; Return 1",
        );
        assert_eq!(crate::image::assemble::run_words(code), Ok(1));
    }
}
