//! Instructions that make blocks.
//!
//! Where a program profiles its allocations, those are safepoints too; so a block is allocated
//! before its fields' values are read: only the accumulator and the stack survive. Fields are
//! written without a barrier, since a fresh block is young, or known to the collector.

use super::boxes::box_number;
use super::fields::{self, fixed_field, modify, store_field};
use super::registers::{Registers, UNIT};
use crate::code::{self, CELL};
use crate::heap;
use crate::memory::{self, Region, cell_read, cell_write, within};
use crate::raise;
use crate::value::{WORD, closure_info, header, tag};
#[cfg(target_family = "wasm")]
use crate::vm::VM;
use crate::vm::vm;
use annotations::{block_address, points_to, specialize_active};
#[cfg(target_family = "wasm")]
use core::cell::Cell;

/// A constant of the program.
#[inline(always)]
pub fn allocations_poll() -> bool {
    vm().allocations_poll.get() != 0
}

/// The closure at `address`, whose code is `code`.
#[inline(always)]
pub fn made_closure(address: u32, code: u32) -> i64 {
    let closure = i64::from(address);
    if specialize_active() != 0 && code::closures_keep_code() {
        points_to(closure, code)
    } else {
        closure
    }
}

/// The address of a block of at most [`heap::MAX_YOUNG_WOSIZE`] words, its header written. This is
/// no safepoint.
#[inline(always)]
pub fn allocate_young(wosize: u32, tag: u8) -> u32 {
    match specialize_active() {
        0 => take((wosize + 1) * WORD, header(wosize as usize, tag) as i64),
        _ => allocate_block(wosize, tag),
    }
}

/// The same by a call that the specializer knows.
#[inline(always)]
pub fn allocate_block(wosize: u32, tag: u8) -> u32 {
    allocate((wosize + 1) * WORD, header(wosize as usize, tag) as i64)
}

/// Exported under [`annotations::ALLOCATOR_EXPORT`].
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub static BACTRIAN_ALLOCATOR: Published = Published(annotations::Allocator {
    allocate,
    pointer: &raw const VM.0.young_ptr,
    floor: &raw const VM.0.young_floor,
    counted: &raw const VM.0.allocations_counted,
});

#[cfg(target_family = "wasm")]
type Allocator = annotations::Allocator<extern "C" fn(u32, i64) -> u32, *const Cell<u32>>;

/// What nobody writes, and is the same for all threads.
#[cfg(target_family = "wasm")]
#[repr(transparent)]
pub struct Published(Allocator);

// SAFETY: as said.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Published {}

/// What [`annotations::Allocator`] describes.
#[inline(never)]
extern "C" fn allocate(bytes: u32, header: i64) -> u32 {
    take(bytes, header)
}

#[inline(always)]
fn take(bytes: u32, header: i64) -> u32 {
    let start = vm().young_ptr.get().wrapping_sub(bytes);
    if start < vm().young_floor.get() {
        return heap::alloc_small(bytes / WORD - 1, header as u8);
    }
    vm().young_ptr.set(start);
    memory::store_i64(start, header);
    start + WORD
}

#[inline(always)]
fn place_young(start: u32, wosize: u32, tag: u8) -> u32 {
    vm().young_ptr.set(start);
    memory::store_u64(start, header(wosize as usize, tag));
    start + WORD
}

/// The same by a call of which the specializer knows nothing: where allocations are watched, each
/// block is made, and made here.
#[inline(never)]
extern "C" fn place_watched(start: u32, wosize: u32, tag: u8) -> u32 {
    place_young(start, wosize, tag)
}

impl Registers {
    /// The address of a block of at most [`heap::MAX_YOUNG_WOSIZE`] words, its header written;
    /// `None` if a finaliser raised. Only the accumulator and the stack survive this.
    #[inline(always)]
    #[must_use]
    pub fn allocate(&mut self, wosize: u32, tag: u8) -> Option<u32> {
        if allocations_poll() {
            self.allocate_at_safepoint(wosize, tag)
        } else {
            Some(allocate_young(wosize, tag))
        }
    }

    #[inline(always)]
    pub fn allocate_at_safepoint(&mut self, wosize: u32, tag: u8) -> Option<u32> {
        let bytes = (wosize + 1) * WORD;
        let mut start = vm().young_ptr.get().wrapping_sub(bytes);
        if start < vm().young_trigger.get() {
            if !self.safepoint(bytes) {
                return None;
            }
            start = vm().young_ptr.get().wrapping_sub(bytes);
        }
        Some(match specialize_active() {
            0 => place_young(start, wosize, tag),
            _ => place_watched(start, wosize, tag),
        })
    }

    /// The same for any size.
    #[inline(always)]
    #[must_use]
    pub fn allocate_any(&mut self, wosize: u32, tag: u8) -> Option<u32> {
        if wosize as usize <= heap::MAX_YOUNG_WOSIZE {
            return self.allocate(wosize, tag);
        }
        // The block is not reachable yet: nothing may collect before it is.
        if allocations_poll() && !self.poll() {
            return None;
        }
        match heap::alloc_or_zero(wosize, tag) {
            0 => {
                raise::out_of_memory();
                None
            }
            block => Some(block),
        }
    }

    /// MAKEBLOCK: a block of the accumulator and the slots after it; false if a finaliser raised.
    #[inline(always)]
    #[must_use]
    pub fn make_block(&mut self, wosize: u32, tag: u8) -> bool {
        let Some(block) = self.allocate_any(wosize, tag) else {
            return false;
        };
        self.gather(block, wosize, Region::Fields, |value| value);
        self.accu = block_address(i64::from(block));
        true
    }

    /// MAKEBLOCK for up to three fields, without a loop.
    #[inline(always)]
    #[must_use]
    pub fn make_small_block(&mut self, wosize: u32, tag: u8) -> bool {
        let Some(block) = self.allocate(wosize, tag) else {
            return false;
        };
        store_field(i64::from(block), 0, Region::Fields, self.accu);
        if wosize > 1 {
            store_field(i64::from(block), 1, Region::Fields, self.pop());
        }
        if wosize > 2 {
            store_field(i64::from(block), 2, Region::Fields, self.pop());
        }
        self.accu = block_address(i64::from(block));
        true
    }

    /// MAKEFLOATBLOCK.
    #[inline(always)]
    #[must_use]
    pub fn make_float_block(&mut self, wosize: u32) -> bool {
        let Some(block) = self.allocate_any(wosize, tag::DOUBLE_ARRAY) else {
            return false;
        };
        self.gather(block, wosize, Region::Floats, |value| fixed_field(value, 0));
        self.accu = block_address(i64::from(block));
        true
    }

    /// Writes what `field` makes of the accumulator and the slots after it, `count` words in all,
    /// to fields from the address `to` on.
    #[inline(always)]
    fn gather(&mut self, to: u32, count: u32, region: Region, field: impl Fn(i64) -> i64) {
        store_field(i64::from(to), 0, region, field(self.accu));
        let sp = self.sp;
        Self::rounds(1, count, |index| {
            let value = field(cell_read(sp + (index - 1) * WORD));
            store_field(i64::from(to), index, region, value);
        });
        self.drop(count - 1);
    }

    /// GETFLOATFIELD: a boxed copy of a float field of the accumulator.
    #[inline(always)]
    #[must_use]
    pub fn box_float_field(&mut self, index: u32) -> bool {
        let Some(place) = self.place_of_float() else {
            return false;
        };
        let x = memory::load_f64(fields::place(self.accu, index, Region::Floats));
        self.accu = box_number(place, x);
        true
    }

    /// CLOSURE: captures the accumulator and the slots after it.
    #[inline(always)]
    #[must_use]
    pub fn make_closure(&mut self, variables: u32, code: u32) -> bool {
        let Some(block) = self.allocate_any(2 + variables, tag::CLOSURE) else {
            return false;
        };
        store_field(i64::from(block), 0, Region::Fixed, i64::from(code));
        store_field(i64::from(block), 1, Region::Fixed, closure_info(2).0);
        self.capture(block + 2 * WORD, variables);
        self.accu = made_closure(block, code);
        true
    }

    /// CLOSUREREC: closures that share one block and their captured variables.
    #[inline(always)]
    #[must_use]
    pub fn make_closures(&mut self, functions: u32, variables: u32) -> bool {
        let environment = functions * 3 - 1;
        let Some(block) = self.allocate_any(environment + variables, tag::CLOSURE) else {
            return false;
        };
        self.capture(block + environment * WORD, variables);
        self.accu = i64::from(block);
        let (pc, sp) = (self.pc, self.sp);
        Self::rounds(0, functions, |index| {
            let infix = block + index * 3 * WORD;
            if index > 0 {
                let header = header(index as usize * 3, tag::INFIX);
                memory::store_u64(within(infix - WORD, Region::Fixed), header);
            }
            let code = memory::load_u32(pc + (3 + index) * CELL);
            let info = closure_info((environment - index * 3) as usize);
            store_field(i64::from(infix), 0, Region::Fixed, i64::from(code));
            store_field(i64::from(infix), 1, Region::Fixed, info.0);
            cell_write(sp - (index + 1) * WORD, made_closure(infix, code));
        });
        self.sp -= functions * WORD;
        true
    }

    #[inline(always)]
    fn capture(&mut self, to: u32, variables: u32) {
        if variables > 0 {
            self.gather(to, variables, Region::Fixed, |value| value);
        }
    }

    /// SETFIELD: pops the value; the accumulator becomes unit.
    #[inline(always)]
    pub fn set_field(&mut self, index: u32, operands: u32) {
        let value = self.pop();
        modify((self.accu as u32) + index * WORD, value);
        self.set(UNIT, operands);
    }
}
