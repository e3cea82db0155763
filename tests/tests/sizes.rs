//! A built program has little that it cannot reach.

use std::fs;

use anyhow::Result;
use bactrian_tests::workshop::Workshop;

/// What hello world may take, in bytes. It takes a few thousand less: a larger module has something
/// new that each program brings along.
const HELLO: u64 = 246_000;

/// Parts of names of functions, in angle brackets, that only programs with what is said behind them
/// need.
const UNNEEDED: [(&str, &str); 7] = [
    ("memprof::announce_sampled", "samples of allocations"),
    ("ephemeron::advance", "weak pointers"),
    ("<threads::", "threads"),
    ("regexp::", "regular expressions"),
    ("<stubs::", "functions in C"),
    ("prepend_alloc", "a C library's memory"),
    ("escape_debug_ext", "errors in Rust's notation"),
];

#[test]
fn hello_world_is_small() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(place.path("hello.ml"), "let () = print_endline \"Hello\"")?;
    place.make("ocamlc", &["hello.ml", "-o", "hello.byte"])?;
    let built = place.bactrian(&["build", "hello.byte", "-o", "hello.wasm"])?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let size = fs::metadata(place.path("hello.wasm"))?.len();
    assert!(size < HELLO, "{size} bytes");
    let names = place.function_names("hello.wasm")?;
    for (part, purpose) in UNNEEDED {
        let found = names.iter().find(|name| format!("<{name}>").contains(part));
        assert_eq!(found, None, "is for {purpose}");
    }
    Ok(())
}
