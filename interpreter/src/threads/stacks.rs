//! Stacks of the engine, by the imports of `bactrian_stacks` (see the annotations crate).
//!
//! Invariant: where the host has none, and natively, [`Stack::new`] gives none, and nothing else is
//! called.

use annotations::LOCALS_LEN;
use std::cell::RefCell;

#[cfg(target_family = "wasm")]
mod raw {
    #[link(wasm_import_module = "bactrian_stacks")]
    unsafe extern "C" {
        pub fn locals() -> i32;
        pub fn new() -> i32;
        pub fn resume(stack: i32, start: extern "C" fn(), own: *mut u8, its: *const u8) -> i32;
        pub fn suspend(own: *mut u8) -> i32;
    }
}

/// A stack beside the first one.
#[derive(Debug)]
pub struct Stack {
    number: i32,
    /// What Rust has in memory of the functions that are on it, while it is suspended.
    locals: RefCell<Vec<u8>>,
}

impl Stack {
    /// None if there are no more.
    pub fn new() -> Option<Self> {
        let number = new();
        (number >= 0).then(|| Self {
            number,
            locals: RefCell::new(vec![0; LOCALS_LEN]),
        })
    }

    /// Goes on with this stack until it suspends itself. It begins with `start`, which never
    /// returns. For the first stack only, whose locals are kept in `own`.
    pub fn resume(&self, start: extern "C" fn(), own: &mut Vec<u8>) {
        make_room(own);
        let its = self.locals.borrow().as_ptr();
        resume(self.number, start, own, its);
    }

    /// Suspends this stack, which is the present one.
    pub fn suspend(&self) {
        let own = {
            let mut locals = self.locals.borrow_mut();
            make_room(&mut locals);
            locals.as_mut_ptr()
        };
        suspend(own);
    }
}

/// Makes room for the locals of the present stack, and for how many they are.
fn make_room(room: &mut Vec<u8>) {
    /// More than what the functions that are called next have.
    const MARGIN: usize = 1 << 10;
    room.resize(LOCALS_LEN + locals() + MARGIN, 0);
}

#[cfg(target_family = "wasm")]
fn locals() -> usize {
    // SAFETY: it takes nothing.
    unsafe { raw::locals() as usize }
}

#[cfg(target_family = "wasm")]
fn new() -> i32 {
    // SAFETY: it takes nothing.
    unsafe { raw::new() }
}

#[cfg(target_family = "wasm")]
fn resume(stack: i32, start: extern "C" fn(), own: &mut [u8], its: *const u8) {
    // SAFETY: the linker's function copies locals to `own`, where `make_room` made room for more
    // than there are, and puts back those that the other stack has left at `its`.
    unsafe { raw::resume(stack, start, own.as_mut_ptr(), its) };
}

#[cfg(target_family = "wasm")]
fn suspend(own: *mut u8) {
    // SAFETY: as in `resume`.
    unsafe { raw::suspend(own) };
}

#[cfg(not(target_family = "wasm"))]
fn locals() -> usize {
    0
}

#[cfg(not(target_family = "wasm"))]
fn new() -> i32 {
    annotations::NO_STACKS
}

#[cfg(not(target_family = "wasm"))]
fn resume(_: i32, _: extern "C" fn(), _: &mut [u8], _: *const u8) {
    unreachable!("natively there is one stack");
}

#[cfg(not(target_family = "wasm"))]
fn suspend(_: *mut u8) {
    unreachable!("natively there is one stack");
}
