//! What `Gc.Memprof` keeps of each sampled block, and which callbacks are due for it.
//!
//! Invariants: entries from `young_from` on are the only ones that may refer to the nursery, and
//! entries before `due_from` have nothing to report.

use super::memprof::Sampling;
use super::minor::Evacuation;
use super::sampler::Sampler;
use crate::value::Value;
use std::cell::{Cell, RefCell};

/// Fields of a `Gc.Memprof.tracker`.
#[derive(Clone, Copy)]
pub enum Callback {
    AllocMinor = 0,
    AllocMajor = 1,
    Promote = 2,
    DeallocMinor = 3,
    DeallocMajor = 4,
}

/// Constructors of `Gc.Memprof.allocation_source`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Normal = 0,
    Marshal = 1,
    Custom = 2,
}

/// Everything that is known of the samples.
pub struct Memprof {
    pub sampler: Sampler,
    pub started: Cell<bool>,
    /// Nothing before the first start.
    pub sampling: Cell<Option<&'static Sampling>>,
    /// A callback runs.
    pub suspended: Cell<bool>,
    /// Grows when sampling stops: entries of old are gone.
    pub session: Cell<u32>,
    /// Blocks of the nursery that begin below this address hold samples.
    pub trigger: Cell<u32>,
    /// Positions that a call stack has at most.
    pub depth: Cell<usize>,
    pub tracker: Cell<Value>,
    /// What allocation by primitives is for; and, of blocks that are read, whether they count as
    /// born in the nursery.
    pub source: Cell<Source>,
    pub read_young: Cell<bool>,
    pub entries: RefCell<Vec<Entry>>,
    pub young_from: Cell<usize>,
    /// Entries before this one have nothing to report.
    pub due_from: Cell<usize>,
}

/// A sampled block.
pub struct Entry {
    /// Unit before there is a block, and when there is none any more.
    pub block: Cell<Value>,
    /// What the last callback returned; before the first, the call stack at the allocation, once it
    /// is known.
    pub data: Cell<Value>,
    pub samples: u64,
    pub wosize: usize,
    pub source: Source,
    /// It counts as born in the nursery.
    pub born_young: bool,
    pub stack_known: bool,
    /// The first callback was called, or is running.
    pub announced: bool,
    /// It survived its first minor collection, or died; and whether the callback for that was
    /// called.
    pub promoted: Report,
    pub died: Report,
    pub deleted: bool,
}

/// A callback's state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Report {
    NotYet,
    Due,
    Done,
}

impl Memprof {
    pub(crate) const fn new() -> Self {
        Self {
            sampler: Sampler::new(),
            started: Cell::new(false),
            sampling: Cell::new(None),
            suspended: Cell::new(false),
            session: Cell::new(0),
            trigger: Cell::new(0),
            depth: Cell::new(0),
            tracker: Cell::new(Value::UNIT),
            source: Cell::new(Source::Normal),
            read_young: Cell::new(false),
            entries: RefCell::new(Vec::new()),
            young_from: Cell::new(0),
            due_from: Cell::new(0),
        }
    }

    pub fn is_sampling(&self) -> bool {
        self.sampler.is_on() && !self.suspended.get()
    }

    /// The address that compiled code's allocation should not go below unnoticed.
    pub fn trigger(&self) -> u32 {
        self.trigger.get()
    }

    pub fn push(&self, entry: Entry) -> usize {
        let mut entries = self.entries.borrow_mut();
        let index = entries.len();
        entries.push(entry);
        index
    }

    /// Forgets entries that were deleted.
    pub fn flush(&self) {
        let mut entries = self.entries.borrow_mut();
        let kept = |from: usize| entries[..from].iter().filter(|e| !e.deleted).count();
        let bound = |cell: &Cell<usize>| kept(cell.get().min(entries.len()));
        let (young, due) = (bound(&self.young_from), bound(&self.due_from));
        entries.retain(|entry| !entry.deleted);
        self.young_from.set(young);
        self.due_from.set(due);
    }

    pub fn delete(&self, index: usize) {
        let entry = &mut self.entries.borrow_mut()[index];
        entry.deleted = true;
        entry.data.set(Value::UNIT);
        entry.block.set(Value::UNIT);
    }

    /// The next entry that has something to report, and what.
    pub fn next_due(&self) -> Option<(usize, Callback)> {
        let mut entries = self.entries.borrow_mut();
        while let Some(entry) = entries.get_mut(self.due_from.get()) {
            if let Some(callback) = entry.take_due() {
                return Some((self.due_from.get(), callback));
            }
            self.due_from.set(self.due_from.get() + 1);
        }
        None
    }

    pub fn is_any_due(&self) -> bool {
        let entries = self.entries.borrow();
        self.due_from.get() < entries.len()
    }
}

impl Entry {
    pub fn new(
        block: Value,
        wosize: usize,
        samples: u64,
        source: Source,
        born_young: bool,
    ) -> Self {
        Self {
            block: Cell::new(block),
            data: Cell::new(Value::UNIT),
            samples,
            wosize,
            source,
            born_young,
            stack_known: false,
            announced: false,
            promoted: Report::NotYet,
            died: Report::NotYet,
            deleted: false,
        }
    }

    pub fn birth(&self) -> Callback {
        match self.born_young {
            true => Callback::AllocMinor,
            false => Callback::AllocMajor,
        }
    }

    pub fn take_due(&mut self) -> Option<Callback> {
        if self.deleted {
            return None;
        }
        if !core::mem::replace(&mut self.announced, true) {
            return Some(self.birth());
        }
        if self.promoted == Report::Due {
            self.promoted = Report::Done;
            return Some(Callback::Promote);
        }
        if self.died == Report::Due {
            self.died = Report::Done;
            return Some(self.death());
        }
        None
    }

    pub fn death(&self) -> Callback {
        match self.born_young && self.promoted == Report::NotYet {
            true => Callback::DeallocMinor,
            false => Callback::DeallocMajor,
        }
    }

    /// Follows the block through a minor collection.
    pub fn minor_done(&mut self, evacuation: &Evacuation) {
        let block = self.block.get();
        if !block.is_block() {
            return;
        }
        match evacuation.survivor(block) {
            Some(block) => {
                self.block.set(block);
                if self.born_young && self.promoted == Report::NotYet {
                    self.promoted = Report::Due;
                }
            }
            None => self.die(),
        }
    }

    pub fn die(&mut self) {
        self.block.set(Value::UNIT);
        self.died = Report::Due;
    }
}
