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
