//! How linked functions take their parameters (switch `float-registers`): random modules give the
//! same whether or not integers are passed as floating-point numbers.
//!
//! Each failure names its seed; `make fuzz` tries more seeds.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::{Program, agree, error, verified};
use bactrian_tests::fuzz::cases;
use fastrand::Rng;
use specializer::Options;
use wasmtime::{Config, Engine, OptLevel};

/// Modules, unless `make fuzz` says otherwise.
const CASES: u64 = 60;

/// Functions of a module.
const FUNCTIONS: usize = 8;

const TYPES: [&str; 4] = ["i32", "i64", "f32", "f64"];

#[test]
fn random_modules_with_many_parameters() -> Result<()> {
    let mut config = Config::new();
    config.cranelift_opt_level(OptLevel::None);
    config.wasm_function_references(true);
    let engine = Engine::new(&config).map_err(error)?;
    let mut changed = 0;
    for seed in cases(CASES) {
        let text = module(&mut Rng::with_seed(seed));
        let context = || format!("seed {seed}\n{text}");
        let without = linked(&text, false).with_context(context)?;
        let with = linked(&text, true).with_context(context)?;
        changed += usize::from(with != without);
        let [without, with] = [&without, &with].map(|linked| Program::new(&engine, linked));
        let programs = [
            &without.with_context(context)?,
            &with.with_context(context)?,
        ];
        let outcome = agree(programs, 1, |_| ()).with_context(context)?;
        ensure!(outcome.result.is_some(), "it traps; {}", context());
    }
    ensure!(changed > 0, "no module changed");
    Ok(())
}

/// Whoever has the table can call what is in it, and knows its type.
#[test]
fn types_that_the_outside_knows_stay() -> Result<()> {
    let many = "(param i32 i32 i32 i32 i32 i64)";
    let module = |outside: &str| {
        format!(
            r#"(module
                {outside}
                (table $table 1 funcref)
                (elem (i32.const 0) $many)
                (func $many {many} (local.set 4 (i32.const 1)))
                (func (export "run")
                    (call $many (i32.const 0) (i32.const 1) (i32.const 2) (i32.const 3)
                        (i32.const 4) (i64.const 5))))"#
        )
    };
    let is_changed =
        |text: &str| -> Result<bool> { Ok(linked(text, true)? != linked(text, false)?) };
    assert!(is_changed(&module(""))?);
    for outside in [
        r#"(export "table" (table $table))"#,
        r#"(export "many" (func $many))"#,
        &format!(r#"(import "host" "many" (func {many}))"#),
        // A call of this type must trap as before.
        "(type (func (param i32 i32 i32 i32 f32 f64)))",
    ] {
        assert!(!is_changed(&module(outside))?, "{outside}");
    }
    Ok(())
}

fn linked(text: &str, is_on: bool) -> Result<Vec<u8>> {
    let mut options = Options {
        keeps_unreached: true,
        ..verified()
    };
    options.optimisations.float_registers = is_on;
    Ok(specializer::link_generic(&wat::parse_str(text)?, &options)?)
}

/// Functions that call each other in all ways, each with what it makes of all its parameters, until
/// a number of calls is over.
fn module(random: &mut Rng) -> String {
    let types: Vec<Vec<&str>> = std::iter::repeat_with(|| {
        let len = random.usize(..14);
        // Mostly integers, of which few are passed in registers.
        let bound = if random.bool() { 2 } else { 4 };
        (0..len).map(|_| TYPES[random.usize(..bound)]).collect()
    })
    .take(FUNCTIONS)
    .collect();
    let mut text = String::from("(module (memory (export \"memory\") 0)\n");
    text.push_str("(global $calls (mut i32) (i32.const 40))\n");
    for (index, params) in types.iter().enumerate() {
        let params = params.join(" ");
        let _ = writeln!(
            text,
            "(type $t{index} (func (param {params}) (result i64)))"
        );
    }
    let _ = writeln!(text, "(table {FUNCTIONS} funcref)");
    let names: Vec<_> = (0..FUNCTIONS).map(|index| format!("$f{index}")).collect();
    let _ = writeln!(text, "(elem (i32.const 0) {})", names.join(" "));
    for (index, params) in types.iter().enumerate() {
        let _ = writeln!(text, "(func $f{index} (type $t{index}) (local $sum i64)");
        text.push_str(&body(random, &types, params));
        text.push_str(")\n");
    }
    let first = arguments(random, &types[0], "(local.get 0)");
    let _ = writeln!(
        text,
        r#"(func (export "run") (param i64) (result i64) (call $f0 {first})))"#
    );
    text
}

/// A function's code: its parameters summed up, some changed before that, and a call.
fn body(random: &mut Rng, types: &[Vec<&str>], params: &[&str]) -> String {
    let mut text = String::new();
    for (index, ty) in params.iter().enumerate() {
        match random.u8(..4) {
            0 => {
                let value = value(random, ty, "(local.get $sum)");
                let _ = writeln!(text, "(local.set {index} {value})");
            }
            1 => {
                let value = value(random, ty, "(local.get $sum)");
                let _ = writeln!(text, "(drop (local.tee {index} {value}))");
            }
            _ => {}
        }
        let bits = bits(ty, &format!("(local.get {index})"));
        let sum = "(i64.rotl (local.get $sum) (i64.const 9))";
        let _ = writeln!(text, "(local.set $sum (i64.xor {sum} {bits}))");
    }
    let callee = random.usize(..FUNCTIONS);
    let given = arguments(random, &types[callee], "(local.get $sum)");
    let calls = "(global.get $calls)";
    let _ = writeln!(
        text,
        "(if (i32.eqz {calls}) (then (return (local.get $sum))))"
    );
    let _ = writeln!(text, "(global.set $calls (i32.sub {calls} (i32.const 1)))");
    let (index, function) = (
        format!("(i32.const {callee})"),
        format!("(ref.func $f{callee})"),
    );
    text.push_str(&match random.u8(..7) {
        0 => format!("(i64.add (local.get $sum) (call $f{callee} {given}))"),
        1 => format!("(return_call $f{callee} {given})"),
        2 => format!("(call_indirect (type $t{callee}) {given} {index})"),
        3 => format!("(return_call_indirect (type $t{callee}) {given} {index})"),
        4 => format!("(call_ref $t{callee} {given} {function})"),
        5 => format!("(return_call_ref $t{callee} {given} {function})"),
        // A block has the type of a function as well.
        _ => format!("{given} (block (type $t{callee}) (call $f{callee}))"),
    });
    text
}

/// A value for each parameter, made of 64 bits.
fn arguments(random: &mut Rng, params: &[&str], from: &str) -> String {
    let values: Vec<_> = params.iter().map(|ty| value(random, ty, from)).collect();
    values.join(" ")
}

/// Some value of a type. Any bits are a floating-point number, which is passed as it is.
fn value(random: &mut Rng, ty: &str, from: &str) -> String {
    let mixed = format!("(i64.mul {from} (i64.const {}))", random.i64(..) | 1);
    match ty {
        "i32" => format!("(i32.wrap_i64 {mixed})"),
        "f32" => format!("(f32.reinterpret_i32 (i32.wrap_i64 {mixed}))"),
        "f64" => format!("(f64.reinterpret_i64 {mixed})"),
        _ => mixed,
    }
}

/// The bits of a value, as 64.
fn bits(ty: &str, value: &str) -> String {
    match ty {
        "i32" => format!("(i64.extend_i32_u {value})"),
        "f32" => format!("(i64.extend_i32_u (i32.reinterpret_f32 {value}))"),
        "f64" => format!("(i64.reinterpret_f64 {value})"),
        _ => value.to_owned(),
    }
}
