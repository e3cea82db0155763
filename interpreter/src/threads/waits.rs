//! Threads that wait: in queues, for another thread's end, for a time or a transfer.
//!
//! Invariant: a thread is in one place: it runs, is ready, or waits here. Who is woken looks anew
//! whether what it waits for is so.

use super::thread::{Thread, Woken};
use super::{switch, take_woken, with};
use crate::os::host::signals;
use crate::os::{self, Descriptor, Errno, Transfer, descriptors};
use crate::pending;
use crate::waiting::Queue;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

impl Queue {
    /// Of threads that wait for the end of the thread with this number.
    pub fn joining(id: i64) -> Self {
        Self(!(id as u64))
    }
}

/// A thread that waits for the outside: for a transfer or a time, or else for a signal.
#[derive(Debug)]
struct Outside {
    thread: Rc<Thread>,
    wanted: Vec<(Descriptor, Transfer)>,
    deadline: Option<u64>,
}

thread_local! {
    static QUEUES: RefCell<BTreeMap<Queue, VecDeque<Rc<Thread>>>> =
        const { RefCell::new(BTreeMap::new()) };
    static OUTSIDE: RefCell<Vec<Outside>> = const { RefCell::new(Vec::new()) };
    static LAST_POLL: Cell<LastPoll> = const { Cell::new(LastPoll { time: 0, skipped: 0 }) };
}

/// When a look asked for transfers, and how many looks have not asked since.
#[derive(Clone, Copy, Debug)]
struct LastPoll {
    time: u64,
    skipped: usize,
}

/// Waits in a queue until somebody wakes the thread.
pub fn wait_in(queue: Queue) -> Result<(), Errno> {
    if super::THREADS.with_borrow(Option::is_none) {
        return Err(Errno::DEADLK);
    }
    check()?;
    let current = with(|threads| Rc::clone(&threads.current));
    QUEUES.with_borrow_mut(|queues| queues.entry(queue).or_default().push_back(current));
    switch();
    awake().map(|_| ())
}

/// Fails where the present thread cannot stop.
fn check() -> Result<(), Errno> {
    match super::is_bound() {
        true => Err(Errno::DEADLK),
        false => Ok(()),
    }
}

/// Why the present thread goes on: whether a time has come.
fn awake() -> Result<bool, Errno> {
    match take_woken() {
        None => Ok(false),
        Some(Woken::InTime) => Ok(true),
        Some(Woken::Stuck) => Err(Errno::DEADLK),
        Some(Woken::Interrupted) => Err(Errno::INTR),
    }
}

/// Wakes the first thread of a queue, if there is one.
pub fn signal(queue: Queue) {
    let thread = QUEUES.with_borrow_mut(|queues| {
        let waiting = queues.get_mut(&queue)?;
        let first = waiting.pop_front();
        if waiting.is_empty() {
            queues.remove(&queue);
        }
        first
    });
    with_ready(thread);
}

/// Wakes all threads of a queue.
pub fn broadcast(queue: Queue) {
    let threads = QUEUES.with_borrow_mut(|queues| queues.remove(&queue));
    with_ready(threads.into_iter().flatten());
}

pub fn wake_joining(id: i64) {
    broadcast(Queue::joining(id));
}

fn with_ready(woken: impl IntoIterator<Item = Rc<Thread>>) {
    let mut woken = woken.into_iter().peekable();
    if woken.peek().is_some() {
        with(|threads| threads.ready.extend(woken));
    }
}

/// See [`crate::waiting::until_ready`]. All wait where the present thread cannot stop.
pub fn run_others(wanted: &[(Descriptor, Transfer)], deadline: Option<u64>) -> Result<bool, Errno> {
    if super::is_bound() {
        return wait_alone(wanted, deadline);
    }
    let outside = Outside {
        thread: with(|threads| Rc::clone(&threads.current)),
        wanted: wanted.to_vec(),
        deadline,
    };
    let now = os::monotonic_nanoseconds();
    if !outside.is_late(now) && !outside.is_ready() {
        OUTSIDE.with_borrow_mut(|all| all.push(outside));
        switch();
        return awake();
    }
    Ok(outside.is_late(now))
}

fn wait_alone(wanted: &[(Descriptor, Transfer)], deadline: Option<u64>) -> Result<bool, Errno> {
    if wanted.is_empty() && deadline.is_none() {
        return signals::wait().map(|()| false);
    }
    let now = os::monotonic_nanoseconds();
    let timeout = deadline.map(|deadline| deadline.saturating_sub(now));
    let ready = descriptors::poll(wanted, timeout)?;
    Ok(!ready.contains(&true))
}

impl Outside {
    /// Whether its time has come.
    fn is_late(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Whether it need not wait for a transfer, or cannot: whoever does it meets the error.
    fn is_ready(&self) -> bool {
        let look = || descriptors::poll(&self.wanted, Some(0));
        !self.wanted.is_empty() && look().map_or(true, |ready| ready.contains(&true))
    }
}

/// What all of them wait for.
fn wanted_by(all: &[Outside]) -> Vec<(Descriptor, Transfer)> {
    all.iter()
        .flat_map(|outside| outside.wanted.iter().copied())
        .collect()
}

/// Which of them need not wait for a transfer, or cannot. One question for all: the host takes
/// more time for a question than for a descriptor.
fn are_ready(all: &[Outside]) -> Vec<bool> {
    let wanted = wanted_by(all);
    if wanted.is_empty() {
        return vec![false; all.len()];
    }
    let Ok(ready) = descriptors::poll(&wanted, Some(0)) else {
        // The error is that of one of them.
        return all.iter().map(Outside::is_ready).collect();
    };
    let mut ready = ready.into_iter();
    let mut any_of = |count| ready.by_ref().take(count).fold(false, |any, one| any | one);
    all.iter()
        .map(|outside| any_of(outside.wanted.len()))
        .collect()
}

/// Whether a thread waits for the outside.
pub fn may_end() -> bool {
    !OUTSIDE.with_borrow(Vec::is_empty)
}

/// Makes those ready that wait for the outside no more. Transfers are not asked for each time if
/// they are many, as another thread can run, which looks again.
pub fn look() {
    if may_end() {
        let now = os::monotonic_nanoseconds();
        look_at(now, OUTSIDE.with_borrow(|all| is_poll_due(all, now)));
    }
}

/// The same; transfers are asked for.
fn look_closely() {
    if may_end() {
        look_at(os::monotonic_nanoseconds(), true);
    }
}

/// Whether it is time to ask for transfers again: it is for a few descriptors, and else when as
/// many looks went by as pay for it, or a millisecond.
fn is_poll_due(all: &[Outside], now: u64) -> bool {
    const SOON: u64 = 1_000_000;
    const PER_LOOK: usize = 8;
    let wanted: usize = all.iter().map(|outside| outside.wanted.len()).sum();
    let LastPoll { time, skipped } = LAST_POLL.get();
    if skipped < wanted / PER_LOOK && now.saturating_sub(time) < SOON {
        let skipped = skipped + 1;
        LAST_POLL.set(LastPoll { time, skipped });
        return false;
    }
    true
}

/// Makes those ready whose time has come, and, if `asks`, those whose transfers can be done.
fn look_at(now: u64, asks: bool) {
    if asks {
        LAST_POLL.set(LastPoll {
            time: now,
            skipped: 0,
        });
    }
    let due = OUTSIDE.with_borrow_mut(|all| {
        let mut ready = match asks {
            true => are_ready(all),
            false => vec![false; all.len()],
        }
        .into_iter();
        let due = all.extract_if(.., |outside| {
            let is_ready = ready.next() == Some(true);
            is_ready || outside.is_late(now)
        });
        due.collect::<Vec<_>>()
    });
    for outside in due {
        if outside.is_late(now) {
            outside.thread.woken.set(Some(Woken::InTime));
        }
        with_ready([outside.thread]);
    }
}

/// Makes the threads ready that wait for the outside and get these signals.
pub fn interrupt(signals: u64) {
    let mut left = signals;
    while left != 0 {
        let signal = left & left.wrapping_neg();
        left &= !signal;
        if let Some(thread) = receiver(signal)
            && let Some(outside) = take_outside(&thread)
        {
            outside.thread.woken.set(Some(Woken::Interrupted));
            with_ready([outside.thread]);
        }
    }
}

/// The thread that gets one of these signals: the first that does not block it, as in Linux.
fn receiver(signals: u64) -> Option<Rc<Thread>> {
    with(|threads| {
        let blocked = |thread: &Rc<Thread>| match Rc::ptr_eq(thread, &threads.current) {
            true => pending::blocked(),
            false => thread.blocked(),
        };
        let mut live = threads.live.values();
        live.find(|thread| signals & !blocked(thread) != 0).cloned()
    })
}

fn take_outside(thread: &Rc<Thread>) -> Option<Outside> {
    OUTSIDE.with_borrow_mut(|all| {
        let its = |outside: &Outside| Rc::ptr_eq(&outside.thread, thread);
        all.iter().position(its).map(|index| all.remove(index))
    })
}

/// The thread that is to go on: waits for the outside if none can.
pub fn next() -> Rc<Thread> {
    loop {
        match with(|threads| threads.ready.is_empty()) {
            true => look_closely(),
            false => look(),
        }
        if let Some(next) = with(|threads| threads.ready.pop_front()) {
            return next;
        }
        pending::note_kept();
        if with(|threads| !threads.ready.is_empty()) {
            continue;
        }
        if let Some(thread) = receiver(pending::all()) {
            return wake_anyway(thread, Woken::Interrupted);
        }
        if idle() == Idle::Stuck {
            return wake_anyway(left(), Woken::Stuck);
        }
    }
}

/// What waiting has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Idle {
    /// Something happened.
    Over,
    /// Nothing can.
    Stuck,
}

/// Waits until the outside lets a thread go on, or a signal comes.
fn idle() -> Idle {
    let (wanted, deadline) = OUTSIDE.with_borrow(|all| {
        let deadline = all.iter().filter_map(|outside| outside.deadline).min();
        (wanted_by(all), deadline)
    });
    let now = os::monotonic_nanoseconds();
    let timeout = deadline.map(|deadline| deadline.saturating_sub(now));
    if wanted.is_empty() && timeout.is_none() {
        return match may_end() && signals::wait().is_ok() {
            true => Idle::Over,
            false => Idle::Stuck,
        };
    }
    match descriptors::poll(&wanted, timeout) {
        Err(Errno::DEADLK) => Idle::Stuck,
        // The time has come, whatever the clock says: that of lockstep goes by itself.
        Ok(ready) if !ready.contains(&true) => {
            look_at(deadline.unwrap_or(now), true);
            Idle::Over
        }
        // The next look finds out whose it is.
        Ok(_) | Err(_) => Idle::Over,
    }
}

/// The thread that is told that nothing can end its waiting: the present one, or, if that has
/// ended, the first of those that have not.
fn left() -> Rc<Thread> {
    let thread = with(|threads| {
        let current = threads.live.get(&threads.current.id);
        let first = || threads.live.values().next();
        current.or_else(first).cloned()
    });
    // If there is none, the first thread has ended by `Thread.exit`, and so have all others.
    thread.unwrap_or_else(|| os::exit(0))
}

/// The thread goes on although it waits.
fn wake_anyway(thread: Rc<Thread>, woken: Woken) -> Rc<Thread> {
    let is_other = |other: &Rc<Thread>| !Rc::ptr_eq(other, &thread);
    QUEUES.with_borrow_mut(|queues| {
        queues.values_mut().for_each(|queue| queue.retain(is_other));
        queues.retain(|_, queue| !queue.is_empty());
    });
    drop(take_outside(&thread));
    thread.woken.set(Some(woken));
    thread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::Inherit;
    use crate::threads::frames::Regions;
    use crate::value::Value;

    /// A thread that waits until these can be read.
    fn reading(descriptors: &[Descriptor]) -> Outside {
        let wanted = descriptors.iter().map(|&one| (one, Transfer::Read));
        Outside {
            thread: Thread::new(1, Value::UNIT, Value::UNIT, None, Regions::new().first()),
            wanted: wanted.collect(),
            deadline: None,
        }
    }

    fn pipe() -> [Descriptor; 2] {
        descriptors::pipe(Inherit::Yes).expect("a pipe")
    }

    #[test]
    fn one_question_tells_all_that_are_ready() {
        let [[a, to_a], [b, _], [c, to_c]] = [pipe(), pipe(), pipe()];
        for writer in [to_a, to_c] {
            descriptors::write(writer, b"x").expect("room");
        }
        let mut all = [reading(&[b, c]), reading(&[b]), reading(&[]), reading(&[a])];
        assert_eq!(are_ready(&all), [true, false, false, true]);
        // One that was closed is its reader's business.
        descriptors::close(b).expect("it is open");
        all[0].wanted.remove(0);
        assert_eq!(are_ready(&all), [true, true, false, true]);
    }

    #[test]
    fn many_descriptors_are_asked_for_after_many_looks() {
        let many = [reading(&[3; 50]), reading(&[4; 30])];
        let few = [reading(&[3, 4, 5])];
        LAST_POLL.set(LastPoll {
            time: 0,
            skipped: 0,
        });
        let looks: Vec<bool> = (0..11).map(|_| is_poll_due(&many, 999_999)).collect();
        assert_eq!(looks, [[false; 10].as_slice(), &[true]].concat());
        LAST_POLL.set(LastPoll {
            time: 0,
            skipped: 0,
        });
        assert!(is_poll_due(&many, 1_000_000), "or after a while");
        assert!(is_poll_due(&few, 0));
    }
}
