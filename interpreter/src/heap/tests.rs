//! Tests of the collector on hand-made heaps, and a random mutator beside a shadow graph.

mod exhaustion;

use super::*;
use crate::program::HOOKS;
use crate::vm::vm;

const STACK_WORDS: u32 = 512;

/// Stack, image and heap of a fresh thread's machine, `roots` stack slots in use.
fn start(roots: u32) {
    let vm = vm();
    let low = memory::grow((STACK_WORDS * WORD) as usize).expect("room for a stack");
    let high = low + STACK_WORDS * WORD;
    vm.stack_low.set(low);
    vm.stack_threshold.set(low + 256);
    vm.stack_high.set(high);
    vm.sp.set(high - roots * WORD);
    for index in 0..roots {
        set_root(index, Value::UNIT);
    }
    let globals = alloc(4, 0);
    (0..4).for_each(|index| globals.init_field(index, Value::UNIT));
    vm.globals.set(globals);
    init(&HOOKS);
}

fn root(index: u32) -> Value {
    Value(memory::load_i64(vm().sp.get() + index * WORD))
}

fn set_root(index: u32, value: Value) {
    memory::store_i64(vm().sp.get() + index * WORD, value.0)
}

fn pair(a: Value, b: Value) -> Value {
    alloc_fields(0, &[a, b])
}

#[test]
fn minor_keeps_what_is_reachable() {
    start(2);
    let shared = alloc_string(b"shared, and long enough for several words");
    set_root(0, pair(shared, Value::int(-7)));
    set_root(1, pair(alloc_float(1.5), shared));
    collect_minor();
    verify::verify();
    assert_eq!(root(0).field(0), root(1).field(1));
    assert_eq!(
        root(0).field(0).to_bytes(),
        b"shared, and long enough for several words"
    );
    assert_eq!(root(0).field(1), Value::int(-7));
    assert_eq!(root(1).field(0).as_float(), 1.5);
    assert!(!vm().is_young(root(0)));
}

#[test]
fn a_deep_list_needs_no_native_stack() {
    start(1);
    let cells = if cfg!(miri) { 3_000 } else { 300_000 };
    for n in 0..cells {
        set_root(0, pair(Value::int(n), root(0)));
        if n % 1000 == 0 {
            assert_eq!(safepoint(24), 1);
        }
    }
    collect_major();
    verify::verify();
    let (mut list, mut n) = (root(0), cells);
    while list.is_block() {
        n -= 1;
        assert_eq!(list.field(0), Value::int(n));
        list = list.field(1);
    }
    assert_eq!(n, 0);
}

#[test]
fn old_blocks_remember_young_ones() {
    start(1);
    set_root(0, pair(Value::UNIT, Value::UNIT));
    collect_minor();
    modify(root(0), 1, alloc_float(2.5));
    modify(vm().globals.get(), 2, alloc_float(3.5));
    verify::verify();
    collect_minor();
    collect_major();
    verify::verify();
    assert_eq!(root(0).field(1).as_float(), 2.5);
    assert_eq!(vm().globals.get().field(2).as_float(), 3.5);
}

#[test]
fn closures_are_scanned_from_their_environment() {
    start(2);
    // Two mutually recursive functions and one captured variable, as CLOSUREREC builds them.
    let closure = alloc(6, tag::CLOSURE);
    closure.init_field(0, Value(0x1000));
    closure.init_field(1, Value(5 << 1 | 1));
    closure.init_field(2, Value(header(3, tag::INFIX) as i64));
    closure.init_field(3, Value(0x2000));
    closure.init_field(4, Value(2 << 1 | 1));
    closure.init_field(5, alloc_float(4.5));
    set_root(0, Value::block(closure.field_address(3)));
    set_root(1, closure);
    for collect in [collect_minor, collect_major, collect_major] {
        collect();
        verify::verify();
        assert_eq!(root(0).address(), root(1).field_address(3));
        assert_eq!(root(0).field(0), Value(0x2000));
        assert_eq!(root(1).field(5).as_float(), 4.5);
    }
}

#[test]
fn a_forced_suspension_is_skipped_unless_its_value_would_mislead() {
    start(3);
    set_root(
        0,
        alloc_fields(tag::FORWARD, &[pair(Value::int(1), Value::int(2))]),
    );
    set_root(1, alloc_fields(tag::FORWARD, &[alloc_float(0.5)]));
    set_root(2, alloc_fields(tag::FORWARD, &[Value::int(9)]));
    collect_minor();
    assert_eq!(root(0).field(1), Value::int(2));
    assert_eq!(root(1).tag(), tag::FORWARD);
    assert_eq!(root(1).field(0).as_float(), 0.5);
    assert_eq!(root(2), Value::int(9));
}

#[test]
fn memory_is_used_again() {
    start(1);
    let rounds = if cfg!(miri) { 3 } else { 40 };
    let mut top = 0;
    for round in 0..rounds {
        for size in [1, 7, 30, 256, 257, 5000] {
            let block = alloc(size, 0);
            (0..size).for_each(|index| block.init_field(index, Value::int(index as i64)));
            set_root(0, pair(block, root(0)));
        }
        collect_minor();
        set_root(0, Value::UNIT);
        collect_major();
        verify::verify();
        if round == 1 {
            top = heap().small.bytes() + heap().large.borrow().bytes();
        }
    }
    assert_eq!(heap().small.bytes() + heap().large.borrow().bytes(), top);
}

#[test]
fn a_settled_block_is_remembered_field_by_field() {
    start(1);
    let block = alloc(1000, 0);
    (0..1000).for_each(|index| block.init_field(index, Value::UNIT));
    settle(block);
    assert_eq!(heap().fresh.len(), 0);
    set_root(0, block);
    modify(block, 999, alloc_float(1.5));
    verify::verify();
    collect_minor();
    collect_major();
    verify::verify();
    assert_eq!(root(0).field(999).as_float(), 1.5);
}

#[test]
fn large_blocks_alone_make_a_collection_due() {
    start(1);
    let blocks = 2 * MIN_MAJOR_WORDS as usize / 5000;
    for _ in 0..blocks {
        alloc(5000, tag::STRING);
    }
    assert_eq!(vm().young_ptr.get(), vm().young_end.get());
    assert!(
        vm().young_ptr.get() < vm().young_trigger.get(),
        "a poll is a safepoint"
    );
    assert_eq!(safepoint(0), 1);
    assert_eq!(heap().counters.major_collections.get(), 1);
    assert!(
        vm().young_ptr.get() >= vm().young_trigger.get(),
        "and only one is"
    );
}

#[test]
fn sizes_beyond_memory_are_refused() {
    start(0);
    assert_eq!(try_alloc(1 << 40, 0), None);
    assert_eq!(try_alloc((1 << 29) - 2, 0), None);
    assert!(try_alloc(3000, tag::STRING).is_some());
}

#[test]
fn rust_roots_live_on_the_stack() {
    start(0);
    let first = Root::new(alloc_float(1.0));
    let second = Root::new(alloc_float(2.0));
    collect_major();
    assert_eq!(
        (first.get().as_float(), second.get().as_float()),
        (1.0, 2.0)
    );
}

#[test]
fn an_ephemeron_loses_key_and_data_together() {
    start(3);
    set_root(0, ephemeron::create(1).expect("memory"));
    set_root(1, ephemeron::create(1).expect("memory"));
    set_root(2, alloc_float(1.0));
    let data = alloc_string(b"data");
    ephemeron::write(root(0), ephemeron::DATA, data);
    ephemeron::write(root(0), ephemeron::FIRST_KEY, root(2));
    ephemeron::write(root(1), ephemeron::DATA, data);
    let dying = alloc_float(2.0);
    ephemeron::write(root(1), ephemeron::FIRST_KEY, dying);
    collect_minor();
    assert_eq!(root(0).field(ephemeron::FIRST_KEY), root(2));
    assert_eq!(root(0).field(ephemeron::DATA).to_bytes(), b"data");
    assert_eq!(root(1).field(ephemeron::FIRST_KEY), ephemeron::none());
    assert_eq!(root(1).field(ephemeron::DATA), ephemeron::none());
    collect_major();
    assert_eq!(root(0).field(ephemeron::DATA).to_bytes(), b"data");
    set_root(2, Value::UNIT);
    collect_major();
    assert_eq!(root(0).field(ephemeron::DATA), ephemeron::none());
}

#[test]
fn custom_blocks_are_released_once() {
    thread_local! {
        static RELEASED: std::cell::RefCell<Vec<i64>> =
            const { std::cell::RefCell::new(Vec::new()) };
    }
    start(2);
    for n in 0..4 {
        let block = alloc(2, tag::CUSTOM);
        block.init_field(0, Value::UNIT);
        block.init_field(1, Value::int(n));
        finalise::on_release(block, |block| {
            RELEASED.with_borrow_mut(|list| list.push(block.field(1).as_int()))
        });
        if n < 2 {
            set_root(n as u32, block);
        }
    }
    collect_minor();
    RELEASED.with_borrow(|list| assert_eq!(*list, [2, 3]));
    set_root(0, Value::UNIT);
    collect_major();
    collect_major();
    RELEASED.with_borrow(|list| assert_eq!(*list, [2, 3, 0]));
}

mod random {
    //! A random mutator: each block's field 0 is its number in a shadow graph in Rust.

    use super::*;
    use std::collections::{HashMap, HashSet};

    const ROOTS: u32 = 24;

    #[derive(Clone, Copy, PartialEq)]
    enum Word {
        Int(i64),
        Block(usize),
    }

    struct Mutator {
        seed: u64,
        /// Fields from 1 on of each block ever made.
        shadow: Vec<Vec<Word>>,
        roots: Vec<Word>,
    }

    impl Mutator {
        fn next(&mut self, bound: u64) -> u64 {
            self.seed ^= self.seed << 13;
            self.seed ^= self.seed >> 7;
            self.seed ^= self.seed << 17;
            (self.seed >> 11) % bound
        }

        fn step(&mut self) {
            match self.next(100) {
                0..50 => self.allocate(),
                50..80 => self.write(),
                80..90 => self.drop_root(),
                90..96 => assert_eq!(safepoint(64), 1),
                96 => begin_cycle(),
                97 => collect_slice(1 << 20),
                98 => finish_cycle(|| ()),
                _ => collect_major(),
            }
        }

        fn size(&mut self) -> usize {
            match self.next(200) {
                0 => 250 + self.next(20) as usize,
                1 => 300 + self.next(900) as usize,
                2..20 => 2 + self.next(60) as usize,
                _ => 2 + self.next(4) as usize,
            }
        }

        fn pick(&mut self) -> (Word, Value) {
            match self.next(3) {
                0 => {
                    let n = self.next(1000) as i64;
                    (Word::Int(n), Value::int(n))
                }
                _ => {
                    let index = self.next(ROOTS as u64) as usize;
                    (self.roots[index], root(index as u32))
                }
            }
        }

        fn allocate(&mut self) {
            let size = self.size();
            let block = alloc(size, self.next(200) as u8);
            let id = self.shadow.len();
            block.init_field(0, Value::int(id as i64));
            let mut fields = Vec::new();
            for index in 1..size {
                let (word, value) = self.pick();
                block.init_field(index, value);
                fields.push(word);
            }
            self.shadow.push(fields);
            let index = self.next(ROOTS as u64) as usize;
            self.roots[index] = Word::Block(id);
            set_root(index as u32, block);
        }

        fn write(&mut self) {
            let index = self.next(ROOTS as u64) as usize;
            if let Word::Block(id) = self.roots[index] {
                let (word, value) = self.pick();
                let field = self.next(self.shadow[id].len() as u64) as usize;
                self.shadow[id][field] = word;
                modify(root(index as u32), field + 1, value);
            }
        }

        fn drop_root(&mut self) {
            let index = self.next(ROOTS as u64) as usize;
            self.roots[index] = Word::Int(0);
            set_root(index as u32, Value::int(0));
        }

        /// Walks both graphs from the roots at once.
        fn compare(&self) {
            let mut places: HashMap<usize, Value> = HashMap::new();
            let mut addresses = HashSet::new();
            let mut waiting: Vec<(Word, Value)> = (0..ROOTS)
                .map(|index| (self.roots[index as usize], root(index)))
                .collect();
            while let Some((word, value)) = waiting.pop() {
                let Word::Block(id) = word else {
                    assert!(word == Word::Int(value.as_int()) && value.is_int());
                    continue;
                };
                if let Some(&known) = places.get(&id) {
                    assert_eq!(known, value, "block {id} is in one place");
                    continue;
                }
                places.insert(id, value);
                assert!(addresses.insert(value.address()), "one block at {value:?}");
                assert_eq!(value.field(0), Value::int(id as i64));
                assert_eq!(value.wosize(), self.shadow[id].len() + 1);
                let fields = self.shadow[id].iter().enumerate();
                waiting.extend(fields.map(|(index, &word)| (word, value.field(index + 1))));
            }
        }
    }

    fn check(seed: u64, steps: usize) {
        std::thread::spawn(move || {
            start(ROOTS);
            let mut mutator = Mutator {
                seed,
                shadow: Vec::new(),
                roots: vec![Word::Int(0); ROOTS as usize],
            };
            (0..ROOTS).for_each(|index| set_root(index, Value::int(0)));
            for step in 0..steps {
                mutator.step();
                if step % 512 == 0 {
                    verify::verify();
                    mutator.compare();
                }
            }
            collect_major();
            verify::verify();
            mutator.compare();
        })
        .join()
        .expect("the mutator's thread ends well");
    }

    #[test]
    fn the_heap_agrees_with_a_shadow_graph() {
        let (seeds, steps) = if cfg!(miri) { (1, 600) } else { (4, 10_000) };
        (1..=seeds).for_each(|seed| check(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed), steps));
    }
}
