//! Pushes and pops in small functions.

use super::*;
use crate::ir::Func;
use crate::lift;
use crate::module::Module;

/// What is found in a loop that does this.
fn kinds(code: &str) -> Vec<Kind> {
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
    let found = unbalanced(&function, &places).into_iter();
    found.map(|found| found.kind).collect()
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
