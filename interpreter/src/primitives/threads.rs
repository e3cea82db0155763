//! The threads library. What waits in vain, because no thread is left that could end it, raises
//! `Sys_error` with the message of `EDEADLK`.
//!
//! Where the host has one stack only, creating a thread raises
//! `Sys_error "Thread.create: Function not implemented"`.

use super::{exit, named};
use crate::backtrace;
use crate::custom::{self, Kind};
use crate::heap::{self, Root};
use crate::memory;
use crate::os::{self, Errno};
use crate::pending;
use crate::primitives::signals;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::threads::{self, NoThread};
use crate::value::{Value, WORD};
use crate::vm::vm;
use crate::waiting::Queue;

crate::primitives! {
    Leaf "caml_thread_initialize" nothing, 1;
    Leaf "caml_thread_cleanup" nothing, 1;
    Collects "caml_thread_yield" give_way, 1;
    Allocates "caml_thread_new" create, 1;
    Allocates "caml_thread_self" this, 1;
    Leaf "caml_thread_id" number, 1;
    Collects "caml_thread_join" join, 1;
    Collects "caml_thread_exit" exit_thread, 1;
    Leaf "caml_thread_uncaught_exception" uncaught, 1;
    Allocates "caml_mutex_new" new_lock, 1;
    Collects "caml_mutex_lock" lock, 1;
    Leaf "caml_mutex_try_lock" try_lock, 1;
    Leaf "caml_mutex_unlock" unlock, 1;
    Allocates "caml_condition_new" new_lock, 1;
    Collects "caml_condition_wait" wait, 2;
    Leaf "caml_condition_signal" signal, 1;
    Leaf "caml_condition_broadcast" broadcast, 1;
}

/// Where the first thread's descriptor is kept.
const THREAD: &[u8] = b"\0thread";

fn nothing(_: Value) -> Value {
    Value::UNIT
}

fn failure(function: &str, error: Errno) -> Raised {
    raise::sys_error(format!("{function}: {error}"))
}

fn give_way(_: Value) -> Outcome {
    signals::deliver()?;
    threads::give_way();
    Ok(Value::UNIT)
}

fn create(body: Value) -> Outcome {
    threads::create(body, first, descriptor).map_err(|none| {
        let error = match none {
            NoThread::Never => Errno::NOSYS,
            NoThread::Now => Errno::AGAIN,
        };
        failure("Thread.create", error)
    })
}

/// A value of type `Thread.t`: the number, a field that only the C library uses, and a block that
/// cannot be marshalled.
fn descriptor(id: i64) -> Value {
    let thread = custom::alloc(Kind::Thread, 1);
    memory::store_i64(custom::data(thread), id);
    heap::alloc_fields(0, &[Value::int(id), Value::UNIT, thread])
}

fn first() -> Value {
    named::get(THREAD).unwrap_or_else(|| {
        let thread = descriptor(0);
        named::set(THREAD, thread);
        thread
    })
}

fn this(_: Value) -> Value {
    threads::current().unwrap_or_else(first)
}

fn number(thread: Value) -> Value {
    thread.field(0)
}

/// Waits as long as `is_so`, in a queue.
fn wait_while(function: &str, queue: Queue, is_so: impl Fn() -> bool) -> Result<(), Raised> {
    while is_so() {
        match threads::wait_in(queue) {
            Ok(()) => {}
            Err(Errno::INTR) => signals::deliver()?,
            Err(error) => return Err(failure(function, error)),
        }
    }
    Ok(())
}

fn join(thread: Value) -> Outcome {
    let id = number(thread).as_int();
    wait_while("Thread.join", Queue::joining(id), || threads::is_live(id))?;
    Ok(Value::UNIT)
}

fn exit_thread(_: Value) -> Outcome {
    Err(threads::exit())
}

/// Prints the exception that ends the present thread, as the runtime does.
fn uncaught(exception: Value) -> Value {
    let message = exit::format_exception(exception);
    let start = format!(
        "Thread {} killed on uncaught exception ",
        threads::current_id()
    );
    os::write_all(2, &[start.as_bytes(), &message[..], b"\n"].concat());
    if vm().backtrace_active.get() != 0 {
        backtrace::print();
    }
    Value::UNIT
}

/// A mutex or a condition: the number of the queue of those that wait, and the number of the thread
/// that holds the mutex, plus 1.
fn new_lock(_: Value) -> Value {
    let lock = custom::alloc(Kind::Lock, 2);
    memory::store_u64(custom::data(lock), threads::new_queue().0);
    set_holder(lock, None);
    lock
}

fn queue(lock: Value) -> Queue {
    Queue(memory::load_u64(custom::data(lock)))
}

fn holder(lock: Value) -> Option<i64> {
    let holder = memory::load_u64(custom::data(lock) + WORD);
    holder.checked_sub(1).map(|id| id as i64)
}

fn set_holder(lock: Value, holder: Option<i64>) {
    let holder = holder.map_or(0, |id| id as u64 + 1);
    memory::store_u64(custom::data(lock) + WORD, holder);
}

fn lock(lock: Value) -> Outcome {
    take(lock, "Mutex.lock")
}

fn take(lock: Value, function: &str) -> Outcome {
    let this = threads::current_id();
    if holder(lock) == Some(this) {
        return Err(failure(function, Errno::DEADLK));
    }
    let lock = Root::new(lock);
    wait_while(function, queue(lock.get()), || holder(lock.get()).is_some())?;
    set_holder(lock.get(), Some(this));
    Ok(Value::UNIT)
}

fn try_lock(lock: Value) -> Value {
    let is_free = holder(lock).is_none();
    if is_free {
        set_holder(lock, Some(threads::current_id()));
    }
    Value::bool(is_free)
}

fn unlock(lock: Value) -> Outcome {
    release(lock, "Mutex.unlock")
}

fn release(lock: Value, function: &str) -> Outcome {
    if holder(lock) != Some(threads::current_id()) {
        return Err(failure(function, Errno::PERM));
    }
    set_holder(lock, None);
    threads::signal(queue(lock));
    Ok(Value::UNIT)
}

/// Waits for a signal once. Programs look again at what they wait for, as POSIX has it.
fn wait(condition: Value, lock: Value) -> Outcome {
    const NAME: &str = "Condition.wait";
    let lock = Root::new(lock);
    release(lock.get(), NAME)?;
    let waited = threads::wait_in(queue(condition));
    retake(lock.get(), NAME)?;
    match waited {
        Ok(()) => Ok(Value::UNIT),
        Err(Errno::INTR) => signals::deliver().map(|()| Value::UNIT),
        Err(error) => Err(failure(NAME, error)),
    }
}

/// Takes a lock without being interrupted, so that whoever handles what a signal's handler raises
/// has it. Signals that come meanwhile are for other threads, or wait.
fn retake(lock: Value, function: &str) -> Outcome {
    let blocked = pending::blocked();
    pending::set_blocked(u64::MAX);
    let taken = take(lock, function);
    pending::set_blocked(blocked);
    if pending::deliverable() != 0 {
        heap::request_safepoint();
    }
    taken
}

fn signal(condition: Value) -> Value {
    threads::signal(queue(condition));
    Value::UNIT
}

fn broadcast(condition: Value) -> Value {
    threads::broadcast(queue(condition));
    Value::UNIT
}
