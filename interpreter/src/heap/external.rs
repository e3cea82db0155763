//! Memory outside of the heap that custom blocks own: how much of it makes a collection due.
//!
//! The parameters are OCaml's (`OCAMLRUNPARAM`). `m` limits what blocks of the nursery own, in
//! percent of the nursery's size. `M` limits what new blocks of the major heap own, in percent of
//! that heap's size. `n` is a number of bytes: what a young block owns beyond it counts as the
//! major heap's at once.

use super::settings::Settings;
use super::state::{Heap, heap};
use super::{memprof, stats};
use crate::value::{Value, WORD};
use std::cell::Cell;

/// Shares of what is allowed that were allocated since the last collection: at 1, the next is due.
pub struct External {
    young: Cell<f64>,
    old: Cell<f64>,
}

impl External {
    pub(crate) const fn new() -> Self {
        Self {
            young: Cell::new(0.0),
            old: Cell::new(0.0),
        }
    }

    pub fn young_is_due(&self) -> bool {
        self.young.get() > 1.0
    }

    /// A share of exactly 1 is enough, unlike in OCaml: one array, however large, counts as 1, and
    /// OCaml would have slices under way by then.
    pub fn old_is_due(&self) -> bool {
        self.old.get() >= 1.0
    }

    /// The nursery is empty.
    pub fn after_minor(&self) {
        self.young.set(0.0);
    }

    /// A major collection begins.
    pub fn begin_major(&self) {
        self.old.set(0.0);
    }
}

/// Makes the `bytes` of memory outside of the heap that the new custom block `owner` keeps count,
/// so that owners are collected in time.
pub fn note(owner: Value, bytes: usize) {
    let heap = heap();
    memprof::owns(owner, bytes);
    let limit = heap.settings.get().field(Settings::CUSTOM_MINOR_MAX_SIZE);
    let young = bytes.min(usize::try_from(limit).unwrap_or(usize::MAX));
    super::finalise::owns(heap, owner, young as u32);
    add_old(heap, bytes - young);
    let nursery = (heap.nursery_words.get() * WORD as usize) as f64;
    let allowed = nursery / 100.0 * field(heap, Settings::CUSTOM_MINOR_RATIO);
    add(&heap.external.young, young as f64 / allowed.max(1.0));
}

/// Makes a new custom block count that is such a share of what makes a collection due.
#[cfg(target_family = "wasm")]
pub fn note_share(share: f64) {
    add(&heap().external.old, share.clamp(0.0, 1.0));
}

/// Makes `bytes` of memory outside of the heap count that nobody says the owner of.
#[cfg(target_family = "wasm")]
pub fn note_bytes(bytes: usize) {
    add_old(heap(), bytes);
}

/// Makes `bytes` that a block owns count as the major heap's.
pub fn add_old(heap: &Heap, bytes: usize) {
    if bytes == 0 {
        return;
    }
    // Two thirds of the percentage: OCaml's collector frees what died one and a half cycles ago.
    let allowed = stats::heap_words() as f64 * WORD as f64 / 150.0
        * field(heap, Settings::CUSTOM_MAJOR_RATIO);
    add(
        &heap.external.old,
        (bytes as f64 / allowed.max(1.0)).min(1.0),
    );
}

fn field(heap: &Heap, index: usize) -> f64 {
    heap.settings.get().field(index) as u64 as f64
}

fn add(share: &Cell<f64>, more: f64) {
    share.set(share.get() + more);
    if share.get() >= 1.0 {
        super::request_safepoint();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{self, finalise};
    use crate::testing::start_machine;
    use crate::value::tag;

    /// Makes `count` blocks that own `bytes` each and die at once; the numbers of minor and of
    /// major collections.
    fn collections(count: usize, bytes: usize) -> (u64, u64) {
        let counters = &heap::heap().counters;
        let numbers = || {
            let (minor, major) = (&counters.minor_collections, &counters.major_collections);
            (minor.get(), major.get())
        };
        let before = numbers();
        for _ in 0..count {
            let block = heap::alloc(1, tag::CUSTOM);
            block.init_field(0, Value::UNIT);
            finalise::on_release(block, |_| ());
            note(block, bytes);
            assert_eq!(heap::safepoint(0), 1);
        }
        (numbers().0 - before.0, numbers().1 - before.1)
    }

    fn set(index: usize, value: i64) {
        let settings = &heap::heap().settings;
        let mut changed = settings.get();
        changed.fields[index] = value;
        settings.set(changed);
    }

    #[test]
    fn shares_of_either_heap_make_collections_due() {
        start_machine();
        // 44 % of two thirds of a heap of 992 KiB are 298 KB.
        assert_eq!(collections(12, 100_000), (3, 3));
        set(Settings::CUSTOM_MAJOR_RATIO, 440);
        assert_eq!(collections(12, 100_000), (0, 0));
        let nursery = heap::heap().nursery_words.get() * 8;
        heap::collect_minor();
        assert_eq!(collections(nursery / 4096, 4096), (0, 0));
        assert_eq!(collections(1, 4096), (1, 0));
        set(Settings::CUSTOM_MINOR_RATIO, 50);
        assert_eq!(collections(nursery / 4096 + 2, 4096), (2, 0));
        set(Settings::CUSTOM_MINOR_MAX_SIZE, 0);
        set(Settings::CUSTOM_MAJOR_RATIO, 1);
        assert_eq!(
            collections(8, 4096),
            (4, 4),
            "nothing counts as the nursery's"
        );
    }
}
