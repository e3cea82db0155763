//! Each ingredient of a key changes it, addresses do not, and no two different inputs look alike
//! when strung together.

use std::collections::HashSet;

use super::*;
use crate::fault::{Act, Damage, Fault, KINDS, Kind};
use crate::profile::Profile;
use crate::request::Requests;

const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (type $entry (func (param i32 i32) (result i64)))
  (type $other (func (param i32 i32 i32) (result i64)))
  (type $generic (func (param i32 i32 i32 i64) (result i64)))
  (memory 3)
  (@requests 0x100
    (region 0x1000 0x100)
    (region 0x1800 0x100)
    (request 1 (slot 0x80) (code 0x1000 0x20) (pointer 0x1800) (pass 0) (const 7)))
  (global $constant i64 (i64.const 5))
  (global $variable (mut i32) (i32.const 9))
  (table 5 funcref)
  (elem (i32.const 1) $interpret $enter $enter_other)
  (data (i32.const 0x80) (i32 2))
  (data (i32.const 0x1000) (i32 1 2 3 4))
  (data (i32.const 0x1800) (i32 5 6 7 8))
  (func $enter (type $entry) (i64.const 0))
  (func $enter_other (type $other) (i64.const 0))
  (func $interpret (type $generic)
    (call $position (local.get 0))
    (i64.load (local.get 1))))"#;

/// Makes the fourth word of the code a link.
const LINK: (&str, &str) = (
    "(const 7)))",
    "(const 7)) (links 0x90 1))
     (data (i32.const 0x90) (i32 0x100c)) (data (i32.const 0x84) (i32 0))",
);

/// After that: makes what it leads to a request's code.
const ANOTHER: (&str, &str) = (
    "(links 0x90 1)",
    "(links 0x90 1) (request 1 (slot 0x84) (code 0x1800 0x8) (pointer 0x1800) (pass 0) (const 7))",
);

fn key_of(wat: &str, options: &Options) -> [u8; 32] {
    key_within(wat, options, 0)
}

/// The key of the request in a program of `len` bytes of code.
fn key_within(wat: &str, options: &Options, len: u64) -> [u8; 32] {
    let bytes = tables::module(wat).expect("the text is that of a module");
    let module = Module::parse(&bytes).expect("a module");
    let mut requests = Requests::read(&module).expect("requests");
    if let Some(profile) = &options.profile {
        profile.apply(&mut requests);
    }
    let image = Image::new(&module, &requests);
    GenericKey::new(&module, options, &Inlining::for_program(len)).request(
        0,
        &requests.requests[0],
        &image,
    )
}

/// The key after these changes of the text.
fn changed(changes: &[(&str, &str)]) -> [u8; 32] {
    let change = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from} is in the module");
        text.replace(from, to)
    };
    let text = changes.iter().fold(MODULE.to_owned(), change);
    key_of(&text, &Options::default())
}

#[test]
fn each_ingredient_of_the_module_changes_the_key() {
    let changes: &[&[(&str, &str)]] = &[
        &[],
        &[("\"env\" \"report\"", "\"envr\" \"eport\"")],
        &[("\"env\" \"report\"", "\"en\" \"vreport\"")],
        &[(
            "\"env\" \"report\" (func $report (param i64))",
            "\"env\" \"report\" (func $report (param i32))",
        )],
        &[(
            "(import \"env\"",
            "(import \"env\" \"\" (func (param i64))) (import \"env\"",
        )],
        &[("i64 (i64.const 5)", "i64 (i64.const 6)")],
        &[("i64 (i64.const 5)", "f64 (f64.const 5)")],
        &[("i64 (i64.const 5)", "(mut i64) (i64.const 5)")],
        &[(
            "(global $variable",
            "(global i32 (i32.const 0)) (global $variable",
        )],
        &[("(memory 3)", "(memory 3) (type (func (param f32)))")],
        &[("$enter_other)", "$enter_other $enter)")],
        &[("$enter_other)", "$enter)")],
        &[("(type $entry) (i64.const 0)", "(type $entry) (i64.const 1)")],
        &[(
            "(func $enter (type $entry) (i64.const 0))",
            "(func $enter (type $entry) (i64.const 0)) (func)",
        )],
        &[("(i64.load (local.get 1))", "(i64.load (local.get 2))")],
    ];
    let keys: HashSet<_> = changes.iter().map(|changes| changed(changes)).collect();
    assert_eq!(keys.len(), changes.len());
}

#[test]
fn each_ingredient_of_the_request_changes_the_key() {
    let changes: &[&[(&str, &str)]] = &[
        &[],
        // The function and its type.
        &[
            ("(request 1", "(request 4"),
            ("$enter_other)", "$enter_other $interpret)"),
            ("(const 7)", "(const 8)"),
        ],
        &[(
            "(data (i32.const 0x80) (i32 2))",
            "(data (i32.const 0x80) (i32 3))",
        )],
        // The parameters, and which of them points to the code.
        &[("(const 7)", "(const 8)")],
        &[("(pass 0)", "(pass 1)")],
        &[("(pass 0)", "(const 0)")],
        &[
            ("(code 0x1000 0x20)", "(pointer 0x1000)"),
            ("(pointer 0x1800)", "(code 0x1800 0x20)"),
            ("0x1000) (i32 1 2 3 4)", "0x1000) (i32 5 6 7 8)"),
        ],
        // The code: its length, its bytes, the slots in it and their types.
        &[("(code 0x1000 0x20)", "(code 0x1000 0x24)")],
        &[("(i32 1 2 3 4)", "(i32 1 2 3 5)")],
        &[("(slot 0x80)", "(slot 0x1004)")],
        &[("(i32 1 2 3 4)", "(i32 1 2 3 0x1800)")],
        &[("(i32 1 2 3 4)", "(i32 1 2 3 0x1800)"), LINK],
        &[
            ("(i32 1 2 3 4)", "(i32 1 2 3 0x1800)"),
            LINK,
            ANOTHER,
            ("(i32.const 0x84) (i32 0)", "(i32.const 0x84) (i32 2)"),
        ],
        &[
            ("(slot 0x80)", "(slot 0x1008)"),
            ("(i32.const 0x80) (i32 2)", "(i32.const 0x80) (i32 3)"),
        ],
    ];
    let keys: HashSet<_> = changes.iter().map(|changes| changed(changes)).collect();
    assert_eq!(keys.len(), changes.len());
}

#[test]
fn each_option_changes_the_key() {
    let changes: &[fn(&mut Options)] = &[
        |_| {},
        |options| options.lockstep_events = true,
        |options| options.counts = true,
        |options| options.optimisations.virtual_stack = false,
        |options| options.optimisations.direct_calls = false,
        |options| options.optimisations.guesses = false,
        |options| options.optimisations.facts = false,
        |options| options.optimisations.inlining = false,
        |options| options.optimisations.dispatch = false,
        |options| options.optimisations.switches = false,
        |options| options.optimisations.value_numbering = false,
        |options| options.optimisations.safepoints = false,
        |options| options.optimisations.virtual_boxes = false,
        |options| options.budgets.nodes += 1,
        |options| options.budgets.nodes_per_byte += 1,
        |options| options.budgets.rounds += 1,
        |options| options.budgets.insts += 1,
        |options| options.budgets.fan_out += 1,
        |options| {
            options.fault = Some(Fault {
                kind: Kind::Code("evaluation", Damage::SwappedEdge),
                act: Act::Break,
                nth: 0,
                request: 0,
            });
        },
    ];
    let keys = changes.iter().map(|change| {
        let mut options = Options::default();
        change(&mut options);
        key_of(MODULE, &options)
    });
    assert_eq!(keys.collect::<HashSet<_>>().len(), changes.len());
}

/// A fault is in no key but that of the function whose body it changes: what the store has of the
/// others is sound.
#[test]
fn a_fault_changes_the_key_of_its_own_request() {
    let key = |kind, request| {
        let fault = Fault {
            kind,
            act: Act::Break,
            nth: 0,
            request,
        };
        let options = Options {
            fault: Some(fault),
            ..Options::default()
        };
        key_of(MODULE, &options)
    };
    let sound = key_of(MODULE, &Options::default());
    for &kind in KINDS {
        assert_eq!(key(kind, 1), sound, "{kind:?}");
        let is_linking = matches!(kind, Kind::Link(_));
        assert_eq!(key(kind, 0) == sound, is_linking, "{kind:?}");
    }
}

/// How much is evaluated in place depends on whether the program is large, and on nothing else.
#[test]
fn the_size_of_the_program_changes_the_key_at_one_place() {
    let lens = [0, 1 << 10, 1 << 20, 1 << 21, 1 << 30];
    let keys = lens.map(|len| key_within(MODULE, &Options::default(), len));
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 2);
    assert_eq!(keys[0], keys[2]);
}

/// Of a profile, what it says of the request itself is in its key.
#[test]
fn counts_change_a_key_only_where_they_change_the_code() {
    let key = |options: &Options| key_of(MODULE, options);
    let by = |lines: &str| {
        let profile = Profile::parse(&format!("bactrian profile 1\n{lines}"));
        key(&Options {
            profile: Some(profile.expect("a profile")),
            ..Options::default()
        })
    };
    let without = key(&Options::default());
    assert_eq!(by(""), without);
    assert_eq!(by("7\t8\t1\tanother\n"), without);
    assert_eq!(by("7\t8\t1\tcode@0x1000\n"), without, "of another length");
    assert_ne!(by("7\t32\t1\tcode@0x1000\n"), without);
}

#[test]
fn addresses_and_other_memory_do_not_change_the_key() {
    let moved = &[("0x1000", "0x1400"), ("0x1800", "0x2000")][..];
    let slot = &[("0x80", "0x90")][..];
    let linked = &[("(i32 1 2 3 4)", "(i32 1 2 3 0x1800)"), LINK];
    let led = &[("(i32 1 2 3 4)", "(i32 1 2 3 0x1804)"), LINK];
    assert_eq!(changed(linked), changed(led), "where a link leads");
    let elsewhere = &[("(i32 5 6 7 8)", "(i32 8 7 6 5)")][..];
    let variable = &[("(i32.const 9)", "(i32.const 10)")][..];
    for changes in [moved, slot, elsewhere, variable] {
        assert_eq!(changed(changes), changed(&[]), "{changes:?}");
    }
}
