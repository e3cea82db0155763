//! Each rule, broken once.

use crate::ir::{Func, Global, Sig, Signature, Type, generic, residual};
use crate::op::Types;
use crate::text;

/// One signature for everything: `(i32) -> i32`.
struct OneType(Signature);

impl Types for OneType {
    fn function(&self, func: Func) -> Option<&Signature> {
        (func.0 == 0).then_some(&self.0)
    }
    fn signature(&self, _: Sig) -> Option<&Signature> {
        Some(&self.0)
    }
    fn global(&self, global: Global) -> Option<Type> {
        (global.0 == 0).then_some(Type::I32)
    }
}

fn types() -> OneType {
    OneType(Signature {
        params: vec![Type::I32],
        results: vec![Type::I32],
    })
}

/// Verifies the body of a residual function `(i32) -> i32`.
#[track_caller]
fn check(body: &str, expected: &str) {
    let text = format!("function(i32) -> i32 {{\n{body}\n}}");
    let function = text::parse::<residual::Value>(&text).expect("it parses");
    let found = super::residual(&function, &types())
        .map_or_else(|fault| fault.to_string(), |()| String::new());
    assert_eq!(found, expected);
}

#[track_caller]
fn check_generic(body: &str, expected: &str) {
    let text = format!("function(i32) -> i32 {{\n{body}\n}}");
    let function = text::parse::<generic::Value>(&text).expect("it parses");
    let found = super::generic(&function, &types())
        .map_or_else(|fault| fault.to_string(), |()| String::new());
    assert_eq!(found, expected);
}

#[test]
fn entry() {
    check("", "bb0: V1: there is no block");
    check(
        "bb0(v0: i64):\n unreachable",
        "bb0: V1: v0 is of type i64, not i32",
    );
    check("bb0():\n unreachable", "bb0: V1: 0 values where 1 belong");
    check(
        "bb0(v0: i32):\n jump bb0(v0)",
        "bb0, terminator: V1: a jump to the entry block",
    );
}

#[test]
fn definitions() {
    check(
        "bb0(v0: i32):\n v0: i32 = i32.const 1\n return v0",
        "bb0, instruction 0: V2: v0 is defined twice",
    );
    check(
        "bb0(v0: i32):\n return v7",
        "bb0, terminator: V2: v7 has no type",
    );
    check(
        "bb0(v0: i32):\n v2: i32 = i32.eqz v1\n return v0",
        "bb0, instruction 0: V2: v1 is not defined",
    );
}

#[test]
fn jumps() {
    check(
        "bb0(v0: i32):\n jump bb4()",
        "bb0, terminator: V3: bb4 does not exist",
    );
    check(
        "bb0(v0: i32):\n jump bb1()\nbb1(v1: i32):\n return v1",
        "bb0, terminator: V3: 0 values where 1 belong",
    );
}

#[test]
fn operators() {
    check(
        "bb0(v0: i32):\n v1: i64 = i64.add v0, v0\n return v0",
        "bb0, instruction 0: V4: v0 is of type i32, not i64",
    );
    check(
        "bb0(v0: i32):\n i32.add v0, v0\n return v0",
        "bb0, instruction 0: V4: 0 values where 1 belong",
    );
    check(
        "bb0(v0: i32):\n v1: i32 = call fn9 v0\n return v0",
        "bb0, instruction 0: V4: `call fn9` names something without a type",
    );
    check(
        "bb0(v0: i32):\n v1: i32 = call_indirect sig0 t0 v0, v0\n global.set global0 v1\n return v1",
        "",
    );
}

#[test]
fn terminators() {
    check(
        "bb0(v0: i32):\n v1: i64 = i64.const 0\n branch v1 ? bb1() : bb1()\nbb1():\n return v0",
        "bb0, terminator: V5: v1 is of type i64, not i32",
    );
    check(
        "bb0(v0: i32):\n return",
        "bb0, terminator: V5: 0 values where 1 belong",
    );
    check(
        "bb0(v0: i32):\n tail_call fn0",
        "bb0, terminator: V5: 0 values where 1 belong",
    );
    check("bb0(v0: i32):\n tail_call fn0 v0", "");
}

#[test]
fn uses() {
    let late = "v2: i32 = i32.eqz v1\n v1: i32 = i32.const 1\n";
    check(
        &format!("bb0(v0: i32):\n {late} return v0"),
        "bb0, instruction 0: V6: v1 is not defined on all paths to here",
    );
    let across = "jump bb1()\nbb1():\n return";
    check(&format!("bb0(v0: i32):\n {across} v0"), "");
    check_generic(
        &format!("bb0(g0: i32):\n {across} g0"),
        "bb1, terminator: V6: g0 is not defined on all paths to here",
    );
}

#[test]
fn dominance_over_joins_and_loops() {
    check(
        "bb0(v0: i32):\n branch v0 ? bb1() : bb2()
         bb1():\n v1: i32 = i32.const 1\n jump bb3()
         bb2():\n jump bb3()
         bb3():\n return v1",
        "bb3, terminator: V6: v1 is not defined on all paths to here",
    );
    check(
        "bb0(v0: i32):\n jump bb1()
         bb1():\n v1: i32 = i32.const 1\n branch v0 ? bb2() : bb3()
         bb2():\n branch v1 ? bb1() : bb3()
         bb3():\n return v1
         bb4():\n v2: i32 = i32.eqz v1\n return v2",
        "",
    );
}

#[test]
fn stages() {
    check(
        "bb0(v0: i32):\n cells.sync\n return v0",
        "bb0, instruction 0: V7: `cells.sync` belongs to the other stage",
    );
    check_generic(
        "bb0(g0: i32):\n tail_call_slot sig0 base0+0 g0",
        "bb0, terminator: V7: `call_slot sig0 base0+0` belongs to the other stage",
    );
}
