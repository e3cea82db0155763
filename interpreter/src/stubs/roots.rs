//! Values that stubs keep: locals that they have declared, and variables that they have registered.
//!
//! A stub's locals are roots while it runs: C keeps a list of blocks, the innermost first, each
//! with the addresses of variables. The list is as it was when a call of a stub began once that
//! call is over, however it ended: the linker's wrappers see to it.

use super::interface;
use crate::allocator;
use crate::foreign::{self, BACTRIAN_STUBS};
use crate::heap;
use crate::memory;
use crate::value::{Value, WORD};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

thread_local! {
    /// Addresses of registered variables.
    static GLOBALS: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

interface! {
    "" fn caml_register_global_root(root: u32) {
        add(root);
    }
    "" fn caml_remove_global_root(root: u32) {
        remove(root);
    }
    "" fn caml_register_generational_global_root(root: u32) {
        add(root);
    }
    "" fn caml_remove_generational_global_root(root: u32) {
        remove(root);
    }
    "" fn caml_modify_generational_global_root(root: u32, value: Value) {
        memory::store_i64(root, value.0);
    }
}

fn add(root: u32) {
    GLOBALS.with_borrow_mut(|globals| globals.insert(root));
}

fn remove(root: u32) {
    GLOBALS.with_borrow_mut(|globals| globals.remove(&root));
}

/// From now on the collector asks for them.
pub fn register() {
    allocator::lasting(|| heap::register_roots(visit));
}

/// Layout of a block of locals: see `struct caml__roots_block` in `caml/memory.h`.
mod block {
    /// The next block outwards.
    pub const NEXT: u32 = 0;
    /// How many tables it has, and how many values each table.
    pub const TABLES: u32 = 4;
    pub const ITEMS: u32 = 8;
    /// The addresses of the tables.
    pub const FIRST: u32 = 12;
}

fn visit(visit: &mut dyn FnMut(&Cell<Value>)) {
    GLOBALS.with_borrow(|globals| globals.iter().for_each(|&root| visit(variable(root))));
    let mut at = foreign::get(&BACTRIAN_STUBS.local_roots);
    while at != 0 {
        for table in 0..memory::load_u32(at + block::TABLES) {
            let start = memory::load_u32(at + block::FIRST + table * 4);
            for item in 0..memory::load_u32(at + block::ITEMS) {
                visit(variable(start + item * WORD));
            }
        }
        at = memory::load_u32(at + block::NEXT);
    }
}

/// A variable of C.
fn variable(address: u32) -> &'static Cell<Value> {
    // SAFETY: C declared a variable there that is a value, and does not run now.
    unsafe { &*(address as usize as *const Cell<Value>) }
}
