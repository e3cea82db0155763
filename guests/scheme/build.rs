//! Link arguments of the module: what Bactrian looks up in it, and what it needs to leave out what
//! a program does not reach.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        for name in ["REQUESTS", "STRESS", "BOXES", "DISPATCHERS", "ALLOCATOR"] {
            println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_{name}");
        }
        println!("cargo:rustc-link-arg-cdylib=--emit-relocs");
        println!("cargo:rustc-link-arg-cdylib=--table-base=32769");
    }
}
