//! Stacks of the engine, by the imports of `bactrian_stacks` (see the annotations crate), and where
//! locals are kept that Rust and C have in memory.
//!
//! Invariant: where the host has none, and natively, [`Stack::new`] gives none, and nothing else is
//! called.

use crate::memory;
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
    locals: Locals,
}

/// What the functions on a stack have in memory, while others run.
#[derive(Debug)]
struct Locals(RefCell<Vec<u64>>);

thread_local! {
    /// Those of the first stack.
    static FIRST: Locals = const { Locals(RefCell::new(Vec::new())) };
}

/// Bytes of a word of [`Locals`].
const WORD: usize = size_of::<u64>();

impl Stack {
    /// None if there are no more.
    pub fn new() -> Option<Self> {
        let number = new();
        (number >= 0).then(|| Self {
            number,
            locals: Locals(RefCell::new(vec![0; LOCALS_LEN / WORD])),
        })
    }

    /// Goes on with this stack until it suspends itself. It begins with `start`, which never
    /// returns. For the first stack only.
    pub fn resume(&self, start: extern "C" fn()) {
        let its = self.locals.0.borrow().as_ptr();
        let own = FIRST.with(Locals::room);
        resume(self.number, start, own, its.cast());
    }

    /// Suspends this stack, which is the present one.
    pub fn suspend(&self) {
        suspend(self.locals.room());
    }
}

/// Where the local is that a stack, or the first one, has at this address while it runs; what is
/// none is where it is.
pub fn where_kept(stack: Option<&Stack>, address: u32) -> u32 {
    match stack {
        Some(stack) => stack.locals.where_kept(address),
        None => FIRST.with(|locals| locals.where_kept(address)),
    }
}

impl Locals {
    /// Room for the locals of the present stack, and for what is said of them.
    fn room(&self) -> *mut u8 {
        /// More than what the functions that are called next have.
        const MARGIN: usize = 1 << 10;
        let mut kept = self.0.borrow_mut();
        kept.resize((LOCALS_LEN + locals() + MARGIN).div_ceil(WORD), 0);
        kept.as_mut_ptr().cast()
    }

    fn where_kept(&self, address: u32) -> u32 {
        let kept = self.0.borrow().as_ptr() as usize as u32;
        let (len, begin) = (memory::load_u32(kept), memory::load_u32(kept + 4));
        match address.checked_sub(begin) {
            Some(offset) if offset < len => kept + LOCALS_LEN as u32 + offset,
            Some(_) | None => address,
        }
    }
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
fn resume(stack: i32, start: extern "C" fn(), own: *mut u8, its: *const u8) {
    // SAFETY: the linker's function copies locals to `own`, where `Locals::room` made room for more
    // than there are, and puts back those that the other stack has left at `its`.
    unsafe { raw::resume(stack, start, own, its) };
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
fn resume(_: i32, _: extern "C" fn(), _: *mut u8, _: *const u8) {
    unreachable!("natively there is one stack");
}

#[cfg(not(target_family = "wasm"))]
fn suspend(_: *mut u8) {
    unreachable!("natively there is one stack");
}
