//! Which blocks are noted as sampled.

use super::*;
use crate::heap;
use crate::heap::samples::Report;
use crate::testing::start_machine;
use crate::value::tag;

/// Begins to sample every word for callbacks that are never called: no safepoint comes.
fn start_sampling() {
    start_machine();
    let tracker = heap::alloc_fields(0, &[Value::UNIT; 5]);
    start(1.0, 0, tracker);
}

/// The births that were noted: size, samples, and whether the block counts as young.
fn births() -> Vec<(usize, u64, bool)> {
    let entries = heap::heap().memprof.entries.borrow();
    let birth = |entry: &Entry| (entry.wosize, entry.samples, entry.born_young);
    entries.iter().map(birth).collect()
}

#[test]
fn blocks_of_primitives_are_noted_where_they_are_born() {
    start_sampling();
    heap::alloc(3, 0);
    heap::alloc(1000, tag::STRING);
    assert_eq!(births(), [(3, 4, true), (1000, 1001, false)]);
    assert!(is_waiting());
    assert!(stop());
    heap::alloc(3, 0);
    assert_eq!(births(), []);
    assert!(!stop());
}

#[test]
fn a_nursery_without_room_is_noted_as_such() {
    start_sampling();
    let vm = vm();
    vm.young_ptr.set(vm.young_start.get() + 4 * WORD);
    heap::heap().full.set(true);
    renew(heap::heap());
    let block = heap::alloc(4, tag::STRING);
    assert!(!vm.is_young(block), "there is no room for five words");
    let block = heap::alloc(3, tag::STRING);
    assert!(vm.is_young(block), "there is for four");
    assert_eq!(births(), [(4, 5, true), (3, 4, true)]);
}

#[test]
fn what_is_read_counts_as_one_block() {
    start_sampling();
    for words in [heap::MAX_YOUNG_WOSIZE + 1, heap::MAX_YOUNG_WOSIZE + 2] {
        reading(words, || heap::alloc(2, 0));
    }
    assert_eq!(births(), [(2, 3, true), (2, 3, false)]);
}

#[test]
fn deaths_are_noticed_by_either_collection() {
    start_sampling();
    let root = heap::Root::new(heap::alloc(1, tag::STRING));
    heap::alloc(2, tag::STRING);
    suspend(heap::heap(), true);
    heap::collect_minor();
    let reports = || -> Vec<(bool, bool)> {
        let entries = heap::heap().memprof.entries.borrow();
        let due = |report: Report| report == Report::Due;
        let reports = entries
            .iter()
            .map(|entry| (due(entry.promoted), due(entry.died)));
        reports.collect()
    };
    assert_eq!(reports(), [(true, false), (false, true)]);
    root.set(Value::UNIT);
    heap::collect_major();
    assert_eq!(reports(), [(true, true), (false, true)]);
}

/// Adds entries for no blocks; the number of the first.
fn push(count: usize) -> u64 {
    let entry = || Entry::new(Value::UNIT, 1, 1, Source::Normal, true);
    let numbers: Vec<u64> = (0..count)
        .map(|_| heap::heap().memprof.push(entry()))
        .collect();
    numbers[0]
}

/// What a flush does is told by `deleted_from`: it looks at no entry before it.
#[test]
fn deleted_entries_are_forgotten_from_the_first_on() {
    start_sampling();
    let memprof = &heap::heap().memprof;
    let bounds = || (memprof.young_from.get(), memprof.due_from.get());
    let first = push(1000);
    memprof.young_from.set(998);
    memprof.due_from.set(1000);
    assert_eq!(memprof.deleted_from.get(), usize::MAX);
    memprof.flush();
    assert_eq!(bounds(), (998, 1000));
    for index in [997, 995, 999] {
        memprof.delete(index);
    }
    assert_eq!(memprof.deleted_from.get(), 995);
    memprof.flush();
    assert_eq!(memprof.deleted_from.get(), usize::MAX);
    assert_eq!(bounds(), (996, 997));
    assert_eq!(memprof.entries.borrow().len(), 997);
    let place = |number: u64| memprof.find(first + number);
    assert_eq!(
        [994, 995, 996, 997, 998, 999].map(place),
        [Some(994), None, Some(995), None, Some(996), None]
    );
    memprof.delete(0);
    memprof.flush();
    assert_eq!((bounds(), place(998)), ((995, 996), Some(995)));
}

/// An entry that is dropped while others wait to be, and one that a collection had passed.
#[test]
fn the_last_entry_is_forgotten_by_itself() {
    start_sampling();
    let memprof = &heap::heap().memprof;
    push(3);
    memprof.delete(1);
    memprof.delete(2);
    memprof.young_from.set(3);
    memprof.flush_last();
    assert_eq!(memprof.deleted_from.get(), 1);
    assert_eq!(memprof.young_from.get(), 2, "the next entry may be young");
    memprof.flush_last();
    assert_eq!(memprof.deleted_from.get(), usize::MAX);
    memprof.flush_last();
    assert_eq!(memprof.entries.borrow().len(), 1);
}
