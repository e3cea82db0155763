//! The command on small hand-written guests: freezing, running, statuses, the sandbox, messages.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A guest that keeps the first byte of its program, and later exits with the status it stands for.
const EXITS: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (import "bactrian" "cells.read" (func $cell (param i32) (result i64)))
    (memory (export "memory") 1)
    (data (i32.const 64) "bad program")
    (func (export "wizer-initialize")
        (i32.store (i32.const 0) (i32.const 8))
        (i32.store (i32.const 4) (i32.const 1))
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
        (if (i32.eqz (i32.load (i32.const 32))) (then
            (i32.store (i32.const 0) (i32.const 64))
            (i32.store (i32.const 4) (i32.const 11))
            (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 32)))
            (call $exit (i32.const 2)))))
    (func (export "_start")
        (call $exit (i32.wrap_i64 (call $cell (i32.const 8))))))"#;

struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: TempDir::new().expect("a temporary directory"),
        }
    }

    fn file(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::write(&path, contents).expect("the file can be written");
        path
    }

    fn module(&self, name: &str, wat: &str) -> PathBuf {
        self.file(
            name,
            &wat::parse_str(wat).expect("the module is well-formed"),
        )
    }

    /// Freezes the guest `EXITS` with this program, as `frozen.wasm`.
    fn freeze(&self, program: &[u8]) -> Output {
        self.module("guest.wasm", EXITS);
        self.file("program", program);
        self.bactrian(&[
            "specialize",
            "--generic",
            "--init",
            "program",
            "guest.wasm",
            "-o",
            "frozen.wasm",
        ])
    }

    /// Runs the command in the place's directory, with a cache of its own.
    fn bactrian(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bactrian"))
            .args(args)
            .current_dir(self.directory.path())
            .env("XDG_CACHE_HOME", self.directory.path())
            .output()
            .expect("the command starts")
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_frozen_module_knows_its_program() {
    let place = Place::new();
    for _ in 0..2 {
        let frozen = place.freeze(&[200, 1, 1]);
        assert!(frozen.status.success(), "{}", stderr(&frozen));
        assert_eq!(
            place.bactrian(&["run", "frozen.wasm"]).status.code(),
            Some(200)
        );
    }
}

#[test]
fn a_refused_program_is_reported_with_the_guests_words_and_status() {
    let place = Place::new();
    let refused = place.freeze(&[]);
    assert_eq!(stderr(&refused), "bactrian: guest.wasm: bad program\n");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn traps_have_their_own_status() {
    let place = Place::new();
    place.module(
        "trap.wasm",
        r#"(module (memory (export "memory") 1) (func (export "_start") unreachable))"#,
    );
    let trapped = place.bactrian(&["run", "trap.wasm"]);
    assert_eq!(trapped.status.code(), Some(134));
    assert!(
        stderr(&trapped).contains("unreachable"),
        "{}",
        stderr(&trapped)
    );
}

#[test]
fn machine_code_is_not_loaded_unasked() {
    let place = Place::new();
    let engine = bactrian::engine::new(None).expect("an engine");
    let wasm = wat::parse_str(r#"(module (memory (export "memory") 1) (func (export "_start")))"#);
    let module = wasmtime::Module::new(&engine, wasm.expect("well-formed")).expect("valid");
    place.file("code", &module.serialize().expect("it can be serialised"));
    let refused = place.bactrian(&["run", "code"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(
        stderr(&refused).contains("`--allow-precompiled`"),
        "{}",
        stderr(&refused)
    );
    let allowed = place.bactrian(&["run", "--allow-precompiled", "code"]);
    assert!(allowed.status.success(), "{}", stderr(&allowed));
}

#[test]
fn mistakes_say_what_and_where() {
    let place = Place::new();
    place.module("guest.wasm", r#"(module (memory (export "memory") 1))"#);
    let cases: [(&[&str], &str); 6] = [
        (&["run", "absent.byte"], "cannot read absent.byte"),
        (&["run", "guest.wasm"], "not a WASI command"),
        (&["run", "--dir", "absent", "guest.wasm"], "absent"),
        (
            &[
                "specialize",
                "--init",
                "guest.wasm",
                "guest.wasm",
                "-o",
                "out",
            ],
            "exports no `wizer-initialize`",
        ),
        (&["run", "-O", "flying=on", "guest.wasm"], "flying"),
        (
            &["run", "-O", "flying", "guest.wasm"],
            "expected NAME=on or NAME=off",
        ),
    ];
    for (args, message) in cases {
        let output = place.bactrian(args);
        assert!(!output.status.success());
        assert!(
            stderr(&output).contains(message),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn the_cache_is_counted_checked_and_cleared() {
    let place = Place::new();
    place.freeze(&[7]);
    let stats = |place: &Place| {
        String::from_utf8_lossy(&place.bactrian(&["cache", "stats"]).stdout).into_owned()
    };
    assert!(
        stats(&place).contains("snapshots                         1 entries"),
        "{}",
        stats(&place)
    );
    let verified = place.bactrian(&["cache", "verify"]);
    assert!(String::from_utf8_lossy(&verified.stdout).contains("0 damaged"));
    assert!(place.bactrian(&["cache", "clear"]).status.success());
    assert!(
        stats(&place).contains("snapshots                         0 entries"),
        "{}",
        stats(&place)
    );
}
