//! The threads library for the one thread that there is: it starts, locks and unlocks, and can
//! create no other.
//!
//! What would wait for another thread would wait for ever: it raises `Sys_error` with the message
//! of `EDEADLK`. Creating a thread raises `Sys_error "Thread.create: Function not implemented"`.

use super::named;
use crate::custom::{self, Kind};
use crate::heap;
use crate::memory;
use crate::os::{self, Errno};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;

crate::primitives! {
    Leaf "caml_thread_initialize" nothing, 1;
    Leaf "caml_thread_cleanup" nothing, 1;
    Leaf "caml_thread_yield" nothing, 1;
    Leaf "caml_thread_new" create, 1;
    Allocates "caml_thread_self" this, 1;
    Leaf "caml_thread_id" number, 1;
    Leaf "caml_thread_join" join, 1;
    Leaf "caml_thread_exit" exit, 1;
    Leaf "caml_thread_uncaught_exception" uncaught, 1;
    Allocates "caml_mutex_new" new_lock, 1;
    Leaf "caml_mutex_lock" lock, 1;
    Leaf "caml_mutex_try_lock" try_lock, 1;
    Leaf "caml_mutex_unlock" unlock, 1;
    Allocates "caml_condition_new" new_lock, 1;
    Leaf "caml_condition_wait" wait, 2;
    Leaf "caml_condition_signal" nothing, 1;
    Leaf "caml_condition_broadcast" nothing, 1;
}

/// Where the thread's descriptor is kept.
const THREAD: &[u8] = b"\0thread";

fn nothing(_: Value) -> Value {
    Value::UNIT
}

fn failure(function: &str, error: Errno) -> Raised {
    raise::sys_error(format!("{function}: {error}"))
}

fn create(_body: Value) -> Outcome {
    Err(failure("Thread.create", Errno::NOSYS))
}

/// The descriptor of the thread: its number, 0 for the first, and two fields that only the C
/// library uses.
fn this(_: Value) -> Value {
    named::get(THREAD).unwrap_or_else(|| {
        let thread = heap::alloc_fields(0, &[Value::int(0), Value::UNIT, Value::UNIT]);
        named::set(THREAD, thread);
        thread
    })
}

fn number(thread: Value) -> Value {
    thread.field(0)
}

fn join(_thread: Value) -> Outcome {
    Err(failure("Thread.join", Errno::DEADLK))
}

/// The end of the only thread is the end of the program, at once.
fn exit(_: Value) -> Value {
    os::exit(0)
}

/// Only ever called by threads that were created.
fn uncaught(_exception: Value) -> Value {
    Value::UNIT
}

/// A mutex, or a condition, of which nothing needs to be kept.
fn new_lock(_: Value) -> Value {
    let lock = custom::alloc(Kind::Opaque, 1);
    set(lock, false);
    lock
}

fn is_locked(lock: Value) -> bool {
    memory::load_u64(custom::data(lock)) != 0
}

fn set(lock: Value, locked: bool) {
    memory::store_u64(custom::data(lock), locked.into());
}

fn lock(lock: Value) -> Outcome {
    if is_locked(lock) {
        return Err(failure("Mutex.lock", Errno::DEADLK));
    }
    set(lock, true);
    Ok(Value::UNIT)
}

fn try_lock(lock: Value) -> Value {
    let free = !is_locked(lock);
    set(lock, true);
    Value::bool(free)
}

fn unlock(lock: Value) -> Outcome {
    if !is_locked(lock) {
        return Err(failure("Mutex.unlock", Errno::PERM));
    }
    set(lock, false);
    Ok(Value::UNIT)
}

fn wait(_condition: Value, _lock: Value) -> Outcome {
    Err(failure("Condition.wait", Errno::DEADLK))
}
