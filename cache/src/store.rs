//! The cache's table: entries with digests, least recently used first out.
//!
//! Invariant: `digest` is that of kind, key and blob, so an entry that was changed, or moved to another
//! key, does not pass. Times are seconds; recency within a minute is not kept apart, so that reading does
//! not mean writing.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::place::damage;
use crate::{Kind, Verified};

pub const SCHEMA: &str = "
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL,
        key BLOB NOT NULL,
        digest BLOB NOT NULL,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        blob BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX entries_by_key ON entries (kind, key, digest);
    CREATE INDEX entries_by_use ON entries (used, size);
";

/// What an entry costs beyond its blob, roughly: digest, key, indexes.
const ENTRY_OVERHEAD: u64 = 160;

/// How long an entry may have been unused before using it is worth a write.
const RECENT_SECONDS: i64 = 60;

/// Candidates given out for one key, and so the work one lookup can cause.
const MAX_CANDIDATES: usize = 64;

/// Entries and bytes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStats {
    pub entries: u64,
    pub bytes: u64,
}

/// What is in a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub kinds: Vec<(Kind, KindStats)>,
}

impl Stats {
    pub fn total(&self) -> KindStats {
        self.kinds
            .iter()
            .fold(KindStats::default(), |sum, (_, kind)| KindStats {
                entries: sum.entries + kind.entries,
                bytes: sum.bytes + kind.bytes,
            })
    }
}

/// An entry to be written.
#[derive(Debug)]
pub struct Entry {
    kind: Kind,
    key: Vec<u8>,
    digest: [u8; 32],
    blob: Vec<u8>,
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
}

fn digest(kind: i64, key: &[u8], blob: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&kind.to_le_bytes());
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(blob);
    hasher.finalize().into()
}

#[derive(Debug)]
pub struct Store {
    connection: Connection,
}

impl Store {
    /// A store on a connection whose schema has been checked.
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// The entries under `key`, each with its blob, or nothing in place of a blob that is damaged.
    pub fn get(&self, kind: Kind, key: &[u8]) -> rusqlite::Result<Vec<(i64, Option<Vec<u8>>)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, digest, blob FROM entries WHERE kind = ?1 AND key = ?2 ORDER BY id LIMIT ?3")?;
        let rows =
            statement.query_map(params![kind.number(), key, MAX_CANDIDATES as i64], |row| {
                let blob: Vec<u8> = row.get(2)?;
                let sound = row
                    .get_ref(1)?
                    .as_blob()
                    .is_ok_and(|stored| stored == digest(kind.number(), key, &blob));
                Ok((row.get(0)?, sound.then_some(blob)))
            })?;
        rows.collect()
    }

    pub fn remove(&self, id: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("DELETE FROM entries WHERE id = ?1")?
            .execute([id])?;
        Ok(())
    }

    /// Adds `entries`, marks the entries `used`, and evicts down to `limit` bytes: one transaction.
    pub fn write(
        &mut self,
        entries: &[Entry],
        used: &HashSet<i64>,
        limit: u64,
    ) -> rusqlite::Result<()> {
        let now = now();
        let stale = self.stale(used, now)?;
        if entries.is_empty() && stale.is_empty() {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for id in stale {
            transaction
                .prepare_cached("UPDATE entries SET used = ?2 WHERE id = ?1")?
                .execute([id, now])?;
        }
        for entry in entries {
            transaction
                .prepare_cached(
                    "INSERT INTO entries (kind, key, digest, used, size, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                     ON CONFLICT (kind, key, digest) DO UPDATE SET used = excluded.used",
                )?
                .execute(params![
                    entry.kind.number(),
                    entry.key,
                    entry.digest,
                    now,
                    (entry.blob.len() as u64 + ENTRY_OVERHEAD) as i64,
                    entry.blob
                ])?;
        }
        let evicted = evict(&transaction, limit)?;
        transaction.commit()?;
        if evicted {
            self.connection.execute_batch("PRAGMA incremental_vacuum")?;
        }
        Ok(())
    }

    /// Those of `used` whose mark is old enough to be renewed.
    fn stale(&self, used: &HashSet<i64>, now: i64) -> rusqlite::Result<Vec<i64>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM entries WHERE id = ?1 AND used < ?2")?;
        let mut stale = Vec::new();
        for &id in used {
            if statement.exists([id, now - RECENT_SECONDS])? {
                stale.push(id);
            }
        }
        stale.sort_unstable();
        Ok(stale)
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

    /// Checks the file's structure (damage is an error) and every entry's digest; removes what does not match.
    pub fn verify(&mut self) -> rusqlite::Result<Verified> {
        let verdict: String =
            self.connection
                .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(damage(rusqlite::ffi::SQLITE_CORRUPT, &verdict));
        }
        let (entries, bad) = self.check_digests()?;
        for &id in &bad {
            self.remove(id)?;
        }
        Ok(Verified {
            entries,
            removed: bad.len() as u64,
        })
    }

    fn check_digests(&self) -> rusqlite::Result<(u64, Vec<i64>)> {
        let mut statement = self
            .connection
            .prepare("SELECT id, kind, key, digest, blob FROM entries")?;
        let mut rows = statement.query([])?;
        let (mut entries, mut bad) = (0, Vec::new());
        while let Some(row) = rows.next()? {
            let (key, stored, blob): (Vec<u8>, Vec<u8>, Vec<u8>) =
                (row.get(2)?, row.get(3)?, row.get(4)?);
            entries += 1;
            if stored != digest(row.get(1)?, &key, &blob) {
                bad.push(row.get(0)?);
            }
        }
        Ok((entries, bad))
    }

    pub fn clear(&mut self) -> rusqlite::Result<()> {
        self.connection
            .execute_batch("DELETE FROM entries; PRAGMA incremental_vacuum")
    }
}

/// Removes entries, those unused for longest first, until at most nine tenths of `limit` are in use.
/// Does nothing while `limit` is kept.
fn evict(connection: &Connection, limit: u64) -> rusqlite::Result<bool> {
    let total: i64 =
        connection.query_row("SELECT COALESCE(SUM(size), 0) FROM entries", [], |row| {
            row.get(0)
        })?;
    let mut excess = total - limit as i64;
    if excess <= 0 {
        return Ok(false);
    }
    excess += (limit / 10) as i64;
    let mut oldest = connection.prepare("SELECT id, size FROM entries ORDER BY used, id")?;
    let mut rows = oldest.query([])?;
    let mut victims = Vec::new();
    while excess > 0
        && let Some(row) = rows.next()?
    {
        victims.push(row.get::<_, i64>(0)?);
        excess -= row.get::<_, i64>(1)?;
    }
    for id in victims {
        connection
            .prepare_cached("DELETE FROM entries WHERE id = ?1")?
            .execute([id])?;
    }
    Ok(true)
}

fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_secs() as i64)
}
