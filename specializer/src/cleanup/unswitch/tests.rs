//! Which loops get versions, and what they decide.

use expect_test::{Expect, expect};
use fastrand::Rng;

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

/// The function with versions of its loop, which computes the same in so many rounds.
fn unswitched(function: &Function, rounds: &[i32]) -> Function {
    let mut unswitched = function.clone();
    super::run(&mut unswitched);
    crate::verify::residual(&unswitched, &crate::random::Types).expect("what is left is valid");
    for &rounds in rounds {
        for first in 0..4 {
            for second in 0..4 {
                let args = [rounds, first, second].map(Const::I32);
                let run = |function| {
                    let mut state = State::new(0, Vec::new(), 1000);
                    exec::run(function, &args, &mut state, &mut NoHost)
                };
                let (before, after) = (run(function), run(&unswitched));
                assert_eq!(after, before, "of {args:?}: {function} as {unswitched}");
            }
        }
    }
    unswitched
}

/// How many blocks are added to the loop.
fn added(text: &str) -> usize {
    let function = parsed(text);
    unswitched(&function, &[3]).blocks.len() - function.blocks.len()
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

/// A loop of `v0` rounds which asks so many things in each, of which the answers are the same in
/// all rounds: `v1`, `v2`, and whether they differ.
fn asking(questions: usize) -> String {
    let mut text = String::from(
        "function(i32, i32, i32) -> i64 {
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.xor v1, v2
    v4: i32 = i32.const 1
    v5: i64 = i64.const 2
    v6: i64 = i64.const 0
    jump bb1(v0, v6)
bb1(v7: i32, v8: i64):
",
    );
    let mut sum = 8;
    for question in 1..=questions {
        let [then, otherwise, join] = [-1, 0, 1].map(|place| 3 * question as i32 + place);
        let [shorter, longer, after] = [1, 2, 3].map(|value| sum + value);
        text += &format!(
            "    branch v{question} ? bb{then}() : bb{otherwise}()
bb{then}():
    v{shorter}: i64 = i64.add v{sum}, v5
    jump bb{join}(v{shorter})
bb{otherwise}():
    v{longer}: i64 = i64.shl v{sum}, v5
    jump bb{join}(v{longer})
bb{join}(v{after}: i64):
"
        );
        sum = after;
    }
    let (fewer, end) = (sum + 1, 3 * questions + 2);
    text + &format!(
        "    v{fewer}: i32 = i32.sub v7, v4
    branch v{fewer} ? bb1(v{fewer}, v{sum}) : bb{end}()
bb{end}():
    return v{sum}
}}
"
    )
}

#[test]
fn of_two_questions_each_combination_has_a_version() {
    // A version of the loop's seven blocks and a gate; then, as one arm is gone from each of the
    // two, one of six blocks and a gate for each.
    assert_eq!(added(&asking(2)), 7 + 1 + 2 * (6 + 1));
}

#[test]
fn of_several_questions_mixed_answers_lead_to_the_loop_as_it_was() {
    // Two versions of the loop's ten blocks, and two gates of three blocks.
    assert_eq!(added(&asking(3)), 2 * 10 + 2 * 3);
}

/// What is asked only after an unusual answer is asked of the version for that.
#[test]
fn what_one_answer_leaves_open_is_asked_in_turn() {
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
    jump bb6(v9)
bb3():
    branch v2 ? bb4() : bb5()
bb4():
    v10: i64 = i64.add v8, v5
    jump bb6(v10)
bb5():
    v11: i64 = i64.sub v8, v5
    jump bb6(v11)
bb6(v12: i64):
    v13: i32 = i32.sub v7, v3
    branch v13 ? bb1(v13, v12) : bb7()
bb7():
    return v12
}
";
    // A version of the loop's six blocks, one of five as the other answer is known, and two gates.
    assert_eq!(added(text), 6 + 5 + 2);
}

/// A loop that asks several things in each round, some of them the same each time, and whose rounds
/// may end it.
fn random_loop(random: &mut Rng) -> Function {
    let mut text = String::from(
        "function(i32, i32, i32) -> i64 {
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.const 1
    v4: i64 = i64.const 3
    v5: i64 = i64.const 5
    jump bb1(v0, v4)
bb1(v6: i32, v7: i64):
",
    );
    let count = random.u32(1..5);
    let ends_early = random.bool();
    let end = |sum: u32| match ends_early {
        true => format!("bb{}(v{sum})", 2 + 4 * count),
        false => format!("bb{}()", 2 + 4 * count),
    };
    let (mut sum, mut value, mut block) = (7, 8, 2);
    for _ in 0..count {
        let question = ["i32.eq v1, v2", "i32.and v1, v3", "i32.and v6, v3"];
        let question = question[random.usize(..question.len())];
        let [then, otherwise, further, meeting] = [0, 1, 2, 3].map(|index| block + index);
        let [cond, one, other, third, met] = [0, 1, 2, 3, 4].map(|index| value + index);
        text += &format!("    v{cond}: i32 = {question}\n");
        text += &format!("    branch v{cond} ? bb{then}() : bb{otherwise}()\n");
        text += &format!("bb{then}():\n    v{one}: i64 = i64.add v{sum}, v5\n");
        text += &format!("    jump bb{meeting}(v{one})\n");
        text += &format!("bb{otherwise}():\n    v{other}: i64 = i64.mul v{sum}, v4\n");
        let way_out = match ends_early {
            true => end(other),
            false => format!("bb{meeting}(v{other})"),
        };
        text += &format!("    branch v2 ? bb{further}() : {way_out}\n");
        text += &format!("bb{further}():\n    v{third}: i64 = i64.xor v{other}, v5\n");
        text += &format!("    jump bb{meeting}(v{third})\n");
        text += &format!("bb{meeting}(v{met}: i64):\n");
        (sum, value, block) = (met, value + 5, block + 4);
    }
    text += &format!("    v{value}: i32 = i32.sub v6, v3\n");
    text += &format!(
        "    branch v{value} ? bb1(v{value}, v{sum}) : {}\n",
        end(sum)
    );
    text += &match ends_early {
        true => format!("bb{block}(v{0}: i64):\n    return v{0}\n", value + 1),
        false => format!(
            "bb{block}():\n    v{0}: i64 = i64.add v{sum}, v7\n    return v{0}\n",
            value + 1
        ),
    };
    parsed(&(text + "}\n"))
}

#[test]
fn random_loops_compute_what_they_did() {
    let mut changed = 0;
    for seed in 0..1000 {
        let function = random_loop(&mut Rng::with_seed(seed));
        changed +=
            usize::from(unswitched(&function, &[1, 2, 5]).blocks.len() > function.blocks.len());
    }
    assert!(changed > 700, "{changed}");
}

#[test]
fn a_loop_may_ask_of_what_the_loop_before_it_has_computed() {
    let text = "function(i32, i32, i32) -> i64 {
bb0(v0: i32, v1: i32, v2: i32):
    v3: i32 = i32.const 1
    v4: i64 = i64.const 3
    v5: i64 = i64.const 5
    jump bb1(v0, v4)
bb1(v6: i32, v7: i64):
    branch v1 ? bb2() : bb3()
bb2():
    v8: i64 = i64.add v7, v4
    jump bb4(v8)
bb3():
    v9: i64 = i64.add v7, v5
    jump bb4(v9)
bb4(v10: i64):
    v11: i32 = i32.sub v6, v3
    branch v11 ? bb1(v11, v10) : bb5(v0, v4)
bb5(v12: i32, v13: i64):
    v14: i32 = i32.wrap_i64 v10
    v15: i32 = i32.and v14, v3
    branch v15 ? bb6() : bb7()
bb6():
    v16: i64 = i64.add v13, v10
    jump bb8(v16)
bb7():
    v17: i64 = i64.mul v13, v5
    jump bb8(v17)
bb8(v18: i64):
    v19: i32 = i32.sub v12, v3
    branch v19 ? bb5(v19, v18) : bb9()
bb9():
    return v18
}
";
    assert!(added(text) > 0);
    unswitched(&parsed(text), &[1, 2, 5]);
}
