//! What the calls of dispatchers become.

use wasmparser::Operator;

use crate::link::tests::whole;
use crate::module::Module;
use crate::{Options, link_generic};

/// What the switch of a dispatcher's call leads to: the functions that are called by name.
fn callees(index: &str, dispatch: bool) -> Vec<String> {
    let text = r#"(module
        (type $entry (func (param i64 i32) (result i64)))
        (memory 1)
        (@dispatchers 8 (function 4))
        (table 50 funcref)
        (elem (i32.const 1) $first $other $last $dispatch)
        (elem (i32.const 40) $first)
        (func $first (type $entry) (i64.const 1))
        (func $other (result i64) (i64.const 2))
        (func $last (type $entry) (i64.const 3))
        (func $dispatch (type $entry) (local f32)
            (return_call_indirect (type $entry)
                (local.get 0) (local.get 1) INDEX)))"#;
    let bytes = tables::module(&text.replace("INDEX", index)).expect("the text is a module");
    let mut options = Options {
        verify: true,
        ..whole()
    };
    options.optimisations.dispatch = dispatch;
    let linked = link_generic(&bytes, &options).expect("it links");
    let module = Module::parse(&linked).expect("the result is a module");
    let mut reader = module.bodies[3].get_operators_reader().expect("a body");
    let mut found = Vec::new();
    while !reader.eof() {
        match reader.read().expect("an operator") {
            Operator::BrTable { targets } => {
                let cases = targets.targets().map(|case| case.expect("a case"));
                let cases: Vec<u32> = cases.collect();
                found.push(format!("{cases:?} else {}", targets.default()));
            }
            Operator::ReturnCall { function_index } => found.push(format!("{function_index}")),
            Operator::ReturnCallIndirect { .. } => found.push("table".into()),
            _ => {}
        }
    }
    found
}

#[test]
fn a_dispatcher_calls_the_functions_of_the_table_by_name() {
    // From index 1 on: two functions of the type with one of another between them, and the
    // dispatcher itself. Far from them there is the first one again.
    let cases = [
        "[4] else 0",
        "[0, 4, 1, 2] else 4",
        "0",
        "2",
        "3",
        "0",
        "table",
    ];
    let computed = "(i32.add (local.get 1) (i32.const 1))";
    assert_eq!(callees(computed, true), cases);
    assert_eq!(callees(computed, false), ["table"]);
}

#[test]
fn a_dispatcher_tests_which_of_the_functions_that_it_names_it_calls() {
    let choice = |first, second| {
        format!(
            "(select (i32.const {first}) (i32.const {second})
                (i32.eq (local.get 1) (i32.const 2)))"
        )
    };
    assert_eq!(callees(&choice(1, 3), true), ["0", "2"]);
    assert_eq!(callees("(i32.const 3)", true), ["2"]);
    // A function of another type, and what is no constant.
    let any = callees("(local.get 1)", true);
    assert_eq!(callees(&choice(1, 2), true), any);
    let other = "(select (i32.const 1) (local.get 1) (i32.const 1))";
    assert_eq!(callees(other, true), any);
}
