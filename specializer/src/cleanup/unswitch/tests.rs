//! Which loops get versions, and what they decide.

use expect_test::{Expect, expect};

use crate::cleanup::tests::check_pass;
use crate::exec::{self, NoHost, State};
use crate::ir::residual::Function;
use crate::op::Const;

fn check(text: &str, expect: Expect) {
    check_pass(|function, _| super::run(function), text, expect);
}

fn parsed(text: &str) -> Function {
    let function: Function = crate::text::parse(text).expect("the test's function parses");
    crate::verify::residual(&function, &crate::random::Types).expect("it is valid");
    function
}

/// A loop of `v0` rounds which adds 1 or 2 to a sum in each, by the answer to `question`, which
/// defines `v9` of `v1` and `v2`; or goes on at `b`, or from there to `to`.
fn counting(question: &str, b: &str, to: &str) -> String {
    format!(
        "function(i32, i32, i32) -> i64 {{
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.const 1
    v4: i64 = i64.const 1
    v5: i64 = i64.const 2
    v6: i64 = i64.const 0
    jump bb1(v0, v6)
bb1(v7: i32, v8: i64):
    {question}
    branch v9 ? bb2() : {b}
bb2():
    v10: i64 = i64.add v8, v4
    jump bb4(v10)
bb3():
    v11: i64 = i64.add v8, v5
    {to}
bb4(v12: i64):
    v13: i32 = i32.sub v7, v3
    branch v13 ? bb1(v13, v12) : bb5()
bb5():
    return v12
bb6():
    return v8
}}
"
    )
}

/// How many blocks are added to the loop, which still computes the same.
fn added(text: &str) -> usize {
    let function = parsed(text);
    let mut unswitched = function.clone();
    super::run(&mut unswitched);
    crate::verify::residual(&unswitched, &crate::random::Types).expect("what is left is valid");
    for first in 0..4 {
        for second in 0..4 {
            let args = [3, first, second].map(Const::I32);
            let run = |function| {
                let mut state = State::new(0, Vec::new(), 1000);
                exec::run(function, &args, &mut state, &mut NoHost)
            };
            assert_eq!(
                run(&unswitched),
                run(&function),
                "of {args:?}: {unswitched}"
            );
        }
    }
    unswitched.blocks.len() - function.blocks.len()
}

#[test]
fn a_question_that_cannot_change_is_asked_before_the_loop() {
    check(
        &counting("v9: i32 = i32.eq v1, v2", "bb3()", "jump bb4(v11)"),
        expect![[r#"
            function(i32, i32, i32) -> i64 {
            bb0(v0: i32, v1: i32, v2: i32):
                v3: i32 = i32.const 1
                v4: i64 = i64.const 1
                v5: i64 = i64.const 2
                v6: i64 = i64.const 0
                jump bb11(v0, v6)
            bb1(v7: i32, v8: i64):
                v9: i32 = i32.eq v1, v2
                jump bb3()
            bb2():
                unreachable
            bb3():
                v11: i64 = i64.add v8, v5
                jump bb4(v11)
            bb4(v12: i64):
                v13: i32 = i32.sub v7, v3
                branch v13 ? bb1(v13, v12) : bb5(v12)
            bb5(v24: i64):
                return v24
            bb6():
                unreachable
            bb7(v14: i32, v15: i64):
                v16: i32 = i32.eq v1, v2
                jump bb8()
            bb8():
                v17: i64 = i64.add v15, v4
                jump bb10(v17)
            bb9():
                unreachable
            bb10(v19: i64):
                v20: i32 = i32.sub v14, v3
                branch v20 ? bb7(v20, v19) : bb5(v19)
            bb11(v21: i32, v22: i64):
                v23: i32 = i32.eq v1, v2
                branch v23 ? bb7(v21, v22) : bb1(v21, v22)
            }
        "#]],
    );
}

#[test]
fn only_what_is_the_same_in_all_rounds_is_asked_before() {
    let is_asked = |question, b, to| added(&counting(question, b, to)) > 0;
    let goes_on = |question| is_asked(question, "bb3()", "jump bb4(v11)");
    assert!(goes_on("v9: i32 = i32.eq v1, v2"));
    assert!(goes_on("v14: i32 = i32.and v1, v2\n v9: i32 = i32.eqz v14"));
    // Of the round, of memory, and with what may trap.
    assert!(!goes_on("v9: i32 = i32.eq v1, v7"));
    assert!(!goes_on("v9: i32 = i32.load v1"));
    assert!(!goes_on("v9: i32 = i32.div_u v1, v3"));
    // One answer ends the loop; a loop calls.
    assert!(!is_asked(
        "v9: i32 = i32.eq v1, v2",
        "bb6()",
        "jump bb4(v11)"
    ));
    let calls = "v14: i64 = call fn0 v0, v8\n v9: i32 = i32.eq v1, v2";
    let text = counting(calls, "bb3()", "jump bb4(v11)");
    let mut function = parsed(&text);
    super::run(&mut function);
    assert_eq!(function.to_string(), parsed(&text).to_string());
}

#[test]
fn of_several_questions_mixed_answers_lead_to_the_loop_as_it_was() {
    let text = "function(i32, i32, i32) -> i64 {
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.const 1
    v4: i64 = i64.const 1
    v5: i64 = i64.const 2
    v6: i64 = i64.const 0
    jump bb1(v0, v6)
bb1(v7: i32, v8: i64):
    branch v1 ? bb2() : bb3()
bb2():
    v9: i64 = i64.add v8, v4
    jump bb4(v9)
bb3():
    v10: i64 = i64.add v8, v5
    jump bb4(v10)
bb4(v11: i64):
    branch v2 ? bb5() : bb6()
bb5():
    v12: i64 = i64.shl v11, v4
    jump bb7(v12)
bb6():
    v13: i64 = i64.shl v11, v5
    jump bb7(v13)
bb7(v14: i64):
    v15: i32 = i32.sub v7, v3
    branch v15 ? bb1(v15, v14) : bb8()
bb8():
    return v14
}
";
    // Two versions of the loop's seven blocks, and two gates of two blocks.
    assert_eq!(added(text), 18);
}
