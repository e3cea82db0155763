//! `Gc.Memprof`: callbacks for a sample of the blocks that a program allocates, and for what
//! becomes of them.
//!
//! [`Sampler`] says where samples fall. The next one in the nursery is where allocation, in
//! compiled code and in primitives, takes the slow path. A block that compiled code asks for is
//! reported before it exists, so an exception of the callback means that it never will. One that a
//! primitive made is reported at the next safepoint. Collections notice promotions and deaths;
//! these are reported at safepoints, too. While a thread is in a callback, nothing that it does is
//! sampled, and it calls no other one.
//!
//! What is kept of a block, and what is due for it: `samples`.

use super::mark;
use super::minor::Evacuation;
use super::samples::{Callback, Entry, Memprof, Source};
use super::state::{Heap, heap};
use crate::registry::Raised;
use crate::value::{Value, WORD};
use crate::vm::vm;
use std::cell::Cell;

/// What samples are taken with. It is reached from [`start`] alone, so that a program which takes
/// none does not have its code.
#[derive(Clone, Copy)]
pub struct Sampling {
    trigger_below: fn(&Memprof, u32, u32) -> u32,
    born_young: fn(&Heap, Value, usize),
    born_old: fn(&Heap, Value, usize),
    owns: fn(&Heap, Value, usize),
    note_stack: fn(&Heap),
    run_pending: fn(&Heap) -> Result<(), Raised>,
    announce: fn(&Heap, u32) -> Result<Option<Announced>, Raised>,
    arrive: fn(&Heap, Announced, u32),
    cancel: fn(&Heap, &Announced),
    after_minor: fn(&Heap, &Evacuation),
    after_mark: fn(&Heap),
}

static SAMPLING: Sampling = Sampling {
    trigger_below: |memprof, top, bottom| memprof.sampler.trigger_below(top, bottom),
    born_young: note_young,
    born_old: note_old,
    owns: note_owned,
    note_stack: note_stack_of_new,
    run_pending: run_due,
    announce: announce_sampled,
    arrive: place_announced,
    cancel: drop_announced,
    after_minor: look_after_minor,
    after_mark: look_after_mark,
};

fn sampling(heap: &Heap) -> Option<&'static Sampling> {
    heap.memprof.sampling.get()
}

/// Whether there is something to stop.
pub fn is_started() -> bool {
    heap().memprof.started.get()
}

/// Begins to sample at `rate`, from 0 to 1, with `depth` positions of call stacks at most.
pub fn start(rate: f64, depth: usize, tracker: Value) {
    let memprof = &heap().memprof;
    memprof.started.set(true);
    memprof.sampling.set(Some(&SAMPLING));
    memprof.depth.set(depth);
    memprof.tracker.set(tracker);
    memprof.sampler.set_rate(rate);
    renew(heap());
}

/// Forgets all blocks and samples no more; false if nothing was begun.
pub fn stop() -> bool {
    let memprof = &heap().memprof;
    if !memprof.started.replace(false) {
        return false;
    }
    memprof.sampler.set_rate(0.0);
    memprof.tracker.set(Value::UNIT);
    memprof.entries.borrow_mut().clear();
    memprof.young_from.set(0);
    memprof.due_from.set(0);
    memprof.deleted_from.set(usize::MAX);
    renew(heap());
    true
}

/// Looks ahead to the next sample in the nursery, and makes allocation stop there.
pub fn renew(heap: &Heap) {
    renew_below(heap, vm().young_ptr.get());
}

fn renew_below(heap: &Heap, top: u32) {
    let (memprof, vm) = (&heap.memprof, vm());
    let bottom = vm.young_start.get();
    let trigger = match sampling(heap) {
        Some(sampling) if memprof.is_sampling() => (sampling.trigger_below)(memprof, top, bottom),
        Some(_) | None => bottom,
    };
    memprof.trigger.set(trigger);
    super::collect::set_floor(heap);
    vm.young_trigger.set(vm.young_trigger.get().max(trigger));
}

/// Nothing is sampled and no callback called any more: the program ends.
pub fn suspend_for_good() {
    heap().memprof.ended.set(true);
    suspend(heap(), true);
}

/// Whether the present thread is in a callback.
pub fn is_suspended() -> bool {
    heap().memprof.suspended.get()
}

/// Another thread goes on, which is in a callback or not.
pub fn go_on(suspended: bool) {
    let memprof = &heap().memprof;
    let suspended = suspended || memprof.ended.get();
    if memprof.suspended.get() != suspended {
        suspend(heap(), suspended);
    }
}

/// Whether something waits to be reported that a safepoint would report.
pub fn is_waiting() -> bool {
    let memprof = &heap().memprof;
    memprof.is_any_due() && !memprof.suspended.get()
}

fn suspend(heap: &Heap, suspended: bool) {
    heap.memprof.suspended.set(suspended);
    renew(heap);
    if !suspended && heap.memprof.is_any_due() {
        super::request_safepoint();
    }
}

/// Notes that samples fall on `block`, which a primitive makes, at the end of the nursery.
pub fn born_young(heap: &Heap, block: Value, wosize: usize) {
    if let Some(sampling) = sampling(heap) {
        (sampling.born_young)(heap, block, wosize);
    }
}

fn note_young(heap: &Heap, block: Value, wosize: usize) {
    let memprof = &heap.memprof;
    let samples = memprof
        .sampler
        .on_block(block.address() - WORD, memprof.trigger.get());
    renew(heap);
    track(heap, block, wosize, samples, true);
}

/// Notes that a block was made outside of the nursery; a small one counts as born there, for which
/// there was no room.
#[inline]
pub fn born_old(heap: &Heap, block: Value, wosize: usize) {
    if heap.memprof.is_sampling()
        && let Some(sampling) = sampling(heap)
    {
        (sampling.born_old)(heap, block, wosize);
    }
}

fn note_old(heap: &Heap, block: Value, wosize: usize) {
    let samples = heap.memprof.sampler.among(wosize as u64 + 1);
    let small = wosize <= super::MAX_YOUNG_WOSIZE;
    track(heap, block, wosize, samples, small);
}

/// Notes that `block` owns `bytes` bytes outside of the heap.
pub fn owns(block: Value, bytes: usize) {
    let heap = heap();
    if let Some(sampling) = sampling(heap) {
        (sampling.owns)(heap, block, bytes);
    }
}

fn note_owned(heap: &Heap, block: Value, bytes: usize) {
    let (memprof, words) = (&heap.memprof, bytes / WORD as usize);
    if memprof.is_sampling() {
        let samples = memprof.sampler.among(words as u64);
        let source = memprof.source.replace(Source::Custom);
        track(heap, block, words, samples, vm().is_young(block));
        memprof.source.set(source);
    }
}

/// What `read` allocates counts as unmarshalled. If its `words`, headers included, are more than a
/// nursery block may have, it counts as born outside of the nursery.
pub fn reading<T>(words: usize, read: impl FnOnce() -> T) -> T {
    let memprof = &heap().memprof;
    memprof.read_young.set(words <= super::MAX_YOUNG_WOSIZE + 1);
    let source = memprof.source.replace(Source::Marshal);
    let result = read();
    memprof.source.set(source);
    result
}

fn track(heap: &Heap, block: Value, wosize: usize, samples: u64, young: bool) {
    let memprof = &heap.memprof;
    if samples == 0 {
        return;
    }
    let source = memprof.source.get();
    let born_young = match source {
        Source::Marshal => memprof.read_young.get(),
        Source::Normal | Source::Custom => young,
    };
    memprof.push(Entry::new(block, wosize, samples, source, born_young));
    super::request_safepoint();
}

/// At a safepoint: the call stack at the allocations since the last one.
pub fn note_stack(heap: &Heap) {
    if let Some(sampling) = sampling(heap) {
        (sampling.note_stack)(heap);
    }
}

fn note_stack_of_new(heap: &Heap) {
    let memprof = &heap.memprof;
    let is_new = |entry: &Entry| !entry.announced && !entry.stack_known;
    if !memprof.entries.borrow().last().is_some_and(is_new) {
        return;
    }
    let suspended = memprof.suspended.get();
    suspend(heap, true);
    let stack = (heap.hooks().callstack)(memprof.depth.get());
    suspend(heap, suspended);
    let mut entries = memprof.entries.borrow_mut();
    for entry in entries.iter_mut().rev().take_while(|entry| is_new(entry)) {
        entry.stack_known = true;
        entry.data.set(stack);
    }
}

/// Calls what is to be called, births first, unless a callback is running already.
pub fn run_pending(heap: &Heap) -> Result<(), Raised> {
    match sampling(heap) {
        Some(sampling) => (sampling.run_pending)(heap),
        None => Ok(()),
    }
}

fn run_due(heap: &Heap) -> Result<(), Raised> {
    let memprof = &heap.memprof;
    if memprof.suspended.get() || !memprof.is_any_due() {
        return Ok(());
    }
    suspend(heap, true);
    let mut result = Ok(());
    while result.is_ok()
        && let Some((entry, callback)) = memprof.next_due()
    {
        result = call(heap, entry, callback);
    }
    memprof.flush();
    suspend(heap, false);
    result
}

/// Reports the block of `bytes` bytes that compiled code is about to allocate, if a sample falls on
/// it.
pub fn announce(heap: &Heap, bytes: u32) -> Result<Option<Announced>, Raised> {
    match sampling(heap) {
        Some(sampling) => (sampling.announce)(heap, bytes),
        None => Ok(None),
    }
}

fn announce_sampled(heap: &Heap, bytes: u32) -> Result<Option<Announced>, Raised> {
    let memprof = &heap.memprof;
    let start = vm().young_ptr.get() - bytes;
    if bytes == 0 || !memprof.is_sampling() || start >= memprof.trigger.get() {
        return Ok(None);
    }
    let samples = memprof.sampler.on_block(start, memprof.trigger.get());
    suspend(heap, true);
    let wosize = (bytes / WORD - 1) as usize;
    let mut entry = Entry::new(Value::UNIT, wosize, samples, Source::Normal, true);
    entry.announced = true;
    entry
        .data
        .set((heap.hooks().callstack)(memprof.depth.get()));
    let entry = memprof.push(entry);
    let result = call(heap, entry, Callback::AllocMinor);
    memprof.flush_last();
    suspend(heap, false);
    result?;
    Ok(Some(Announced { entry }))
}

/// A block that was reported before it exists.
pub struct Announced {
    /// Its entry's number.
    entry: u64,
}

/// The announced block is the next one of `bytes` bytes.
pub fn arrive(heap: &Heap, announced: Announced, bytes: u32) {
    if let Some(sampling) = sampling(heap) {
        (sampling.arrive)(heap, announced, bytes);
    }
}

fn place_announced(heap: &Heap, announced: Announced, bytes: u32) {
    let memprof = &heap.memprof;
    let start = vm().young_ptr.get() - bytes;
    if let Some(index) = memprof.find(announced.entry) {
        memprof.entries.borrow()[index]
            .block
            .set(Value::block(start + WORD));
        memprof.young_from.set(memprof.young_from.get().min(index));
        if memprof.due_from.get() == index {
            memprof.due_from.set(index + 1);
        }
    }
    renew_below(heap, start);
}

/// The announced block will not be.
pub fn cancel(heap: &Heap, announced: &Announced) {
    if let Some(sampling) = sampling(heap) {
        (sampling.cancel)(heap, announced);
    }
}

fn drop_announced(heap: &Heap, announced: &Announced) {
    let memprof = &heap.memprof;
    if let Some(index) = memprof.find(announced.entry) {
        memprof.entries.borrow_mut()[index].die();
        super::request_safepoint();
    }
}

/// Calls one callback for the entry of this number. One whose callback returns nothing or raises is
/// deleted.
fn call(heap: &Heap, entry: u64, callback: Callback) -> Result<(), Raised> {
    let memprof = &heap.memprof;
    let Some(index) = memprof.find(entry) else {
        return Ok(());
    };
    memprof.set_running(index, true);
    let argument = argument(memprof, index, callback);
    let function = memprof.tracker.get().field(callback as usize);
    let result = (heap.hooks().apply)(function, &[argument]);
    // Sampling may have stopped, and other threads may have called callbacks.
    let Some(index) = memprof.find(entry) else {
        return result.map(|_| ());
    };
    memprof.set_running(index, false);
    match result {
        Ok(data) if data.is_block() => {
            memprof.entries.borrow()[index].data.set(data.field(0));
            memprof.young_from.set(memprof.young_from.get().min(index));
        }
        Ok(_) | Err(Raised) => memprof.delete(index),
    }
    result.map(|_| ())
}

/// What the callback is called with; the entry does not keep it alive any longer.
fn argument(memprof: &Memprof, index: usize, callback: Callback) -> Value {
    let (data, numbers) = {
        let entry = &memprof.entries.borrow()[index];
        let data = entry.data.replace(Value::UNIT);
        let numbers = [
            entry.samples as i64,
            entry.wosize as i64,
            entry.source as i64,
        ];
        (data, numbers.map(Value::int))
    };
    match callback {
        Callback::AllocMinor | Callback::AllocMajor => {
            let [samples, size, source] = numbers;
            super::alloc_fields(0, &[samples, size, source, data])
        }
        Callback::Promote | Callback::DeallocMinor | Callback::DeallocMajor => data,
    }
}

/// Visits the values that may be in the nursery.
pub fn young_roots(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    roots(heap, heap.memprof.young_from.get(), visit);
}

/// Visits all values that are held for callbacks.
pub fn all_roots(heap: &Heap, visit: &mut dyn FnMut(&Cell<Value>)) {
    roots(heap, 0, visit);
}

fn roots(heap: &Heap, from: usize, visit: &mut dyn FnMut(&Cell<Value>)) {
    let memprof = &heap.memprof;
    visit(&memprof.tracker);
    for entry in memprof.entries.borrow().iter().skip(from) {
        visit(&entry.data);
    }
}

/// Sees which blocks survived a minor collection.
pub fn after_minor(heap: &Heap, evacuation: &Evacuation) {
    if let Some(sampling) = sampling(heap) {
        (sampling.after_minor)(heap, evacuation);
    }
}

fn look_after_minor(heap: &Heap, evacuation: &Evacuation) {
    let memprof = &heap.memprof;
    let from = memprof.young_from.get();
    let mut entries = memprof.entries.borrow_mut();
    for entry in entries.iter_mut().skip(from) {
        entry.minor_done(evacuation);
    }
    if from < entries.len() {
        memprof.due_from.set(memprof.due_from.get().min(from));
        super::request_safepoint();
    }
    memprof.young_from.set(entries.len());
}

/// Sees which blocks died: after marking.
pub fn after_mark(heap: &Heap) {
    if let Some(sampling) = sampling(heap) {
        (sampling.after_mark)(heap);
    }
}

fn look_after_mark(heap: &Heap) {
    let memprof = &heap.memprof;
    let mut any = false;
    for entry in memprof.entries.borrow_mut().iter_mut() {
        if entry.block.get().is_block() && !mark::is_live(heap, entry.block.get()) {
            entry.die();
            any = true;
        }
    }
    if any {
        memprof.due_from.set(0);
        super::request_safepoint();
    }
}

#[cfg(test)]
mod tests;
