//! The cache, as the command line names it, and the command that looks after it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use cache::remote::{Access, Remote};
use cache::{Cache, Stats, Verified};

use super::FAILURE;
use super::output::{is_standard_output, say};
use crate::cli::{CacheAction, CacheArgs, CacheLocation};
use crate::stats::size;
use crate::user_directories;

/// The variable that names a store to share the cache by.
const REMOTE_VARIABLE: &str = "BACTRIAN_REMOTE";

/// Does what `bactrian cache` is asked for; 125 if the cache was found to be damaged. Only an
/// import makes one.
pub fn look_after(args: &CacheArgs) -> Result<u8> {
    let path = args.file.clone().map_or_else(default_cache, Ok)?;
    let is_there = path
        .try_exists()
        .with_context(|| format!("cannot look for {}", path.display()))?;
    let require = || {
        ensure!(is_there, "there is no cache {}", path.display());
        Ok(())
    };
    match &args.action {
        CacheAction::Stats if !is_there => say(&listed(&path, &Stats::default()))?,
        CacheAction::Stats => within(&path, |cache| say(&listed(&path, &cache.stats()?)))?,
        CacheAction::Verify => {
            require()?;
            return within(&path, verify);
        }
        CacheAction::Clear if !is_there => {}
        CacheAction::Clear => tell_all(Cache::clear_file(&path)?),
        CacheAction::Gc { cache_size } => {
            require()?;
            tell_all(Cache::shrink_file(&path, cache_size << 20)?);
        }
        CacheAction::Export { to } => {
            require()?;
            ensure!(
                !is_standard_output(to),
                "a cache is exported to a file, not to standard output"
            );
            within(&path, |cache| Ok(cache.export(to)?))?;
        }
        CacheAction::Import { from } => within(&path, |cache| import(cache, from))?,
    }
    Ok(0)
}

/// Does something with the cache in a file.
fn within<T>(path: &Path, work: impl FnOnce(&Cache) -> Result<T>) -> Result<T> {
    let cache = Cache::open(path, u64::MAX >> 1)?;
    let done = work(&cache)?;
    tell(&cache);
    Ok(done)
}

/// Says what is damaged, unless a notice does: then all of it was.
fn verify(cache: &Cache) -> Result<u8> {
    match cache.verify()? {
        Some(verified) => say(&checked(verified)).map(|()| 0),
        None => Ok(FAILURE),
    }
}

fn listed(path: &Path, stats: &Stats) -> String {
    let kinds = stats.kinds.iter().map(|(kind, stats)| {
        format!(
            "{:<26} {:>8} entries {:>12}\n",
            kind.name(),
            stats.entries,
            size(stats.bytes as usize)
        )
    });
    format!("{}\n{}", path.display(), kinds.collect::<String>())
}

fn checked(verified: Verified) -> String {
    let Verified {
        entries,
        damaged,
        lost,
    } = verified;
    let lost = match lost {
        0 => String::new(),
        lost => format!(", and {lost} whose files are gone"),
    };
    format!("{entries} entries checked, {damaged} damaged ones removed{lost}\n")
}

fn import(cache: &Cache, from: &Path) -> Result<()> {
    let imported = cache.import(from)?;
    say(&format!(
        "{} entries imported, {} damaged ones left out\n",
        imported.entries, imported.damaged
    ))?;
    if let Some(reason) = imported.unread {
        bail!("the rest of {} cannot be read: {reason}", from.display());
    }
    Ok(())
}

/// The cache to use for a program, if one is wanted.
pub fn open(location: &CacheLocation, program: &Path) -> Result<Option<Cache>> {
    if location.no_cache {
        return Ok(None);
    }
    let path = location.file.clone().map_or_else(default_cache, Ok);
    match path.and_then(|path| Ok(Cache::open(&path, location.cache_size << 20)?)) {
        Ok(cache) => {
            tell(&cache);
            share(&cache, location, program)?;
            Ok(Some(cache))
        }
        // Asked for, it must work; by default, no home directory, or one that cannot be written, is
        // no reason to stop.
        Err(error) if location.file.is_some() => Err(error),
        Err(error) => {
            notice!("bactrian: {error}; going on without a cache");
            Ok(None)
        }
    }
}

/// Shares the cache, where that is asked for, with other builds of programs of this name.
fn share(cache: &Cache, location: &CacheLocation, program: &Path) -> Result<()> {
    let variable = || std::env::var(REMOTE_VARIABLE).ok();
    let remote = location.remote.clone().or_else(variable);
    let Some(remote) = remote.filter(|remote| !remote.is_empty()) else {
        return Ok(());
    };
    let access = match location.remote_read_only {
        true => Access::Read,
        false => Access::ReadAndWrite,
    };
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let patience = Duration::from_secs(location.remote_timeout);
    cache.share_by(Remote::open(&remote, access, patience)?, &name);
    Ok(())
}

fn default_cache() -> Result<PathBuf> {
    let directory = user_directories::cache().context(
        "there is no place for a cache: set XDG_CACHE_HOME, or give --cache FILE or --no-cache",
    )?;
    Ok(directory.join("cache.sqlite"))
}

/// Passes on what the cache has to say.
pub fn tell(cache: &Cache) {
    tell_all(cache.notices());
}

fn tell_all(notices: Vec<String>) {
    for notice in notices {
        notice!("bactrian: {notice}");
    }
}
