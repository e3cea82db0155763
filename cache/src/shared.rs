//! What machines share of their caches, as objects of a [`Remote`].
//!
//! Looking up each entry would be a round trip for each of ten thousand functions. So a *lineage*,
//! the builds of one program, is an object that lists *packs*, and a pack has all entries that a
//! build used and no pack had yet. A machine that misses the first entry reads the lineage and its
//! packs, and has what the program's last build had. A blob that is a file is an object of its own,
//! found by its key, with the entries under the same key.
//!
//! Invariant: a pack is named by the digest of its bytes, and what has other bytes is not believed;
//! an entry is found under the key that it was kept with. Two builders that write a lineage at once
//! lose what one of them added, no more.

use std::collections::HashSet;

use crate::Kind;
use crate::remote::Remote;
use crate::store::{Entry, digest};

/// Packs of a lineage before they become one, with what the last build used of them.
const MOST_PACKS: usize = 8;

/// Bytes of a digest.
const DIGEST: usize = 32;

/// What is known of a lineage.
#[derive(Debug)]
pub struct Shared {
    pub remote: Remote,
    /// The name of the object that lists the packs.
    lineage: String,
    /// Absent until the store was asked.
    packs: Option<Vec<[u8; DIGEST]>>,
    /// The digests of the entries in the packs that were read.
    known: HashSet<[u8; DIGEST]>,
    /// What was used or made, in that order.
    used: Vec<(Kind, Vec<u8>)>,
    files: Vec<(Kind, Vec<u8>)>,
    was_read: bool,
}

impl Shared {
    /// What builds of the program `name` share by way of `remote`.
    pub fn new(remote: Remote, name: &str) -> Self {
        Self {
            remote,
            lineage: format!("lineages/{}", blake3::hash(name.as_bytes())),
            packs: None,
            known: HashSet::new(),
            used: Vec::new(),
            files: Vec::new(),
            was_read: false,
        }
    }

    /// Notes that a build used what is under a key.
    pub fn note(&mut self, kind: Kind, key: &[u8]) {
        self.used.push((kind, key.to_vec()));
    }

    /// Notes that a build made the file under a key.
    pub fn note_file(&mut self, kind: Kind, key: &[u8]) {
        self.files.push((kind, key.to_vec()));
    }

    /// All entries of the lineage, the first time; then none.
    pub fn entries(&mut self) -> Vec<Entry> {
        if std::mem::replace(&mut self.was_read, true) {
            return Vec::new();
        }
        let mut entries = Vec::new();
        for pack in self.packs().to_vec() {
            let bytes = self.remote.read(&pack_name(&pack));
            // One that is damaged or gone is not listed again.
            match bytes.filter(|bytes| *blake3::hash(bytes).as_bytes() == pack) {
                Some(bytes) => entries.extend(unpacked(&bytes)),
                None => self
                    .packs
                    .get_or_insert_default()
                    .retain(|other| *other != pack),
            }
        }
        self.known = entries.iter().map(Entry::digest).collect();
        entries
    }

    /// Whether the entries of the lineage are still to be given out.
    pub fn is_unread(&self) -> bool {
        !self.was_read
    }

    /// The packs that are listed; none where there are more than we list.
    fn packs(&mut self) -> &[[u8; DIGEST]] {
        if self.packs.is_none() {
            let mut list = self.remote.read(&self.lineage).unwrap_or_default();
            if list.len() > MOST_PACKS * DIGEST {
                list.clear();
            }
            self.packs = Some(list.as_chunks().0.to_vec());
        }
        self.packs.get_or_insert_default()
    }

    /// A file's blob, and the entries under its key that are no files, if it is there and whole.
    pub fn file(&mut self, kind: Kind, key: &[u8]) -> Option<(Vec<u8>, Vec<Entry>)> {
        let object = self.remote.read(&file_name(kind, key))?;
        let (stored, contents) = object.split_first_chunk::<DIGEST>()?;
        if digest(kind.number(), key, contents) != *stored {
            return None;
        }
        let (length, rest) = contents.split_first_chunk()?;
        let (notes, blob) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((blob.to_vec(), unpacked(notes)))
    }

    /// Writes what this build used and the lineage does not have yet. `look_up` gives all entries
    /// under a key, `read_file` a file's blob; the result is whether they gave something always.
    pub fn share(
        &mut self,
        look_up: impl Fn(Kind, &[u8]) -> Vec<Entry>,
        read_file: impl Fn(Kind, &[u8]) -> Option<Vec<u8>>,
    ) -> bool {
        let mut is_complete = true;
        for (kind, key) in std::mem::take(&mut self.files) {
            let Some(blob) = read_file(kind, &key) else {
                is_complete = false;
                continue;
            };
            let mut notes = Vec::new();
            look_up(kind, &key)
                .iter()
                .for_each(|note| push(&mut notes, note));
            let length = (notes.len() as u32).to_le_bytes();
            let contents = [&length[..], &notes, &blob].concat();
            let digest = digest(kind.number(), &key, &contents);
            self.remote
                .write(&file_name(kind, &key), [&digest, &contents[..]].concat());
        }
        let used = std::mem::take(&mut self.used);
        // Where nothing was missing, it is there already if anything is.
        if used.is_empty() || !self.was_read && !self.packs().is_empty() {
            return is_complete;
        }
        let mut packs = self.packs().to_vec();
        if self.remote.is_lost() {
            return is_complete;
        }
        let is_long = packs.len() >= MOST_PACKS || self.known.len() > 2 * used.len();
        if is_long {
            packs.clear();
            self.known.clear();
        }
        let mut pack = Vec::new();
        for (kind, key) in used {
            let entries = look_up(kind, &key);
            is_complete &= !entries.is_empty();
            for entry in entries {
                if self.known.insert(entry.digest()) {
                    push(&mut pack, &entry);
                }
            }
        }
        if pack.is_empty() {
            return is_complete;
        }
        let digest = *blake3::hash(&pack).as_bytes();
        packs.push(digest);
        if self.remote.write(&pack_name(&digest), pack) {
            self.remote.write(&self.lineage, packs.concat());
        }
        self.packs = Some(packs);
        is_complete
    }
}

fn pack_name(digest: &[u8; DIGEST]) -> String {
    format!("packs/{}", blake3::Hash::from_bytes(*digest))
}

fn file_name(kind: Kind, key: &[u8]) -> String {
    format!("files/{}-{}", kind.number(), blake3::hash(key))
}

/// Adds an entry to a pack: kind, sizes of key and blob, key, blob.
fn push(pack: &mut Vec<u8>, entry: &Entry) {
    pack.push(entry.kind.number() as u8);
    for part in [&entry.key, &entry.blob] {
        pack.extend((part.len() as u32).to_le_bytes());
    }
    pack.extend(&entry.key);
    pack.extend(&entry.blob);
}

/// The entries in a pack, up to one that this version does not know.
fn unpacked(mut bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    while let Some((entry, rest)) = first_entry(bytes) {
        entries.push(entry);
        bytes = rest;
    }
    entries
}

fn first_entry(bytes: &[u8]) -> Option<(Entry, &[u8])> {
    let (&kind, rest) = bytes.split_first()?;
    let (key, rest) = rest.split_first_chunk()?;
    let (blob, rest) = rest.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*key) as usize)?;
    let (blob, rest) = rest.split_at_checked(u32::from_le_bytes(*blob) as usize)?;
    let kind = Kind::ALL
        .into_iter()
        .find(|known| known.number() == i64::from(kind))?;
    Some((Entry::new(kind, key, blob), rest))
}
