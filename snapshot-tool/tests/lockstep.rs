//! The comparer of lockstep on hand-written pairs of modules: what agrees, and each way to differ.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bactrian::engine;
use bactrian::guest::{Guest, Manifest};
use bactrian::host::{Directory, Sandbox};
use bactrian::lockstep::{self, Cause, Setup, Verdict};
use bactrian::run::Exit;
use wasmtime::{Engine, Module};

/// A guest that reports a number of events, counting, with `body` for each; then does `last`.
fn guest(events: u32, body: &str, last: &str) -> String {
    format!(
        r#"(module
            (import "bactrian" "lockstep.event" (func $event (param i32 i32 i32 i64)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (import "wasi_snapshot_preview1" "fd_write"
                (func $write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "path_create_directory"
                (func $mkdir (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (func (export "_start") (local $at i32)
                (call $event (i32.const 1) (i32.const 0) (i32.const 1024) (i64.const 1))
                (loop $again
                    {body}
                    (call $event (i32.const 3) (local.get $at) (i32.const 1000)
                        (i64.extend_i32_u (local.get $at)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br_if $again (i32.lt_u (local.get $at) (i32.const {events}))))
                {last}))"#
    )
}

/// At the 5000th event does `what`.
fn late(what: &str) -> String {
    format!("(if (i32.eq (local.get $at) (i32.const 5000)) (then {what}))")
}

fn compare(generic: &str, residual: &str) -> Verdict {
    let setup = Setup {
        patience: Duration::from_secs(2),
        ..Setup::default()
    };
    compare_with(generic, residual, &setup)
}

fn compare_with(generic: &str, residual: &str, setup: &Setup) -> Verdict {
    let engine = engine::interruptible(None).expect("an engine");
    let module = |engine: &Engine, wat: &str| {
        Module::new(engine, wat::parse_str(wat).expect("well-formed")).expect("valid")
    };
    lockstep::compare(
        &engine,
        &module(&engine, generic),
        &module(&engine, residual),
        setup,
    )
    .expect("both start")
}

fn cause(residual: &str) -> (u64, Cause, String) {
    match compare(&guest(9000, "", ""), residual) {
        Verdict::Agree { .. } => panic!("the difference was not noticed"),
        Verdict::Diverged(divergence) => {
            let text = divergence.to_string();
            (divergence.events, divergence.cause, text)
        }
    }
}

#[test]
fn equal_runs_agree() {
    let guest = guest(9000, "", "(call $exit (i32.const 7))");
    match compare(&guest, &guest) {
        Verdict::Agree { events, end } => {
            assert_eq!((events, end.exit), (9001, Exit::Status(7)));
        }
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
}

#[test]
fn a_wrong_value_is_found_where_it_is() {
    let wrong = guest(9000, &late("(local.set $at (i32.const 5001))"), "");
    let (events, cause, text) = cause(&wrong);
    assert_eq!(events, 5001);
    let Cause::Events {
        generic: Some(generic),
        residual: Some(residual),
    } = cause
    else {
        panic!("{cause:?}");
    };
    assert_eq!((generic.said.value, residual.said.value), (5000, 5001));
    assert!(text.contains("differ after 5001 events"), "{text}");
}

/// A guest of another language: what is said of its run is said in its words.
const TOY: &str = r#"
name = "player piano"

[code]
unit = "inch"
size = 4

[events]
3 = "step"

[[words]]
show = "hole {int}"
"#;

fn toy(manifest: &str) -> Arc<Guest> {
    Arc::new(Guest {
        module: Cow::Borrowed(&[]),
        file: None,
        manifest: Manifest::parse(manifest).expect("well-formed"),
        recognise: |_| None,
        headers: &[],
        libraries: |_| Vec::new(),
        has_threads: |_| false,
        smallest: None,
    })
}

#[test]
fn a_report_is_in_the_guests_words() {
    let wrong = guest(9000, &late("(local.set $at (i32.const 5001))"), "");
    let setup = Setup {
        guest: toy(TOY),
        functions: vec![(0, 40_000)],
        ..Setup::default()
    };
    let Verdict::Diverged(divergence) = compare_with(&guest(9000, "", ""), &wrong, &setup) else {
        panic!("the difference was not noticed");
    };
    let text = divergence.to_string();
    for words in [
        "generic: step hole 5000\n    at inch 1250, function 0 + 1250",
        "step hole 5001",
    ] {
        assert!(text.contains(words), "`{words}` is missing from: {text}");
    }
}

/// The stack begins at 992; its top word, of 4 bytes, is the one below the stack pointer.
#[test]
fn a_stack_may_grow_upwards() {
    let up = |last: &str| guest(9000, last, "").replace("(i32.const 1024)", "(i32.const 992)");
    let wrong = up(&late("(i32.store (i32.const 996) (i32.const -85))"));
    let setup = Setup {
        guest: toy(&format!("{TOY}[stack]\ngrows = \"up\"\ncell = 4\n")),
        ..Setup::default()
    };
    let Verdict::Diverged(divergence) = compare_with(&up(""), &wrong, &setup) else {
        panic!("the difference was not noticed");
    };
    let text = divergence.to_string();
    let words = "sp[-1]: hole 0 in generic, hole -85 in residual";
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_guest_without_stress_says_so() {
    let engine = engine::interruptible(None).expect("an engine");
    let module = wat::parse_str(guest(1, "", "")).expect("well-formed");
    let module = Module::new(&engine, module).expect("valid");
    let setup = Setup {
        guest: toy(TOY),
        stress: true,
        ..Setup::default()
    };
    let error = lockstep::compare(&engine, &module, &module, &setup).expect_err("it has none");
    assert!(error.to_string().contains("no stress mode"), "{error}");
}

#[test]
fn a_wrong_stack_word_is_found() {
    let wrong = guest(
        9000,
        &late("(i64.store (i32.const 1008) (i64.const 85))"),
        "",
    );
    let (events, cause, text) = cause(&wrong);
    assert_eq!(events, 5001);
    assert!(matches!(cause, Cause::Events { .. }));
    assert!(
        text.contains("sp[1]: (raised) in generic, 42 in residual"),
        "{text}"
    );
}

#[test]
fn an_early_end_is_found() {
    for end in ["(return)", "(call $exit (i32.const 0))", "(unreachable)"] {
        let (events, cause, _) = cause(&guest(9000, &late(end), ""));
        assert_eq!(events, 5001);
        assert!(matches!(
            cause,
            Cause::Events {
                generic: Some(_),
                residual: None
            }
        ));
    }
}

#[test]
fn events_too_many_are_found() {
    let (events, cause, _) = cause(&guest(9001, "", ""));
    assert_eq!(events, 9001);
    assert!(matches!(
        cause,
        Cause::Events {
            generic: None,
            residual: Some(_)
        }
    ));
}

#[test]
fn a_side_that_loops_is_stopped() {
    let (events, cause, _) = cause(&guest(9000, &late("(loop $ever (br $ever))"), ""));
    assert_eq!(events, 5001);
    assert!(matches!(
        cause,
        Cause::Events {
            generic: Some(_),
            residual: None
        }
    ));
}

#[test]
fn a_side_that_loops_at_its_end_is_stopped() {
    let (_, cause, text) = cause(&guest(9000, "", "(loop $ever (br $ever))"));
    assert!(matches!(cause, Cause::Exits { .. }), "{text}");
}

#[test]
fn another_status_is_found() {
    let (events, cause, _) = cause(&guest(9000, "", "(call $exit (i32.const 3))"));
    assert_eq!(events, 9001);
    let Cause::Exits { generic, residual } = cause else {
        panic!("{cause:?}")
    };
    assert_eq!((generic, residual), (Exit::Status(0), Exit::Status(3)));
}

/// Writes what `text` says, of five bytes, then exits with the number of bytes written.
fn writer(text: &str) -> String {
    guest(
        10,
        "",
        &format!(
            r#"(i64.store (i32.const 2000) (i64.const {}))
            (i32.store (i32.const 2016) (i32.const 2000))
            (i32.store (i32.const 2020) (i32.const 5))
            (drop (call $write (i32.const 1) (i32.const 2016) (i32.const 1) (i32.const 2024)))
            (call $exit (i32.load (i32.const 2024)))"#,
            text.bytes()
                .rev()
                .fold(0, |word, byte| word << 8 | i64::from(byte))
        ),
    )
}

#[test]
fn output_is_written_once_and_compared() {
    match compare(&writer("camel"), &writer("camel")) {
        Verdict::Agree { end, .. } => {
            assert_eq!(
                (end.exit, &end.stdout[..]),
                (Exit::Status(5), &b"camel"[..])
            );
        }
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
    match compare(&writer("camel"), &writer("cabal")) {
        Verdict::Agree { .. } => panic!("the difference was not noticed"),
        Verdict::Diverged(divergence) => {
            let text = divergence.to_string();
            assert!(text.contains(r#"from byte 2 on: "mel", "bal""#), "{text}");
        }
    }
}

#[test]
fn a_call_that_one_side_does_not_make_is_found() {
    let (_, _, text) = cause(&writer("camel").replace(
        "i32.lt_u (local.get $at) (i32.const 10)",
        "i32.lt_u (local.get $at) (i32.const 9000)",
    ));
    assert!(
        text.contains("the generic side makes no such call"),
        "{text}"
    );
}

#[test]
fn what_is_done_outside_is_done_once() {
    // Exits with the error number of making a directory: the second side would find it there.
    let guest = guest(
        10,
        "",
        r#"(i64.store (i32.const 2000) (i64.const 0x776f6c66))
        (call $exit (call $mkdir (i32.const 3) (i32.const 2000) (i32.const 4)))"#,
    );
    let directory = tempfile::tempdir().expect("a temporary directory");
    let setup = Setup {
        sandbox: Sandbox {
            directories: vec![Directory {
                host: directory.path().into(),
                guest: "/".into(),
            }],
            ..Sandbox::default()
        },
        ..Setup::default()
    };
    match compare_with(&guest, &guest, &setup) {
        Verdict::Agree { end, .. } => assert_eq!(end.exit, Exit::Status(0)),
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
    assert!(directory.path().join("flow").is_dir());
}
