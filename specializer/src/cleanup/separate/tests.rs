//! Which loops are separated, and how.

use expect_test::{Expect, expect};

use crate::cleanup::tests::check_pass;
use crate::ir::residual::Function;

fn check(text: &str, expect: Expect) {
    check_pass(|function, _| super::run(function), text, expect);
}

/// How many blocks are new after this function's loops were separated. Blocks in `body` may jump
/// to bb2, the head of a loop, with an `i64`, and to bb1, which returns one.
fn new_blocks(body: &str) -> usize {
    let text = format!(
        "function(i32, i32) -> i64 {{
bb0(v0: i32, v1: i32):
    v2: i64 = i64.const 7
    jump bb2(v2)
bb1(v9: i64):
    return v9
bb2(v3: i64):
{body}
}}
"
    );
    let mut function: Function = crate::text::parse(&text).expect("the test's function parses");
    crate::verify::residual(&function, &crate::random::Types).expect("it is valid");
    let before = function.blocks.len();
    super::run(&mut function);
    crate::verify::residual(&function, &crate::random::Types).expect("it stays valid");
    function.blocks.len() - before
}

#[test]
fn a_round_that_calls_ends_in_a_copy_that_leads_to_the_outer_loop() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    jump bb1(v1)
bb1(v3: i64):
    v4: i64 = i64.load v0
    v5: i32 = i64.eq v4, v3
    branch v5 ? bb2() : bb3(v4)
bb2():
    v6: i64 = call fn0 v0, v4
    jump bb3(v6)
bb3(v7: i64):
    v8: i64 = i64.add v7, v3
    v9: i32 = i64.lt_u v8, v1
    branch v9 ? bb1(v8) : bb4()
bb4():
    v10: i64 = i64.add v8, v4
    return v10
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 1
                jump bb5(v1)
            bb1(v3: i64):
                v4: i64 = i64.load v0
                v5: i32 = i64.eq v4, v3
                branch v5 ? bb6() : bb3(v4)
            bb2():
                unreachable
            bb3(v7: i64):
                v8: i64 = i64.add v7, v3
                v9: i32 = i64.lt_u v8, v1
                branch v9 ? bb1(v8) : bb4(v8)
            bb4(v16: i64):
                v10: i64 = i64.add v16, v4
                return v10
            bb5(v11: i64):
                jump bb1(v11)
            bb6():
                v12: i64 = call fn0 v0, v4
                jump bb7(v12)
            bb7(v13: i64):
                v14: i64 = i64.add v13, v3
                v15: i32 = i64.lt_u v14, v1
                branch v15 ? bb5(v14) : bb4(v14)
            }
        "#]],
    );
}

#[test]
fn only_loops_that_can_go_round_without_a_call_are_separated() {
    let rounds = |first: &str, second: &str| {
        new_blocks(&format!(
            "    branch v0 ? bb3() : bb4()
bb3():
    {first}
    jump bb5(v2)
bb4():
    {second}
    jump bb5(v3)
bb5(v8: i64):
    branch v1 ? bb2(v8) : bb1(v8)"
        ))
    };
    // The outer loop's head, the call, and what comes after it.
    let call = "v4: i64 = call fn0 v0, v2";
    assert_eq!(rounds(call, ""), 3);
    // Engines call for what works on much memory.
    assert_eq!(rounds("memory.fill v0, v1, v0", ""), 3);
    assert_eq!(rounds("i64.store v0, v3", ""), 0);
    assert_eq!(rounds("", ""), 0);
    assert_eq!(rounds(call, "v5: i64 = call fn0 v0, v3"), 0);
}

#[test]
fn calls_on_the_way_out_are_none_of_the_loop() {
    let body = "    branch v0 ? bb3() : bb4()
bb3():
    v4: i64 = call fn0 v0, v2
    jump bb1(v4)
bb4():
    branch v1 ? bb2(v2) : bb1(v3)";
    assert_eq!(new_blocks(body), 0);
}

#[test]
fn a_loop_within_leaves_its_rounds_short_if_it_is_on_the_way_to_a_call() {
    let around = |after: &str| {
        new_blocks(&format!(
            "    branch v0 ? bb3(v2) : bb5(v3)
bb3(v4: i64):
    v5: i32 = i64.lt_u v4, v2
    branch v5 ? bb3(v2) : bb4()
bb4():
    {after}
    jump bb5(v2)
bb5(v8: i64):
    branch v1 ? bb2(v8) : bb1(v8)"
        ))
    };
    // The outer loop's head, the loop within, the call, and what comes after it.
    assert_eq!(around("v6: i64 = call fn0 v0, v2"), 4);
    assert_eq!(around(""), 0);
}

#[test]
fn a_loop_that_calls_makes_the_rounds_around_it_long_ones() {
    // First the loop within is separated, by three blocks; then its seven are copied.
    let body = "    branch v0 ? bb3() : bb7(v3)
bb3():
    branch v1 ? bb4() : bb5()
bb4():
    v5: i64 = call fn0 v0, v2
    jump bb5()
bb5():
    branch v0 ? bb3() : bb6()
bb6():
    jump bb7(v2)
bb7(v8: i64):
    branch v1 ? bb2(v8) : bb1(v8)";
    assert_eq!(new_blocks(body), 3 + 8);
}

#[test]
fn long_rests_of_rounds_are_not_copied() {
    let body = |insts: usize| {
        let rest: String = (0..insts)
            .map(|index| format!("    v{}: i64 = i64.add v3, v2\n", index + 20))
            .collect();
        format!(
            "    branch v0 ? bb3() : bb4()
bb3():
    v4: i64 = call fn0 v0, v2
    jump bb4()
bb4():
{rest}    branch v1 ? bb2(v2) : bb1(v3)"
        )
    };
    assert_eq!(new_blocks(&body(super::MOST_INSTS)), 3);
    assert_eq!(new_blocks(&body(super::MOST_INSTS + 1)), 0);
}
