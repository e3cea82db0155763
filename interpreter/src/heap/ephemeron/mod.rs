//! Ephemerons and weak arrays: blocks of the major heap with tag Abstract, which the collector
//! knows by list.
//!
//! Field 0 is unused, field 1 is the data, keys follow; [`none`] stands for an absent key or data.
//! The data is alive if the ephemeron and all its keys are; when a key has died, key and data are
//! erased together.
//!
//! Invariant: a minor collection looks at what was written since the last one, and at the keys of
//! ephemerons whose data was written; a major one looks at each key twice. See [`watch`]. The list
//! of writes is bounded as the remembered set is.

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
pub mod watch;

use super::image;
use super::mark::Marker;
use super::minor::Evacuation;
use super::remembered::{self, push_tidily};
use super::state::{Heap, heap};
use crate::evaluation;
use crate::value::{Value, tag};
use crate::vm::vm;
use std::cell::Cell;
use watch::Watches;

/// Field of the data.
pub const DATA: usize = 1;
/// Field of the first key.
pub const FIRST_KEY: usize = 2;

/// Stands for the ephemeron itself among the fields that have to be alive.
const ITSELF: usize = 0;

/// What the collector knows of ephemerons.
pub struct Ephemerons {
    /// Addresses of all of them.
    all: Vec<u32>,
    /// Those whose data is a nursery block, written since the last minor collection; perhaps
    /// repeatedly.
    young_data: Vec<u32>,
    /// Likewise keys that are nursery blocks.
    young_keys: Vec<Key>,
    /// How often collections looked for a key's life: a measure of their work.
    looks: Cell<u64>,
    /// What collections do; nothing before the first one is created.
    tracing: Option<&'static Tracing>,
}

/// What collections do for ephemerons. It is reached from [`create`] alone, so that a program
/// without any does not have its code.
struct Tracing {
    after_minor: fn(&Heap, &mut Evacuation),
    mark: fn(&Heap, &mut Marker),
    finish_mark: fn(&mut Marker),
    after_mark: fn(&Heap),
}

static TRACING: Tracing = Tracing {
    after_minor: keep_after_minor,
    mark: mark_data,
    finish_mark: finish_marking,
    after_mark: erase_after_mark,
};

fn tracing(heap: &Heap) -> Option<&'static Tracing> {
    heap.ephemerons.borrow().tracing
}

/// A key of an ephemeron.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    ephemeron: u32,
    field: u32,
}

/// What a collection that is in progress does for ephemerons.
trait Collection {
    /// The block that has to be reached for `value` to be alive, if that was not done yet.
    fn unreached(&self, value: Value) -> Option<Value>;
    /// What a field of an ephemeron holds, past a suspension that the collection skips.
    fn held(&self, ephemeron: Value, field: usize) -> Value;
    /// Lets the data of an ephemeron be alive.
    fn reach_data(&mut self, ephemeron: Value);
    /// Reaches what everything reached refers to.
    fn drain(&mut self);
    fn watches(&mut self) -> &mut Watches;
}

impl Ephemerons {
    pub(crate) const fn new() -> Self {
        Self {
            all: Vec::new(),
            young_data: Vec::new(),
            young_keys: Vec::new(),
            looks: Cell::new(0),
            tracing: None,
        }
    }

    #[cfg(test)]
    pub fn looks(&self) -> u64 {
        self.looks.get()
    }
}

/// What an absent key or data holds.
#[inline]
pub fn none() -> Value {
    heap().none.get()
}

/// Makes the block that stands for absence. It belongs to the image.
pub fn init(heap: &Heap) {
    let block = heap
        .image
        .alloc(1, tag::ABSTRACT)
        .unwrap_or_else(|| super::out_of_memory());
    block.init_field(0, Value::UNIT);
    heap.none.set(block);
}

/// An ephemeron with `keys` absent keys; `None` when memory is exhausted.
pub fn create(keys: usize) -> Option<Value> {
    let heap = heap();
    let wosize = keys.checked_add(FIRST_KEY)?;
    let none = none();
    super::make_room(&mut heap.ephemerons.borrow_mut().all)?;
    let block = super::try_alloc_major(wosize, tag::ABSTRACT)?;
    block.init_field(0, Value::UNIT);
    (DATA..wosize).for_each(|index| block.init_field(index, none));
    let mut ephemerons = heap.ephemerons.borrow_mut();
    ephemerons.tracing = Some(&TRACING);
    ephemerons.all.push(block.address());
    Some(block)
}

/// To be called with what the program gets hold of by reading an ephemeron.
pub fn keep(value: Value) {
    super::cycle::keep(heap(), value);
}

/// Writes `value` into the data or a key of an ephemeron. A field that holds a nursery block is
/// known already.
pub fn write(ephemeron: Value, index: usize, value: Value) {
    evaluation::effect("a weak pointer");
    if vm().is_young(value) && !vm().is_young(ephemeron.field(index)) {
        note_young(ephemeron, index);
    }
    ephemeron.init_field(index, value);
}

fn note_young(ephemeron: Value, index: usize) {
    let heap = heap();
    let mut ephemerons = heap.ephemerons.borrow_mut();
    let address = ephemeron.address();
    let is_young = |address, field| vm().is_young(Value::block(address).field(field));
    if index == DATA {
        push_tidily(&mut ephemerons.young_data, address, |&address| {
            is_young(address, DATA)
        });
    } else {
        let key = Key {
            ephemeron: address,
            field: index as u32,
        };
        push_tidily(&mut ephemerons.young_keys, key, |key| {
            is_young(key.ephemeron, key.field as usize)
        });
    }
    drop(ephemerons);
    if has_many_young(heap) {
        super::request_safepoint();
    }
}

/// Whether so many fields were written with nursery blocks that a minor collection is due.
pub fn has_many_young(heap: &Heap) -> bool {
    let ephemerons = heap.ephemerons.borrow();
    let most = remembered::limit(heap.nursery_words.get());
    ephemerons.young_data.len().max(ephemerons.young_keys.len()) >= most
}

/// Keeps the data whose keys survived the minor collection, then erases what did not survive.
pub fn after_minor(heap: &Heap, evacuation: &mut Evacuation) {
    if let Some(tracing) = tracing(heap) {
        (tracing.after_minor)(heap, evacuation);
    }
}

fn keep_after_minor(heap: &Heap, evacuation: &mut Evacuation) {
    let mut ephemerons = heap.ephemerons.borrow_mut();
    let (mut data, keys) = (
        core::mem::take(&mut ephemerons.young_data),
        core::mem::take(&mut ephemerons.young_keys),
    );
    drop(ephemerons);
    data.sort_unstable();
    data.dedup();
    for &ephemeron in &data {
        advance(evacuation, Value::block(ephemeron), FIRST_KEY);
    }
    advance_woken(evacuation);
    evacuation.watches().wake_all();
    let none = heap.none.get();
    for &key in &keys {
        update_key(key, none, evacuation);
    }
    for &ephemeron in &data {
        update_data(Value::block(ephemeron), none, evacuation);
    }
    forget(heap, data, keys);
}

/// Empties the lists, whose memory is used again.
fn forget(heap: &Heap, mut data: Vec<u32>, mut keys: Vec<Key>) {
    data.clear();
    keys.clear();
    let mut ephemerons = heap.ephemerons.borrow_mut();
    ephemerons.young_data = data;
    ephemerons.young_keys = keys;
}

fn update_key(key: Key, none: Value, evacuation: &Evacuation) {
    note_look();
    let (ephemeron, field) = (Value::block(key.ephemeron), key.field as usize);
    let survivor = evacuation.survivor(ephemeron.field(field));
    ephemeron.init_field(field, survivor.unwrap_or(none));
    if survivor.is_none() {
        ephemeron.init_field(DATA, none);
    }
}

fn update_data(ephemeron: Value, none: Value, evacuation: &Evacuation) {
    let survivor = evacuation.survivor(ephemeron.field(DATA));
    ephemeron.init_field(DATA, survivor.unwrap_or(none));
}

/// Marks the data of live ephemerons whose keys are all live, until no more becomes live; those
/// whose keys are not wait.
pub fn mark(heap: &Heap, marker: &mut Marker) {
    match tracing(heap) {
        Some(tracing) => (tracing.mark)(heap, marker),
        None => marker.drain(),
    }
}

fn mark_data(heap: &Heap, marker: &mut Marker) {
    for index in 0..heap.ephemerons.borrow().all.len() {
        let ephemeron = Value::block(heap.ephemerons.borrow().all[index]);
        advance(marker, ephemeron, ITSELF);
    }
    advance_woken(marker);
}

/// Goes on with those whose keys became live since, and lets nobody wait any longer.
pub fn finish_mark(heap: &Heap, marker: &mut Marker) {
    match tracing(heap) {
        Some(tracing) => (tracing.finish_mark)(marker),
        None => marker.drain(),
    }
}

fn finish_marking(marker: &mut Marker) {
    advance_woken(marker);
    marker.watches().wake_all();
}

/// Goes on with every ephemeron that is woken, until no more are.
fn advance_woken(collection: &mut impl Collection) {
    collection.drain();
    while let Some((ephemeron, field)) = collection.watches().take_woken() {
        advance(collection, ephemeron, field);
        collection.drain();
    }
}

/// Keeps the data of `ephemeron` alive if all of its keys are alive, as those before `field` are
/// known to be. Otherwise it waits for the first key that is not.
fn advance(collection: &mut impl Collection, ephemeron: Value, field: usize) {
    if collection.unreached(ephemeron.field(DATA)).is_none() {
        return;
    }
    for field in (field..ephemeron.wosize()).filter(|&field| field != DATA) {
        note_look();
        let needed = match field {
            ITSELF => ephemeron,
            _ => collection.held(ephemeron, field),
        };
        if let Some(block) = collection.unreached(needed) {
            collection.watches().wait(block, ephemeron, field);
            return;
        }
    }
    collection.reach_data(ephemeron);
}

/// Counts that a collection asked whether a key is alive.
fn note_look() {
    heap().ephemerons.borrow().looks.update(|looks| looks + 1);
}

impl Collection for Evacuation {
    fn unreached(&self, value: Value) -> Option<Value> {
        self.uncopied(value)
    }

    fn held(&self, ephemeron: Value, field: usize) -> Value {
        ephemeron.field(field)
    }

    fn reach_data(&mut self, ephemeron: Value) {
        ephemeron.init_field(DATA, self.value(ephemeron.field(DATA)));
    }

    fn drain(&mut self) {
        Evacuation::drain(self);
    }

    fn watches(&mut self) -> &mut Watches {
        &mut self.watches
    }
}

impl Collection for Marker {
    fn unreached(&self, value: Value) -> Option<Value> {
        self.unmarked(value)
    }

    fn held(&self, ephemeron: Value, field: usize) -> Value {
        skip(heap(), &self.watches, ephemeron, field)
    }

    fn reach_data(&mut self, ephemeron: Value) {
        self.value(self.held(ephemeron, DATA));
    }

    fn drain(&mut self) {
        Marker::drain(self);
    }

    fn watches(&mut self) -> &mut Watches {
        &mut self.watches
    }
}

/// Erases dead keys and their data, and forgets dead ephemerons: after marking.
pub fn after_mark(heap: &Heap) {
    if let Some(tracing) = tracing(heap) {
        (tracing.after_mark)(heap);
    }
}

fn erase_after_mark(heap: &Heap) {
    let mut ephemerons = heap.ephemerons.borrow_mut();
    // Nobody waits any longer.
    let watches = Watches::new();
    ephemerons.all.retain(|&address| {
        let ephemeron = Value::block(address);
        let live = super::mark::is_live(heap, ephemeron);
        if live {
            erase_dead(heap, &watches, ephemeron);
        }
        live
    });
}

fn erase_dead(heap: &Heap, watches: &Watches, ephemeron: Value) {
    let none = heap.none.get();
    for index in FIRST_KEY..ephemeron.wosize() {
        if !super::mark::is_live(heap, skip(heap, watches, ephemeron, index)) {
            ephemeron.init_field(index, none);
            ephemeron.init_field(DATA, none);
        }
    }
}

/// What a field of an ephemeron holds. If that is a forced suspension which may be skipped, and has
/// a block for its value, the field holds the value from now on; integers are never there.
#[inline(always)]
fn skip(heap: &Heap, watches: &Watches, ephemeron: Value, field: usize) -> Value {
    let value = ephemeron.field(field);
    // Few have such a header, be it their own or a planted one.
    let may_be_one = value.is_block() && matches!(value.tag(), tag::FORWARD | tag::INFIX);
    if !may_be_one || !heap.in_major(value) || watches.own_tag(value) != tag::FORWARD {
        return value;
    }
    let target = value.field(0);
    if target.is_block() && image::may_skip_to(heap, watches, target) {
        ephemeron.init_field(field, target);
        return target;
    }
    value
}
