//! Link arguments of the guest module: the addresses that the snapshot tool and the specializer
//! look up.

/// Table index of the first function.
const TABLE_BASE: u32 = 0x8001;

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
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_APPLY_BY_CALL");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_ONE_CANDIDATE");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_STUBS");
        println!("cargo:rustc-link-arg-cdylib=--export=BACTRIAN_THREADS");
        // The linker drops what a program does not reach. It knows a reference to data or to a
        // function by its relocation, and one in memory by its value: no small number and no text
        // should be the table index of a function.
        println!("cargo:rustc-link-arg-cdylib=--emit-relocs");
        println!("cargo:rustc-link-arg-cdylib=--table-base={TABLE_BASE}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
