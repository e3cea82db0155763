//! WebAssembly proposals: what the specializer does not know it refuses by the proposal's name, and
//! only where it would have to know it. Functions that are not specialized may use anything.

use bactrian_specializer::{Observer, Options, Outcome, link_generic, specialize};

/// An interpreter that does nothing, and a function beside it.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1)))
  (type $entry (func (param i32 i64) (result i64)))
  (table $t 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (; declared ;)
  (func $interpret (type $entry) (; a local ;)
    (call $position (local.get 0))
    (; in the interpreter ;)
    (local.get 1))
  (func (export "beside") (param i64)
    (; beside it ;)))"#;

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// What becomes of the module with this in the places of comments.
fn run(replacements: &[(&str, &str)]) -> Result<(), String> {
    let mut text = MODULE.to_owned();
    for (place, what) in replacements {
        text = text.replace(place, what);
    }
    let module = tables::module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options {
        verify: true,
        ..Options::default()
    };
    let output = specialize(&module, &options, None, &Silent);
    let output = output.map_err(|error| error.to_string())?;
    let outcome = &output.report.requests[0].outcome;
    assert!(matches!(outcome, Outcome::Specialized { .. }), "{text}");
    let generic = link_generic(&module, &options).expect("it can be linked");
    for linked in [output.module, generic] {
        wasmparser::validate(&linked).expect("a valid module");
    }
    Ok(())
}

/// Code of each proposal, with what has to be declared for it.
const CODE: [(&str, &str, &str); 8] = [
    ("simd", "", "(drop (v128.const i64x2 1 2))"),
    ("threads", "", "(drop (i32.atomic.load (i32.const 0)))"),
    (
        "bulk_memory",
        r#"(data $passive "abc")"#,
        "(memory.init $passive (i32.const 0x400) (i32.const 0) (i32.const 1))",
    ),
    ("reference_types", "", "(drop (table.size $t))"),
    ("gc", "", "(drop (ref.i31 (i32.const 1)))"),
    ("exceptions", "(tag $e)", "(throw $e)"),
    ("exceptions", "", "(try_table)"),
    (
        "bulk_memory",
        r#"(data $passive "abc")"#,
        "(data.drop $passive)",
    ),
];

#[test]
fn what_the_interpreter_must_not_use_is_refused_by_name() {
    for (proposal, declared, code) in CODE {
        let declared = ("(; declared ;)", declared);
        let refused = run(&[declared, ("(; in the interpreter ;)", code)]);
        let message = refused.expect_err(code);
        let named = format!("of proposal `{proposal}`");
        assert!(message.contains(&named), "{code}: {message}");
        run(&[declared, ("(; beside it ;)", code)]).expect(code);
    }
}

#[test]
fn types_that_the_interpreter_must_not_have() {
    let results = "(block (result i32 i32) (i32.const 1) (i32.const 2)) (drop) (drop)";
    let message = run(&[("(; a local ;)", "(local $v v128)")]);
    let message = message.expect_err("a local of 128 bits");
    assert!(message.contains("a local is of type v128"), "{message}");
    let block = "(drop (block (result v128) (v128.const i64x2 0 0)))";
    let message = run(&[("(; in the interpreter ;)", block)]).expect_err(block);
    assert!(
        message.contains("a block's result is of type v128"),
        "{message}"
    );
    let message = run(&[("(; in the interpreter ;)", results)]).expect_err(results);
    assert!(message.contains("or several results"), "{message}");
    run(&[("(; beside it ;)", results)]).expect(results);
}

/// Requests and constant memory lie in the first memory.
#[test]
fn a_first_memory_with_addresses_of_64_bits_is_refused_by_name() {
    for declared in ["(memory i64 1)", r#"(import "env" "m" (memory i64 1))"#] {
        let text = format!("(module {declared})");
        let module = wat::parse_str(&text).expect("valid text");
        let refused = link_generic(&module, &Options::default());
        let message = refused.err().map(|error| error.to_string());
        let message = message.unwrap_or_else(|| panic!("{declared} is taken"));
        assert!(message.contains("the first memory"), "{message}");
        assert!(message.contains("`memory64`"), "{message}");
    }
}

/// Code of each kind that reaches another memory, or a table, with addresses of 64 bits.
const WIDE: [&str; 9] = [
    "(drop (i64.load $m (i64.const 8)))",
    "(drop (i32.load8_u $m offset=0x123456789a (i64.const 8)))",
    "(i64.store $m (i64.const 8) (i64.const 1))",
    "(drop (memory.size $m))",
    "(drop (memory.grow $m (i64.const 1)))",
    "(memory.fill $m (i64.const 8) (i32.const 0) (i64.const 4))",
    "(memory.copy 0 $m (i32.const 0x400) (i64.const 8) (i32.const 4))",
    "(drop (call_indirect $u (type $entry) (i32.const 0) (i64.const 0) (i64.const 1)))",
    "(return_call_indirect $u (type $entry) (i32.const 0) (i64.const 0) (i64.const 1))",
];

/// Functions that reach them decline their own requests; everything else is copied.
#[test]
fn other_memories_and_tables_may_have_addresses_of_64_bits() {
    let declared = r#"(memory $m i64 1 5) (data (memory $m) (i64.const 8) "wide")
        (table $u i64 4 funcref) (elem (table $u) (i64.const 1) func $interpret)"#;
    let declared = ("(; declared ;)", declared);
    for code in WIDE {
        let message = run(&[declared, ("(; in the interpreter ;)", code)]).expect_err(code);
        assert!(
            message.contains("of proposal `memory64`"),
            "{code}: {message}"
        );
        let beside = match code.starts_with("(return_call") {
            true => format!("(drop {})", code.replace("return_call", "call")),
            false => code.to_owned(),
        };
        run(&[declared, ("(; beside it ;)", &beside)]).expect(code);
    }
}

/// The first table gets the residual functions, whatever its indices are.
#[test]
fn the_first_table_may_have_indices_of_64_bits() {
    let wide = MODULE.replace("(table $t 4", "(table $t i64 4");
    let wide = wide.replace("(elem (i32.const 1)", "(elem (i64.const 1)");
    let module = tables::module(&wide).expect("valid text");
    let output = specialize(&module, &Options::default(), None, &Silent).expect("it is taken");
    let outcome = &output.report.requests[0].outcome;
    assert!(
        matches!(outcome, Outcome::Specialized { .. }),
        "{outcome:?}"
    );
    wasmparser::validate(&output.module).expect("a valid module");
    let far = wide.replace("(elem (i64.const 1)", "(elem (i64.const 0x100000001)");
    let module = tables::module(&far).expect("valid text");
    let refused = specialize(&module, &Options::default(), None, &Silent).err();
    let message = refused.expect("it is refused").to_string();
    assert!(message.contains("does not fit the table"), "{message}");
}

/// Proposals that engines do not have by default.
#[test]
fn proposals_that_are_not_finished_are_refused_by_name() {
    let module = wat::parse_str("(module (memory 1 (pagesize 1)))").expect("valid text");
    let refused = link_generic(&module, &Options::default());
    let message = refused.err().map(|error| error.to_string());
    let message = message.expect("it is refused");
    assert!(message.contains("custom page sizes"), "{message}");
    let code = "(i64.add128 (i64.const 1) (i64.const 0) (i64.const 1) (i64.const 1)) drop drop";
    let message = run(&[("(; in the interpreter ;)", code)]).expect_err(code);
    assert!(
        message.contains("of proposal `wide_arithmetic`"),
        "{message}"
    );
}

#[test]
fn memories_above_the_first_are_left_as_they_are() {
    let declared = r#"(memory $m 1) (data (memory $m) (i32.const 8) "x")"#;
    let code = "(i64.store $m offset=8 (i32.const 0) (i64.load16_s $m (i32.const 4)))
        (memory.fill $m (i32.const 0) (i32.const 1) (i32.const 2))
        (memory.copy $m $m (i32.const 0) (i32.const 1) (i32.const 2))
        (memory.copy $m 0 (i32.const 0) (i32.const 1) (i32.const 2))
        (drop (memory.grow $m (memory.size $m)))";
    for place in ["(; in the interpreter ;)", "(; beside it ;)"] {
        run(&[("(; declared ;)", declared), (place, code)]).expect(place);
    }
}
