//! Which modules have types that change.

use super::*;
use crate::link::tests::linked_whole;

/// Of the types of functions in the table.
const MANY: &str = "(type $many (func (param i32 i32 i32 i32 i32 i32)))";

/// Whether the linked module passes integers as other numbers; it calls a function of the table
/// that takes many.
fn converts(more: &str) -> bool {
    let text = format!(
        "(module
            {MANY}
            {more}
            (table $table 2 funcref)
            (elem (i32.const 0) $called)
            (func $called (type $many))
            (func (export \"run\")
                (call_indirect (type $many)
                    (i32.const 1) (i32.const 2) (i32.const 3)
                    (i32.const 4) (i32.const 5) (i32.const 6) (i32.const 0))))"
    );
    let [_, linked] = linked_whole(&text);
    let module = Module::parse(&linked).expect("the result is a module");
    let params = module.types.values().flatten().flat_map(|ty| &ty.params);
    params.into_iter().any(|ty| *ty == Type::F32)
}

#[test]
fn integers_are_passed_as_others_where_nobody_outside_can_tell() {
    for more in [
        "",
        r#"(import "env" "number" (func (param i32 i64) (result i64)))"#,
        r#"(import "env" "number" (global i64))"#,
        r#"(global (export "number") (mut i32) (i32.const 1))"#,
        "(global $hidden funcref (ref.func $called))",
        "(table $hidden 1 funcref)",
        r#"(tag (export "thrown") (param i32))"#,
        "(func $hidden (param externref) (result funcref) (table.get $table (i32.const 0)))",
    ] {
        assert!(converts(more), "{more}");
    }
}

/// An index of a table may have 64 bits, which wait in a local while arguments are converted.
#[test]
fn indices_of_wide_tables_are_wide() {
    let [_, linked] = linked_whole(&format!(
        "(module
            {MANY}
            (table i64 2 funcref)
            (elem (i64.const 0) $called)
            (func $called (type $many))
            (func (export \"run\") (param i64)
                (call_indirect (type $many)
                    (i32.const 1) (i32.const 2) (i32.const 3)
                    (i32.const 4) (i32.const 5) (i32.const 6)
                    (i64.shr_u (local.get 0) (i64.const 1)))))"
    ));
    wasmparser::validate(&linked).expect("the result is valid");
}

#[test]
fn types_stay_where_a_reference_may_leave_or_come_in() {
    for more in [
        r#"(func (export "get") (result funcref) (table.get $table (i32.const 0)))"#,
        r#"(func (export "get") (result (ref $many)) (ref.func $called))"#,
        r#"(func (export "set") (param funcref) (table.set $table (i32.const 0) (local.get 0)))"#,
        r#"(func (export "get") (result anyref) (ref.null any))"#,
        r#"(func (export "get") (result externref) (ref.null extern))"#,
        r#"(type $pair (struct (field funcref)))
           (func (export "get") (result (ref $pair)) (struct.new $pair (ref.func $called)))"#,
        r#"(import "env" "take" (func (param funcref)))"#,
        r#"(import "env" "give" (func (result (ref null $many))))"#,
        r#"(import "env" "given" (global funcref))"#,
        r#"(global (export "got") funcref (ref.func $called))"#,
        r#"(global (export "got") (mut anyref) (ref.null any))"#,
        r#"(table (export "got") 1 funcref)"#,
        r#"(import "env" "given" (tag (param funcref)))"#,
        "(tag (param (ref null $many)))",
        r#"(export "table" (table $table))"#,
    ] {
        assert!(!converts(more), "{more}");
    }
}
