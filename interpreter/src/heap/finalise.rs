//! Finalisers: OCaml functions attached to values (`Gc.finalise`, `Gc.finalise_last`) and Rust
//! functions attached to custom blocks.
//!
//! `Gc.finalise`: when the value is found unreachable, its function gets it, so it is alive again.
//! `Gc.finalise_last`: the value is gone when its function runs. Both functions wait in a queue
//! until a safepoint runs them; those of one collection run in the reverse order of registration.
//! Rust functions run at once.

use super::external;
use super::mark::Marker;
use super::minor::Evacuation;
use super::settings::{about, message};
use super::state::{Heap, heap};
use crate::evaluation;
use crate::registry::Raised;
use crate::value::{Value, WORD, tag};
use crate::vm::vm;
use std::cell::Cell;
use std::collections::VecDeque;

/// What a Rust function attached to a custom block does when the block dies: it may read the block.
pub type Release = fn(Value);

/// Everything that waits for the death of a value.
pub struct Finalisers {
    first: Table,
    last: Table,
    /// Batches to run, one a collection. They refer to no nursery block: who is queued was among
    /// the roots of the minor collection before, and values that died young are gone.
    todo: VecDeque<Vec<Finaliser>>,
    running: bool,
    custom: Vec<Custom>,
    /// Entries of `custom` from here on may be in the nursery.
    custom_old: usize,
}

/// A custom block, and what to do when it dies.
#[derive(Clone)]
struct Custom {
    block: Value,
    release: Release,
    /// Bytes outside of the heap that count as the major heap's once it is there.
    owned: u32,
}

/// Finalisers of one kind. Those from `old` on may refer to the nursery.
struct Table {
    entries: Vec<Finaliser>,
    old: usize,
}

/// A function and the value it is attached to. A pointer into the middle of a block (an infix
/// closure) is kept as block and offset.
#[derive(Clone)]
struct Finaliser {
    function: Cell<Value>,
    block: Cell<Value>,
    offset: u32,
}

impl Finalisers {
    pub(crate) const fn new() -> Self {
        Self {
            first: Table {
                entries: Vec::new(),
                old: 0,
            },
            last: Table {
                entries: Vec::new(),
                old: 0,
            },
            todo: VecDeque::new(),
            running: false,
            custom: Vec::new(),
            custom_old: 0,
        }
    }

    fn enqueue(&mut self, batch: Vec<Finaliser>) {
        if !batch.is_empty() {
            self.todo.push_back(batch);
            super::request_safepoint();
        }
    }
}

/// Calls `function` with `value` once it has become unreachable; `None` when memory is exhausted.
pub fn attach_first(function: Value, value: Value) -> Option<()> {
    evaluation::effect("a finaliser");
    let mut finalisers = heap().finalisers.borrow_mut();
    finalisers.first.add(Finaliser::new(function, value))
}

/// Calls `function` with `()` once `value` is gone; `None` when memory is exhausted.
pub fn attach_last(function: Value, value: Value) -> Option<()> {
    evaluation::effect("a finaliser");
    let mut finalisers = heap().finalisers.borrow_mut();
    finalisers.last.add(Finaliser::new(function, value))
}

/// Makes room for what the next [`on_release`] adds; `None` when memory is exhausted.
pub fn make_room() -> Option<()> {
    super::make_room(&mut heap().finalisers.borrow_mut().custom)
}

/// Calls `release` with the custom block `block` when it dies. Data that it owns outside of the
/// heap is made to count by [`super::note_external`].
pub fn on_release(block: Value, release: Release) {
    heap().finalisers.borrow_mut().custom.push(Custom {
        block,
        release,
        owned: 0,
    });
}

/// Notes how many bytes the custom block `owner`, the last one that is to be released, owns.
pub fn owns(heap: &Heap, owner: Value, bytes: u32) {
    let mut finalisers = heap.finalisers.borrow_mut();
    let last = finalisers.custom.last_mut();
    let custom = last.filter(|custom| custom.block == owner);
    custom.expect("what owns memory is to be released").owned = bytes;
}

/// Allows other finalisers to run while one is running (`Gc.finalise_release`).
pub fn release_running() {
    let mut finalisers = heap().finalisers.borrow_mut();
    finalisers.running = false;
    if !finalisers.todo.is_empty() {
        super::request_safepoint();
    }
}

/// Runs the finalisers that wait, unless one is running already.
pub fn run_pending() -> Result<(), Raised> {
    let heap = heap();
    if heap.finalisers.borrow().running || heap.finalisers.borrow().todo.is_empty() {
        return Ok(());
    }
    message(about::FINALISERS, || {
        "Calling finalisation functions.\n".to_owned()
    });
    while let Some((function, argument)) = next(heap) {
        heap.finalisers.borrow_mut().running = true;
        let result = (heap.hooks().apply)(function, &[argument]);
        heap.finalisers.borrow_mut().running = false;
        result?;
    }
    message(about::FINALISERS, || {
        "Done calling finalisation functions.\n".to_owned()
    });
    Ok(())
}

fn next(heap: &Heap) -> Option<(Value, Value)> {
    let mut finalisers = heap.finalisers.borrow_mut();
    loop {
        match finalisers.todo.front_mut()?.pop() {
            Some(finaliser) => return Some((finaliser.function.get(), finaliser.value())),
            None => finalisers.todo.pop_front(),
        };
    }
}

/// Visits what finalisers keep alive in the nursery. They do not keep values of `finalise_last`.
/// Nothing in the queue is in the nursery.
pub fn minor_roots(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    let finalisers = heap.finalisers.borrow();
    for finaliser in &finalisers.first.entries[finalisers.first.old..] {
        visit(&finaliser.function);
        visit(&finaliser.block);
    }
    for finaliser in &finalisers.last.entries[finalisers.last.old..] {
        visit(&finaliser.function);
    }
}

/// Queues the finalisers of `finalise_last` whose values died in the nursery, and runs the Rust
/// functions of custom blocks that did. What those that survived own counts as the major heap's
/// from now on.
pub fn after_minor(heap: &Heap, evacuation: &Evacuation) {
    let mut finalisers = heap.finalisers.borrow_mut();
    let old = finalisers.last.old;
    let batch = finalisers
        .last
        .take_dead(old, |value| evacuation.survivor(value));
    finalisers.enqueue(batch);
    finalisers.first.old = finalisers.first.entries.len();
    finalisers.last.old = finalisers.last.entries.len();
    let old = finalisers.custom_old;
    drop(finalisers);
    release_dead(heap, old, |value| evacuation.survivor(value));
    for custom in &heap.finalisers.borrow().custom[old..] {
        external::add_old(heap, custom.owned as usize);
    }
}

/// Visits what finalisers keep alive, values that they are attached to excluded.
pub fn mark_roots(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    let finalisers = heap.finalisers.borrow();
    for finaliser in finalisers.todo.iter().flatten() {
        visit(&finaliser.function);
        visit(&finaliser.block);
    }
    for finaliser in finalisers
        .first
        .entries
        .iter()
        .chain(&finalisers.last.entries)
    {
        visit(&finaliser.function);
    }
}

/// Queues the finalisers of `finalise` whose values were not reached, and marks those values.
pub fn mark_unreachable(heap: &Heap, marker: &mut Marker) {
    let mut finalisers = heap.finalisers.borrow_mut();
    let first = &mut finalisers.first;
    let is_live = |entry: &mut Finaliser| marker.unmarked(entry.block.get()).is_none();
    let dead = take_out(&mut first.entries, 0, is_live);
    first.old = first.entries.len();
    dead.iter()
        .for_each(|entry| marker.value(entry.block.get()));
    finalisers.enqueue(dead);
}

/// Queues the finalisers of `finalise_last` whose values are dead, and runs the Rust functions of
/// dead custom blocks: after marking, before anything is swept.
pub fn after_mark(heap: &Heap) {
    let survivor = |value| super::mark::is_live(heap, value).then_some(value);
    let mut finalisers = heap.finalisers.borrow_mut();
    let batch = finalisers.last.take_dead(0, survivor);
    finalisers.last.old = finalisers.last.entries.len();
    finalisers.enqueue(batch);
    drop(finalisers);
    release_dead(heap, 0, survivor);
}

/// Runs the Rust functions of custom blocks, from `from` on, that do not survive, in the order in
/// which the blocks were made. This takes no memory, of which there may be none; the table is free
/// while a function runs.
fn release_dead(heap: &Heap, from: usize, survivor: impl Fn(Value) -> Option<Value>) {
    let custom_at = |index: usize| heap.finalisers.borrow().custom.get(index).cloned();
    let mut kept = from;
    let mut next = from;
    while let Some(custom) = custom_at(next) {
        next += 1;
        match survivor(custom.block) {
            Some(block) => {
                heap.finalisers.borrow_mut().custom[kept] = Custom { block, ..custom };
                kept += 1;
            }
            None => (custom.release)(custom.block),
        }
    }
    let mut finalisers = heap.finalisers.borrow_mut();
    finalisers.custom.truncate(kept);
    finalisers.custom_old = kept;
}

/// Takes out, from `from` on, those that do not stay, in their order. Only they need memory.
fn take_out(
    all: &mut Vec<Finaliser>,
    from: usize,
    mut stays: impl FnMut(&mut Finaliser) -> bool,
) -> Vec<Finaliser> {
    let mut taken = Vec::new();
    let mut kept = from;
    for index in from..all.len() {
        if stays(&mut all[index]) {
            all.swap(kept, index);
            kept += 1;
        } else {
            taken.push(all[index].clone());
        }
    }
    all.truncate(kept);
    taken
}

impl Table {
    fn add(&mut self, finaliser: Finaliser) -> Option<()> {
        super::make_room(&mut self.entries)?;
        self.entries.push(finaliser);
        Some(())
    }

    /// Removes the entries from `from` on whose value does not survive; the others get their new
    /// address.
    fn take_dead(
        &mut self,
        from: usize,
        survivor: impl Fn(Value) -> Option<Value>,
    ) -> Vec<Finaliser> {
        let mut dead = take_out(&mut self.entries, from, |finaliser| {
            survivor(finaliser.block.get())
                .map(|block| finaliser.block.set(block))
                .is_some()
        });
        for finaliser in &mut dead {
            finaliser.block.set(Value::UNIT);
            finaliser.offset = 0;
        }
        dead
    }
}

impl Finaliser {
    fn new(function: Value, value: Value) -> Self {
        let offset = match value.tag() {
            tag::INFIX => value.wosize() as u32 * WORD,
            _ => 0,
        };
        let block = Value(value.0 - offset as i64);
        Self {
            function: Cell::new(function),
            block: Cell::new(block),
            offset,
        }
    }

    fn value(&self) -> Value {
        Value(self.block.get().0 + self.offset as i64)
    }
}

/// Whether finalisers wait to be run.
pub fn any_pending() -> bool {
    let heap = heap();
    let finalisers = heap.finalisers.borrow();
    !finalisers.running
        && finalisers.todo.iter().any(|batch| !batch.is_empty())
        && vm().globals.get().is_block()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::start_machine;

    #[test]
    fn a_table_that_cannot_grow_says_so() {
        start_machine();
        // Of entries larger than any address space.
        let mut table: Vec<[u8; 1 << 47]> = Vec::new();
        assert_eq!(super::super::make_room(&mut table), None);
        assert_eq!(vm().retry.get(), 1, "a collection may help");
        let value = super::super::alloc(1, tag::STRING);
        assert_eq!(attach_first(Value::UNIT, value), Some(()));
        assert_eq!(heap().finalisers.borrow().first.entries.len(), 1);
    }

    /// Else many that wait would make each collection slow while they run.
    #[test]
    fn what_waits_is_no_root_of_minor_collections() {
        start_machine();
        let block = || super::super::alloc_fields(0, &[Value::UNIT]);
        attach_first(block(), block()).expect("memory");
        attach_last(block(), block()).expect("memory");
        let dies_old = super::super::Root::new(block());
        attach_last(block(), dies_old.get()).expect("memory");
        super::super::collect_minor();
        drop(dies_old);
        super::super::collect_major();
        let finalisers = heap().finalisers.borrow();
        let waiting: Vec<&Finaliser> = finalisers.todo.iter().flatten().collect();
        assert_eq!(waiting.len(), 3);
        for finaliser in waiting {
            assert!(!vm().is_young(finaliser.function.get()));
            assert!(!vm().is_young(finaliser.block.get()));
        }
        minor_roots(heap(), &mut |_| panic!("they are looked at"));
    }
}
