//! A checker of the heap's invariants, for tests and debugging. It walks each space and panics,
//! naming block and field, at the first word that breaks one of these rules:
//!
//! * a word that is scanned is an integer, 0, or points to a block of nursery, image or major heap,
//!   or is the globals block;
//! * a block of the major heap fits its slot; what a live-coloured block refers to is
//!   live-coloured;
//! * a reference from outside of the nursery into it is in the remembered set or in a fresh block.

use super::state::{COLOUR_MASK, Heap, heap};
use crate::memory;
use crate::value::{Value, WORD, tag};
use crate::vm::vm;
use std::collections::HashSet;

/// Checks everything. To be called with the stack pointer and all values in memory.
pub fn verify() {
    let heap = heap();
    let checker = Checker {
        heap,
        remembered: remembered(heap),
    };
    checker.roots();
    checker.nursery();
    heap.image
        .for_each_block(|block| match heap.in_major(block) {
            true => checker.major_block(block.address()),
            false => checker.block(block, "image"),
        });
    heap.small
        .walk(|address| checker.major_block(address), |_, _| ());
    heap.large
        .borrow()
        .walk(|address| checker.major_block(address), |_, _| ());
}

struct Checker {
    heap: &'static Heap,
    remembered: HashSet<u32>,
}

/// Addresses of all fields that the next minor collection looks at.
fn remembered(heap: &Heap) -> HashSet<u32> {
    let mut fields: HashSet<u32> = heap.remembered.fields().collect();
    for block in (0..heap.fresh.len()).map(|index| Value::block(heap.fresh.get(index))) {
        fields.extend((0..block.wosize()).map(|index| block.field_address(index)));
    }
    fields
}

impl Checker {
    fn roots(&self) {
        for (start, end) in super::roots::ranges() {
            for address in (start..end).step_by(WORD as usize) {
                self.word(
                    Value(memory::load_i64(address)),
                    &format!("root at {address:#x}"),
                );
            }
        }
    }

    fn nursery(&self) {
        let vm = vm();
        let mut at = vm.young_ptr.get();
        while at < vm.young_end.get() {
            let block = Value::block(at + WORD);
            assert!(
                block.wosize() > 0 && block.wosize() <= super::MAX_YOUNG_WOSIZE,
                "nursery block {block:?} has a size"
            );
            self.block(block, "nursery");
            at += (block.wosize() as u32 + 1) * WORD;
        }
        assert_eq!(
            at,
            vm.young_end.get(),
            "the last nursery block ends where the nursery ends"
        );
    }

    fn major_block(&self, address: u32) {
        let block = Value::block(address);
        if block.header() & COLOUR_MASK == self.heap.live_colour.get() {
            self.block(block, "major");
        }
    }

    fn block(&self, block: Value, space: &str) {
        if block.tag() >= tag::NO_SCAN {
            return;
        }
        for index in super::first_scanned(block) as usize..block.wosize() {
            let value = block.field(index);
            let place = format!(
                "field {index} of {space} block {:#x}, header {:#x}",
                block.address(),
                block.header()
            );
            self.word(value, &place);
            let known = space == "nursery"
                || !vm().is_young(value)
                || self.remembered.contains(&block.field_address(index));
            assert!(known, "{place} holds a nursery block and is not remembered");
        }
    }

    fn word(&self, value: Value, place: &str) {
        if value.is_int() || value == Value::RAISED || value == vm().globals.get() {
            return;
        }
        let block = match value.tag() {
            tag::INFIX => Value::block(value.address() - value.wosize() as u32 * WORD),
            _ => value,
        };
        if vm().is_young(block) {
            assert!(
                block.address() > vm().young_ptr.get(),
                "{place}: {value:?} is a nursery block in use"
            );
        } else if self.heap.in_major(block) {
            let live = block.header() & COLOUR_MASK == self.heap.live_colour.get();
            assert!(
                live,
                "{place}: {value:?}, header {:#x}, is live",
                block.header()
            );
        } else {
            assert!(
                self.heap.image.contains(block.address()),
                "{place}: {value:?} is a block of the image"
            );
        }
    }
}
