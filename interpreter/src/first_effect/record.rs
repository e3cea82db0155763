//! Memory becomes what it was when the program was loaded.
//!
//! The host has left a record of the differences (see [`annotations::Evaluation`]). Invariant: when
//! this runs, nothing has changed since the snapshot but the native stack. It keeps nothing in
//! memory itself.

use crate::evaluation::{BACTRIAN_EVALUATION, get};
use crate::heap::BACTRIAN_STRESS;
use crate::memory;
use annotations::ZEROS;
use core::sync::atomic::Ordering::Relaxed;

/// Restores everything but what the host wrote into the cell for stress.
pub fn restore() {
    let state = &BACTRIAN_EVALUATION;
    let stress = BACTRIAN_STRESS.load(Relaxed);
    let start = get(&state.record);
    let end = start + get(&state.record_len);
    apply(start, end);
    memory::fill(start, (end - start) as usize, 0);
    BACTRIAN_STRESS.store(stress, Relaxed);
    state.record.store(0, Relaxed);
    state.record_len.store(0, Relaxed);
}

#[inline(never)]
fn apply(start: u32, end: u32) {
    const HEADER: u32 = 8;
    let mut at = start;
    while at < end {
        let (address, length) = (memory::load_u32(at), memory::load_u32(at + 4));
        let bytes = length & !ZEROS;
        at += HEADER;
        if length & ZEROS != 0 {
            memory::fill(address, bytes as usize, 0);
        } else {
            memory::copy(at, address, bytes as usize);
            at += bytes;
        }
    }
}
