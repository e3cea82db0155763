//! What there is for threads where the module will run, which the host says before it loads the
//! program.

use crate::os;
use crate::vm::{ALL_LOOPS_POLL, NO_LOOP_POLLS, POLLS_COUNT, vm};
use annotations::ThreadSupport;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Says how loops of a program poll that can create threads, or cannot, and that can handle
/// signals, or cannot. One that could create threads, but for what it will run on, is told so.
pub fn note(has_threads: bool, has_handlers: bool) {
    const ONE_STACK: &str = "the program can create threads, but what is built for any engine has \
        one stack, so Thread.create raises Sys_error: build it with --stack-switching or with \
        --emit cwasm, see docs/threads.md\n";
    // What a program does not use is no part of its memory.
    let support = BACTRIAN_THREADS.swap(0, Relaxed);
    vm().has_threads.set(has_threads.into());
    vm().loops_poll.set(match has_threads {
        true if support == CLOCK => POLLS_COUNT,
        true => ALL_LOOPS_POLL,
        false if has_handlers => ALL_LOOPS_POLL,
        false => NO_LOOP_POLLS,
    });
    if has_threads && support == ThreadSupport::Nothing as u32 {
        os::write_all(2, ONE_STACK.as_bytes());
    }
}

const CLOCK: u32 = ThreadSupport::Clock as u32;

/// Exported under [`annotations::THREADS_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
static BACTRIAN_THREADS: AtomicU32 = AtomicU32::new(0);
