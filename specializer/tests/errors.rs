//! Each way in which specialization can fail or decline, produced by the smallest change of one
//! small module.

use annotations::REQUEST_TABLE_EXPORT;
use bactrian_specializer::eval::{Budgets, Declined};
use bactrian_specializer::lift::{Reason, Unsupported};
use bactrian_specializer::link::LinkError;
use bactrian_specializer::module::ModuleError;
use bactrian_specializer::request::RequestError;
use bactrian_specializer::{
    Error, Observer, Options, Outcome, Profile, Report, link_generic, specialize,
};

use wasmparser::ValType;

/// An interpreter that counts down in a loop, with one request.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory 1)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 7))
  (func $interpret (type $entry)
    (loop $next
      (call $position (local.get 0))
      (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
      (br_if $next (i64.ne (local.get 2) (i64.const 0))))
    (i64.load8_u (local.get 0))))"#;

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// The module with one text replaced by another.
fn changed(old: &str, new: &str) -> Vec<u8> {
    assert_eq!(MODULE.matches(old).count(), 1, "{old}");
    tables::module(&MODULE.replace(old, new)).expect("the changed text is a module")
}

fn run(module: &[u8], options: &Options) -> Result<Report, Error> {
    specialize(module, options, None, &Silent).map(|output| output.report)
}

#[track_caller]
fn error(module: &[u8]) -> Error {
    run(module, &Options::default()).expect_err("it cannot be specialized")
}

#[test]
fn the_module_is_specialized_as_it_is() {
    let module = tables::module(MODULE).expect("the text is a module");
    let report = run(&module, &Options::default()).expect("it can be specialized");
    assert!(matches!(
        report.requests[0].outcome,
        Outcome::Specialized { .. }
    ));
}

#[test]
fn modules_that_cannot_be_read() {
    assert!(matches!(
        error(b"no module"),
        Error::Module(ModuleError::Parse(_))
    ));
    let outside = changed("(data (i32.const 0x1000)", "(data (i32.const 0x10000)");
    assert!(matches!(
        error(&outside),
        Error::Module(ModuleError::Unsupported { what, .. })
            if what == "data segment that does not fit the memory"
    ));
}

#[test]
fn tables_of_requests_that_cannot_be_read() {
    let text = tables::expand(MODULE).expect("the table is well-formed");
    let name = format!("(export {REQUEST_TABLE_EXPORT:?})");
    let unnamed = wat::parse_str(text.replace(&name, "")).expect("the changed text is a module");
    assert!(matches!(
        error(&unnamed),
        Error::Request(RequestError::NoTable)
    ));
    let magic = changed(
        "(func $interpret",
        "(data (i32.const 0x100) (i32 1)) (func $interpret",
    );
    assert!(matches!(
        error(&magic),
        Error::Request(RequestError::Malformed { address: 0x100, .. })
    ));
}

/// Why the function of the request cannot be lifted.
#[track_caller]
fn reason(module: &[u8]) -> Reason {
    match error(module) {
        Error::Unsupported(Unsupported { reason, .. }) => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn functions_that_cannot_be_lifted() {
    let load = "(i64.load8_u (local.get 0))";
    let imported = MODULE
        .replace(
            "(memory 1)",
            r#"(import "host" "run" (func $run (type $entry))) (memory 1)"#,
        )
        .replace(
            "(elem (i32.const 1) $interpret)",
            "(elem (i32.const 1) $run)",
        );
    let imported = tables::module(&imported).expect("the changed text is a module");
    assert!(matches!(reason(&imported), Reason::NoBody));
    let vector = changed("(loop $next", "(local v128) (loop $next");
    assert!(matches!(
        reason(&vector),
        Reason::Type {
            what: "a local",
            ty: ValType::V128
        }
    ));
    let results = "(drop (block (result i64 i64) (i64.const 0) (i64.const 0)))";
    assert!(matches!(reason(&changed(load, results)), Reason::Types));
    let operator = changed(load, "(drop (ref.null func)) (i64.const 0)");
    assert!(matches!(reason(&operator), Reason::Operator { .. }));
    let intrinsic = changed(r#""context.update""#, r#""context.pop""#);
    assert!(matches!(reason(&intrinsic), Reason::Intrinsic(name) if name == "context.pop"));
    let invalid = changed(load, "i64.add");
    assert!(matches!(reason(&invalid), Reason::Invalid(_)));
    // `i64.load8_u` becomes an opcode that does not exist.
    let mut malformed = tables::module(MODULE).expect("the text is a module");
    let place = malformed
        .windows(3)
        .rposition(|code| code == [0x31, 0x00, 0x00]);
    malformed[place.expect("the load is there")] = 0xff;
    assert!(matches!(reason(&malformed), Reason::Malformed(_)));
}

/// Only requests of that function are declined, and what they name stays generic.
#[test]
fn one_function_that_cannot_be_lifted() {
    let vectors = "(func $vectors (type $entry)
        (i64x2.extract_lane 0 (i64x2.splat (local.get 2))))";
    let request = "(request 2 (slot 0x84) (code 0x1000 0x40) (pass 1) (pass 2))";
    let text = MODULE
        .replace("(request 1", &format!("{request} (request 1"))
        .replace("(table 2 funcref)", "(table 3 funcref)")
        .replace("$interpret)", "$interpret $vectors)")
        .replace("(i32 1))", "(i32 1 2))")
        .replace("(func $interpret", &format!("{vectors} (func $interpret"));
    let module = tables::module(&text).expect("the changed text is a module");
    let options = Options {
        verify: true,
        ..Options::default()
    };
    let outcomes = run(&module, &options).expect("the other one is specialized");
    let outcomes: Vec<_> = outcomes
        .requests
        .iter()
        .map(|found| &found.outcome)
        .collect();
    let [
        Outcome::Declined(Declined::Unsupported(message)),
        Outcome::Specialized { .. },
    ] = outcomes[..]
    else {
        panic!("{outcomes:?}");
    };
    assert!(
        message.starts_with("the interpreter's function `vectors` (fn1) cannot be specialized"),
        "{message}"
    );
    assert_eq!(message.matches("I64x2Splat").count(), 1, "{message}");
}

#[test]
fn modules_that_cannot_be_linked() {
    let unknown = changed(
        "(memory 1)",
        r#"(import "bactrian" "fly" (func)) (memory 1)"#,
    );
    assert!(matches!(
        error(&unknown),
        Error::Link(LinkError::UnknownIntrinsic { name, .. }) if name == "fly"
    ));
    let value = changed(
        "(memory 1)",
        r#"(memory 1) (export "hint" (func $position))"#,
    );
    assert!(matches!(
        error(&value),
        Error::Link(LinkError::IntrinsicAsValue(_))
    ));
}

#[test]
fn a_function_that_does_not_exist() {
    let calling = changed(
        "(func $interpret",
        r#"(func (export "lost") (call 99)) (func $interpret"#,
    );
    let copied = link_generic(&calling, &Options::default()).expect_err("nothing can be called");
    assert!(matches!(copied, Error::Link(LinkError::Copy(_))));
}

#[test]
fn a_table_of_somebody_else() {
    let imported = MODULE
        .replace(
            "(memory 1)",
            r#"(import "host" "table" (table 2 funcref)) (memory 1)"#,
        )
        .replace("(table 2 funcref)\n", "\n");
    let imported = tables::module(&imported).expect("the changed text is a module");
    assert!(matches!(error(&imported), Error::Link(LinkError::NoTable)));
}

/// Why the request is declined with these budgets.
#[track_caller]
fn declined(change: impl FnOnce(&mut Options)) -> Declined {
    let module = tables::module(MODULE).expect("the text is a module");
    let mut options = Options::default();
    change(&mut options);
    let report = run(&module, &options).expect("declining is no error");
    match &report.requests[0].outcome {
        Outcome::Declined(declined) => declined.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_beyond_a_budget() {
    let nodes = declined(|options| {
        options.budgets.nodes = 1;
        options.budgets.nodes_per_byte = 0;
    });
    assert_eq!(nodes, Declined::Nodes(1));
    let rounds = declined(|options| options.budgets.rounds = 0);
    assert_eq!(rounds, Declined::Rounds(0));
    let insts = declined(|options| options.budgets.insts = 1);
    assert_eq!(insts, Declined::Insts(1));
}

/// What it takes in memory is in proportion.
#[test]
fn much_code_does_not_allow_any_number_of_nodes() {
    let budgets = Budgets::default();
    assert_eq!(budgets.nodes_for(0x4000), 20_000 + 16 * 0x4000);
    assert_eq!(budgets.nodes_for(0x40000), 1_520_000);
    assert_eq!(budgets.nodes_for(u32::MAX), 1_520_000);
}

#[test]
fn a_request_that_is_cold_by_the_profile() {
    let profile = Profile::parse("bactrian profile 1\n0\t64\t1\tcode@0x1000\n");
    let profile = Some(profile.expect("a profile"));
    assert_eq!(
        declined(|options| options.profile = profile),
        Declined::Cold
    );
}
