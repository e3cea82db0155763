//! Calls: arguments, functions that take further ones in a list, and what becomes of failures.

use super::entries::{LAST, enter};
use crate::code::{self, MAX_PARAMETERS};
use crate::heap;
use crate::memory::{load_i64, load_u32, store_i64};
use crate::runtime::objects::list_length;
use crate::runtime::{failure, procedures};
use crate::value::{FIXED, NIL, RAISED, UNSPECIFIED, WORD, field, is, tag};
use crate::vm::vm;
use annotations::address_within;

/// What is passed; words that are not used are unspecified.
pub type Arguments = [i64; MAX_PARAMETERS as usize];

/// Calls code, of a function, with what it takes: words below an address of the stack.
pub type Last = extern "C" fn(u32, i64, u32) -> i64;

/// Where an argument of such a call is.
#[inline(always)]
pub fn below(sp: u32, index: u32) -> u32 {
    sp - WORD * (index + 1)
}

/// Arguments by their numbers.
#[inline(always)]
pub fn all(mut argument: impl FnMut(u32) -> i64) -> Arguments {
    [
        argument(0),
        argument(1),
        argument(2),
        argument(3),
        argument(4),
        argument(5),
    ]
}

/// The code of what is a function.
#[inline(always)]
pub fn code_in(function: i64) -> u32 {
    load_u32(address_within(function as u32, FIXED))
}

/// The code of a function, if the value is one.
#[inline(always)]
pub fn code_of(function: i64) -> Option<u32> {
    is(function, tag::CLOSURE).then(|| code_in(function))
}

/// Calls a function with `n` arguments, if it is one and takes so many. As in [`apply`], the last
/// call is a tail call.
#[inline(always)]
pub fn call_inexactly(function: i64, sp: u32, n: u32, a: Arguments) -> i64 {
    let code = collect(function, sp, n, a);
    last(code)(code, function, sp)
}

/// Calls a function with the arguments in a list.
#[inline(never)]
pub extern "C" fn apply(function: i64, sp: u32, list: i64) -> i64 {
    let code = spread(function, sp, list);
    last(code)(code, function, sp)
}

/// How code is called; 0 stands for a call that cannot be made.
fn last(code: u32) -> Last {
    match code {
        0 => no_call,
        code => LAST[code::parameters(code) as usize],
    }
}

/// Puts `n` arguments below `sp`, those beyond the function's parameters as a list. The function's
/// code; 0 if it takes other numbers of arguments.
#[inline(always)]
pub fn collect(function: i64, sp: u32, n: u32, a: Arguments) -> u32 {
    let [a0, a1, a2, a3, a4, a5] = a;
    let code = place(sp, function, a0, a1, a2, a3, a4, a5);
    match code == 0 || code::takes(code, n) {
        true => code,
        false => collect_rest(code, sp, n),
    }
}

/// Puts arguments below `sp`. The function's code, if it is one.
#[inline(never)]
extern "C" fn place(
    sp: u32,
    function: i64,
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
) -> u32 {
    for (index, argument) in (0..).zip([a0, a1, a2, a3, a4, a5]) {
        store_i64(below(sp, index), argument);
    }
    code_of(function).unwrap_or(0)
}

/// Makes a list of the arguments that the last parameter is for. The code; 0 if it takes other
/// numbers of arguments.
#[inline(never)]
extern "C" fn collect_rest(code: u32, sp: u32, n: u32) -> u32 {
    let fixed = code::parameters(code).wrapping_sub(1);
    if !code::has_rest(code) || n < fixed {
        return refuse(n);
    }
    let arguments = (fixed..n).rev().map(|index| load_i64(below(sp, index)));
    let list = arguments.fold(NIL, |rest, argument| heap::pair(argument, rest));
    store_i64(below(sp, fixed), list);
    code
}

/// Puts the arguments in a list below `sp`. The function's code; 0 if it takes other numbers of
/// them.
#[inline(never)]
pub extern "C" fn spread(function: i64, sp: u32, list: i64) -> u32 {
    let Some(code) = code_of(function) else {
        return 0;
    };
    let has_rest = code::has_rest(code);
    let fixed = code::parameters(code) - u32::from(has_rest);
    let mut rest = list;
    for index in 0..fixed {
        if !is(rest, tag::PAIR) {
            return refuse(if rest == NIL { index } else { NO_LIST });
        }
        store_i64(below(sp, index), field(rest, 0));
        rest = field(rest, 1);
    }
    let more = match rest {
        NIL => Some(0),
        rest => list_length(rest),
    };
    match more {
        None => refuse(NO_LIST),
        Some(_) if has_rest => {
            store_i64(below(sp, fixed), copied(rest));
            code
        }
        Some(0) => code,
        Some(more) => refuse(fixed + more as u32),
    }
}

/// In place of a number of arguments: they are in no list.
const NO_LIST: u32 = u32::MAX;

/// Takes note that the function takes other numbers of arguments than this.
#[cold]
fn refuse(n: u32) -> u32 {
    vm().given.set(n);
    0
}

/// A list of the same elements, as a function may change that of its arguments.
fn copied(list: i64) -> i64 {
    let (mut elements, mut rest) = (Vec::new(), list);
    while is(rest, tag::PAIR) {
        elements.push(field(rest, 0));
        rest = field(rest, 1);
    }
    let elements = elements.into_iter().rev();
    elements.fold(NIL, |rest, element| heap::pair(element, rest))
}

/// In place of a call that cannot be made.
extern "C" fn no_call(_: u32, function: i64, sp: u32) -> i64 {
    match (is(function, tag::CLOSURE), vm().given.get()) {
        (false, _) => failure::fail("this is no procedure:", &[function]),
        (true, NO_LIST) => failure::fail("apply: the arguments are no list", &[]),
        (true, given) => procedures::wrong_count(code_in(function), given),
    };
    tell(sp);
    RAISED
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
    let result = enter(load_u32(fail as u32), fail, sp, 2, a);
    assert_eq!(result, RAISED, "an error never returns");
    if vm().overflowing.get() {
        heap::set_overflowing(false);
    }
}
