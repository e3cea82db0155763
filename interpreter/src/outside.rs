//! Memory outside of the OCaml heap, for data that blocks only point to: bigarrays.
//!
//! Under Wasm it comes from Rust's allocator, or for much data from the space of large blocks;
//! natively, where guest addresses are not host addresses, from [`crate::memory::grow`], and is
//! used again for data of the same size.

#[cfg(target_family = "wasm")]
use crate::{allocator, evaluation, heap};
#[cfg(target_family = "wasm")]
use std::alloc::{self, Layout};

/// What every address here is a multiple of.
#[cfg(target_family = "wasm")]
const ALIGN: usize = 16;

/// Data of this size and more is memory that the heap can use again.
#[cfg(target_family = "wasm")]
const SHARED_SIZE: usize = 32 << 10;

/// `size` zeroed bytes, or `None`: memory is exhausted. `size` > 0.
#[cfg(target_family = "wasm")]
pub fn alloc(size: usize) -> Option<u32> {
    assert!(size > 0, "an allocation has a size");
    evaluation::effect("memory outside of the heap");
    if size >= SHARED_SIZE {
        return heap::acquire_zeroed(size);
    }
    let layout = Layout::from_size_align(size, ALIGN).ok()?;
    // SAFETY: the size is not zero.
    let pointer = allocator::attempt(|| unsafe { alloc::alloc_zeroed(layout) });
    (!pointer.is_null()).then_some(pointer as u32)
}

/// Gives back the `size` bytes at `address` that [`alloc`] returned.
#[cfg(target_family = "wasm")]
pub fn free(address: u32, size: usize) {
    if size >= SHARED_SIZE {
        return heap::give_back(address, size);
    }
    let layout = Layout::from_size_align(size, ALIGN).expect("the layout was valid once");
    // SAFETY: the caller hands back what `alloc` returned for this size.
    unsafe { alloc::dealloc(address as usize as *mut u8, layout) }
}

#[cfg(not(target_family = "wasm"))]
pub use native::{alloc, free};

#[cfg(not(target_family = "wasm"))]
mod native {
    use crate::memory;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    thread_local! {
        /// What was given back, by size.
        static FREE: RefCell<BTreeMap<usize, Vec<u32>>> = const { RefCell::new(BTreeMap::new()) };
    }

    /// `size` zeroed bytes, or `None`: memory is exhausted. `size` > 0.
    pub fn alloc(size: usize) -> Option<u32> {
        assert!(size > 0, "an allocation has a size");
        let reused = FREE.with_borrow_mut(|free| free.get_mut(&size).and_then(Vec::pop));
        match reused {
            Some(address) => {
                memory::fill(address, size, 0);
                Some(address)
            }
            None => memory::grow(size),
        }
    }

    /// Gives back the `size` bytes at `address` that [`alloc`] returned.
    pub fn free(address: u32, size: usize) {
        FREE.with_borrow_mut(|free| free.entry(size).or_default().push(address));
    }
}
