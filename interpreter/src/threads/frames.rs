//! What threads have on the OCaml stack while others run.
//!
//! Frames are addressed from a stack pointer that functions get as a parameter, and neither frames
//! nor their callers know where the stack ends. So a thread's frames may lie anywhere in memory, as
//! long as they stay there: each thread has a *region*, a stack of its own with a limit of its own,
//! and a switch between two regions copies nothing. What else depends on the region is the
//! machine's `stack_low`, `stack_high`, `stack_threshold` and `alert`, which [`stack::enter`] sets.
//!
//! Regions take addresses, of which there are 4 GiB, so there are a few ([`BUDGET`]). A new thread
//! gets the one with the fewest threads. Threads that share a region have it in turn: the frames of
//! the one that ran there last lie in place, those of the others are copies, which are exchanged
//! when another one goes on.
//!
//! Copying only what has changed was no way: that needs the lowest depth that a thread had since it
//! last stopped, and a function that returns tells nobody.
//!
//! Invariant: of the threads of a region, at most one has frames in place, its `resident`; a thread
//! that runs is the resident of its region, and its frames are not shown by [`Frames::visit`], as
//! the stack in use is a root.

use crate::memory;
use crate::stack::{self, Place};
use crate::value::{Value, WORD};
use crate::vm::vm;
use std::cell::{Cell, RefCell};
use std::mem;
use std::ops::Range;
use std::rc::Rc;

/// Bytes that all regions but the first may take. There is at least one.
const BUDGET: u32 = if cfg!(miri) { 1 << 20 } else { 64 << 20 };

/// A stack in memory that threads have in turn.
#[derive(Debug)]
pub struct Region {
    place: Place,
    /// Of the threads that have it and have not ended.
    threads: Cell<usize>,
    /// The frames that lie in it.
    resident: RefCell<Option<Rc<RefCell<Kept>>>>,
}

impl Region {
    fn new(place: Place) -> Rc<Self> {
        Rc::new(Self {
            place,
            threads: Cell::new(0),
            resident: RefCell::new(None),
        })
    }
}

/// All regions.
#[derive(Debug)]
pub struct Regions(Vec<Rc<Region>>);

impl Regions {
    /// The first one is the stack that the program runs on.
    pub fn new() -> Self {
        Self(vec![Region::new(Place::present())])
    }

    pub fn first(&self) -> &Rc<Region> {
        &self.0[0]
    }

    /// The region for a new thread.
    pub fn for_new_thread(&mut self) -> Rc<Region> {
        if self.0.iter().all(|region| region.threads.get() > 0) {
            self.add();
        }
        let fewest = self.0.iter().min_by_key(|region| region.threads.get());
        Rc::clone(fewest.unwrap_or(self.first()))
    }

    /// Adds one if there are not enough of them, and memory for it.
    fn add(&mut self) {
        let most = (BUDGET / self.first().place.bytes()).max(1) as usize;
        if self.0.len() <= most {
            self.0.extend(Place::another().map(Region::new));
        }
    }
}

/// What a thread has on its stack.
#[derive(Debug)]
pub struct Frames {
    region: Rc<Region>,
    kept: Rc<RefCell<Kept>>,
}

/// Frames in place, or a copy of them.
#[derive(Debug)]
struct Kept {
    /// Where those in place begin; the region's end for a thread that runs or has copies.
    sp: u32,
    copies: Words,
}

impl Frames {
    /// Those of a new thread, or of the one that runs on the first region.
    pub fn new(region: &Rc<Region>) -> Self {
        region.threads.update(|threads| threads + 1);
        Self {
            region: Rc::clone(region),
            kept: Rc::new(RefCell::new(Kept {
                sp: region.place.high(),
                copies: Words::default(),
            })),
        }
    }

    /// The thread runs already.
    pub fn are_in_place(&self) {
        self.region.resident.replace(Some(Rc::clone(&self.kept)));
    }

    /// The thread that runs is to stop.
    pub fn stop(&self) {
        self.kept.borrow_mut().sp = vm().sp.get();
    }

    /// The thread is to run.
    pub fn go_on(&self) {
        self.come_back();
        let high = self.region.place.high();
        let sp = mem::replace(&mut self.kept.borrow_mut().sp, high);
        stack::enter(&self.region.place, sp);
    }

    /// Puts the frames in place.
    fn come_back(&self) {
        let mut resident = self.region.resident.borrow_mut();
        let high = self.region.place.high();
        if let Some(other) = resident.as_ref() {
            if Rc::ptr_eq(other, &self.kept) {
                return;
            }
            let mut other = other.borrow_mut();
            let sp = mem::replace(&mut other.sp, high);
            other.copies.take(sp..high);
        }
        let mut kept = self.kept.borrow_mut();
        kept.sp = kept.copies.put_back(high);
        *resident = Some(Rc::clone(&self.kept));
    }

    /// The thread, which runs, has ended.
    pub fn end(&self) {
        self.region.threads.update(|threads| threads - 1);
    }

    /// Shows the values of a thread that does not run. Words that are none are no addresses either.
    pub fn visit(&self, visit: &mut dyn FnMut(&Cell<Value>)) {
        let mut kept = self.kept.borrow_mut();
        for address in (kept.sp..self.region.place.high()).step_by(WORD as usize) {
            memory::store_i64(address, seen(memory::load_i64(address), visit));
        }
        for word in kept.copies.used() {
            *word = seen(*word, visit);
        }
    }
}

/// What `visit` makes of a word.
fn seen(word: i64, visit: &mut dyn FnMut(&Cell<Value>)) -> i64 {
    let cell = Cell::new(Value(word));
    visit(&cell);
    cell.get().0
}

/// Words that were copied out of memory, and the room for them, which stays while there are none:
/// a thread that is deep most often is as deep when it stops again.
#[derive(Default, Debug)]
struct Words {
    room: Vec<i64>,
    /// How many there are, at the start of `room`.
    count: usize,
}

/// Room for this many words is kept for a stack that is smaller.
const KEPT_ROOM: usize = 1 << 12;

impl Words {
    /// Takes a copy of the words in a range of addresses.
    fn take(&mut self, addresses: Range<u32>) {
        self.count = (addresses.len() as u32 / WORD) as usize;
        if self.room.len() > KEPT_ROOM.max(4 * self.count) {
            self.room = Vec::new();
        }
        if self.room.len() < self.count {
            self.room.resize(self.count, 0);
        }
        memory::read_words(addresses.start, &mut self.room[..self.count]);
    }

    /// Puts them back below `end`; where they start.
    fn put_back(&mut self, end: u32) -> u32 {
        let count = mem::take(&mut self.count);
        let start = end - count as u32 * WORD;
        memory::write_words(start, &self.room[..count]);
        start
    }

    fn used(&mut self) -> &mut [i64] {
        &mut self.room[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// A machine with a stack of the usual size.
    fn start_machine() {
        testing::start_machine();
        stack::make().expect("room");
    }

    /// Pushes integers from 0 on; the stack pointer before.
    fn push(count: u32) -> u32 {
        let sp = vm().sp.get();
        let low = sp - count * WORD;
        (0..count).for_each(|n| memory::store_i64(low + n * WORD, Value::int(n.into()).0));
        vm().sp.set(low);
        sp
    }

    fn word(n: u32) -> i64 {
        Value(memory::load_i64(vm().sp.get() + n * WORD)).as_int()
    }

    /// A collection that moves what the integer 42 stands for.
    fn collect(frames: &Frames) -> usize {
        let mut visited = 0;
        frames.visit(&mut |cell| {
            visited += 1;
            if cell.get() == Value::int(42) {
                cell.set(Value::int(-42));
            }
        });
        visited
    }

    #[test]
    fn threads_with_a_region_each_stay_in_place() {
        start_machine();
        let mut regions = Regions::new();
        let first = Frames::new(regions.first());
        first.are_in_place();
        let other = Frames::new(&regions.for_new_thread());
        assert!(!Rc::ptr_eq(&first.region, &other.region));
        push(100);
        let low = vm().sp.get();
        assert_eq!(
            collect(&first),
            0,
            "what it has while it runs is on the stack"
        );
        first.stop();
        other.go_on();
        let its = vm();
        assert_eq!(its.sp.get(), its.stack_high.get());
        assert!(its.stack_low.get() < its.alert.get() && its.alert.get() < its.sp.get());
        push(50);
        assert_eq!(collect(&first), 100);
        other.stop();
        first.go_on();
        assert_eq!(vm().sp.get(), low);
        assert_eq!([0, 41, 42, 99].map(word), [0, 41, -42, 99]);
        assert_eq!(
            first.kept.borrow().copies.room.len(),
            0,
            "nothing was copied"
        );
        other.go_on();
        assert_eq!([0, 42, 49].map(word), [0, 42, 49]);
    }

    #[test]
    fn threads_that_share_a_region_have_it_in_turn() {
        start_machine();
        let regions = Regions::new();
        let [first, other] = [(); 2].map(|()| Frames::new(regions.first()));
        first.are_in_place();
        let sp = push(100);
        let low = vm().sp.get();
        first.stop();
        other.go_on();
        assert_eq!(vm().sp.get(), sp);
        push(50);
        assert_eq!(collect(&first), 100);
        other.stop();
        first.go_on();
        assert_eq!(vm().sp.get(), low);
        assert_eq!([0, 41, 42, 99].map(word), [0, 41, -42, 99]);
        assert_eq!([collect(&first), collect(&other)], [0, 50]);
        let room = first.kept.borrow().copies.room.as_ptr();
        first.stop();
        other.go_on();
        assert_eq!(first.kept.borrow().copies.room.as_ptr(), room);
        assert_eq!([0, 42, 49].map(word), [0, -42, 49]);
    }

    #[test]
    fn threads_are_spread_over_the_regions() {
        start_machine();
        let mut regions = Regions::new();
        let first = Frames::new(regions.first());
        let most = (BUDGET / regions.first().place.bytes()) as usize;
        let all: Vec<Frames> = (0..2 * most)
            .map(|_| Frames::new(&regions.for_new_thread()))
            .collect();
        assert_eq!(regions.0.len(), 1 + most);
        let shares = |regions: &Regions| {
            let counts = regions.0.iter().map(|region| region.threads.get());
            counts.collect::<Vec<_>>()
        };
        assert!(shares(&regions).iter().all(|share| [1, 2].contains(share)));
        let is_its = |frames: &&Frames| Rc::ptr_eq(&frames.region, &all[5].region);
        all.iter().filter(is_its).for_each(Frames::end);
        let next = regions.for_new_thread();
        assert!(Rc::ptr_eq(&next, &all[5].region), "the one that is free");
        first.end();
    }

    #[test]
    fn room_for_a_deep_stack_is_given_back_by_a_flat_one() {
        start_machine();
        let bytes = 5 * KEPT_ROOM as u32 * WORD;
        let low = memory::grow(bytes as usize).expect("room");
        let mut words = Words::default();
        words.take(low..low + bytes);
        assert_eq!(words.put_back(low + bytes), low);
        words.take(low..low + bytes / 4);
        assert_eq!(words.room.len(), 5 * KEPT_ROOM);
        words.take(low..low + WORD);
        assert_eq!((words.count, words.room.len()), (1, 1));
    }
}
