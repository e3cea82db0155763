//! Files and directories, copied and removed as wholes.
//!
//! Leaves out: anything but regular files, directories and symbolic links.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Copies a file, or a directory with everything in it; directories that are there are filled.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    copy_entry(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

fn copy_entry(from: &Path, to: &Path) -> Result<()> {
    let kind = fs::symlink_metadata(from)?.file_type();
    if kind.is_symlink() {
        symlink(fs::read_link(from)?, to)?;
    } else if kind.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_entry(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Removes a file, or a directory with everything in it, if it is there.
pub fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// A name of our own for something that belongs to `path` and is not in it.
pub fn beside(path: &Path, purpose: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{purpose}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_copied_and_removed_as_wholes() {
        let place = tempfile::tempdir().expect("there is room");
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("a/b")).expect("there is room");
        fs::write(from.join("a/b/c"), "text").expect("there is room");
        symlink("nowhere", from.join("link")).expect("there is room");
        copy(&from, &to).expect("it can be copied");
        assert_eq!(fs::read(to.join("a/b/c")).expect("it was copied"), b"text");
        assert!(fs::read_link(to.join("link")).is_ok());
        remove(&to).expect("it can be removed");
        assert!(!to.exists());
        remove(&to).expect("it need not be there");
    }
}
