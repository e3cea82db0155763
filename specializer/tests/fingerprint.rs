//! The fingerprint in cache keys: it changes with each source file and each dependency, and with
//! nothing else.

#[path = "../fingerprint.rs"]
mod fingerprint;

use std::collections::HashSet;
use std::fs;

use tempfile::TempDir;

/// `tool` needs `encoder 1.0.0`, which needs `numbers`; `other` needs `encoder 2.0.0`.
const LOCK: &str = r#"version = 4

[[package]]
name = "encoder"
version = "1.0.0"
checksum = "aaaa"
dependencies = [
 "numbers",
]

[[package]]
name = "encoder"
version = "2.0.0"
checksum = "bbbb"

[[package]]
name = "numbers"
version = "0.1.0"
checksum = "cccc"

[[package]]
name = "other"
version = "0.1.0"
dependencies = [
 "encoder 2.0.0",
]

[[package]]
name = "tool"
version = "0.1.0"
dependencies = [
 "encoder 1.0.0",
]
"#;

const FILES: &[(&str, &str)] = &[("a.rs", "first"), ("b.rs", "second"), ("deep/c.rs", "")];

fn fingerprint(files: &[(&str, &str)], lock: &str) -> String {
    let root = TempDir::new().expect("there is room for a directory");
    for (path, text) in files {
        let path = root.path().join("src").join(path);
        let parent = path.parent().expect("it is in `src`");
        fs::create_dir_all(parent).expect("the directory can be made");
        fs::write(path, text).expect("the file can be written");
    }
    fs::write(root.path().join("Cargo.lock"), lock).expect("the file can be written");
    fingerprint::of(root.path(), &["src"], &["tool"])
}

#[test]
fn sources_count_with_their_paths_and_lengths() {
    let variants: &[&[(&str, &str)]] = &[
        FILES,
        &[("a.rs", "first"), ("b.rs", "Second"), ("deep/c.rs", "")],
        // The same bytes in the same order, divided otherwise.
        &[("a.rs", "firsts"), ("b.rs", "econd"), ("deep/c.rs", "")],
        &[("a.rs", "firstsecond"), ("b.rs", ""), ("deep/c.rs", "")],
        &[("a.rs", "first"), ("b.rs", ""), ("deep/c.rs", "second")],
        &[("a.rs", "firstb.rssecond"), ("deep/c.rs", "")],
        &[("a.rs", "first"), ("b.rs", "second")],
        // The same contents elsewhere.
        &[("a.rs", "first"), ("c.rs", "second"), ("deep/c.rs", "")],
        &[("a.rs", "first"), ("b.rs", "second"), ("deep.rs", "")],
    ];
    let different: HashSet<_> = variants
        .iter()
        .map(|files| fingerprint(files, LOCK))
        .collect();
    assert_eq!(different.len(), variants.len());
    assert_eq!(fingerprint(FILES, LOCK), fingerprint(FILES, LOCK));
}

#[test]
fn what_the_crate_needs_counts_with_its_version() {
    let first = fingerprint(FILES, LOCK);
    for (from, to) in [
        ("aaaa", "dddd"),
        ("cccc", "dddd"),
        ("1.0.0", "1.0.1"),
        ("\"0.1.0\"\nchecksum", "\"0.2.0\"\nchecksum"),
        ("\"encoder 1.0.0\"", "\"encoder 2.0.0\""),
        (" \"numbers\",\n", ""),
    ] {
        assert!(LOCK.contains(from), "{from} is in the lock file");
        assert_ne!(fingerprint(FILES, &LOCK.replace(from, to)), first, "{to}");
    }
}

#[test]
fn what_the_crate_does_not_need_does_not_count() {
    let first = fingerprint(FILES, LOCK);
    assert_eq!(fingerprint(FILES, &LOCK.replace("bbbb", "dddd")), first);
    assert_eq!(
        fingerprint(FILES, &LOCK.replace("\"encoder 2.0.0\"", "\"numbers\"")),
        first
    );
}
