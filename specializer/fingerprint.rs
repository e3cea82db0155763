//! A fingerprint of source files, for build scripts: part of cache keys, so that a changed tool never
//! takes results of an older one.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// A hash of the contents of all files below these directories, in the order of their paths.
pub fn of(directories: &[PathBuf]) -> u64 {
    let mut files = Vec::new();
    for directory in directories {
        collect(directory, &mut files);
    }
    files.sort();
    let mut hasher = std::hash::DefaultHasher::new();
    for file in files {
        hasher.write(&std::fs::read(&file).expect("a source file can be read"));
    }
    hasher.finish()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the source directory can be read") {
        let path = entry.expect("a directory entry can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
