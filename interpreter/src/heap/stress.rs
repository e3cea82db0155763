//! Whether each safepoint collects: how lockstep finds values that the collector was not told of.
//!
//! Every allocation then asks for a safepoint, so entries and loops poll as soon as anything is
//! young. While nothing is, they do not: nothing would move.

use core::sync::atomic::{AtomicU32, Ordering};

/// Written by the host before `_start`: when not 0, each safepoint collects.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_STRESS: AtomicU32 = AtomicU32::new(0);

/// Makes each safepoint collect.
pub fn start_stress() {
    BACTRIAN_STRESS.store(1, Ordering::Relaxed);
}

/// Whether each safepoint is to collect.
pub fn stress() -> bool {
    BACTRIAN_STRESS.load(Ordering::Relaxed) != 0
}
