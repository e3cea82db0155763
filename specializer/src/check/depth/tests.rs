//! Pushes and pops in small functions.

use wasmparser::Operator;

use super::*;
use crate::ir::Func;
use crate::lift;
use crate::module::Module;

/// What is found in a loop that does this.
fn kinds(code: &str) -> Vec<Kind> {
    let found = found(code).into_iter();
    found.map(|(kind, _)| kind).collect()
}

/// The same with the number of each call: the how manieth of the code's calls it is.
fn found(code: &str) -> Vec<(Kind, usize)> {
    let text = format!(
        r#"(module
            (import "bactrian" "context.update" (func $update (param i32)))
            (import "bactrian" "context.push" (func $push (param i32)))
            (import "bactrian" "context.pop" (func $pop))
            (func (param $at i32)
                (loop $next {code} (br_if $next (local.get $at)))))"#
    );
    let bytes = wat::parse_str(text).expect("the text is a module");
    let module = Module::parse(&bytes).expect("supported");
    let (function, places) = lift::with_places(&module, Func(3)).expect("it lifts");
    let mut calls = Vec::new();
    let mut reader = module.bodies[0]
        .get_operators_reader()
        .expect("it has operators");
    while !reader.eof() {
        let place = reader.original_position();
        if let Ok(Operator::Call { .. }) = reader.read() {
            calls.push(place);
        }
    }
    let number = |place| calls.iter().position(|&call| call == place);
    let found = unbalanced(&function, &places).into_iter();
    found
        .map(|found| (found.kind, number(found.place).expect("it is a call")))
        .collect()
}

const UPDATE: &str = "(call $update (local.get $at))";
const PUSH: &str = "(call $push (local.get $at))";
const POP: &str = "(call $pop)";

#[test]
fn what_is_pushed_is_popped() {
    assert_eq!(kinds(UPDATE), []);
    assert_eq!(kinds(&format!("{UPDATE} {PUSH} {UPDATE} {POP}")), []);
    assert_eq!(kinds(&format!("{UPDATE} {PUSH}")), [Kind::Push]);
    assert_eq!(
        kinds(&format!("{UPDATE} {PUSH} {POP} {POP} {POP}")).last(),
        Some(&Kind::Pop)
    );
}

/// It takes the interpreter's own position away, which the next update makes anew.
#[test]
fn what_an_update_made_is_not_popped() {
    assert_eq!(kinds(&format!("{UPDATE} {POP}")), [Kind::Pop]);
}

/// Code that runs or does not.
fn maybe(code: &str) -> String {
    format!("(if (local.get $at) (then {code}))")
}

#[test]
fn the_push_that_has_no_pop_is_found_and_not_the_one_around_it() {
    let leaves = maybe(PUSH);
    let inner = format!("(loop $inner {PUSH} (br_if $inner (local.get $at)))");
    let other = maybe(&format!("{PUSH} {POP}"));
    for missing in [&leaves, &inner] {
        let code = format!("{UPDATE} {PUSH} {missing} {POP}");
        assert_eq!(found(&code), [(Kind::Push, 2)], "{code}");
        // Between others that are popped.
        let code = format!("{UPDATE} {other} {PUSH} {other} {missing} {other} {POP} {other}");
        assert_eq!(found(&code), [(Kind::Push, 6)], "{code}");
    }
    let code = format!("{UPDATE} {PUSH} {leaves} {POP} {PUSH} {inner} {POP}");
    assert_eq!(found(&code), [(Kind::Push, 2), (Kind::Push, 5)]);
}

/// Many nested tests, each with a push of its own that is popped, but the last.
#[test]
fn deep_code_is_walked_in_linear_time() {
    let tests = maybe(&format!("{PUSH} {POP}")).repeat(2000);
    let code = format!("{UPDATE} {PUSH} {tests} {} {POP}", maybe(PUSH));
    assert_eq!(found(&code), [(Kind::Push, 4002)]);
}
