//! Gives the crate a fingerprint of its own sources and dependencies, for its cache keys.

mod fingerprint;

use std::path::Path;

fn main() {
    let directories = ["interpreter/annotations/src", "specializer/src"];
    for input in directories.iter().chain(&["Cargo.lock"]) {
        println!("cargo::rerun-if-changed=../{input}");
    }
    let fingerprint = fingerprint::of(Path::new(".."), &directories, &["bactrian-specializer"]);
    println!("cargo::rustc-env=BACTRIAN_SPECIALIZER_FINGERPRINT={fingerprint}");
}
