//! Blobs that are files of their own, so that a reader can map them: in a directory beside the
//! database, named by their digests.
//!
//! Invariant: a file appears under its name complete or not at all (see [`whole`]). Leaves out:
//! which files belong to entries; [`Files::sweep`] removes the others.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use crate::whole;

/// The directory of one cache.
#[derive(Debug)]
pub struct Files {
    directory: PathBuf,
}

impl Files {
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Where the file with this digest is, if it is there.
    pub fn path(&self, digest: &[u8; 32]) -> PathBuf {
        self.directory.join(name(digest))
    }

    /// Keeps `blob`, whose digest is `digest`.
    pub fn write(&self, digest: &[u8; 32], blob: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        whole::write(&self.path(digest), blob)
    }

    /// Removes the file with this digest, if it is there.
    pub fn remove(&self, digest: &[u8; 32]) -> io::Result<()> {
        match fs::remove_file(self.path(digest)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Removes all files of ours but those with these digests. The directory may have been somebody
    /// else's before: what has no name of ours, or is no file, stays. Where a file cannot be
    /// removed, the others go, and the first error is the result.
    pub fn sweep(&self, wanted: &HashSet<[u8; 32]>) -> io::Result<()> {
        let wanted: HashSet<String> = wanted.iter().map(name).collect();
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        let mut result = Ok(());
        for entry in entries {
            let swept = entry.and_then(|entry| {
                let name = entry.file_name();
                let is_unwanted = name
                    .to_str()
                    .is_some_and(|name| is_ours(name) && !wanted.contains(name));
                match is_unwanted && entry.file_type()?.is_file() {
                    true => fs::remove_file(entry.path()),
                    false => Ok(()),
                }
            });
            result = result.and(swept);
        }
        result
    }
}

/// Whether a file has a name that we give: that of a digest, or one that [`whole`] gives to what is
/// to become such a file.
fn is_ours(name: &str) -> bool {
    let is_digest = |name: &str| {
        name.len() == 2 * blake3::OUT_LEN
            && name
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    is_digest(name) || whole::is_unfinished(name, is_digest)
}

fn name(digest: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*digest).to_hex().to_string()
}
