//! What `Gc.Memprof` keeps of each sampled block, and which callbacks are due for it.
//!
//! Each thread calls callbacks, also while another one is within a callback: so entries come and go
//! then, and are found again by their numbers, which ascend.
//!
//! Invariants: entries from `young_from` on are the only ones that may refer to the nursery, and
//! entries before `due_from` have nothing to report. None before `deleted_from` is deleted.

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
    /// The present thread is in a callback.
    pub suspended: Cell<bool>,
    /// No thread calls any more.
    pub ended: Cell<bool>,
    /// The number of the next entry.
    pub next: Cell<u64>,
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
    /// The first deleted entry; [`usize::MAX`] if there is none.
    pub deleted_from: Cell<usize>,
}

/// A sampled block.
pub struct Entry {
    /// Grows from entry to entry.
    pub number: u64,
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
    /// A callback for it runs: no other one is called.
    pub running: bool,
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
            ended: Cell::new(false),
            next: Cell::new(0),
            trigger: Cell::new(0),
            depth: Cell::new(0),
            tracker: Cell::new(Value::UNIT),
            source: Cell::new(Source::Normal),
            read_young: Cell::new(false),
            entries: RefCell::new(Vec::new()),
            young_from: Cell::new(0),
            due_from: Cell::new(0),
            deleted_from: Cell::new(usize::MAX),
        }
    }

    pub fn is_sampling(&self) -> bool {
        self.sampler.is_on() && !self.suspended.get()
    }

    /// Adds an entry; its number.
    pub fn push(&self, mut entry: Entry) -> u64 {
        entry.number = self.next.get();
        self.next.set(entry.number + 1);
        let number = entry.number;
        self.entries.borrow_mut().push(entry);
        number
    }

    /// Where the entry of this number is, unless it was forgotten.
    pub fn find(&self, number: u64) -> Option<usize> {
        let entries = self.entries.borrow();
        entries
            .binary_search_by_key(&number, |entry| entry.number)
            .ok()
    }

    /// A callback for the entry at `index` begins or ends.
    pub fn set_running(&self, index: usize, running: bool) {
        self.entries.borrow_mut()[index].running = running;
        // Others have passed it.
        self.due_from.set(self.due_from.get().min(index));
    }

    /// Forgets entries that were deleted. Those before the first of them are not looked at: they
    /// may be nearly all that were ever sampled, and this comes after each batch of callbacks.
    pub fn flush(&self) {
        let mut entries = self.entries.borrow_mut();
        let from = self.deleted_from.replace(usize::MAX);
        if from < entries.len() {
            for cell in [&self.young_from, &self.due_from] {
                let passed = entries.get(from..cell.get()).unwrap_or_default();
                let deleted = passed.iter().filter(|entry| entry.deleted).count();
                cell.set(cell.get() - deleted);
            }
            entries
                .extract_if(from.., |entry| entry.deleted)
                .for_each(drop);
        }
    }

    pub fn delete(&self, index: usize) {
        let entry = &mut self.entries.borrow_mut()[index];
        entry.deleted = true;
        entry.data.set(Value::UNIT);
        entry.block.set(Value::UNIT);
        self.deleted_from.set(self.deleted_from.get().min(index));
    }

    /// Forgets the last entry if it was deleted.
    pub fn flush_last(&self) {
        let mut entries = self.entries.borrow_mut();
        if entries.pop_if(|entry| entry.deleted).is_some() {
            let len = entries.len();
            // A collection may have passed the entry. The next one to come has its index.
            self.young_from.set(self.young_from.get().min(len));
            self.due_from.set(self.due_from.get().min(len));
            if self.deleted_from.get() == len {
                self.deleted_from.set(usize::MAX);
            }
        }
    }

    /// The number of the next entry that has something to report, and what.
    pub fn next_due(&self) -> Option<(u64, Callback)> {
        let mut entries = self.entries.borrow_mut();
        while let Some(entry) = entries.get_mut(self.due_from.get()) {
            if let Some(callback) = entry.take_due() {
                return Some((entry.number, callback));
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
            number: 0,
            block: Cell::new(block),
            data: Cell::new(Value::UNIT),
            samples,
            wosize,
            source,
            born_young,
            stack_known: false,
            running: false,
            announced: false,
            promoted: Report::NotYet,
            died: Report::NotYet,
            deleted: false,
        }
    }

    /// What is to be reported of it next, which counts as reported from now on.
    fn take_due(&mut self) -> Option<Callback> {
        if self.deleted || self.running {
            return None;
        }
        if !core::mem::replace(&mut self.announced, true) {
            return Some(match self.born_young {
                true => Callback::AllocMinor,
                false => Callback::AllocMajor,
            });
        }
        if self.promoted == Report::Due {
            self.promoted = Report::Done;
            return Some(Callback::Promote);
        }
        if self.died == Report::Due {
            self.died = Report::Done;
            return Some(match self.born_young && self.promoted == Report::NotYet {
                true => Callback::DeallocMinor,
                false => Callback::DeallocMajor,
            });
        }
        None
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
