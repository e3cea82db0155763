//! How a module lets its program be run at build time, up to the first effect.
//!
//! The host writes [`Evaluation::room`] and initialises the module. Of the memory that the module
//! then has it makes instances, whose imports all trap, and calls [`EVALUATE_EXPORT`] in them:
//! * in the first with a limit that is never reached. The module counts *checkpoints* and traps at
//!   the first effect, or is stopped by the host;
//! * in the second with the number of the last checkpoint as the limit. The module returns before
//!   that checkpoint, *parked*: its `_start` will go on there.
//!
//! The host adds a *record* of where the memory differs from what it was before, by which the
//! module can start over where an assumption fails: a sequence of entries, each an address and a
//! length, a multiple of four. So many bytes follow, or, where the length has [`ZEROS`] added,
//! stand for themselves as zeros.

use core::sync::atomic::AtomicU32;

/// The name of the Wasm global that holds the address of an [`Evaluation`]. The program of a module
/// that exports none runs from its beginning.
pub const EVALUATION_EXPORT: &str = "BACTRIAN_EVALUATION";

/// The name of the function that evaluates.
pub const EVALUATE_EXPORT: &str = "bactrian-evaluate";

/// Added to the length of an entry that says that memory was zero.
pub const ZEROS: u32 = 1;

/// What host and module tell each other.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Evaluation {
    /// Bytes to keep free for what evaluation makes, 0 if there is none; written by the host before
    /// the module is initialised.
    pub room: AtomicU32,
    /// The checkpoint to be parked at, counted from 1; written by the host.
    pub limit: AtomicU32,
    /// Checkpoints so far.
    pub checkpoints: AtomicU32,
    /// Where the last of them is.
    pub position: AtomicU32,
    /// 1 while the program is evaluated.
    pub running: AtomicU32,
    /// 1 if `_start` goes on at a checkpoint.
    pub parked: AtomicU32,
    /// Address and length of what the module says of why it stopped.
    pub reason: AtomicU32,
    pub reason_len: AtomicU32,
    /// The first address that is no stack of the module's language: below, memory need not be what
    /// it was.
    pub statics: AtomicU32,
    /// Memory where the record can be, once the module is parked: zero, and nobody's.
    pub free: AtomicU32,
    pub free_end: AtomicU32,
    /// Address and length of the record; written by the host.
    pub record: AtomicU32,
    pub record_len: AtomicU32,
}

impl Evaluation {
    pub const fn new() -> Self {
        Self {
            room: zero(),
            limit: zero(),
            checkpoints: zero(),
            position: zero(),
            running: zero(),
            parked: zero(),
            reason: zero(),
            reason_len: zero(),
            statics: zero(),
            free: zero(),
            free_end: zero(),
            record: zero(),
            record_len: zero(),
        }
    }
}

const fn zero() -> AtomicU32 {
    AtomicU32::new(0)
}
