//! One thread: what it is known by, and what is kept of it while others run.
//!
//! All threads have the OCaml stack and the registers of the machine in turn, so what a thread has
//! of both is copied out when it stops, and back when it goes on: addresses of frames stay what
//! they are, each thread can use the whole stack, and one that is not deep takes little memory.

use super::stacks::{self, Stack};
use crate::backtrace;
use crate::foreign;
use crate::heap::{self, memprof};
use crate::memory;
use crate::pending;
use crate::value::{Value, WORD};
use crate::vm::vm;
use std::cell::{Cell, RefCell};
use std::mem;
use std::ops::Range;
use std::rc::Rc;

/// A thread that has not ended.
#[derive(Debug)]
pub struct Thread {
    /// What `Thread.id` gives: 0 for the first one.
    pub id: i64,
    /// The value of type `Thread.t`.
    pub descriptor: Cell<Value>,
    /// What it runs, until it begins.
    pub body: Cell<Value>,
    /// The engine's stack that it is on; none for the first one.
    pub stack: Option<Rc<Stack>>,
    /// Set where it is to go on although what it waits for did not happen.
    pub woken: Cell<Option<Woken>>,
    kept: RefCell<Kept>,
}

/// Why a thread goes on that still waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// Nothing can end its waiting.
    Stuck,
    /// A signal came.
    Interrupted,
    /// The time that it waited for has come.
    InTime,
}

/// What a thread has of the machine.
#[derive(Debug)]
struct Kept {
    /// The OCaml stack, from its stack pointer up.
    words: Words,
    exception: Cell<Value>,
    backtrace_exception: Cell<Value>,
    backtrace_running: u32,
    positions: Vec<u32>,
    /// The locals of C that are roots.
    local_roots: u32,
    /// The signals that it blocks.
    blocked: u64,
    /// It is in a callback of `Gc.Memprof`.
    in_memprof: bool,
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

    fn visit(&mut self, visit: &mut dyn FnMut(&Cell<Value>)) {
        for word in &mut self.room[..self.count] {
            let cell = Cell::new(Value(*word));
            visit(&cell);
            *word = cell.get().0;
        }
    }
}

impl Thread {
    /// It blocks the signals that the present one does.
    pub fn new(id: i64, descriptor: Value, body: Value, stack: Option<Rc<Stack>>) -> Rc<Self> {
        Rc::new(Self {
            id,
            descriptor: Cell::new(descriptor),
            body: Cell::new(body),
            stack,
            woken: Cell::new(None),
            kept: RefCell::new(Kept {
                words: Words::default(),
                exception: Cell::new(Value::UNIT),
                backtrace_exception: Cell::new(Value::UNIT),
                backtrace_running: 0,
                positions: Vec::new(),
                local_roots: 0,
                blocked: pending::blocked(),
                in_memprof: false,
            }),
        })
    }

    /// Copies out what it has of the machine.
    pub fn stop(&self) {
        let (vm, mut kept) = (vm(), self.kept.borrow_mut());
        kept.words.take(vm.sp.get()..vm.stack_high.get());
        kept.exception.set(vm.exception.get());
        kept.backtrace_exception.set(vm.backtrace_exception.get());
        kept.backtrace_running = vm.backtrace_running.get();
        backtrace::exchange(&mut kept.positions);
        kept.local_roots = foreign::local_roots();
        kept.blocked = pending::blocked();
        kept.in_memprof = memprof::is_suspended();
    }

    /// The signals that it blocks, while others run.
    pub fn blocked(&self) -> u64 {
        self.kept.borrow().blocked
    }

    /// Copies it back.
    pub fn go_on(&self) {
        let (vm, mut kept) = (vm(), self.kept.borrow_mut());
        vm.sp.set(kept.words.put_back(vm.stack_high.get()));
        vm.exception.set(kept.exception.replace(Value::UNIT));
        vm.backtrace_exception
            .set(kept.backtrace_exception.replace(Value::UNIT));
        vm.backtrace_running.set(kept.backtrace_running);
        backtrace::exchange(&mut kept.positions);
        foreign::set_local_roots(mem::take(&mut kept.local_roots));
        pending::set_blocked(kept.blocked);
        memprof::go_on(kept.in_memprof);
        if pending::deliverable() != 0 {
            heap::request_safepoint();
        }
    }

    /// Shows its values to the collector. Words of the stack that are none are no addresses either.
    pub fn visit(&self, visit: &mut dyn FnMut(&Cell<Value>)) {
        visit(&self.descriptor);
        visit(&self.body);
        let mut kept = self.kept.borrow_mut();
        visit(&kept.exception);
        visit(&kept.backtrace_exception);
        kept.words.visit(visit);
        let place = |address| stacks::where_kept(self.stack.as_deref(), address);
        foreign::each_local_root(kept.local_roots, place, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::start_machine;

    /// Pushes integers from 0 on; the stack pointer before.
    fn push(count: u32) -> u32 {
        let sp = vm().sp.get();
        let low = sp - count * WORD;
        (0..count).for_each(|n| memory::store_i64(low + n * WORD, Value::int(n.into()).0));
        vm().sp.set(low);
        sp
    }

    #[test]
    fn a_stack_comes_back_and_leaves_its_room() {
        start_machine();
        let thread = Thread::new(1, Value::UNIT, Value::UNIT, None);
        let sp = push(100);
        let low = vm().sp.get();
        thread.stop();
        let room = thread.kept.borrow().words.room.as_ptr();
        // Another thread has the stack.
        vm().sp.set(sp);
        push(50);
        thread.visit(&mut |cell| {
            if cell.get() == Value::int(42) {
                cell.set(Value::int(-42));
            }
        });
        thread.go_on();
        assert_eq!(vm().sp.get(), low);
        let word = |n: u32| Value(memory::load_i64(low + n * WORD)).as_int();
        assert_eq!([0, 41, 42, 99].map(word), [0, 41, -42, 99]);
        let mut visited = 0;
        thread.visit(&mut |_| visited += 1);
        assert_eq!(visited, 4, "what it has while it runs is on the stack");
        thread.stop();
        assert_eq!(thread.kept.borrow().words.room.as_ptr(), room);
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
