//! Instructions find the same in segments of either module; the table is as long as it has to be.

use wasmparser::{ElementKind, Parser, Payload};

use crate::Options;
use crate::link::tests::{Silent, linked_whole};
use crate::module::Module;

/// What an instruction finds in each segment once the module has started: how many entries; none
/// where it filled a table, or was only declared. And the segment's type.
fn segments(module: &[u8]) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ElementSection(segments) = payload.expect("a module") else {
            continue;
        };
        for segment in segments {
            let segment = segment.expect("a segment");
            let (count, ty) = match &segment.items {
                wasmparser::ElementItems::Functions(functions) => {
                    (functions.count(), "funcref".into())
                }
                wasmparser::ElementItems::Expressions(ty, items) => (items.count(), ty.to_string()),
            };
            let is_there = matches!(segment.kind, ElementKind::Passive);
            found.push((if is_there { count } else { 0 }, ty));
        }
    }
    found
}

/// Links a module, whose segments stay as they are for instructions.
fn link(text: &str) -> Vec<u8> {
    let [bytes, linked] = linked_whole(text);
    wasmparser::validate(&linked).expect("the result is valid");
    let (before, after) = (segments(&bytes), segments(&linked));
    assert_eq!(before, after[..before.len()]);
    assert!(after[before.len()..].iter().all(|(count, _)| *count == 0));
    let [was, is] = [&bytes, &linked].map(|module| Module::parse(module).expect("it is a module"));
    assert_eq!(was.table, is.table);
    linked
}

/// One segment after those that fill the table, one between them, and one before.
#[test]
fn segments_keep_their_indices() {
    let linked = link(
        "(module
            (type $functions (array (mut funcref)))
            (table $table 20 funcref) (table $other 8 funcref)
            (elem $before func $two $two $two)
            (elem $first (table $table) (i32.const 1) func $one $one)
            (elem $between funcref (ref.null func))
            (elem $second (table $table) (i32.const 7) func $two)
            (elem $declared declare func $one)
            (elem $fills (table $other) (i32.const 7) func $two)
            (elem $after func $one $two)
            (func $one
                (table.init $other $after (i32.const 2) (i32.const 0) (i32.const 2))
                (table.init $table $between (i32.const 2) (i32.const 0) (i32.const 1))
                (elem.drop $second) (elem.drop $before)
                (drop (array.new_elem $functions $after (i32.const 0) (i32.const 2))))
            (func $two (param (ref $functions))
                (table.init $other $first (i32.const 0) (i32.const 0) (i32.const 0))
                (array.init_elem $functions $before
                    (local.get 0) (i32.const 0) (i32.const 0) (i32.const 3))))",
    );
    assert_eq!(segments(&linked).len(), 7);
}

/// The table is one piece where segments overlap or touch, and there are more pieces where one
/// leaves a gap.
#[test]
fn as_many_segments_as_the_table_has_pieces() {
    let one_piece = link(
        "(module
            (table 4 funcref)
            (elem (i32.const 0) func $one $one)
            (elem (i32.const 2) func $two)
            (elem (i32.const 1) func $two)
            (elem $after func $one $two)
            (func $one (table.init $after (i32.const 2) (i32.const 0) (i32.const 2)))
            (func $two))",
    );
    assert_eq!(segments(&one_piece).len(), 4);
    let gap = link(
        "(module
            (table 4 funcref)
            (elem (i32.const 0) funcref (ref.func $one) (ref.null func) (ref.func $one))
            (elem $after func $one)
            (func $one (table.init $after (i32.const 2) (i32.const 0) (i32.const 1))))",
    );
    assert_eq!(segments(&gap).len(), 3);
}

/// An array of typed references takes nothing from a segment of any functions, not even none.
#[test]
fn typed_segments_keep_their_types() {
    link(
        "(module
            (type $none (func))
            (type $typed (array (mut (ref null $none))))
            (table 4 funcref)
            (elem $first (i32.const 0) (ref null $none) (ref.func $one))
            (func $one
                (drop (array.new_elem $typed $first (i32.const 0) (i32.const 0)))))",
    );
}

/// Versions are called by name.
#[test]
fn the_table_has_entries_for_slots_and_none_for_versions() {
    let text = include_str!("../../../../tests/golden/versions.wat");
    let bytes = tables::module(text).expect("the text is a module");
    let output = crate::specialize(&bytes, &Options::default(), None, &Silent);
    let output = output.expect("it is specialized");
    let [was, is] = [&bytes, &output.module].map(|module| Module::parse(module).expect("valid"));
    let slots = 3;
    assert!(output.report.requests.len() > slots, "it has no version");
    assert_eq!(is.table_size as usize, was.table_size as usize + slots);
}
