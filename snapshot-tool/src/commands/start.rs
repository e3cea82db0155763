//! The directories that a program sees, and where it starts.

use std::ffi::OsString;
use std::path::Path;

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
            directory.guest = text(name.into_os_string())?;
        }
    }
    Ok(directories)
}

/// Where the program starts: here, if it sees a directory under the name that it has for us.
pub fn start(options: &SandboxOptions, directories: &[Directory]) -> Result<Option<String>> {
    if let Some(start) = &options.cwd {
        ensure!(
            options.unconfined || is_open(start, directories),
            "the program cannot start in {start}: that is no directory under a name that `--dir` \
             opens"
        );
        return Ok(Some(start.clone()));
    }
    if !directories.iter().any(|dir| dir.host == dir.guest) {
        return Ok(None);
    }
    let here = std::env::current_dir().context("the current directory cannot be found")?;
    text(here.into_os_string()).map(Some)
}

fn text(name: OsString) -> Result<String> {
    name.into_string()
        .map_err(|_| anyhow!("the current directory's name is not UTF-8"))
}

/// Whether the program sees a directory of this name: the root is there in any case.
fn is_open(name: &str, directories: &[Directory]) -> bool {
    let name = Path::new(name);
    let host = |directory: &Directory| {
        let below = name.strip_prefix(&directory.guest).ok()?;
        Some(Path::new(&directory.host).join(below))
    };
    let mut hosts = directories.iter().filter_map(host);
    name == Path::new("/") || name.is_absolute() && hosts.any(|host| host.is_dir())
}
