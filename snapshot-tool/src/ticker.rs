//! A clock that has a guest look what waits at its next poll, several times a second: so its
//! threads take turns.
//!
//! Invariant: once the ticker is dropped, the guest's memory is left alone.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two ticks: a thread of the guest's runs for about so long.
const TICK: Duration = Duration::from_millis(50);

/// Ticks until it is dropped.
pub struct Ticker {
    /// The thread ends when this does.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Words of a guest's memory, with what each tick writes there.
struct Words([(&'static AtomicU32, u32); 2]);

impl Ticker {
    /// Writes 1 to the word at `pending` and the largest number to that at `alert` at each tick.
    /// Fails where no thread can be had.
    ///
    /// # Safety
    ///
    /// Both are aligned words of memory that stays where it is until the ticker is dropped, and
    /// that only the guest writes to.
    pub unsafe fn start(pending: *mut u32, alert: *mut u32) -> std::io::Result<Self> {
        // SAFETY: the caller promises it.
        let words = unsafe { [AtomicU32::from_ptr(pending), AtomicU32::from_ptr(alert)] };
        let words = Words([(words[0], 1), (words[1], u32::MAX)]);
        let (stop, stopped) = channel();
        let tick = move || {
            let Words(words) = words;
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                for (word, value) in words {
                    word.store(value, Ordering::SeqCst);
                }
            }
        };
        let thread = std::thread::Builder::new().name("ticker".into());
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread.spawn(tick)?),
        })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("a ticker does not panic");
        }
    }
}

impl fmt::Debug for Ticker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticker")
    }
}
