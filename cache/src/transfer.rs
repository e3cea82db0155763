//! Caches in files that travel: what one machine has built, for another.
//!
//! Invariant: only entries whose digests are right are taken over. A digest finds damage, not
//! malice: whoever writes such a file can run code where it is imported, as the machine code in it
//! is run there.
//!
//! Leaves out: whole programs, which are made of what is there of their functions at once.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::Error;
use crate::place;

/// Writes what is in the tables of a cache to `path`, as a whole: in the place of a file or of
/// none, but of nothing else.
pub fn export(from: &Connection, path: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(Error::Export {
            path: path.into(),
            reason: "something that is no file has this name".into(),
        });
    }
    let unfinished = Unfinished(place::with_suffix(path, "unfinished"));
    let database = |reason| Error::Database {
        path: path.into(),
        reason,
    };
    let name = unfinished.0.to_str().ok_or_else(|| Error::Name {
        path: unfinished.0.clone(),
    })?;
    unfinished.remove();
    from.execute("VACUUM INTO ?1", [name]).map_err(database)?;
    let copy = Connection::open(name).map_err(database)?;
    copy.execute_batch("DELETE FROM entries WHERE blob IS NULL; VACUUM")
        .map_err(database)?;
    drop(copy);
    fs::rename(name, path).map_err(|reason| Error::File {
        path: path.into(),
        reason,
    })
}

/// An exported cache, if the file is one of this version.
pub fn open(path: &Path) -> Result<Connection, Error> {
    let database = |reason| Error::Database {
        path: path.into(),
        reason,
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(database)?;
    match place::is_ours(&connection).map_err(database)? {
        true => Ok(connection),
        false => Err(Error::Foreign { path: path.into() }),
    }
}

/// A file that goes unless it was renamed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn remove(&self) {
        // It need not be there.
        let _ = fs::remove_file(&self.0);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.remove();
    }
}
