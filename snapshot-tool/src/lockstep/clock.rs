//! The clock of lockstep, the same for both sides: it advances by a microsecond each time that it
//! is read, and by the time for which the program waited.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// Nanoseconds between two readings.
const TICK: u64 = 1_000;

/// Seconds from 1970 to the start of a program.
const START: u64 = 1_000_000_000;

/// A clock with readings of its own. Clones of it, too, advance by what the program waited.
#[derive(Debug, Default)]
pub struct Clock {
    reads: AtomicU64,
    waited: Arc<AtomicU64>,
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        Self {
            reads: AtomicU64::default(),
            waited: Arc::clone(&self.waited),
        }
    }
}

impl Clock {
    fn read(&self) -> u64 {
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        TICK * reads + self.waited.load(Ordering::Relaxed)
    }

    /// The program has waited for so long.
    pub fn advance(&self, waited: Duration) {
        self.waited
            .fetch_add(waited.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(TICK)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(START) + Duration::from_nanos(self.read())
    }
}

impl HostMonotonicClock for Clock {
    fn resolution(&self) -> u64 {
        TICK
    }

    fn now(&self) -> u64 {
        self.read()
    }
}
