//! Printing and parsing are inverse.

use crate::ir::{Generic, Residual};

fn check<S: crate::ir::Stage>(text: &str) {
    let function = super::parse::<S>(text).expect("it parses");
    assert_eq!(function.to_string(), text);
}

#[test]
fn everything_round_trips() {
    check::<Residual>(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load offset=8 v0
    i32.store8 offset=1 v0, v0
    v3: f64 = f64.const 0x7ff8000000000001
    v4: f32 = f32.const 0x80000000
    v5: i32 = i32.const -5
    v6: i32 = address base0-8
    v7: i64 = call_slot sig3 base1+16 v0, v1
    call fn12
    v8: i64 = call_indirect sig1 t0 v2, v0
    v9: i64 = select v1, v2, v0
    v10: i32 = global.get global0
    global.set global1 v10
    v11: i32 = memory.size
    memory.copy v0, v0, v0
    i64.store memory=1 offset=8 v0, v2
    v14: i32 = i32.load memory=2 v0
    memory.copy memory=1 from=0 v0, v0, v0
    memory.fill memory=1 v0, v0, v0
    v15: i32 = memory.grow memory=1 v14
    v16: i32 = memory.size memory=1
    cells.sync
    v12: i64 = cells.read v0
    branch v0 ? bb1(v2) : bb2()
bb1(v13: i64):
    switch v0 [bb2(), bb1(v13)] default bb3()
bb2():
    return v1
bb3():
    switch v0 [] default bb4()
bb4():
    branch v0 ? bb5() : bb6()
bb5():
    tail_call_slot sig0 base0+4 v0, v1
bb6():
    branch v0 ? bb7() : bb8()
bb7():
    tail_call fn3
bb8():
    branch v0 ? bb9() : bb10()
bb9():
    tail_call_indirect sig0 t1 v0
bb10():
    unreachable
}
",
    );
    check::<Generic>("function() {\nbb0():\n    return\n}\n");
}

#[test]
fn errors_have_a_line() {
    let error = |text| {
        super::parse::<Residual>(text)
            .expect_err("malformed")
            .to_string()
    };
    assert_eq!(
        error("function() {\nbb0():\n    v1 = i32.add\n"),
        "line 3: expected `:` (before `=`)"
    );
    assert_eq!(
        error("function() {\nbb1():\n"),
        "line 2: blocks are numbered in order (before `(`)"
    );
    assert_eq!(
        error("function() {\nbb0():\n  fly v1"),
        "line 3: unknown operator `fly` (before `v1`)"
    );
    assert_eq!(error(""), "line 1: expected `function`");
}
