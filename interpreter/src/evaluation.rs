//! Whether the program is run at build time, up to its first effect, and what it may not do then.
//!
//! Imports trap by themselves. This is for all else: what depends on how the program is started,
//! and what would make blocks that the image cannot hold, which are never moved nor freed.
//! Invariant: [`stop`] ends an evaluation for good. What it had done since its last checkpoint is
//! forgotten with the instance.
//!
//! Values that the start of the program determines have *placeholders*, addresses that no memory
//! has: who looks at one traps. They are replaced when the program starts ([`crate::start`]).

use crate::value::Value;
use annotations::Evaluation;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::cell::{Cell, RefCell};

/// What host and module tell each other.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_EVALUATION: Evaluation = Evaluation::new();

/// Stands for `Sys.argv`, and [`PROGRAM`] for `Sys.executable_name`. Memory ends before these.
pub const ARGUMENTS: Value = Value::block(0xffff_fe00);
pub const PROGRAM: Value = Value::block(0xffff_ff00);

/// Most bytes that blocks made in an evaluation may take.
const MOST: u32 = 2 << 20;

/// Variables that are set nearly everywhere: to assume that they are not is of no use.
const USUAL: [&[u8]; 12] = [
    b"HOME",
    b"PATH",
    b"USER",
    b"LOGNAME",
    b"SHELL",
    b"TERM",
    b"LANG",
    b"PWD",
    b"OLDPWD",
    b"HOSTNAME",
    b"DISPLAY",
    b"EDITOR",
];

/// A part of the program's own code that is compiled.
pub struct Piece {
    /// The address of the cell where it begins.
    pub cut: u32,
    /// Where its cells are.
    pub cells: Range<u32>,
}

thread_local! {
    static PIECES: RefCell<Vec<Piece>> = const { RefCell::new(Vec::new()) };
    /// Variables that were looked for and are to be unset.
    static UNSET: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    /// Bytes of the blocks made so far.
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// Whether the program is being evaluated.
#[inline(always)]
pub fn is_running() -> bool {
    cfg!(target_family = "wasm") && BACTRIAN_EVALUATION.running.load(Relaxed) != 0
}

/// Stops an evaluation here, if one runs: this is no business of a build's.
#[inline(always)]
pub fn effect(what: &'static str) {
    if is_running() {
        stop(what);
    }
}

/// Ends the evaluation, for this reason.
#[cold]
#[inline(never)]
pub fn stop(reason: &'static str) -> ! {
    let state = &BACTRIAN_EVALUATION;
    state.reason.store(reason.as_ptr() as usize as u32, Relaxed);
    state.reason_len.store(reason.len() as u32, Relaxed);
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_family = "wasm"))]
    unreachable!("only modules are evaluated");
}

/// Stops if this is a placeholder: for who looks at values without looking into blocks.
pub fn look_at(value: Value) {
    if is_placeholder(value) {
        stop("the command line");
    }
}

/// Whether the value is one that the start of the program determines.
pub fn is_placeholder(value: Value) -> bool {
    value == ARGUMENTS || value == PROGRAM
}

/// Assumes that this variable will not be set when the program starts.
pub fn assume_unset(name: &[u8]) {
    if USUAL.contains(&name) || name.starts_with(b"LC_") {
        stop("the environment");
    }
    UNSET.with_borrow_mut(|unset| {
        if !unset.iter().any(|known| *known == *name) {
            unset.push(name.to_vec());
        }
    });
}

/// The variables that were assumed to be unset.
pub fn take_unset() -> Vec<Vec<u8>> {
    UNSET.take()
}

/// Keeps what an evaluation has to know of the program's code.
pub fn note_pieces(pieces: Vec<Piece>) {
    PIECES.set(pieces);
}

/// What was kept.
pub fn take_pieces() -> Vec<Piece> {
    PIECES.take()
}

/// A block of `bytes` was made that lasts. Stops if a snapshot should not hold more. Once it is
/// certain where the program is parked, all that it has is kept.
pub fn note_made(bytes: u32) {
    MADE.set(MADE.get().saturating_add(bytes));
    if MADE.get() > MOST && BACTRIAN_EVALUATION.parked.load(Relaxed) == 0 {
        stop("the size of its data");
    }
}

/// The memory kept for what evaluation makes.
pub fn room() -> Range<u32> {
    let state = &BACTRIAN_EVALUATION;
    state.free.load(Relaxed)..state.free_end.load(Relaxed)
}

/// Sets it.
pub fn set_room(room: Range<u32>) {
    let state = &BACTRIAN_EVALUATION;
    state.free.store(room.start, Relaxed);
    state.free_end.store(room.end, Relaxed);
}

/// What a cell holds.
pub fn get(cell: &AtomicU32) -> u32 {
    cell.load(Relaxed)
}
