//! Tests of ephemerons: what collections do for them is what a naive fixpoint says, and in linear
//! work.

use super::*;
use crate::heap::{self, Root, finalise, verify};
use crate::memory;
use crate::testing::start_machine;
use crate::value::{WORD, header};

const LENGTH: usize = if cfg!(miri) { 60 } else { 5_000 };

fn boxed(number: usize) -> Value {
    heap::alloc_fields(0, &[Value::int(number as i64)])
}

pub fn made(keys: usize) -> Value {
    create(keys).expect("memory")
}

/// How many looks at keys `work` takes.
fn looks(work: impl FnOnce()) -> u64 {
    let now = || heap().ephemerons.borrow().looks();
    let before = now();
    work();
    now() - before
}

/// The order in which the ephemerons of a chain are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    FirstToLast,
    LastToFirst,
}

/// Ephemerons `0..LENGTH` in a block, the data of each being the key of the next; and the key of
/// the first.
fn chain(order: Order) -> (Root, Root) {
    let chain = heap::try_alloc_major(LENGTH, 0).expect("memory");
    (0..LENGTH).for_each(|index| chain.init_field(index, Value::UNIT));
    let chain = Root::new(chain);
    let first = Root::new(boxed(0));
    let mut links = vec![first.get()];
    links.extend((1..=LENGTH).map(boxed));
    let link = |index: usize| {
        let ephemeron = made(1);
        write(ephemeron, FIRST_KEY, links[index]);
        write(ephemeron, DATA, links[index + 1]);
        heap::modify(chain.get(), index, ephemeron);
    };
    match order {
        Order::FirstToLast => (0..LENGTH).for_each(link),
        Order::LastToFirst => (0..LENGTH).rev().for_each(link),
    }
    (chain, first)
}

/// How many ephemerons of a chain hold their data, and the right one.
fn alive(chain: &Root) -> usize {
    let data = |index| chain.get().field(index).field(DATA);
    (0..LENGTH)
        .filter(|&index| data(index) != none())
        .inspect(|&index| assert_eq!(data(index).field(0), Value::int(index as i64 + 1)))
        .count()
}

#[test]
fn a_weak_array_costs_what_is_written() {
    start_machine();
    let weak = Root::new(made(LENGTH));
    let kept = Root::new(boxed(7));
    let work = looks(|| {
        for index in 0..LENGTH {
            write(weak.get(), FIRST_KEY + index, boxed(index));
        }
        write(weak.get(), FIRST_KEY + 3, kept.get());
        heap::collect_minor();
    });
    assert!(work <= LENGTH as u64, "{work} looks");
    let key = |index| weak.get().field(FIRST_KEY + index);
    assert_eq!(key(3), kept.get());
    assert!((0..LENGTH).all(|index| index == 3 || key(index) == none()));
}

#[test]
fn a_field_written_repeatedly_is_known_once() {
    start_machine();
    let weak = Root::new(made(1));
    for index in 0..LENGTH {
        write(weak.get(), FIRST_KEY, boxed(index));
        write(weak.get(), DATA, boxed(index));
    }
    assert_eq!(looks(heap::collect_minor), 2);
    assert_eq!(weak.get().field(DATA), none());
}

#[test]
fn chains_take_linear_work() {
    for order in [Order::FirstToLast, Order::LastToFirst] {
        let test = move || {
            start_machine();
            let (chain, first) = chain(order);
            for collect in [
                heap::collect_minor,
                heap::collect_major,
                heap::collect_major,
            ] {
                let work = looks(collect);
                assert!(work <= 5 * LENGTH as u64, "{order:?}: {work} looks");
                assert_eq!(alive(&chain), LENGTH);
                verify::verify();
            }
            first.set(Value::UNIT);
            let work = looks(heap::collect_major);
            assert!(work <= 5 * LENGTH as u64, "{order:?}: {work} looks");
            assert_eq!(alive(&chain), 0);
        };
        std::thread::spawn(test).join().expect("the test's thread");
    }
}

#[test]
fn an_ephemeron_of_many_keys_looks_at_each_once_in_a_minor_collection() {
    start_machine();
    let wide = Root::new(made(LENGTH));
    let (chain, first) = chain(Order::LastToFirst);
    for index in 0..LENGTH {
        let link = chain.get().field(index).field(DATA);
        write(wide.get(), FIRST_KEY + index, link);
    }
    write(wide.get(), DATA, boxed(42));
    let work = looks(heap::collect_minor);
    assert!(work <= 6 * LENGTH as u64, "{work} looks");
    assert_eq!(wide.get().field(DATA).field(0), Value::int(42));
    first.set(Value::UNIT);
    heap::collect_major();
    assert_eq!(wide.get().field(DATA), none());
}

#[test]
fn many_ephemerons_wait_for_one_block() {
    start_machine();
    let key = Root::new(boxed(1));
    let behind = Root::new(made(1));
    write(behind.get(), DATA, boxed(0));
    write(behind.get(), FIRST_KEY, key.get());
    let first = behind.get().field(DATA);
    let waiting: Vec<Root> = (0..50).map(|_| Root::new(made(1))).collect();
    for ephemeron in &waiting {
        write(ephemeron.get(), FIRST_KEY, first);
        write(ephemeron.get(), DATA, boxed(5));
    }
    for collect in [heap::collect_minor, heap::collect_major] {
        collect();
        verify::verify();
        for ephemeron in &waiting {
            assert_eq!(ephemeron.get().field(FIRST_KEY), behind.get().field(DATA));
            assert_eq!(ephemeron.get().field(DATA).field(0), Value::int(5));
        }
    }
    key.set(Value::UNIT);
    heap::collect_major();
    for ephemeron in waiting.into_iter().rev() {
        assert_eq!(ephemeron.get().field(DATA), none());
        drop(ephemeron);
    }
}

/// A closure of two functions with one captured variable; the value is the second one.
fn infix(captured: Value) -> Value {
    let closure = heap::alloc(6, tag::CLOSURE);
    closure.init_field(0, Value(0x1000));
    closure.init_field(1, Value(5 << 1 | 1));
    closure.init_field(2, Value(header(3, tag::INFIX) as i64));
    closure.init_field(3, Value(0x2000));
    closure.init_field(4, Value(2 << 1 | 1));
    closure.init_field(5, captured);
    Value::block(closure.field_address(3))
}

#[test]
fn a_key_may_point_into_a_block_and_data_be_an_ephemeron() {
    start_machine();
    let key = Root::new(boxed(1));
    let outer = Root::new(made(1));
    let inner = Root::new(made(1));
    let function = infix(boxed(3));
    write(outer.get(), FIRST_KEY, key.get());
    write(
        outer.get(),
        DATA,
        heap::alloc_fields(0, &[inner.get(), function]),
    );
    write(inner.get(), FIRST_KEY, function);
    write(inner.get(), DATA, boxed(4));
    inner.set(Value::UNIT);
    for collect in [
        heap::collect_minor,
        heap::collect_major,
        heap::collect_major,
    ] {
        collect();
        verify::verify();
        let (inner, function) = (
            outer.get().field(DATA).field(0),
            outer.get().field(DATA).field(1),
        );
        assert_eq!(inner.field(FIRST_KEY), function);
        assert_eq!(inner.field(DATA).field(0), Value::int(4));
        let block = Value::block(function.address() - 3 * WORD);
        assert_eq!(block.tag(), tag::CLOSURE);
        assert_eq!(block.field(5).field(0), Value::int(3));
    }
    drop(inner);
    key.set(Value::UNIT);
    heap::collect_major();
    assert_eq!(outer.get().field(DATA), none());
    assert_eq!(heap().ephemerons.borrow().all.len(), 1);
}

#[test]
fn a_forced_suspension_that_is_skipped_wakes_nobody() {
    start_machine();
    let suspension = heap::alloc_fields(tag::FORWARD, &[boxed(1)]);
    let (first, second) = (Root::new(made(1)), Root::new(made(1)));
    let key = Root::new(boxed(0));
    write(second.get(), FIRST_KEY, suspension);
    write(second.get(), DATA, boxed(2));
    write(first.get(), FIRST_KEY, key.get());
    write(
        first.get(),
        DATA,
        heap::alloc_fields(0, &[suspension, suspension]),
    );
    heap::collect_minor();
    verify::verify();
    assert_eq!(first.get().field(DATA).field(0).field(0), Value::int(1));
    assert_eq!(first.get().field(DATA).field(0).tag(), 0, "it was skipped");
    assert_eq!(second.get().field(DATA), none());
    assert_eq!(second.get().field(FIRST_KEY), none());
}

#[test]
fn a_suspension_is_copied_whose_value_ephemerons_wait_for() {
    start_machine();
    let value = heap::alloc_float(0.5);
    let (first, second) = (Root::new(made(1)), Root::new(made(1)));
    let key = Root::new(boxed(0));
    write(second.get(), FIRST_KEY, value);
    write(second.get(), DATA, boxed(2));
    write(first.get(), FIRST_KEY, key.get());
    write(
        first.get(),
        DATA,
        heap::alloc_fields(tag::FORWARD, &[value]),
    );
    heap::collect_minor();
    verify::verify();
    assert_eq!(first.get().field(DATA).tag(), tag::FORWARD);
    assert_eq!(first.get().field(DATA).field(0).as_float(), 0.5);
    assert_eq!(second.get().field(DATA).field(0), Value::int(2));
}

#[test]
fn what_a_finaliser_resurrects_keeps_data() {
    start_machine();
    let ephemeron = Root::new(made(1));
    let key = boxed(1);
    write(ephemeron.get(), FIRST_KEY, key);
    write(ephemeron.get(), DATA, heap::alloc_fields(0, &[key]));
    finalise::attach_first(Value::UNIT, key).expect("memory");
    for collect in [heap::collect_minor, heap::collect_major] {
        collect();
        verify::verify();
        let data = ephemeron.get().field(DATA);
        assert_eq!(data.field(0), ephemeron.get().field(FIRST_KEY));
    }
}

#[test]
fn ephemerons_wait_where_the_mark_stack_cannot_grow() {
    start_machine();
    let nodes = if cfg!(miri) { 3_000 } else { 50_000 };
    let key = Root::new(boxed(0));
    let large = heap::alloc(1000, 0);
    (0..1000).for_each(|index| large.init_field(index, Value::UNIT));
    let tree = (0..nodes).fold(large, |deep, number| {
        heap::alloc_fields(0, &[boxed(number), deep])
    });
    let (first, second) = (Root::new(made(1)), Root::new(made(1)));
    let dead = Root::new(made(1));
    for (ephemeron, key, data) in [
        (&second, large, boxed(9)),
        (&dead, boxed(1), boxed(2)),
        (&first, key.get(), tree),
    ] {
        write(ephemeron.get(), FIRST_KEY, key);
        write(ephemeron.get(), DATA, data);
    }
    let dying = Root::new(dead.get().field(FIRST_KEY));
    heap::collect_minor();
    dying.set(Value::UNIT);
    while memory::grow(4096).is_some() {}
    heap::collect_major();
    verify::verify();
    assert_eq!(second.get().field(DATA).field(0), Value::int(9));
    assert_eq!(dead.get().field(DATA), none());
    let mut node = first.get().field(DATA);
    for number in (0..nodes).rev() {
        assert_eq!(node.field(0).field(0), Value::int(number as i64));
        node = node.field(1);
    }
    assert_eq!(node, second.get().field(FIRST_KEY));
}

/// The most entries in the lists of what was written.
fn entries() -> usize {
    let ephemerons = heap().ephemerons.borrow();
    ephemerons.young_data.len().max(ephemerons.young_keys.len())
}

#[test]
fn what_is_overwritten_is_forgotten() {
    start_machine();
    let (ephemeron, young) = (Root::new(made(1)), heap::alloc_float(1.5));
    for _ in 0..LENGTH {
        for field in [FIRST_KEY, DATA] {
            write(ephemeron.get(), field, young);
            write(ephemeron.get(), field, none());
        }
        assert!(entries() <= 4);
    }
    write(ephemeron.get(), DATA, young);
    heap::collect_minor();
    verify::verify();
    assert_eq!(ephemeron.get().field(DATA).as_float(), 1.5);
}

#[test]
fn many_writes_make_a_minor_collection_due() {
    start_machine();
    let limit = remembered::limit(heap::NURSERY_WORDS);
    let ephemeron = Root::new(made(3 * limit));
    let collections = || heap().counters.minor_collections.get();
    let before = collections();
    let mut young = heap::alloc_float(1.5);
    for key in 0..3 * limit {
        write(ephemeron.get(), FIRST_KEY + key, young);
        assert!(entries() <= limit);
        if vm().young_ptr.get() < vm().young_trigger.get() {
            assert_eq!(heap::safepoint(0), 1);
            young = heap::alloc_float(1.5);
        }
    }
    assert_eq!(collections() - before, 3);
}
