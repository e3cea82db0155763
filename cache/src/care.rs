//! What somebody asks of the cache itself: what is in it, whether it is sound, that it become
//! smaller or empty, and that it go to another machine.
//!
//! Invariant: what fails here is an error, not a miss.

use std::path::Path;

use crate::place::Obstacle;
use crate::store::{Imported, Store, Verified};
use crate::{Cache, Error, Stats, place, transfer, whole};

impl Cache {
    /// What is in the file, by kind.
    pub fn stats(&self) -> Result<Stats, Error> {
        Ok(self
            .looked_after(|store| store.stats())?
            .unwrap_or_default())
    }

    /// Fails where the cache can only be read.
    fn require_writable(&self) -> Result<(), Error> {
        let path = self.path.clone();
        match self.obstacle {
            None => Ok(()),
            Some(Obstacle::Forbidden) => Err(Error::ReadOnly { path }),
            Some(Obstacle::NoRoom) => Err(Error::NoRoom { path }),
        }
    }

    /// Checks the file's structure and every entry, and removes the entries that fail. Nothing
    /// where the file is, or was when it was opened, so damaged that another one has taken its
    /// place: a notice says so.
    pub fn verify(&self) -> Result<Option<Verified>, Error> {
        self.require_writable()?;
        let verified = self.looked_after(|store| store.verify())?;
        Ok(verified.filter(|_| !self.state().is_replacement))
    }

    /// Removes what was used longest ago until at most nine tenths of `limit` bytes are in use, if
    /// there are more than `limit`; the file becomes smaller.
    pub fn shrink(&self, limit: u64) -> Result<(), Error> {
        self.require_writable()?;
        self.looked_after(|store| store.shrink(limit)).map(drop)
    }

    /// Writes what is in it to another file, as a whole; whole programs stay here.
    pub fn export(&self, path: &Path) -> Result<(), Error> {
        self.flush();
        if transfer::is_of_cache(path, &self.path) {
            return Err(Error::Export {
                path: path.into(),
                reason: "it belongs to the cache itself".into(),
            });
        }
        match &self.state().store {
            Some(store) => transfer::export(store.connection(), &self.path, path),
            // A notice says why.
            None => Ok(()),
        }
    }

    /// Takes over what [`Cache::export`] wrote; nothing where this cache fails.
    pub fn import(&self, path: &Path) -> Result<Imported, Error> {
        self.require_writable()?;
        let from = transfer::open(path)?;
        let imported = self.looked_after(|store| store.import(&from, &self.bound))?;
        Ok(imported.unwrap_or_default())
    }

    /// Removes every entry.
    pub fn clear(&self) -> Result<(), Error> {
        self.require_writable()?;
        self.looked_after(|store| store.clear()).map(drop)
    }

    /// Removes every entry of the cache in the file `path`. Where that needs more room than there
    /// is (a full disk), the file goes. Returns what the user should be told.
    pub fn clear_file(path: &Path) -> Result<Vec<String>, Error> {
        let path = whole::target(path);
        place::remove_files(&path)?;
        match Self::changed(&path, Self::clear) {
            Err(error) if error.lacks_room() => place::remove(&path).map(|()| Vec::new()),
            cleared => cleared,
        }
    }

    /// Makes the cache in the file `path` smaller, as [`Cache::shrink`] does. Where that needs more
    /// room than there is (a full disk), all files beside it go first. Returns what the user should
    /// be told.
    pub fn shrink_file(path: &Path, limit: u64) -> Result<Vec<String>, Error> {
        let path = whole::target(path);
        let shrunk = || Self::changed(&path, |cache| cache.shrink(limit));
        match shrunk() {
            Err(error) if error.lacks_room() => {
                place::remove_files(&path)?;
                shrunk()
            }
            shrunk => shrunk,
        }
    }

    /// Opens a cache to change it; what the user should be told.
    fn changed(
        path: &Path,
        change: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<Vec<String>, Error> {
        let cache = Self::open(path, u64::MAX)?;
        change(&cache)?;
        Ok(cache.notices())
    }

    /// Does what somebody asked for of the cache itself, so that failing is an error. Nothing comes
    /// of it where the file turns out to be damaged: a notice says what became of that.
    fn looked_after<T>(
        &self,
        work: impl FnOnce(&mut Store) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.flush();
        let done = self.attempt(&mut self.state(), work);
        done.map_err(|reason| Error::Database {
            path: self.path.clone(),
            reason,
        })
    }
}
