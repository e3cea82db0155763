//! The channels that exist, and the custom blocks that stand for them.
//!
//! A block's data is the index of its channel. Several blocks may stand for one channel. When the
//! last of them dies, the channel goes, but its descriptor stays open, as under `ocamlrun`; a
//! channel with unflushed data stays, so that `at_exit`'s flush finds it.

use super::buffer::{Channel, Direction};
use crate::custom::{self, Kind};
use crate::heap::{self, finalise};
use crate::memory;
use crate::os;
use crate::value::Value;
use std::cell::{Cell, RefCell};

struct Slot {
    channel: Channel,
    /// Counts channels in the order of their opening.
    serial: u64,
}

#[derive(Default)]
struct Table {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    opened: u64,
}

thread_local! {
    static TABLE: RefCell<Table> = const {
        RefCell::new(Table { slots: Vec::new(), free: Vec::new(), opened: 0 })
    };
    static WARNINGS: Cell<bool> = const { Cell::new(false) };
    static WARNED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the runtime warns of channels that die unclosed.
pub fn warnings() -> bool {
    WARNINGS.get()
}

pub fn set_warnings(on: bool) {
    WARNINGS.set(on);
}

/// Adds a channel; returns a block for it, `None` when memory is exhausted.
pub fn add(channel: Channel) -> Option<Value> {
    finalise::make_room()?;
    TABLE.with_borrow_mut(|table| heap::make_room(&mut table.slots))?;
    let index = TABLE.with_borrow_mut(|table| {
        let slot = Slot {
            channel,
            serial: table.opened,
        };
        table.opened += 1;
        match table.free.pop() {
            Some(index) => {
                table.slots[index] = Some(slot);
                index
            }
            None => {
                table.slots.push(Some(slot));
                table.slots.len() - 1
            }
        }
    });
    Some(block_for(index))
}

/// One more block for the channel at `index`.
fn block_for(index: usize) -> Value {
    let block = custom::alloc_released(Kind::Channel, 1, release);
    memory::store_u64(custom::data(block), index as u64);
    with(block, |channel| channel.references += 1);
    block
}

fn index_of(block: Value) -> usize {
    memory::load_u64(custom::data(block)) as usize
}

/// Calls `f` with the channel that `block` stands for. `f` must not raise nor open channels.
#[inline]
pub fn with<R>(block: Value, f: impl FnOnce(&mut Channel) -> R) -> R {
    TABLE.with_borrow_mut(|table| {
        let slot = table.slots[index_of(block)].as_mut();
        f(&mut slot.expect("a channel lives as long as its blocks").channel)
    })
}

/// Blocks for all open output channels, in the order of their opening.
pub fn open_outputs() -> Vec<Value> {
    let mut found: Vec<(u64, usize)> = Vec::new();
    TABLE.with_borrow(|table| {
        for (index, slot) in table.slots.iter().enumerate() {
            if let Some(Slot { channel, serial }) = slot
                && channel.direction == Direction::Output
                && channel.descriptor().is_some()
            {
                // Most are in order: a sort of the standard library is larger than all else here.
                let place = found.partition_point(|(other, _)| other < serial);
                found.insert(place, (*serial, index));
            }
        }
    });
    found
        .into_iter()
        .map(|(_, index)| block_for(index))
        .collect()
}

/// A block for a channel died.
fn release(block: Value) {
    let index = index_of(block);
    TABLE.with_borrow_mut(|table| {
        let slot = table.slots[index]
            .as_mut()
            .expect("a channel lives as long as its blocks");
        let channel = &mut slot.channel;
        channel.references -= 1;
        if channel.references > 0 {
            return;
        }
        warn(channel);
        if !channel.has_unflushed_data() {
            table.slots[index] = None;
            table.free.push(index);
        }
    });
}

fn warn(channel: &Channel) {
    let Some(name) = channel.name.as_ref().filter(|_| WARNINGS.get()) else {
        return;
    };
    if channel.descriptor().is_none() {
        return;
    }
    if !WARNED.replace(true) {
        os::write_all(
            2,
            b"[ocaml] (use Sys.enable_runtime_warnings to control these warnings)\n",
        );
    }
    os::write_all(
        2,
        &[
            b"[ocaml] channel opened on file '",
            &name[..],
            b"' dies without being closed\n",
        ]
        .concat(),
    );
    if channel.has_unflushed_data() {
        os::write_all(2, b"[ocaml] (moreover, it has unflushed data)\n");
    }
}
