//! Builds the guest (`interpreter/`, for `wasm32-wasip1`) from source, and tells `guest.rs` where
//! it is. Also fingerprints what turns a snapshot into a program, for the keys of cached programs.
//!
//! Cargo runs inside Cargo, with a target directory of its own: the outer one is locked. What the
//! outer invocation exported for its own compiler (flags, wrappers) does not reach the inner one.

#[path = "../specializer/fingerprint.rs"]
mod fingerprint;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-wasip1";
const PROFILE: &str = "guest";

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let workspace = manifest
        .parent()
        .expect("the crate is in a workspace")
        .to_path_buf();
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo")).join("guest-target");
    for input in [
        "interpreter",
        "specializer/src",
        "snapshot-tool/src",
        "Cargo.lock",
        "Cargo.toml",
    ] {
        println!("cargo:rerun-if-changed={}", workspace.join(input).display());
    }
    build_guest(&workspace, &target);
    let module = target
        .join(TARGET)
        .join(PROFILE)
        .join("bactrian_interpreter.wasm");
    assert!(module.is_file(), "Cargo built no {}", module.display());
    println!("cargo:rustc-env=BACTRIAN_GUEST={}", module.display());
    let directories = [
        "interpreter/annotations/src",
        "specializer/src",
        "snapshot-tool/src",
    ];
    let fingerprint = fingerprint::of(&workspace, &directories, &["bactrian"]);
    println!("cargo:rustc-env=BACTRIAN_FINGERPRINT={fingerprint}");
}

fn build_guest(workspace: &Path, target: &Path) {
    let mut cargo = Command::new(env::var_os("CARGO").expect("set by Cargo"));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let outer = text.starts_with("CARGO") && text != "CARGO_HOME"
            || text.contains("RUSTC")
            || text == "RUSTFLAGS";
        if outer {
            cargo.env_remove(&name);
        }
    }
    let status = cargo
        .current_dir(workspace)
        .args([
            "build",
            "--package",
            "bactrian-interpreter",
            "--target",
            TARGET,
            "--profile",
            PROFILE,
        ])
        .arg("--target-dir")
        .arg(target)
        .status()
        .expect("Cargo can be started again");
    assert!(
        status.success(),
        "the guest could not be built; if the target {TARGET} is missing, \
         run `make setup` (or `rustup target add {TARGET}`)"
    );
}
