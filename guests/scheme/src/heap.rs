//! Allocation and the collector, which copies what lives (Cheney 1970).
//!
//! Invariant: allocation never collects, so Rust code holds values in variables. Where a chunk of
//! memory is full, another is taken. Once chunks were taken for as much as lives, a collection
//! waits for the next safepoint, which is the entry of an activation or a jump back.
//!
//! Blocks are taken downwards in a chunk. Below `floor` are those that have survived ([`space`]).
//! Constants are *permanent*: they do not move, and the collector takes their fields for roots.

mod space;

use crate::memory::{store_f64, store_i64, store_u32, take};
use crate::value::{FIXED, NIL, UNSPECIFIED, WORD, field_address, fixnum, header, tag};
use crate::vm::{STACK_MARGIN, STACK_WORDS, vm};
use annotations::address_within;
use space::{Space, Survivors};
use std::cell::RefCell;

/// Bytes of a chunk for small blocks.
const CHUNK: u32 = 4 << 20;

/// Sizes of chunks are multiples of this.
const PAGE: u32 = 1 << 16;

/// A block of more bytes has a chunk of its own.
const LARGE: u32 = CHUNK / 8;

/// Bytes that there may be when a collection begins. As all of them may live, a copy has to fit
/// into what 32 bits address, beside what is no block.
const HALF: u64 = (1 << 31) - (1 << 26);

/// A part of memory for blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Chunk {
    start: u32,
    /// Where the part ends that blocks are in.
    end: u32,
    size: u32,
}

#[derive(Default)]
struct Heap {
    chunks: Vec<Chunk>,
    /// Bytes that chunks can be taken for before a collection is due.
    room: u64,
    /// Constants: their chunks, the last of which is filled upwards.
    permanent: Vec<Chunk>,
    /// Each safepoint collects that comes after an allocation.
    stress: bool,
    /// The chunk's floor, where the first allocation is to ask for a safepoint.
    floor: Option<u32>,
}

thread_local! {
    static HEAP: RefCell<Heap> = RefCell::default();
}

fn heap<R>(work: impl FnOnce(&mut Heap) -> R) -> R {
    HEAP.with(|heap| work(&mut heap.borrow_mut()))
}

/// Ends the program: there is no more memory, and nothing that could be done.
fn exhausted() -> ! {
    crate::output::fatal("out of memory")
}

fn new_chunk(bytes: u32) -> Chunk {
    // Few sizes: so what was given back is taken again.
    let Some(size) = bytes.checked_next_multiple_of(PAGE) else {
        exhausted()
    };
    match take(size) {
        Some(start) => Chunk {
            start,
            end: start + size,
            size,
        },
        None => exhausted(),
    }
}

/// Prepares memory, before anything else.
pub fn start() {
    let stack = new_chunk(STACK_WORDS * WORD);
    vm().stack_low.set(stack.start);
    vm().stack_high.set(stack.end);
    vm().failure.set(UNSPECIFIED);
    vm().irritants.set(NIL);
    vm().fail.set(NIL);
    vm().alert.set(stack_limit());
    let chunk = new_chunk(CHUNK);
    heap(|heap| *heap = Heap::default());
    use_chunk(chunk);
}

/// Where the stack ends: a part of it is kept for those who handle that.
fn stack_limit() -> u32 {
    let margin = STACK_MARGIN * if vm().overflowing.get() { 1 } else { 2 };
    vm().stack_low.get() + margin * WORD
}

/// Lets code use the part of the stack that is kept, or not any more.
pub fn set_overflowing(overflowing: bool) {
    vm().overflowing.set(overflowing);
    if vm().alert.get() != u32::MAX {
        vm().alert.set(stack_limit());
    }
}

/// Takes blocks from this chunk now.
fn use_chunk(chunk: Chunk) {
    heap(|heap| heap.chunks.push(chunk));
    vm().floor.set(chunk.start);
    vm().pointer.set(chunk.end);
}

/// From now on each safepoint collects, unless nothing was allocated since the last one.
pub fn stress() {
    heap(|heap| heap.stress = true);
    vm().alert.set(u32::MAX);
}

// Allocation.

/// A block of `bytes`, header included, whose fields the caller writes.
#[inline(always)]
pub fn allocate(bytes: u32, header: i64) -> u32 {
    match annotations::specialize_active() {
        0 => take_block(bytes, header),
        _ => allocate_called(bytes, header),
    }
}

/// The same for compiled code, which knows what this does.
#[inline(never)]
pub extern "C" fn allocate_called(bytes: u32, header: i64) -> u32 {
    take_block(bytes, header)
}

#[inline(always)]
fn take_block(bytes: u32, header: i64) -> u32 {
    let start = vm().pointer.get().wrapping_sub(bytes);
    if start < vm().floor.get() || start > vm().pointer.get() {
        return allocate_slowly(bytes, header);
    }
    vm().pointer.set(start);
    store_i64(start, header);
    start + WORD
}

#[inline(never)]
fn allocate_slowly(bytes: u32, header: i64) -> u32 {
    if let Some(floor) = heap(|heap| heap.floor.take()) {
        vm().alert.set(u32::MAX);
        vm().floor.set(floor);
        return take_block(bytes, header);
    }
    if bytes > LARGE {
        let chunk = further_chunk(bytes);
        heap(|heap| heap.chunks.push(chunk));
        store_i64(chunk.start, header);
        return chunk.start + WORD;
    }
    use_chunk(further_chunk(CHUNK));
    take_block(bytes, header)
}

/// One more chunk. If it takes more than half of it beyond the room that there is, a collection is
/// due: so on the average there is as much room as was meant.
fn further_chunk(bytes: u32) -> Chunk {
    let half = u64::from(bytes / 2);
    let left = heap(|heap| {
        let rest = heap.room.saturating_sub(bytes.into());
        std::mem::replace(&mut heap.room, rest)
    });
    if left < half {
        vm().alert.set(u32::MAX);
    }
    new_chunk(bytes)
}

/// A float, for compiled code: the only thing that it makes where it wants.
#[inline(never)]
pub extern "C" fn float_called(x: f64) -> i64 {
    let block = allocate_called(2 * WORD, header(1, tag::FLOAT));
    store_f64(address_within(block, FIXED), x);
    block.into()
}

/// A block with room for so many fields.
#[inline(always)]
pub fn block(fields: u32, tag: u32) -> u32 {
    allocate((fields + 1) * WORD, header(fields, tag))
}

#[inline(always)]
pub fn pair(car: i64, cdr: i64) -> i64 {
    let block = block(2, tag::PAIR);
    init(block.into(), 0, car);
    init(block.into(), 1, cdr);
    block.into()
}

#[inline(always)]
pub fn float(x: f64) -> i64 {
    if annotations::specialize_active() != 0 {
        return float_called(x);
    }
    float_here(x)
}

/// The same: compiled code makes it here.
#[inline(always)]
pub fn float_here(x: f64) -> i64 {
    let block = block(1, tag::FLOAT);
    store_f64(address_within(block, FIXED), x);
    block.into()
}

/// Fields that a string of so many characters has.
const fn string_fields(length: u32) -> u32 {
    1 + length.div_ceil(2)
}

/// A string of that length, whose characters the caller writes.
pub fn string(length: u32) -> i64 {
    let block = block(string_fields(length), tag::STRING);
    store_i64(block, fixnum(length.into()));
    block.into()
}

/// A block that never moves.
pub fn permanent(fields: u32, tag: u32) -> u32 {
    let bytes = (fields + 1) * WORD;
    let start = heap(|heap| {
        let last = heap.permanent.last();
        if last.is_none_or(|last| last.start + last.size - last.end < bytes) {
            let chunk = new_chunk(bytes.max(PAGE));
            let end = chunk.start;
            heap.permanent.push(Chunk { end, ..chunk });
        }
        let last = heap.permanent.last_mut().expect("there is one");
        let start = last.end;
        last.end += bytes;
        start
    });
    store_i64(start, header(fields, tag));
    start + WORD
}

/// A string that never moves.
pub fn permanent_string(text: &str) -> i64 {
    let length = text.chars().count() as u32;
    let block = permanent(string_fields(length), tag::STRING);
    store_i64(block, fixnum(length.into()));
    for (index, c) in (0..).zip(text.chars()) {
        store_u32(block + WORD + 4 * index, c as u32);
    }
    block.into()
}

// Collection.

/// What code does at a safepoint where something waits. The stack from `sp` up is in memory.
/// Returns whether the stack goes on to have room.
#[inline(never)]
pub extern "C" fn safepoint(sp: u32) -> u32 {
    if sp < stack_limit() {
        return 0;
    }
    collect(sp);
    vm().alert.set(stack_limit());
    heap(|heap| {
        if heap.stress {
            heap.floor = Some(vm().floor.replace(vm().pointer.get()));
        }
    });
    1
}

/// Copies what lives, and gives back the rest.
pub fn collect(sp: u32) {
    let old = heap(|heap| {
        heap.floor = None;
        std::mem::take(&mut heap.chunks)
    });
    let mut space = Space::new(old);
    space.words(sp, (vm().stack_high.get() - sp) / WORD);
    space.words(vm().globals.get(), vm().global_count.get());
    space.words(vm().constants.get(), vm().constant_count.get());
    for root in [&vm().failure, &vm().irritants, &vm().fail] {
        root.set(space.moved(root.get()));
    }
    for chunk in heap(|heap| heap.permanent.clone()) {
        space.blocks(chunk.start, chunk.end);
    }
    let Survivors { full, last, bytes } = space.survivors();
    let (free, end) = (last.end, last.start + last.size);
    heap(|heap| {
        heap.room = room(bytes).saturating_sub(u64::from(end - free));
        heap.chunks = full;
    });
    use_chunk(Chunk { end, ..last });
    vm().floor.set(free);
    vm().collections.set(vm().collections.get() + 1);
}

/// How much may be allocated where so much lives, so that allocating that pays for copying this.
/// Two chunks at least: with one, the benchmark that sorts takes 4 % more CPU time.
fn room(live: u64) -> u64 {
    live.max(2 * u64::from(CHUNK))
        .min(HALF.saturating_sub(live))
}

/// Stores in a field of a block that has just been made.
#[inline(always)]
pub fn init(block: i64, index: u32, value: i64) {
    store_i64(field_address(block, index), value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::load_i64;
    use crate::value::{FALSE, field, float as number};

    /// A stack of one word that holds `value`, and what it holds after a collection.
    fn survivor(value: i64) -> i64 {
        let sp = vm().stack_high.get() - WORD;
        store_i64(sp, value);
        collect(sp);
        load_i64(sp)
    }

    #[test]
    fn what_lives_is_copied_and_keeps_its_shape() {
        start();
        let shared = float(1.5);
        let list = pair(shared, pair(fixnum(2), shared));
        let list = survivor(list);
        let rest = field(list, 1);
        assert_eq!(number(field(list, 0)), 1.5);
        assert_eq!(field(rest, 0), fixnum(2));
        assert_eq!(field(rest, 1), field(list, 0));
    }

    #[test]
    fn cycles_are_followed_once() {
        start();
        let knot = pair(FALSE, NIL);
        init(knot, 1, knot);
        let knot = survivor(knot);
        assert_eq!(field(knot, 1), knot);
    }

    #[test]
    fn constants_stay_and_lead_to_what_lives() {
        start();
        let constant = i64::from(permanent(2, tag::PAIR));
        init(constant, 0, float(2.5));
        init(constant, 1, NIL);
        let before = field(constant, 0);
        assert_eq!(survivor(constant), constant);
        assert_ne!(field(constant, 0), before);
        assert_eq!(number(field(constant, 0)), 2.5);
    }

    #[test]
    fn garbage_is_not_kept() {
        start();
        for round in 0..3_000_000 {
            pair(fixnum(round), NIL);
            if round % 100_000 == 0 {
                collect(vm().stack_high.get());
            }
        }
        assert!(vm().collections.get() >= 30);
    }

    /// A list of numbers up to `count`, with a collection wherever one is due; `kept` is beside it.
    fn grown(count: i64, kept: i64) -> (i64, i64) {
        let sp = vm().stack_high.get() - 2 * WORD;
        store_i64(sp, NIL);
        store_i64(sp + WORD, kept);
        for number in 0..count {
            store_i64(sp, pair(fixnum(number), load_i64(sp)));
            if vm().alert.get() == u32::MAX {
                assert_eq!(safepoint(sp), 1);
            }
        }
        (load_i64(sp), load_i64(sp + WORD))
    }

    #[test]
    fn where_all_lives_each_collection_has_twice_as_much() {
        start();
        let before = vm().collections.get();
        let count = 4_000_000;
        let (mut list, _) = grown(count, NIL);
        for number in (0..count).rev() {
            assert_eq!(field(list, 0), fixnum(number));
            list = field(list, 1);
        }
        assert_eq!(list, NIL);
        let collections = vm().collections.get() - before;
        assert!((4..=6).contains(&collections), "{collections}");
    }

    #[test]
    fn large_blocks_survive_among_small_ones() {
        start();
        let large = i64::from(block(LARGE / 4, tag::VECTOR));
        for index in 0..LARGE / 4 {
            init(large, index, fixnum(index.into()));
        }
        init(large, 0, float(0.5));
        init(large, 1, i64::from(block(0, tag::VECTOR)));
        let (_, large) = grown(1_000_000, large);
        assert_eq!(number(field(large, 0)), 0.5);
        assert_eq!(crate::value::fields_of(field(large, 1)), 0);
        for index in 2..LARGE / 4 {
            assert_eq!(field(large, index), fixnum(index.into()));
        }
    }
}
