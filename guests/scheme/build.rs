//! Link arguments of the module: what Bactrian looks up in it, and what it needs to leave out what
//! a program does not reach.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        for name in ["REQUESTS", "STRESS", "BOXES", "DISPATCHERS", "ALLOCATOR"] {
            println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_{name}");
        }
        println!("cargo:rustc-link-arg-cdylib=--emit-relocs");
        // The reader and the compiler recur as deep as the source is nested (`MAX_NESTING`).
        println!("cargo:rustc-link-arg-cdylib=-zstack-size=8388608");
        println!("cargo:rustc-link-arg-cdylib=--table-base=32769");
    }
}
