//! Allocation and the collector.
//!
//! Blocks of up to [`MAX_YOUNG_WOSIZE`] words are born in the nursery, a contiguous range filled
//! from its end downwards; larger ones, and survivors, live in the major heap. Only safepoints
//! and primitives with `Effect::Collects` collect: **allocation never does**. When the nursery is
//! full, allocation requests a safepoint and goes on in the nursery's reserve, then in the major
//! heap. Blocks born there are rescanned at the next minor collection, so their fields may be
//! initialised freely until the next safepoint.
//!
//! Before [`init`], allocation makes image blocks: never moved, never freed.
//!
//! * `image`, `small`, `large`: the spaces; `sharing`: how they pass memory on; `state`: what else
//!   they have in common;
//! * `major`: blocks that are born in the major heap whatever their size;
//! * `external`: what blocks own outside of them;
//! * [`settings`], [`stats`]: what module `Gc` changes and shows;
//! * `reserve`: what is kept so that a collection can always be done;
//! * `minor`: nursery to major heap; `mark`: what of the major heap is live; `cycle`: its phases;
//!   `collect`: when;
//! * `remembered`: which fields outside of the nursery refer to it;
//! * `roots`, [`ephemeron`], [`finalise`]: where liveness begins, and what waits for it to end;
//! * `evaluated`: the heap of a program that runs before its snapshot;
//! * `hooks`: what is called of the floors above; `stress`: whether each safepoint collects;
//! * [`memprof`]: what profilers are told, of the blocks that `sampler` chooses;
//! * [`verify`]: a checker of the heap's invariants, for tests.

mod collect;
mod cycle;
pub mod ephemeron;
mod evaluated;
mod external;
pub mod finalise;
mod hooks;
mod image;
mod large;
mod list;
mod major;
mod mark;
pub mod memprof;
mod minor;
pub(crate) mod remembered;
mod reserve;
mod roots;
mod sampler;
mod samples;
pub mod settings;
mod sharing;
mod small;
mod sort;
mod state;
pub mod stats;
mod stress;
#[cfg(test)]
mod tests;
pub mod verify;

pub use collect::{
    apply_settings, begin_cycle, collect_major, collect_minor, collect_slice, finish_cycle,
    request_safepoint, run_actions, safepoint, set_alert, start_with,
};
pub use evaluated::{
    begin as begin_evaluation, end as end_evaluation, for_each_image_block, for_each_place,
    for_each_root_cell, is_in_image,
};
pub use external::note as note_external;
#[cfg(target_family = "wasm")]
pub use external::{note_bytes as note_external_bytes, note_share as note_external_share};
pub use hooks::{Hooks, replace_actions};
pub use major::{Batch, initialize, try_alloc_major};
pub use reserve::{can_spare, note_exhausted};
pub use roots::{Root, RootVisitor, register_old_roots, register_roots};
pub use sharing::{acquire_zeroed, carve, give_back};
pub use state::{COLOUR_MASK, heap};
pub use stress::{BACTRIAN_STRESS, start_stress, stress};

use crate::allocator;
use crate::evaluation;
use crate::memory;
use crate::value::{Value, WORD, header, tag};
use crate::vm::vm;
use sharing::{acquire, donate};
use state::Heap;

/// Largest block, in words, that is born in the nursery.
pub const MAX_YOUNG_WOSIZE: usize = 256;

/// Words of nursery that compiled code fills between two collections, by default.
pub const NURSERY_WORDS: usize = if cfg!(miri) { 4 << 10 } else { 256 << 10 };

/// Words of nursery below the trigger, for what is allocated before the next safepoint.
const RESERVE_WORDS: usize = if cfg!(miri) { 1 << 10 } else { 64 << 10 };

/// Entries of the mark stack that are there whatever happens.
const MARK_STACK_ENTRIES: usize = 2 << 10;

/// Words allocated between two major collections at least.
const MIN_MAJOR_WORDS: u64 = 1 << 17;

/// Makes the nursery and the major heap. What was allocated before is the image.
pub fn init(hooks: &'static Hooks) {
    end_image(hooks);
    make_spaces();
}

/// The first half of [`init`]: what the image has besides the program's constants.
pub fn end_image(hooks: &'static Hooks) {
    let heap = heap();
    assert!(!heap.is_initialised(), "the heap is initialised once");
    heap.hooks.set(Some(hooks));
    heap.image.atom(0);
    heap.counters.image_read(heap);
    ephemeron::init(heap);
}

/// The second half.
pub fn make_spaces() {
    let heap = heap();
    set_nursery(NURSERY_WORDS).unwrap_or_else(|| out_of_memory());
    heap.low.set(vm().young_start.get());
    heap.note_range(vm().young_end.get());
}

/// Replaces the empty nursery by one of `words` words, with lists as long as its collections need;
/// `None`, and nothing changes, when memory is exhausted.
fn set_nursery(words: usize) -> Option<()> {
    let (heap, vm) = (heap(), vm());
    let bytes = (words + RESERVE_WORDS) * WORD as usize;
    let lists = [
        (&heap.todo, bytes / 16 + 1),
        (heap.remembered.buffer(), remembered::limit(words)),
        (&heap.mark_stack, MARK_STACK_ENTRIES),
    ];
    let lists = lists.map(|(list, entries)| (list, list.lacks(entries)));
    let for_lists: usize = lists.iter().map(|&(_, bytes)| bytes).sum();
    let start = acquire(bytes + for_lists, |_| ())?;
    let end = start + bytes as u32;
    let mut rest = end;
    for (list, bytes) in lists.into_iter().filter(|&(_, bytes)| bytes > 0) {
        list.replace(rest, bytes);
        rest += bytes as u32;
    }
    heap.remembered.clear();
    donate(heap, vm.young_start.get(), vm.young_end.get());
    heap.nursery_words.set(words);
    vm.young_start.set(start);
    vm.young_end.set(end);
    vm.young_ptr.set(end);
    let trigger = start + (RESERVE_WORDS as u32) * WORD;
    heap.normal_trigger.set(trigger);
    vm.young_trigger.set(trigger);
    heap.full.set(false);
    memprof::renew(heap);
    Some(())
}

/// A block whose fields the caller initialises before the next safepoint. `wosize` > 0.
#[inline]
pub fn alloc(wosize: usize, tag: u8) -> Value {
    match alloc_young(vm().young_floor.get(), wosize, tag) {
        Some(block) => block,
        None => alloc_slow(wosize, tag),
    }
}

/// The same, but `None` when memory is exhausted: for sizes that the program chooses.
#[inline]
pub fn try_alloc(wosize: usize, tag: u8) -> Option<Value> {
    match alloc_young(vm().young_floor.get(), wosize, tag) {
        Some(block) => Some(block),
        None => try_alloc_slow(wosize, tag),
    }
}

#[inline(never)]
fn try_alloc_slow(wosize: usize, tag: u8) -> Option<Value> {
    alloc_below_floor(wosize, tag)
        .or_else(|| noting_exhaustion(alloc_old(wosize, tag, reserve::comfortable)))
}

/// A block of the nursery, if it fits above `floor`.
#[inline(always)]
fn alloc_young(floor: u32, wosize: usize, tag: u8) -> Option<Value> {
    if wosize > MAX_YOUNG_WOSIZE {
        return None;
    }
    let vm = vm();
    let bytes = (wosize as u32 + 1) * WORD;
    if vm.young_ptr.get() - floor < bytes {
        return None;
    }
    let at = vm.young_ptr.get() - bytes;
    vm.young_ptr.set(at);
    memory::store_u64(at, header(wosize, tag));
    Some(Value::block(at + WORD))
}

/// The address of a block of the nursery's sizes for compiled code, where the floor is in the way.
#[inline(never)]
pub extern "C" fn alloc_small(wosize: u32, tag: u8) -> u32 {
    alloc(wosize as usize, tag).address()
}

/// The address of a block of any size for compiled code, or 0: memory is exhausted.
#[inline(never)]
pub extern "C" fn alloc_or_zero(wosize: u32, tag: u8) -> u32 {
    try_alloc(wosize as usize, tag).map_or(0, Value::address)
}

/// For blocks that the runtime cannot do without: from what is kept for collections, if there is
/// nothing else.
#[cold]
#[inline(never)]
fn alloc_slow(wosize: usize, tag: u8) -> Value {
    if let Some(block) = alloc_below_floor(wosize, tag) {
        return block;
    }
    let block = alloc_old(wosize, tag, reserve::comfortable).or_else(|| {
        reserve::note_exhausted();
        alloc_old(wosize, tag, reserve::least)
    });
    block.unwrap_or_else(|| out_of_memory())
}

/// A block of the nursery, if there is room in the reserve: what stopped its allocation was the
/// floor. Either the nursery is full now, or the block holds a sample.
#[inline(never)]
fn alloc_below_floor(wosize: usize, tag: u8) -> Option<Value> {
    let heap = heap();
    if wosize > MAX_YOUNG_WOSIZE || !heap.is_initialised() {
        return None;
    }
    collect::note_full(heap, (wosize as u32 + 1) * WORD);
    if let Some(block) = alloc_young(vm().young_floor.get(), wosize, tag) {
        return Some(block);
    }
    let block = alloc_young(vm().young_start.get(), wosize, tag)?;
    memprof::born_young(heap, block, wosize);
    Some(block)
}

/// A block outside of the nursery, scanned whole at the next minor collection, if `keep` free pages
/// remain.
fn alloc_old(wosize: usize, tag: u8, keep: Keep) -> Option<Value> {
    let heap = heap();
    if !heap.is_initialised() {
        return heap.image.alloc(wosize, tag);
    }
    let block = alloc_major(heap, wosize, tag, keep)?;
    heap.counters.born_outside(wosize);
    if tag < tag::NO_SCAN {
        heap.fresh.push(block.address());
    }
    Some(block)
}

/// Says that `block`, the last one allocated, is filled and refers to nothing in the nursery: if it
/// was born outside, the next minor collection need not scan it.
pub fn settle(block: Value) {
    let fresh = &heap().fresh;
    if let Some(last) = fresh.pop()
        && last != block.address()
    {
        fresh.push(last);
    }
}

#[inline]
fn noting_exhaustion<T>(made: Option<T>) -> Option<T> {
    if made.is_none() {
        reserve::note_exhausted();
    }
    made
}

/// Makes room for one more entry of a table of the runtime; `None` when memory is exhausted.
pub fn make_room<T>(table: &mut Vec<T>) -> Option<()> {
    noting_exhaustion(allocator::make_room(table, 1))
}

/// How many free pages are to remain.
type Keep = fn(&Heap) -> usize;

/// A block of the major heap, fields not written, if `keep` free pages remain.
#[inline]
fn alloc_major(heap: &Heap, wosize: usize, tag: u8, keep: Keep) -> Option<Value> {
    if evaluation::is_running() {
        return Some(evaluated::alloc(heap, wosize, tag));
    }
    let address = match wosize {
        ..=MAX_YOUNG_WOSIZE => heap.small.try_alloc(heap, wosize, keep)?,
        _ => alloc_large(heap, wosize)?,
    };
    memory::store_u64(address - WORD, header(wosize, tag) | heap.live_colour.get());
    note_allocated(heap, wosize as u64 + 1);
    memprof::born_old(heap, Value::block(address), wosize);
    Some(Value::block(address))
}

/// Unused memory for a large block.
fn alloc_large(heap: &Heap, wosize: usize) -> Option<u32> {
    let at_hand = heap.large.borrow_mut().alloc(wosize);
    at_hand.or_else(|| {
        reserve::lend_pages(heap, wosize);
        heap.large.borrow_mut().alloc_growing(heap, wosize)
    })
}

fn note_allocated(heap: &Heap, words: u64) {
    stats::add(&heap.allocated, words);
    if heap.allocated.get() >= heap.allocation_goal.get() {
        request_safepoint();
    }
}

/// The atom (block of size 0) with `tag`.
pub fn atom(tag: u8) -> Value {
    heap().image.atom(tag)
}

/// A block with the given fields.
pub fn alloc_fields(tag: u8, fields: &[Value]) -> Value {
    let block = alloc(fields.len(), tag);
    for (index, &field) in fields.iter().enumerate() {
        block.init_field(index, field);
    }
    block
}

/// An uninitialised string or bytes of `len` bytes, padding written.
pub fn alloc_string_uninit(len: usize) -> Value {
    let wosize = len / 8 + 1;
    let block = alloc(wosize, tag::STRING);
    let last = block.field_address(wosize - 1);
    memory::store_u64(last, 0);
    memory::store_u8(last + 7, (wosize * 8 - 1 - len) as u8);
    block
}

/// A string with these bytes.
pub fn alloc_string(bytes: &[u8]) -> Value {
    let block = alloc_string_uninit(bytes.len());
    memory::write(block.address(), bytes);
    block
}

/// A boxed float.
#[inline]
pub fn alloc_float(x: f64) -> Value {
    let block = alloc(1, tag::DOUBLE);
    block.set_float_field(0, x);
    block
}

/// `Some value`.
pub fn alloc_some(value: Value) -> Value {
    alloc_fields(0, &[value])
}

/// A list of these values.
pub fn alloc_list(values: impl DoubleEndedIterator<Item = Value>) -> Value {
    values.rev().fold(Value::EMPTY_LIST, |tail, head| {
        alloc_fields(0, &[head, tail])
    })
}

/// Writes `value` into field `index` of `block`, keeping the remembered set.
#[inline]
pub fn modify(block: Value, index: usize, value: Value) {
    modify_at(block.field_address(index), value)
}

/// The same for the field at `address`. Inlined is what nearly all writes need: two tests and the
/// store.
#[inline(always)]
pub fn modify_at(address: u32, value: Value) {
    let vm = vm();
    if vm.is_young(value) && !vm.is_young_address(address) {
        modify_old(address, value.0);
    } else {
        memory::store_i64(address, value.0);
    }
}

/// Writes into a field outside of the nursery. If the field holds a nursery block already, it is
/// remembered already.
#[inline(never)]
pub extern "C" fn modify_old(address: u32, value: i64) {
    let old = Value(memory::load_i64(address));
    memory::store_i64(address, value);
    if vm().is_young(Value(value)) && !vm().is_young(old) {
        heap().remembered.insert(address);
    }
}

/// The first word of a closure's environment: what precedes it is not scanned. `info` is the
/// closure's second word.
fn environment_start(info: i64) -> u32 {
    ((info as u64) << 8 >> 9) as u32
}

/// Whether `value` is a block that can be looked at, rather than an integer or data outside of the
/// heap.
pub fn is_known_block(value: Value) -> bool {
    evaluation::look_at(value);
    image::is_known_block(heap(), value)
}

/// The fields of `block` that hold values.
pub fn scanned_fields(block: Value) -> core::ops::Range<usize> {
    match block.tag() < tag::NO_SCAN {
        true => first_scanned(block) as usize..block.wosize(),
        false => 0..0,
    }
}

/// Index of the first field of `block` that is a value, if its tag says that fields are scanned.
fn first_scanned(block: Value) -> u32 {
    match block.tag() {
        tag::CLOSURE => environment_start(block.field(1).0),
        _ => 0,
    }
}

/// Ends the program: the collector cannot go on.
#[cold]
fn out_of_memory() -> ! {
    crate::os::fatal_error("out of memory")
}
