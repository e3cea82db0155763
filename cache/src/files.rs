//! Blobs that are files of their own, so that a reader can map them: in a directory beside the database, named by
//! their digests.
//!
//! Invariant: a file appears under its name complete or not at all, and none is left behind by a process that dies
//! while it writes (where the file system has unnamed files; elsewhere one begins with `.tmp`). Leaves out: which
//! files are entries; files that are none are swept by [`Files::sweep`].

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

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
        let path = self.path(digest);
        match write_new(&path, blob) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    /// Removes the file with this digest, if it is there.
    pub fn remove(&self, digest: &[u8; 32]) -> io::Result<()> {
        match fs::remove_file(self.path(digest)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Removes all files but those with these digests.
    pub fn sweep(&self, wanted: &HashSet<[u8; 32]>) -> io::Result<()> {
        let wanted: HashSet<String> = wanted.iter().map(name).collect();
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if !wanted.contains(entry.file_name().to_string_lossy().as_ref()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

fn name(digest: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*digest).to_hex().to_string()
}

/// Writes a file that does not exist yet, as a whole or not at all.
fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = match unnamed(directory) {
        Ok(file) => file,
        Err(_) => return write_named(directory, path, contents),
    };
    file.write_all(contents)?;
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(CWD, link, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

/// A file without a name: gone with the process unless it is given one.
fn unnamed(directory: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::open(directory, flags, Mode::from_raw_mode(0o644)).map(File::from)
}

/// For file systems that know no files without a name.
fn write_named(directory: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(contents)?;
    file.persist_noclobber(path)?;
    Ok(())
}
