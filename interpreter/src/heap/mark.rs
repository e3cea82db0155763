//! Marking: gives every reachable block of the major heap the live colour, and every such block
//! that an evaluation has left in the image.
//!
//! Marking begins right after a minor collection, so the nursery is empty. The live colours were
//! just swapped, so all blocks have the dead colour. It is completed at the end of the cycle, after
//! another minor collection.
//!
//! The order is depth first, with an explicit stack of field ranges: deep structures need no native
//! stack, and a large block waits as one range. Where there is no memory for the stack to grow,
//! ranges are dropped, and all marked blocks are looked at again.
//!
//! What a block refers to by way of a forced suspension it refers to directly afterwards, as after
//! a minor collection. As in OCaml's runtime, the stack and other roots go on referring to the
//! suspension.
//!
//! Leaves out: marking in steps, for which a write barrier would have to mark overwritten values.

use super::ephemeron::watch::{Watches, is_planted};
use super::minor::YoungRange;
use super::state::{COLOUR_B, COLOUR_MASK, Heap};
use super::{ephemeron, evaluated, finalise, image, memprof, roots};
use crate::memory;
use crate::value::{Value, WORD, tag};

/// How many fields of a block are marked in one go.
const STEP_BYTES: u32 = 256 * WORD;

/// A marking in progress. Where the nursery is not empty, `AMONG_YOUNG` says so.
pub struct Marker<const AMONG_YOUNG: bool = false> {
    heap: &'static Heap,
    young: YoungRange,
    low: i64,
    half: u64,
    dead: u64,
    /// The stack of field ranges, two addresses each: its lower end, its top, the end of its
    /// memory.
    base: u32,
    top: u32,
    limit: u32,
    /// Words of marked blocks, headers included.
    live_words: u64,
    /// A range found no room on the stack: blocks that were marked have fields to be looked at.
    overflowed: bool,
    /// Ephemerons that wait for blocks to be marked.
    pub watches: Watches,
}

/// Bytes of an entry of the stack.
const ENTRY: u32 = 8;

/// Marks what is reachable from the roots; returns the number of words that it marked.
pub fn begin(heap: &'static Heap) -> u64 {
    let mut marker = Marker::<false>::new(heap);
    marker.roots();
    marker.drain();
    marker.live_words
}

/// Words that marking found beyond those that roots lead to.
pub struct Late {
    /// Kept alive by ephemerons.
    pub kept: u64,
    /// Dead but for a finaliser that they wait for.
    pub revived: u64,
}

/// The same for what ephemerons and finalisers keep alive beyond that.
pub fn complete(heap: &'static Heap) -> Late {
    let mut marker = Marker::<false>::new(heap);
    ephemeron::mark(heap, &mut marker);
    let kept = marker.live_words;
    finalise::mark_unreachable(heap, &mut marker);
    ephemeron::finish_mark(heap, &mut marker);
    let revived = marker.live_words - kept;
    Late { kept, revived }
}

/// Marks what is reachable from `value`. The nursery may refer to it by now. Returns the number of
/// words that it marked.
pub fn also(heap: &'static Heap, value: Value) -> u64 {
    let mut marker = Marker::<true>::new(heap);
    marker.value(value);
    marker.drain();
    marker.live_words
}

impl Marker {
    fn roots(&mut self) {
        let heap = self.heap;
        heap.image.for_each_block(|block| {
            if heap.in_major(block) {
                evaluated::bury_dead(heap, block);
            } else if block.tag() < tag::NO_SCAN {
                self.push_fields(block);
            }
        });
        let [stack, globals] = roots::ranges();
        self.stack(stack.0, stack.1);
        self.push(globals.0, globals.1);
        self.drain();
        let mut visit = |cell: &core::cell::Cell<Value>| self.value(cell.get());
        roots::for_each_cell(heap, &mut visit);
        finalise::mark_roots(heap, &mut visit);
        memprof::all_roots(heap, &mut visit);
    }

    /// Marks from the words `start..end` of the OCaml stack, which stay as they are.
    fn stack(&mut self, start: u32, end: u32) {
        let mut address = start;
        while address != end {
            let word = memory::load_i64(address);
            address += WORD;
            if self.is_candidate(word) {
                self.value(Value(word));
                self.drain_stack();
            }
        }
    }
}

impl<const AMONG_YOUNG: bool> Marker<AMONG_YOUNG> {
    fn new(heap: &'static Heap) -> Self {
        Self {
            heap,
            young: YoungRange::new(),
            low: heap.low.get() as i64,
            half: ((heap.high.get() - heap.low.get()) / 2) as u64,
            dead: heap.dead_colour(),
            base: heap.mark_stack.base(),
            top: heap.mark_stack.base(),
            limit: heap.mark_stack.limit(),
            live_words: 0,
            overflowed: false,
            watches: Watches::new(),
        }
    }

    /// Marks the block `value` if it is one of the major heap; its fields wait on the stack.
    pub fn value(&mut self, value: Value) {
        if self.is_candidate(value.0) {
            let (start, end) = self.block(value.address(), None);
            self.push(start, end);
        }
    }

    /// The block of the major heap that `value` is, or points into, if it is unmarked.
    pub fn unmarked(&self, value: Value) -> Option<Value> {
        if !self.heap.in_major(value) {
            return None;
        }
        let block = around(value, value.header());
        (block.header() & COLOUR_MASK != self.dead ^ COLOUR_B).then_some(block)
    }

    /// Marks all that the stack holds, and what it could not hold.
    pub fn drain(&mut self) {
        self.drain_stack();
        while core::mem::take(&mut self.overflowed) {
            self.watches.wake_all();
            let heap = self.heap;
            heap.small
                .walk(|address| self.look_again(address), |_, _| ());
            heap.large
                .borrow()
                .walk(|address| self.look_again(address), |_, _| ());
            heap.image.for_each_block(|block| {
                if heap.in_major(block) {
                    self.look_again(block.address());
                }
            });
        }
    }

    /// Marks what a block that is marked refers to.
    #[inline(never)]
    fn look_again(&mut self, address: u32) {
        let block = Value::block(address);
        if block.header() & COLOUR_MASK == self.dead ^ COLOUR_B && block.tag() < tag::NO_SCAN {
            self.push_fields(block);
            self.drain_stack();
        }
    }

    /// All fields of a block that the collector scans.
    fn push_fields(&mut self, block: Value) {
        let start = block.address() + super::first_scanned(block) * WORD;
        self.push(start, block.field_address(block.wosize()));
    }

    fn drain_stack(&mut self) {
        while self.top != self.base {
            self.top -= ENTRY;
            let entry = memory::load_u64(self.top);
            self.range(entry as u32, (entry >> 32) as u32);
        }
    }

    /// Marks from the fields `start..end` (not empty). Children wait on the stack, but for one
    /// found in the last field: it takes the range's place, so that a list needs no stack at all.
    #[inline(always)]
    fn range(&mut self, start: u32, end: u32) {
        let (mut address, mut end) = (start, end);
        if end - address > STEP_BYTES {
            self.push(address + STEP_BYTES, end);
            end = address + STEP_BYTES;
        }
        while address != end {
            let word = memory::load_i64(address);
            address += WORD;
            if !self.is_candidate(word) {
                continue;
            }
            let (first, last) = self.block(word as u32, Some(address - WORD));
            if address != end {
                self.push(first, last);
            } else if last - first <= STEP_BYTES {
                (address, end) = (first, last);
            } else {
                self.push(first, last);
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, start: u32, end: u32) {
        if start == end {
            return;
        }
        if self.top == self.limit && !self.grow() {
            self.overflowed = true;
            return;
        }
        memory::store_u64(self.top, (end as u64) << 32 | start as u64);
        self.top += ENTRY;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> bool {
        let used = self.top - self.base;
        let grown = self.heap.mark_stack.try_grow(used);
        self.base = self.heap.mark_stack.base();
        self.top = self.base + used;
        self.limit = self.heap.mark_stack.limit();
        grown.is_some()
    }

    /// Whether `word` may point to an unmarked block: whether it points into the major heap.
    #[inline(always)]
    fn is_candidate(&self, word: i64) -> bool {
        (word.wrapping_sub(self.low) as u64).rotate_right(1) < self.half
            && !(AMONG_YOUNG && self.young.contains(word))
    }

    /// Marks the block at `address`, unless it is marked; the range of fields still to be marked,
    /// perhaps empty. Of a forced suspension, its value is marked, if `field` may hold that.
    #[inline(always)]
    fn block(&mut self, mut address: u32, field: Option<u32>) -> (u32, u32) {
        let mut header = memory::load_u64(address - WORD);
        if matches!(header as u8, tag::INFIX | tag::FORWARD) {
            match self.behind(address, header, field) {
                Some(block) => address = block,
                None => return (address, address),
            }
            header = memory::load_u64(address - WORD);
        }
        if header & COLOUR_MASK != self.dead {
            return (address, address);
        }
        memory::store_u64(address - WORD, header ^ COLOUR_B);
        self.live_words += (header >> 10) + 1;
        let end = address + (header >> 10) as u32 * WORD;
        match header as u8 {
            tag::NO_SCAN.. => (end, end),
            tag::CLOSURE => (
                address + super::first_scanned(Value::block(address)) * WORD,
                end,
            ),
            _ => (address, end),
        }
    }

    /// The block that is to be marked for a reference to `address`, where its `header` is one of
    /// tag Infix or of a forced suspension: the closure around, or what `field` holds from now on.
    /// Nobody waits for it any longer.
    #[inline(never)]
    fn behind(&mut self, address: u32, header: u64, field: Option<u32>) -> Option<u32> {
        let block = around(Value::block(address), header);
        if let Some(field) = field
            && self.watches.own_tag(block) == tag::FORWARD
            && self.may_skip_to(block.field(0))
        {
            let target = block.field(0);
            memory::store_i64(field, target.0);
            return match self.is_candidate(target.0) {
                true => self.behind(target.address(), target.header(), None),
                false => None,
            };
        }
        let header = block.header();
        if header as u8 == tag::INFIX {
            self.watches.wake(header);
        }
        Some(block.address())
    }

    /// Whether a field outside of the nursery may hold the value `target` of a suspension. What is
    /// in the nursery would have to be remembered.
    fn may_skip_to(&self, target: Value) -> bool {
        !AMONG_YOUNG && image::may_skip_to(self.heap, &self.watches, target)
    }
}

/// The block that `address` is in: the closure's where `header` is that of one of its functions.
fn around(address: Value, header: u64) -> Value {
    match header as u8 == tag::INFIX && !is_planted(header) {
        true => Value::block(address.address() - (header >> 10) as u32 * WORD),
        false => address,
    }
}

/// Whether `value` is not an unmarked block of the major heap: to be asked when marking is done.
pub fn is_live(heap: &Heap, value: Value) -> bool {
    if !heap.in_major(value) {
        return true;
    }
    around(value, value.header()).header() & COLOUR_MASK == heap.live_colour.get()
}
