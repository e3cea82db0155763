//! Values that stubs keep: locals that they have declared, and variables that they have registered.
//!
//! A stub's locals are roots while it runs: C keeps a list of blocks, the innermost first, each
//! with the addresses of variables. The list is as it was when a call of a stub began once that
//! call is over, however it ended: the linker's wrappers see to it.

use super::interface;
use crate::allocator;
use crate::foreign::{self, Globals};
use crate::heap;
use crate::memory;
use crate::value::Value;
use std::cell::{Cell, RefCell};

thread_local! {
    static GLOBALS: RefCell<Globals> = const { RefCell::new(Globals::new()) };
}

interface! {
    "" fn caml_register_global_root(root: u32) {
        if GLOBALS.with_borrow_mut(|globals| globals.add(root)) {
            count(root, 1);
        }
    }
    "" fn caml_remove_global_root(root: u32) {
        if GLOBALS.with_borrow_mut(|globals| globals.remove(root)) {
            count(root, -1);
        }
    }
    "" fn caml_register_generational_global_root(root: u32) {
        let value = Value(memory::load_i64(root));
        if GLOBALS.with_borrow_mut(|globals| globals.add_generational(root, value)) {
            count(root, 1);
        }
    }
    "" fn caml_remove_generational_global_root(root: u32) {
        if GLOBALS.with_borrow_mut(|globals| globals.remove_generational(root)) {
            count(root, -1);
        }
    }
    "" fn caml_modify_generational_global_root(root: u32, value: Value) {
        memory::store_i64(root, value.0);
        GLOBALS.with_borrow_mut(|globals| globals.note(root, value));
    }
}

fn count(root: u32, change: i32) {
    if is_on_stack(root) {
        foreign::count_global_roots_on_stack(change);
    }
}

/// Whether a variable of C is a local, or what `alloca` gave.
#[cfg(target_family = "wasm")]
fn is_on_stack(variable: u32) -> bool {
    unsafe extern "C" {
        /// Where the linker has put the stack: its end, from which it grows downwards.
        static __stack_high: u8;
    }
    variable < (&raw const __stack_high) as usize as u32
}

/// Natively nothing is joined.
#[cfg(not(target_family = "wasm"))]
fn is_on_stack(_variable: u32) -> bool {
    false
}

/// From now on the collector asks for them.
pub fn register() {
    allocator::lasting(|| {
        heap::register_roots(visit_young);
        heap::register_old_roots(visit_generational);
    });
}

fn visit_young(visit: &mut dyn FnMut(&Cell<Value>)) {
    GLOBALS.with_borrow_mut(|globals| {
        globals.look_at_young(|root| {
            visit(foreign::variable(root));
            foreign::variable(root).get()
        });
    });
    foreign::each_local_root(foreign::local_roots(), |address| address, visit);
}

fn visit_generational(visit: &mut dyn FnMut(&Cell<Value>)) {
    GLOBALS.with_borrow(|globals| {
        globals
            .generational()
            .for_each(|root| visit(foreign::variable(root)));
    });
}
