//! Calls of closures that are not known, and calls that are not exact: with fewer arguments than
//! parameters, or with more.
//!
//! Everything here but [`call`], which is in place where the loop calls, runs between a sync and an
//! invalidate: arguments are in memory, on the OCaml stack, so a collection in a callee finds and
//! updates them. The last call is always in tail position: a program whose tail calls go this way
//! must not run out of stack.

use super::blocks::allocate_young;
use super::entries::{self, *};
use super::known;
use super::partial::{self, ARGUMENTS, Inexact};
use super::raising::raised_or;
use crate::code::{self, MAX_RESTART, RESTART_ARITY};
use crate::heap;
use crate::image::layout::Slots;
use crate::memory;
use crate::registry::{Outcome, Raised, outcome};
use crate::value::{Value, WORD, tag};
use crate::vm::vm;
use annotations::{cells_sync_roots, specialize_known};

/// The list under [`annotations::DISPATCHERS_EXPORT`].
#[cfg(target_family = "wasm")]
#[repr(C)]
pub struct Dispatchers {
    count: u32,
    functions: [*const (); (MAX_DIRECT + MAX_QUICK) as usize],
}

// SAFETY: nobody writes it, and functions are the same for all threads.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Dispatchers {}

/// Applies a closure to any arguments, for primitives that call back. Pushes below `vm().sp` and
/// leaves `vm().sp` as it was; what it runs may collect.
pub fn apply(closure: Value, arguments: &[Value]) -> Outcome {
    apply_code(code_of(closure.0), closure, arguments)
}

/// The same for code that is not OCaml's, after what waits for a safepoint: such code may call in a
/// loop that has none, and short functions leave theirs to who calls them.
pub fn apply_after_poll(closure: Value, arguments: &[Value]) -> Outcome {
    let top = vm().sp.get();
    if top >= vm().alert.get() {
        return apply(closure, arguments);
    }
    let at = top - (1 + arguments.len() as u32) * WORD;
    let word = |index: usize| at + index as u32 * WORD;
    for (index, value) in [closure].iter().chain(arguments).enumerate() {
        memory::store_i64(word(index), value.0);
    }
    vm().sp.set(at);
    let is_fine = heap::safepoint(0) != 0;
    vm().sp.set(top);
    if !is_fine {
        return Err(Raised);
    }
    let closure = memory::load_i64(at);
    let result = run_at(code_of(closure), closure, word(1), arguments.len() as u32);
    vm().sp.set(top);
    outcome(Value(result))
}

/// The same as [`apply`], running `code` in place of the closure's own.
pub fn apply_code(code: u32, closure: Value, arguments: &[Value]) -> Outcome {
    let top = vm().sp.get();
    let at = top - arguments.len() as u32 * WORD;
    for (index, argument) in arguments.iter().enumerate() {
        memory::store_i64(at + index as u32 * WORD, argument.0);
    }
    let result = run_at(code, closure.0, at, arguments.len() as u32);
    vm().sp.set(top);
    outcome(Value(result))
}

/// What the slots of new code hold.
pub fn generic_slots() -> Slots {
    Slots {
        entry: entries::generic_slot,
        restart: restart_slots(),
    }
}

#[cfg(target_family = "wasm")]
fn restart_slots() -> [u32; MAX_RESTART as usize] {
    [
        slow_1 as *const () as usize as u32,
        slow_2 as *const () as usize as u32,
        slow_3 as *const () as usize as u32,
    ]
}

/// Natively there are no slots.
#[cfg(not(target_family = "wasm"))]
fn restart_slots() -> [u32; MAX_RESTART as usize] {
    [0; MAX_RESTART as usize]
}

/// The same as [`apply_in_registers`], but directly where the code is known.
#[inline(always)]
pub fn call(code: u32, closure: i64, top: u32, n: u32, arguments: Arguments) -> i64 {
    if specialize_known(code) != 0 {
        if code::arity(code) == n {
            return enter(code, closure, top, n, arguments);
        }
        if let Some(result) = known::apply(code, closure, top, n, arguments) {
            return result;
        }
    }
    cells_sync_roots();
    apply_in_registers(code, closure, top, n, arguments)
}

// LLVM makes tail calls only of functions that end in one call. So each of these chooses a function
// first, and then calls it. All have the parameters of an entry, which so stay where they are.
macro_rules! by_count {
    ($($dispatch:ident $slow:ident $partial:ident $inexact:ident
          $ty:ident $slot:ident $case:pat, $n:literal
        ($($argument:ident $index:literal)*) $([$restart:ident])? $($over:ident)?;)*) => {
        /// Applies a closure, whose code is `code`, to `n` arguments, 1 to 7, which end at `top`.
        #[inline(always)]
        pub fn apply_in_registers(
            code: u32,
            closure: i64,
            top: u32,
            n: u32,
            arguments: Arguments,
        ) -> i64 {
            if partial::is_known_to_wait(code, n) {
                return match n {
                    $($case => $partial(closure, top, $(arguments[$index]),*),)*
                };
            }
            match n {
                $($case => $dispatch(closure, top, $(arguments[$index]),*),)*
            }
        }

        $(
            #[inline(never)]
            extern "C" fn $dispatch(closure: i64, top: u32, $($argument: i64),*) -> i64 {
                let code = code_of(closure);
                let function: $ty = if code::takes(code, $n) {
                    $slot(code)
                }
                $(else if code::is_restart(code) { $restart(code) })?
                $(else if code::arity(code) == 1 { $over })?
                else { $slow };
                function(closure, top, $($argument),*)
            }

            /// A closure that waits for more arguments.
            extern "C" fn $partial(closure: i64, _: u32, $($argument: i64),*) -> i64 {
                let wosize = ARGUMENTS as u32 + $n;
                let block = Value::block(allocate_young(wosize, tag::CLOSURE));
                partial::init(block.0, code_of(closure), closure);
                $(block.init_field(ARGUMENTS + $index, Value($argument));)*
                block.0
            }

            pub extern "C" fn $inexact(closure: i64, top: u32, $($argument: i64),*) -> i64 {
                let at = top - $n * WORD;
                $(memory::store_i64(at + $index * WORD, $argument);)*
                run_at(code_of(closure), closure, at, $n)
            }
        )*
    };
}

by_count! {
    dispatch_1 slow_1 partial_1 inexact_1 Enter1 slot_1 1, 1 (a0 0);
    dispatch_2 slow_2 partial_2 inexact_2 Enter2 slot_2 2, 2 (a0 0 a1 1) [restart_slot_2] over_2_1;
    dispatch_3 slow_3 partial_3 inexact_3 Enter3 slot_3 3, 3
        (a0 0 a1 1 a2 2) [restart_slot_3] over_3_1;
    dispatch_4 slow_4 partial_4 inexact_4 Enter4 slot_4 4, 4 (a0 0 a1 1 a2 2 a3 3) over_4_1;
    dispatch_5 slow_5 partial_5 inexact_5 Enter5 slot_5 5, 5 (a0 0 a1 1 a2 2 a3 3 a4 4) over_5_1;
    dispatch_6 inexact_6 partial_6 inexact_6 Enter6 slot_6 6, 6 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5);
    dispatch_7 inexact_7 partial_7 inexact_7 Enter7 slot_7
        _, 7 (a0 0 a1 1 a2 2 a3 3 a4 4 a5 5 a6 6);
}

macro_rules! slow {
    ($($slow:ident $partial:ident $inexact:ident $ty:ident $n:literal ($($argument:ident)*)
        $($held:literal $complete:ident)*,
        $($taken:literal $over:ident)*;)*) => {
        /// Up to so many arguments, calls that are not exact have a function for each way in which
        /// they are not. With more, which is rare, they go through the stack: the functions would
        /// be 7 KB of each program.
        #[cfg(target_family = "wasm")]
        const MAX_QUICK: u32 = [$($n),*].len() as u32;

        $(
        #[inline(never)]
        extern "C" fn $slow(closure: i64, top: u32, $($argument: i64),*) -> i64 {
            let function: $ty = match Inexact::new(closure, $n) {
                Inexact::Function => $partial,
                $(Inexact::Partial($held) => $complete,)*
                $(Inexact::Over($taken) => $over,)*
                Inexact::Partial(_) | Inexact::Over(_) | Inexact::Other => $inexact,
            };
            function(closure, top, $($argument),*)
        }
        )*
    };
}

slow! {
    slow_1 partial_1 inexact_1 Enter1 1 (a0)
        1 complete_1_1 2 complete_1_2 3 complete_1_3,;
    slow_2 partial_2 inexact_2 Enter2 2 (a0 a1)
        1 complete_2_1 2 complete_2_2 3 complete_2_3,
        1 over_2_1;
    slow_3 partial_3 inexact_3 Enter3 3 (a0 a1 a2)
        1 complete_3_1 2 complete_3_2 3 complete_3_3,
        1 over_3_1 2 over_3_2;
    slow_4 partial_4 inexact_4 Enter4 4 (a0 a1 a2 a3)
        1 complete_4_1 2 complete_4_2 3 complete_4_3,
        1 over_4_1 2 over_4_2 3 over_4_3;
    slow_5 partial_5 inexact_5 Enter5 5 (a0 a1 a2 a3 a4)
        1 complete_5_1 2 complete_5_2,
        1 over_5_1 2 over_5_2 3 over_5_3 4 over_5_4;
}

/// The list under [`annotations::DISPATCHERS_EXPORT`].
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub static BACTRIAN_DISPATCHERS: Dispatchers = Dispatchers {
    count: MAX_DIRECT + MAX_QUICK,
    functions: [
        dispatch_1 as *const (),
        dispatch_2 as *const (),
        dispatch_3 as *const (),
        dispatch_4 as *const (),
        dispatch_5 as *const (),
        dispatch_6 as *const (),
        dispatch_7 as *const (),
        slow_1 as *const (),
        slow_2 as *const (),
        slow_3 as *const (),
        slow_4 as *const (),
        slow_5 as *const (),
    ],
};

macro_rules! over {
    ($($name:ident $now:ident ($($argument:ident)*) $then:ident $count:literal
        ($($later:ident $index:literal)*);)*) => {$(
        /// Applies a closure to the arguments that it takes, and what it returns to the others.
        extern "C" fn $name(
            closure: i64,
            top: u32,
            $($argument: i64,)*
            $($later: i64),*
        ) -> i64 {
            let at = top - $count * WORD;
            $(memory::store_i64(at + $index * WORD, $later);)*
            let returned = $now(closure, at, $($argument),*);
            if cfg!(not(target_family = "wasm")) && returned == Value::RAISED.0 {
                return returned;
            }
            let closure = raised_or(returned, $count);
            $then(closure, top, $(memory::load_i64(at + $index * WORD)),*)
        }
    )*};
}

over! {
    over_2_1 dispatch_1 (a0) dispatch_1 1 (a1 0);
    over_3_1 dispatch_1 (a0) dispatch_2 2 (a1 0 a2 1);
    over_3_2 dispatch_2 (a0 a1) dispatch_1 1 (a2 0);
    over_4_1 dispatch_1 (a0) dispatch_3 3 (a1 0 a2 1 a3 2);
    over_4_2 dispatch_2 (a0 a1) dispatch_2 2 (a2 0 a3 1);
    over_4_3 dispatch_3 (a0 a1 a2) dispatch_1 1 (a3 0);
    over_5_1 dispatch_1 (a0) dispatch_4 4 (a1 0 a2 1 a3 2 a4 3);
    over_5_2 dispatch_2 (a0 a1) dispatch_3 3 (a2 0 a3 1 a4 2);
    over_5_3 dispatch_3 (a0 a1 a2) dispatch_2 2 (a3 0 a4 1);
    over_5_4 dispatch_4 (a0 a1 a2 a3) dispatch_1 1 (a4 0);
}

/// `own` if the code at `code` is the closure's own; else what runs that code with the closure.
#[inline(always)]
fn or_given<Enter>(code: u32, closure: i64, own: Enter, given: Enter) -> Enter {
    match is_own(code, closure) {
        true => own,
        false => {
            vm().given_code.set(code);
            given
        }
    }
}

macro_rules! complete {
    ($($name:ident $ty:ident $slot:ident $given:ident
          ($($saved:literal)*) ($($argument:ident)*);)*) => {$(
        /// Enters the function of a partial application, which takes all arguments as parameters.
        extern "C" fn $name(partial: i64, top: u32, $($argument: i64),*) -> i64 {
            let field = |index| Value(partial).field(index).0;
            let closure = field(ARGUMENTS - 1);
            let saved = |index| field(ARGUMENTS + index);
            let code = code_of(partial) + code::CELL;
            let function: $ty = or_given(code, closure, $slot(code), $given);
            function(closure, top, $(saved($saved),)* $($argument),*)
        }
    )*};
}

complete! {
    complete_1_1 Enter2 slot_2 given_2 (0) (a0);
    complete_1_2 Enter3 slot_3 given_3 (0 1) (a0);
    complete_1_3 Enter4 slot_4 given_4 (0 1 2) (a0);
    complete_2_1 Enter3 slot_3 given_3 (0) (a0 a1);
    complete_2_2 Enter4 slot_4 given_4 (0 1) (a0 a1);
    complete_2_3 Enter5 slot_5 given_5 (0 1 2) (a0 a1);
    complete_3_1 Enter4 slot_4 given_4 (0) (a0 a1 a2);
    complete_3_2 Enter5 slot_5 given_5 (0 1) (a0 a1 a2);
    complete_3_3 Enter6 slot_6 given_6 (0 1 2) (a0 a1 a2);
    complete_4_1 Enter5 slot_5 given_5 (0) (a0 a1 a2 a3);
    complete_4_2 Enter6 slot_6 given_6 (0 1) (a0 a1 a2 a3);
    complete_4_3 Enter7 slot_7 given_7 (0 1 2) (a0 a1 a2 a3);
    complete_5_1 Enter6 slot_6 given_6 (0) (a0 a1 a2 a3 a4);
    complete_5_2 Enter7 slot_7 given_7 (0 1) (a0 a1 a2 a3 a4);
}

/// Applies `closure` to the `n` arguments on the stack at `at`. The stack below is free.
#[inline(never)]
pub extern "C" fn apply_at(closure: i64, at: u32, n: u32) -> i64 {
    run_at(code_of(closure), closure, at, n)
}

/// The last call of an application: of this code with this closure, for so many arguments at an
/// address.
type Last = extern "C" fn(u32, i64, u32, u32) -> i64;

/// Applies `code` to the `n` arguments on the stack at `at`, with `closure`, whose own code it need
/// not be, as the environment. The stack below is free.
fn run_at(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    let (mut code, mut closure, mut at, mut n) = (code, closure, at, n);
    let last: Last = loop {
        let arity = code::arity(code);
        if arity == RESTART_ARITY {
            // On to the GRAB after it, whatever the closure's code has become since (see `#trace`).
            code += code::CELL;
            (closure, at, n) = partial::expand(Value(closure), at, n);
        } else if n < arity {
            break partial::make;
        } else if n == arity {
            break enter_at;
        } else {
            closure = enter_at(code, closure, at, arity);
            if closure == Value::RAISED.0 {
                break raised;
            }
            code = code_of(closure);
            at += arity * WORD;
            n -= arity;
        }
    };
    last(code, closure, at, n)
}

extern "C" fn raised(_: u32, _: i64, _: u32, _: u32) -> i64 {
    Value::RAISED.0
}

/// Calls code of arity `n` with the arguments on the stack at `at`.
extern "C" fn enter_at(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    let function = match n.wrapping_sub(1) {
        index if index < MAX_DIRECT => ENTER_AT[index as usize],
        _ => enter_many_at,
    };
    function(code, closure, at, n)
}

macro_rules! enter_at {
    ($($name:ident $ty:ident $own:ident $given:ident ($($index:literal)*);)*) => {
        /// By number of arguments, less one.
        static ENTER_AT: [Last; MAX_DIRECT as usize] = [$($name),*];

        $(
            extern "C" fn $name(code: u32, closure: i64, at: u32, n: u32) -> i64 {
                let function: $ty = or_given(code, closure, $own, $given);
                function(closure, at + n * WORD, $(memory::load_i64(at + $index * WORD)),*)
            }
        )*
    };
}

enter_at! {
    enter_at_1 Enter1 dispatch_1 given_1 (0);
    enter_at_2 Enter2 dispatch_2 given_2 (0 1);
    enter_at_3 Enter3 dispatch_3 given_3 (0 1 2);
    enter_at_4 Enter4 dispatch_4 given_4 (0 1 2 3);
    enter_at_5 Enter5 dispatch_5 given_5 (0 1 2 3 4);
    enter_at_6 Enter6 dispatch_6 given_6 (0 1 2 3 4 5);
    enter_at_7 Enter7 dispatch_7 given_7 (0 1 2 3 4 5 6);
}

/// The cell above the arguments has to be the callee's.
extern "C" fn enter_many_at(code: u32, closure: i64, at: u32, n: u32) -> i64 {
    memory::copy_apart(at, at - WORD, (n * WORD) as usize);
    enter_through_slot(code, closure, at - WORD)
}
