//! Where a program starts.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cli::SandboxOptions;
use crate::host::Directory;

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
    let here = here.into_os_string().into_string();
    Ok(Some(here.map_err(|_| {
        anyhow::anyhow!("the current directory's name is not UTF-8")
    })?))
}

/// Whether the program sees a directory of this name: the root is there in any case.
fn is_open(name: &str, directories: &[Directory]) -> bool {
    let name = Path::new(name);
    let host = |directory: &Directory| {
        // A relative one counts from here.
        let guest = std::path::absolute(&directory.guest).ok()?;
        let below = name.strip_prefix(guest).ok()?;
        Some(Path::new(&directory.host).join(below))
    };
    let mut hosts = directories.iter().filter_map(host);
    name == Path::new("/") || name.is_absolute() && hosts.any(|host| host.is_dir())
}
