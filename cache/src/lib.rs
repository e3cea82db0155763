//! A persistent cache of opaque blobs under opaque keys: a SQLite file, shared by concurrent
//! processes, and beside it a directory of blobs to be mapped.
//!
//! * [`Cache`]: the interface. Reads look the file up at once; insertions are buffered and written
//!   by [`Cache::flush`] in one transaction, which also marks what was used and bounds the file's
//!   size, or before that by [`Cache::write_meanwhile`]. [`Cache::get_file`] and
//!   [`Cache::insert_file`] do the same, at once, for large blobs, which become files.
//! * `store`: the SQL. Each entry carries a digest; one that does not match is a miss and is
//!   removed.
//! * `bound`: how much there may be. `files`: the directory.
//! * `kind`: what blobs are for; `stats`: how much there is of each.
//! * `place`: opening, and setting aside files that are damaged or not ours.
//! * `care`: what somebody asks of the cache itself; `transfer`, `exported`: caches that go from
//!   one machine to another.
//! * [`remote`]: a store that machines share; `shared`: what they share, and when.
//! * `writer`: a connection of its own to write by.
//! * [`whole`]: writing a file as a whole, for users of the cache as well.
//!
//! Invariant: nothing that goes wrong with the cache is fatal to a build: a failure is a miss, or
//! an entry not kept, and a line in [`Cache::notices`]. Who looks after it gets an error. What is
//! read back is what was written. Where files cannot be written, a cache is only looked up in, and
//! stays as it is.
//! Leaves out: what blobs and keys mean. Several different blobs may be under one key.

#![forbid(unsafe_code)]

mod bound;
mod care;
mod exported;
mod files;
mod kind;
mod place;
pub mod remote;
mod shared;
mod stats;
mod store;
mod transfer;
pub mod whole;
mod writer;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use bound::Bound;
pub use kind::Kind;
use place::{Obstacle, Opened};
use remote::{Access, Remote};
use shared::Shared;
pub use stats::{KindStats, Stats};
use store::{Entry, Store};
pub use store::{Imported, Verified};
use writer::Unwritten;

/// Why a cache could not be used at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot use {path} as a cache: {reason}")]
    File {
        path: PathBuf,
        reason: std::io::Error,
    },
    #[error("cannot use {path} as a cache: {reason}")]
    Database {
        path: PathBuf,
        reason: rusqlite::Error,
    },
    #[error("the cache {path} can only be read here")]
    ReadOnly { path: PathBuf },
    #[error("there is no room to change the cache {path}")]
    NoRoom { path: PathBuf },
    /// A file that was no cache before, and is as it was.
    #[error("{path} is not a cache of Bactrian")]
    Other { path: PathBuf },
    #[error("cannot write {path}: {reason}")]
    Export { path: PathBuf, reason: String },
    #[error("cannot read {path}: {reason}")]
    Import { path: PathBuf, reason: String },
    #[error("{path} is no cache that this version of Bactrian exported")]
    Foreign { path: PathBuf },
    #[error("cannot share a cache by {uri}: {reason}")]
    Remote { uri: String, reason: String },
}

impl Error {
    /// Whether it can come of a full disk.
    fn lacks_room(&self) -> bool {
        matches!(self, Error::NoRoom { .. })
            || matches!(self, Error::Database { reason, .. } if place::lacks_room(reason))
    }
}

/// An open cache.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    bound: Arc<Bound>,
    /// Why it is only looked up in, if it is.
    obstacle: Option<Obstacle>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Absent when the file failed and no other could be put in its place.
    store: Option<Store>,
    /// Whether the file took the place of one that was damaged, when the cache was opened or since.
    is_replacement: bool,
    /// Another cache, which is only looked up in.
    beside: Option<Store>,
    pending: Vec<Entry>,
    /// Writes what was pending, and gives back what it could not write.
    writer: Option<JoinHandle<Unwritten>>,
    /// What was used, as far as its time of last use is to be renewed.
    stale: BTreeSet<i64>,
    notices: Vec<String>,
    /// What other machines have, if there is anything to share.
    shared: Option<Shared>,
}

impl State {
    /// Notes what is under a key as used, if there is anybody to share it with.
    fn note(&mut self, kind: Kind, key: &[u8]) {
        if let Some(shared) = &mut self.shared {
            shared.note(kind, key);
        }
    }
}

/// With fewer bytes to write, a thread and a connection are not worth their while.
const WORTH_A_WRITER: usize = 1 << 20;

impl Cache {
    /// Opens, or creates, the cache in the file `path`, to be kept below `limit` bytes of blobs. A
    /// file that is damaged, or not a cache of this version, is renamed and a new one begun; a
    /// notice says so. So does one where it can only be read: then nothing is kept or shared.
    pub fn open(path: &Path, limit: u64) -> Result<Self, Error> {
        // What is beside a database is beside the file, not beside a link to it.
        let path = whole::target(path);
        let Opened {
            store,
            obstacle,
            notice,
        } = place::open(&path)?;
        let state = State {
            store: Some(store),
            is_replacement: notice.is_some() && obstacle.is_none(),
            beside: None,
            pending: Vec::new(),
            writer: None,
            stale: BTreeSet::new(),
            notices: notice.into_iter().collect(),
            shared: None,
        };
        Ok(Self {
            path,
            bound: Arc::new(Bound::new(limit)),
            obstacle,
            state: Mutex::new(state),
        })
    }

    fn is_read_only(&self) -> bool {
        self.obstacle.is_some()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on, what is missing here is taken from `remote`, as far as builds of the program
    /// `name` have left it there; [`Cache::share`] leaves there what this one used.
    pub fn share_by(&self, remote: Remote, name: &str) {
        if !self.is_read_only() {
            self.state().shared = Some(Shared::new(remote, name));
        }
    }

    /// From now on, what is missing here is looked for in the cache at `path` as well, which stays
    /// as it is. What is found there is not kept here.
    pub fn look_beside(&self, path: &Path) -> Result<(), Error> {
        self.state().beside = Some(place::open_to_read(path)?);
        Ok(())
    }

    /// The blobs under `key`, oldest first; none where the cache fails.
    pub fn get(&self, kind: Kind, key: &[u8]) -> Vec<Vec<u8>> {
        // Asked first: another thread may take them over after this one has looked here.
        let may_come = self.state().shared.as_ref().is_some_and(Shared::is_unread);
        let mut blobs = self.get_here(kind, key);
        if blobs.is_empty() {
            let beside = self.get_beside(kind, key);
            if !beside.is_empty() {
                return beside;
            }
        }
        if blobs.is_empty() && may_come {
            self.take_over();
            blobs = self.get_here(kind, key);
        }
        if !blobs.is_empty() {
            self.state().note(kind, key);
        }
        blobs
    }

    /// Takes over what other machines have, the first time.
    fn take_over(&self) {
        let mut state = self.state();
        let entries = state.shared.as_mut().map(Shared::entries);
        self.keep(&mut state, &entries.unwrap_or_default());
    }

    /// Keeps what other machines had.
    fn keep(&self, state: &mut State, entries: &[Entry]) {
        if !entries.is_empty() {
            self.guarded(state, |store| {
                store.write(entries, &BTreeSet::new(), &self.bound)
            });
        }
    }

    /// Leaves what was used since this cache is open, or made, where other machines find it.
    pub fn share(&self) {
        self.flush();
        let mut state = self.state();
        let Some(mut shared) = state.shared.take() else {
            return;
        };
        if shared.remote.access == Access::ReadAndWrite {
            let store = state.store.as_ref();
            let look_up = |kind, key: &[u8]| {
                let found = store.and_then(|store| store.get(kind, key).ok());
                let mut found = found.unwrap_or_default();
                found.retain(|entry| entry.is_sound(kind, key));
                let blobs = found.iter().map(|entry| &entry.blob);
                blobs.map(|blob| Entry::new(kind, key, blob)).collect()
            };
            let read_file = |kind, key: &[u8]| {
                let found = store?.get_file(kind, key).ok()??;
                std::fs::read(found.path).ok()
            };
            let is_complete = shared.share(look_up, read_file);
            if !is_complete && !shared.remote.is_lost() {
                state.notices.push(format!(
                    "some of what was made is not shared, as the cache {} could not keep it",
                    self.path.display()
                ));
            }
        }
        state.shared = Some(shared);
    }

    /// The blobs under a key that are here: other machines are not asked for them, nor told that
    /// they were used. Others may look up while this finds out what is sound.
    pub fn get_here(&self, kind: Kind, key: &[u8]) -> Vec<Vec<u8>> {
        let found = self.guarded(&mut self.state(), |store| store.get(kind, key));
        let found = found.unwrap_or_default().into_iter();
        let (sound, damaged): (Vec<_>, Vec<_>) = found.partition(|entry| entry.is_sound(kind, key));
        let mut state = self.state();
        for entry in damaged {
            let path = self.path.display();
            state.notices.push(match self.is_read_only() {
                true => format!("an entry of {path} is damaged"),
                false => format!("an entry of {path} was damaged and has been removed"),
            });
            self.guarded(&mut state, |store| store.remove(entry.id));
        }
        let stale = sound.iter().filter(|entry| entry.is_stale);
        state.stale.extend(stale.map(|entry| entry.id));
        sound.into_iter().map(|entry| entry.blob).collect()
    }

    /// What the other cache has, if there is one. It is not ours to mend: what is damaged there is
    /// a miss, without a notice.
    fn get_beside(&self, kind: Kind, key: &[u8]) -> Vec<Vec<u8>> {
        let state = self.state();
        let found = state.beside.as_ref().map(|store| store.get(kind, key));
        drop(state);
        let found = found.and_then(Result::ok).unwrap_or_default().into_iter();
        let sound = found.filter(|entry| entry.is_sound(kind, key));
        sound.map(|entry| entry.blob).collect()
    }

    /// Keeps `blob` under `key`, beside what is there, from the next [`Cache::flush`] on.
    pub fn insert(&self, kind: Kind, key: &[u8], blob: &[u8]) {
        if self.is_read_only() {
            return;
        }
        let entry = Entry::new(kind, key, blob);
        let mut state = self.state();
        state.pending.push(entry);
        state.note(kind, key);
    }

    /// The file that holds the blob under `key`, the newest where there are several.
    pub fn get_file(&self, kind: Kind, key: &[u8]) -> Option<PathBuf> {
        let mut state = self.state();
        let look_up = |state: &mut State| self.guarded(state, |store| store.get_file(kind, key))?;
        let mut found = look_up(&mut state);
        if found.is_none()
            && let Some((blob, notes)) = state.shared.as_mut()?.file(kind, key)
        {
            self.write_file(&mut state, kind, key, &blob);
            self.keep(&mut state, &notes);
            found = look_up(&mut state);
        }
        let found = found?;
        state.stale.extend(found.is_stale.then_some(found.id));
        Some(found.path)
    }

    /// Keeps `blob` under `key` in a file.
    pub fn insert_file(&self, kind: Kind, key: &[u8], blob: &[u8]) {
        if self.is_read_only() {
            return;
        }
        let mut state = self.state();
        self.wait(&mut state);
        self.write_file(&mut state, kind, key, blob);
        if let Some(shared) = &mut state.shared {
            shared.note_file(kind, key);
        }
    }

    fn write_file(&self, state: &mut State, kind: Kind, key: &[u8], blob: &[u8]) {
        let written = self.guarded(state, |store| {
            store.insert_file(kind, key, blob, &self.bound)
        });
        if let Some(Err(error)) = written {
            state.notices.push(format!(
                "cannot write beside the cache {}: {error}",
                self.path.display()
            ));
        }
    }

    /// Writes what was inserted, marks what was used, and removes what was used longest ago while
    /// there is more than the limit.
    pub fn flush(&self) {
        let mut state = self.state();
        self.wait(&mut state);
        let pending = std::mem::take(&mut state.pending);
        let stale = std::mem::take(&mut state.stale);
        if self.is_read_only() || pending.is_empty() && stale.is_empty() {
            return;
        }
        self.guarded(&mut state, |store| {
            store.write(&pending, &stale, &self.bound)
        });
    }

    /// Begins to write what was inserted, if that is much, by a connection of its own, so that
    /// look-ups need not wait. [`Cache::flush`] does, and writes what could not be written: what is
    /// wrong with the file is its business.
    pub fn write_meanwhile(&self) {
        let mut state = self.state();
        let sizes = state.pending.iter().map(|entry| entry.blob.len());
        if state.store.is_none() || sizes.sum::<usize>() < WORTH_A_WRITER {
            return;
        }
        self.wait(&mut state);
        if state.store.is_none() {
            return;
        }
        let entries = std::mem::take(&mut state.pending);
        let (path, bound) = (self.path.clone(), Arc::clone(&self.bound));
        state.writer = Some(std::thread::spawn(move || {
            writer::write(&path, entries, &bound)
        }));
    }

    /// Waits until nothing is written meanwhile. What could not be is pending again.
    fn wait(&self, state: &mut State) {
        let Some(Ok(unwritten)) = state.writer.take().map(JoinHandle::join) else {
            return;
        };
        state.pending.extend(unwritten.entries);
        if let Some(error) = unwritten.busy {
            // It was waited for long enough.
            state.store = None;
            state.notices.push(format!("{error}; going on without it"));
        }
    }

    /// What the user should be told, once.
    pub fn notices(&self) -> Vec<String> {
        let mut state = self.state();
        let lost = state
            .shared
            .as_mut()
            .and_then(|shared| shared.remote.notice());
        let mut notices = std::mem::take(&mut state.notices);
        notices.extend(lost);
        notices
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what a build needs; what fails is a notice.
    fn guarded<T>(
        &self,
        state: &mut State,
        work: impl FnOnce(&mut Store) -> rusqlite::Result<T>,
    ) -> Option<T> {
        self.attempt(state, work).unwrap_or_else(|error| {
            state.notices.push(format!(
                "the cache {} could not be used: {error}",
                self.path.display()
            ));
            if place::is_busy(&error) {
                // It was waited for long enough.
                state.store = None;
            }
            None
        })
    }

    /// Does `work`; where the file turns out to be damaged, sets it aside and begins a new one.
    /// Nothing where that is done, or where there is no file.
    fn attempt<T>(
        &self,
        state: &mut State,
        work: impl FnOnce(&mut Store) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let Some(store) = &mut state.store else {
            return Ok(None);
        };
        match work(store) {
            Err(error) if place::is_damage(&error) && self.is_read_only() => {
                state.store = None;
                Err(error)
            }
            Err(error) if place::is_damage(&error) => {
                state.store = None;
                state.is_replacement = true;
                match place::replace(&self.path, &error) {
                    Ok((store, notice)) => {
                        state.store = Some(store);
                        state.notices.push(notice);
                        Ok(None)
                    }
                    Err(failure) => {
                        state.notices.push(failure.to_string());
                        Err(error)
                    }
                }
            }
            result => result.map(Some),
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.flush();
    }
}
