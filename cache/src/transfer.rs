//! Caches in files that travel: what one machine has built, for another.
//!
//! Invariant: only entries whose digests are right are taken over. A digest finds damage, not
//! malice: whoever writes such a file can run code where it is imported, as the machine code in it
//! is run there.
//!
//! Leaves out: whole programs, which are made of what is there of their functions at once.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::{Error, place, whole};

/// What the names of exports begin with that are not complete.
const UNFINISHED: &str = ".unfinished-";

/// How long nobody has written to one that was given up.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Whether `path` is the file of a cache, or one of those beside it.
pub fn is_of_cache(path: &Path, cache: &Path) -> bool {
    let place = |path: &Path| {
        let directory = fs::canonicalize(whole::directory(path)).ok()?;
        Some(directory.join(path.file_name()?))
    };
    let (Some(path), Some(cache)) = (place(path), place(cache)) else {
        return false;
    };
    let beside = |suffix| place::with_suffix(&cache, suffix);
    path == cache
        || ["lock", "wal", "shm", "journal"]
            .map(beside)
            .contains(&path)
        || path.starts_with(beside("modules"))
}

/// Writes what is in the tables of `cache` to `path`, as a whole: in the place of another cache, of
/// an empty file or of none, but of nothing else.
pub fn export(from: &Connection, cache: &Path, path: &Path) -> Result<(), Error> {
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
    remove_abandoned(whole::directory(path));
    // A name of its own, as others may export to the same file.
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(Permissions::from_mode(whole::NEW))
        .tempfile_in(whole::directory(path))
        .map_err(|error| failed(error.to_string()))?;
    let name = unfinished.path();
    let bytes = name.as_os_str().as_bytes();
    from.execute("VACUUM INTO CAST(?1 AS TEXT)", [bytes])
        .map_err(|reason| match place::is_damage(&reason) {
            true => Error::Database {
                path: cache.into(),
                reason,
            },
            false => failed(reason.to_string()),
        })?;
    let trimmed = Connection::open(name)
        .and_then(|copy| copy.execute_batch("DELETE FROM entries WHERE blob IS NULL; VACUUM"));
    trimmed.map_err(|error| failed(error.to_string()))?;
    let kept = unfinished.persist(path);
    kept.map_err(|error| failed(error.error.to_string()))?;
    Ok(())
}

/// Removes what exports have left in a directory whose processes were killed.
fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let is_export = whole::is_temporary(name.trim_end_matches("-journal"), UNFINISHED);
        let is_old = |there: Metadata| {
            let age = there.modified().ok()?.elapsed().ok()?;
            Some(there.is_file() && age > ABANDONED)
        };
        if is_export && entry.metadata().ok().and_then(is_old) == Some(true) {
            // Another export may have done so.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// An exported cache, if the file is one of this version.
pub fn open(path: &Path) -> Result<Connection, Error> {
    place::require_file(path)?;
    let failed = |reason: rusqlite::Error| Error::Import {
        path: path.into(),
        reason: reason.to_string(),
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    match place::is_ours(&connection).map_err(failed)? {
        true => Ok(connection),
        false => Err(Error::Foreign { path: path.into() }),
    }
}
