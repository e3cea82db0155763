//! Accesses to blocks: headers, fields, elements, bytes; each says within which memory region its
//! address lies.
//!
//! Invariant: what is read as fixed is written only where it is made, before anybody has its
//! address.

use super::polls::{is_box, needless_before, still_passed};
use crate::heap;
use crate::memory::{self, Region, within};
use crate::value::WORD;
use crate::vm::vm;

/// Field `index` of the block `block`.
#[inline(always)]
pub fn field(block: i64, index: u32) -> i64 {
    memory::load_i64(place(block, index, Region::Fields))
}

/// The same of a closure or a module, where nothing changes, or of a boxed number, as an integer.
#[inline(always)]
pub fn fixed_field(block: i64, index: u32) -> i64 {
    memory::load_i64(place(block, index, Region::Fixed))
}

/// The header of a block.
#[inline(always)]
pub fn header(block: i64) -> u64 {
    memory::load_u64(within((block as u32).wrapping_sub(WORD), Region::Fixed))
}

/// The address of field `index` of `block`.
#[inline(always)]
pub fn place(block: i64, index: u32, region: Region) -> u32 {
    within(
        (block as u32).wrapping_add(index.wrapping_mul(WORD)),
        region,
    )
}

/// The address of the field that the OCaml integer `index` selects.
#[inline(always)]
pub fn element(block: i64, index: i64, region: Region) -> u32 {
    let address = (block as u32)
        .wrapping_add((index as u32).wrapping_mul(WORD / 2))
        .wrapping_sub(WORD / 2);
    within(address, region)
}

/// Writes field `index` of `block`, which holds no pointers or gets none.
#[inline(always)]
pub fn store_field(block: i64, index: u32, region: Region, value: i64) {
    memory::store_i64(place(block, index, region), value);
}

/// Writes a value into a block that may be old: out of line where the collector has to know, which
/// knows fields that hold a young block already. Whether a box of a number is young is not asked
/// here: compiled code makes a box where it is looked at, so the one that is written could be
/// another.
#[inline(always)]
pub fn modify(address: u32, value: i64) {
    let young = |address: u32| {
        address.wrapping_sub(vm().young_start.get()) < vm().young_end.get() - vm().young_start.get()
    };
    let is_young = |value: i64| value & 1 == 0 && young(value as u32);
    let field = within(address, Region::Fields);
    if (is_box(value) || is_young(value)) && !young(address) && !is_young(memory::load_i64(field)) {
        let needless = needless_before(is_box(value));
        heap::modify_old(address, value);
        // It may ask for a safepoint, but does not need one.
        still_passed(needless);
    } else {
        memory::store_i64(field, value);
    }
}

/// The address of the byte that the OCaml integer `index` selects.
#[inline(always)]
pub fn byte(block: i64, index: i64) -> u32 {
    within(
        (block as u32).wrapping_add((index >> 1) as u32),
        Region::Bytes,
    )
}

/// The value of global `index`.
#[inline(always)]
pub fn global(index: u32) -> i64 {
    memory::load_i64(vm().globals.get().field_address(index as usize))
}

/// The bits of the number in global `index`, if that is a constant of the program and a box.
#[inline(always)]
pub fn payload(index: u32) -> i64 {
    memory::load_i64(vm().payloads.get() + index * WORD)
}
