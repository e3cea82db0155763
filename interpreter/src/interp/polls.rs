//! What compiled code knows of what waits for a safepoint.

use crate::vm::{NO_LOOP_POLLS, vm};
use annotations::{box_kind, safepoint_needless, safepoint_passed};

/// Whether a poll here has nothing to do, as nothing can wait for it.
#[inline(always)]
pub fn polls_for_nothing() -> bool {
    safepoint_needless() != 0 && vm().loops_poll.get() == NO_LOOP_POLLS
}

/// What [`still_passed`] is told after a call: whether nothing can wait for a safepoint before it.
/// That says nothing where the call `takes_box`, a box of a number that compiled code may make for
/// it: a loop that does so has to poll.
#[inline(always)]
pub fn needless_before(takes_box: bool) -> u32 {
    if takes_box { 0 } else { safepoint_needless() }
}

/// After a call that leaves nothing for a safepoint to do: nothing waits if nothing did before it,
/// when a poll was `needless`.
#[inline(always)]
pub fn still_passed(needless: u32) {
    if needless != 0 {
        safepoint_passed();
    }
}

/// Whether compiled code knows `value` as the box of a number.
#[inline(always)]
pub fn is_box(value: i64) -> bool {
    box_kind(value) != 0
}
