//! The phases of a major collection, and how far the present one has come.
//!
//! Marking is done at once: what was reachable when a cycle began survives it. A collection that is
//! due begins and ends in one go. What module `Gc` offers ends a cycle and begins the next at once,
//! because OCaml's incremental collector does, and programs can see it: a value that was reachable
//! at the end of one `Gc.major` survives the next.
//!
//! Invariant, while a cycle has begun: all that the program can reach is in the nursery or has the
//! live colour. Values that it reads from ephemerons have to be marked for that, see [`keep`].

use super::settings::Settings;
use super::state::{COLOUR_B, Heap};
use super::{ephemeron, finalise, mark, memprof, minor, stats};
use crate::value::Value;
use crate::vm::vm;

/// How far the present cycle has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// None has begun.
    Idle,
    /// Everything reachable is marked; nothing was freed.
    Marked,
    /// What died is known, and being freed.
    Sweeping,
}

/// Finds out what is unreachable now and frees it. The nursery is empty.
pub fn collect(heap: &'static Heap) {
    if heap.phase.get() != Phase::Idle {
        finish(heap);
    }
    finish(heap);
}

/// Ends the cycle that has begun, or else a whole one. The nursery is empty.
pub fn finish(heap: &'static Heap) {
    if heap.phase.get() == Phase::Idle {
        begin(heap);
    }
    while heap.phase.get() != Phase::Idle {
        advance(heap);
    }
}

/// Begins a cycle if none has begun. The nursery is empty.
pub fn begin(heap: &'static Heap) {
    if heap.phase.get() != Phase::Idle {
        return;
    }
    heap.small.finish_sweep(heap);
    heap.live_colour.set(heap.live_colour.get() ^ COLOUR_B);
    heap.phase.set(Phase::Marked);
    heap.counters.live_words.set(mark::begin(heap));
    heap.allocated.set(0);
    heap.external.begin_major();
    heap.slice_words.set(0);
    heap.sliced.set(0);
}

/// Goes on as far as OCaml's collector would in a slice that frees `words` words on average, but
/// only in whole phases.
pub fn slice(heap: &'static Heap, words: u64) {
    let asked = heap.slice_words.get() + words;
    heap.slice_words.set(asked);
    // OCaml's slices mark and sweep this many words for each word that they are to free.
    let done = match heap.phase.get() {
        Phase::Idle => false,
        Phase::Marked => asked * 25 / 8 >= heap.counters.live_words.get(),
        Phase::Sweeping => asked * 55 / 12 >= stats::heap_words(),
    };
    if done {
        minor::collect(heap);
        advance(heap);
        heap.slice_words.set(0);
    }
}

/// Marks `value`, which the program has read from an ephemeron: it may be reachable only now.
#[inline]
pub fn keep(heap: &'static Heap, value: Value) {
    if heap.phase.get() == Phase::Marked && value.is_block() && !vm().is_young(value) {
        stats::add(&heap.counters.live_words, mark::also(heap, value));
    }
}

fn advance(heap: &'static Heap) {
    match heap.phase.get() {
        Phase::Idle => (),
        Phase::Marked => complete(heap),
        Phase::Sweeping => {
            stats::add(&heap.counters.major_collections, 1);
            heap.phase.set(Phase::Idle);
        }
    }
}

/// Decides what died, erases it, and sweeps large blocks; small ones are swept on demand.
fn complete(heap: &'static Heap) {
    let late = mark::complete(heap);
    stats::add(&heap.counters.live_words, late.kept + late.revived);
    ephemeron::after_mark(heap);
    finalise::after_mark(heap);
    memprof::after_mark(heap);
    heap.phase.set(Phase::Sweeping);
    heap.small.begin_sweep();
    heap.large.borrow_mut().sweep(heap.live_colour.get());
    // What waits for its finaliser will be garbage. If it counted, a program whose garbage all has
    // finalisers would get more memory from cycle to cycle.
    let live = heap.counters.live_words.get() - late.revived;
    let overhead = heap.settings.get().field(Settings::SPACE_OVERHEAD) as u64;
    let tolerated = live.saturating_mul(overhead) / 100;
    heap.allocation_goal
        .set(tolerated.max(super::MIN_MAJOR_WORDS));
}

#[cfg(test)]
mod tests {
    use crate::heap::ephemeron::{self, FIRST_KEY};
    use crate::heap::{self, MIN_MAJOR_WORDS, Root, finalise, stats, verify};
    use crate::memory;
    use crate::testing::start_machine;
    use crate::value::{Value, tag};

    fn pair(a: Value, b: Value) -> Value {
        heap::alloc_fields(0, &[a, b])
    }

    fn finish_cycle() {
        heap::finish_cycle(|| ());
        verify::verify();
    }

    /// Else a program whose garbage all has finalisers would need more and more memory.
    #[test]
    fn what_waits_for_its_finaliser_does_not_put_off_the_next_cycle() {
        start_machine();
        let heap = heap::heap();
        let words = 1 << 16;
        for _ in 0..4 * MIN_MAJOR_WORDS / words as u64 {
            let block = heap::try_alloc_major(words, tag::ABSTRACT).expect("memory");
            finalise::attach_first(Value::UNIT, block).expect("memory");
        }
        finish_cycle();
        assert!(finalise::any_pending());
        assert_eq!(heap.allocation_goal.get(), MIN_MAJOR_WORDS);
    }

    #[test]
    fn what_is_alive_when_a_cycle_begins_survives_it() {
        start_machine();
        let weak = Root::new(ephemeron::create(1).expect("memory"));
        let root = Root::new(pair(pair(Value::int(7), Value::UNIT), Value::UNIT));
        let key = || weak.get().field(FIRST_KEY);
        ephemeron::write(weak.get(), FIRST_KEY, root.get());
        heap::begin_cycle();
        root.set(Value::UNIT);
        finish_cycle();
        let alive = key();
        assert_ne!(alive, ephemeron::none(), "it was alive");
        // The next cycle has begun without it, and what it refers to gets another owner.
        ephemeron::keep(alive);
        root.set(alive.field(0));
        heap::modify(alive, 0, Value::UNIT);
        finish_cycle();
        assert_eq!(root.get().field(0), Value::int(7));
        assert_eq!(key(), alive);
        finish_cycle();
        assert_eq!(key(), ephemeron::none());
    }

    #[test]
    fn memory_is_used_while_a_cycle_has_begun() {
        start_machine();
        let list = Root::new(Value::EMPTY_LIST);
        let fill = || {
            (0..60_000).for_each(|number| {
                list.set(pair(Value::int(number), list.get()));
                assert_eq!(heap::safepoint(64), 1);
            });
            list.set(Value::EMPTY_LIST);
            heap::collect_major();
            heap::begin_cycle();
        };
        fill();
        let words = stats::heap_words();
        fill();
        assert_eq!(stats::heap_words(), words);
        verify::verify();
    }

    #[test]
    fn reading_marks_beside_a_full_nursery_and_without_memory() {
        start_machine();
        // A tree that needs a deep stack: what each node's first field holds waits until all deeper
        // nodes are marked.
        let nodes = 50_000;
        let weak = Root::new(ephemeron::create(1).expect("memory"));
        let root = Root::new((0..nodes).fold(Value::EMPTY_LIST, |deep, number| {
            pair(pair(Value::int(number), Value::UNIT), deep)
        }));
        ephemeron::write(weak.get(), FIRST_KEY, root.get());
        heap::collect_minor();
        while memory::grow(4096).is_some() {}
        root.set(Value::UNIT);
        heap::begin_cycle();
        let tree = weak.get().field(FIRST_KEY);
        let young = Root::new(pair(tree, Value::UNIT));
        root.set(tree);
        ephemeron::keep(tree);
        heap::modify(tree, 0, young.get());
        verify::verify();
        finish_cycle();
        let mut node = root.get().field(1);
        for number in (0..nodes - 1).rev() {
            assert_eq!(node.field(0).field(0), Value::int(number));
            node = node.field(1);
        }
    }
}
