//! Code that is loaded at run time, and the toplevel's access to its own program: not to be had here, where
//! the program is compiled ahead. Each of these raises `Failure` with its name.

use super::registry::Outcome;
use crate::heap;
use crate::raise;
use crate::value::Value;

crate::primitives! {
    Leaf "caml_dynlink_open_lib" open_lib, 2;
    Leaf "caml_dynlink_close_lib" close_lib, 1;
    Leaf "caml_dynlink_lookup_symbol" lookup_symbol, 2;
    Leaf "caml_dynlink_add_primitive" add_primitive, 1;
    Leaf "caml_dynlink_get_current_libs" get_current_libs, 1;
    Leaf "caml_realloc_global" realloc_global, 1;
    Leaf "caml_get_section_table" get_section_table, 1;
    Leaf "caml_reify_bytecode" reify_bytecode, 3;
    Leaf "caml_static_release_bytecode" static_release_bytecode, 1;
    Leaf "caml_invoke_traced_function" invoke_traced_function, 3;
    Leaf "caml_get_current_environment" get_current_environment, 1;
}

fn unavailable(name: &str) -> Outcome {
    Err(raise::failure(format!(
        "{name}: code cannot be loaded at run time"
    )))
}

fn open_lib(_mode: Value, _name: Value) -> Outcome {
    unavailable("caml_dynlink_open_lib")
}

fn close_lib(_handle: Value) -> Outcome {
    unavailable("caml_dynlink_close_lib")
}

fn lookup_symbol(_handle: Value, _symbol: Value) -> Outcome {
    unavailable("caml_dynlink_lookup_symbol")
}

fn add_primitive(_handle: Value) -> Outcome {
    unavailable("caml_dynlink_add_primitive")
}

/// No libraries are loaded.
fn get_current_libs(_: Value) -> Value {
    heap::atom(0)
}

/// What `ocamlrun` answers without a section table.
fn get_section_table(_: Value) -> Outcome {
    Err(raise::not_found())
}

fn realloc_global(_size: Value) -> Outcome {
    unavailable("caml_realloc_global")
}

fn reify_bytecode(_code: Value, _events: Value, _digest: Value) -> Outcome {
    unavailable("caml_reify_bytecode")
}

fn static_release_bytecode(_code: Value) -> Outcome {
    unavailable("caml_static_release_bytecode")
}

fn invoke_traced_function(_code: Value, _environment: Value, _argument: Value) -> Outcome {
    unavailable("caml_invoke_traced_function")
}

fn get_current_environment(_: Value) -> Outcome {
    unavailable("caml_get_current_environment")
}
