//! What is left of modules, by what leads to it.

use std::collections::BTreeSet;

use wasm_encoder::Section;
use wasmparser::{Name, Payload};

use super::*;
use crate::Options;
use crate::link::tests::Silent;
use crate::link::{self, Layout, write};
use crate::module::references::Named;
use crate::request::Requests;
use crate::specialize;

/// What a linked module has.
#[derive(Debug)]
struct Left {
    functions: Vec<String>,
    /// The table indices that have a function.
    elements: Vec<usize>,
    /// Memory as it begins.
    image: Vec<u8>,
}

/// Links without what cannot be reached.
fn link(text: &str, references: Option<References>) -> Left {
    let mut bytes = wat::parse_str(text).expect("the text is a module");
    if let Some(references) = references {
        references.section().append_to(&mut bytes);
    }
    let module = Module::parse(&bytes).expect("supported");
    let options = link::Options::default();
    let layout = Layout::new(&module, &Requests::default(), &[], options).expect("it fits");
    let linked = write(&module, &layout, &[]).expect("it links").module;
    wasmparser::validate(&linked).expect("the result is valid");
    let module = Module::parse(&linked).expect("supported");
    let elements = module.table.iter().enumerate();
    Left {
        functions: names(&linked),
        elements: elements
            .filter_map(|(index, func)| func.map(|_| index))
            .collect(),
        image: module.image,
    }
}

fn names(module: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CustomSection(section) = payload.expect("a module")
            && let wasmparser::KnownCustom::Name(names) = section.as_known()
        {
            for names in names {
                if let Name::Function(names) = names.expect("a list of names") {
                    let names = names.into_iter().map(|name| name.expect("a name").name);
                    found.extend(names.map(str::to_owned));
                }
            }
        }
    }
    found
}

fn named(func: u32, objects: &[u32], elements: &[u32]) -> (u32, Named) {
    let set = |numbers: &[u32]| numbers.iter().copied().collect::<BTreeSet<_>>();
    let (objects, elements) = (set(objects), set(elements));
    (func, Named { objects, elements })
}

#[test]
fn calls_exports_and_the_start_function_lead_to_functions() {
    let left = link(
        r#"(module
            (import "host" "called" (func $called))
            (import "host" "idle" (func $idle))
            (func $exported (export "exported") (call $callee))
            (func $callee (return_call $tail))
            (func $tail (call $called))
            (func $alone (call $idle) (call $alone))
            (func $start)
            (start $start))"#,
        None,
    );
    let functions = ["called", "exported", "callee", "tail", "start"];
    assert_eq!(left.functions, functions);
}

/// Segments that are not the table's own, and constants, are copied as they are.
#[test]
fn sections_lead_to_functions() {
    let left = link(
        r#"(module
            (table $first 1 funcref)
            (table $second 1 funcref (ref.func $initial))
            (global (mut funcref) (ref.func $global))
            (elem (table $second) (i32.const 0) func $other_table)
            (elem funcref (ref.func $expression))
            (elem declare func $declared)
            (func $initial) (func $global) (func $other_table) (func $expression)
            (func $declared) (func $idle)
            (func $referring (export "referring") (result funcref) (ref.func $declared)))"#,
        None,
    );
    let idle = "idle".to_string();
    assert_eq!(left.functions.len(), 6);
    assert!(!left.functions.contains(&idle));
}

const TABLE: &str = r#"(module
    (table 40 funcref) (memory 1)
    (elem (i32.const 30) $taken $idle $in_memory $in_object $behind)
    (data (i32.const 0x100) "\20\00\00\00")
    (data (i32.const 0x200) "\21\00\00\00\00\02\00\00")
    (data (i32.const 0x300) "\1f\00\00\00")
    (data (i32.const 0x400) "\05\00\00\00\04\03\00\00")
    (data (i32.const 0x500) "\04\04\00\00")
    (func $taken) (func $idle) (func $in_memory) (func $in_object) (func $behind)
    (func $main (export "main")))"#;

/// Without references, code may take the index of any function, and the address of anything.
#[test]
fn nothing_is_left_out_of_table_and_memory_where_references_are_unknown() {
    let left = link(TABLE, None);
    assert_eq!(left.elements, [30, 31, 32, 33, 34]);
    assert_eq!(left.functions.len(), 6);
    assert_eq!(left.image[0x300], 0x1f);
}

/// Memory at 0x100 is no object. The object at 0x200 is referred to by the main function; what lies
/// at 0x300 and 0x400 is referred to by nothing but each other's neighbours.
#[test]
fn table_and_memory_keep_what_is_referred_to() {
    let references = References {
        objects: vec![(0x200, 8), (0x300, 4), (0x400, 8), (0x500, 4)],
        functions: vec![named(1, &[1], &[]), named(5, &[0], &[30])],
    };
    let left = link(TABLE, Some(references));
    assert_eq!(left.elements, [30, 32, 33]);
    assert_eq!(left.functions, ["taken", "in_memory", "in_object", "main"]);
    assert_eq!(left.image[0x200], 0x21);
    let idle = |at: usize| left.image.get(at).is_none_or(|&byte| byte == 0);
    assert!([0x300, 0x400, 0x404, 0x500].into_iter().all(idle));
}

/// The function at index 34 is taken by a function that an object leads to.
#[test]
fn references_of_what_is_reached_are_followed() {
    let references = References {
        objects: vec![(0x200, 8), (0x300, 4), (0x400, 8), (0x500, 4)],
        functions: vec![named(1, &[], &[34]), named(5, &[3], &[])],
    };
    // The object at 0x500 has an address within the one at 0x400, whose second word is none of an
    // object; memory leads to the function at 32.
    let left = link(TABLE, Some(references));
    assert_eq!(left.elements, [32]);
    assert_eq!([left.image[0x400], left.image[0x404]], [5, 4]);
    let references = References {
        objects: vec![(0x200, 8), (0x300, 8), (0x400, 8), (0x500, 4)],
        functions: vec![named(1, &[], &[34]), named(5, &[3], &[])],
    };
    let left = link(TABLE, Some(references));
    assert_eq!(left.elements, [31, 32, 34]);
}

/// The host may put functions into a table that it sees, and anything into a memory of its own.
#[test]
fn what_the_host_can_change_keeps_everything() {
    let references = References {
        objects: vec![(0x200, 8)],
        functions: vec![named(5, &[], &[30])],
    };
    let changes = [
        r#"(table 40 funcref) (memory 1) (data "\20")"#,
        r#"(table (export "table") 40 funcref) (memory 1)"#,
        r#"(table (import "host" "table") 40 funcref) (memory 1)"#,
        r#"(memory (import "host" "memory") 1) (table 40 funcref)"#,
    ];
    for change in changes {
        let text = TABLE.replace("(table 40 funcref) (memory 1)", change);
        let left = link(&text, Some(references.clone()));
        assert_eq!(left.elements, [30, 31, 32, 33, 34], "{change}");
    }
}

/// An object whose address an exported global holds is the host's to read.
#[test]
fn exported_addresses_are_referred_to() {
    let references = References {
        objects: vec![(0x300, 4)],
        functions: Vec::new(),
    };
    let exporting = TABLE.replace(
        "(memory 1)",
        r#"(memory 1) (global (export "object") i32 (i32.const 0x300))"#,
    );
    assert_eq!(link(&exporting, Some(references)).elements, [31, 32, 33]);
}

/// The interpreter reads an object at an address that is a number in its own code, and so in
/// residual code. Nothing leads to the interpreter any more.
#[test]
fn what_a_specialized_function_names_stays_without_it() {
    let text = r#"(module
        (import "bactrian" "context.update" (func $position (param i32)))
        (memory 3)
        (@requests 0x100
            (region 0x1000 0x10)
            (request 21 (slot 0x80) (code 0x1000 4) (pass 1)))
        (type $entry (func (param i32 i64) (result i64)))
        (table 40 funcref)
        (elem (i32.const 20) $shim $interpret)
        (data (i32.const 0x80) "\14")
        (data (i32.const 0x1000) "\07")
        (data (i32.const 0x3000) "\2a")
        (func (export "run") (param $x i64) (result i64)
            (call_indirect (type $entry)
                (i32.const 0x1000) (local.get $x) (i32.load (i32.const 0x80))))
        (func $shim (type $entry) (call $interpret (local.get 0) (local.get 1)))
        (func $interpret (type $entry)
            (call $position (local.get 0))
            (i64.add (local.get 1)
                (i64.load (i32.add (i32.const 0x2ff9) (i32.load (local.get 0)))))))"#;
    let mut bytes = tables::module(text).expect("the text is a module");
    let references = References {
        objects: vec![(0x3000, 8)],
        functions: vec![named(3, &[0], &[])],
    };
    references.section().append_to(&mut bytes);
    let output = specialize(&bytes, &Options::default(), None, &Silent);
    let linked = output.expect("it is specialized").module;
    assert!(!names(&linked).contains(&"interpret".to_owned()));
    let module = Module::parse(&linked).expect("supported");
    assert_eq!(module.image[0x3000], 0x2a);
}

/// The interpreter gets the addresses of three objects and the index of a function from the request
/// alone, and reads one of them by way of another. The table of requests is not in the module.
#[test]
fn what_a_request_names_stays_without_it() {
    let text = r#"(module
        (import "bactrian" "context.update" (func $position (param i32)))
        (memory 3)
        (@requests 0x100
            (region 0x1000 0x10) (region 0x3000 0x1008)
            (request 21 (slot 0x80) (code 0x1000 4) (pointer 0x3000) (pointer 0x4000)
                (const 0x6000) (const 22) (pass 1)))
        (type $entry (func (param i32 i64) (result i64)))
        (type $none (func (result i64)))
        (table 40 funcref)
        (elem (i32.const 20) $shim $interpret $callee $idle)
        (data (i32.const 0x80) "\14")
        (data (i32.const 0x1000) "\07")
        (data (i32.const 0x3000) "\2a")
        (data (i32.const 0x4000) "\00\50")
        (data (i32.const 0x5000) "\2b")
        (data (i32.const 0x6000) "\2c")
        (data (i32.const 0x7000) "\2d")
        (func (export "run") (param $x i64) (result i64)
            (call_indirect (type $entry)
                (i32.const 0x1000) (local.get $x) (i32.load (i32.const 0x80))))
        (func $shim (type $entry)
            (call $interpret (local.get 0) (i32.const 0x3000) (i32.const 0x4000)
                (i32.const 0x6000) (i32.const 22) (local.get 1)))
        (func $interpret (param i32 i32 i32 i32 i32 i64) (result i64)
            (call $position (local.get 0))
            (i64.add (call_indirect (type $none) (local.get 4))
                (i64.add (i64.load8_u (i32.add (local.get 3) (i32.wrap_i64 (local.get 5))))
                    (i64.add
                        (i64.load8_u (i32.add (local.get 1) (i32.wrap_i64 (local.get 5))))
                        (i64.load8_u (i32.add (i32.load (local.get 2))
                            (i32.wrap_i64 (local.get 5))))))))
        (func $callee (type $none) (i64.const 1))
        (func $idle (type $none) (i64.const 2)))"#;
    let mut bytes = tables::module(text).expect("the text is a module");
    let references = References {
        objects: [0x3000, 0x4000, 0x5000, 0x6000, 0x7000]
            .map(|at| (at, 8))
            .to_vec(),
        functions: vec![named(2, &[0, 1, 3], &[22])],
    };
    references.section().append_to(&mut bytes);
    let output = specialize(&bytes, &Options::default(), None, &Silent);
    let linked = output.expect("it is specialized").module;
    let names = names(&linked);
    assert!(
        ["interpret", "shim", "idle"]
            .iter()
            .all(|gone| !names.contains(&(*gone).into()))
    );
    let module = Module::parse(&linked).expect("supported");
    let at = |address: usize| module.image.get(address).copied().unwrap_or(0);
    let objects = [0x3000, 0x4001, 0x5000, 0x6000, 0x7000].map(at);
    assert_eq!(objects, [0x2a, 0x50, 0x2b, 0x2c, 0]);
    assert!(names.contains(&"callee".into()));
}

/// Code may take a reference to a function that has lost its entry in the table. Nothing else
/// declares it.
#[test]
fn functions_are_declared_whose_entry_goes() {
    let left = link(
        r#"(module
            (table 40 funcref) (memory 1)
            (elem (i32.const 30) $taken $idle)
            (func $taken) (func $idle)
            (func $main (export "main") (drop (ref.func $taken))))"#,
        Some(References::default()),
    );
    assert_eq!(left.functions, ["taken", "main"]);
    assert!(left.elements.is_empty());
}

/// Anybody may write a section that looks like ours.
#[test]
fn references_that_make_no_sense_are_none() {
    let overlapping = References {
        objects: vec![(0x200, 8), (0x204, 4)],
        functions: Vec::new(),
    };
    let without_end = References {
        objects: vec![(0x200, u32::MAX), (0x300, 4)],
        functions: Vec::new(),
    };
    let in_no_order = References {
        objects: Vec::new(),
        functions: vec![named(5, &[], &[30]), named(1, &[], &[31])],
    };
    let missing = References {
        objects: vec![(0x200, 8)],
        functions: vec![named(5, &[1], &[])],
    };
    for references in [overlapping, without_end, in_no_order, missing] {
        assert_eq!(link(TABLE, Some(references)).functions.len(), 6);
    }
}
