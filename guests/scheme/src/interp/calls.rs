//! Calls: arguments, functions that take further ones in a list, and what becomes of failures.

use super::run::interp;
use crate::code::{self, MAX_PARAMETERS};
use crate::heap;
use crate::memory::load_u32;
use crate::runtime::failure;
use crate::value::{NIL, RAISED, UNSPECIFIED, field, is, tag};
use crate::vm::vm;

/// What is passed; words that are not used are unspecified.
pub type Arguments = [i64; MAX_PARAMETERS as usize];

/// Calls the code at `code`, of the function `closure`, with what it takes. The stack below `sp` is
/// free.
#[inline(always)]
pub fn enter(code: u32, closure: i64, sp: u32, a: Arguments) -> i64 {
    interp(code, closure, sp, a[0], a[1], a[2], a[3], a[4], a[5])
}

/// The code of a function, if the value is one.
#[inline(always)]
pub fn code_of(function: i64) -> Option<u32> {
    is(function, tag::CLOSURE).then(|| load_u32(function as u32))
}

/// What the code takes, given `n` arguments; `None` if these are too many or too few.
#[inline(always)]
pub fn taken(code: u32, n: u32, a: Arguments) -> Option<Arguments> {
    if code::takes(code, n) {
        return Some(a);
    }
    let fixed = code::parameters(code).wrapping_sub(1);
    if !code::has_rest(code) || n < fixed {
        return None;
    }
    let list = collect(fixed, n, a[0], a[1], a[2], a[3], a[4], a[5]);
    Some(with(a, fixed, list))
}

/// The arguments with another one at `index`.
#[inline(always)]
fn with(a: Arguments, index: u32, value: i64) -> Arguments {
    core::array::from_fn(|at| if at == index as usize { value } else { a[at] })
}

/// The list of the arguments `from..to`.
#[inline(never)]
extern "C" fn collect(
    from: u32,
    to: u32,
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
) -> i64 {
    let a = [a0, a1, a2, a3, a4, a5];
    let all = a[from as usize..to as usize].iter().rev();
    all.fold(NIL, |rest, argument| heap::pair(*argument, rest))
}

/// What the code takes, given the arguments in a list.
#[inline(always)]
pub fn taken_of_list(code: u32, list: i64) -> Option<Arguments> {
    let has_rest = code::has_rest(code);
    let fixed = code::parameters(code) - u32::from(has_rest);
    let (mut rest, mut is_short) = (list, false);
    let mut next = |index: u32| {
        if has_rest && index == fixed {
            copied(rest)
        } else if index >= fixed {
            UNSPECIFIED
        } else if is(rest, tag::PAIR) {
            let argument = field(rest, 0);
            rest = field(rest, 1);
            argument
        } else {
            is_short = true;
            UNSPECIFIED
        }
    };
    let a = core::array::from_fn(|index| next(index as u32));
    (!is_short && (has_rest || rest == NIL)).then_some(a)
}

/// A list of the same elements, as a function may change that of its arguments.
#[inline(never)]
extern "C" fn copied(list: i64) -> i64 {
    let (mut elements, mut rest) = (Vec::new(), list);
    while is(rest, tag::PAIR) {
        elements.push(field(rest, 0));
        rest = field(rest, 1);
    }
    let elements = elements.into_iter().rev();
    elements.fold(NIL, |rest, element| heap::pair(element, rest))
}

/// Says that a call cannot be made.
#[cold]
#[inline(never)]
pub extern "C" fn no_call(function: i64) -> i64 {
    match is(function, tag::CLOSURE) {
        true => failure::fail("wrong number of arguments", &[]),
        false => failure::fail("this is no procedure:", &[function]),
    }
}

/// Says that the stack has overflown.
#[cold]
#[inline(never)]
pub extern "C" fn overflow() {
    if vm().overflowing.get() {
        crate::output::fatal("the stack has overflown in the handler of that");
    }
    failure::fail("the stack has overflown", &[]);
    heap::set_overflowing(true);
}

/// Says that a variable is used before it is defined.
#[cold]
#[inline(never)]
pub extern "C" fn undefined() {
    failure::fail("a variable is used before it is defined", &[]);
}

/// Tells the program what has gone wrong, which calls its handlers. The caller raises after that.
#[cold]
#[inline(never)]
pub extern "C" fn tell(sp: u32) {
    let (message, irritants) = failure::take();
    if message == UNSPECIFIED {
        // It is known already, and unwinds.
        return;
    }
    let fail = vm().fail.get();
    let mut a = [UNSPECIFIED; MAX_PARAMETERS as usize];
    (a[0], a[1]) = (message, irritants);
    let result = enter(load_u32(fail as u32), fail, sp, a);
    assert_eq!(result, RAISED, "an error never returns");
    if vm().overflowing.get() {
        heap::set_overflowing(false);
    }
}
