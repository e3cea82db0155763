//! What happens where memory is used up.

use super::*;
use crate::raise::{self, Predefined};

/// A machine whose address space is used up but for what the heap has taken already.
fn start_exhausted() {
    start(3);
    set_root(0, Value::EMPTY_LIST);
    assert_eq!(safepoint(0), 1, "there is memory so far");
    collect_minor();
    while memory::grow(4096).is_some() {}
}

/// Fills the memory with a list in root 0; the exception is Out_of_memory.
fn fill() -> usize {
    let mut length = 0;
    loop {
        let vm = vm();
        while vm.young_ptr.get() - 24 >= vm.young_trigger.get() {
            set_root(0, alloc_fields(0, &[Value::int(1), root(0)]));
            length += 1;
        }
        if safepoint(24) == 0 {
            return length;
        }
    }
}

#[test]
fn a_full_heap_raises_and_a_garbage_one_goes_on() {
    start_exhausted();
    for _ in 0..3 {
        assert!(fill() > 100, "the reserve can be used");
        verify::verify();
        set_root(0, Value::EMPTY_LIST);
        assert_eq!(safepoint(24), 1, "what is garbage now is memory again");
        verify::verify();
    }
    assert_eq!(vm().exception.get(), oom());
}

fn oom() -> Value {
    raise::constant(Predefined::OutOfMemory);
    vm().exception.get()
}

#[test]
fn free_memory_goes_from_small_blocks_to_large_ones_and_back() {
    start(3);
    let list = (0..200_000).fold(Value::EMPTY_LIST, |tail, _| {
        alloc_fields(0, &[Value::int(1), tail])
    });
    set_root(0, list);
    collect_minor();
    while memory::grow(4096).is_some() {}
    assert!(try_alloc(400_000, 0).is_none(), "the address space is full");
    set_root(0, Value::EMPTY_LIST);
    assert_eq!(safepoint(0), 1, "the collection that was asked for");
    let large = try_alloc(400_000, tag::STRING).expect("what the list took");
    set_root(1, large);
    verify::verify();
    set_root(1, Value::UNIT);
    collect_major();
    assert!(fill() > 150_000, "what the large block took");
    verify::verify();
}

#[test]
fn a_nursery_that_finds_no_memory_leaves_all_as_it_was() {
    start_exhausted();
    let ranges = || {
        let heap = heap();
        let list = |list: &list::Buffer| (list.base(), list.limit());
        let nursery = (vm().young_start.get(), vm().young_end.get());
        [nursery, list(&heap.todo), list(heap.remembered.buffer())]
    };
    let before = ranges();
    let mut settings = heap().settings.get();
    settings.fields[settings::Settings::MINOR_HEAP_SIZE] *= 64;
    assert_eq!(apply_settings(settings), None);
    assert_eq!(ranges(), before);
    assert_eq!(heap().nursery_words.get(), NURSERY_WORDS);
    assert!(fill() > 100, "the program goes on");
    verify::verify();
}

#[test]
fn marking_goes_on_where_its_stack_cannot_grow() {
    start(3);
    // A tree that needs a deep stack: what each node's first field holds waits until all deeper
    // nodes are marked.
    let tree = (0..100_000).fold(Value::EMPTY_LIST, |deep, number| {
        alloc_fields(0, &[alloc_fields(0, &[Value::int(number)]), deep])
    });
    set_root(0, tree);
    collect_minor();
    while memory::grow(4096).is_some() {}
    collect_major();
    verify::verify();
    let mut node = root(0);
    for number in (0..100_000).rev() {
        assert_eq!(node.field(0).field(0), Value::int(number));
        node = node.field(1);
    }
}
