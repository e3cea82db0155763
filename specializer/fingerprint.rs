//! A fingerprint of what a crate is built from, for build scripts: part of cache keys, so that a
//! changed tool never takes results of an older one.
//!
//! It covers the source files below some directories, by path and contents, and what the lock file
//! says of all packages that some packages need (the lock file does not tell apart those that only
//! tests need: such an upgrade empties the cache as well).
//!
//! Invariant: each field is preceded by its length, so no two inputs are hashed alike because of
//! where one field ends and the next begins.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// The fingerprint of the sources in `directories` and the packages that `packages` need, of the
/// workspace at `root`.
pub fn of(root: &Path, directories: &[&str], packages: &[&str]) -> String {
    let mut fields = Fields(DefaultHasher::new());
    let mut files = Vec::new();
    for directory in directories {
        collect(&root.join(directory), &mut files);
    }
    files.sort();
    fields.number(files.len());
    for file in files {
        let path = file
            .strip_prefix(root)
            .expect("it was found below the root");
        fields.bytes(path.to_string_lossy().as_bytes());
        fields.bytes(&fs::read(&file).expect("a source file can be read"));
    }
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the workspace has a lock file");
    let locked = needed(&lock, packages);
    fields.number(locked.len());
    for package in locked {
        fields.bytes(package.as_bytes());
    }
    format!("{:016x}", fields.0.finish())
}

struct Fields(DefaultHasher);

impl Fields {
    fn number(&mut self, number: usize) {
        self.0.write(&(number as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.write(bytes);
    }
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the source directory can be read") {
        let path = entry.expect("a directory entry can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The entries of all packages that `roots` need, themselves included, in the order of the lock
/// file.
fn needed<'l>(lock: &'l str, roots: &[&str]) -> Vec<&'l str> {
    let entries: Vec<&str> = lock.split("[[package]]\n").skip(1).collect();
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        by_name.entry(value(entry, "name")).or_default().push(index);
    }
    let mut needs = vec![false; entries.len()];
    let mut todo: Vec<&str> = roots.to_vec();
    while let Some(dependency) = todo.pop() {
        // "name", or "name version" where there are several.
        let mut words = dependency.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        let known = by_name.get(name).map_or(&[][..], Vec::as_slice);
        assert!(!known.is_empty(), "{name} is in the lock file");
        for &index in known {
            let is_meant =
                version.is_none_or(|version| version == value(entries[index], "version"));
            if is_meant && !std::mem::replace(&mut needs[index], true) {
                todo.extend(dependencies(entries[index]));
            }
        }
    }
    let numbered = entries.iter().zip(needs);
    numbered
        .filter_map(|(entry, needed)| needed.then_some(entry.trim()))
        .collect()
}

/// What stands in quotes after `key =`.
fn value<'l>(entry: &'l str, key: &str) -> &'l str {
    let mut lines = entry.lines().filter_map(|line| line.split_once(" = "));
    let found = lines.find(|(name, _)| *name == key);
    found.map_or("", |(_, value)| value.trim_matches('"'))
}

fn dependencies(entry: &str) -> impl Iterator<Item = &str> {
    let list = entry
        .split_once("dependencies = [")
        .map_or("", |(_, list)| list);
    list.split('"').skip(1).step_by(2)
}
