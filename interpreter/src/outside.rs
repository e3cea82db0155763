//! Memory outside of the OCaml heap, for data that blocks only point to: bigarrays.
//!
//! Much data is memory that the heap's space of large blocks lends. Little comes from Rust's
//! allocator under Wasm; natively, where guest addresses are not host addresses, from
//! [`crate::memory::grow`], and is used again for data of the same size.

use crate::{evaluation, heap};

/// Data of this size and more is memory that the heap can use again.
const SHARED_SIZE: usize = 32 << 10;

/// `size` zeroed bytes, or `None`: memory is exhausted. `size` > 0.
pub fn alloc(size: usize) -> Option<u32> {
    assert!(size > 0, "an allocation has a size");
    evaluation::effect("memory outside of the heap");
    match size {
        SHARED_SIZE.. => heap::acquire_zeroed(size),
        _ if !heap::can_spare() => None,
        _ => little::alloc(size),
    }
}

/// Gives back the `size` bytes at `address` that [`alloc`] returned.
pub fn free(address: u32, size: usize) {
    match size {
        SHARED_SIZE.. => heap::give_back(address, size),
        _ => little::free(address, size),
    }
}

#[cfg(target_family = "wasm")]
mod little {
    use crate::allocator;
    use std::alloc::{self, Layout};

    /// What every address here is a multiple of.
    const ALIGN: usize = 16;

    pub fn alloc(size: usize) -> Option<u32> {
        let layout = Layout::from_size_align(size, ALIGN).ok()?;
        // SAFETY: the size is not zero.
        let pointer = allocator::attempt(|| unsafe { alloc::alloc_zeroed(layout) });
        (!pointer.is_null()).then_some(pointer as u32)
    }

    pub fn free(address: u32, size: usize) {
        let layout = Layout::from_size_align(size, ALIGN).expect("the layout was valid once");
        // SAFETY: the caller hands back what `alloc` returned for this size.
        unsafe { alloc::dealloc(address as usize as *mut u8, layout) }
    }
}

#[cfg(not(target_family = "wasm"))]
mod little {
    use crate::memory;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    thread_local! {
        /// What was given back, by size.
        static FREE: RefCell<BTreeMap<usize, Vec<u32>>> = const { RefCell::new(BTreeMap::new()) };
    }

    pub fn alloc(size: usize) -> Option<u32> {
        let reused = FREE.with_borrow_mut(|free| free.get_mut(&size).and_then(Vec::pop));
        match reused {
            Some(address) => {
                memory::fill(address, size, 0);
                Some(address)
            }
            None => memory::grow(size),
        }
    }

    pub fn free(address: u32, size: usize) {
        FREE.with_borrow_mut(|free| free.entry(size).or_default().push(address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory;
    use crate::testing::start_machine;

    #[test]
    fn what_neighbours_gave_back_is_one_range_of_zeros() {
        start_machine();
        let size = 2 * SHARED_SIZE - 1000;
        let data = [(); 3].map(|()| alloc(size).expect("memory"));
        for start in data {
            memory::store_u64(start, 7);
            free(start, size);
        }
        heap::collect_major();
        assert_eq!(alloc(3 * size), Some(data[0]));
        assert!(data.iter().all(|&start| memory::load_u64(start) == 0));
    }
}
