//! Each rule is broken, in each way in which it can be: every call of `fault` in [`super`] has a
//! test here.

use crate::ir::{Func, Generic, Global, Residual, Sig, Signature, Type};
use crate::op::{Intrinsic, Op, Types};
use crate::text;

/// Function 0 and signature 0 are `(i32) -> i32`, signature 1 is `(i32) -> i64`; global 0 is an
/// `i32`.
struct Few {
    same: Signature,
    other: Signature,
}

impl Types for Few {
    fn function(&self, func: Func) -> Option<&Signature> {
        (func.0 == 0).then_some(&self.same)
    }
    fn signature(&self, sig: Sig) -> Option<&Signature> {
        match sig.0 {
            0 => Some(&self.same),
            1 => Some(&self.other),
            _ => None,
        }
    }
    fn global(&self, global: Global) -> Option<Type> {
        (global.0 == 0).then_some(Type::I32)
    }
}

fn types() -> Few {
    let signature = |result| Signature {
        params: vec![Type::I32],
        results: vec![result],
    };
    Few {
        same: signature(Type::I32),
        other: signature(Type::I64),
    }
}

/// Verifies the body of a residual function `(i32) -> i32`.
#[track_caller]
fn check(body: &str, expected: &str) {
    let text = format!("function(i32) -> i32 {{\n{body}\n}}");
    let function = text::parse::<Residual>(&text).expect("it parses");
    let found = super::residual(&function, &types())
        .map_or_else(|fault| fault.to_string(), |()| String::new());
    assert_eq!(found, expected);
}

#[track_caller]
fn check_generic(body: &str, expected: &str) {
    let text = format!("function(i32) -> i32 {{\n{body}\n}}");
    let function = text::parse::<Generic>(&text).expect("it parses");
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
    check(
        "bb0(v0: i32):\n branch v0 ? bb1() : bb0(v0)\nbb1():\n return v0",
        "bb0, terminator: V1: a jump to the entry block",
    );
    check(
        "bb0(v0: i32):\n switch v0 [bb1()] default bb0(v0)\nbb1():\n return v0",
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
fn definitions_of_parameters() {
    check(
        "bb0(v0: i32):\n jump bb1(v0)\nbb1(v0: i32):\n return v0",
        "bb1: V2: v0 is defined twice",
    );
    check(
        "bb0(v0: i32):\n jump bb1(v0, v0)\nbb1(v1: i32, v1: i32):\n return v0",
        "bb1: V2: v1 is defined twice",
    );
    check(
        "bb0(v0: i32):\n v1: i32 = i32.eqz v0\n v1: i32 = i32.eqz v0\n return v0",
        "bb0, instruction 1: V2: v1 is defined twice",
    );
}

/// What the text cannot say: a value that is defined and has no type.
#[test]
fn definitions_without_a_type() {
    let text = |body: &str| format!("function(i32) -> i32 {{\nbb0(v0: i32):\n{body}\n}}");
    let untyped = |body: &str| {
        let mut function = text::parse::<Residual>(&text(body)).expect("it parses");
        let one_less = function.types.len() - 1;
        function.types = function.types.into_values().take(one_less).collect();
        super::residual(&function, &types()).expect_err("a type is missing")
    };
    assert_eq!(
        untyped("v1: i32 = i32.eqz v0\n return v0").to_string(),
        "bb0, instruction 0: V2: v1 has no type"
    );
    assert_eq!(untyped("return v0").to_string(), "bb0: V2: v0 has no type");
}

/// Every place where a value can be used without being defined.
#[test]
fn uses_of_what_is_not_defined() {
    let missing = "V2: v1 is not defined";
    let unreached = "bb1(v2: i32):\n v3: i32 = i32.eqz v2\n return v3";
    for term in [
        "jump bb1(v1)",
        "branch v1 ? bb1(v0) : bb1(v0)",
        "branch v0 ? bb1(v1) : bb1(v0)",
        "branch v0 ? bb1(v0) : bb1(v1)",
        "switch v1 [bb1(v0)] default bb1(v0)",
        "switch v0 [bb1(v1)] default bb1(v0)",
        "switch v0 [bb1(v0)] default bb1(v1)",
        "return v1",
        "tail_call fn0 v1",
    ] {
        check(
            &format!("bb0(v0: i32):\n {term}\n{unreached}"),
            &format!("bb0, terminator: {missing}"),
        );
    }
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
    let wrong = "bb0, terminator: V3: v0 is of type i32, not i64";
    for term in [
        "jump bb1(v0)",
        "branch v0 ? bb1(v0) : bb1(v1)",
        "branch v0 ? bb1(v1) : bb1(v0)",
        "switch v0 [bb1(v0)] default bb1(v1)",
        "switch v0 [bb1(v1)] default bb1(v0)",
    ] {
        check(
            &format!("bb0(v0: i32):\n v1: i64 = i64.const 0\n {term}\nbb1(v2: i64):\n return v0"),
            wrong,
        );
    }
    check(
        "bb0(v0: i32):\n branch v0 ? bb1() : bb2()\nbb1():\n return v0",
        "bb0, terminator: V3: bb2 does not exist",
    );
    check(
        "bb0(v0: i32):\n switch v0 [bb1()] default bb2()\nbb1():\n return v0",
        "bb0, terminator: V3: bb2 does not exist",
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
        "bb0(v0: i32):\n v1: i32 = i32.add v0\n return v0",
        "bb0, instruction 0: V4: 1 values where 2 belong",
    );
    check(
        "bb0(v0: i32):\n v1: i64 = i32.add v0, v0\n return v0",
        "bb0, instruction 0: V4: v1 is of type i64, not i32",
    );
    check(
        "bb0(v0: i32):\n v1: i32 = i32.store offset=0 v0, v0\n return v0",
        "bb0, instruction 0: V4: 1 values where 0 belong",
    );
    check(
        "bb0(v0: i32):\n v1: i64 = i64.const 0\n v2: i32 = select v0, v1, v0\n return v0",
        "bb0, instruction 1: V4: v1 is of type i64, not i32",
    );
    for (inst, name) in [
        (
            "v1: i32 = call_indirect sig9 t0 v0, v0",
            "call_indirect sig9 t0",
        ),
        (
            "v1: i32 = call_slot sig9 base0+0 v0",
            "call_slot sig9 base0+0",
        ),
        ("v1: i32 = global.get global9", "global.get global9"),
        ("global.set global9 v0", "global.set global9"),
        ("v1: i32 = select", "select"),
    ] {
        check(
            &format!("bb0(v0: i32):\n {inst}\n return v0"),
            &format!("bb0, instruction 0: V4: `{name}` names something without a type"),
        );
    }
    check(
        "bb0(v0: i32):\n v1: i32 = call fn9 v0\n return v0",
        "bb0, instruction 0: V4: `call fn9` names something without a type",
    );
    check(
        "bb0(v0: i32):\n v1: i32 = call_indirect sig0 t0 v0, v0\n \
         global.set global0 v1\n return v1",
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
    check(
        "bb0(v0: i32):\n v1: i64 = i64.const 0\n switch v1 [bb1()] default bb1()\n\
         bb1():\n return v0",
        "bb0, terminator: V5: v1 is of type i64, not i32",
    );
    check(
        "bb0(v0: i32):\n v1: i64 = i64.const 0\n return v1",
        "bb0, terminator: V5: v1 is of type i64, not i32",
    );
    check(
        "bb0(v0: i32):\n v1: i64 = i64.const 0\n tail_call fn0 v1",
        "bb0, terminator: V5: v1 is of type i64, not i32",
    );
    check(
        "bb0(v0: i32):\n tail_call fn9 v0",
        "bb0, terminator: V5: the callee has no type",
    );
    check(
        "bb0(v0: i32):\n tail_call_indirect sig1 t0 v0, v0",
        "bb0, terminator: V5: the callee returns another type than the function",
    );
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
fn uses_in_arguments_and_terminators() {
    let late = |term: &str| {
        format!(
            "bb0(v0: i32):\n branch v0 ? bb1() : bb2(v0)
             bb1():\n v1: i32 = i32.const 1\n jump bb2(v1)
             bb2(v2: i32):\n {term}"
        )
    };
    for term in [
        "jump bb2(v1)",
        "branch v1 ? bb1() : bb1()",
        "switch v1 [bb1()] default bb1()",
        "return v1",
        "tail_call fn0 v1",
    ] {
        check(
            &late(term),
            "bb2, terminator: V6: v1 is not defined on all paths to here",
        );
    }
}

#[test]
fn generic_values_stay_in_their_block() {
    check_generic(
        "bb0(g0: i32):\n jump bb1(g0)\nbb1(g1: i32):\n g2: i32 = i32.eqz g0\n return g2",
        "bb1, instruction 0: V6: g0 is not defined on all paths to here",
    );
    check_generic(
        "bb0(g0: i32):\n jump bb1(g0)\nbb1(g1: i32):\n jump bb1(g0)",
        "bb1, terminator: V6: g0 is not defined on all paths to here",
    );
}

#[test]
fn hints_and_cells_are_not_residual() {
    for &intrinsic in Intrinsic::ALL {
        if matches!(
            intrinsic,
            Intrinsic::LockstepEvent | Intrinsic::ProfileCallee | Intrinsic::AddressWithin
        ) {
            continue;
        }
        let op = Op::Intrinsic(intrinsic);
        check(
            &format!("bb0(v0: i32):\n {op} v0\n return v0"),
            &format!("bb0, instruction 0: V7: `{op}` belongs to the other stage"),
        );
    }
}

#[test]
fn symbols_and_slots_are_not_generic() {
    for (inst, op) in [
        ("g1: i32 = address base0+0", "address base0+0"),
        (
            "g1: i32 = call_slot sig0 base0+0 g0",
            "call_slot sig0 base0+0",
        ),
    ] {
        check_generic(
            &format!("bb0(g0: i32):\n {inst}\n return g0"),
            &format!("bb0, instruction 0: V7: `{op}` belongs to the other stage"),
        );
    }
    check_generic(
        "bb0(g0: i32):\n tail_call_slot sig0 base0+0 g0",
        "bb0, terminator: V7: `call_slot sig0 base0+0` belongs to the other stage",
    );
}
