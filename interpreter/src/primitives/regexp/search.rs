//! Where in a text an expression is tried: at each position that a match may begin at, in order.
//!
//! A table of the compiled expression says which characters matches begin with. Where that lets
//! many positions through that turn out to be no match, the [`Prefix`] of the expression says more.
//!
//! Left out: what a match is ([`super::matcher`]).

use super::matcher::{Matcher, Mode};
use super::prefix::Prefix;
use super::program::Program;
use crate::heap;
use crate::value::Value;
use std::cell::{Cell, RefCell};

/// Positions tried in vain before it is asked whether a filter would pay.
const PATIENCE: usize = 16;

/// A filter pays where so many characters or fewer lie between two positions that are tried.
const SPARSE: usize = 16;

/// Expressions whose filters are kept.
const KNOWN: usize = 8;

thread_local! {
    static FILTERS: RefCell<Filters> = const { RefCell::new(Filters::new()) };
}

/// Whether there is a match at `start` or later; the matcher has the first one.
pub fn forward(expression: Value, matcher: &mut Matcher, start: usize) -> bool {
    let mut positions = Positions::new(matcher, start);
    loop {
        let begin = positions.next;
        for _ in 0..PATIENCE {
            let Some(position) = positions.next() else {
                return false;
            };
            if matcher.matches(position, Mode::Whole) {
                return true;
            }
        }
        if positions.next - begin <= SPARSE * PATIENCE {
            break;
        }
    }
    FILTERS.with_borrow_mut(|filters| {
        let filter = filters.of(expression);
        filter.is_some_and(|filter| filtered(filter, matcher, &mut positions))
            || positions.any(|position| matcher.matches(position, Mode::Whole))
    })
}

/// Whether there is a match at `start` or before; the matcher has the last one.
pub fn backward(matcher: &mut Matcher, start: usize) -> bool {
    let positions = Positions::new(matcher, start);
    let mut candidates = (0..=start).rev().filter(|&at| positions.is_candidate(at));
    candidates.any(|position| matcher.matches(position, Mode::Whole))
}

/// Whether there is a match at one of `positions` that `filter` can judge; the others are left in
/// it.
fn filtered(filter: &Prefix, matcher: &mut Matcher, positions: &mut Positions) -> bool {
    let mut candidates = filter.candidates(positions.text, positions.next);
    let found = candidates.any(|position| matcher.matches(position, Mode::Whole));
    positions.next = positions.next.max(filter.end(positions.text));
    found
}

/// Positions of a text, without those at which no match begins. The end of the text is always among
/// them.
struct Positions<'a> {
    text: &'a [u8],
    /// For each character, whether a match may begin with it.
    first: Option<&'a [u8]>,
    next: usize,
}

impl<'a> Positions<'a> {
    fn new(matcher: &Matcher<'a>, next: usize) -> Self {
        Self {
            text: matcher.text(),
            first: matcher.program().first_characters(),
            next,
        }
    }

    fn is_candidate(&self, position: usize) -> bool {
        match (self.first, self.text.get(position)) {
            (Some(first), Some(&character)) => first[character as usize] != 0,
            (None, _) | (_, None) => true,
        }
    }
}

impl Iterator for Positions<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let rest = self.text.get(self.next..)?;
        let found = match self.first {
            Some(first) => {
                let is_first = |character: &u8| first[*character as usize] != 0;
                self.next + rest.iter().position(is_first).unwrap_or(rest.len())
            }
            None => self.next,
        };
        self.next = found + 1;
        Some(found)
    }
}

/// Filters of expressions that were searched for since the last collection. A collection may move
/// expressions, so it empties the list.
struct Filters {
    known: Vec<(Value, Option<Prefix>)>,
    is_registered: bool,
}

impl Filters {
    const fn new() -> Self {
        Self {
            known: Vec::new(),
            is_registered: false,
        }
    }

    /// The filter of `expression`, if there is a useful one.
    fn of(&mut self, expression: Value) -> Option<&Prefix> {
        if !self.is_registered {
            self.is_registered = true;
            heap::register_roots(forget);
        }
        let known = self.known.iter().position(|known| known.0 == expression);
        let index = known.unwrap_or_else(|| {
            if self.known.len() == KNOWN {
                self.known.clear();
            }
            // SAFETY: a filter is made outside of the heap.
            let filter = Prefix::of(unsafe { Program::of(expression) });
            self.known.push((expression, filter));
            self.known.len() - 1
        });
        self.known[index].1.as_ref()
    }
}

/// Stands where modules show their roots to a collection.
fn forget(_: &mut dyn FnMut(&Cell<Value>)) {
    FILTERS.with_borrow_mut(|filters| filters.known.clear());
}

#[cfg(test)]
mod tests {
    //! Random expressions, compiled as `Str` does, on random texts: searching finds what trying
    //! each position in turn finds.

    use super::super::matcher::Scratch;
    use super::super::program::op;
    use super::*;
    use crate::testing::{start_machine, string};
    use fastrand::Rng;

    /// A program in the making.
    struct Compiler {
        random: Rng,
        words: Vec<(i64, i64)>,
        pool: Vec<Vec<u8>>,
        groups: i64,
        marks: i64,
    }

    fn letter(random: &mut Rng) -> u8 {
        b"acgtACGT\n>"[random.usize(..10)]
    }

    impl Compiler {
        fn pooled(&mut self, bytes: Vec<u8>) -> i64 {
            self.pool.push(bytes);
            self.pool.len() as i64 - 1
        }

        fn class(&mut self) -> i64 {
            let mut class = vec![0; 32];
            for _ in 0..1 + self.random.usize(..4) {
                let letter = letter(&mut self.random);
                class[letter as usize / 8] |= 1 << (letter % 8);
            }
            self.pooled(class)
        }

        fn string(&mut self) -> i64 {
            let letters = (0..1 + self.random.usize(..10)).map(|_| letter(&mut self.random));
            let letters = letters.collect();
            self.pooled(letters)
        }

        fn normal_string(&mut self) -> i64 {
            let index = self.string();
            self.pool[index as usize].make_ascii_lowercase();
            index
        }

        fn expression(&mut self, depth: usize) {
            let simple = match self.random.usize(..if depth == 0 { 12 } else { 18 }) {
                0..2 => (op::CHAR, i64::from(letter(&mut self.random))),
                2 => (
                    op::CHAR_NORMAL,
                    i64::from(letter(&mut self.random).to_ascii_lowercase()),
                ),
                3..5 => (op::STRING, self.string()),
                5 => (op::STRING_NORMAL, self.normal_string()),
                6 => (op::CLASS, self.class()),
                7 => (op::OPTIONAL, self.class()),
                8 => (op::STAR, self.class()),
                9 => (op::PLUS, self.class()),
                10 => {
                    let kinds = [op::LINE_START, op::LINE_END, op::WORD_BOUNDARY];
                    (kinds[self.random.usize(..3)], 0)
                }
                11 if self.groups > 1 => {
                    let group = 1 + self.random.usize(..self.groups as usize - 1);
                    (op::GROUP_AGAIN, group as i64)
                }
                11..13 => return self.sequence(depth),
                13..16 => return self.choice(depth),
                16 => return self.group(depth),
                _ => return self.star(depth),
            };
            self.words.push(simple);
        }

        fn sequence(&mut self, depth: usize) {
            for _ in 0..1 + self.random.usize(..3) {
                self.expression(depth.saturating_sub(1));
            }
        }

        /// Writes the jump `kind` at `from` over the operations written since.
        fn land(&mut self, kind: i64, from: usize) {
            self.words[from] = (kind, (self.words.len() - from) as i64 - 1);
        }

        fn hole(&mut self) -> usize {
            self.words.push((0, 0));
            self.words.len() - 1
        }

        fn choice(&mut self, depth: usize) {
            let choice = self.hole();
            self.sequence(depth - 1);
            let end = self.hole();
            self.land(op::CHOICE, choice);
            self.sequence(depth - 1);
            self.land(op::GOTO, end);
        }

        fn group(&mut self, depth: usize) {
            let group = self.groups;
            self.groups += 1;
            self.words.push((op::GROUP_START, group));
            self.sequence(depth - 1);
            self.words.push((op::GROUP_END, group));
        }

        fn star(&mut self, depth: usize) {
            let mark = self.marks;
            self.marks += 1;
            let choice = self.hole();
            self.words.push((op::SET_MARK, mark));
            self.sequence(depth - 1);
            self.words.push((op::CHECK_PROGRESS, mark));
            let back = choice as i64 - self.words.len() as i64 - 1;
            self.words.push((op::GOTO, back));
            self.land(op::CHOICE, choice);
        }

        fn value(&self) -> Value {
            let word = |&(operation, argument): &(i64, i64)| Value::int(argument << 8 | operation);
            let words: Vec<Value> = self.words.iter().map(word).collect();
            let pool: Vec<Value> = self.pool.iter().map(string).collect();
            let normal: Vec<u8> = (0..=255u8).map(|c| c.to_ascii_lowercase()).collect();
            let pool = match pool.is_empty() {
                true => heap::atom(0),
                false => heap::alloc_fields(0, &pool),
            };
            let code = heap::alloc_fields(0, &words);
            let counts = [self.groups, self.marks, -1].map(Value::int);
            let fields = [code, pool, string(normal), counts[0], counts[1], counts[2]];
            heap::alloc_fields(0, &fields)
        }
    }

    /// The bounds that searching `text` for `expression` finds; one position after the other, or as
    /// it is done.
    fn found(expression: Value, text: &[u8], one_by_one: bool) -> Option<Vec<i64>> {
        let mut scratch = Scratch::new();
        // SAFETY: a matcher writes to its scratch, and to new blocks at most.
        let program = unsafe { Program::of(expression) };
        let mut matcher = Matcher::new(program, text, &mut scratch);
        let is_found = match one_by_one {
            true => (0..=text.len()).any(|at| matcher.matches(at, Mode::Whole)),
            false => forward(expression, &mut matcher, 0),
        };
        let bounds = is_found.then(|| matcher.bounds())?;
        Some(
            (0..bounds.wosize())
                .map(|at| bounds.field(at).as_int())
                .collect(),
        )
    }

    /// Whether the search had a filter.
    fn check(seed: u64) -> bool {
        start_machine();
        let mut compiler = Compiler {
            random: Rng::with_seed(seed),
            words: Vec::new(),
            pool: Vec::new(),
            groups: 1,
            marks: 0,
        };
        compiler.sequence(3);
        compiler.words.push((op::ACCEPT, 0));
        let expression = compiler.value();
        for length in [0, 3, 17, 40, 300] {
            let text: Vec<u8> = (0..length).map(|_| letter(&mut compiler.random)).collect();
            let expected = found(expression, &text, true);
            let actual = found(expression, &text, false);
            assert_eq!(actual, expected, "seed {seed:#x}, {:?}", compiler.words);
        }
        FILTERS.with_borrow(|filters| matches!(filters.known[..], [(_, Some(_))]))
    }

    #[test]
    fn filters_stop_no_match() {
        let seeds = if cfg!(miri) { 5 } else { 600 };
        let seeds = (1..=seeds).map(|n| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(n));
        // One machine a thread, one after the other.
        let on_a_machine = |seed| std::thread::spawn(move || check(seed)).join();
        let filtered = seeds.map(|seed| on_a_machine(seed).expect("both searches agree"));
        let count = filtered.filter(|&filtered| filtered).count();
        assert!(cfg!(miri) || count > 100, "{count} searches had a filter");
    }
}
