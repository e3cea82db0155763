//! Applications of a function that is known here to fewer or more arguments than it takes, and of a
//! partial application of which it is known what it waits for. Generic code never comes here.
//!
//! They do what the functions in `calls` do, with the same blocks and the same words on the stack,
//! but where the call is: what is made is known, and so is what is called.

use super::blocks::{allocate_young, made_closure};
use super::calls::apply_in_registers;
use super::entries::*;
use super::fields::store_field;
use super::partial::{self, ARGUMENTS, Inexact};
use crate::code::{self, ARITY_LIMIT, CELL, RESTART_ARITY};
use crate::memory::{self, Region, cell_read, cell_write, within};
use crate::value::{Value, WORD, tag};
use annotations::{cells_drop_below, cells_invalidate, cells_sync_roots, specialize_known};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// Exported under [`annotations::APPLY_BY_CALL_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_APPLY_BY_CALL: AtomicU32 = AtomicU32::new(0);

/// Whether nothing is done in place; a constant of the loaded program.
#[inline(always)]
pub fn applies_by_call() -> bool {
    BACTRIAN_APPLY_BY_CALL.load(Relaxed) != 0
}

/// Applies a closure whose code is `code`, which is known, to `n` arguments, 1 to 7, which is not
/// its arity; nothing if that has to be done by a call.
#[inline(always)]
pub fn apply(code: u32, closure: i64, top: u32, n: u32, arguments: Arguments) -> Option<i64> {
    if applies_by_call() {
        return None;
    }
    if let Some(result) = exactly(code, closure, top, n, arguments) {
        return Some(result);
    }
    if code::arity(code) >= ARITY_LIMIT {
        return None;
    }
    match Inexact::of_function(code, n) {
        Inexact::Function => Some(make(code, closure, n, arguments)),
        Inexact::Over(arity) => Some(apply_twice(code, closure, top, arity, n, arguments)),
        Inexact::Partial(_) | Inexact::Other => None,
    }
}

/// Enters what takes `n` arguments, or, if it is a partial application, may wait for so many.
#[inline(always)]
fn exactly(code: u32, closure: i64, top: u32, n: u32, arguments: Arguments) -> Option<i64> {
    match code::arity(code) {
        arity if arity == n => Some(enter(code, closure, top, n, arguments)),
        RESTART_ARITY => complete(code, closure, top, n, arguments),
        _ => None,
    }
}

/// Enters the function of a partial application by its RESTART.
#[inline(always)]
fn complete(code: u32, closure: i64, top: u32, n: u32, arguments: Arguments) -> Option<i64> {
    match n {
        1 => {
            let function: Enter1 = restart_slot_1(code);
            cells_sync_roots();
            Some(function(closure, top, arguments[0]))
        }
        2 => {
            let function: Enter2 = restart_slot_2(code);
            cells_sync_roots();
            Some(function(closure, top, arguments[0], arguments[1]))
        }
        3 => {
            let function: Enter3 = restart_slot_3(code);
            cells_sync_roots();
            Some(function(
                closure,
                top,
                arguments[0],
                arguments[1],
                arguments[2],
            ))
        }
        _ => None,
    }
}

/// A closure that waits for more arguments.
#[inline(always)]
fn make(code: u32, closure: i64, n: u32, arguments: Arguments) -> i64 {
    let address = allocate_young(ARGUMENTS as u32 + n, tag::CLOSURE);
    let block = i64::from(address);
    partial::init(block, code, closure);
    macro_rules! argument {
        ($($index:literal)*) => {$(
            if n > $index {
                let field = ARGUMENTS as u32 + $index;
                store_field(block, field, Region::Fixed, arguments[$index]);
            }
        )*};
    }
    argument!(0 1 2 3 4 5 6);
    made_closure(address, code - CELL)
}

/// Applies a function to the `arity` arguments that it takes, and what it returns to the others.
#[inline(always)]
fn apply_twice(code: u32, closure: i64, top: u32, arity: u32, n: u32, arguments: Arguments) -> i64 {
    let count = n - arity;
    let at = top - count * WORD;
    macro_rules! keep {
        ($($arity:literal ($($index:literal $from:literal)*);)*) => {$($(
            if arity == $arity && count > $index {
                cell_write(at + $index * WORD, arguments[$from]);
            }
        )*)*};
    }
    keep! {
        1 (0 1 1 2 2 3 3 4 4 5 5 6);
        2 (0 2 1 3 2 4 3 5 4 6);
        3 (0 3 1 4 2 5 3 6);
        4 (0 4 1 5 2 6);
        5 (0 5 1 6);
        6 (0 6);
    }
    cells_drop_below(at);
    let returned = enter(code, closure, at, arity, arguments);
    cells_invalidate();
    if returned == Value::RAISED.0 {
        return returned;
    }
    let kept = |index| match index < count {
        true => cell_read(at + index * WORD),
        false => UNUSED,
    };
    let others = [kept(0), kept(1), kept(2), kept(3), kept(4), kept(5), UNUSED];
    cells_drop_below(top);
    let code = memory::load_u32(within(returned as u32, Region::Fixed));
    if specialize_known(code) != 0
        && let Some(result) = exactly(code, returned, top, count, others)
    {
        return result;
    }
    cells_sync_roots();
    apply_in_registers(code, returned, top, count, others)
}
