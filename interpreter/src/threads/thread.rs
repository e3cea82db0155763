//! One thread: what it is known by, and what is kept of it while others run.
//!
//! All threads have the registers of the machine in turn, so what a thread has in them is copied
//! out when it stops, and back when it goes on. What it has on the OCaml stack is [`frames`]'s
//! business.

use super::frames::{Frames, Region};
use super::stacks::{self, Stack};
use crate::backtrace;
use crate::foreign;
use crate::heap::{self, memprof};
use crate::pending;
use crate::value::Value;
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
    /// What it has on the OCaml stack.
    pub frames: Frames,
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

/// What a thread has of the machine's registers.
#[derive(Debug)]
struct Kept {
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

impl Thread {
    /// It blocks the signals that the present one does.
    pub fn new(
        id: i64,
        descriptor: Value,
        body: Value,
        stack: Option<Rc<Stack>>,
        region: &Rc<Region>,
    ) -> Rc<Self> {
        Rc::new(Self {
            id,
            descriptor: Cell::new(descriptor),
            body: Cell::new(body),
            stack,
            woken: Cell::new(None),
            frames: Frames::new(region),
            kept: RefCell::new(Kept {
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

    /// Keeps what it has of the machine.
    pub fn stop(&self) {
        let (vm, mut kept) = (vm(), self.kept.borrow_mut());
        self.frames.stop();
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

    /// Gives it back to the machine.
    pub fn go_on(&self) {
        let (vm, mut kept) = (vm(), self.kept.borrow_mut());
        self.frames.go_on();
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

    /// Shows its values to the collector.
    pub fn visit(&self, visit: &mut dyn FnMut(&Cell<Value>)) {
        visit(&self.descriptor);
        visit(&self.body);
        self.frames.visit(visit);
        let kept = self.kept.borrow();
        visit(&kept.exception);
        visit(&kept.backtrace_exception);
        let place = |address| stacks::where_kept(self.stack.as_deref(), address);
        foreign::each_local_root(kept.local_roots, place, visit);
    }
}
