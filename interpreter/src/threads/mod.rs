//! Threads: one runs at a time, as with the lock that OCaml's runtime has for all of them.
//!
//! Each has a stack of the engine's ([`stacks`]), but for the first one, from which the others are
//! resumed: where a thread is to let another go on, it suspends itself, the first one's stack
//! resumes the other, or goes on itself. Threads that can run are in a queue; [`waits`] has those
//! that wait. At a safepoint a thread that has run for long enough goes to the queue's end.
//!
//! Invariant: a thread stops in [`switch`] only, at safepoints and in primitives that may collect.
//! What of the machine is a thread's own is [`thread`]'s business; everything else is common.
//!
//! A program has threads from the time when it creates one, which no evaluation at build time does.

mod frames;
mod stacks;
mod support;
mod thread;
mod waits;

pub use support::note;
pub use waits::{broadcast, signal, wait_in};

use crate::evaluation;
use crate::foreign;
use crate::heap;
use crate::interp;
use crate::os;
use crate::registry::Raised;
use crate::value::Value;
use crate::vm::{THREAD_ENDS, vm};
use crate::waiting::{self, Others, Queue};
use frames::Regions;
use stacks::Stack;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use thread::{Thread, Woken};

/// How long a thread runs while others could, in nanoseconds: as in OCaml's runtime.
const SLICE: u64 = 50_000_000;

/// All threads.
#[derive(Debug)]
struct Threads {
    current: Rc<Thread>,
    /// Those that can run, in the order in which they will.
    ready: VecDeque<Rc<Thread>>,
    /// Those that have not ended, by their numbers.
    live: BTreeMap<i64, Rc<Thread>>,
    /// The one that the first stack is to go on with.
    next: Option<Rc<Thread>>,
    /// Stacks of threads that have ended.
    idle: Vec<Rc<Stack>>,
    /// Where threads have their OCaml stacks.
    regions: Regions,
    next_id: i64,
    /// When the present thread's time is over.
    slice_end: u64,
    /// What else is done at safepoints.
    actions: fn() -> Result<(), Raised>,
}

thread_local! {
    static THREADS: RefCell<Option<Threads>> = const { RefCell::new(None) };
    /// The number that the next queue gets.
    static QUEUES: Cell<u64> = const { Cell::new(1) };
}

/// Why no thread was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoThread {
    /// There is one stack only.
    Never,
    /// There are too many threads.
    Now,
}

/// Does `f` with the threads, of which there are several.
fn with<R>(f: impl FnOnce(&mut Threads) -> R) -> R {
    THREADS.with_borrow_mut(|threads| f(threads.as_mut().expect("a thread was created")))
}

/// The value of type `Thread.t` of the present thread, if there has been a second one.
pub fn current() -> Option<Value> {
    THREADS.with_borrow(|threads| Some(threads.as_ref()?.current.descriptor.get()))
}

/// The number of the present thread.
pub fn current_id() -> i64 {
    THREADS.with_borrow(|threads| threads.as_ref().map_or(0, |threads| threads.current.id))
}

/// Whether the thread with this number has not ended.
pub fn is_live(id: i64) -> bool {
    THREADS.with_borrow(|threads| match threads {
        Some(threads) => threads.live.contains_key(&id),
        None => id == 0,
    })
}

/// Creates a thread that will apply `body` to unit; the value of type `Thread.t` that `descriptor`
/// makes for its number. `first` makes that of the first thread.
pub fn create(
    body: Value,
    first: impl FnOnce() -> Value,
    descriptor: impl FnOnce(i64) -> Value,
) -> Result<Value, NoThread> {
    evaluation::effect("a thread");
    let is_begun = THREADS.with_borrow(Option::is_some);
    let stack = match is_begun {
        true => with(|threads| threads.idle.pop()),
        false => None,
    };
    let stack = match stack.or_else(|| Stack::new().map(Rc::new)) {
        Some(stack) => stack,
        None if is_begun => return Err(NoThread::Now),
        None => return Err(NoThread::Never),
    };
    if !is_begun {
        begin(first());
    }
    let id = with(|threads| {
        threads.next_id += 1;
        threads.next_id
    });
    let descriptor = descriptor(id);
    let region = with(|threads| threads.regions.for_new_thread());
    let thread = Thread::new(id, descriptor, body, Some(stack), &region);
    with(|threads| {
        threads.live.insert(id, Rc::clone(&thread));
        threads.ready.push_back(thread);
    });
    Ok(descriptor)
}

/// There is to be a second thread.
fn begin(first: Value) {
    let regions = Regions::new();
    let first = Thread::new(0, first, Value::UNIT, None, regions.first());
    first.frames.are_in_place();
    let threads = Threads {
        current: Rc::clone(&first),
        ready: VecDeque::new(),
        live: BTreeMap::from([(0, first)]),
        next: None,
        idle: Vec::new(),
        regions,
        next_id: 0,
        slice_end: os::monotonic_nanoseconds() + SLICE,
        actions: heap::replace_actions(at_safepoint),
    };
    THREADS.set(Some(threads));
    heap::register_roots(visit);
    waiting::begin(Others {
        run: waits::run_others,
        signals_came: waits::interrupt,
        wait_in,
        wake_all: broadcast,
    });
    let address = |cell: &Cell<u32>| core::ptr::from_ref(cell) as usize as u32;
    let (pending, alert) = (address(&vm().action_pending), address(&vm().alert));
    // A host that does not tick leaves it to collections that safepoints come.
    let _ = os::host::signals::tick(pending, alert);
}

fn visit(visit: &mut dyn FnMut(&Cell<Value>)) {
    THREADS.with_borrow(|threads| {
        let live = threads.iter().flat_map(|threads| threads.live.values());
        live.for_each(|thread| thread.visit(visit));
    });
}

/// What is done at a safepoint where something waits: if another thread is to run, this is last.
fn at_safepoint() -> Result<(), Raised> {
    with(|threads| threads.actions)()?;
    let has_others = waits::may_end() || with(|threads| !threads.ready.is_empty());
    if !has_others || is_bound() {
        return Ok(());
    }
    let now = os::monotonic_nanoseconds();
    if now >= with(|threads| threads.slice_end) {
        // What it has if no other thread can run.
        with(|threads| threads.slice_end = now + SLICE);
        give_way();
    }
    Ok(())
}

/// Lets other threads run that can; this one is the last of them.
pub fn give_way() {
    if THREADS.with_borrow(Option::is_none) {
        return;
    }
    waits::look();
    let others = with(|threads| {
        if !threads.ready.is_empty() {
            threads.ready.push_back(Rc::clone(&threads.current));
        }
        !threads.ready.is_empty()
    });
    if others {
        switch();
    }
}

/// Ends the present thread. Its functions are left as by an exception that nobody handles, so that
/// another thread can have its stack; the first thread goes on with others.
pub fn exit() -> Raised {
    let is_first = THREADS.with_borrow(|threads| match threads {
        Some(threads) => threads.current.stack.is_none(),
        None => true,
    });
    if is_first {
        abandon();
    }
    vm().exception.set(THREAD_ENDS);
    Raised
}

/// Ends the present thread, whose functions stay where they are.
pub fn abandon() -> ! {
    let is_only = THREADS.with_borrow(|threads| match threads {
        Some(threads) => threads.live.len() == 1,
        None => true,
    });
    if is_only {
        os::exit(0);
    }
    end();
    loop {
        // Its stack holds calls that are never gone on with, so no other thread gets it.
        switch();
    }
}

/// The present thread is no more.
fn end() {
    let id = current_id();
    let ended = with(|threads| threads.live.remove(&id));
    ended.iter().for_each(|thread| thread.frames.end());
    waits::wake_joining(id);
}

/// What the stack of a thread begins with.
extern "C" fn run() {
    loop {
        let body = with(|threads| threads.current.body.replace(Value::UNIT));
        // The body catches all exceptions; what comes here is the thread's end.
        let _ = interp::apply(body, &[Value::UNIT]);
        end();
        with(|threads| {
            let stack = threads.current.stack.clone();
            threads.idle.extend(stack);
        });
        switch();
    }
}

/// Goes on with another thread, or with this one if it is the next that can run. Returns when this
/// one is to go on; for a stack that has become idle, when another thread has got it.
fn switch() {
    let next = waits::next();
    let current = with(|threads| Rc::clone(&threads.current));
    if Rc::ptr_eq(&next, &current) {
        return;
    }
    current.stop();
    match &current.stack {
        None => go_around(next),
        Some(stack) => {
            with(|threads| threads.next = Some(next));
            stack.suspend();
        }
    }
}

/// Resumes threads from the first stack, until the first thread is to go on.
fn go_around(mut next: Rc<Thread>) {
    loop {
        next.go_on();
        with(|threads| {
            threads.slice_end = os::monotonic_nanoseconds() + SLICE;
            threads.current = Rc::clone(&next);
        });
        match &next.stack {
            Some(stack) => stack.resume(run),
            None => return,
        }
        next = with(|threads| threads.next.take()).expect("who suspends itself says who is next");
    }
}

/// Whether the present thread cannot stop: a function in C has registered one of its locals as a
/// global root, which the collector would look for where it is not.
fn is_bound() -> bool {
    foreign::has_global_roots_on_stack()
}

/// The number of a new queue for threads that wait.
pub fn new_queue() -> Queue {
    Queue(QUEUES.replace(QUEUES.get() + 1))
}

/// Why the present thread goes on, if not as what it waited for has happened. Told once.
fn take_woken() -> Option<Woken> {
    with(|threads| threads.current.woken.take())
}
