//! Blocks of up to 256 words in the major heap: pages of equal slots, one size class a page.
//!
//! A class allocates by bumping a pointer through *runs*, maximal ranges of free slots in one page.
//! Sweeping a page yields its runs and happens lazily, when the class has used up the runs it had.
//! Pages with no live block left go back to a pool that all classes share.
//!
//! Invariant: a page can be walked slot by slot from its start. A free range begins with a header
//! of colour [`FREE`] whose size covers the range; the word after it links a swept run to the next
//! one. The class's current run is outside of this, until [`SmallSpace::retire`] writes its header.

use super::large::{ALL, FEW};
use super::sharing::{self, SHARED_BYTES};
use super::sort;
use super::state::{COLOUR_MASK, Colours, FREE, Heap};
use crate::allocator;
use crate::evaluation;
use crate::memory;
use crate::value::WORD;
use std::cell::{Cell, RefCell};

/// Bytes in a page.
pub const PAGE_BYTES: u32 = 32 << 10;

/// Pages by which a pool that is short of pages grows.
const POOL_STEP: usize = if cfg!(miri) { 4 } else { 32 };

/// Pages that a class of blocks may have in use without having filled them: one each.
pub const CLASS_PAGES: usize = SLOT_WORDS.len();

/// Words of a slot, header included, by class. Up to 16 words each size has a class of its own.
const SLOT_WORDS: [u32; 34] = [
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 36, 40, 48, 56, 64,
    80, 96, 112, 128, 160, 192, 224, 257,
];

/// Size of tables by class, a power of two so that masking an index spares its check.
const CLASSES: usize = 64;

/// Class of a block by its size in words.
static CLASS_OF: [u8; 512] = class_table();

const fn class_table() -> [u8; 512] {
    let mut table = [0; 512];
    let (mut wosize, mut class) = (0, 0);
    while wosize <= super::MAX_YOUNG_WOSIZE {
        if wosize + 1 > SLOT_WORDS[class] as usize {
            class += 1;
        }
        table[wosize] = class as u8;
        wosize += 1;
    }
    table
}

/// Where one class allocates.
struct Class {
    /// The current run.
    next: Cell<u32>,
    end: Cell<u32>,
    slot_bytes: u32,
    /// The run after it, 0 for none.
    next_run: Cell<u32>,
}

/// The pages.
pub struct SmallSpace {
    classes: [Class; CLASSES],
    pages: RefCell<Pages>,
}

struct Pages {
    by_class: [ClassPages; CLASSES],
    /// Start addresses of pages that belong to no class.
    free: Vec<u32>,
    /// All memory ever given to pages.
    bytes: u64,
}

/// Start addresses of one class's pages: the first `swept` need no sweeping in this cycle.
struct ClassPages {
    starts: Vec<u32>,
    swept: usize,
}

/// What sweeping a page found.
struct Swept {
    first_run: u32,
    live: bool,
}

impl SmallSpace {
    pub const fn new() -> Self {
        let mut classes = [const { Class::new(0) }; CLASSES];
        let mut class = 0;
        while class < SLOT_WORDS.len() {
            classes[class] = Class::new(SLOT_WORDS[class] * WORD);
            class += 1;
        }
        Self {
            classes,
            pages: RefCell::new(Pages::new()),
        }
    }

    /// The address of field 0 of an unused slot for `wosize` words (1 to 256), header not written.
    #[inline(always)]
    pub fn alloc(&self, heap: &Heap, wosize: usize) -> u32 {
        let index = CLASS_OF[wosize & 511] as usize & (CLASSES - 1);
        let class = &self.classes[index];
        let slot = class.next.get();
        let next = slot + class.slot_bytes;
        if next > class.end.get() {
            return self.alloc_promoted(heap, index, wosize);
        }
        class.next.set(next);
        slot + WORD
    }

    /// The same while `keep` pages stay in the pool, or `None`: memory is exhausted.
    #[inline]
    pub fn try_alloc(&self, heap: &Heap, wosize: usize, keep: fn(&Heap) -> usize) -> Option<u32> {
        let index = CLASS_OF[wosize & 511] as usize & (CLASSES - 1);
        let class = &self.classes[index];
        let slot = class.next.get();
        if slot + class.slot_bytes > class.end.get() {
            return self.alloc_slow(heap, index, keep(heap));
        }
        class.next.set(slot + class.slot_bytes);
        Some(slot + WORD)
    }

    #[cold]
    #[inline(never)]
    fn alloc_promoted(&self, heap: &Heap, index: usize, wosize: usize) -> u32 {
        if evaluation::is_running() {
            return super::evaluated::promoted(heap, wosize);
        }
        self.alloc_slow(heap, index, 0)
            .unwrap_or_else(|| super::out_of_memory())
    }

    #[cold]
    #[inline(never)]
    fn alloc_slow(&self, heap: &Heap, index: usize, keep: usize) -> Option<u32> {
        let class = &self.classes[index & (CLASSES - 1)];
        if class.next_run.get() == 0 {
            class.next_run.set(self.pages.borrow_mut().find_run(
                heap,
                index,
                class.slot_bytes,
                keep,
            )?);
        }
        let run = class.next_run.get();
        class.next.set(run + class.slot_bytes);
        class
            .end
            .set(run + (memory::load_u64(run) >> 10) as u32 * WORD + WORD);
        class.next_run.set(memory::load_u32(run + WORD));
        Some(run + WORD)
    }

    /// Sees to it that so many pages are in the pool; whether that is so now.
    pub fn refill(&self, heap: &Heap, wanted: usize) -> bool {
        let mut pages = self.pages.borrow_mut();
        while pages.free.len() < wanted {
            let missing = (wanted - pages.free.len()).next_multiple_of(POOL_STEP);
            if pages.grow(heap, missing * PAGE_BYTES as usize).is_none() {
                return false;
            }
        }
        true
    }

    /// Makes room for each class to list so many more pages, so that taking them from the pool
    /// needs no other memory; whether there is.
    pub fn can_list(&self, pages: usize) -> bool {
        let mut all = self.pages.borrow_mut();
        let classes = self.classes.iter().zip(&mut all.by_class);
        let mut used = classes.filter(|(class, _)| class.slot_bytes != 0);
        used.all(|(_, class)| allocator::make_room(&mut class.starts, pages).is_some())
    }

    /// Pages in the pool.
    pub fn free_pages(&self) -> usize {
        self.pages.borrow().free.len()
    }

    /// Takes the longest ranges of neighbouring pages out of the pool, of `least` bytes or more,
    /// while `keep` pages remain, for `use_range`, which says whether it took one. Takes none where
    /// there is no memory to list them.
    pub fn release(&self, keep: usize, least: u32, mut use_range: impl FnMut(u32, u32) -> bool) {
        let mut pages = self.pages.borrow_mut();
        let Some(mut by_length) = neighbours(&mut pages.free) else {
            return;
        };
        pages.free.clear();
        sort::pairs(&mut by_length);
        for (length, start) in by_length {
            let end = start + length;
            let have = pages.free.len();
            let keeps = (length / PAGE_BYTES).min(keep.saturating_sub(have) as u32);
            let middle = start + keeps * PAGE_BYTES;
            let is_long = middle < end && end - middle >= least;
            let kept = match is_long && use_range(middle, end) {
                true => middle,
                false => end,
            };
            pages.bytes -= (end - kept) as u64;
            let kept = (start..kept).step_by(PAGE_BYTES as usize);
            pages.free.extend(kept);
        }
    }

    /// Sweeps the pages that were not swept since the last marking, and looks for runs in all of
    /// them again: before marking.
    pub fn finish_sweep(&self, heap: &Heap) {
        self.retire();
        let mut pages = self.pages.borrow_mut();
        for (index, class) in self.classes.iter().enumerate().take(SLOT_WORDS.len()) {
            while pages.sweep_next(heap, index, class.slot_bytes).is_some() {}
            pages.by_class[index].swept = 0;
        }
    }

    /// Lets pages be swept, on demand, by what has been marked.
    pub fn begin_sweep(&self) {
        self.retire();
        for class in &mut self.pages.borrow_mut().by_class {
            class.swept = 0;
        }
    }

    /// Writes the headers of current runs and forgets all runs.
    fn retire(&self) {
        for class in &self.classes {
            if class.next.get() < class.end.get() {
                write_free(class.next.get(), class.end.get());
            }
            class.next.set(0);
            class.end.set(0);
            class.next_run.set(0);
        }
    }

    /// Bytes of memory that pages take, those of the pool excepted.
    pub fn bytes(&self) -> u64 {
        let pages = self.pages.borrow();
        pages.bytes - pages.free.len() as u64 * u64::from(PAGE_BYTES)
    }

    /// Calls `visit` with the address of each slot in use (the block's field 0), dead ones
    /// included, and with (address, words) of free ranges.
    pub fn walk(&self, mut visit: impl FnMut(u32), mut free: impl FnMut(u32, u32)) {
        let pages = self.pages.borrow();
        for (class, of_class) in self.classes.iter().zip(&pages.by_class) {
            for &start in &of_class.starts {
                let (mut at, end) = (start, page_end(start, class.slot_bytes));
                while at < end {
                    if at == class.next.get() && at < class.end.get() {
                        free(at, (class.end.get() - at) / WORD);
                        at = class.end.get();
                        continue;
                    }
                    let header = memory::load_u64(at);
                    if header & COLOUR_MASK == FREE {
                        free(at, (header >> 10) as u32 + 1);
                        at += (header >> 10) as u32 * WORD + WORD;
                    } else {
                        visit(at + WORD);
                        at += class.slot_bytes;
                    }
                }
            }
        }
    }
}

impl Class {
    const fn new(slot_bytes: u32) -> Self {
        Self {
            next: Cell::new(0),
            end: Cell::new(0),
            slot_bytes,
            next_run: Cell::new(0),
        }
    }
}

impl Pages {
    const fn new() -> Self {
        Self {
            by_class: [const {
                ClassPages {
                    starts: Vec::new(),
                    swept: 0,
                }
            }; CLASSES],
            free: Vec::new(),
            bytes: 0,
        }
    }

    /// The first of some free runs of the class: from its next pages to be swept, else a new page,
    /// unless the pool has only `keep` left.
    fn find_run(&mut self, heap: &Heap, index: usize, slot_bytes: u32, keep: usize) -> Option<u32> {
        while let Some(run) = self.sweep_next(heap, index, slot_bytes) {
            if run != 0 {
                return Some(run);
            }
        }
        allocator::make_room(&mut self.by_class[index].starts, 1)?;
        let page = self.take_page(heap, keep)?;
        write_free(page, page_end(page, slot_bytes));
        memory::store_u64(page + WORD, 0);
        let class = &mut self.by_class[index];
        class.starts.push(page);
        class.swept = class.starts.len();
        Some(page)
    }

    /// Sweeps the next page of the class that needs it: `None` when there is none, else its first
    /// run or 0.
    fn sweep_next(&mut self, heap: &Heap, index: usize, slot_bytes: u32) -> Option<u32> {
        let class = &mut self.by_class[index];
        let &start = class.starts.get(class.swept)?;
        let swept = sweep_page(start, slot_bytes, heap.kept_colours());
        if swept.live {
            class.swept += 1;
            return Some(swept.first_run);
        }
        class.starts.swap_remove(class.swept);
        self.free.push(start);
        Some(0)
    }

    fn take_page(&mut self, heap: &Heap, keep: usize) -> Option<u32> {
        if self.free.len() <= keep {
            self.grow(heap, PAGE_BYTES as usize)?;
        }
        self.free.pop()
    }

    /// Adds memory to the pool: `need` bytes at least, unless only less is to be had. Afterwards
    /// all pages fit into the list of free ones.
    fn grow(&mut self, heap: &Heap, need: usize) -> Option<()> {
        let wish = sharing::growth(self.bytes, need);
        let pages = (self.bytes as usize + wish).div_ceil(PAGE_BYTES as usize);
        allocator::make_room(&mut self.free, pages)?;
        let carve = |unit, looks| {
            let mut large = heap.large.borrow_mut();
            large.carve(unit, wish as u32, looks)
        };
        let (start, end) = carve(SHARED_BYTES as u32, FEW)
            .or_else(|| sharing::grow_either(heap, wish, PAGE_BYTES as usize))
            .or_else(|| carve(PAGE_BYTES, ALL))?;
        self.free
            .extend((start..end).step_by(PAGE_BYTES as usize).rev());
        self.bytes += (end - start) as u64;
        Some(())
    }
}

/// Ranges of neighbouring pages, length and start, in the order of their addresses, in which the
/// pages are afterwards; nothing where there is no memory for them.
fn neighbours(pages: &mut [u32]) -> Option<Vec<(u32, u32)>> {
    pages.sort_unstable();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &page in &*pages {
        match ranges.last_mut() {
            Some((length, start)) if *start + *length == page => *length += PAGE_BYTES,
            Some(_) | None => {
                allocator::make_room(&mut ranges, 1)?;
                ranges.push((PAGE_BYTES, page));
            }
        }
    }
    Some(ranges)
}

/// The end of the last whole slot of a page.
fn page_end(start: u32, slot_bytes: u32) -> u32 {
    start + PAGE_BYTES / slot_bytes * slot_bytes
}

/// Writes the header of the free range `start..end`.
fn write_free(start: u32, end: u32) {
    let words = ((end - start) / WORD - 1) as u64;
    memory::store_u64(start, words << 10 | FREE);
}

/// Turns free slots, and those whose colour is not among `kept`, into runs, linked in the order of
/// their addresses.
fn sweep_page(start: u32, slot_bytes: u32, kept: Colours) -> Swept {
    let end = page_end(start, slot_bytes);
    let mut swept = Swept {
        first_run: 0,
        live: false,
    };
    let (mut last_run, mut at) = (0, start);
    while at < end {
        if kept.contains(memory::load_u64(at)) {
            swept.live = true;
            at += slot_bytes;
            continue;
        }
        let run = at;
        at = run_end(run, end, slot_bytes, kept);
        write_free(run, at);
        memory::store_u64(run + WORD, 0);
        match last_run {
            0 => swept.first_run = run,
            last => memory::store_u64(last + WORD, run as u64),
        }
        last_run = run;
    }
    swept
}

/// Where the free slots and garbage that begin at `at` end.
fn run_end(mut at: u32, end: u32, slot_bytes: u32, kept: Colours) -> u32 {
    while at < end {
        let header = memory::load_u64(at);
        match header & COLOUR_MASK {
            FREE => at += (header >> 10) as u32 * WORD + WORD,
            _ if kept.contains(header) => break,
            _ => at += slot_bytes,
        }
    }
    at
}
