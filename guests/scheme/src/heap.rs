//! Allocation and the collector, which copies what lives (Cheney 1970).
//!
//! Invariant: allocation never collects, so Rust code holds values in variables. Where a chunk of
//! memory is full, another is taken and a collection waits for the next safepoint, which is the
//! entry of an activation or a jump back.
//!
//! Blocks are taken downwards in a chunk. Below `floor` are those that have survived. Constants are
//! *permanent*: they do not move, and the collector takes their fields for roots.

use crate::memory::{copy_words, give_back, load_i64, store_f64, store_i64, store_u32, take};
use crate::value::{
    FIXED, NIL, RAISED, UNSPECIFIED, WORD, field_address, fixnum, header, is_block, tag,
};
use crate::vm::{STACK_MARGIN, STACK_WORDS, vm};
use annotations::address_within;
use std::cell::RefCell;

/// Bytes of a chunk, at least.
const CHUNK: u32 = 4 << 20;

/// A part of memory: address and size.
type Chunk = (u32, u32);

/// A chunk, and the end of what of it is used.
type Used = (Chunk, u32);

#[derive(Default)]
struct Heap {
    chunks: Vec<Used>,
    /// Constants: their chunks, the last of which is filled upwards from `.0` to `.1`.
    permanent: Vec<Chunk>,
    permanent_rest: (u32, u32),
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
    let Some(bytes) = bytes.checked_next_multiple_of(1 << 16) else {
        exhausted()
    };
    match take(bytes) {
        Some(address) => (address, bytes),
        None => exhausted(),
    }
}

/// Prepares memory, before anything else.
pub fn start() {
    let (low, bytes) = new_chunk(STACK_WORDS * WORD);
    vm().stack_low.set(low);
    vm().stack_high.set(low + bytes);
    vm().failure.set(UNSPECIFIED);
    vm().irritants.set(NIL);
    vm().fail.set(NIL);
    vm().alert.set(stack_limit());
    let chunk = new_chunk(CHUNK);
    heap(|heap| *heap = Heap::default());
    use_chunk(chunk, chunk.0 + chunk.1);
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

/// Takes blocks from this chunk now, below `top`.
fn use_chunk(chunk: Chunk, top: u32) {
    heap(|heap| heap.chunks.push((chunk, top)));
    vm().floor.set(chunk.0);
    vm().pointer.set(top);
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
    vm().alert.set(u32::MAX);
    match heap(|heap| heap.floor.take()) {
        Some(floor) => vm().floor.set(floor),
        None => {
            let chunk = new_chunk(bytes.max(CHUNK));
            use_chunk(chunk, chunk.0 + chunk.1);
        }
    }
    take_block(bytes, header)
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
        let (start, end) = heap.permanent_rest;
        if end - start < bytes {
            heap.permanent_rest.1 = start;
            heap.close_permanent();
            let chunk = new_chunk(bytes.max(1 << 16));
            heap.permanent.push(chunk);
            heap.permanent_rest = (chunk.0, chunk.0 + chunk.1);
        }
        let start = heap.permanent_rest.0;
        heap.permanent_rest.0 += bytes;
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

impl Heap {
    /// What of the last chunk is used is all of it.
    fn close_permanent(&mut self) {
        if let Some(last) = self.permanent.last_mut() {
            last.1 = self.permanent_rest.0 - last.0;
        }
    }
}

/// Where survivors go.
struct Space {
    free: u32,
    end: u32,
}

/// Copies what lives, and gives back the rest.
pub fn collect(sp: u32) {
    let old = heap(|heap| {
        heap.close_permanent();
        heap.floor = None;
        std::mem::take(&mut heap.chunks)
    });
    let used: u64 = old
        .iter()
        .map(|((start, _), top)| u64::from(top - start))
        .sum();
    let most = (used + u64::from(CHUNK)).next_multiple_of(CHUNK.into());
    let chunk = new_chunk(u32::try_from(most).unwrap_or_else(|_| exhausted()));
    let mut space = Space {
        free: chunk.0,
        end: chunk.0 + chunk.1,
    };
    space.words(sp, (vm().stack_high.get() - sp) / WORD, &old);
    space.words(vm().globals.get(), vm().global_count.get(), &old);
    space.words(vm().constants.get(), vm().constant_count.get(), &old);
    for root in [&vm().failure, &vm().irritants, &vm().fail] {
        root.set(space.moved(root.get(), &old));
    }
    for (start, bytes) in heap(|heap| heap.permanent.clone()) {
        space.blocks(start, |_| start + bytes, &old);
    }
    space.blocks(chunk.0, |space| space.free, &old);
    for ((address, bytes), _) in old {
        give_back(address, bytes);
    }
    // As much again as lives, or a chunk.
    let room = (space.free - chunk.0)
        .max(CHUNK)
        .min(space.end - space.free);
    use_chunk(chunk, space.free + (room & !7));
    vm().floor.set(space.free);
    vm().collections.set(vm().collections.get() + 1);
}

impl Space {
    /// Follows so many words.
    fn words(&mut self, address: u32, count: u32, old: &[Used]) {
        for index in 0..count {
            let at = address + index * WORD;
            let value = load_i64(at);
            let moved = self.moved(value, old);
            if moved != value {
                store_i64(at, moved);
            }
        }
    }

    /// Follows the fields of the blocks from `start` to the end, which may move up meanwhile.
    fn blocks(&mut self, start: u32, end: impl Fn(&Self) -> u32, old: &[Used]) {
        let mut at = start;
        while at < end(self) {
            let header = load_i64(at);
            let (fields, kind) = ((header >> 8) as u32, header as u32 & 0xff);
            let raw = match kind {
                tag::STRING | tag::FLOAT => fields,
                tag::CLOSURE => 1,
                _ => 0,
            };
            self.words(at + WORD * (1 + raw), fields - raw, old);
            at += WORD * (1 + fields);
        }
    }

    /// The value that `value` has become.
    fn moved(&mut self, value: i64, old: &[Used]) -> i64 {
        if !is_block(value) || value == RAISED {
            return value;
        }
        let address = value as u32;
        if !old
            .iter()
            .any(|((start, _), top)| address.wrapping_sub(*start) <= top - start)
        {
            return value;
        }
        let header = load_i64(address - WORD);
        if header & 1 == 0 {
            return header;
        }
        let words = (header >> 8) as u32 + 1;
        assert!(self.end - self.free >= words * WORD, "survivors fit");
        copy_words(address - WORD, self.free, words);
        let new = i64::from(self.free + WORD);
        self.free += words * WORD;
        store_i64(address - WORD, new);
        new
    }
}

/// Stores in a field of a block that has just been made.
#[inline(always)]
pub fn init(block: i64, index: u32, value: i64) {
    store_i64(field_address(block, index), value);
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
