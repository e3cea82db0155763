//! Values that the runtime itself keeps: those registered under a name, the command line, signal
//! handlers.
//!
//! Invariant: each of them is a root; the collector visits them through [`for_each_root`].

use crate::value::Value;
use std::cell::Cell;
use std::iter;

/// A value and its name, in a list of those whose names have the same hash. It stays for good where
/// it is: no name is taken back, and functions in C keep the value's address.
struct Named {
    name: Box<[u8]>,
    value: Cell<Value>,
    next: List,
}

type List = Option<&'static Named>;

/// Enough for tens of thousands of names. A map of the standard library would be a fiftieth of
/// hello world.
const LISTS: usize = 256;

thread_local! {
    static NAMED: [Cell<List>; LISTS] = const { [const { Cell::new(None) }; LISTS] };
    static HAS_ROOTS: Cell<bool> = const { Cell::new(false) };
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

/// Does something with the list that has this name.
fn with_list<T>(name: &[u8], what: impl FnOnce(&Cell<List>) -> T) -> T {
    let hash = name.iter().fold(0_u32, |hash, &byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    NAMED.with(|lists| what(&lists[hash as usize % LISTS]))
}

/// Keeps `value` under `name`, in place of what was there.
pub fn set(name: &[u8], value: Value) {
    if !HAS_ROOTS.replace(true) {
        crate::heap::register_roots(for_each_root);
    }
    if let Some(kept) = find(name) {
        return kept.set(value);
    }
    with_list(name, |list| {
        list.set(Some(Box::leak(Box::new(Named {
            name: name.into(),
            value: Cell::new(value),
            next: list.get(),
        }))));
    });
}

/// The value under `name`.
pub fn get(name: &[u8]) -> Option<Value> {
    find(name).map(Cell::get)
}

/// Where the value under `name` is kept, as long as the program runs.
#[cfg(target_family = "wasm")]
pub fn address(name: &[u8]) -> Option<u32> {
    find(name).map(|kept| kept.as_ptr() as usize as u32)
}

fn find(name: &[u8]) -> Option<&'static Cell<Value>> {
    let entry = with_list(name, |list| {
        entries(list.get()).find(|entry| *entry.name == *name)
    });
    entry.map(|entry| &entry.value)
}

fn entries(list: List) -> impl Iterator<Item = &'static Named> {
    iter::successors(list, |entry| entry.next)
}

/// Shows each value kept here to the collector.
pub fn for_each_root(visit: &mut dyn FnMut(&Cell<Value>)) {
    NAMED.with(|lists| {
        let kept = lists.iter().flat_map(|list| entries(list.get()));
        kept.for_each(|entry| visit(&entry.value));
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::testing::{call, start_machine};
    use crate::testing::string;

    /// Registers so many values, each under a name of its own.
    fn register(count: usize) {
        start_machine();
        for index in 0..count {
            let name = string(format!("a name that is as long as names are {index}"));
            let value = Value::int(index as i64);
            call("caml_register_named_value", &[name, value]).expect("unit");
            if index % 1000 == 0 {
                crate::heap::collect_minor();
            }
        }
    }

    #[test]
    fn a_name_has_the_value_that_it_was_given_last() {
        register(40);
        set(b"a name that is as long as names are 7", Value::int(70));
        set(b"a name", Value::int(80));
        let known = |name: &str| get(name.as_bytes()).map(Value::as_int);
        assert_eq!(known("a name that is as long as names are 7"), Some(70));
        assert_eq!(known("a name that is as long as names are 39"), Some(39));
        assert_eq!(known("a name"), Some(80));
        assert_eq!(known("a name that is"), None);
        let mut roots = 0;
        for_each_root(&mut |_| roots += 1);
        assert_eq!(roots, 41);
    }
}
