//! Work on a list of items, by a number of threads.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `work` makes of each item and its index, in the items' order, by so many threads.
///
/// # Panics
///
/// If no thread can be started, or one panics.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return;
            };
            let result = work(index, item);
            done.lock().expect("no worker panics").insert(index, result);
        }
    };
    thread::scope(|scope| {
        for number in 0..threads {
            // A thread with a name prints why it panics: see `mutants::judge::quietly`.
            let builder = thread::Builder::new().name(format!("worker {number}"));
            builder
                .spawn_scoped(scope, run)
                .expect("a thread can be started");
        }
    });
    let done = done.into_inner().expect("no worker panicked");
    done.into_values().collect()
}
