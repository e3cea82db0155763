//! Modules and request tables that are not what they should be: each is an error that says so, and
//! none a panic.

use std::mem::offset_of;

use annotations::{Param, Region, Request, RequestTable as Table};
use tables::Places;

use super::Requests;
use crate::eval::Budgets;
use crate::module::Module;
use crate::{Observer, Options};

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// An annotated module; the tests replace the parts in braces, and add data.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  {memory}
  (@requests {table} {regions} {request})
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const {element}) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 3 1 4 1))
  {data}
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
    ("{table}", "0x100"),
    ("{regions}", "(region 0x1000 0x20)"),
    ("{request}", REQUEST),
    ("{data}", ""),
];

const REQUEST: &str = "(request 1 (slot 0x80) (code 0x1000 0x20) (pass 1) (pass 2))";

/// Where the table is.
const TABLE: usize = 0x100;

/// The module, with parts that are still in braces as they should be.
fn assemble(text: &str) -> Vec<u8> {
    let parts = VALID.iter();
    let text = parts.fold(text.to_owned(), |text, (name, valid)| {
        text.replace(name, valid)
    });
    tables::module(&text).expect("the text is that of a module")
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
    let text = MODULE.replace("{table}", "0x2000");
    assert_eq!(specialize(&assemble(&text)), Ok(()));
}

#[test]
fn each_fault_of_the_module_has_its_error() {
    for (part, replacement, expected) in [
        ("{memory}", "(memory 0)", "does not fit the memory"),
        ("{memory}", "", "unknown memory 0"),
        ("{element}", "2", "does not fit the table"),
        ("{element}", "-1", "does not fit the table"),
        ("{element}", "0", "table entry 1 is not a function"),
    ] {
        let module = assemble(&MODULE.replace(part, replacement));
        let error = specialize(&module).expect_err(replacement);
        assert!(error.contains(expected), "{part} {replacement}: {error}");
    }
}

/// Links and cells that are none; the region has 32 bytes.
#[test]
fn each_fault_of_links_and_cells_has_its_error() {
    let words = |first: u32, second: u32| {
        format!(
            "(data (i32.const 0x190) (i32 {first} {second}))
             (data (i32.const 0x1010) (i32 0x1004 0x1008 7 0))"
        )
    };
    let links = "(links 0x190 2)";
    for (list, data, expected) in [
        (links, words(0x1010, 0x1014), ""),
        (links, words(0x1014, 0x1010), ""),
        (links, words(0x1010, 0x1010), ""),
        (links, words(0x1010, 0x1015), "not aligned"),
        (links, words(0x1010, 0x1024), "not in a region"),
        (links, words(0x80, 0x1010), "not in a region"),
        (links, words(0x1010, 0x1018), "does not lead into a region"),
        // It leads nowhere.
        (links, words(0x1010, 0x101c), ""),
        (
            "(links 0x190 0x40000000)",
            String::new(),
            "the list of links",
        ),
        ("(links 0xfffffff8 4)", String::new(), "the list of links"),
        ("(cells 0x190 2)", words(0x1000, 0x1004), ""),
        ("(cells 0x192 2)", String::new(), "the cells do not fit"),
        (
            "(cells 0x190 0x40000000)",
            String::new(),
            "the cells do not fit",
        ),
    ] {
        let request = format!("{REQUEST} {list}");
        let text = MODULE.replace("{request}", &request);
        let found = specialize(&assemble(&text.replace("{data}", &data)));
        match expected {
            "" => assert_eq!(found, Ok(()), "{list} {data}"),
            _ => {
                let error = found.expect_err(list);
                assert!(error.contains(expected), "{list} {data}: {error}");
            }
        }
    }
}

/// One word of the table, of its region or of its request is another one.
#[test]
fn each_fault_of_the_table_has_its_error() {
    const MAX: i64 = u32::MAX as i64;
    let Places { regions, requests } = Places::new(TABLE, 1);
    let param = |index| requests + offset_of!(Request, params) + index * size_of::<Param>();
    let upper = size_of::<u32>();
    let table = [
        (
            offset_of!(Table, magic),
            0,
            "it is empty: the module was specialized already",
        ),
        (offset_of!(Table, magic), 7, "there is none: it would"),
        (offset_of!(Table, version), 0, "it is of version 0"),
        (offset_of!(Table, region_count), MAX, "more than 1048576"),
        (offset_of!(Table, region_count), 1 << 20, "list of regions"),
        (offset_of!(Table, request_count), MAX, "list of requests"),
        (offset_of!(Table, requests), -4, "list of requests"),
        (offset_of!(Table, requests), regions as i64, "table entry"),
    ];
    let region = [
        (offset_of!(Region, len), MAX, "does not fit the memory"),
        (offset_of!(Region, base), -4, "does not fit the memory"),
        (offset_of!(Region, len), 0x10, "is not in a region"),
    ];
    let request = [
        (offset_of!(Request, function), 7, "table entry 7"),
        (offset_of!(Request, function), -1, "entry 4294967295"),
        (offset_of!(Request, slot), 0x84, "table entry 0"),
        (offset_of!(Request, slot), -4, "not an aligned"),
        (offset_of!(Request, anchor), 3, "what parameter 3"),
        (offset_of!(Request, anchor), 1, "what parameter 1"),
        (offset_of!(Request, anchor), -1, "parameter 4294967295"),
        (offset_of!(Request, code_len), MAX, "is not in a region"),
        (offset_of!(Request, param_count), 2, "2 parameters"),
        (offset_of!(Request, param_count), -1, "4294967295 param"),
    ];
    let pointer = [
        (offset_of!(Param, value), 0, "is not in a region"),
        (offset_of!(Param, kind), 3, "parameter 0"),
    ];
    let pass = [
        (offset_of!(Param, value), 3, "parameter 2"),
        (offset_of!(Param, value) + upper, 1, "parameter 2"),
    ];
    for (record, faults) in [
        (TABLE, &table[..]),
        (regions, &region),
        (requests, &request),
        (param(0), &pointer),
        (param(2), &pass),
    ] {
        for (field, word, expected) in faults {
            let data = format!("(data (i32.const {}) (i32 {word}))", record + field);
            let module = assemble(&MODULE.replace("{data}", &data));
            let error = specialize(&module).expect_err(&data);
            assert!(error.contains(expected), "{data}: {error}");
        }
    }
}

/// What a user reads: which request it is, and what is wrong with it.
#[test]
fn a_fault_of_a_request_names_it_and_says_what_is_wrong() {
    let Places { requests, .. } = Places::new(TABLE, 1);
    let param = |index| requests + offset_of!(Request, params) + index * size_of::<Param>();
    let value = offset_of!(Param, value);
    let kind = offset_of!(Param, kind);
    for (at, word, expected) in [
        (
            requests + offset_of!(Request, flags),
            255,
            "its flags, 0xff, have bits that mean nothing: 0xf8",
        ),
        (
            param(2) + value,
            7,
            "parameter 2 is to be parameter 7 of the specialized function, which has 3",
        ),
        (
            param(2) + value,
            1,
            "parameter 2 is an i64, and parameter 1 of the specialized function, which it is to \
             be, an i32",
        ),
        (
            param(2) + kind,
            annotations::PARAM_POINTER as i64,
            "parameter 2 is a pointer, and so no i64",
        ),
        (
            param(1) + kind,
            77,
            "parameter 1 is described by 77, which no description begins with",
        ),
        (
            param(1) + offset_of!(Param, boxed),
            3,
            "parameter 1, an i32, cannot be a box of kind 2",
        ),
        (
            requests + offset_of!(Request, slot),
            0x84,
            "its slot, the word at 0x84, does not hold a function to begin with: table entry 0 is \
             not a function",
        ),
    ] {
        let data = format!("(data (i32.const {at}) (i32 {word}))");
        let module = assemble(&MODULE.replace("{data}", &data));
        let error = specialize(&module).expect_err(&data);
        let which = format!("request 0 at {requests:#x}, for `interpret`");
        assert_eq!(error, format!("{which}: {expected}"));
    }
    let at = requests + offset_of!(Request, function);
    let module = MODULE.replace("{data}", &format!("(data (i32.const {at}) (i32 9))"));
    let error = specialize(&assemble(&module)).expect_err("there is no such entry");
    let expected = "it names no function of the interpreter: table entry 9 is not a function";
    assert_eq!(error, format!("request 0 at {requests:#x}: {expected}"));
}

/// All of the flags that there are.
#[test]
fn flags_that_mean_something_are_taken() {
    let Places { requests, .. } = Places::new(TABLE, 1);
    let at = requests + offset_of!(Request, flags);
    let data = format!("(data (i32.const {at}) (i32 7))");
    assert_eq!(
        specialize(&assemble(&MODULE.replace("{data}", &data))),
        Ok(())
    );
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
    for (first, second, disjoint) in [
        ("0x1000 0x20", "0x1010 0x20", false),
        ("0x1010 0x20", "0x1000 0x20", false),
        ("0x1000 0x20", "0x1000 0x20", false),
        ("0x1000 0x20", "0x1020 0x20", true),
        ("0x1000 0x20", "0x1010 0", true),
    ] {
        let regions = format!("(region {first}) (region {second})");
        match specialize(&assemble(&MODULE.replace("{regions}", &regions))) {
            Ok(()) => assert!(disjoint, "{regions}"),
            Err(error) => assert!(error.contains("overlaps") && !disjoint, "{error}"),
        }
    }
}

#[test]
fn slots_are_not_shared() {
    let text = MODULE.replace("{request}", &[REQUEST, REQUEST].concat());
    let error = specialize(&assemble(&text)).expect_err("two requests have one slot");
    assert!(error.contains("that of request 0 as well"), "{error}");
}

/// A module whose request has this name; its end is not added.
fn with_name(name: &str, len: usize) -> Vec<u8> {
    let request = format!("{REQUEST} (names 0x2000 {len})");
    let names = format!("(data (i32.const 0x2000) \"{name}\")");
    let text = MODULE.replace("{request}", &request);
    assemble(&text.replace("{data}", &names))
}

fn named(name: &str, len: usize) -> Result<(), String> {
    specialize(&with_name(name, len))
}

/// In a profile, a tab ends a field and a line's end a function.
#[test]
fn names_have_no_control_characters() {
    let module = with_name(r"one\09two\0athree\00", 14);
    let module = Module::parse(&module).expect("a module");
    let requests = Requests::read(&module).expect("a request");
    assert_eq!(requests.requests[0].title(), "one\u{fffd}two\u{fffd}three");
}

#[test]
fn requests_without_a_name_are_counted() {
    let second = REQUEST.replace("0x80", "0x84");
    let text = MODULE.replace("{request}", &format!("{REQUEST} {second} (names 0x2000 2)"));
    let data = r#"(data (i32.const 0x84) (i32 1)) (data (i32.const 0x2000) "f\00")"#;
    let error = specialize(&assemble(&text.replace("{data}", data)));
    let error = error.expect_err("the second one has no name");
    assert!(
        error.contains("there are 1 names for 2 requests"),
        "{error}"
    );
    let long = "f".repeat(annotations::MAX_NAME + 1);
    let data = data.replace("f\\00", &format!(r"{long}\00\00"));
    let text = text.replace("0x2000 2", &format!("0x2000 {}", long.len() + 2));
    let error = specialize(&assemble(&text.replace("{data}", &data)));
    let error = error.expect_err("the first one's name is too long");
    assert!(
        error.contains("the name of request 0 is too long"),
        "{error}"
    );
}

/// Their bytes have numbers of 32 bits, and all but some of them are zero.
#[test]
fn lists_as_long_as_the_memory_take_none() {
    for (list, expected) in [
        ("(links 0 0x40000000)", "the link 0x0 is not in a region"),
        ("(names 0x2000 0xffffe000)", "have 4294959104 bytes"),
    ] {
        let text = MODULE.replace("{memory}", "(memory 65536)");
        let text = text.replace("{request}", &format!("{REQUEST} {list}"));
        let error = specialize(&assemble(&text)).expect_err(list);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn names_are_text_of_a_bounded_length() {
    assert_eq!(named(r"f\00", 2), Ok(()));
    assert_eq!(named(r"\00", 1), Ok(()));
    // Names are for people: bytes that are no UTF-8 refuse nothing.
    assert_eq!(named(r"\ff\00", 2), Ok(()));
    assert_eq!(named("f", 0), Ok(()));
    let long = "f".repeat(annotations::MAX_NAME);
    assert_eq!(named(&format!(r"{long}\00"), long.len() + 1), Ok(()));
    for (name, len, expected) in [
        ("f", 1, "the name of request 0 does not end"),
        (
            &format!(r"{long}f\00"),
            long.len() + 2,
            "the names of 1 requests have",
        ),
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
