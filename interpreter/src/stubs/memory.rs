//! Fields that stubs write, and memory outside of the heap that they ask for: all of it is the
//! allocator's for Rust's own data, so that there is one allocator.

use super::{interface, raise};
use crate::allocator;
use crate::evaluation;
use crate::heap;
use crate::memory;
use crate::memory::c_string;
use crate::registry::Raised;
use crate::value::Value;
use crate::vm::vm;
use std::alloc::{Layout, alloc, dealloc};

interface! {
    "" fn caml_modify(field: u32, value: Value) {
        heap::modify_at(field, value);
    }
    "" fn caml_initialize(field: u32, value: Value) {
        match vm().is_young_address(field) {
            true => memory::store_i64(field, value.0),
            false => heap::initialize(field, value),
        }
    }
    "" fn malloc(size: u32) -> u32 {
        take(size, ALIGN)
    }
    "" fn calloc(count: u32, size: u32) -> u32 {
        let Some(bytes) = count.checked_mul(size) else {
            return 0;
        };
        let block = take(bytes, ALIGN);
        if block != 0 {
            memory::fill(block, bytes as usize, 0);
        }
        block
    }
    "" fn realloc(block: u32, size: u32) -> u32 {
        resize(block, size)
    }
    "" fn free(block: u32) {
        give_back(block);
    }
    "" fn aligned_alloc(align: u32, size: u32) -> u32 {
        match align.is_power_of_two() {
            true => take(size, align.max(ALIGN)),
            false => 0,
        }
    }
    "" fn posix_memalign(result: u32, align: u32, size: u32) -> i32 {
        match aligned_alloc(align, size) {
            0 => ENOMEM,
            block => {
                memory::store_u32(result, block);
                0
            }
        }
    }
    "" fn malloc_usable_size(block: u32) -> u32 {
        match block {
            0 => 0,
            _ => memory::load_u32(block - SIZE),
        }
    }
    "r" fn caml_stat_alloc(size: u32) -> u32 {
        required(take(size, ALIGN))
    }
    "" fn caml_stat_alloc_noexc(size: u32) -> u32 {
        take(size, ALIGN)
    }
    "r" fn caml_stat_resize(block: u32, size: u32) -> u32 {
        required(resize(block, size))
    }
    "" fn caml_stat_resize_noexc(block: u32, size: u32) -> u32 {
        resize(block, size)
    }
    "" fn caml_stat_calloc_noexc(count: u32, size: u32) -> u32 {
        calloc(count, size)
    }
    "" fn caml_stat_free(block: u32) {
        give_back(block);
    }
    "r" fn caml_stat_strdup(string: u32) -> u32 {
        required(duplicate(string))
    }
    "" fn caml_stat_strdup_noexc(string: u32) -> u32 {
        duplicate(string)
    }
}

/// C's number for want of memory, as WASI has it.
const ENOMEM: i32 = 48;

/// What each address is a multiple of at least.
const ALIGN: u32 = 16;

/// How far before a block its size and its alignment are kept.
const SIZE: u32 = 4;
const ALIGNMENT: u32 = 8;

/// So many bytes; 0 where there is no memory.
fn take(size: u32, align: u32) -> u32 {
    let Some(layout) = layout(size, align) else {
        return 0;
    };
    if evaluation::is_running() {
        evaluation::note_made(layout.size() as u32);
    }
    // SAFETY: the size is not zero.
    let start = allocator::lasting(|| allocator::attempt(|| unsafe { alloc(layout) }));
    if start.is_null() {
        return 0;
    }
    let block = start as usize as u32 + align;
    memory::store_u32(block - SIZE, size);
    memory::store_u32(block - ALIGNMENT, align);
    block
}

/// Of a block with what precedes it.
fn layout(size: u32, align: u32) -> Option<Layout> {
    let bytes = size.checked_add(align)?;
    Layout::from_size_align(bytes as usize, align as usize).ok()
}

pub fn give_back(block: u32) {
    if block == 0 {
        return;
    }
    let (size, align) = (
        memory::load_u32(block - SIZE),
        memory::load_u32(block - ALIGNMENT),
    );
    let layout = layout(size, align).expect("it was valid when the block was made");
    // SAFETY: C hands back what it was given.
    unsafe { dealloc((block - align) as usize as *mut u8, layout) }
}

fn resize(block: u32, size: u32) -> u32 {
    let new = take(size, ALIGN);
    if block != 0 && new != 0 {
        let known = memory::load_u32(block - SIZE);
        memory::copy(block, new, known.min(size) as usize);
        give_back(block);
    }
    new
}

fn duplicate(string: u32) -> u32 {
    let mut bytes = c_string(string);
    bytes.push(0);
    copied(&bytes).unwrap_or(0)
}

/// Memory of C's with these bytes.
pub fn copied(bytes: &[u8]) -> Result<u32, Raised> {
    match take(bytes.len() as u32, ALIGN) {
        0 => Err(crate::raise::out_of_memory()),
        copy => {
            memory::write(copy, bytes);
            Ok(copy)
        }
    }
}

/// Raises where there was no memory.
fn required(block: u32) -> u32 {
    if block == 0 {
        raise::unwind(crate::raise::out_of_memory());
    }
    block
}
