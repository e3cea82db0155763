//! Where the tool keeps what is a user's, as the XDG base directory specification has it.
//!
//! Crates that know it (`etcetera`, `directories`) refuse users without a home, whether or not the
//! variables are set.

use std::env;
use std::path::PathBuf;

/// For what can be made again. Nothing for a user without a home who does not say where.
pub fn cache() -> Option<PathBuf> {
    named_or_in_home("XDG_CACHE_HOME", ".cache")
}

/// For what users put there. Nothing likewise.
pub fn data() -> Option<PathBuf> {
    named_or_in_home("XDG_DATA_HOME", ".local/share")
}

fn named_or_in_home(variable: &str, in_home: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from);
    let all_tools = named
        .filter(|directory| directory.is_absolute())
        .or_else(|| env::home_dir().map(|home| home.join(in_home)))?;
    Some(all_tools.join("bactrian"))
}
