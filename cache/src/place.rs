//! The cache's file: opening it, recognising one that is damaged or not ours, and setting that
//! aside.
//!
//! Invariant: files are created, judged and renamed only under a lock file beside them, so that of
//! two processes that find a damaged file one replaces it and the other finds the replacement.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::Error;
use crate::files::Files;
use crate::store::{SCHEMA, Store, damage};

/// Marks a SQLite file as ours: "Bact".
const APPLICATION: i64 = 0x4261_6374;

/// Version of the schema; another version's file is set aside.
const VERSION: i64 = 2;

/// Where SQLite's header has the two.
const APPLICATION_AT: usize = 68;
const VERSION_AT: usize = 60;

/// How long to wait for other processes' transactions and locks.
const BUSY: Duration = Duration::from_secs(30);

/// How long to wait before a lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// A cache that was opened.
pub struct Opened {
    pub store: Store,
    /// Why it is only looked up in, if it is.
    pub obstacle: Option<Obstacle>,
    /// What the user should know.
    pub notice: Option<String>,
}

/// What keeps a cache that can be read from being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    Forbidden,
    NoRoom,
}

/// Opens or creates the file.
pub fn open(path: &Path) -> Result<Opened, Error> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|reason| file_error(path, reason))?;
    }
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(Error::Other { path: path.into() });
    }
    // Without the lock, whose file is what a cache may be known by.
    if !was_cache(path) && connect(path).is_err_and(|error| is_damage(&error)) {
        return Err(Error::Other { path: path.into() });
    }
    let _lock = match lock(path) {
        Err(Error::File { reason, .. })
            if path.is_file()
                && let Some(obstacle) = obstacle_to_files(&reason) =>
        {
            return match connect_to_read(path) {
                Ok(connection) => Ok(read_only(path, store(path, connection), obstacle)),
                Err(reason) => Err(database_error(path, reason)),
            };
        }
        lock => lock?,
    };
    match connect(path).map(|connection| store(path, connection)) {
        Ok(store) if store.is_read_only() => Ok(read_only(path, store, Obstacle::Forbidden)),
        Ok(store) => Ok(Opened {
            store,
            obstacle: None,
            notice: None,
        }),
        Err(error) if is_damage(&error) => {
            let (store, notice) = begin_anew(path, &error)?;
            Ok(Opened {
                store,
                obstacle: None,
                notice: Some(notice),
            })
        }
        Err(reason) => match (obstacle(&reason), connect_to_read(path)) {
            (Some(obstacle), Ok(connection)) => {
                Ok(read_only(path, store(path, connection), obstacle))
            }
            _ => Err(database_error(path, reason)),
        },
    }
}

/// What an error says of making or changing files here.
fn obstacle_to_files(error: &io::Error) -> Option<Obstacle> {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem => Some(Obstacle::Forbidden),
        StorageFull | QuotaExceeded => Some(Obstacle::NoRoom),
        _ => None,
    }
}

/// What an error of a connection that was to write says of that. Where no log can be made beside
/// the file, it says that something could not be opened.
fn obstacle(error: &rusqlite::Error) -> Option<Obstacle> {
    match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Some(Obstacle::Forbidden),
        _ => lacks_room(error).then_some(Obstacle::NoRoom),
    }
}

/// Opens a file, if it is a cache, and leaves it as it is.
pub fn open_to_read(path: &Path) -> Result<Store, Error> {
    require_file(path)?;
    let connection = connect_to_read(path).map_err(|reason| Error::Import {
        path: path.into(),
        reason: reason.to_string(),
    })?;
    Ok(store(path, connection))
}

/// Fails where there is no file that can be read. SQLite does not say why it cannot be, and waits
/// for somebody who writes to a pipe.
pub fn require_file(path: &Path) -> Result<(), Error> {
    let unreadable = |reason: io::Error| Error::Import {
        path: path.into(),
        reason: reason.to_string(),
    };
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(Error::Foreign { path: path.into() });
    }
    File::open(path).map(drop).map_err(unreadable)
}

/// A connection to a cache in a place where nothing can be written.
fn connect_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let attempt = |connection: Connection| {
        connection.busy_timeout(BUSY)?;
        match is_ours(&connection)? {
            true => Ok(connection),
            false => Err(foreign()),
        }
    };
    let first = Connection::open_with_flags(path, flags).and_then(attempt);
    // Without a log beside it, the file is all that there is. SQLite would make one unless it
    // believes that nobody writes to the file. If somebody does, digests find what goes wrong.
    match first {
        Err(error) if !is_damage(&error) && length(&with_suffix(path, "wal")) == 0 => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable(path), flags).and_then(attempt)
        }
        first => first,
    }
}

/// The address by which SQLite opens a file that nobody changes.
fn immutable(path: &Path) -> String {
    let mut address = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                address.push(byte.into());
            }
            _ => address += &format!("%{byte:02x}"),
        }
    }
    address + "?immutable=1"
}

fn read_only(path: &Path, store: Store, obstacle: Obstacle) -> Opened {
    let name = path.display();
    let notice = match obstacle {
        Obstacle::Forbidden => {
            format!("the cache {name} can only be read here: nothing new is kept or shared")
        }
        Obstacle::NoRoom => format!(
            "there is no room to write to the cache {name}: it is only read, and nothing new is \
             kept or shared"
        ),
    };
    Opened {
        store,
        obstacle: Some(obstacle),
        notice: Some(notice),
    }
}

/// Removes the files beside a cache, if it is one.
pub fn remove_files(path: &Path) -> Result<(), Error> {
    if !was_cache(path) {
        return Ok(());
    }
    let swept = lock(path).and_then(|_lock| {
        let files = Files::new(with_suffix(path, "modules"));
        files
            .sweep(&HashSet::new())
            .map_err(|reason| file_error(path, reason))
    });
    match swept {
        // What is only to be read is an error of its own.
        Err(Error::File { reason, .. }) if obstacle_to_files(&reason).is_some() => Ok(()),
        swept => swept,
    }
}

/// Removes a cache: who has it open goes on with a file that has no name.
pub fn remove(path: &Path) -> Result<(), Error> {
    let _lock = lock(path)?;
    let removed = fs::remove_file(path).and_then(|()| remove_log(path));
    removed.map_err(|reason| file_error(path, reason))
}

fn file_error(path: &Path, reason: io::Error) -> Error {
    Error::File {
        path: path.into(),
        reason,
    }
}

/// The error of a database; where the file cannot be opened, the system's, which says why.
fn database_error(path: &Path, reason: rusqlite::Error) -> Error {
    match File::open(path) {
        Err(system) if reason.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            file_error(path, system)
        }
        Err(_) | Ok(_) => Error::Database {
            path: path.into(),
            reason,
        },
    }
}

/// Whether the file is a cache, of whatever version and however damaged, or has nothing in it: what
/// is not must stay where it is. A cache has our mark in SQLite's header, or, if nothing of that is
/// left, a lock file beside it.
pub fn was_cache(path: &Path) -> bool {
    length(path) == 0
        || with_suffix(path, "lock").exists()
        || header_number(path, APPLICATION_AT).is_ok_and(|mark| mark == APPLICATION)
}

/// Whether the file has our mark, and says that it is of another version.
fn is_of_other_version(path: &Path) -> bool {
    let numbers = [APPLICATION_AT, VERSION_AT].map(|at| header_number(path, at).ok());
    matches!(numbers, [Some(APPLICATION), Some(version)] if version != VERSION)
}

/// A number in SQLite's header.
fn header_number(path: &Path, at: usize) -> io::Result<i64> {
    let mut header = [0; 72];
    File::open(path)?.read_exact(&mut header)?;
    let bytes = header[at..].first_chunk();
    Ok(u32::from_be_bytes(*bytes.expect("the header has it")).into())
}

/// Another connection to the file of one that is open.
pub fn again(path: &Path) -> Result<Store, Error> {
    let _lock = lock(path)?;
    let connection = connect(path).map_err(|reason| database_error(path, reason))?;
    Ok(store(path, connection))
}

/// Sets aside the file in which `damage` was met after it had been opened, and begins a new one,
/// unless another process has done so.
pub fn replace(path: &Path, damage: &rusqlite::Error) -> Result<(Store, String), Error> {
    let _lock = lock(path)?;
    let sound = connect(path).ok().filter(is_sound);
    match sound {
        Some(connection) => Ok((
            store(path, connection),
            format!("the cache {} was replaced meanwhile", path.display()),
        )),
        None => begin_anew(path, damage),
    }
}

/// Whether `error` says that the file is no usable cache, rather than that it is busy, full or out
/// of reach.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(
                failure.code,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TypeMismatch
            ) || failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
        }
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::QueryReturnedNoRows => true,
        _ => false,
    }
}

/// Whether `error` can come of a full disk.
pub fn lacks_room(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DiskFull, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(DiskFull | SystemIoFailure))
}

/// Whether `error` says that other processes have used the file for all of [`BUSY`].
pub fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// What is in the file, and in the directory beside it.
fn store(path: &Path, connection: Connection) -> Store {
    Store::new(connection, Files::new(with_suffix(path, "modules")))
}

fn lock(path: &Path) -> Result<File, Error> {
    let lock = || {
        let file = File::create(with_suffix(path, "lock"))?;
        let begin = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if begin.elapsed() < BUSY => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another process has held its lock for too long",
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    };
    lock().map_err(|reason| file_error(path, reason))
}

/// A connection whose file is a cache of this version; an empty or absent file becomes one.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(32);
    // Plans must not depend on what is bound, or SQLite makes one at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let pages = page_count(&connection)?;
    if pages == 0 && length(path) > 0 {
        return Err(damage(
            rusqlite::ffi::SQLITE_NOTADB,
            "too short for a database",
        ));
    }
    if pages == 0 || is_blank(&connection)? {
        create(&connection)?;
    }
    if !is_ours(&connection)? {
        return Err(foreign());
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; SELECT id FROM entries LIMIT 1")?;
    if is_truncated(path, &connection)? {
        return Err(damage(
            rusqlite::ffi::SQLITE_CORRUPT,
            "the file is shorter than it says",
        ));
    }
    Ok(connection)
}

fn foreign() -> rusqlite::Error {
    damage(
        rusqlite::ffi::SQLITE_NOTADB,
        "not a cache of this version of Bactrian",
    )
}

/// Whether the database says that it is a cache of this version.
pub fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
    };
    Ok(pragma("application_id")? == APPLICATION && pragma("user_version")? == VERSION)
}

/// Whether the database has nothing in it: a process was killed before it made a cache of it.
fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    let marks = "SELECT (SELECT application_id FROM pragma_application_id) = 0
                     AND (SELECT user_version FROM pragma_user_version) = 0
                 AND NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    connection.query_row(marks, [], |row| row.get(0))
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {APPLICATION}; \
         PRAGMA user_version = {VERSION}; COMMIT"
    ))
}

/// Whether pages are missing at the file's end. Another process may have made it smaller between
/// two looks; while a transaction reads, none does. It would take time where nothing is missing.
fn is_truncated(path: &Path, connection: &Connection) -> rusqlite::Result<bool> {
    if !seems_truncated(path, connection)? {
        return Ok(false);
    }
    let _reading = connection.unchecked_transaction()?;
    // The first read begins it.
    page_count(connection)?;
    seems_truncated(path, connection)
}

/// Whether pages are missing by two looks. What is still in the write-ahead log is not missing.
fn seems_truncated(path: &Path, connection: &Connection) -> rusqlite::Result<bool> {
    if length(&with_suffix(path, "wal")) > 0 {
        return Ok(false);
    }
    let pages = page_count(connection)?;
    let page_size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    Ok(length(path) < (pages * page_size) as u64)
}

fn page_count(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA page_count", [], |row| row.get(0))
}

/// The file's length; 0 where there is none.
fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

fn is_sound(connection: &Connection) -> bool {
    connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        .is_ok_and(|verdict| verdict == "ok")
}

fn begin_anew(path: &Path, damage: &rusqlite::Error) -> Result<(Store, String), Error> {
    let aside = set_aside(path).map_err(|reason| file_error(path, reason))?;
    let connection = connect(path).map_err(|reason| database_error(path, reason))?;
    let notice = format!(
        "the cache {} was not usable ({damage}); it is now {}, and a new one has been begun",
        path.display(),
        aside.display()
    );
    Ok((store(path, connection), notice))
}

/// Renames the file to a name not in use; its log goes, since it belongs to no other file. Of those
/// that another version made, the last one is kept: versions that take turns make many.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = match is_of_other_version(path) {
        true => with_suffix(path, "other-version"),
        false => (1..)
            .map(|number| with_suffix(path, &format!("damaged-{number}")))
            .find(|aside| !aside.exists())
            .expect("some number is free"),
    };
    fs::rename(path, &aside)?;
    remove_log(path)?;
    Ok(aside)
}

fn remove_log(path: &Path) -> io::Result<()> {
    for log in ["wal", "shm"] {
        match fs::remove_file(with_suffix(path, log)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// `path` with `-suffix` after its name, as SQLite names the files beside a database.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-");
    name.push(suffix);
    name.into()
}
