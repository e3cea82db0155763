//! Writing entries by another connection, while the cache is looked up in.
//!
//! Invariant: what is not written is given back. Leaves out: what is wrong with the file, unless it
//! is that others keep it busy: who waited for them once need not again.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::bound::Bound;
use crate::store::Entry;
use crate::{Error, place};

/// What could not be written.
#[derive(Debug, Default)]
pub struct Unwritten {
    pub entries: Vec<Entry>,
    /// Why not, where other processes were waited for as long as anybody waits for them.
    pub busy: Option<Error>,
}

/// Writes to the file of a cache that is open.
pub fn write(path: &Path, entries: Vec<Entry>, bound: &Bound) -> Unwritten {
    let written = place::again(path).and_then(|mut store| {
        let written = store.write(&entries, &BTreeSet::new(), bound);
        written.map_err(|reason| Error::Database {
            path: path.into(),
            reason,
        })
    });
    match written {
        Ok(()) => Unwritten::default(),
        Err(error) => Unwritten {
            entries,
            busy: Some(error).filter(is_of_waiting),
        },
    }
}

fn is_of_waiting(error: &Error) -> bool {
    let is_locked =
        matches!(error, Error::File { reason, .. } if reason.kind() == io::ErrorKind::TimedOut);
    is_locked || matches!(error, Error::Database { reason, .. } if place::is_busy(reason))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::{Cache, Kind};

    #[test]
    fn a_busy_file_is_waited_for_once() {
        let place = TempDir::new().expect("a scratch directory");
        let path = place.path().join("cache");
        let cache = Cache::open(&path, 1 << 20).expect("it opens");
        let unwritten = Unwritten {
            entries: vec![Entry::new(Kind::Module, b"key", b"blob")],
            busy: Some(Error::Database {
                path: path.clone(),
                reason: crate::store::damage(rusqlite::ffi::SQLITE_BUSY, "database is locked"),
            }),
        };
        cache.state().writer = Some(std::thread::spawn(|| unwritten));
        cache.insert_file(Kind::Module, b"other", b"blob");
        cache.flush();
        assert!(cache.state().store.is_none(), "it is left alone");
        let notices = cache.notices();
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("database is locked; going on without it"));
        drop(cache);
        let cache = Cache::open(&path, 1 << 20).expect("it opens");
        assert_eq!(cache.stats().expect("it is sound").total().entries, 0);
    }
}
