//! Minor collection: copies what is reachable in the nursery into the major heap.
//!
//! A block that was copied has header 0 and its new address in field 0. Blocks whose fields are
//! still in the nursery wait on a stack of nursery addresses; each field is read once there and
//! written once to its new place. At the end the nursery is empty and nothing points into it.
//!
//! Leaves out: when it is time for it (see `collect`).

use super::ephemeron::watch::{Watches, is_planted};
use super::settings::{about, message};
use super::state::Heap;
use super::{ephemeron, finalise, image, memprof, roots};
use crate::memory;
use crate::value::{Value, WORD, tag};
use crate::vm::vm;

/// A minor collection in progress.
pub struct Evacuation {
    heap: &'static Heap,
    young: YoungRange,
    /// Stack of nursery addresses of copied blocks whose fields are still to be copied. As every
    /// block is pushed once, the room reserved at `init` is enough.
    todo_base: u32,
    todo_top: u32,
    colour: u64,
    promoted: u64,
    /// Ephemerons that wait for blocks to be copied.
    pub watches: Watches,
}

/// The nursery, for a test in one comparison: an odd word (an integer) rotates to a huge one.
#[derive(Clone, Copy)]
pub struct YoungRange {
    start: i64,
    half: u64,
}

impl YoungRange {
    pub fn new() -> Self {
        let vm = vm();
        Self {
            start: vm.young_start.get() as i64,
            half: ((vm.young_end.get() - vm.young_start.get()) / 2) as u64,
        }
    }

    /// Whether `word` is a block in the nursery.
    #[inline(always)]
    pub fn contains(self, word: i64) -> bool {
        (word.wrapping_sub(self.start) as u64).rotate_right(1) < self.half
    }
}

/// Empties the nursery; whether there was anything in it. The stack pointer and all values are in
/// memory.
pub fn collect(heap: &'static Heap) -> bool {
    let vm = vm();
    let used = vm.young_end.get() - vm.young_ptr.get();
    if used > 0 {
        message(about::MINOR_COLLECTIONS, || "<".to_owned());
    }
    let mut evacuation = Evacuation::new(heap);
    if used > 0 {
        evacuation.roots();
        evacuation.drain();
    }
    // What was to be looked at has been, or refers to no block of an empty nursery.
    heap.remembered.clear();
    heap.fresh.clear();
    ephemeron::after_minor(heap, &mut evacuation);
    finalise::after_minor(heap, &evacuation);
    memprof::after_minor(heap, &evacuation);
    let promoted = evacuation.promoted;
    heap.allocated.set(heap.allocated.get() + promoted);
    heap.counters.minor_done(used, promoted);
    vm.young_ptr.set(vm.young_end.get());
    heap.full.set(false);
    heap.external.after_minor();
    memprof::renew(heap);
    if used > 0 {
        message(about::MINOR_COLLECTIONS, || ">".to_owned());
    }
    used > 0
}

impl Evacuation {
    fn new(heap: &'static Heap) -> Self {
        let todo_base = heap.todo.base();
        Self {
            heap,
            young: YoungRange::new(),
            todo_base,
            todo_top: todo_base,
            colour: heap.live_colour.get(),
            promoted: 0,
            watches: Watches::new(),
        }
    }

    fn roots(&mut self) {
        let heap = self.heap;
        for (start, end) in roots::ranges() {
            self.range(start, end);
        }
        // In a `for` loop, each field would be asked of both parts of the chain.
        heap.remembered
            .single_fields()
            .for_each(|field| self.field(field));
        heap.remembered
            .blocks()
            .for_each(|block| self.filled(block));
        for index in 0..heap.fresh.len() {
            let block = Value::block(heap.fresh.get(index));
            self.range(
                block.field_address(super::first_scanned(block) as usize),
                block.field_address(block.wosize()),
            );
        }
        let mut visit = |cell: &core::cell::Cell<Value>| cell.set(self.value(cell.get()));
        roots::for_each_young_cell(heap, &mut visit);
        finalise::minor_roots(heap, &mut visit);
        memprof::young_roots(heap, &mut visit);
    }

    /// The address that `value` has after the collection; copies the block if that was not done
    /// yet.
    pub fn value(&mut self, value: Value) -> Value {
        match self.young.contains(value.0) {
            true => Value(self.forward(value.0)),
            false => value,
        }
    }

    /// The nursery block that `value` is, or points into, if it was not copied so far.
    pub fn uncopied(&self, value: Value) -> Option<Value> {
        if !self.young.contains(value.0) {
            return None;
        }
        match value.header() {
            0 => None,
            header if header as u8 == tag::INFIX && !is_planted(header) => {
                let offset = (header >> 10) as u32 * WORD;
                self.uncopied(Value::block(value.address() - offset))
            }
            _ => Some(value),
        }
    }

    /// Where `value` went if it was copied; `None` for a nursery block that was not. No header is
    /// planted.
    pub fn survivor(&self, value: Value) -> Option<Value> {
        if !self.young.contains(value.0) {
            return Some(value);
        }
        match value.header() {
            0 => Some(value.field(0)),
            header if header as u8 == tag::INFIX => {
                let offset = (header >> 10) as u32 * WORD;
                let base = self.survivor(Value::block(value.address() - offset))?;
                Some(Value::block(base.address() + offset))
            }
            _ => None,
        }
    }

    /// Copies the fields of all blocks that wait for it, and what they point to.
    pub fn drain(&mut self) {
        while self.todo_top != self.todo_base {
            self.todo_top -= 4;
            let young = memory::load_u32(self.todo_top);
            self.copy_fields(young);
        }
    }

    #[inline(always)]
    fn copy_fields(&mut self, young: u32) {
        let new = memory::load_u32(young);
        let header = memory::load_u64(new - WORD);
        let bytes = (header >> 10) as u32 * WORD;
        let mut offset = WORD;
        if header as u8 == tag::CLOSURE {
            offset = copy_code(young, new);
        } else {
            let word = memory::load_i64(new);
            if self.young.contains(word) {
                memory::store_i64(new, self.forward(word));
            }
        }
        while offset < bytes {
            let mut word = memory::load_i64(young + offset);
            if self.young.contains(word) {
                word = self.forward_inline(word);
            }
            memory::store_i64(new + offset, word);
            offset += WORD;
        }
    }

    fn range(&mut self, start: u32, end: u32) {
        let mut address = start;
        while address < end {
            self.field(address);
            address += WORD;
        }
    }

    /// The fields of a block most of which are the same nursery block, which is looked up once.
    fn filled(&mut self, block: Value) {
        let (mut last, mut new) = (Value::UNIT.0, Value::UNIT.0);
        let end = block.field_address(block.wosize());
        for address in (block.field_address(0)..end).step_by(WORD as usize) {
            let word = memory::load_i64(address);
            if word != last {
                if !self.young.contains(word) {
                    continue;
                }
                (last, new) = (word, self.forward(word));
            }
            memory::store_i64(address, new);
        }
    }

    #[inline(always)]
    fn field(&mut self, address: u32) {
        let word = memory::load_i64(address);
        if self.young.contains(word) {
            memory::store_i64(address, self.forward(word));
        }
    }

    #[inline(never)]
    fn forward(&mut self, word: i64) -> i64 {
        self.forward_inline(word)
    }

    /// The new address of the nursery block `word`.
    #[inline(always)]
    fn forward_inline(&mut self, word: i64) -> i64 {
        let young = word as u32;
        let header = memory::load_u64(young - WORD);
        if header == 0 {
            return memory::load_i64(young);
        }
        match header as u8 {
            tag::INFIX => self.forward_infix(young, header),
            tag::FORWARD => self.forward_lazy(young, header),
            _ => self.copy(young, header),
        }
    }

    #[inline(always)]
    fn copy(&mut self, young: u32, header: u64) -> i64 {
        let wosize = (header >> 10) as usize;
        let new = self.heap.small.alloc(self.heap, wosize);
        self.promoted += wosize as u64 + 1;
        memory::store_u64(new - WORD, header | self.colour);
        memory::store_i64(new, memory::load_i64(young));
        if (header as u8) < tag::NO_SCAN {
            memory::store_u32(self.todo_top, young);
            self.todo_top += 4;
        } else if wosize > 1 {
            memory::copy(young + WORD, new + WORD, (wosize - 1) * WORD as usize);
        }
        memory::store_u64(young - WORD, 0);
        memory::store_i64(young, new as i64);
        new as i64
    }

    #[inline(never)]
    fn forward_infix(&mut self, young: u32, header: u64) -> i64 {
        if is_planted(header) {
            return self.forward_watched(young, header);
        }
        let offset = (header >> 10) as i64 * WORD as i64;
        self.forward(young as i64 - offset) + offset
    }

    /// Copies a block that ephemerons wait for, and wakes them; or skips it, and wakes nobody.
    #[cold]
    fn forward_watched(&mut self, young: u32, planted: u64) -> i64 {
        let header = self.watches.own_header(planted);
        let target = Value(memory::load_i64(young));
        if header as u8 == tag::FORWARD && self.may_skip_to(target) {
            return self.value(target).0;
        }
        self.watches.wake(planted);
        self.copy(young, header)
    }

    /// Skips a forced suspension if that may be done, or else copies the block as any other.
    #[inline(never)]
    fn forward_lazy(&mut self, young: u32, header: u64) -> i64 {
        let target = Value(memory::load_i64(young));
        match self.may_skip_to(target) {
            true => self.value(target).0,
            false => self.copy(young, header),
        }
    }

    fn may_skip_to(&self, target: Value) -> bool {
        let seen = match self.young.contains(target.0) && target.header() == 0 {
            true => target.field(0),
            false => target,
        };
        image::may_skip_to(self.heap, &self.watches, seen)
    }
}

/// Copies what precedes the environment of a closure (but field 0, which is in place): code
/// pointers and infix headers, not values. Returns the offset of the environment.
#[inline(never)]
fn copy_code(young: u32, new: u32) -> u32 {
    let info = memory::load_i64(young + WORD);
    let environment = super::environment_start(info) * WORD;
    memory::copy(young + WORD, new + WORD, (environment - WORD) as usize);
    environment
}

#[cfg(test)]
mod tests {
    use crate::heap::{alloc, collect_minor, heap, register_roots};
    use crate::testing::start_machine;
    use crate::value::{Value, tag};
    use std::cell::Cell;

    thread_local! {
        static VISITS: Cell<u32> = const { Cell::new(0) };
    }

    #[test]
    fn an_empty_nursery_has_no_roots() {
        start_machine();
        register_roots(|_| VISITS.set(VISITS.get() + 1));
        alloc(1, tag::STRING);
        collect_minor();
        assert_eq!(VISITS.get(), 1);
        let collections = heap().counters.minor_collections.get();
        let old = alloc(1000, 0);
        (0..1000).for_each(|index| old.init_field(index, Value::UNIT));
        assert_eq!(heap().fresh.len(), 1);
        collect_minor();
        assert_eq!(VISITS.get(), 1);
        assert_eq!(heap().fresh.len(), 0, "blocks are fresh for one collection");
        assert_eq!(heap().counters.minor_collections.get(), collections);
    }
}
