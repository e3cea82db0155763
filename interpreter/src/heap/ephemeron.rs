//! Ephemerons and weak arrays: blocks of the major heap with tag Abstract, which the collector knows by list.
//!
//! Field 0 is unused, field 1 is the data, keys follow; [`none`] stands for an absent key or data. The
//! data is alive if all keys are; when a key has died, key and data are erased together.

use super::mark::Marker;
use super::minor::Evacuation;
use super::state::{Heap, heap};
use crate::value::{Value, tag};

/// Field of the data.
pub const DATA: usize = 1;
/// Field of the first key.
pub const FIRST_KEY: usize = 2;

/// What the collector knows of ephemerons.
pub struct Ephemerons {
    /// Addresses of all of them.
    all: Vec<u32>,
    /// Those into which a nursery block was written since the last minor collection, perhaps repeatedly.
    young: Vec<u32>,
}

impl Ephemerons {
    pub(crate) const fn new() -> Self {
        Self {
            all: Vec::new(),
            young: Vec::new(),
        }
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
    let block = super::try_alloc_major(wosize, tag::ABSTRACT)?;
    block.init_field(0, Value::UNIT);
    (DATA..wosize).for_each(|index| block.init_field(index, none));
    heap.ephemerons.borrow_mut().all.push(block.address());
    Some(block)
}

/// To be called with what the program gets hold of by reading an ephemeron.
pub fn keep(value: Value) {
    super::cycle::keep(heap(), value);
}

/// Writes `value` into the data or a key of an ephemeron.
pub fn write(ephemeron: Value, index: usize, value: Value) {
    if crate::vm::vm().is_young(value) {
        heap()
            .ephemerons
            .borrow_mut()
            .young
            .push(ephemeron.address());
    }
    ephemeron.init_field(index, value);
}

/// Keeps the data whose keys survived the minor collection, then erases what did not survive.
pub fn after_minor(heap: &Heap, evacuation: &mut Evacuation) {
    let mut ephemerons = heap.ephemerons.borrow_mut();
    let mut waiting: Vec<Value> = ephemerons.young.drain(..).map(Value::block).collect();
    let written = waiting.clone();
    loop {
        let before = waiting.len();
        waiting.retain(|&ephemeron| !promote_data(ephemeron, evacuation));
        evacuation.drain();
        if waiting.len() == before {
            break;
        }
    }
    let none = heap.none.get();
    for ephemeron in written {
        update_young(ephemeron, none, evacuation);
    }
}

/// Copies the data if all keys are alive; whether it did.
fn promote_data(ephemeron: Value, evacuation: &mut Evacuation) -> bool {
    let alive = keys(ephemeron).all(|index| evacuation.survivor(ephemeron.field(index)).is_some());
    if alive {
        ephemeron.init_field(DATA, evacuation.value(ephemeron.field(DATA)));
    }
    alive
}

fn update_young(ephemeron: Value, none: Value, evacuation: &Evacuation) {
    for index in DATA..ephemeron.wosize() {
        let survivor = evacuation.survivor(ephemeron.field(index));
        if survivor.is_none() && index != DATA {
            ephemeron.init_field(DATA, none);
        }
        ephemeron.init_field(index, survivor.unwrap_or(none));
    }
}

/// Marks the data of live ephemerons whose keys are all live, until no more becomes live.
pub fn mark(heap: &Heap, marker: &mut Marker) {
    let mut waiting: Vec<Value> = heap
        .ephemerons
        .borrow()
        .all
        .iter()
        .copied()
        .map(Value::block)
        .collect();
    loop {
        let before = waiting.len();
        waiting.retain(|&ephemeron| {
            let alive = marker.is_live(ephemeron)
                && keys(ephemeron).all(|index| marker.is_live(ephemeron.field(index)));
            if alive {
                marker.value(ephemeron.field(DATA));
            }
            !alive
        });
        marker.drain();
        if waiting.len() == before {
            break;
        }
    }
}

/// Erases dead keys and their data, and forgets dead ephemerons: after marking.
pub fn after_mark(heap: &Heap) {
    let mut ephemerons = heap.ephemerons.borrow_mut();
    let none = heap.none.get();
    ephemerons.all.retain(|&address| {
        let ephemeron = Value::block(address);
        let live = super::mark::is_live(heap, ephemeron);
        if live {
            erase_dead(heap, ephemeron, none);
        }
        live
    });
}

fn erase_dead(heap: &Heap, ephemeron: Value, none: Value) {
    for index in keys(ephemeron) {
        if !super::mark::is_live(heap, ephemeron.field(index)) {
            ephemeron.init_field(index, none);
            ephemeron.init_field(DATA, none);
        }
    }
}

fn keys(ephemeron: Value) -> core::ops::Range<usize> {
    FIRST_KEY..ephemeron.wosize()
}
