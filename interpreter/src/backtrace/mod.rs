//! Backtraces: which code positions are recorded when an exception is raised, and where they are in
//! the source.
//!
//! `ocamlrun` finds the positions in one scan of its stack, which holds return addresses. Here the
//! activations that unwind report themselves ([`unwind`]), innermost first: the one that raises,
//! then each one whose call returned `Value::RAISED`, up to the handler. That scan would also find
//! calls that wait for their arguments. They follow from the code alone ([`shapes`]), so a report
//! is one position. [`debug`] reads what compilers say of the code; [`events`] keeps the source
//! position of each code position, `packed`; `print` writes what the runtime prints when `Printexc`
//! is not linked; [`definitions`] is what the same events say of the names of functions.
//!
//! A *position* is the address of a code cell.

pub mod debug;
pub mod definitions;
pub mod events;
mod packed;
mod print;
mod shapes;
#[cfg(test)]
mod tests;

pub use print::print;

use crate::memory;
use crate::value::{Value, WORD};
use crate::vm::vm;
use shapes::Step;
use std::cell::{Cell, RefCell};

/// Most positions that a backtrace holds.
pub const LIMIT: usize = 1024;

thread_local! {
    /// The positions of the last backtrace, see [`LEN`].
    static POSITIONS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    /// How many of them it has: C code may write 0 here to forget them.
    static LEN: Cell<u32> = const { Cell::new(0) };
}

/// What a position is on the OCaml stack. It is even, so it is no integer; its number is in the
/// upper half of the word, so it is no block. It is computed from the address, so that it can be
/// relocated.
#[inline(always)]
pub fn position_word(position: u32) -> i64 {
    (i64::from(position)) << 32
}

/// The position in a word of the OCaml stack.
#[inline(always)]
fn position_in(word: i64) -> Option<u32> {
    (word as u32 == 0 && word != 0).then_some((word as u64 >> 32) as u32)
}

/// Whether exceptions are recorded: the number that `OCAMLRUNPARAM=b` or
/// `Printexc.record_backtrace` gave.
pub fn recording() -> u32 {
    vm().backtrace_active.get()
}

/// Starts or stops recording.
pub fn record(active: u32) {
    let vm = vm();
    if active != vm.backtrace_active.replace(active) {
        vm.backtrace_running.set(0);
        vm.backtrace_exception.set(Value::UNIT);
        forget();
    }
}

/// Reports an activation of the code at `entry` that unwinds: its instruction `offset` bytes up
/// raises, or calls what raised.
#[inline(never)]
pub extern "C" fn unwind(entry: u32, offset: u32) {
    unwind_here(entry, offset);
}

/// The same, with the test in the caller.
#[inline(always)]
pub fn unwind_here(entry: u32, offset: u32) {
    if vm().backtrace_active.get() != 0 {
        unwind_recorded(entry, offset);
    }
}

/// What an activation returns that raised.
static RESULT: i64 = Value::RAISED.0;

/// The same, for a tail call: gives what the activation returns.
#[inline(never)]
pub extern "C" fn unwind_last(entry: u32, offset: u32) -> i64 {
    unwind_here(entry, offset);
    // SAFETY: it is a static. It is volatile so that LLVM does not tell callers what they get, who
    // would then make no tail call.
    unsafe { core::ptr::read_volatile(&raw const RESULT) }
}

#[inline(never)]
extern "C" fn unwind_recorded(entry: u32, offset: u32) {
    let pc = entry.wrapping_add(offset);
    events::with_shapes(pc, |shapes| {
        let Some((step, positions)) = shapes.unwind(pc) else {
            return;
        };
        let vm = vm();
        match step {
            Step::Raise => restart(vm.exception.get()),
            Step::Reraise if vm.exception.get() == vm.backtrace_exception.get() => {
                vm.backtrace_running.set(1);
            }
            Step::Reraise => restart(vm.exception.get()),
            Step::NoTrace => vm.backtrace_running.set(0),
            Step::Pass => {}
        }
        if vm.backtrace_running.get() != 0 {
            append(positions);
        }
    });
}

/// Begins a backtrace for `exception` at no position yet, if exceptions are recorded.
pub fn restart(exception: Value) {
    let vm = vm();
    if vm.backtrace_active.get() != 0 {
        vm.backtrace_running.set(1);
        vm.backtrace_exception.set(exception);
        forget();
    }
}

fn forget() {
    LEN.set(0);
    POSITIONS.with_borrow_mut(Vec::clear);
}

fn append(new: impl Iterator<Item = u32>) {
    POSITIONS.with_borrow_mut(|positions| {
        positions.truncate(LEN.get() as usize);
        let room = LIMIT - positions.len();
        positions.extend(new.take(room));
        LEN.set(positions.len() as u32);
    });
}

/// Exchanges the last backtrace, which another thread goes on to keep, for that thread's own.
pub fn exchange(positions: &mut Vec<u32>) {
    POSITIONS.with_borrow_mut(|last| {
        last.truncate(LEN.get() as usize);
        std::mem::swap(last, positions);
        LEN.set(last.len() as u32);
    });
}

/// The positions of the last backtrace, innermost first.
pub fn last() -> Vec<u32> {
    let mut positions = POSITIONS.with_borrow(Vec::clone);
    positions.truncate(LEN.get() as usize);
    positions
}

/// The address of the number of these positions, for C code.
#[cfg(target_family = "wasm")]
pub fn length_cell() -> u32 {
    LEN.with(|len| len.as_ptr() as usize as u32)
}

/// Makes `positions` the backtrace of `exception`.
pub fn restore(exception: Value, positions: impl Iterator<Item = u32>) {
    vm().backtrace_exception.set(exception);
    forget();
    append(positions);
}

/// The positions of the calls in progress, innermost first, at most `limit`: at a primitive, in a
/// program that keeps positions ([`crate::vm::Vm::keeps_positions`]).
pub fn callstack(limit: usize) -> Vec<u32> {
    let mut positions = Vec::new();
    for address in (vm().sp.get()..vm().stack_high.get()).step_by(WORD as usize) {
        if positions.len() >= limit {
            break;
        }
        if let Some(pc) = position_in(memory::load_i64(address)) {
            events::with_shapes(pc, |shapes| {
                positions.extend(shapes.pending(pc).into_iter().flatten());
            });
        }
    }
    positions.truncate(limit);
    positions
}
