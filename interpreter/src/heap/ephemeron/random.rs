//! Random heaps whose liveness a fixpoint over numbers knows.

use super::tests::made;
use super::{none, write};
use crate::heap::{self, Root, verify};
use crate::testing::start_machine;
use crate::value::Value;
use fastrand::Rng;

const BLOCKS: usize = 40;
const EPHEMERONS: usize = 30;

/// What a field refers to: a block by number, ephemerons after the others; or nothing.
type Target = Option<usize>;

struct Shape {
    /// Fields from 1 on of blocks; data and keys of ephemerons.
    fields: Vec<Vec<Target>>,
    roots: Vec<usize>,
}

fn target(random: &mut Rng) -> Target {
    let all = BLOCKS + EPHEMERONS;
    (random.usize(..10) > 0).then(|| random.usize(..all))
}

fn shape(random: &mut Rng) -> Shape {
    let mut fields = Vec::new();
    for number in 0..BLOCKS + EPHEMERONS {
        let count = match number {
            ..BLOCKS => random.usize(..3),
            _ => 1 + random.usize(..4),
        };
        fields.push((0..count).map(|_| target(random)).collect());
    }
    let roots = (0..1 + random.usize(..6)).map(|_| random.usize(..BLOCKS + EPHEMERONS));
    let roots = roots.collect();
    Shape { fields, roots }
}

impl Shape {
    /// Which are alive: as the definition has it, again and again until nothing changes.
    fn alive(&self, sure: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut alive: Vec<bool> = (0..self.fields.len())
            .map(|number| sure(number) || self.roots.contains(&number))
            .collect();
        loop {
            let before = alive.clone();
            for (number, fields) in self.fields.iter().enumerate() {
                let is_alive = |target: &Target| target.is_none_or(|number| alive[number]);
                let reached: Vec<usize> = match (number < BLOCKS, fields.split_first()) {
                    _ if !alive[number] => continue,
                    (true, _) => fields.iter().flatten().copied().collect(),
                    (false, Some((data, keys))) if keys.iter().all(is_alive) => {
                        data.iter().copied().collect()
                    }
                    (false, _) => continue,
                };
                reached.into_iter().for_each(|number| alive[number] = true);
            }
            if alive == before {
                return alive;
            }
        }
    }

    /// Erases what died as a collection does.
    fn erase(&mut self, alive: &[bool]) {
        for number in (BLOCKS..self.fields.len()).filter(|&number| alive[number]) {
            let fields = &mut self.fields[number];
            let dead = |target: &Target| target.is_some_and(|number| !alive[number]);
            if fields[1..].iter().any(dead) {
                fields[0] = None;
            }
            for key in fields[1..].iter_mut().filter(|key| dead(key)) {
                *key = None;
            }
        }
    }

    /// Makes all of it, blocks with a number below `old` in the major heap. Returns a block of
    /// the roots.
    fn make(&self, old: usize) -> Root {
        let table = Root::new(heap::alloc(BLOCKS + EPHEMERONS, 0));
        (0..BLOCKS + EPHEMERONS).for_each(|at| table.get().init_field(at, Value::UNIT));
        for (number, fields) in self.fields.iter().enumerate() {
            if number == old {
                heap::collect_minor();
            }
            let block = match number < BLOCKS {
                true => heap::alloc(1 + fields.len(), 0),
                false => made(fields.len() - 1),
            };
            if number < BLOCKS {
                block.init_field(0, Value::int(number as i64));
                (1..=fields.len()).for_each(|at| block.init_field(at, Value::UNIT));
            }
            heap::modify(table.get(), number, block);
        }
        self.fill(table.get());
        let roots = heap::alloc(self.roots.len(), 0);
        for (at, &number) in self.roots.iter().enumerate() {
            roots.init_field(at, table.get().field(number));
        }
        let all = 0..BLOCKS + EPHEMERONS;
        all.for_each(|at| heap::modify(table.get(), at, Value::UNIT));
        table.set(roots);
        table
    }

    fn fill(&self, table: Value) {
        for (number, fields) in self.fields.iter().enumerate() {
            let block = table.field(number);
            for (at, target) in fields.iter().enumerate() {
                match (number < BLOCKS, target.map(|number| table.field(number))) {
                    (true, Some(value)) => heap::modify(block, at + 1, value),
                    (true, None) => (),
                    (false, value) => write(block, at + 1, value.unwrap_or(none())),
                }
            }
        }
    }

    /// Walks what is alive from the roots; ephemerons hold what they should.
    fn compare(&self, roots: Value, alive: &[bool]) {
        let mut places = vec![None; self.fields.len()];
        let mut waiting: Vec<(usize, Value)> = Vec::new();
        for (at, &number) in self.roots.iter().enumerate() {
            waiting.push((number, roots.field(at)));
        }
        while let Some((number, block)) = waiting.pop() {
            assert!(alive[number]);
            if let Some(place) = places[number].replace(block) {
                assert_eq!(place, block, "{number} is in one place");
                continue;
            }
            if number < BLOCKS {
                assert_eq!(block.field(0), Value::int(number as i64));
            }
            for (at, target) in self.fields[number].iter().enumerate() {
                let found = block.field(at + 1);
                match target {
                    Some(target) => waiting.push((*target, found)),
                    None if number < BLOCKS => assert_eq!(found, Value::UNIT),
                    None => assert_eq!(found, none(), "ephemeron {number}, field {at}"),
                }
            }
        }
    }
}

fn check(seed: u64) {
    start_machine();
    let mut random = Rng::with_seed(seed);
    let mut shape = shape(&mut random);
    let old = random.usize(..BLOCKS + 1);
    let roots = shape.make(old);
    if random.usize(..2) == 0 {
        heap::collect_minor();
        verify::verify();
        let alive = shape.alive(|number| number < old || number >= BLOCKS);
        shape.erase(&alive);
        shape.compare(roots.get(), &alive);
    }
    for _ in 0..2 {
        heap::collect_major();
        verify::verify();
        let alive = shape.alive(|_| false);
        shape.erase(&alive);
        shape.compare(roots.get(), &alive);
    }
}

#[test]
fn collections_agree_with_a_fixpoint() {
    let seeds = if cfg!(miri) { 2 } else { 400 };
    for seed in 1..=seeds {
        let seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed);
        let thread = std::thread::spawn(move || check(seed));
        thread.join().unwrap_or_else(|_| panic!("seed {seed:#x}"));
    }
}
