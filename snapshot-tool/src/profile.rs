//! Profiles: what a run has counted is written to a file, and a build reads it.
//!
//! Invariant: a file that is no profile is an error that names the line; a profile that does not
//! fit the program is none.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cache::whole;
use specializer::Profile;
use specializer::link::counters::PREFIX;
use wasmtime::{Instance, Store, Val};

/// The counts of an instance, whose module names its counters; none where nothing is counted.
pub fn counted<T>(store: &mut Store<T>, instance: &Instance) -> Profile {
    let mut counters = Vec::new();
    for export in instance.exports(&mut *store) {
        let identity = export.name().strip_prefix(PREFIX);
        let identity = identity.and_then(|identity| identity.parse().ok());
        counters.extend(identity.zip(export.into_global()));
    }
    let mut profile = Profile::default();
    for (identity, counter) in counters {
        if let Val::I64(count) = counter.get(&mut *store) {
            profile.note(identity, count as u64);
        }
    }
    profile
}

pub fn read(path: &Path) -> Result<Profile> {
    let name = || path.display().to_string();
    let text = fs::read(path).with_context(|| format!("cannot read {}", name()))?;
    let text = String::from_utf8(text).with_context(|| format!("{}: no profile", name()))?;
    Profile::parse(&text).with_context(name)
}

/// Writes what a run has counted.
pub fn write(path: &Path, profile: Option<&Profile>) -> Result<()> {
    let profile = profile.context("the program was stopped, so there is no profile")?;
    let text = profile.to_string();
    whole::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}
