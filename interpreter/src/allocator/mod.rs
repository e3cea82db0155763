//! Rust's own data in the module: what lasts, and what only loading a program needs.
//!
//! A snapshot holds all memory that is not zero, and a runtime maps it from a file. So it should be
//! small and dense, but loading takes many times the memory of what stays. While a program is
//! loaded, blocks come from an arena of their own at the end of memory, unless they are made under
//! [`lasting`]. In the end that arena is wiped and becomes free memory.
//!
//! An allocation that finds no memory ends the program with OCaml's message; under [`attempt`] it
//! fails instead.
//!
//! Invariant: no block of the arena outlives loading; they are counted. Natively none of this is
//! needed.

#[cfg(target_family = "wasm")]
mod arenas;

#[cfg(target_family = "wasm")]
pub use arenas::{attempt, borrow_from, lasting, with_scratch};

/// Bytes for small blocks.
const RESERVE: usize = 256 << 10;

/// Whether there is memory for so many bytes in a row.
pub fn has(bytes: usize) -> bool {
    let mut room = Vec::<u8>::new();
    let has_room = attempt(|| room.try_reserve_exact(bytes).is_ok());
    core::hint::black_box(room);
    has_room
}

/// Makes room for so many more entries of a list; nothing when memory is exhausted.
#[inline(never)]
pub fn make_room<T>(list: &mut Vec<T>, more: usize) -> Option<()> {
    attempt(|| list.try_reserve(more).ok())
}

/// Takes memory for small blocks while there is some: the heap may take all the rest.
pub fn reserve() {
    drop(core::hint::black_box(Vec::<u8>::with_capacity(RESERVE)));
}

#[cfg(not(target_family = "wasm"))]
pub fn borrow_from(_lender: fn(usize) -> Option<u32>) {}

#[cfg(not(target_family = "wasm"))]
pub fn lasting<R>(make: impl FnOnce() -> R) -> R {
    make()
}

#[cfg(not(target_family = "wasm"))]
pub fn attempt<R>(make: impl FnOnce() -> R) -> R {
    make()
}
