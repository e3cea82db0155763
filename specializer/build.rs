//! Gives the crate a fingerprint of its own sources: part of every cache key, so that a changed
//! specializer never takes results of an older one.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    files.sort();
    let mut hasher = std::hash::DefaultHasher::new();
    for file in files {
        hasher.write(&std::fs::read(&file).expect("a source file can be read"));
    }
    println!(
        "cargo::rustc-env=BACTRIAN_SPECIALIZER_SOURCES={:016x}",
        hasher.finish()
    );
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
