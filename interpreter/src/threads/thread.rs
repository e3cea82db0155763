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
    words: Vec<Cell<Value>>,
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

/// Room for this many words is kept for a stack that is smaller.
const KEPT_ROOM: usize = 1 << 12;

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
                words: Vec::new(),
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
        let words = (vm.sp.get()..vm.stack_high.get()).step_by(WORD as usize);
        kept.words
            .extend(words.map(|address| Cell::new(Value(memory::load_i64(address)))));
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
        let bottom = vm.stack_high.get() - kept.words.len() as u32 * WORD;
        let addresses = (bottom..).step_by(WORD as usize);
        for (address, word) in addresses.zip(&kept.words) {
            memory::store_i64(address, word.get().0);
        }
        vm.sp.set(bottom);
        kept.words.clear();
        kept.words.shrink_to(KEPT_ROOM);
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
        let kept = self.kept.borrow();
        visit(&kept.exception);
        visit(&kept.backtrace_exception);
        kept.words.iter().for_each(&mut *visit);
        let place = |address| stacks::where_kept(self.stack.as_deref(), address);
        foreign::each_local_root(kept.local_roots, place, visit);
    }
}
