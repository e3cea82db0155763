//! The cache's table: entries with digests, least recently used first out.
//!
//! An entry's blob is in the table, or, where `blob` is null, in the file that is named by its
//! digest. Invariant: `digest` is that of kind, key and blob, so an entry that was changed, or
//! moved to another key, does not pass. Times are in seconds. The time of last use is renewed at
//! most once an hour, so that builds that follow each other write nothing but what is new.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, MAIN_DB, OptionalExtension, TransactionBehavior, params};

use crate::bound::Bound;
use crate::exported::{self, Exported};
use crate::files::Files;
use crate::kind::Kind;
use crate::stats::{KindStats, Stats};

pub const SCHEMA: &str = "
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL,
        key BLOB NOT NULL,
        digest BLOB NOT NULL,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        blob BLOB
    ) STRICT;
    CREATE UNIQUE INDEX entries_by_key ON entries (kind, key, digest);
    CREATE INDEX entries_by_use ON entries (used, size);
    CREATE INDEX entries_in_files ON entries (digest) WHERE blob IS NULL;
";

/// What an entry with a blob of so many bytes takes in the file, roughly: digest, key and indexes
/// beside it, and what pages leave free. Measured with a million entries, by `make store`.
fn size_of_entry(blob: usize) -> u64 {
    const OVERHEAD: u64 = 300;
    let blob = blob as u64;
    blob + blob / 8 + OVERHEAD
}

/// How long an entry may have been unused before using it is worth a write: it is *stale* then.
const RECENT_SECONDS: i64 = 3600;

fn is_stale(used: i64) -> bool {
    used < now() - RECENT_SECONDS
}

/// Candidates given out for one key, and so the work one lookup can cause.
const MAX_CANDIDATES: usize = 64;

/// What [`Store::verify`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub entries: u64,
    /// Entries whose contents did not match their digest; they are gone now.
    pub damaged: u64,
    /// Entries whose files were gone; they are as well now.
    pub lost: u64,
}

/// What [`Store::import`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Entries that are there now; some may have been before.
    pub entries: u64,
    /// Entries whose contents did not match their digests.
    pub damaged: u64,
    /// What kept the rest from being read, if anything.
    pub unread: Option<String>,
}

/// An entry to be written.
#[derive(Debug)]
pub struct Entry {
    pub kind: Kind,
    pub key: Vec<u8>,
    digest: [u8; 32],
    pub blob: Vec<u8>,
}

impl Entry {
    pub fn new(kind: Kind, key: &[u8], blob: &[u8]) -> Self {
        Self {
            kind,
            key: key.to_vec(),
            digest: digest(kind.number(), key, blob),
            blob: blob.to_vec(),
        }
    }

    /// That of kind, key and blob.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

/// That of an entry.
pub fn digest(kind: i64, key: &[u8], blob: &[u8]) -> [u8; 32] {
    digest_of_entry(kind, key).update(blob).finalize().into()
}

fn digest_of_file(kind: i64, key: &[u8], path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = digest_of_entry(kind, key);
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().into())
}

/// A digest to which only the blob is missing.
fn digest_of_entry(kind: i64, key: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&kind.to_le_bytes());
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher
}

#[derive(Debug)]
pub struct Store {
    connection: Connection,
    files: Files,
}

/// An entry that was looked up.
#[derive(Debug)]
pub struct Found {
    pub id: i64,
    pub is_stale: bool,
    /// Nothing where what is there is none.
    digest: Option<[u8; 32]>,
    pub blob: Vec<u8>,
}

impl Found {
    /// Whether it is what was written under this key.
    pub fn is_sound(&self, kind: Kind, key: &[u8]) -> bool {
        self.digest == Some(digest(kind.number(), key, &self.blob))
    }
}

/// An entry whose blob is a file.
#[derive(Debug)]
pub struct FoundFile {
    pub id: i64,
    pub is_stale: bool,
    pub path: PathBuf,
}

impl Store {
    /// A store on a connection whose schema has been checked, and the files beside it.
    pub fn new(connection: Connection, files: Files) -> Self {
        Self { connection, files }
    }

    /// Whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        self.connection.is_readonly(MAIN_DB).unwrap_or(false)
    }

    /// The entries under `key`, as they are: whether they are sound takes longer to find out, and
    /// no connection.
    pub fn get(&self, kind: Kind, key: &[u8]) -> rusqlite::Result<Vec<Found>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, used, digest, blob FROM entries
             WHERE kind = ?1 AND key = ?2 AND blob IS NOT NULL ORDER BY id LIMIT ?3",
        )?;
        let rows =
            statement.query_map(params![kind.number(), key, MAX_CANDIDATES as i64], |row| {
                Ok(Found {
                    id: row.get(0)?,
                    is_stale: is_stale(row.get(1)?),
                    digest: row.get(2).ok(),
                    blob: row.get(3)?,
                })
            })?;
        rows.collect()
    }

    /// The newest entry under `key` that is a file. One whose file is damaged or gone is removed.
    pub fn get_file(&self, kind: Kind, key: &[u8]) -> rusqlite::Result<Option<FoundFile>> {
        let entry = self
            .connection
            .prepare_cached(
                "SELECT id, used, digest FROM entries
                 WHERE kind = ?1 AND key = ?2 AND blob IS NULL ORDER BY id DESC LIMIT 1",
            )?
            .query_row(params![kind.number(), key], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((id, used, stored)) = entry else {
            return Ok(None);
        };
        let path = self.files.path(&stored);
        if digest_of_file(kind.number(), key, &path).is_ok_and(|digest| digest == stored) {
            return Ok(Some(FoundFile {
                id,
                is_stale: is_stale(used),
                path,
            }));
        }
        if !self.is_read_only() {
            self.remove(id)?;
            // A file that cannot be removed now is overwritten or swept later.
            let _ = self.files.remove(&stored);
        }
        Ok(None)
    }

    /// Keeps `blob` under `key` as a file; the inner error is the file's.
    pub fn insert_file(
        &mut self,
        kind: Kind,
        key: &[u8],
        blob: &[u8],
        bound: &Bound,
    ) -> rusqlite::Result<io::Result<()>> {
        let digest = digest(kind.number(), key, blob);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Within the transaction, lest another process sweep the file before it has an entry.
        if let Err(error) = self.files.write(&digest, blob) {
            return Ok(Err(error));
        }
        let added = insert(&transaction, (kind, key, &digest), blob.len(), None, now())?;
        bound.evict(&transaction, added)?;
        transaction.commit()?;
        self.sweep().map(Ok)
    }

    /// Removes the files of ours that are no entries. No process can add one meanwhile; what cannot
    /// be removed is tried again the next time.
    fn sweep(&mut self) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let _ = self.files.sweep(&digests_of_files(&transaction)?);
        transaction.commit()
    }

    /// Removes an entry, where something can be written.
    pub fn remove(&self, id: i64) -> rusqlite::Result<()> {
        if self.is_read_only() {
            return Ok(());
        }
        self.connection
            .prepare_cached("DELETE FROM entries WHERE id = ?1")?
            .execute([id])?;
        Ok(())
    }

    /// Adds `entries`, marks those in use that are `stale`, and evicts what is beyond `bound`: one
    /// transaction.
    pub fn write(
        &mut self,
        entries: &[Entry],
        stale: &BTreeSet<i64>,
        bound: &Bound,
    ) -> rusqlite::Result<()> {
        let (now, mut added) = (now(), 0);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for id in stale {
            transaction
                .prepare_cached("UPDATE entries SET used = ?2 WHERE id = ?1")?
                .execute([*id, now])?;
        }
        for entry in entries {
            let (size, blob) = (entry.blob.len(), Some(&entry.blob[..]));
            let entry = (entry.kind, &entry.key[..], &entry.digest);
            added += insert(&transaction, entry, size, blob, now)?;
        }
        let evicted = bound.evict(&transaction, added)?;
        transaction.commit()?;
        if evicted {
            self.sweep()?;
        }
        if evicted && self.is_mostly_air()? {
            give_back(&self.connection)?;
        }
        Ok(())
    }

    /// Whether so many pages are free that giving them back is worth keeping other processes
    /// waiting: entries to come use free pages.
    fn is_mostly_air(&self) -> rusqlite::Result<bool> {
        let pragma = |name: &str| {
            self.connection
                .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
        };
        Ok(pragma("freelist_count")? > pragma("page_count")? / 4)
    }

    pub fn stats(&self) -> rusqlite::Result<Stats> {
        let mut kinds = Vec::new();
        for kind in Kind::ALL {
            let counts = self.connection.query_row(
                "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM entries WHERE kind = ?1",
                [kind.number()],
                |row| {
                    Ok(KindStats {
                        entries: row.get::<_, i64>(0)? as u64,
                        bytes: row.get::<_, i64>(1)? as u64,
                    })
                },
            )?;
            kinds.push((kind, counts));
        }
        Ok(Stats { kinds })
    }

    /// Checks the file's structure (damage is an error) and every entry's digest; removes what does
    /// not match.
    pub fn verify(&mut self) -> rusqlite::Result<Verified> {
        let verdict: String =
            self.connection
                .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            // The line above it says in which database.
            let what = verdict.lines().last().unwrap_or_default();
            return Err(damage(rusqlite::ffi::SQLITE_CORRUPT, what));
        }
        let (verified, bad) = self.check_digests()?;
        for id in bad {
            self.remove(id)?;
        }
        self.sweep()?;
        Ok(verified)
    }

    /// What is to be said of the entries, and which are to go.
    fn check_digests(&self) -> rusqlite::Result<(Verified, Vec<i64>)> {
        let mut statement = self
            .connection
            .prepare("SELECT id, kind, key, digest, blob FROM entries")?;
        let mut rows = statement.query([])?;
        let (mut verified, mut bad) = (Verified::default(), Vec::new());
        while let Some(row) = rows.next()? {
            let (kind, key, stored): (i64, Vec<u8>, [u8; 32]) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            let found = match row.get::<_, Option<Vec<u8>>>(4)? {
                Some(blob) => Ok(digest(kind, &key, &blob)),
                None => digest_of_file(kind, &key, &self.files.path(&stored)),
            };
            verified.entries += 1;
            match found {
                Ok(found) if found == stored => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => verified.lost += 1,
                Ok(_) | Err(_) => verified.damaged += 1,
            }
            bad.push(row.get(0)?);
        }
        Ok((verified, bad))
    }

    /// Evicts down to `limit` bytes, and gives what is free back to the system.
    pub fn shrink(&mut self, limit: u64) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let evicted = Bound::new(limit).evict(&transaction, 0)?;
        transaction.commit()?;
        if evicted {
            self.sweep()?;
        }
        give_back(&self.connection)
    }

    /// The database, to be read.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Takes over the entries of another cache's tables, all at once.
    pub fn import(&mut self, from: &Connection, bound: &Bound) -> rusqlite::Result<Imported> {
        let (now, mut added) = (now(), 0);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut imported = Imported::default();
        let unread = exported::read(from, |entry| {
            let Exported {
                number,
                key,
                digest: stored,
                blob,
            } = entry;
            let mut kinds = Kind::ALL.into_iter();
            match kinds.find(|kind| kind.number() == number) {
                Some(kind) if digest(number, &key, &blob) == stored => {
                    let size = blob.len();
                    let entry = (kind, &key[..], &stored);
                    added += insert(&transaction, entry, size, Some(&blob), now)?;
                    imported.entries += 1;
                }
                Some(_) | None => imported.damaged += 1,
            }
            Ok(())
        })?;
        imported.unread = unread.map(|error| error.to_string());
        bound.evict(&transaction, added)?;
        transaction.commit()?;
        Ok(imported)
    }

    pub fn clear(&mut self) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM entries", [])?;
        give_back(&self.connection)?;
        self.sweep()
    }
}

/// Adds an entry, or marks it as used where it is there already. What it takes, roughly.
fn insert(
    connection: &Connection,
    (kind, key, digest): (Kind, &[u8], &[u8; 32]),
    size: usize,
    blob: Option<&[u8]>,
    now: i64,
) -> rusqlite::Result<u64> {
    let size = size_of_entry(size);
    connection
        .prepare_cached(
            "INSERT INTO entries (kind, key, digest, used, size, blob)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (kind, key, digest) DO UPDATE SET used = excluded.used",
        )?
        .execute(params![kind.number(), key, digest, now, size as i64, blob])?;
    Ok(size)
}

/// The digests of all entries that are files.
fn digests_of_files(connection: &Connection) -> rusqlite::Result<HashSet<[u8; 32]>> {
    connection
        .prepare_cached("SELECT digest FROM entries WHERE blob IS NULL")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Gives free pages back to the system. The pragma has a row for each.
fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_secs() as i64)
}

/// Damage that SQLite itself does not report.
pub fn damage(code: i32, what: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(what.into()))
}
