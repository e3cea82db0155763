//! The specializer as this tool calls it: its options from switches, its store in our cache, its report summed up.

use std::fmt;

use anyhow::{Result, bail};
use cache::Cache;

use crate::pipeline::Mode;

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub lockstep_events: bool,
}

pub trait Observer: Sync {
    fn stage(&self, name: &'static str);
    fn progress(&self, done: usize, total: usize);
}

/// What the specializer did, summed up.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub requests: usize,
    pub specialised: usize,
    pub cached: usize,
    pub declined: Vec<(u32, String)>,
    pub contexts: usize,
    pub blocks: usize,
    pub bytes: usize,
    /// Length of the code that was specialised, in the interpreter's cells of 8 bytes.
    pub cells: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} requests: {} specialised, {} from the cache, {} declined",
            self.requests,
            self.specialised,
            self.cached,
            self.declined.len()
        )?;
        writeln!(
            f,
            "{} contexts, {} blocks, {} bytes of WebAssembly",
            self.contexts, self.blocks, self.bytes
        )?;
        for (code, reason) in &self.declined {
            writeln!(f, "declined: code at {code:#x}: {reason}")?;
        }
        Ok(())
    }
}

/// Options with these optimisations switched.
pub fn options(switches: &[(String, bool)]) -> Result<Options> {
    if let Some((name, _)) = switches.first() {
        bail!("there is no optimisation called `{name}`");
    }
    Ok(Options::default())
}

/// What of the settings a linked module depends on.
pub fn fingerprint(mode: &Mode, options: &Options) -> Vec<u8> {
    format!("{mode:?} {options:?}").into_bytes()
}

/// The snapshot with plain operations in place of intrinsics.
pub fn link_generic(snapshot: &[u8], _options: &Options) -> Result<Vec<u8>> {
    Ok(snapshot.to_vec())
}

/// The snapshot, specialized.
pub fn run(
    _snapshot: &[u8],
    _options: &Options,
    _cache: Option<&Cache>,
) -> Result<(Vec<u8>, Summary)> {
    bail!("the specializer is not connected yet; use --generic")
}
