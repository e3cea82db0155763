//! The guest's address space: 32-bit addresses, and loads and stores at them.
//!
//! Under Wasm an address is a pointer. Natively each thread has an address space of its own, so
//! that tests run in parallel; an access outside of what [`take`] handed out panics there.

/// Address space of one native thread, in bytes. Pages that nobody touches cost nothing.
#[cfg(not(target_family = "wasm"))]
const NATIVE_SIZE: usize = 1 << 29;

#[cfg(not(target_family = "wasm"))]
mod native {
    use super::NATIVE_SIZE;
    use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    pub struct Space {
        pub base: *mut u8,
        /// First address that was never handed out.
        pub end: Cell<u32>,
        /// What was given back: sizes by their addresses. Neighbours are one.
        pub free: RefCell<BTreeMap<u32, u32>>,
    }

    fn layout() -> Layout {
        Layout::from_size_align(NATIVE_SIZE, 16).expect("a valid layout")
    }

    impl Space {
        fn new() -> Self {
            // SAFETY: the layout has a size other than zero.
            let base = unsafe { alloc_zeroed(layout()) };
            if base.is_null() {
                handle_alloc_error(layout())
            }
            Self {
                base,
                end: Cell::new(4096),
                free: RefCell::default(),
            }
        }
    }

    impl Drop for Space {
        fn drop(&mut self) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { std::alloc::dealloc(self.base, layout()) }
        }
    }

    thread_local! {
        pub static SPACE: Space = Space::new();
    }
}

/// The host's pointer to `len` bytes at `address`.
#[inline(always)]
fn pointer(address: u32, len: usize) -> *mut u8 {
    #[cfg(target_family = "wasm")]
    {
        let _ = len;
        address as usize as *mut u8
    }
    #[cfg(not(target_family = "wasm"))]
    native::SPACE.with(|space| {
        let end = space.end.get() as usize;
        assert!(
            address != 0 && address as usize + len <= end,
            "access outside of memory: {len} bytes at {address:#x}"
        );
        space.base.wrapping_add(address as usize)
    })
}

/// `bytes` bytes, a multiple of 16 and aligned to that; `None` if there is no more memory.
#[cfg(target_family = "wasm")]
pub fn take(bytes: u32) -> Option<u32> {
    // SAFETY: no size here is zero.
    let taken = unsafe { std::alloc::alloc(layout(bytes)?) };
    (!taken.is_null()).then_some(taken as usize as u32)
}

/// Gives back what [`take`] gave.
#[cfg(target_family = "wasm")]
pub fn give_back(address: u32, bytes: u32) {
    let layout = layout(bytes).expect("it was taken with this size");
    // SAFETY: the caller's memory, with the layout that it was taken with.
    unsafe { std::alloc::dealloc(address as usize as *mut u8, layout) }
}

#[cfg(target_family = "wasm")]
fn layout(bytes: u32) -> Option<std::alloc::Layout> {
    std::alloc::Layout::from_size_align(bytes as usize, 16).ok()
}

/// `bytes` bytes, a multiple of 16 and aligned to that; `None` if there is no more memory.
#[cfg(not(target_family = "wasm"))]
pub fn take(bytes: u32) -> Option<u32> {
    native::SPACE.with(|space| {
        let mut free = space.free.borrow_mut();
        if let Some((&address, &size)) = free.iter().find(|(_, size)| **size >= bytes) {
            free.remove(&address);
            if size > bytes {
                free.insert(address + bytes, size - bytes);
            }
            return Some(address);
        }
        let start = space.end.get();
        let end = start as usize + bytes as usize;
        (end <= NATIVE_SIZE).then(|| {
            space.end.set(end as u32);
            start
        })
    })
}

/// Gives back what [`take`] gave.
#[cfg(not(target_family = "wasm"))]
pub fn give_back(address: u32, bytes: u32) {
    native::SPACE.with(|space| {
        let mut free = space.free.borrow_mut();
        let (mut address, mut bytes) = (address, bytes);
        if let Some(size) = free.remove(&(address + bytes)) {
            bytes += size;
        }
        if let Some((&before, &size)) = free.range(..address).next_back()
            && before + size == address
        {
            (address, bytes) = (before, size + bytes);
        }
        free.insert(address, bytes);
    });
}

macro_rules! accessors {
    ($($load:ident $store:ident $ty:ty;)*) => {$(
        #[inline(always)]
        pub fn $load(address: u32) -> $ty {
            let p = pointer(address, size_of::<$ty>()) as *const $ty;
            // SAFETY: inside of the guest's memory; any bit pattern is valid.
            unsafe { p.read_unaligned() }
        }

        #[inline(always)]
        pub fn $store(address: u32, value: $ty) {
            let p = pointer(address, size_of::<$ty>()) as *mut $ty;
            // SAFETY: inside of the guest's memory.
            unsafe { p.write_unaligned(value) }
        }
    )*};
}

accessors! {
    load_u32 store_u32 u32;
    load_i64 store_i64 i64;
    load_f64 store_f64 f64;
}

/// Copies words; the ranges do not overlap.
pub fn copy_words(from: u32, to: u32, words: u32) {
    let len = words as usize * 8;
    let (from, to) = (pointer(from, len), pointer(to, len));
    // SAFETY: both ranges are inside of the guest's memory.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len) }
}

/// Reads a word of the stack: a cell.
#[inline(always)]
pub fn cell_read(address: u32) -> i64 {
    #[cfg(target_family = "wasm")]
    // SAFETY: an aligned word of the stack.
    return unsafe { annotations::cells_read(address) };
    #[cfg(not(target_family = "wasm"))]
    load_i64(address)
}

/// Writes a word of the stack.
#[inline(always)]
pub fn cell_write(address: u32, value: i64) {
    #[cfg(target_family = "wasm")]
    // SAFETY: an aligned word of the stack.
    return unsafe { annotations::cells_write(address, value) };
    #[cfg(not(target_family = "wasm"))]
    store_i64(address, value)
}
