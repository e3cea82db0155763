//! The command on small hand-written guests: freezing, running, statuses, the sandbox, messages.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

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
        self.command(args).output().expect("the command starts")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian"));
        command
            .args(args)
            .current_dir(self.directory.path())
            .env("XDG_CACHE_HOME", self.directory.path());
        command
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

/// The ticker would have written to other words, and where the memory had been before it grew.
#[test]
fn a_memory_with_addresses_of_64_bits_has_no_ticker() {
    const NOSYS: i32 = 38;
    let place = Place::new();
    place.module(
        "long.wasm",
        r#"(module
            (import "bactrian_host" "tick"
                (func $tick (param i64 i64 i64 i32 i32 i32 i32) (result i64)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") i64 1)
            (func (export "_start")
                (call $exit (i32.wrap_i64 (i64.sub (i64.const 0)
                    (call $tick (i64.const 8) (i64.const 16) (i64.const 0) (i32.const 0)
                        (i32.const 0) (i32.const 0) (i32.const 0)))))))"#,
    );
    let run = place.bactrian(&["run", "long.wasm"]);
    assert_eq!(run.status.code(), Some(NOSYS), "{}", stderr(&run));
}

/// A guest's stacks get less than the system has; that is no limit of the user's.
#[test]
fn a_module_with_stacks_that_recurses_endlessly_traps() {
    let place = Place::new();
    place.module(
        "deep.wasm",
        r#"(module
            (memory (export "memory") (export "bactrian:stacks") 1)
            (func $deep (result i32) (i32.add (call $deep) (i32.const 1)))
            (func (export "_start") (drop (call $deep))))"#,
    );
    let run = place.bactrian(&["run", "deep.wasm"]);
    let said = stderr(&run);
    assert_eq!(run.status.code(), Some(134), "{said}");
    assert!(said.contains("the native stack was used up"), "{said}");
    assert!(!said.contains("-W"), "{said}");
}

#[test]
fn machine_code_is_not_loaded_unasked() {
    let place = Place::new();
    let engine = bactrian::engine::new(None, &Default::default()).expect("an engine");
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
    let counted = place.bactrian(&["run", "--allow-precompiled", "-W", "fuel=1", "code"]);
    assert!(
        stderr(&counted).contains("counts no instructions"),
        "{}",
        stderr(&counted)
    );
    let allowed = place.bactrian(&["run", "--allow-precompiled", "code"]);
    assert!(allowed.status.success(), "{}", stderr(&allowed));
}

/// A guest that says so and then does `what`.
fn starts(what: &str) -> String {
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "fd_read"
                (func $read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_write"
                (func $write (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 64) "started")
            (func $deep (result i32) (i32.add (call $deep) (i32.const 1)))
            (func (export "_start")
                (i64.store (i32.const 0) (i64.const 0x700000040))
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 32)))
                {what}))"#
    )
}

/// Runs it under a limit that it reaches; what is said of that.
fn stopped(what: &str, limit: &str) -> String {
    let place = Place::new();
    place.module("guest.wasm", &starts(what));
    let mut command = place.command(&["run", "-W", limit, "guest.wasm"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    // Never written to, and open until the command has ended.
    let input = child.stdin.take();
    let output = child.wait_with_output().expect("the command ends");
    drop(input);
    assert_eq!(output.stdout, b"started", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(124), "{}", stderr(&output));
    stderr(&output)
}

const FOR_EVER: &str = "(loop $ever (br $ever))";

#[test]
fn a_program_without_fuel_is_stopped() {
    let message = stopped(FOR_EVER, "fuel=100000");
    assert_eq!(
        message,
        "bactrian: guest.wasm: the program was stopped: it has used its fuel of 100000 (-W fuel)\n"
    );
}

#[test]
fn a_program_out_of_time_is_stopped_wherever_it_is() {
    let message = stopped(FOR_EVER, "timeout=300ms");
    assert!(
        message.contains("its time of 300ms (-W timeout)"),
        "{message}"
    );
    let read = "(drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))";
    let message = stopped(read, "fuel=100000,timeout=0.3s");
    assert!(
        message.contains("its time of 300ms (-W timeout)"),
        "{message}"
    );
}

#[test]
fn a_program_beyond_its_native_stack_is_stopped() {
    let message = stopped("(drop (call $deep))", "max-wasm-stack=200000");
    assert!(
        message.contains("its native stack of 200000 bytes"),
        "{message}"
    );
}

#[test]
fn a_program_within_its_limits_runs_and_code_that_counts_is_kept_apart() {
    let place = Place::new();
    place.module("guest.wasm", &starts(""));
    let limits = "fuel=1000,timeout=1h,max-wasm-stack=100000,max-memory-size=100000";
    for _ in 0..2 {
        for args in [
            &["run", "-W", limits, "guest.wasm"][..],
            &["run", "guest.wasm"],
        ] {
            let output = place.bactrian(args);
            assert!(output.status.success(), "{}", stderr(&output));
            assert_eq!(output.stdout, b"started");
        }
    }
}

#[test]
fn mistakes_say_what_and_where() {
    let place = Place::new();
    place.module("guest.wasm", r#"(module (memory (export "memory") 1))"#);
    place.file("cut.wasm", b"\0asm\x01\0\0\0cut");
    place.file("odd.toml", b"modul = \"guest.wasm\"");
    place.module(
        "silent.wasm",
        r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 1)
            (func (export "wizer-initialize") (call $exit (i32.const 9))))"#,
    );
    let cases: [(&[&str], &str); 12] = [
        (
            &["specialize", "--init=odd.toml", "silent.wasm", "-o", "out"],
            "silent.wasm: the initialisation ended with status 9, and said nothing\n",
        ),
        (
            &["run", "--guest", "odd.toml", "guest.wasm"],
            "unknown field `modul`",
        ),
        (
            &["check", "cut.wasm"],
            "module: unexpected end-of-file (at offset 0xa)\n",
        ),
        (&["run", "absent.byte"], "cannot read absent.byte"),
        (&["check", "absent.wasm"], "bactrian: cannot read absent."),
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
        (&["run", "-W", "wings=2", "guest.wasm"], "no limit `wings`"),
        (
            &["run", "-W", "max-wasm-stack=1000000000000000", "guest.wasm"],
            "cannot be had here",
        ),
        (
            &["run", "-O", "flying", "guest.wasm"],
            "expected NAME=on or NAME=off",
        ),
    ];
    for (args, message) in cases {
        let output = place.bactrian(args);
        let said = stderr(&output);
        assert!(!output.status.success());
        assert!(said.contains(message), "{args:?}: {said}");
        assert!(
            !said.ends_with("\n\n") || output.status.code() == Some(2),
            "{args:?}: {said}"
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
