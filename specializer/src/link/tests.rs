//! Imports that are left out, and names. Functions that nothing calls stay.

use wasmparser::{FunctionBody, KnownCustom, Name, Parser, Payload};

use super::*;
use crate::ir::Type;
use crate::{Error, Options, link_generic};

/// With nothing left out because it is not reached.
pub(super) fn whole() -> Options {
    Options {
        keeps_unreached: true,
        ..Options::default()
    }
}

/// A module, and what links of it with nothing left out.
pub(super) fn linked_whole(text: &str) -> [Vec<u8>; 2] {
    let bytes = wat::parse_str(text).expect("the text is a module");
    let options = Options {
        verify: true,
        ..whole()
    };
    let linked = link_generic(&bytes, &options).expect("it links");
    [bytes, linked]
}

/// Links without the functions of `host`.
fn link(text: &str) -> Result<Vec<u8>, Error> {
    let options = Options {
        absent: Some(Absent {
            module: "host".into(),
            answer: -38,
        }),
        verify: true,
        ..whole()
    };
    link_generic(
        &wat::parse_str(text).expect("the text is a module"),
        &options,
    )
}

#[test]
fn functions_that_answer_stand_in_for_absent_imports() {
    let linked = link(
        r#"(module
            (import "host" "wide" (func $wide (param i32 i64) (result i64)))
            (import "other" "kept" (func $kept (result i32)))
            (import "host" "narrow" (func $narrow (result i32)))
            (table 1 funcref)
            (elem (i32.const 0) $narrow)
            (memory (export "memory") 1)
            (func (export "sum") (result i64)
                (i64.add
                    (call $wide (i32.const 1) (i64.const 2))
                    (i64.extend_i32_s (i32.add (call $narrow) (call $kept))))))"#,
    )
    .expect("it links");
    let module = Module::parse(&linked).expect("the result is a module");
    let imports: Vec<_> = module.imports.iter().map(|import| import.name).collect();
    assert_eq!(imports, ["kept"]);
    // The import, the module's own function, and the two that stand in, in the order of the
    // imports.
    let types: Vec<_> = module
        .functions
        .values()
        .map(|&sig| module.types[sig].clone())
        .collect();
    let results: Vec<_> = types.into_iter().flatten().map(|ty| ty.results).collect();
    let (narrow, wide) = (vec![Type::I32], vec![Type::I64]);
    assert_eq!(results, [narrow.clone(), wide.clone(), wide, narrow]);
    assert_eq!(module.table, [Some(Func(3))]);
    let text = |index: usize| module.bodies[index].as_bytes().to_vec();
    assert_eq!(text(1), [0, 0x42, 0x5a, 0x0b], "i64.const -38");
    assert_eq!(text(2), [0, 0x41, 0x5a, 0x0b], "i32.const -38");
}

#[test]
fn what_returns_no_integer_cannot_be_left_out() {
    for results in ["", "(result f64)"] {
        let text = format!(r#"(module (import "host" "odd" (func {results})))"#);
        let error = link(&text).expect_err("there is no answer");
        assert!(matches!(error, Error::Link(LinkError::NoAnswer { .. })));
        let message = error.to_string();
        assert!(
            message.contains("`host.odd` cannot be left out"),
            "{message}"
        );
    }
}

/// The names of a module's functions, by index.
fn names(module: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload.expect("a module") else {
            continue;
        };
        let KnownCustom::Name(names) = section.as_known() else {
            continue;
        };
        for subsection in names {
            match subsection.expect("a list of names") {
                Name::Module { name, .. } => found.push(format!("module {name}")),
                Name::Function(names) => found.extend(names.into_iter().map(|naming| {
                    let naming = naming.expect("a name");
                    format!("{} {}", naming.index, naming.name)
                })),
                _ => panic!("names of something else"),
            }
        }
    }
    found
}

/// Indices move down by the intrinsic; the absent import's function comes last.
#[test]
fn names_move_with_their_functions() {
    let linked = link(
        r#"(module $camel
            (import "bactrian" "context.update" (func $position (param i32)))
            (import "host" "wide" (func (result i64)))
            (import "other" "kept" (func $kept))
            (memory 1)
            (func $_ZN4core3fmt5write17h0123456789abcdefE (local $x i32)
                (call $position (i32.const 1)))
            (func)
            (func $last))"#,
    )
    .expect("it links");
    assert_eq!(
        names(&linked),
        [
            "module camel",
            "0 kept",
            "1 fmt::write",
            "3 last",
            "4 host.wide"
        ]
    );
}

/// A guest that makes a stack. The imports have no names of their own.
const MAKES_STACKS: &str = r#"(module
    (import "bactrian_stacks" "locals" (func (result i32)))
    (import "bactrian_stacks" "new" (func (result i32)))
    (import "bactrian_stacks" "resume" (func (param i32 i32 i32 i32) (result i32)))
    (import "bactrian_stacks" "suspend" (func (param i32) (result i32)))
    (table 1 funcref)
    (elem (i32.const 0) $other)
    (memory (export "memory") 1)
    (global $pointer (mut i32) (i32.const 4096))
    (func $other (drop (call 3 (i32.const 8))))
    (func (export "run") (result i32)
        (drop (call 2 (call 1) (i32.const 0) (i32.const 512) (i32.const 1024)))
        (call 0)))"#;

/// The operators of the function that the linker put in the place of an import.
fn of_import(linked: &[u8], name: &str) -> Vec<String> {
    let names = names(linked);
    let ending = format!(" bactrian_stacks.{name}");
    let named = names.iter().find_map(|name| name.strip_suffix(&ending));
    let index: usize = named
        .and_then(|index| index.parse().ok())
        .expect("it has a name");
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(linked) {
        if let Ok(Payload::CodeSectionEntry(body)) = payload {
            bodies.push(body);
        }
    }
    operators(&bodies[index])
}

fn operators(body: &FunctionBody) -> Vec<String> {
    let operators = body.get_operators_reader().expect("it can be read");
    let operators = operators
        .into_iter()
        .map(|operator| format!("{:?}", operator.expect("an operator")));
    operators.collect()
}

#[test]
fn stacks_are_switched_where_a_module_may_and_makes_one() {
    let module = wat::parse_str(MAKES_STACKS).expect("the text is a module");
    let linked = |stacks| {
        let options = Options {
            stacks,
            verify: true,
            ..Options::default()
        };
        link_generic(&module, &options).expect("it links")
    };
    let with = linked(true);
    for (name, operator) in [
        ("new", "ContNew"),
        ("resume", "Resume "),
        ("suspend", "Suspend"),
        ("entry", "CallIndirect"),
    ] {
        let operators = of_import(&with, name);
        assert!(
            operators.iter().any(|found| found.starts_with(operator)),
            "{name}: {operators:?}"
        );
    }
    let without = linked(false);
    for name in ["locals", "new", "resume", "suspend"] {
        assert_eq!(of_import(&without, name), ["I32Const { value: -1 }", "End"]);
    }
}

#[test]
fn a_module_that_makes_no_stack_switches_none() {
    let text = MAKES_STACKS.replace("(call 1)", "(i32.const 0)");
    let module = wat::parse_str(text).expect("the text is a module");
    let options = |stacks| Options {
        stacks,
        verify: true,
        ..Options::default()
    };
    let [with, without] =
        [true, false].map(|stacks| link_generic(&module, &options(stacks)).expect("it links"));
    assert!(with == without);
}

#[test]
fn functions_of_stacks_have_known_names_and_types() {
    for wrong in [
        r#"(import "bactrian_stacks" "old" (func (result i32)))"#,
        r#"(import "bactrian_stacks" "new" (func (result i64)))"#,
    ] {
        let error = link(&format!("(module {wrong})")).expect_err("it is wrong");
        let is_told = matches!(error, Error::Link(LinkError::UnknownIntrinsic { .. }));
        assert!(is_told, "{wrong}: {error}");
    }
}

pub(super) struct Silent;

impl crate::Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// Links a program of two functions whose names are these.
fn program(names: &str) -> Vec<u8> {
    let len = names.len();
    let text = format!(
        r#"(module
            (type $entry (func (param i32 i64) (result i64)))
            (memory 3)
            (@requests 0x100
                (region 0x1000 0x80)
                (request 1 (slot 0x80) (code 0x1000 0x20) (pass 1))
                (request 1 (slot 0x84) (code 0x1020 0x20) (pass 1))
                (names 0x2000 {len}))
            (table 2 funcref)
            (elem (i32.const 1) $interpret)
            (data (i32.const 0x80) (i32 1 1))
            (data (i32.const 0x1000) (i8 3))
            (data (i32.const 0x2000) "{}")
            (func $interpret (type $entry)
                (i64.extend_i32_u (i32.load8_u (local.get 0)))))"#,
        names.replace('\0', r"\00"),
    );
    let bytes = tables::module(&text).expect("the text is a module");
    let linked = crate::specialize(&bytes, &whole(), None, &Silent);
    linked.expect("it is specialized").module
}

/// The linker writes the table anew: as segments of either form leave it.
#[test]
fn later_segments_win() {
    let linked = link(
        r#"(module
            (table 4 funcref)
            (elem (i32.const 0) func $one $one $one $one)
            (elem (i32.const 1) funcref (ref.func $two) (ref.null func))
            (elem (i32.const 3) func $two)
            (func $one) (func $two))"#,
    )
    .expect("it links");
    let module = Module::parse(&linked).expect("the result is a module");
    let [one, two] = [0, 1].map(|func| Some(Func(func)));
    assert_eq!(module.table, [one, two, None, two]);
    let unknown = link(
        r#"(module
            (import "host" "entry" (global funcref))
            (table 1 funcref)
            (elem (i32.const 0) funcref (global.get 0)))"#,
    );
    let message = unknown.expect_err("nobody knows the entry").to_string();
    assert!(message.contains("neither a function nor null"), "{message}");
}

/// Integers of functions of the table may be passed as other types; what is thrown may not.
#[test]
fn types_of_tags_stay() {
    let linked = link(
        r#"(module
            (type $many (func (param i32 i32 i32 i32 i32 i32)))
            (table 1 funcref)
            (elem (i32.const 0) $called)
            (tag $thrown (type $many))
            (func $called (type $many))
            (func (export "throw")
                (block $caught (result i32 i32 i32 i32 i32 i32)
                    (i32.const 1) (i32.const 2) (i32.const 3)
                    (i32.const 4) (i32.const 5) (i32.const 6)
                    (try_table (type $many) (catch $thrown $caught)
                        (throw $thrown))
                    (unreachable))
                (drop) (drop) (drop) (drop) (drop) (drop)))"#,
    );
    linked.expect("it is valid");
}

#[test]
fn names_are_left_out_where_nobody_wants_them() {
    let bytes = wat::parse_str("(module (memory 1) (func $named))").expect("a module");
    let link = |strip| {
        let options = Options { strip, ..whole() };
        names(&link_generic(&bytes, &options).expect("it links"))
    };
    assert_eq!(link(false), ["0 named"]);
    assert!(link(true).is_empty());
}

/// A name changes the name section only; no copy of it is in memory.
#[test]
fn residual_functions_have_the_names_of_their_requests() {
    let (short, long) = (program("Main.f\0\0"), program("Main.renamed\0Main.g\0"));
    assert_eq!(names(&short), ["0 interpret", "1 Main.f", "2 code@0x1020"]);
    assert_eq!(names(&long), ["0 interpret", "1 Main.renamed", "2 Main.g"]);
    assert_eq!(names(&program(""))[1..], ["1 code@0x1000", "2 code@0x1020"]);
    let before_names = |module: &[u8]| {
        let sections = Parser::new(0).parse_all(module);
        let sections = sections.map(|payload| payload.expect("a module"));
        let starts = sections.filter_map(|payload| match payload {
            Payload::CustomSection(section) => Some(section.range().start),
            _ => None,
        });
        starts.min().expect("there are names")
    };
    let [short_end, long_end] = [&short, &long].map(|module| before_names(module));
    // The section's size is in its header, of two bytes.
    assert_eq!(short[..short_end - 2], long[..long_end - 2]);
}

/// What a linked module has for an interpreter with a way that only compiled code takes.
fn linked_interpreter(has_plain_code: bool) -> Vec<Vec<String>> {
    let mut options = Options {
        verify: true,
        ..Options::default()
    };
    options.optimisations.plain_code = has_plain_code;
    let bytes = wat::parse_str(
        r#"(module
            (import "bactrian" "specialize.active" (func $active (result i32)))
            (import "bactrian" "cells.write" (func $write (param i32 i64)))
            (import "bactrian" "cells.drop_below" (func $drop_below (param i32)))
            (memory 1)
            (func $interpret (export "interpret") (param i32) (result i64)
                (call $drop_below (i32.add (local.get 0) (i32.const 8)))
                (if (result i64) (call $active)
                    (then (call $compiled))
                    (else
                        (call $write (local.get 0) (i64.const 7))
                        (i64.const 1))))
            (func $compiled (result i64) (i64.const 2))
            (func $vector (export "vector") (drop (i32x4.splat (call $active)))))"#,
    )
    .expect("the text is a module");
    let linked = link_generic(&bytes, &options).expect("it links");
    let module = Module::parse(&linked).expect("the result is a module");
    module.bodies.iter().map(operators).collect()
}

#[test]
fn generic_code_has_no_ways_of_compiled_code() {
    let bodies = linked_interpreter(true);
    assert_eq!(bodies.len(), 2, "{bodies:?}");
    let expected = [
        "LocalGet { local_index: 0 }",
        "I64Const { value: 7 }",
        "I64Store { memarg: MemArg { align: 3, max_align: 3, offset: 0, memory: 0 } }",
        "I64Const { value: 1 }",
        "End",
    ];
    assert_eq!(bodies[0], expected);
    assert_eq!(linked_interpreter(false).len(), 3);
}

#[test]
fn what_cannot_be_lifted_has_plain_operations_in_its_place() {
    for has_plain_code in [true, false] {
        let bodies = linked_interpreter(has_plain_code);
        let vector = ["I32Const { value: 0 }", "I32x4Splat", "Drop", "End"];
        assert_eq!(bodies.last().expect("there is one")[..], vector);
    }
}

/// What speaks of indices and places goes; what does not, and what nobody knows, stays.
#[test]
fn custom_sections_that_would_be_wrong_are_left_out() {
    let outdated = [
        ".debug_info",
        ".debug_line",
        "sourceMappingURL",
        "external_debug_info",
        "build_id",
        "metadata.code.branch_hint",
        "metadata.code.inline",
        "linking",
        "reloc.CODE",
        "dylink.0",
        "target_features",
    ];
    let copied = ["producers", "component-type:world", "my.section"];
    let custom = |name: &&str| format!(r#"(@custom "{name}" "\00")"#);
    let all = outdated.iter().chain(&copied).map(custom);
    let text = format!("(module (memory 1) {})", all.collect::<String>());
    let [_, linked] = linked_whole(&text);
    let sections = Parser::new(0).parse_all(&linked).filter_map(|payload| {
        match payload.expect("the result is a module") {
            Payload::CustomSection(section) => Some(section.name().to_owned()),
            _ => None,
        }
    });
    let mut sections: Vec<_> = sections.collect();
    sections.retain(|name| name != "name");
    assert_eq!(sections, copied);
}
