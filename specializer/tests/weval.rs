//! weval's ABI: what requests say, and what is refused, by the smallest change of one small module.

use bactrian_specializer::eval::Declined;
use bactrian_specializer::ir::Func;
use bactrian_specializer::module::Module;
use bactrian_specializer::request::RequestError;
use bactrian_specializer::{Error, Observer, Options, Outcome, Output, link_generic, specialize};
use wasmparser::{ExternalKind, KnownCustom, Name, Operator, Parser, Payload};

/// An interpreter of one loop, which adds bytes up until there is a 0; the request is at 0x100, its
/// arguments are at 0x200: a constant that has a number, and four bytes that are known.
const MODULE: &str = r#"(module
  (import "weval" "update.context" (func $position (param i32)))
  (import "weval" "read.reg" (func $read (param i64) (result i64)))
  (import "weval" "write.reg" (func $write (param i64 i64)))
  (import "weval" "read.specialization.global" (func $constant (param i32) (result i64)))
  (import "weval" "assert.const32" (func $assert (param i32 i32)))
  (import "weval" "assert.specialized" (func $specialized (param i32)))
  (import "weval" "abort.specialization" (func $abort (param i32 i32)))
  (import "weval" "write.stack" (func $store (param i32 i32 i64)))
  (import "weval" "trace.line" (func $trace (param i32)))
  (import "weval" "print" (func $print (param i32 i32 i32)))
  (memory (export "memory") 1)
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (func (export "weval.pending.head") (result i32) (i32.const 0xf0))
  (func (export "weval.func.0") (result i32) (i32.const 1))
  (data (i32.const 0x300) "byte\00")
  (data (i32.const 0xf0) "\00\01\00\00")
  (data (i32.const 0x100) "\00\00\00\00\00\00\00\00\07\00\00\00\01\00\00\00\01\00\00\00"
    "\00\02\00\00\28\00\00\00\80\00\00\00")
  (data (i32.const 0x200) "\01\00\00\00\01\00\00\00\05\00\00\00\00\00\00\00"
    "\01\00\00\00\04\00\00\00\04\00\00\00\08\00\00\00\03\04\00\00\00\00\00\00")
  (func $interpret (param $code i32) (param $x i64) (result i64)
    (local $byte i32)
    (call $write (i64.const 3) (call $constant (i32.const 0)))
    (block $end
      (loop $next
        (call $position (local.get $code))
        (call $specialized (i32.const 77))
        (local.set $byte (i32.load8_u (local.get $code)))
        (call $assert (local.get $byte) (i32.const 42))
        (br_if $end (i32.eqz (local.get $byte)))
        (call $write (i64.const 3)
          (i64.add (call $read (i64.const 3)) (i64.extend_i32_u (local.get $byte))))
        (local.set $code (i32.add (local.get $code) (i32.const 1)))
        (br $next)))
    (i64.add (local.get $x) (call $read (i64.const 3)))))"#;

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

fn run(text: &str) -> Result<Output, Error> {
    let module = wat::parse_str(text).expect("the text is a module");
    let options = Options {
        verify: true,
        ..Options::default()
    };
    specialize(&module, &options, None, &Silent)
}

/// The module with one text replaced by another.
fn changed(old: &str, new: &str) -> String {
    assert_eq!(MODULE.matches(old).count(), 1, "{old}");
    MODULE.replace(old, new)
}

fn declined(old: &str, new: &str) -> Declined {
    let report = run(&changed(old, new)).expect("it can be read").report;
    match report.requests[0].outcome {
        Outcome::Declined(ref reason) => reason.clone(),
        ref other => panic!("not declined: {other:?}"),
    }
}

fn malformed(old: &str, new: &str) -> String {
    match run(&changed(old, new)).map(|_| ()) {
        Err(Error::Request(
            error @ (RequestError::Malformed { .. } | RequestError::Request { .. }),
        )) => error.to_string(),
        other => panic!("not malformed: {other:?}"),
    }
}

#[test]
fn what_is_known_is_computed() {
    let module = wat::parse_str(MODULE).expect("the text is a module");
    let texts = bactrian_specializer::residual_text(&module, &Options::default());
    let texts = texts.expect("it can be read");
    let text = texts[0].as_ref().expect("it is specialized");
    assert!(text.contains("i64.const 12"), "5 + 3 + 4:\n{text}");
    assert!(!text.contains("load"), "{text}");
    run(MODULE).expect("it can be linked");
}

/// A host may go on using the instance.
#[test]
fn what_a_global_holds_when_something_traps() {
    let written = "(global.set $written (i32.const 1))
        (local.set $x (i64.div_u (i64.const 9) (local.get $x)))
        (global.set $written (i32.const 2))
        (call $write (i64.const 3) (call $constant (i32.const 0)))";
    let text = changed(
        "(call $write (i64.const 3) (call $constant (i32.const 0)))",
        written,
    );
    let table = "(table 2 funcref)";
    let text = text.replace(
        table,
        &format!("{table} (global $written (export \"written\") (mut i32) (i32.const 0))"),
    );
    let module = wat::parse_str(&text).expect("the text is a module");
    let texts = bactrian_specializer::residual_text(&module, &Options::default());
    let texts = texts.expect("it can be read");
    let text = texts[0].as_ref().expect("it is specialized");
    assert_eq!(text.matches("global.set").count(), 2, "{text}");
}

#[test]
fn a_module_without_requests_loses_its_intrinsics() {
    let none = changed(r#"(export "weval.pending.head")"#, "");
    let output = run(&none).expect("nothing is asked for");
    assert!(output.report.requests.is_empty());
    let text = String::from_utf8_lossy(&output.module);
    assert!(!text.contains("update.context"));
}

#[test]
fn generic_code_has_the_operation_that_an_intrinsic_means() {
    let used = changed(
        "(func $interpret",
        r#"(func (export "write") (param i32 i64)
             (call $store (local.get 0) (i32.const 3) (local.get 1)))
           (func $interpret"#,
    );
    let module = wat::parse_str(&used).expect("the text is a module");
    let linked = link_generic(&module, &Options::default()).expect("it can be linked");
    wasmparser::validate(&linked).expect("a valid module");
}

#[test]
fn what_weval_takes_for_granted_is_a_reason_to_decline() {
    let read = "(call $read (i64.const 3)) (i64.extend_i32_u";
    let unwritten = "(call $read (i64.const 4)) (i64.extend_i32_u";
    assert_eq!(declined(read, unwritten), Declined::UnknownRegister);
    let write = "(call $write (i64.const 3) (call $constant (i32.const 0)))";
    let number = "(call $write (local.get $x) (i64.const 0))";
    assert_eq!(declined(write, number), Declined::UnknownRegister);
    let other = "(call $write (i64.const 3) (call $constant (i32.const 1)))";
    assert_eq!(declined(write, other), Declined::UnknownGlobal);
    let of_code = "(call $assert (local.get $byte) (i32.const 42))";
    let of_value = "(call $assert (i32.wrap_i64 (local.get $x)) (i32.const 42))";
    assert_eq!(declined(of_code, of_value), Declined::NotConstant(42));
    let abort = "(call $abort (i32.const 9) (i32.const 1))";
    assert_eq!(declined(of_code, abort), Declined::Aborted(9));
    let update = "(call $position (local.get $code))";
    assert_eq!(declined(update, ""), Declined::NotSpecialized(77));
}

const ASSERT: &str = "(call $assert (local.get $byte) (i32.const 42))";

#[test]
fn what_the_interpreter_says_is_reported() {
    let says = r#"
        (call $trace (i32.const 8))
        (call $print (i32.const 0x300) (i32.const 9) (local.get $byte))"#;
    let report = run(&changed(ASSERT, says)).expect("it can be read").report;
    let expected = [
        "trace: line 8: position parameter 0 + 0",
        "print: line 9: byte: 3",
        "trace: line 8: position parameter 0 + 1",
        "print: line 9: byte: 4",
        "trace: line 8: position parameter 0 + 2",
        "print: line 9: byte: 0",
    ];
    let title = "interpret (specialized) 7@0x200";
    assert_eq!(report.said, expected.map(|line| format!("{title}: {line}")));
}

#[test]
fn what_it_says_of_unknown_values_and_before_it_declines() {
    let says = r#"
        (call $print (i32.wrap_i64 (local.get $x)) (i32.const 1) (i32.wrap_i64 (local.get $x)))
        (call $abort (i32.const 9) (i32.const 1))"#;
    let report = run(&changed(ASSERT, says)).expect("it can be read").report;
    assert!(matches!(
        report.requests[0].outcome,
        Outcome::Declined(Declined::Aborted(9))
    ));
    let first = &report.said[0];
    let unknown = "print: line 1: (a message that is not known): not known";
    assert!(first.ends_with(unknown), "{first}");
    let nothing = run(MODULE).expect("it can be read").report.said;
    assert!(nothing.is_empty(), "{nothing:?}");
}

/// Names of functions in the name section.
fn names(module: &[u8]) -> Vec<String> {
    let payloads = Parser::new(0).parse_all(module);
    let sections = payloads.filter_map(|payload| match payload.expect("a valid module") {
        Payload::CustomSection(section) => match section.as_known() {
            KnownCustom::Name(names) => Some(names),
            _ => None,
        },
        _ => None,
    });
    let names = sections.flatten().filter_map(|names| match names {
        Ok(Name::Function(names)) => Some(names),
        _ => None,
    });
    let names = names.flatten().map(|name| name.expect("a valid section"));
    names.map(|name| name.name.to_owned()).collect()
}

#[test]
fn residual_functions_are_called_by_their_generic_ones() {
    let linked = run(MODULE).expect("it can be linked").module;
    let names = names(&linked);
    let named = |name: &str| names.iter().filter(|found| *found == name).count();
    assert_eq!(named("interpret"), 1, "{names:?}");
    assert_eq!(named("interpret (specialized) 7@0x200"), 1, "{names:?}");
}

/// Nothing reads them, weval neither; who calls one gets what it gave before.
#[test]
fn targets_stay_exports() {
    let linked = run(MODULE).expect("it can be linked").module;
    let module = Module::parse(&linked).expect("a valid module");
    let Some(&(ExternalKind::Func, index)) = module.exports.get("weval.func.0") else {
        panic!("{:?}", module.exports)
    };
    let body = module.body(Func(index)).expect("a function of its own");
    let mut operators = body.get_operators_reader().expect("a valid body");
    let first = operators.read().expect("a valid body");
    assert!(
        matches!(first, Operator::I32Const { value: 1 }),
        "{first:?}"
    );
}

/// As in a command of wasi-libc's.
#[test]
fn constructors_run_around_the_functions_that_return_addresses() {
    let head = r#"(func (export "weval.pending.head") (result i32) (i32.const 0xf0))"#;
    let wrapped = r#"(func $constructors) (func $head (result i32) (i32.const 0xf0))
        (func (export "weval.pending.head") (result i32)
          (call $constructors) (call $head) (call $constructors))"#;
    let [plain, command] = [MODULE, &changed(head, wrapped)].map(run);
    let requests = |output: Output| output.report.requests.len();
    assert_eq!(
        command.map(requests).expect("it can be linked"),
        plain.map(requests).expect("it can be linked")
    );
}

#[test]
fn requests_that_cannot_be_read() {
    let head = "(i32.const 0xf0))\n";
    let computed = malformed(head, "(i32.load (i32.const 0)))\n");
    assert!(
        computed.contains("does not just return an address"),
        "{computed}"
    );
    let far = malformed(head, "(i32.const 0x10000000))\n");
    assert!(far.contains("does not just return an address"), "{far}");
    let list = r#"(data (i32.const 0xf0) "\00\01\00\00")"#;
    let outside = malformed(list, r#"(data (i32.const 0xf0) "\00\00\00\70")"#);
    assert!(
        outside.contains("the list of requests is damaged"),
        "{outside}"
    );
    let first = r#""\00\00\00\00\00\00\00\00\07"#;
    let circle = malformed(first, r#""\00\01\00\00\00\00\00\00\07"#);
    assert!(
        circle.contains("the list of requests is damaged"),
        "{circle}"
    );
    let function = r#"\01\00\00\00\01\00\00\00"
    "\00\02"#;
    let missing = malformed(
        function,
        &function.replacen("\\01\\00\\00\\00\"", "\\09\\00\\00\\00\"", 1),
    );
    assert!(
        missing.starts_with("request at 0x100: it names no function"),
        "{missing}"
    );
    let slot = r#"\80\00\00\00")"#;
    let nowhere = malformed(slot, r#"\80\00\00\70")"#);
    assert!(nowhere.contains("do not fit the memory"), "{nowhere}");
    let length = r#"\28\00\00\00\80"#;
    let buffer = r#"\04\00\00\00\04\00\00\00\08"#;
    for (old, new, expected) in [
        (
            length,
            r#"\26\00\00\00\80"#,
            "number 1 of its arguments, 38 bytes at 0x200, is a buffer of 8 bytes with padding, of \
             which 6 are there",
        ),
        (length, r#"\14\00\00\00\80"#, "has 4 of the 16 bytes"),
        (
            buffer,
            r#"\04\00\00\00\09\00\00\00\08"#,
            "is a buffer of 9 bytes, and of 8 with padding",
        ),
        (buffer, r#"\09\00\00\00\04\00\00\00\08"#, "is of type 9"),
    ] {
        let wrong = malformed(old, new);
        assert!(wrong.contains(expected), "{wrong}");
    }
    let globals = malformed(r#"\07\00\00\00\01"#, r#"\07\00\00\00\03"#);
    assert!(globals.contains("2 arguments for 3 constants"), "{globals}");
    let wide = malformed("$code i32", "$code i64");
    assert!(
        wide.contains("is no i64, as the function wants it"),
        "{wide}"
    );
}

/// Each node has a frame of its own, so that many nodes with much in them would take all memory.
#[test]
fn what_nodes_hold_is_bounded() {
    let begins = "(block $end";
    let write = |number| format!("(call $write (i64.const {number}) (local.get $x))");
    let many: String = (10..90).map(write).collect();
    let module = wat::parse_str(changed(begins, &format!("{many}{begins}"))).expect("a module");
    let outcome = |nodes| {
        let mut options = Options::default();
        options.budgets.nodes = nodes;
        options.budgets.nodes_per_byte = 0;
        let output = specialize(&module, &options, None, &Silent).expect("it can be read");
        output.report.requests[0].outcome.clone()
    };
    assert_eq!(outcome(20), Outcome::Declined(Declined::Framed(160)));
    assert!(matches!(outcome(200), Outcome::Specialized { .. }));
}
