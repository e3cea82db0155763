//! Where files of stubs are looked for: under the name of the shared library that a program names,
//! in directories that the command line, a variable and a default name, in this order.
//!
//! Invariant: the first directory that has a file of the name is the one that counts.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::user_directories;

/// The variable with directories, separated as in `PATH`.
pub const VARIABLE: &str = "BACTRIAN_STUBS_PATH";

/// What was looked for and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order of the names.
    pub files: Vec<PathBuf>,
    /// Names of which no directory has a file.
    pub missing: Vec<String>,
    pub directories: Vec<PathBuf>,
}

/// All directories: those of the command line come first.
pub fn directories(given: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = given.to_vec();
    if let Some(listed) = env::var_os(VARIABLE) {
        all.extend(env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty()));
    }
    all.extend(default_directory());
    all
}

/// Where stubs are if nobody says where; nothing for a user without a home.
pub fn default_directory() -> Option<PathBuf> {
    Some(user_directories::data()?.join("stubs"))
}

/// The name of the file for a library.
pub fn file_name(library: &str) -> OsString {
    format!("{library}.stubs").into()
}

/// Looks for the files of these libraries.
pub fn find(libraries: &BTreeSet<String>, directories: Vec<PathBuf>) -> Found {
    let mut found = Found {
        directories,
        ..Found::default()
    };
    for library in libraries {
        let in_directory = |directory: &PathBuf| directory.join(file_name(library));
        let mut files = found.directories.iter().map(in_directory);
        match files.find(|file| is_plain(library) && file.is_file()) {
            Some(file) => found.files.push(file),
            None => found.missing.push(library.clone()),
        }
    }
    found
}

/// Whether a name leads nowhere else.
pub fn is_plain(library: &str) -> bool {
    Path::new(library).file_name() == Some(library.as_ref())
}

impl Found {
    /// What can be done about libraries that a guest's notice names: a line for each that was not
    /// found.
    pub fn advice(&self, notice: &str) -> Vec<String> {
        let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
        let words: BTreeSet<_> = notice.split(is_end).collect();
        let places: Vec<_> = self.directories.iter().map(|path| path.display()).collect();
        let places: Vec<_> = places.iter().map(ToString::to_string).collect();
        let missing = self.missing.iter();
        let named = missing.filter(|library| words.contains(library.as_str()));
        named
            .map(|library| {
                format!(
                    "no {library}.stubs in {}: `bactrian stubs --for {library} FILES` makes it of \
                     the library's C code",
                    places.join(", ")
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_directory_counts() {
        let place = tempfile::tempdir().expect("a directory");
        let [first, second] = ["first", "second"].map(|name| place.path().join(name));
        for directory in [&first, &second] {
            std::fs::create_dir(directory).expect("room");
            std::fs::write(directory.join("dllcamel.stubs"), "").expect("room");
        }
        std::fs::write(second.join("dllllama.stubs"), "").expect("room");
        let libraries = ["dllcamel", "dllllama", "dllyak", "../second/dllcamel"];
        let libraries = libraries.map(String::from).into();
        let found = find(&libraries, vec![first.clone(), second.clone()]);
        let files = [first.join("dllcamel.stubs"), second.join("dllllama.stubs")];
        assert_eq!(found.files, files);
        assert_eq!(found.missing, ["../second/dllcamel", "dllyak"]);
    }

    #[test]
    fn advice_is_for_what_the_notice_names() {
        let found = Found {
            missing: ["dllunix", "dllyak"].map(String::from).into(),
            directories: vec!["/a".into(), "/b".into()],
            ..Found::default()
        };
        assert!(found.advice("dllyaks or dllcamel: 2\n  yak").is_empty());
        let advice = found.advice("dllyak: 1\n  dllunix_walk");
        assert_eq!(advice.len(), 1, "{advice:?}");
        assert!(advice[0].starts_with("no dllyak.stubs in /a, /b: "));
    }
}
