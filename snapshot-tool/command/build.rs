//! Has the tool compile its interpreter for the machine that the build runs on, for `src/lib.rs` to
//! embed.
//!
//! Invariant: what it writes depends on the tool alone, which Cargo builds once for this script and
//! for the command, as long as all features and profiles agree (`tests/tests/tidy.rs`).

use std::path::PathBuf;
use std::{env, fs};

use bactrian::precompile::{self, Made};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| env::var_os(name).expect("Cargo sets it");
    // The command has tens of thousands of relative relocations, 24 bytes each for the loader to
    // read at each start. Packed they are 15 kB: hello world takes a fifth less memory and a tenth
    // less time. A command that is not position-independent has none and would save twice that, but
    // lies where everybody expects it.
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    // In a cross build it would be machine code of the wrong machine: none is made.
    let made = match variable("HOST") == variable("TARGET") {
        true => precompile::make().expect("the guest can be compiled"),
        false => Made::default(),
    };
    for (name, bytes) in [
        ("interpreter", made.interpreter),
        ("functions", made.functions),
    ] {
        fs::write(out.join(name), bytes).expect("the output directory can be written");
    }
}
