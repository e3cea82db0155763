//! Link arguments of the guest module: the addresses that the snapshot tool and the specializer
//! look up.

fn main() {
    let target = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    if target == "wasm" {
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_REQUESTS");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_STRESS");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_BOXES");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_DISPATCHERS");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_ALLOCATOR");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_EVALUATION");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_KEEP_REFERENCES");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
