//! Caches in files that travel: what one machine has built, for another.
//!
//! Invariant: only entries whose digests are right are taken over. A digest finds damage, not
//! malice: whoever writes such a file can run code where it is imported, as the machine code in it
//! is run there.
//!
//! Leaves out: whole programs, which are made of what is there of their functions at once.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::{Error, place, whole};

/// Writes what is in the tables of a cache to `path`, as a whole: in the place of another cache, of
/// an empty file or of none, but of nothing else.
pub fn export(from: &Connection, path: &Path) -> Result<(), Error> {
    let failed = |reason: String| Error::Export {
        path: path.into(),
        reason,
    };
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(failed("something that is no file has this name".into()));
    }
    if !place::was_cache(path) {
        return Err(Error::Other { path: path.into() });
    }
    // A name of its own, as others may export to the same file.
    let unfinished = tempfile::Builder::new()
        .prefix(".unfinished-")
        .permissions(Permissions::from_mode(whole::NEW))
        .tempfile_in(whole::directory(path))
        .map_err(|error| failed(error.to_string()))?;
    let copied = || {
        let name = unfinished.path();
        let bytes = name.as_os_str().as_bytes();
        let said = |error: rusqlite::Error| error.to_string();
        from.execute("VACUUM INTO CAST(?1 AS TEXT)", [bytes])
            .map_err(said)?;
        let copy = Connection::open(name).map_err(said)?;
        copy.execute_batch("DELETE FROM entries WHERE blob IS NULL; VACUUM")
            .map_err(said)
    };
    copied().map_err(failed)?;
    let kept = unfinished.persist(path);
    kept.map_err(|error| failed(error.error.to_string()))?;
    Ok(())
}

/// An exported cache, if the file is one of this version.
pub fn open(path: &Path) -> Result<Connection, Error> {
    let failed = |reason| Error::Import {
        path: path.into(),
        reason,
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    match place::is_ours(&connection).map_err(failed)? {
        true => Ok(connection),
        false => Err(Error::Foreign { path: path.into() }),
    }
}
