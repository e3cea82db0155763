//! What compiled code knows of what waits for a safepoint.

use crate::vm::{NO_LOOP_POLLS, vm};
use annotations::{safepoint_needless, safepoint_passed};

/// Whether a poll here has nothing to do, as nothing can wait for it.
#[inline(always)]
pub fn polls_for_nothing() -> bool {
    safepoint_needless() != 0 && vm().loops_poll.get() == NO_LOOP_POLLS
}

/// After a call that leaves nothing for a safepoint to do: nothing waits if nothing did before it,
/// when [`safepoint_needless`] was `needless`.
#[inline(always)]
pub fn still_passed(needless: u32) {
    if needless != 0 {
        safepoint_passed();
    }
}
