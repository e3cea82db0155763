//! The allocator itself: two arenas. The address of a block tells which one it is from.

use crate::memory;
use crate::os;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use dlmalloc::{Allocator, Dlmalloc};

struct Arenas {
    lasting: UnsafeCell<Dlmalloc<Source>>,
    scratch: UnsafeCell<Dlmalloc<Source>>,
    state: State,
}

/// Gives the start of so many bytes.
type Lender = fn(usize) -> Option<u32>;

struct State {
    /// Whether new blocks are scratch.
    is_scratch: Cell<bool>,
    /// Blocks from this address on are scratch; the highest address when there are none.
    boundary: Cell<u32>,
    /// Where the scratch arena ends.
    end: Cell<u32>,
    /// Scratch blocks that are in use.
    blocks: Cell<usize>,
    /// Whether a failure is the caller's to deal with.
    is_attempt: Cell<bool>,
    /// Who has memory when none can be added.
    lender: Cell<Option<Lender>>,
}

// SAFETY: the module has one thread.
unsafe impl Sync for Arenas {}

#[global_allocator]
static ARENAS: Arenas = Arenas {
    lasting: UnsafeCell::new(Dlmalloc::new_with_allocator(Source::Room)),
    scratch: UnsafeCell::new(Dlmalloc::new_with_allocator(Source::End)),
    state: State {
        is_scratch: Cell::new(false),
        boundary: Cell::new(u32::MAX),
        end: Cell::new(0),
        blocks: Cell::new(0),
        is_attempt: Cell::new(false),
        lender: Cell::new(None),
    },
};

/// Does `load` with blocks from the end of memory. If it succeeds, what is there from `boundary` on
/// is wiped and becomes free: what `load` put there itself, and the blocks. Memory that it takes
/// beyond them stays as it is.
///
/// The room before `boundary` has to suffice for what lasts; otherwise the program ends.
pub fn with_scratch<E>(boundary: u32, load: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let state = &ARENAS.state;
    state.boundary.set(boundary);
    state.end.set(memory::end());
    state.is_scratch.set(true);
    let result = load();
    state.is_scratch.set(false);
    result?;
    if state.blocks.get() != 0 {
        os::fatal_error("what loading needed is still in use");
    }
    let room = memory::room();
    if room.end != boundary {
        exhausted();
    }
    let end = state.end.get();
    memory::fill(boundary, (end - boundary) as usize, 0);
    memory::set_room(room.start..end);
    state.boundary.set(u32::MAX);
    Ok(())
}

/// Does `make`, which makes blocks that outlive loading.
pub fn lasting<R>(make: impl FnOnce() -> R) -> R {
    let is_scratch = ARENAS.state.is_scratch.replace(false);
    let made = make();
    ARENAS.state.is_scratch.set(is_scratch);
    made
}

/// Takes memory from `lender` from now on where none can be added.
pub fn borrow_from(lender: Lender) {
    ARENAS.state.lender.set(Some(lender));
}

/// Does `make`, where an allocation that fails is an error that it sees.
pub fn attempt<R>(make: impl FnOnce() -> R) -> R {
    let is_attempt = ARENAS.state.is_attempt.replace(true);
    let made = make();
    ARENAS.state.is_attempt.set(is_attempt);
    made
}

// Calls of these are everywhere: within its callers, `dealloc` alone would take 14 KB of a program.
//
// SAFETY: each block is an arena's, which its address tells; references to an arena end before
// another is made.
unsafe impl GlobalAlloc for Arenas {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let is_scratch = self.state.is_scratch.get();
        if is_scratch {
            self.state.blocks.update(|count| count + 1);
        }
        // SAFETY: as above.
        existing(unsafe { (*self.arena(is_scratch)).malloc(layout.size(), layout.align()) })
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let is_scratch = self.is_scratch(block);
        if is_scratch {
            self.state.blocks.update(|count| count - 1);
        } else if self.state.boundary.get() != u32::MAX {
            // Nothing of what lasted for a part of loading comes into the snapshot.
            memory::fill(block as u32, layout.size(), 0);
        }
        // SAFETY: the block is this arena's.
        unsafe { (*self.arena(is_scratch)).free(block, layout.size(), layout.align()) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new: usize) -> *mut u8 {
        let arena = self.arena(self.is_scratch(block));
        // SAFETY: the block is this arena's.
        existing(unsafe { (*arena).realloc(block, layout.size(), layout.align(), new) })
    }
}

impl Arenas {
    fn is_scratch(&self, block: *mut u8) -> bool {
        block as u32 >= self.state.boundary.get()
    }

    fn arena(&self, is_scratch: bool) -> *mut Dlmalloc<Source> {
        match is_scratch {
            true => self.scratch.get(),
            false => self.lasting.get(),
        }
    }
}

/// `block`, unless memory is exhausted.
fn existing(block: *mut u8) -> *mut u8 {
    if block.is_null() && !ARENAS.state.is_attempt.get() {
        exhausted()
    }
    block
}

/// Ends the program as others end, where the standard library would trap.
fn exhausted() -> ! {
    os::fatal_error("out of memory")
}

/// Where an arena's memory is from. One type for both arenas, so that the module has the code of
/// the allocator once.
enum Source {
    /// Memory for what lasts, borrowed if there is no other.
    Room,
    /// Memory for scratch blocks, in one piece.
    End,
}

impl Source {
    /// The start of so many bytes or more, and how many they are.
    fn take(&self, size: usize) -> Option<(u32, usize)> {
        let state = &ARENAS.state;
        match self {
            Self::Room => {
                let size = size.next_multiple_of(memory::UNIT);
                let borrow = || (state.lender.get()?)(size);
                let start = memory::grow(size).or_else(borrow)?;
                (start < state.boundary.get()).then_some((start, size))
            }
            Self::End => {
                let added = memory::extend(size)?;
                (state.end.replace(added.end) == added.start).then_some((added.start, added.len()))
            }
        }
    }
}

// SAFETY: what `take` returns is memory that nothing else uses.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        match self.take(size) {
            Some((start, size)) => (start as usize as *mut u8, size, 0),
            None => (ptr::null_mut(), 0, 0),
        }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        false
    }

    fn page_size(&self) -> usize {
        memory::UNIT
    }
}
