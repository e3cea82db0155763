//! Values that the runtime itself keeps: those registered under a name, the command line, signal
//! handlers.
//!
//! Invariant: each of them is a root; the collector visits them through [`for_each_root`].

use crate::value::Value;
use std::cell::{Cell, RefCell};

struct Named {
    name: Box<[u8]>,
    value: Box<Cell<Value>>,
}

thread_local! {
    static NAMED: RefCell<Vec<Named>> = const { RefCell::new(Vec::new()) };
}

/// Name of `Stdlib.do_at_exit`.
pub const AT_EXIT: &[u8] = b"Pervasives.do_at_exit";
/// Name of the function that takes over the printing of uncaught exceptions.
pub const UNCAUGHT: &[u8] = b"Printexc.handle_uncaught_exception";

/// The value of `Sys.argv`. As with the next one, no program can register this name.
pub const COMMAND_LINE: &[u8] = b"\0argv";
/// What OCaml's runtime keeps for its debugger.
pub const DEBUGGER_FLAGS: &[u8] = b"\0debugger";

crate::primitives! {
    Leaf "caml_register_named_value" register_named_value, 2;
}

fn register_named_value(name: Value, value: Value) -> Value {
    let name = name.to_bytes();
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    set(name, value);
    Value::UNIT
}

/// Keeps `value` under `name`, in place of what was there.
pub fn set(name: &[u8], value: Value) {
    NAMED.with_borrow_mut(|named| {
        if named.is_empty() {
            crate::heap::register_roots(for_each_root);
        }
        match named.iter().find(|entry| *entry.name == *name) {
            Some(entry) => entry.value.set(value),
            None => named.push(Named {
                name: name.into(),
                value: Box::new(Cell::new(value)),
            }),
        }
    })
}

/// The value under `name`.
pub fn get(name: &[u8]) -> Option<Value> {
    NAMED.with_borrow(|named| {
        let entry = named.iter().find(|entry| *entry.name == *name)?;
        Some(entry.value.get())
    })
}

/// Where the value under `name` is kept, as long as the program runs.
#[cfg(target_family = "wasm")]
pub fn address(name: &[u8]) -> Option<u32> {
    NAMED.with_borrow(|named| {
        let entry = named.iter().find(|entry| *entry.name == *name)?;
        Some(entry.value.as_ptr() as usize as u32)
    })
}

/// Shows each value kept here to the collector.
pub fn for_each_root(visit: &mut dyn FnMut(&Cell<Value>)) {
    NAMED.with_borrow(|named| named.iter().for_each(|entry| visit(&entry.value)))
}
