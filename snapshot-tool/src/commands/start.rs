//! The directories that a program sees, and where it starts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use crate::cli::SandboxOptions;
use crate::host::Directory;

/// The directories that the program sees. One without a name of its own has that which it has for
/// us; a relative name counts from here, which is where the program starts if nobody says another
/// place.
pub fn directories(options: &SandboxOptions) -> Result<Vec<Directory>> {
    let mut directories = options.directories.clone();
    if options.cwd.is_some() {
        for directory in &mut directories {
            let name = std::path::absolute(&directory.guest)
                .with_context(|| format!("the directory {} cannot be found", directory.guest))?;
            directory.guest = name.into_os_string().into_string().map_err(|_| {
                anyhow!("the current directory's name is not UTF-8: give --dir HOST::GUEST a GUEST")
            })?;
        }
    }
    let mut names = HashSet::new();
    for Directory { guest, .. } in &directories {
        ensure!(
            names.insert(guest.as_str()),
            "two directories cannot both be {guest} for the program"
        );
    }
    Ok(directories)
}

/// Where the program starts: here, if it sees a directory under the name that it has for us.
pub fn start(options: &SandboxOptions, directories: &[Directory]) -> Result<Option<PathBuf>> {
    if let Some(start) = &options.cwd {
        ensure!(
            start.is_absolute(),
            "the program cannot start in {}: `--cwd` takes an absolute name, one that the program \
             has for a directory",
            start.display()
        );
        ensure!(
            options.unconfined || is_open(start, directories),
            "the program cannot start in {}: that is no directory under a name that `--dir` opens",
            start.display()
        );
        return Ok(Some(start.clone()));
    }
    if !directories
        .iter()
        .any(|dir| dir.host == Path::new(&dir.guest))
    {
        return Ok(None);
    }
    let here = std::env::current_dir().context("the current directory cannot be found")?;
    Ok(Some(here))
}

/// Whether the program sees a directory of this name: the root is there in any case.
fn is_open(name: &Path, directories: &[Directory]) -> bool {
    let host = |directory: &Directory| {
        let below = name.strip_prefix(&directory.guest).ok()?;
        Some(directory.host.join(below))
    };
    let mut hosts = directories.iter().filter_map(host);
    name == Path::new("/") || hosts.any(|host| host.is_dir())
}
