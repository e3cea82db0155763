//! Signals from outside, for a program that handles them, and timers.
//!
//! A signal that is kept is noted in this process, and two words of the guest's memory tell its
//! next poll. It also ends what the guest is waiting for, on the guest's thread. Where two guests
//! are compared (lockstep) none is kept, as it would come to them at different times.

use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering};

use libc::{c_int, sigset_t, timespec, timeval};
use rustix::io::Errno;

use super::{Answer, Call, Function, Unconfined, checked};

pub(super) const FUNCTIONS: [(&str, Function); 8] = [
    ("sigaction", set_disposition),
    ("sigdefault", act_by_default),
    ("sigtake", take),
    ("sigwait", wait),
    ("nanosleep", sleep),
    ("alarm", alarm),
    ("setitimer", set_timer),
    ("getitimer", timer),
];

/// The signals that have come: signal 1 is the lowest bit.
static KEPT: AtomicU64 = AtomicU64::new(0);

/// The guest's words, that something is pending and that its next poll is to look; null without a
/// guest. Its memory stays where it is while it runs, as all of its address space is reserved.
static PENDING: AtomicPtr<u32> = AtomicPtr::new(null_mut());
static ALERT: AtomicPtr<u32> = AtomicPtr::new(null_mut());

/// The thread that the guest runs on, by the kernel's number: one that has ended does no harm.
static THREAD: AtomicI32 = AtomicI32::new(0);

/// Whose handlers are the engine's own: BUS, FPE, ILL, SEGV.
const OF_THE_ENGINE: [c_int; 4] = [libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV];

/// Whether signals are kept for a guest; those that it has set lose their words with it.
#[derive(Debug, Default)]
pub(super) struct Signals {
    pub(super) kept: bool,
}

impl Drop for Signals {
    fn drop(&mut self) {
        if self.kept {
            PENDING.store(null_mut(), Ordering::SeqCst);
            ALERT.store(null_mut(), Ordering::SeqCst);
        }
    }
}

/// The handler: atomic operations and calls that a handler may make.
extern "C" fn keep(signal: c_int) {
    let thread = THREAD.load(Ordering::SeqCst);
    // SAFETY: these take numbers, and may be called in handlers.
    unsafe {
        if libc::gettid() != thread {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal);
            return;
        }
    }
    KEPT.fetch_or(1 << (signal - 1), Ordering::SeqCst);
    for (word, value) in [(&PENDING, 1), (&ALERT, u32::MAX)] {
        let word = word.load(Ordering::SeqCst);
        if !word.is_null() {
            // SAFETY: it lies in the memory of a guest, whose thread this is.
            unsafe { ptr::write_volatile(word, value) };
        }
    }
}

/// A signal, what it does (0: what it does by default, 1: nothing, 2: it is kept), and the guest's
/// words: pending in the lower half, alert in the upper.
fn set_disposition(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [signal, how, words] = call.numbers;
    let signal = c_int::try_from(signal).map_err(|_| Errno::INVAL)?;
    if !state.signals.kept || OF_THE_ENGINE.contains(&signal) {
        return Err(Errno::NOSYS);
    }
    let keep: extern "C" fn(c_int) = keep;
    let handler = match how {
        2 => keep as libc::sighandler_t,
        1 => libc::SIG_IGN,
        // The guest itself ends when nobody reads what it writes.
        _ if signal == libc::SIGPIPE => libc::SIG_IGN,
        _ => libc::SIG_DFL,
    };
    if how == 2 {
        // SAFETY: it takes nothing.
        THREAD.store(unsafe { libc::gettid() }, Ordering::SeqCst);
        PENDING.store(call.word(words as u32)?, Ordering::SeqCst);
        ALERT.store(call.word((words >> 32) as u32)?, Ordering::SeqCst);
    }
    // SAFETY: a `sigaction` of zeros blocks no other signal; the handler makes no calls but those
    // that handlers may make. Calls of the system that wait are not begun again after it.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(signal, &action, null_mut())
    };
    checked(result)
}

/// Fails where no signal is kept.
fn require_kept(state: &Unconfined) -> Result<(), Errno> {
    match state.signals.kept {
        true => Ok(()),
        false => Err(Errno::NOSYS),
    }
}

/// Those that are in a set: signal 1 is the lowest bit.
pub(super) fn members(signals: u64) -> impl Iterator<Item = c_int> {
    (1..=64).filter(move |signal| signals >> (signal - 1) & 1 != 0)
}

/// Does something while these signals do what they do by default. Those that cannot be set always
/// do.
pub(super) fn with_defaults<R>(signals: u64, f: impl FnOnce() -> R) -> R {
    // SAFETY: a `sigaction` of zeros is that of the default. No handler is installed that was not
    // before.
    let set = |signal, action: Option<libc::sigaction>| unsafe {
        let action = action.unwrap_or_else(|| std::mem::zeroed());
        let mut before = std::mem::zeroed();
        libc::sigaction(signal, &action, &mut before);
        before
    };
    let before: Vec<_> = members(signals)
        .map(|signal| (signal, set(signal, None)))
        .collect();
    let result = f();
    for (signal, action) in before {
        set(signal, Some(action));
    }
    result
}

/// Does with this process what a signal does by default. Answers when it was stopped and goes on.
fn act_by_default(state: &mut Unconfined, call: &mut Call) -> Answer {
    require_kept(state)?;
    let signal = call.numbers[0];
    if !(1..=64).contains(&signal) {
        return Err(Errno::INVAL);
    }
    with_defaults(1 << (signal - 1), || {
        // SAFETY: the set is made before it is read.
        checked(unsafe {
            let mut this: sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut this);
            libc::sigaddset(&mut this, signal as c_int);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &this, null_mut());
            libc::raise(signal as c_int)
        })
    })
}

/// Answers which signals were kept, and keeps them no more.
fn take(_: &mut Unconfined, _: &mut Call) -> Answer {
    Ok(KEPT.swap(0, Ordering::SeqCst) as i64)
}

/// Waits until one is kept.
fn wait(state: &mut Unconfined, _: &mut Call) -> Answer {
    require_kept(state)?;
    // SAFETY: sets are made before they are read. Signals are blocked on this thread from the look
    // at what is kept until it waits, so none is missed; those of the engine do not come.
    unsafe {
        let (mut all, mut before): (sigset_t, sigset_t) = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        while KEPT.load(Ordering::SeqCst) == 0 {
            libc::sigsuspend(&before);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
    }
    Ok(0)
}

const SECOND: i64 = 1_000_000_000;
/// Microseconds in a second.
const MICROSECONDS: i64 = 1_000_000;

/// Waits for so many nanoseconds; answers how many are left if a signal comes first. Where none
/// can, as under lockstep, whose clock goes by itself, the guest waits by that.
fn sleep(state: &mut Unconfined, call: &mut Call) -> Answer {
    require_kept(state)?;
    let [time, ..] = call.numbers;
    let wanted = timespec {
        tv_sec: time / SECOND,
        tv_nsec: time % SECOND,
    };
    let mut left = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it reads one time and writes the other.
    match checked(unsafe { libc::nanosleep(&wanted, &mut left) }) {
        Err(Errno::INTR) => Ok(left.tv_sec * SECOND + left.tv_nsec),
        answer => answer,
    }
}

/// A number of seconds; answers how many were left. Where no signal is kept, one that a timer sends
/// would end the process.
fn alarm(state: &mut Unconfined, call: &mut Call) -> Answer {
    require_kept(state)?;
    let seconds = call.numbers[0] as u32;
    // SAFETY: it takes a number.
    Ok(unsafe { libc::alarm(seconds) }.into())
}

fn time(microseconds: i64) -> timeval {
    timeval {
        tv_sec: microseconds.div_euclid(MICROSECONDS),
        tv_usec: microseconds.rem_euclid(MICROSECONDS),
    }
}

fn put_timer(call: &mut Call, timer: &libc::itimerval) -> Answer {
    let words = [timer.it_value, timer.it_interval];
    call.put_words(&words.map(|time| time.tv_sec.saturating_mul(MICROSECONDS) + time.tv_usec))
}

/// A timer, and microseconds until its signal and from one to the next. Puts out what they were.
fn set_timer(state: &mut Unconfined, call: &mut Call) -> Answer {
    require_kept(state)?;
    let [which, value, interval] = call.numbers;
    let wanted = libc::itimerval {
        it_value: time(value),
        it_interval: time(interval),
    };
    let mut old = wanted;
    // SAFETY: it reads one timer and writes the other.
    checked(unsafe { libc::setitimer(which as _, &wanted, &mut old) })?;
    put_timer(call, &old)
}

fn timer(_: &mut Unconfined, call: &mut Call) -> Answer {
    let mut found = libc::itimerval {
        it_value: time(0),
        it_interval: time(0),
    };
    // SAFETY: it writes a timer.
    checked(unsafe { libc::getitimer(call.numbers[0] as _, &mut found) })?;
    put_timer(call, &found)
}
