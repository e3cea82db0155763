//! What a program uses to extend itself: code from memory, more globals, its own sections, traced functions.
//!
//! The global data block is at an address that compiled code knows: it grows in place, in room reserved for it.

use super::code_fragment::Digest;
use super::registry::{Outcome, Raised};
use crate::image::{ImageError, dynamic, sections};
use crate::interp::calls::closure_info;
use crate::value::{Value, header, tag};
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

/// Makes a function of code: `segments` are the bytes of its words. Returns what releases it, and the function.
fn reify_bytecode(segments: Value, _events: Value, digest: Value) -> Outcome {
    let bytes = concatenated(segments);
    let words: Vec<i32> = bytes
        .chunks_exact(4)
        .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    let start = dynamic::load(&words, given_digest(digest)).map_err(rejected)?;
    let handle = heap::alloc(HANDLE_WORDS, tag::ABSTRACT);
    handle.init_field(0, Value(start.into()));
    handle.init_field(1, Value(bytes.len() as i64));
    let closure = heap::alloc_fields(tag::CLOSURE, &[Value(start.into()), Value(closure_info(2))]);
    Ok(heap::alloc_fields(0, &[handle, closure]))
}

/// The bytes of an array of `Bytes`.
fn concatenated(segments: Value) -> Vec<u8> {
    let parts: Vec<&[u8]> = (0..segments.wosize())
        .map(|index| segments.field(index).string_bytes())
        .collect();
    parts.concat()
}

/// The digest in an option.
fn given_digest(option: Value) -> Option<Digest> {
    let digest = option.is_block().then(|| option.field(0));
    digest.and_then(|digest| digest.string_bytes().try_into().ok())
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

/// Grows the global data block to more than `size` words, in the steps of `ocamlrun`, which programs can see.
fn realloc_global(size: Value) -> Outcome {
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
    interp::apply_code(custom::as_int64(code) as u32, closure, argument)
}

/// The closure of the calling function: the interpreter's shortcut answers, since it alone knows.
fn get_current_environment(_: Value) -> Value {
    unreachable!("the interpreter has a shortcut for caml_get_current_environment")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Root;
    use crate::image;
    use crate::image::assemble::{GLOBALS, assemble, executable};
    use crate::memory;
    use crate::primitives::code_fragment;
    use crate::primitives::marshal::output::{Flags, marshal};
    use crate::primitives::testing::{call, string};
}
