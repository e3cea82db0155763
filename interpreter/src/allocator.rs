//! The allocator of Rust's own data in the module: the standard one, but large blocks are zeroed when they are
//! freed, so that what loading a program leaves behind is no part of the snapshot; and without memory the program
//! ends as others do, where the standard library would abort, which is a trap.
//!
//! Invariant: a block of [`LARGE`] bytes or more holds nothing once it is free. Leaves out: small blocks, whose
//! remains cost a snapshot little.

use crate::os;
use std::alloc::{GlobalAlloc, Layout, System};

/// Zeroing pays from this size on: a fraction of the pages that the snapshot is stored in.
const LARGE: usize = 1024;

struct Zeroing;

#[global_allocator]
static ALLOCATOR: Zeroing = Zeroing;

// SAFETY: allocation is the system allocator's; blocks are written only while they are this allocator's.
unsafe impl GlobalAlloc for Zeroing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        existing(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        existing(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= LARGE {
            // SAFETY: the block has this size, and its owner has given it up.
            unsafe { block.write_bytes(0, layout.size()) };
            // To the compiler, writing to a block that is about to be freed has no effect.
            core::hint::black_box(block);
        }
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// `block`, unless memory is exhausted. The message needs none.
fn existing(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        os::write_all(2, b"Fatal error: out of memory\n");
        os::exit(2)
    }
    block
}
