//! What is valid stays valid, whatever the linker leaves out or places elsewhere.

use wasmparser::{Operator, Parser, Payload};

use crate::link::tests::{Silent, linked_whole};
use crate::module::Module;
use crate::{Options, link_generic};

fn link(text: &str) -> Vec<u8> {
    let bytes = wat::parse_str(text).expect("the text is a module");
    wasmparser::validate(&bytes).expect("the module is valid");
    let linked = link_generic(&bytes, &Options::default()).expect("it links");
    wasmparser::validate(&linked).expect("the result is valid");
    linked
}

/// What is written of the last function.
fn last_function(module: &[u8]) -> Vec<String> {
    let module = Module::parse(module).expect("it is a module");
    let body = module.bodies.last().expect("there is a function");
    let operators = body.get_operators_reader().expect("a body").into_iter();
    let operators = operators.map(|operator| format!("{:?}", operator.expect("an operator")));
    operators.collect()
}

/// An export declares a function, of which code then may take a reference. The linker leaves some
/// exports out.
#[test]
fn functions_are_declared_whose_export_goes() {
    let exporting = r#"(func $taken (export "getenv"))
        (func (export "run") (result funcref) (ref.func $taken))"#;
    for more in [
        "",
        "(memory 1) (data $passive \"a\") (func (data.drop $passive))",
        "(elem func $other) (func $other)",
        "(elem declare func $taken)",
    ] {
        link(&format!("(module {more} {exporting})"));
    }
}

/// Of a segment that was placed, instructions find nothing.
#[test]
fn instructions_may_name_data_that_is_placed() {
    let text = r#"(module
        (type $bytes (array (mut i8)))
        (memory 1)
        (data $placed (i32.const 8) "a")
        (data $passive "bc")
        (func (export "run")
            (memory.init $placed (i32.const 0) (i32.const 0) (i32.const 0))
            (memory.init $passive (i32.const 0) (i32.const 0) (i32.const 2))
            (drop (array.new_data $bytes $placed (i32.const 0) (i32.const 0)))
            (data.drop $placed)))"#;
    let linked = link(text);
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(&linked) {
        if let Payload::DataSection(segments) = payload.expect("a module") {
            found.extend(segments.into_iter().map(|segment| {
                let segment = segment.expect("a segment");
                let is_passive = matches!(segment.kind, wasmparser::DataKind::Passive);
                (is_passive, segment.data.to_vec())
            }));
        }
    }
    let expected = [(true, &b"bc"[..]), (true, b""), (false, b"a")];
    assert_eq!(
        found,
        expected.map(|(is_passive, data)| (is_passive, data.to_vec()))
    );
    let named = last_function(&linked);
    assert!(
        named.contains(&"DataDrop { data_index: 1 }".into()),
        "{named:?}"
    );
}

/// The flag by which a program knows that it was specialized is data.
#[test]
fn what_is_written_is_data_of_a_module_without_any() {
    let text = r#"(module
        (memory (export "memory") 1)
        (func (export "weval.pending.head") (result i32) (i32.const 0x100))
        (func (export "weval.is.wevaled") (result i32) (i32.const 0x104)))"#;
    let bytes = wat::parse_str(text).expect("the text is a module");
    let output = crate::specialize(&bytes, &Options::default(), None, &Silent);
    let linked = output.expect("it is specialized").module;
    let module = Module::parse(&linked).expect("it is a module");
    assert_eq!(module.image_u32(0x104), 1);
}

/// Compilers make tail calls of calls in tail position.
#[test]
fn tail_calls_of_intrinsics_are_plain_operations() {
    let text = r#"(module
        (import "bactrian" "context.update" (func $position (param i32)))
        (import "bactrian" "value.nonzero" (func $nonzero (param i64) (result i64)))
        (import "bactrian" "specialize.active" (func $active (result i32)))
        (memory 1)
        (func (export "at") (param i32) (return_call $position (local.get 0)))
        (func (export "active") (result i32) (return_call $active))
        (func (export "nonzero") (param i64) (result i64) (return_call $nonzero (local.get 0))))"#;
    let [_, linked] = linked_whole(text);
    wasmparser::validate(&linked).expect("the result is valid");
    let expected = ["LocalGet { local_index: 0 }", "Return", "End"];
    assert_eq!(last_function(&linked), expected);
}

/// What waits on the stack of a function would be in locals, if that were written anew: in more
/// than engines take.
#[test]
fn a_function_with_much_on_its_stack_is_copied() {
    let loads = "(i64.load (i32.const 8)) (call $nothing)".repeat(49_000);
    let sums = "i64.add ".repeat(48_999);
    let linked = link(&format!(
        r#"(module
            (import "bactrian" "specialize.active" (func $active (result i32)))
            (memory 1)
            (func $nothing (i32.store (i32.const 8) (i32.load (i32.const 4))))
            (func (export "run") (result i64) (drop (call $active)) {loads} {sums}))"#
    ));
    let is_add = |operator: &String| *operator == format!("{:?}", Operator::I64Add);
    let sums = last_function(&linked)
        .iter()
        .filter(|one| is_add(one))
        .count();
    assert_eq!(sums, 48_999);
}
