//! Modules and request tables that are not what they should be: each is an error that says so, and
//! none a panic.

use crate::eval::Budgets;
use crate::{Observer, Options};

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// An annotated module; the tests replace the parts in braces.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  {memory}
  (global (export "BACTRIAN_REQUESTS") i32 (i32.const 0x100))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const {element}) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x100) (i32 {table}))
  (data (i32.const 0x120) (i32 {regions}))
  (data (i32.const 0x140) (i32 {request}) (i32 {pointer} 0) (i32 0 0) (i64 1) (i32 0 0) (i64 {pass}))
  (data (i32.const 0x1000) (i8 3 1 4 1))
  (func $interpret (type $entry)
    (local $count i32)
    (call $position (local.get 0))
    (call $write (local.get 1) (local.get 2))
    (loop $next
      (local.set $count (i32.add (local.get $count) (i32.load8_u (local.get 0))))
      (br_if $next (i64.ne (call $read (local.get 1)) (i64.const 0))))
    (i64.extend_i32_u
      (call $value (i32.wrap_i64 (local.get 2)) (i32.const 1) (local.get $count)))))"#;

const VALID: &[(&str, &str)] = &[
    ("{memory}", "(memory 3)"),
    ("{element}", "1"),
    ("{table}", "0x54434142 2 0x120 1 0x140 1"),
    ("{regions}", "0x1000 0x20"),
    ("{request}", "1 0x80 0 0x20 3 0"),
    ("{pointer}", "2 0 0x1000"),
    ("{pass}", "2"),
];

/// The module, with parts that are still in braces as they should be.
fn assemble(text: &str) -> Vec<u8> {
    let parts = VALID.iter();
    let text = parts.fold(text.to_owned(), |text, (name, valid)| {
        text.replace(name, valid)
    });
    wat::parse_str(&text).expect("the text is that of a module")
}

fn specialize(bytes: &[u8]) -> Result<(), String> {
    let budgets = Budgets {
        nodes: 200,
        nodes_per_byte: 0,
        fan_out: 16,
        ..Budgets::default()
    };
    let options = Options {
        budgets,
        ..Options::default()
    };
    let output = crate::specialize(bytes, &options, None, &Silent);
    output.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn the_module_is_valid_as_it_is() {
    assert_eq!(specialize(&assemble(MODULE)), Ok(()));
}

/// Data ends with the last byte that is not zero, in the middle of the last request's last word.
#[test]
fn a_word_that_data_reaches_in_part_is_read() {
    let text = MODULE
        .replace("{table}", "0x54434142 2 0x120 1 0x2000 1")
        .replace("(i32.const 0x140)", "(i32.const 0x2000)")
        .replace("(i64 {pass})", "(i8 2)");
    assert_eq!(specialize(&assemble(&text)), Ok(()));
}

#[test]
fn each_fault_has_its_error() {
    let huge = "0x54434142 2 0x120 0xffffffff 0x140 1";
    let many = "0x54434142 2 0x120 1 0x140 0xffffffff";
    let cases = [
        ("{memory}", "(memory 0)", "does not fit the memory"),
        ("{memory}", "", "unknown memory 0"),
        ("{element}", "2", "does not fit the table"),
        ("{element}", "-1", "does not fit the table"),
        ("{element}", "0", "table entry 1 is not a function"),
        ("{table}", "0 1 0x120 1 0x140 1", "magic 0x0"),
        ("{table}", "0x54434142 1 0x120 1 0x140 1", "version 1"),
        ("{table}", huge, "list of regions does not fit"),
        ("{table}", many, "list of requests does not fit"),
        ("{table}", "0x54434142 2 0x120 1 -4 1", "list of requests"),
        ("{table}", "0x54434142 2 0x120 1 0x138 1", "table entry"),
        ("{regions}", "0x1000 -1", "does not fit the memory"),
        ("{regions}", "-4 0x20", "does not fit the memory"),
        ("{regions}", "0x1000 0x10", "is not in a region"),
        ("{request}", "7 0x80 0 0x20 3 0", "table entry 7"),
        ("{request}", "-1 0x80 0 0x20 3 0", "table entry 4294967295"),
        ("{request}", "1 0x84 0 0x20 3 0", "table entry 0"),
        ("{request}", "1 -4 0 0x20 3 0", "table entry 0"),
        ("{request}", "1 0x80 3 0x20 3 0", "anchor 3"),
        ("{request}", "1 0x80 1 0x20 3 0", "anchor 1"),
        ("{request}", "1 0x80 -1 0x20 3 0", "anchor 4294967295"),
        ("{request}", "1 0x80 0 -1 3 0", "is not in a region"),
        ("{request}", "1 0x80 0 0x20 2 0", "2 parameters"),
        ("{request}", "1 0x80 0 0x20 -1 0", "4294967295 parameters"),
        ("{pointer}", "2 0 0", "is not in a region"),
        ("{pointer}", "3 0 0x1000", "parameter 0"),
        ("{pass}", "3", "parameter 2"),
        ("{pass}", "0x100000002", "parameter 2"),
    ];
    for (part, replacement, expected) in cases {
        let module = assemble(&MODULE.replace(part, replacement));
        let error = specialize(&module).expect_err(replacement);
        assert!(error.contains(expected), "{part} {replacement}: {error}");
    }
}

#[test]
fn intrinsics_have_their_types() {
    let other = MODULE.replace("$position (param i32)", "$position (param i64)");
    let other = assemble(&other);
    let lifting = specialize(&other).expect_err("the intrinsic has another type");
    let linking = crate::link_generic(&other, &Options::default());
    let linking = linking
        .expect_err("the intrinsic has another type")
        .to_string();
    for error in [lifting, linking] {
        assert!(error.contains("context.update"), "{error}");
    }
}

#[test]
fn regions_are_disjoint() {
    let two = MODULE.replace("{table}", "0x54434142 2 0x120 2 0x140 1");
    for (regions, disjoint) in [
        ("0x1000 0x20 0x1010 0x20", false),
        ("0x1010 0x20 0x1000 0x20", false),
        ("0x1000 0x20 0x1000 0x20", false),
        ("0x1000 0x20 0x1020 0x20", true),
        ("0x1000 0x20 0x1010 0", true),
    ] {
        match specialize(&assemble(&two.replace("{regions}", regions))) {
            Ok(()) => assert!(disjoint, "{regions}"),
            Err(error) => assert!(error.contains("overlaps") && !disjoint, "{error}"),
        }
    }
}

#[test]
fn slots_are_not_shared() {
    let request = "(i32 1 0x80 0 0x20 3 0) (i32 2 0 0x1000 0) (i32 0 0) (i64 1) (i32 0 0) (i64 2)";
    let second = format!("(data (i32.const 0x258) {request})");
    let text = MODULE
        .replace("{table}", "0x54434142 2 0x120 1 0x140 2")
        .replace(
            "(data (i32.const 0x80)",
            &format!("{second} (data (i32.const 0x80)"),
        );
    let error = specialize(&assemble(&text)).expect_err("two requests have one slot");
    assert!(error.contains("another request's"), "{error}");
}

/// The error for a module whose request has this name; its end is not added.
fn named(name: &str, len: usize) -> Result<(), String> {
    let table = format!("0x54434142 2 0x120 1 0x140 1 0x2000 {len}");
    let names = format!(r#"(data (i32.const 0x2000) "{name}") (data (i32.const 0x80)"#);
    let text = MODULE.replace("{table}", &table);
    specialize(&assemble(&text.replace("(data (i32.const 0x80)", &names)))
}

#[test]
fn names_are_text_of_a_bounded_length() {
    assert_eq!(named(r"f\00", 2), Ok(()));
    assert_eq!(named(r"\00", 1), Ok(()));
    assert_eq!(named("f", 0), Ok(()));
    let long = "f".repeat(annotations::MAX_NAME);
    assert_eq!(named(&format!(r"{long}\00"), long.len() + 1), Ok(()));
    for (name, len, expected) in [
        ("f", 1, "the name of request 0 does not end"),
        (r"\ff\00", 2, "the name of request 0 is not UTF-8"),
        (&format!(r"{long}f\00"), long.len() + 2, "is too long"),
        ("", 1 << 20, "the names do not fit the memory"),
    ] {
        let error = named(name, len).expect_err(expected);
        assert!(error.contains(expected), "{name} {len}: {error}");
    }
}

#[test]
fn truncated_modules_do_not_panic() {
    let valid = assemble(MODULE);
    for len in 0..valid.len() {
        let _ = specialize(&valid[..len]);
        let _ = crate::link_generic(&valid[..len], &crate::Options::default());
    }
}

#[test]
fn changed_bytes_do_not_panic() {
    let valid = assemble(MODULE);
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..4000 {
        let mut changed = valid.clone();
        for _ in 0..1 + random.usize(..2) {
            let at = random.usize(..valid.len());
            changed[at] = random.usize(..256) as u8;
        }
        let _ = specialize(&changed);
        let _ = crate::link_generic(&changed, &crate::Options::default());
    }
}
