//! How much a cache may hold: what was used longest ago goes first.
//!
//! Adding up all entries takes time in proportion to their number, so a process does so once, and
//! then counts what it adds. What others add meanwhile, they count.

use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

/// The limit of one cache, and what is there of it.
#[derive(Debug)]
pub struct Bound {
    limit: u64,
    /// At least what this process knows of; absent until it is added up, and where entries went.
    total: Mutex<Option<u64>>,
}

impl Bound {
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            total: Mutex::new(None),
        }
    }

    /// Where there is more than the limit, after so many bytes were `added`, removes entries, those
    /// unused for longest first, until at most nine tenths of it are in use. Whether there was.
    pub fn evict(&self, connection: &Connection, added: u64) -> rusqlite::Result<bool> {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        *total = total.map(|total| total + added);
        if total.is_some_and(|total| total <= self.limit) {
            return Ok(false);
        }
        let sum = "SELECT COALESCE(SUM(size), 0) FROM entries";
        let there: i64 = connection.query_row(sum, [], |row| row.get(0))?;
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let excess = there - limit;
        *total = (excess <= 0).then_some(there as u64);
        if excess <= 0 {
            return Ok(false);
        }
        remove_oldest(connection, excess + limit / 10)?;
        Ok(true)
    }
}

/// Removes so many bytes, or all.
fn remove_oldest(connection: &Connection, mut excess: i64) -> rusqlite::Result<()> {
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
    Ok(())
}
