//! Profiles: what a run has counted becomes the text of a file, and a build reads it.
//!
//! Invariant: a file that is no profile is an error that names the line; a profile that does not
//! fit the program is none.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use specializer::Profile;
use specializer::link::counters;
use specializer::profile::Counted;
use wasmtime::{Instance, Store, Val};

use crate::host::Host;

/// What an instance has counted, whose module names its counters; nothing where it counts nothing.
pub fn counted(store: &mut Store<Host>, instance: &Instance) -> Profile {
    let exports = instance.exports(&mut *store).filter_map(|export| {
        let (code, identity) = counters::counted(export.name())?;
        Some((code, identity, export.into_global()?))
    });
    let exports: Vec<_> = exports.collect();
    let functions = exports.into_iter().filter_map(|(code, identity, counter)| {
        let Val::I64(count) = counter.get(&mut *store) else {
            return None;
        };
        Some(Counted {
            identity,
            code,
            activations: count as u64,
        })
    });
    let functions = functions.collect();
    let calls = store.data().callees.iter();
    Profile::new(functions, calls.map(|(&call, &count)| (call, count)))
}

pub fn read(path: &Path) -> Result<Profile> {
    let name = || path.display().to_string();
    let text = fs::read(path).with_context(|| format!("cannot read {}", name()))?;
    let text = String::from_utf8(text).with_context(|| format!("{}: no profile", name()))?;
    Profile::parse(&text).with_context(name)
}
