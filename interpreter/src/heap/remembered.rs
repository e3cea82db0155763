//! The remembered set: addresses of fields outside of the nursery that a nursery block was written
//! into since the last minor collection. Those that hold one still are roots of the next.
//!
//! Invariant: the set is bounded, however often the program writes. When [`Remembered::is_full`],
//! the next safepoint is a minor collection, as in OCaml. A loop that comes to no safepoint can go
//! on writing. Its writes go into a second list, which drops repetitions and overwritten fields
//! before it grows, so that it has at most twice as many entries as fields hold nursery blocks.
//! Arrays that are filled are in a third list, if that many fields would not be in the first.

use super::list::{AddressList, Buffer};
use super::state::heap;
use crate::memory;
use crate::value::Value;
use crate::vm::vm;
use std::cell::RefCell;

/// Words of nursery for which there is one entry: OCaml's number.
const WORDS_PER_ENTRY: usize = 8;

/// A set of addresses of fields; some are in it repeatedly.
pub struct Remembered {
    /// Never grows.
    first: AddressList,
    /// What was written after the first list was full.
    more: RefCell<Vec<u32>>,
    /// Blocks all fields of which are in the set.
    whole: RefCell<Vec<u32>>,
}

impl Remembered {
    pub const fn new() -> Self {
        Self {
            first: AddressList::new(),
            more: RefCell::new(Vec::new()),
            whole: RefCell::new(Vec::new()),
        }
    }

    #[inline(always)]
    pub fn insert(&self, field: u32) {
        if !self.first.try_push(field) {
            self.insert_beyond(field);
        }
    }

    /// Where it keeps most of its entries.
    pub fn buffer(&self) -> &Buffer {
        self.first.buffer()
    }

    /// Whether a minor collection is due.
    pub fn is_full(&self) -> bool {
        self.first.is_full() || !self.whole.borrow().is_empty()
    }

    pub fn fields(&self) -> impl Iterator<Item = u32> {
        let filled = self
            .blocks()
            .flat_map(|block| (0..block.wosize()).map(move |index| block.field_address(index)));
        self.single_fields().chain(filled)
    }

    /// Those that were written one by one.
    pub fn single_fields(&self) -> impl Iterator<Item = u32> {
        let first = (0..self.first.len()).map(|index| self.first.get(index));
        let more = (0..self.more.borrow().len()).map(|index| self.more.borrow()[index]);
        first.chain(more)
    }

    /// The blocks all fields of which are in the set.
    pub fn blocks(&self) -> impl Iterator<Item = Value> {
        let count = self.whole.borrow().len();
        (0..count).map(|index| Value::block(self.whole.borrow()[index]))
    }

    pub fn clear(&self) {
        self.first.clear();
        self.more.borrow_mut().clear();
        self.whole.borrow_mut().clear();
    }

    #[cold]
    #[inline(never)]
    fn insert_beyond(&self, field: u32) {
        super::request_safepoint();
        push_tidily(&mut self.more.borrow_mut(), field, |&field| {
            vm().is_young(Value(memory::load_i64(field)))
        });
    }
}

/// Remembers all fields of `array`, if nursery blocks are about to be written into so many that the
/// set would be full, and its next user would look at a good part of the array anyway. Returns
/// whether it did.
pub fn remember_whole(array: Value, count: usize) -> bool {
    let remembered = &heap().remembered;
    let is_large = count >= remembered.buffer().capacity() && count >= array.wosize() / 4;
    if is_large {
        super::request_safepoint();
        let mut whole = remembered.whole.borrow_mut();
        push_tidily(&mut whole, array.address(), |_| true);
    }
    is_large
}

/// How many writes of nursery blocks into older ones make a minor collection due, in a nursery of
/// `words` words.
pub fn limit(words: usize) -> usize {
    words / WORDS_PER_ENTRY
}

/// Appends `entry` to `list`. Before the list grows, repetitions go, and entries that are not
/// needed any longer. Its memory doubles only where what is left fills half of it.
pub fn push_tidily<T: Ord>(list: &mut Vec<T>, entry: T, is_needed: impl FnMut(&T) -> bool) {
    if list.len() == list.capacity() {
        list.sort_unstable();
        list.dedup();
        list.retain(is_needed);
        if list.len() > list.capacity() / 2 {
            list.reserve_exact(2 * list.capacity() - list.len());
        }
    }
    list.push(entry);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{self, NURSERY_WORDS, verify};
    use crate::primitives::testing::call;
    use crate::testing::start_machine;
    use std::ops::Range;

    const FIELDS: usize = 300;

    /// More writes than the set has room for, several times.
    const ROUNDS: usize = 5 * NURSERY_WORDS / WORDS_PER_ENTRY;

    fn is_due() -> bool {
        vm().young_ptr.get() < vm().young_trigger.get()
    }

    /// An old block, which is a root.
    fn old_block() -> Value {
        start_machine();
        let old = heap::try_alloc_major(FIELDS, 0).expect("memory");
        (0..FIELDS).for_each(|index| old.init_field(index, Value::UNIT));
        heap::modify(vm().globals.get(), 0, old);
        old
    }

    /// The largest size of the set while nursery blocks are written into the fields of an old block
    /// and overwritten; `poll` comes after each round.
    fn most(old: Value, poll: impl Fn()) -> usize {
        let size = || heap().remembered.fields().count();
        let (mut young, mut most) = (heap::alloc_float(1.5), 0);
        for round in 0..ROUNDS {
            heap::modify(old, round % FIELDS, young);
            heap::modify(old, round % FIELDS, Value::UNIT);
            if round % 1000 == 0 {
                most = most.max(size());
            }
            if is_due() {
                poll();
            }
            if vm().young_ptr.get() == vm().young_end.get() {
                young = heap::alloc_float(1.5);
            }
        }
        most.max(size())
    }

    #[test]
    fn many_writes_make_a_minor_collection_due() {
        let old = old_block();
        let collections = || heap().counters.minor_collections.get();
        let before = collections();
        let most = most(old, || assert_eq!(heap::safepoint(0), 1));
        assert!(most <= limit(NURSERY_WORDS) + 1, "{most}");
        assert_eq!(collections() - before, 4);
    }

    #[test]
    fn without_safepoints_the_set_stays_as_large_as_what_is_written() {
        let old = old_block();
        let most = most(old, || ());
        assert!(most <= limit(NURSERY_WORDS) + 4 * FIELDS, "{most}");
        assert!(is_due());
        heap::modify(old, 7, heap::alloc_float(2.5));
        verify::verify();
        heap::collect_minor();
        verify::verify();
        assert_eq!(old.field(7).as_float(), 2.5);
    }

    /// Entries in the lists of fields after an array outside of the nursery was filled with a
    /// nursery block, twice.
    fn entries_after_fills(len: usize, fields: Range<usize>) -> usize {
        let old = heap::try_alloc_major(len, 0).expect("memory");
        (0..len).for_each(|index| old.init_field(index, Value::UNIT));
        heap::modify(vm().globals.get(), 0, old);
        let (first, count) = (
            Value::int(fields.start as i64),
            Value::int(fields.len() as i64),
        );
        for _ in 0..2 {
            let young = heap::alloc_float(2.5);
            let young = heap::alloc_fields(0, &[young]);
            call("caml_array_fill", &[old, first, count, young]).expect("unit");
        }
        verify::verify();
        let remembered = &heap().remembered;
        let entries = remembered.first.len() + remembered.more.borrow().len();
        assert!(remembered.whole.borrow().len() <= 2);
        assert_eq!(heap::safepoint(0), 1);
        heap::collect_minor();
        verify::verify();
        let filled = old.field(fields.end - 1);
        assert_eq!(filled.field(0).as_float(), 2.5);
        assert!((0..len).all(|index| (old.field(index) == filled) == fields.contains(&index)));
        entries
    }

    #[test]
    fn an_array_that_is_filled_is_remembered_whole_if_it_has_many_fields() {
        start_machine();
        let many = limit(NURSERY_WORDS);
        assert_eq!(entries_after_fills(3 * many, 7..2 * many), 0);
        assert_eq!(entries_after_fills(300, 7..200), 193);
        assert_eq!(entries_after_fills(9 * many, 7..2 * many), 2 * many - 7);
    }

    #[test]
    fn what_is_written_into_a_filled_array_is_kept() {
        start_machine();
        let len = 2 * limit(NURSERY_WORDS);
        let old = heap::try_alloc_major(len, 0).expect("memory");
        (0..len).for_each(|index| old.init_field(index, Value::UNIT));
        heap::modify(vm().globals.get(), 0, old);
        let numbers = [1.5, 2.5, 3.5].map(heap::alloc_float);
        let all = [Value::int(0), Value::int(len as i64)];
        call("caml_array_fill", &[old, all[0], all[1], numbers[0]]).expect("unit");
        let other = |index: usize| match index % 7 {
            2 => numbers[1],
            3 => Value::int(9),
            4 | 5 => numbers[2],
            _ => numbers[0],
        };
        (0..len).for_each(|index| heap::modify(old, index, other(index)));
        heap::collect_minor();
        verify::verify();
        for index in 0..len {
            let field = old.field(index);
            match index % 7 {
                3 => assert_eq!(field, Value::int(9)),
                2 => assert_eq!(field.as_float(), 2.5),
                4 | 5 => assert_eq!(field.as_float(), 3.5),
                _ => assert_eq!(field.as_float(), 1.5),
            }
        }
        assert_eq!((old.field(0), old.field(4)), (old.field(7), old.field(5)));
    }
}
