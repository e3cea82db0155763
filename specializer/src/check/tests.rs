//! What is said of requests that are declined: why, and where in the interpreter that is.

use wasmparser::Operator;

use super::*;
use crate::eval::Budgets;

/// An interpreter; `{locals}` and `{code}` are what tests give it.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $update (param i32)))
  (import "bactrian" "context.push" (func $push (param i32)))
  (import "bactrian" "context.pop" (func $pop))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.read32" (func $read32 (param i32) (result i32)))
  (import "bactrian" "cells.read8" (func $read8 (param i32) (result i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "bactrian" "specialize.range" (func $range (param i32 i32 i32) (result i32)))
  (memory 3)
  (@requests 0x100 (region 0x1000 0x20)
    (request 1 (slot 0x80) (code 0x1000 0x20) (pass 1)) (names 0x300 8))
  (type $entry (func (param $pc i32) (param $x i32) (result i32)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x300) "counter\00")
  (data (i32.const 0x1000) (i8 3 1 4 1))
  (func $interpret (type $entry) (param $pc i32) (param $x i32) (result i32) (local $n i32)
    (call $update (local.get $pc))
    (loop $next {code} (br_if $next (local.get $x)))
    (local.get $n)))"#;

/// The findings of severity `Error`, with what is at their places.
fn errors(code: &str, budgets: Budgets) -> Vec<(Finding, Option<String>)> {
    let module = tables::module(&MODULE.replace("{code}", code)).expect("it is a module");
    let options = Options {
        budgets,
        ..Options::default()
    };
    let findings = check(&module, &options)
        .expect("it can be read")
        .into_iter();
    let errors = findings.filter(|finding| finding.severity == Severity::Error);
    let module = Module::parse(&module).expect("it can be read");
    errors
        .map(|finding| {
            let at = finding.place.map(|place| operator(&module, place));
            (finding, at)
        })
        .collect()
}

/// The operator at a place; of a call, what is called.
fn operator(module: &Module, place: Place) -> String {
    let body = module.body(place.func).expect("it has a body");
    let mut reader = body.get_operators_reader().expect("it has operators");
    while !reader.eof() {
        let here = reader.original_position();
        match reader.read().expect("it is valid") {
            operator if here != place.offset => drop(operator),
            Operator::Call { function_index } => {
                let import = module.import(Func(function_index));
                return import.map_or("call", |import| import.name).to_owned();
            }
            other => return format!("{other:?}"),
        }
    }
    panic!("nothing is at {place:?}")
}

/// Code is in constant memory, at an address that is relative to the request's; the slot is not.
#[test]
fn stores_to_constant_memory_are_errors() {
    let store = |address: &str| {
        let code = format!("(i32.store8 offset=3 {address} (local.get $x))");
        let found = errors(&code, Budgets::default());
        let said: Vec<_> = found
            .iter()
            .map(|(finding, _)| finding.what.clone())
            .collect();
        said.join(", ")
    };
    for constant in [
        "(local.get $pc)",
        "(i32.const 0x1010)",
        "(i32.const 0x101c)",
    ] {
        let said = store(constant);
        assert!(
            said.starts_with("a store to memory that is declared constant"),
            "{said}"
        );
    }
    for variable in [
        "(i32.const 0x1020)",
        "(i32.const 0x80)",
        "(i32.const 0x20000)",
    ] {
        assert_eq!(store(variable), "");
    }
}

fn few() -> Budgets {
    Budgets {
        nodes: 300,
        nodes_per_byte: 0,
        ..Budgets::default()
    }
}

const COUNT: &str = "(local.set $n (i32.add (local.get $n) (i32.const 1)))";

#[test]
fn the_position_that_grows_is_named_with_where_it_is_computed() {
    let code = format!("(call $update (local.get $n)) {COUNT}");
    let found = errors(&code, few());
    let [(finding, Some(at))] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(at, "context.update");
    let what = &finding.what;
    assert!(
        what.starts_with("counter is declined: more than 300 nodes"),
        "{what}"
    );
    assert!(
        what.contains("the position that `context.update` gets here has"),
        "{what}"
    );
    assert!(what.contains("values: 0, 1, 2, 3, …"), "{what}");
    let (why, place) = finding.why.as_ref().expect("it says why");
    assert_eq!(why, "it is computed");
    let module = tables::module(&MODULE.replace("{code}", &code)).expect("it is a module");
    let module = Module::parse(&module).expect("it can be read");
    assert_eq!(operator(&module, place.expect("it says where")), "I32Add");
}

/// Positions are made of it, in a loop that gives none.
#[test]
fn a_variable_of_which_positions_are_made_is_named() {
    let code = format!(
        "(loop $inner {COUNT} (br_if $inner (i32.load (local.get $x))))
         (call $update (i32.add (local.get $pc) (local.get $n)))"
    );
    let found = errors(&code, few());
    let [(finding, Some(at))] = &found[..] else {
        panic!("{found:?}");
    };
    let what = &finding.what;
    assert!(
        what.contains("a variable of which positions are made has"),
        "{what}"
    );
    assert_ne!(at, "context.update");
    assert_eq!(
        finding.why.as_ref().expect("it says why").0,
        "it is computed"
    );
}

#[test]
fn positions_that_pile_up_are_found_where_they_are_pushed() {
    let found = errors("(call $push (local.get $pc))", few());
    let declined = found
        .iter()
        .find(|(finding, _)| finding.what.contains("declined"));
    let (finding, at) = declined.expect("it is declined");
    assert!(finding.what.contains("pile up"), "{finding:?}");
    assert_eq!(at.as_deref(), Some("context.push"));
}

#[test]
fn outcomes_that_are_too_many_are_found_where_they_are_made() {
    let code = "(local.set $n (call $value (local.get $x) (i32.const 0) (i32.const 20)))
                (local.set $n (i32.add (local.get $n)
                  (call $value (i32.load (local.get $x)) (i32.const 0) (i32.const 20))))
                (local.set $n (i32.add (local.get $n)
                  (call $value (i32.load offset=4 (local.get $x)) (i32.const 0) (i32.const 20))))";
    let found = errors(code, few());
    let [(finding, Some(at))] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        finding.what.contains("the outcomes of `specialize.value`"),
        "{finding:?}"
    );
    assert_eq!(at, "specialize.value");
}

#[test]
fn bounds_without_values_are_found() {
    for (name, low, high, said) in [
        ("value", 4, 2, "its lower bound is above the upper one"),
        ("range", 4, 2, "its lower bound is above the upper one"),
        ("value", 4, 4, "makes no version: its bounds are equal"),
        ("range", 4, 4, "specialized code traps here"),
        ("range", 0, -1, "more values than the budget"),
    ] {
        let code = format!(
            "(call $update (local.get $pc))
             (local.set $n (call ${name} (local.get $x) (i32.const {low}) (i32.const {high})))"
        );
        let module = tables::module(&MODULE.replace("{code}", &code)).expect("it is a module");
        let found = check(&module, &Options::default()).expect("it can be read");
        let [finding] = &found[..] else {
            panic!("{code}: {found:?}");
        };
        assert!(finding.what.contains(said), "{finding:?}");
    }
}

#[test]
fn where_evaluation_does_not_end_is_said() {
    let budgets = Budgets {
        rounds: 1,
        ..Budgets::default()
    };
    let found = errors(COUNT, budgets);
    let [(finding, Some(_))] = &found[..] else {
        panic!("{found:?}");
    };
    let what = &finding.what;
    assert!(
        what.contains("no fixpoint") && what.contains("still changes here"),
        "{what}"
    );
    assert!(what.contains("at position code+0"), "{what}");
}

/// It is lost before there are too many nodes: both are said.
#[test]
fn a_position_that_is_lost_is_found_in_a_request_that_is_declined() {
    let code = format!(
        "(loop $inner (call $update (local.get $n)) {COUNT} (br_if $inner (local.get $x)))
         (call $update (i32.load (local.get $x)))"
    );
    let found = errors(&code, few());
    let what: Vec<_> = found.iter().map(|(finding, _)| &finding.what).collect();
    assert!(
        what.iter().any(|what| what.contains("is declined")),
        "{what:?}"
    );
    let lost = found
        .iter()
        .find(|(finding, _)| finding.what.contains("is never known"));
    let (finding, at) = lost.expect("the position is lost");
    assert_eq!(at.as_deref(), Some("context.update"));
    let (why, _) = finding.why.as_ref().expect("it says why");
    assert_eq!(why, "it is loaded from memory that may change");
}

#[test]
fn a_position_is_said_to_be_from_a_cell_of_whatever_width() {
    for read in [
        "(i32.wrap_i64 (call $read (local.get $x)))",
        "(call $read32 (local.get $x))",
        "(call $read8 (local.get $x))",
    ] {
        let code = format!("(call $update {read})");
        let found = errors(&code, Budgets::default());
        let [(finding, _)] = &found[..] else {
            panic!("{read}: {found:?}");
        };
        let (why, _) = finding.why.as_ref().expect("it says why");
        assert_eq!(why, "it is read from a cell", "{read}");
    }
}

/// Interpreters for weval: what they assert, or read, and where it is.
#[test]
fn what_weval_refuses_is_found_where_it_is() {
    for (code, at, why) in [
        (
            "(call $assert (i32.load (local.get $a)) (i32.const 7))",
            "assert.const32",
            "is loaded",
        ),
        (
            "(call $abort (i32.const 7) (i32.const 1))",
            "abort.specialization",
            "",
        ),
        (
            "(drop (call $read (i64.const 3)))",
            "read.reg",
            "register 3 is not written",
        ),
        (
            "(call $write (i64.load (local.get $a)) (i64.const 3))",
            "write.reg",
            "is loaded",
        ),
        (
            "(drop (call $global (i32.const 0)))",
            "read.specialization.global",
            "",
        ),
    ] {
        let text = WEVAL.replace("{code}", code);
        let module = wat::parse_str(&text).expect("it is a module");
        let found = check(&module, &Options::default()).expect("it can be read");
        let [finding] = &found[..] else {
            panic!("{code}: {found:?}");
        };
        assert!(finding.what.contains("is declined: "), "{finding:?}");
        let place = finding
            .place
            .unwrap_or_else(|| panic!("{code}: {finding:?}"));
        let module = Module::parse(&module).expect("it can be read");
        assert_eq!(operator(&module, place), at, "{finding:?}");
        let said = finding.why.as_ref().map_or("", |(what, _)| what);
        assert_eq!(said.is_empty(), why.is_empty(), "{finding:?}");
        assert!(said.contains(why), "{finding:?}");
    }
}

#[test]
fn misuse_of_wevals_intrinsics_is_found_where_it_is() {
    let pushed = "(call $stack (local.get $a) (i64.const 1))";
    let look = format!("{pushed} (drop (call $look (local.get $a)))");
    let load = format!("{pushed} (drop (i64.load32_u offset=4 (local.get $a)))");
    let value = |low: &str, high: &str| {
        format!("(drop (call $value (local.get $a) (i32.const {low}) {high}))")
    };
    for (code, at, said) in [
        (
            value("0", "(i32.load (local.get $a))"),
            "specialize.value",
            "its bounds are not known",
        ),
        (
            value("0", "(i32.const 100000)"),
            "specialize.value",
            "more values than the budget",
        ),
        (
            value("0", "(i32.const -1)"),
            "specialize.value",
            "more values than the budget",
        ),
        (
            value("3", "(i32.const 2)"),
            "specialize.value",
            "its lower bound is above the upper one",
        ),
        (look, "call", "`weval.sync.stack` is missing before it"),
        (
            load,
            "I64Load32U",
            "a plain load reads an entry of the stack",
        ),
    ] {
        let text = WEVAL.replace("{code}", &code);
        let module = wat::parse_str(&text).expect("it is a module");
        let found = check(&module, &Options::default()).expect("it can be read");
        let [finding] = &found[..] else {
            panic!("{code}: {found:?}");
        };
        assert!(finding.what.contains(said), "{finding:?}");
        let place = finding.place.expect("it is somewhere");
        let module = Module::parse(&module).expect("it can be read");
        assert!(operator(&module, place).starts_with(at), "{finding:?}");
    }
    let synced = format!("{pushed} (call $sync) (drop (call $look (local.get $a)))");
    let far = format!("{pushed} (drop (i64.load offset=8 (local.get $a)))");
    let [some, one] = ["0", "2"].map(|low| value(low, "(i32.const 2)"));
    for code in [synced, far, some, one] {
        let module = wat::parse_str(WEVAL.replace("{code}", &code)).expect("it is a module");
        let found = check(&module, &Options::default()).expect("it can be read");
        assert_eq!(found, [], "{code}");
    }
}

/// A request of the function with one constant, whose second parameter is not known.
const WEVAL: &str = r#"(module
  (import "weval" "push.context" (func $push (param i32)))
  (import "weval" "assert.const32" (func $assert (param i32 i32)))
  (import "weval" "abort.specialization" (func $abort (param i32 i32)))
  (import "weval" "read.reg" (func $read (param i64) (result i64)))
  (import "weval" "write.reg" (func $write (param i64 i64)))
  (import "weval" "read.specialization.global" (func $global (param i32) (result i64)))
  (import "weval" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "weval" "push.stack" (func $stack (param i32 i64)))
  (import "weval" "sync.stack" (func $sync))
  (memory (export "memory") 1)
  (table 2 funcref)
  (elem (i32.const 1) $run)
  (func (export "weval.pending.head") (result i32) (i32.const 0x100))
  (data (i32.const 0x100) "\00\02\00\00")
  ;; Its function is entry 1, its slot 0x180, its arguments are 32 bytes: 0x400, and one unknown.
  (data (i32.const 0x20c) "\00\00\00\00\01")
  (data (i32.const 0x214) "\40\02\00\00\20\00\00\00\80\01")
  (data (i32.const 0x240) "\01\00\00\00\00\00\00\00\00\04")
  (func $look (param i32) (result i64) (i64.load (local.get 0)))
  (func $run (param $pc i32) (param $a i32)
    (call $push (local.get $pc))
    {code}))"#;
