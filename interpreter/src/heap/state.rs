//! The collector's state: one [`Heap`] for the module under Wasm, one for each thread natively.
//!
//! Invariants: a block's colour (header bits 8 and 9) is [`FREE`] for unused memory of the major
//! heap, the heap's *live colour* for blocks that the last marking reached or that were born since,
//! and the other of the two remaining colours for garbage that has not been swept yet. The fourth
//! colour is that of headers that `ephemeron` plants during a collection. Nursery and image blocks
//! have colour 0, which nobody looks at. Between collections the two live colours swap roles, so
//! that sweeping need not touch survivors.
//!
//! Leaves out: how each space allocates (see `small`, `large`, `image`).

use super::cycle::Phase;
use super::ephemeron::Ephemerons;
use super::external::External;
use super::finalise::Finalisers;
use super::hooks::Hooks;
use super::image::Image;
use super::large::LargeSpace;
use super::list::{AddressList, Buffer};
use super::remembered::Remembered;
use super::roots::RootVisitor;
use super::samples::Memprof;
use super::settings::{INITIAL_WORDS, Settings};
use super::small::SmallSpace;
use super::stats::Counters;
use crate::value::Value;
use std::cell::{Cell, RefCell};

/// The colour bits of a header.
pub const COLOUR_MASK: u64 = 3 << 8;
/// Colour of unused memory: the header's size is that of the unused range.
pub const FREE: u64 = 2 << 8;
/// The first of the two colours that mean live and garbage in turn.
pub const COLOUR_A: u64 = 0;
/// The second.
pub const COLOUR_B: u64 = 1 << 8;

/// A set of colours: a bit for each.
#[derive(Clone, Copy)]
pub struct Colours(u8);

impl Colours {
    /// Whether the colour of a block with this header is one of them.
    #[inline(always)]
    pub fn contains(self, header: u64) -> bool {
        self.0 >> (header >> 8 & 3) & 1 != 0
    }
}

/// Everything the collector knows beside the machine's registers.
pub struct Heap {
    pub small: SmallSpace,
    pub large: RefCell<LargeSpace>,
    pub image: Image,
    /// Blocks of the major heap are in `low..high`; both are 0 before `init`.
    pub low: Cell<u32>,
    pub high: Cell<u32>,
    /// Header bits of blocks that are live, see the module's invariants.
    pub live_colour: Cell<u64>,
    pub remembered: Remembered,
    /// Blocks born in the major heap since the last minor collection.
    pub fresh: AddressList,
    /// Nursery addresses of blocks whose fields are still to be copied.
    pub todo: Buffer,
    /// Ranges of fields still to be marked: pairs start, end.
    pub mark_stack: Buffer,
    pub ephemerons: RefCell<Ephemerons>,
    pub finalisers: RefCell<Finalisers>,
    pub memprof: Memprof,
    pub visitors: RefCell<Vec<RootVisitor>>,
    pub old_visitors: RefCell<Vec<RootVisitor>>,
    /// An allocation found no memory since the last safepoint.
    pub exhausted: Cell<bool>,
    /// Out_of_memory was raised, and memory is still short.
    pub short: Cell<bool>,
    /// Words of nursery that compiled code fills between two collections.
    pub nursery_words: Cell<usize>,
    /// Where the nursery counts as full; what is below is for allocations up to the next safepoint.
    pub normal_trigger: Cell<u32>,
    /// The nursery is full, and a safepoint requested.
    pub full: Cell<bool>,
    /// Words allocated in the major heap since the last marking began, and at which number the next
    /// major collection is due.
    pub allocated: Cell<u64>,
    pub allocation_goal: Cell<u64>,
    pub external: External,
    pub phase: Cell<Phase>,
    /// Words that slices were asked to free since the last phase ended.
    pub slice_words: Cell<u64>,
    /// What [`Heap::allocated`] was when a slice last asked for as much as was allocated.
    pub sliced: Cell<u64>,
    pub settings: Cell<Settings>,
    /// Words of major heap that the user asked for: see [`super::settings::initial_words`].
    pub initial_words: Cell<u64>,
    /// What an absent key or data of an ephemeron holds.
    pub none: Cell<Value>,
    /// What is called of the floors above, once the heap is initialised.
    pub hooks: Cell<Option<&'static Hooks>>,
    pub counters: Counters,
}

impl Heap {
    const fn new() -> Self {
        Self {
            small: SmallSpace::new(),
            large: RefCell::new(LargeSpace::new()),
            image: Image::new(),
            low: Cell::new(0),
            high: Cell::new(0),
            live_colour: Cell::new(COLOUR_A),
            remembered: Remembered::new(),
            fresh: AddressList::new(),
            todo: Buffer::new(),
            mark_stack: Buffer::new(),
            ephemerons: RefCell::new(Ephemerons::new()),
            finalisers: RefCell::new(Finalisers::new()),
            memprof: Memprof::new(),
            visitors: RefCell::new(Vec::new()),
            old_visitors: RefCell::new(Vec::new()),
            exhausted: Cell::new(false),
            short: Cell::new(false),
            nursery_words: Cell::new(0),
            normal_trigger: Cell::new(0),
            full: Cell::new(false),
            allocated: Cell::new(0),
            allocation_goal: Cell::new(super::MIN_MAJOR_WORDS),
            external: External::new(),
            phase: Cell::new(Phase::Idle),
            slice_words: Cell::new(0),
            sliced: Cell::new(0),
            settings: Cell::new(Settings::DEFAULT),
            initial_words: Cell::new(INITIAL_WORDS),
            none: Cell::new(Value::RAISED),
            hooks: Cell::new(None),
            counters: Counters::new(),
        }
    }

    /// Whether [`super::init`] has run.
    #[inline(always)]
    pub fn is_initialised(&self) -> bool {
        self.low.get() != 0
    }

    /// Whether `value` points into the major heap, provided that it does not point into the
    /// nursery.
    #[inline(always)]
    pub fn in_major(&self, value: Value) -> bool {
        value.is_block()
            && value.address().wrapping_sub(self.low.get()) < self.high.get() - self.low.get()
    }

    /// Widens the range of the major heap by memory that `memory::grow` returned.
    pub fn note_range(&self, end: u32) {
        self.high.set(self.high.get().max(end));
    }

    /// The colours of blocks that are not to be freed now: both, where marking has begun and
    /// nothing is known to be dead.
    pub fn kept_colours(&self) -> Colours {
        let bit = |colour: u64| 1 << (colour >> 8);
        Colours(match self.phase.get() {
            Phase::Marked => bit(COLOUR_A) | bit(COLOUR_B),
            Phase::Idle | Phase::Sweeping => bit(self.live_colour.get()),
        })
    }

    /// The colour of garbage that is not swept yet.
    #[inline(always)]
    pub fn dead_colour(&self) -> u64 {
        self.live_colour.get() ^ COLOUR_B
    }
}

/// The heap of this thread.
#[inline(always)]
pub fn heap() -> &'static Heap {
    #[cfg(target_family = "wasm")]
    {
        struct Single(Heap);
        // SAFETY: the module has one thread.
        unsafe impl Sync for Single {}
        static HEAP: Single = Single(Heap::new());
        &HEAP.0
    }
    #[cfg(not(target_family = "wasm"))]
    {
        thread_local! {
            static HEAP: &'static Heap = Box::leak(Box::new(Heap::new()));
        }
        HEAP.with(|heap| *heap)
    }
}
