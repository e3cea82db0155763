//! Roots: the OCaml stack, the registers, values that other modules hold, and [`Root`]s.
//!
//! Every cell of the stack from `vm().sp` up is a value or a code position (see `backtrace`), which
//! the range checks skip. A module of the runtime that keeps values in Rust variables across
//! safepoints (named values, for one) registers a visitor once.

use super::state::Heap;
use crate::memory;
use crate::value::{Value, WORD};
use crate::vm::vm;
use std::cell::{Cell, RefCell};

/// Calls its argument with each value that the module holds.
pub type RootVisitor = fn(&mut dyn FnMut(&Cell<Value>));

/// Registers a module's roots. Once a module, at the first use.
pub fn register_roots(visitor: RootVisitor) {
    register(&super::state::heap().visitors, visitor);
}

/// Registers those of a module's roots that minor collections need not look at: those that hold a
/// nursery block are shown by another visitor as well.
pub fn register_old_roots(visitor: RootVisitor) {
    register(&super::state::heap().old_visitors, visitor);
}

fn register(visitors: &RefCell<Vec<RootVisitor>>, visitor: RootVisitor) {
    let mut visitors = visitors.borrow_mut();
    let is_known = |&known: &RootVisitor| core::ptr::fn_addr_eq(known, visitor);
    if !visitors.iter().any(is_known) {
        visitors.push(visitor);
    }
}

/// A value kept on the OCaml stack, where the collector updates it: for primitives that hold values
/// across a call to OCaml code or a collection. Dropped in the reverse order of creation.
pub struct Root {
    address: u32,
}

impl Root {
    pub fn new(value: Value) -> Self {
        let vm = vm();
        let address = vm.sp.get() - WORD;
        assert!(
            address >= vm.stack_low.get(),
            "roots stay within the margin of the OCaml stack"
        );
        memory::store_i64(address, value.0);
        vm.sp.set(address);
        Self { address }
    }

    pub fn get(&self) -> Value {
        Value(memory::load_i64(self.address))
    }

    pub fn set(&self, value: Value) {
        memory::store_i64(self.address, value.0)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let vm = vm();
        assert!(
            vm.sp.get() == self.address,
            "roots are dropped in the reverse order of their creation"
        );
        vm.sp.set(self.address + WORD);
    }
}

/// Calls `visit` with each root that is not on the stack, nor the business of finalisers.
pub fn for_each_cell(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    for_each_young_cell(heap, visit);
    for visitor in heap.old_visitors.borrow().iter() {
        visitor(visit);
    }
}

/// The same with each that may hold a nursery block.
#[inline(never)]
pub fn for_each_young_cell(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    let vm = vm();
    visit(&vm.exception);
    visit(&vm.backtrace_exception);
    for visitor in heap.visitors.borrow().iter() {
        visitor(visit);
    }
}

/// Ranges of addresses that hold nothing but roots: the stack, and the fields of the globals block.
pub fn ranges() -> [(u32, u32); 2] {
    let vm = vm();
    let globals = vm.globals.get();
    let fields = match globals.is_block() {
        true => (globals.address(), globals.field_address(globals.wosize())),
        false => (0, 0),
    };
    [(vm.sp.get(), vm.stack_high.get()), fields]
}
