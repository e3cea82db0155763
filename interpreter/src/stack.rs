//! The OCaml stack: where it is, and how deep a program may go.
//!
//! A program's stack is made when it is loaded, for OCaml's default limit. Invariant: the stack
//! never moves while the program runs, because callers hold addresses of frames. So room for a
//! higher limit is taken at the start, if `OCAMLRUNPARAM` asks for it or the program can call
//! `Gc.set`. Memory that is not touched costs nothing but addresses. Threads have stacks of the
//! same size in other places (`threads::frames`), and the limit is that of each.

use crate::heap::settings::{self, Settings, about};
use crate::heap::{self, heap};
use crate::memory;
use crate::os::environment;
use crate::value::WORD;
use crate::vm::vm;
use std::cell::Cell;

/// Words of the stack by default.
const DEFAULT_WORDS: u32 = if cfg!(miri) { 16 << 10 } else { 1 << 20 };

/// Words of the stack of a program that can raise its limit.
const RAISABLE_WORDS: u32 = if cfg!(miri) { 64 << 10 } else { 16 << 20 };

/// More than any stack has.
const MOST_WORDS: u64 = 1 << 32;

/// Words below the limit that an activation or a slow call may use without a check.
const MARGIN: u32 = 1 << 10;

/// Bytes above a stack that nothing is written to: lockstep compares so many words from a stack
/// pointer up, and more if another stack lies higher.
const GUARD: u32 = 4096;

/// OCaml's stack begins with so many words and doubles until it is no smaller than the limit.
const INITIAL_WORDS: u64 = 4096;

thread_local! {
    static RAISABLE: Cell<bool> = const { Cell::new(false) };
    /// Words that the native stack has room for, whatever limit the program asks for.
    static ROOM: Cell<u64> = const { Cell::new(u64::MAX) };
    /// The limit that the program asked for last.
    static LIMIT: Cell<u64> = const { Cell::new(DEFAULT_WORDS as u64) };
}

/// Makes the stack of a program that is being loaded; `None` when memory is exhausted.
pub fn make() -> Option<()> {
    place(DEFAULT_WORDS)?;
    LIMIT.set(DEFAULT_WORDS.into());
    set_threshold(DEFAULT_WORDS.into());
    Some(())
}

/// Says whether the program may raise its limit while it runs.
pub fn note_raisable(raisable: bool) {
    RAISABLE.set(raisable);
}

/// Applies the limit in the settings before the program runs, and the host's on the native stack.
pub fn start() {
    ROOM.set(environment::stack_room().unwrap_or(u64::MAX));
    let limit = effective(heap().settings.get().field(Settings::STACK_LIMIT));
    let least = if RAISABLE.get() {
        RAISABLE_WORDS.into()
    } else {
        0
    };
    let mut words = limit.max(least).min(u64::from(u32::MAX / WORD / 2)) as u32;
    while words > capacity() && place(words).is_none() {
        words /= 2;
    }
    LIMIT.set(limit);
    set_threshold(limit);
}

/// Changes the limit while the program runs: `Gc.set`. OCaml's limit is unsigned: a negative one is
/// none.
pub fn change_limit(words: i64) -> i64 {
    let used = u64::from((vm().stack_high.get() - vm().sp.get()) / WORD) + 256;
    let words = (words as u64).max(used) as i64;
    if words != heap().settings.get().field(Settings::STACK_LIMIT) {
        settings::message(about::STACK, || {
            format!(
                "Changing stack limit to {}k bytes\n",
                (words as u64).wrapping_mul(8) / 1024
            )
        });
    }
    LIMIT.set(effective(words));
    set_threshold(LIMIT.get().max(grown()));
    words
}

/// A stack's place in memory.
#[derive(Debug)]
pub struct Place {
    low: u32,
    high: u32,
    /// The limit when its threshold was last worked out, and the words above that.
    limit: Cell<u64>,
    words: Cell<u64>,
}

impl Place {
    /// Of the stack in use.
    pub fn present() -> Self {
        let vm = vm();
        Self {
            low: vm.stack_low.get(),
            high: vm.stack_high.get(),
            limit: Cell::new(LIMIT.get()),
            words: Cell::new(((vm.stack_high.get() - vm.stack_threshold.get()) / WORD).into()),
        }
    }

    /// Another one of the same size; `None` when memory is exhausted.
    pub fn another() -> Option<Self> {
        let (low, high) = take(vm().stack_high.get() - vm().stack_low.get())?;
        Some(Self {
            low,
            high,
            limit: Cell::new(LIMIT.get()),
            words: Cell::new(LIMIT.get()),
        })
    }

    /// Where the stack begins, which grows downwards.
    pub fn high(&self) -> u32 {
        self.high
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> u32 {
        self.high - self.low
    }
}

/// Goes on with another stack, whose stack pointer is `sp`.
pub fn enter(place: &Place, sp: u32) {
    let vm = vm();
    vm.stack_low.set(place.low);
    vm.stack_high.set(place.high);
    vm.sp.set(sp);
    if place.limit.replace(LIMIT.get()) != LIMIT.get() {
        place.words.set(LIMIT.get().max(grown()));
    }
    set_threshold(place.words.get());
}

/// The size that OCaml's stack would have grown to so far: it never shrinks. Memory that was never
/// used is zero, and no value is.
fn grown() -> u64 {
    const PROBED: u64 = 64;
    let used = |word: u64| memory::load_i64(vm().stack_high.get() - word as u32 * WORD) != 0;
    let mut size = INITIAL_WORDS;
    let margin = u64::from(MARGIN);
    // An activation that overflows writes into the margin, so words behind that are looked at.
    while size * 2 <= capacity().into() && (1..=PROBED).any(|word| used(size + margin + word)) {
        size *= 2;
    }
    size
}

/// The size at which OCaml's stack stops growing.
fn effective(limit: i64) -> u64 {
    let doublings = (limit as u64).min(MOST_WORDS).div_ceil(INITIAL_WORDS);
    INITIAL_WORDS * doublings.max(1).next_power_of_two()
}

/// Words that fit in the stack's memory.
fn capacity() -> u32 {
    (vm().stack_high.get() - vm().stack_low.get()) / WORD - MARGIN
}

fn place(words: u32) -> Option<()> {
    let (low, high) = take((words + MARGIN) * WORD)?;
    let vm = vm();
    vm.stack_low.set(low);
    vm.stack_high.set(high);
    vm.sp.set(high);
    Some(())
}

/// Takes memory for a stack; where it begins and ends.
fn take(bytes: u32) -> Option<(u32, u32)> {
    let low = memory::grow((bytes + GUARD) as usize)?;
    Some((low, low + bytes))
}

fn set_threshold(words: u64) {
    let words = words.min(ROOM.get()).min(capacity().into()) as u32;
    let vm = vm();
    vm.stack_threshold.set(vm.stack_high.get() - words * WORD);
    heap::set_alert();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_what_a_doubling_stack_reaches() {
        assert_eq!(effective(1 << 20), 1 << 20);
        assert_eq!(effective(100 << 10), 128 << 10);
        assert_eq!(effective(1), 4096);
        assert_eq!(effective(0), 4096);
        assert_eq!(effective(-5), MOST_WORDS);
        assert_eq!(effective(4097), 8192);
    }

    #[test]
    fn a_program_that_may_raise_its_limit_gets_room() {
        make().expect("room");
        let first = vm().stack_high.get();
        start();
        assert_eq!(
            vm().stack_high.get(),
            first,
            "the default needs no other stack"
        );
        note_raisable(true);
        start();
        assert_eq!(capacity(), RAISABLE_WORDS);
        assert_eq!(vm().stack_high.get() - vm().stack_threshold.get(), 8 << 20);
        let limit_bytes = || vm().stack_high.get() - vm().stack_threshold.get();
        assert_eq!(change_limit(4 << 20), 4 << 20);
        assert_eq!(limit_bytes(), 32 << 20);
        memory::store_i64(vm().stack_high.get() - (4096 + MARGIN + 3) * WORD, 1);
        change_limit(4096);
        assert_eq!(limit_bytes(), 8192 * WORD, "what has grown does not shrink");
    }
}
