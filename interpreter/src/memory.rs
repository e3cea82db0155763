//! The guest's address space: 32-bit addresses, little-endian loads and stores, growth at the end.
//!
//! Under Wasm an address is a pointer. What is handed out next is [`Room`], free memory that exists
//! already; when it is used up, memory grows by `memory.grow`. Room lies at the end of memory,
//! except while a program is loaded. Natively each thread has an address space of its own, one
//! zeroed allocation of [`NATIVE_SIZE`] bytes, so that tests run in parallel and under Miri. Reads
//! and writes outside of what [`grow`] handed out are a bug of the caller's; natively they panic.
//!
//! Loads, stores and copies are safe. Invariant: no reference into this memory lives while
//! something is stored where it points. References come from the unsafe functions only ([`bytes`]
//! and [`bytes_mut`]), whose callers see to it.

/// Address space of one native thread, in bytes.
#[cfg(not(target_family = "wasm"))]
pub const NATIVE_SIZE: usize = if cfg!(miri) { 8 << 20 } else { 1 << 30 };

#[cfg(not(target_family = "wasm"))]
mod native {
    use super::NATIVE_SIZE;
    use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
    use std::cell::Cell;

    /// No more than `calloc` gives by itself: above that, the allocator writes the zeros, all of
    /// them.
    const ALIGN: usize = 16;

    pub struct Space {
        pub base: *mut u8,
        /// First address not handed out yet. Address 0 is never handed out.
        pub end: Cell<u32>,
    }

    impl Space {
        fn new() -> Self {
            let layout = Layout::from_size_align(NATIVE_SIZE, ALIGN).expect("valid layout");
            // SAFETY: the layout has a non-zero size.
            let base = unsafe { alloc_zeroed(layout) };
            if base.is_null() {
                handle_alloc_error(layout)
            }
            Self {
                base,
                end: Cell::new(4096),
            }
        }
    }

    impl Drop for Space {
        fn drop(&mut self) {
            let layout = Layout::from_size_align(NATIVE_SIZE, ALIGN).expect("valid layout");
            // SAFETY: allocated in `new` with the same layout.
            unsafe { std::alloc::dealloc(self.base, layout) }
        }
    }

    thread_local! {
        pub static SPACE: Space = Space::new();
    }
}

/// The host pointer for `len` bytes at `address`.
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
            "guest access outside of memory: {len} bytes at {address:#x}, end {end:#x}"
        );
        space.base.wrapping_add(address as usize)
    })
}

/// What addresses and sizes of memory are multiples of.
pub const UNIT: usize = 4096;

/// Adds at least `bytes` to the address space; returns the address of the zeroed range, aligned to
/// 4096, or `None` when memory is exhausted. Never handed back.
pub fn grow(bytes: usize) -> Option<u32> {
    let bytes = bytes.checked_next_multiple_of(UNIT)?;
    #[cfg(target_family = "wasm")]
    return room::take(bytes);
    #[cfg(not(target_family = "wasm"))]
    native::SPACE.with(|space| {
        let start = space.end.get();
        let end = start as usize + bytes;
        if end > NATIVE_SIZE {
            return None;
        }
        space.end.set(end as u32);
        Some(start)
    })
}

#[cfg(target_family = "wasm")]
pub use room::{end, extend, room, set_room};

#[cfg(target_family = "wasm")]
mod room {
    use core::arch::wasm32::{memory_grow, memory_size};
    use core::cell::Cell;
    use core::ops::Range;

    const PAGE: usize = 65536;
    const PAGES: usize = 65536;

    struct Room(Cell<u32>, Cell<u32>);
    // SAFETY: the module has one thread.
    unsafe impl Sync for Room {}
    static ROOM: Room = Room(Cell::new(0), Cell::new(0));

    /// Memory that is zero and handed out to nobody: the next that [`super::grow`] gives.
    pub fn room() -> Range<u32> {
        ROOM.0.get()..ROOM.1.get()
    }

    /// Makes zeroed memory the next that is handed out. Any other room there was is lost.
    pub fn set_room(room: Range<u32>) {
        ROOM.0.set(room.start);
        ROOM.1.set(room.end);
    }

    /// Adds whole pages for at least `bytes` at the end of memory, outside of the room.
    pub fn extend(bytes: usize) -> Option<Range<u32>> {
        let pages = bytes.div_ceil(PAGE);
        // The end of the last page is no address.
        if memory_size(0) + pages >= PAGES {
            return None;
        }
        match memory_grow(0, pages) {
            usize::MAX => None,
            old => Some((old * PAGE) as u32..((old + pages) * PAGE) as u32),
        }
    }

    /// Where memory ends.
    pub fn end() -> u32 {
        (memory_size(0) * PAGE) as u32
    }

    /// Takes `bytes`, a multiple of 4096, from the room, and returns where they start. A room at
    /// the end of memory grows where it is too small.
    pub fn take(bytes: usize) -> Option<u32> {
        let Range { start, end } = room();
        let free = (end - start) as usize;
        if free >= bytes {
            set_room(start + bytes as u32..end);
            return Some(start);
        }
        let at_end = end == self::end();
        let more = extend(if at_end { bytes - free } else { bytes })?;
        let start = if at_end { start } else { more.start };
        set_room(start + bytes as u32..more.end);
        Some(start)
    }
}

macro_rules! accessors {
    ($($load:ident $store:ident $ty:ty;)*) => {$(
        #[inline(always)]
        pub fn $load(address: u32) -> $ty {
            let p = pointer(address, size_of::<$ty>()) as *const $ty;
            // SAFETY: inside the guest's memory, any bit pattern is valid.
            unsafe { p.read_unaligned() }
        }

        #[inline(always)]
        pub fn $store(address: u32, value: $ty) {
            let p = pointer(address, size_of::<$ty>()) as *mut $ty;
            // SAFETY: inside the guest's memory.
            unsafe { p.write_unaligned(value) }
        }
    )*};
}

accessors! {
    load_u8 store_u8 u8;
    load_u16 store_u16 u16;
    load_u32 store_u32 u32;
    load_i32 store_i32 i32;
    load_i64 store_i64 i64;
    load_u64 store_u64 u64;
    load_f64 store_f64 f64;
}

macro_rules! accessors_within {
    ($($load:ident $ty:ty;)*) => {$(
        /// What lies `offset` bytes into the block at `base`. The sum does not wrap, so an offset
        /// that is constant is a part of Wasm's instruction.
        #[inline(always)]
        pub fn $load(base: u32, offset: u32) -> $ty {
            let end = offset as usize + size_of::<$ty>();
            // SAFETY: inside the guest's memory, as the block is; any bit pattern is valid.
            unsafe { pointer(base, end).add(offset as usize).cast::<$ty>().read_unaligned() }
        }
    )*};
}

accessors_within! {
    load_u32_within u32;
    load_i64_within i64;
}

/// The bytes at `address`, without a copy.
///
/// # Safety
///
/// The lifetime is the caller's choice. While it lasts, nothing writes to these bytes: no store, no
/// collection.
#[inline(always)]
pub unsafe fn bytes<'a>(address: u32, len: usize) -> &'a [u8] {
    // SAFETY: inside of the guest's memory, which stays where it is.
    unsafe { core::slice::from_raw_parts(pointer(address, len), len) }
}

/// The bytes at `address`, to be changed.
///
/// # Safety
///
/// The lifetime is the caller's choice. While it lasts, nothing else reads these bytes or writes to
/// them: no load, no store, no collection.
#[inline(always)]
pub unsafe fn bytes_mut<'a>(address: u32, len: usize) -> &'a mut [u8] {
    // SAFETY: inside of the guest's memory, which stays where it is.
    unsafe { core::slice::from_raw_parts_mut(pointer(address, len), len) }
}

/// A copy of the bytes at `address`.
pub fn read(address: u32, len: usize) -> Vec<u8> {
    // SAFETY: the borrow ends here.
    unsafe { bytes(address, len) }.to_vec()
}

/// Copies words from `address` on, as many as `words` has room for.
pub fn read_words(address: u32, words: &mut [i64]) {
    let from = pointer(address, size_of_val(words)).cast::<i64>();
    // SAFETY: inside of the guest's memory. `words` is borrowed and so no part of the heap; words
    // are aligned.
    unsafe { core::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), words.len()) }
}

/// Writes `words` from `address` on.
pub fn write_words(address: u32, words: &[i64]) {
    let to = pointer(address, size_of_val(words)).cast::<i64>();
    // SAFETY: as in `read_words`.
    unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len()) }
}

/// A copy of the string of C at `address`, without its NUL.
pub fn c_string(address: u32) -> Vec<u8> {
    let len = (address..).take_while(|&at| load_u8(at) != 0).count();
    read(address, len)
}

/// Writes `bytes` at `address`.
#[inline(always)]
pub fn write(address: u32, bytes: &[u8]) {
    let target = pointer(address, bytes.len());
    // SAFETY: the target is inside of the guest's memory. It is no part of `bytes`: whoever
    // borrowed from this memory promised that nothing writes to it.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) }
}

/// Sets `len` bytes at `address` to `byte`.
#[inline(always)]
pub fn fill(address: u32, len: usize, byte: u8) {
    // SAFETY: inside of the guest's memory.
    unsafe { core::ptr::write_bytes(pointer(address, len), byte, len) }
}

const WORD: usize = size_of::<u64>();
const TWO_WORDS: usize = 2 * WORD;

/// Copies `len` bytes; the ranges may overlap.
pub fn copy(from: u32, to: u32, len: usize) {
    // SAFETY: both ranges are inside the guest's memory.
    unsafe { copy_few(pointer(from, len), pointer(to, len), len) }
}

/// The same out of line: calls that nest deeply must not have the frame in memory that it may need.
#[inline(never)]
pub fn copy_apart(from: u32, to: u32, len: usize) {
    copy(from, to, len);
}

/// Copies as many bytes as both slices have.
#[inline(never)]
pub fn copy_slice(from: &[u8], to: &mut [u8]) {
    let len = from.len().min(to.len());
    // SAFETY: both have so many bytes.
    unsafe { copy_few(from.as_ptr(), to.as_mut_ptr(), len) }
}

/// Copies `len` bytes, few of them here: for `memory.copy` the engine calls a function of the host.
///
/// # Safety
///
/// `len` bytes can be read from `from` on and written from `to` on; the ranges may overlap.
unsafe fn copy_few(from: *const u8, to: *mut u8, len: usize) {
    const HALF: usize = size_of::<u32>();
    // SAFETY: the caller promised it; `copy_ends` has at least its `N` bytes.
    unsafe {
        match len {
            TWO_WORDS.. if len <= 2 * TWO_WORDS => copy_ends::<TWO_WORDS>(from, to, len),
            WORD..TWO_WORDS => copy_ends::<WORD>(from, to, len),
            HALF..WORD => copy_ends::<HALF>(from, to, len),
            2..HALF => copy_ends::<2>(from, to, len),
            1 => *to = *from,
            0 => {}
            _ => copy_more(from, to, len),
        }
    }
}

/// The same for more bytes than [`copy_few`] copies where it is inlined.
///
/// # Safety
///
/// That of [`copy_few`].
#[inline(never)]
unsafe fn copy_more(from: *const u8, to: *mut u8, len: usize) {
    const FOUR_WORDS: usize = 2 * TWO_WORDS;
    // SAFETY: the caller promised it; `copy_ends` has at least its `N` bytes.
    unsafe {
        match len {
            FOUR_WORDS.. if len <= 2 * FOUR_WORDS => copy_ends::<FOUR_WORDS>(from, to, len),
            _ => core::ptr::copy(from, to, len),
        }
    }
}

/// Copies the first `N` bytes and the last ones, which may overlap: all of `N` to `2 * N`.
///
/// # Safety
///
/// That of [`copy_few`], and `len` is at least `N`.
#[inline(always)]
unsafe fn copy_ends<const N: usize>(from: *const u8, to: *mut u8, len: usize) {
    let last = len - N;
    // SAFETY: the caller promised it; any bit pattern is valid.
    unsafe {
        let head = from.cast::<[u8; N]>().read_unaligned();
        let tail = from.add(last).cast::<[u8; N]>().read_unaligned();
        to.cast::<[u8; N]>().write_unaligned(head);
        to.add(last).cast::<[u8; N]>().write_unaligned(tail);
    }
}

/// A part of memory that accesses to other parts never touch, see [`within`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// What only calls change: headers, closures, modules, boxed numbers, shapes of bigarrays.
    Fixed = 1,
    /// Values in blocks.
    Fields = 2,
    /// Numbers in float arrays and records.
    Floats = 3,
    /// Bytes of strings.
    Bytes = 4,
    /// Elements of bigarrays.
    Elements = 5,
}

/// Returns `address`, which is within `region`: compiled code need not load again what a store
/// cannot have changed.
#[inline(always)]
pub fn within(address: u32, region: Region) -> u32 {
    annotations::address_within(address, region as u32)
}

/// Reads the cell at `address`: an operand-stack slot, kept in SSA by the specializer.
#[inline(always)]
pub fn cell_read(address: u32) -> i64 {
    #[cfg(target_family = "wasm")]
    // SAFETY: an aligned stack slot of ours.
    unsafe {
        annotations::cells_read(address)
    }
    #[cfg(not(target_family = "wasm"))]
    load_i64(address)
}

/// Writes the cell at `address`.
#[inline(always)]
pub fn cell_write(address: u32, value: i64) {
    #[cfg(target_family = "wasm")]
    // SAFETY: an aligned stack slot of ours.
    unsafe {
        annotations::cells_write(address, value)
    }
    #[cfg(not(target_family = "wasm"))]
    store_i64(address, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_copied_as_if_at_once() {
        let start = grow(256).expect("memory grows");
        for len in 0..80 {
            for (from, to) in [(0, 0), (0, 3), (3, 0), (0, 100), (100, 0), (8, 9), (9, 8)] {
                let mut expected: Vec<u8> = (0..=255).collect();
                write(start, &expected);
                copy(start + from as u32, start + to as u32, len);
                expected.copy_within(from..from + len, to);
                assert_eq!(
                    read(start, 256),
                    expected,
                    "{len} bytes from {from} to {to}"
                );
            }
        }
    }
}
