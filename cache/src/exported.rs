//! The entries of a cache that was exported, as far as they can be read.

use rusqlite::{Connection, Row};

/// An entry as an exported cache has it: nothing of it was checked.
pub struct Exported {
    /// That of the kind.
    pub number: i64,
    pub key: Vec<u8>,
    pub digest: [u8; 32],
    pub blob: Vec<u8>,
}

/// Gives `take` what can be read of an exported cache. The result is what kept the rest from being
/// read; errors are those of `take`.
pub fn read(
    from: &Connection,
    mut take: impl FnMut(Exported) -> rusqlite::Result<()>,
) -> rusqlite::Result<Option<rusqlite::Error>> {
    let entries = "SELECT kind, key, digest, blob FROM entries WHERE blob IS NOT NULL ORDER BY id";
    let mut statement = match from.prepare(entries) {
        Ok(statement) => statement,
        Err(error) => return Ok(Some(error)),
    };
    let entry = |row: &Row<'_>| {
        Ok(Exported {
            number: row.get(0)?,
            key: row.get(1)?,
            digest: row.get(2)?,
            blob: row.get(3)?,
        })
    };
    let rows = match statement.query_map([], entry) {
        Ok(rows) => rows,
        Err(error) => return Ok(Some(error)),
    };
    for entry in rows {
        match entry {
            Ok(entry) => take(entry)?,
            Err(error) => return Ok(Some(error)),
        }
    }
    Ok(None)
}
