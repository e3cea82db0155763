//! Activations that begin at a RESTART: a partial application gets the arguments that are missing,
//! and what follows is a copy of its function. Generic code has none.

use super::calls::{inexact_1, inexact_2, inexact_3};
use super::entries::{Arguments, UNUSED};
use super::fields::{fixed_field, header};
use super::partial::ARGUMENTS;
use super::registers::Registers;
use crate::code::{self, CELL, MAX_RESTART};
use crate::memory::cell_write;
use crate::value::WORD;

/// As `nargs` of the interpreter loop: a partial application gets so many arguments, 1 to 3, which
/// are all that are missing.
pub const fn restarted(missing: u32) -> u32 {
    u32::MAX - missing
}

/// How many arguments are missing, if `nargs` says so.
#[inline(always)]
pub fn missing(nargs: u32) -> Option<u32> {
    (nargs < u32::MAX && nargs >= restarted(MAX_RESTART)).then(|| u32::MAX - nargs)
}

/// The registers where the function of the partial application `partial` begins, whose code is
/// behind the RESTART at `code`, and its arity; or what the application gives, if not `missing`
/// arguments are missing.
#[inline(always)]
pub fn begin(
    code: u32,
    partial: i64,
    sp: u32,
    missing: u32,
    new: [i64; MAX_RESTART as usize],
) -> Result<(Registers, u32), i64> {
    let function = code + CELL;
    let arity = code::arity(function);
    let Some(arguments) = arguments(partial, arity, missing, new) else {
        return Err(inexact(partial, sp, missing, new));
    };
    let mut registers = Registers::entered(function, sp, arity);
    cell_write(sp - WORD, closure(partial));
    registers.write_arguments(arity, arguments);
    Ok((registers, arity))
}

/// All arguments of the function of a partial application, which takes `arity`; nothing if others
/// are missing than these.
#[inline(always)]
fn arguments(
    partial: i64,
    arity: u32,
    missing: u32,
    new: [i64; MAX_RESTART as usize],
) -> Option<Arguments> {
    let held = arity - missing;
    if (header(partial) >> 10) as u32 != ARGUMENTS as u32 + held {
        return None;
    }
    let held = held as usize;
    Some(core::array::from_fn(|index| {
        match index.checked_sub(held) {
            None => fixed_field(partial, (ARGUMENTS + index) as u32),
            Some(0) => new[0],
            Some(1) => new[1],
            Some(2) => new[2],
            Some(_) => UNUSED,
        }
    }))
}

/// The closure that a partial application was made of.
#[inline(always)]
fn closure(partial: i64) -> i64 {
    fixed_field(partial, ARGUMENTS as u32 - 1)
}

/// Applies a partial application to another number of arguments than are missing.
#[inline(always)]
fn inexact(partial: i64, top: u32, n: u32, new: [i64; MAX_RESTART as usize]) -> i64 {
    match n {
        1 => inexact_1(partial, top, new[0]),
        2 => inexact_2(partial, top, new[0], new[1]),
        _ => inexact_3(partial, top, new[0], new[1], new[2]),
    }
}
