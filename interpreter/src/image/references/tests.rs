//! Which references are kept in slots, and what becomes of their accesses.

use super::*;
use crate::image::assemble::{GLOBALS, PRIMITIVES, assemble, limits, run, verified};
use crate::image::verify::Limits;

/// What becomes of code, if anything does.
fn kept(text: &str) -> Option<Vec<i32>> {
    let code = assemble(text);
    let limits = limits(GLOBALS, PRIMITIVES.len());
    let kept = keep_in_slots(&code, &verified(&code, &limits))?;
    assert_eq!(kept.len(), code.len());
    let rewritten = true;
    verified(
        &kept,
        &Limits {
            rewritten,
            ..limits
        },
    );
    Some(kept)
}

fn becomes(text: &str, expected: &str) {
    assert_eq!(kept(text), Some(assemble(expected)), "{text}");
}

#[test]
fn all_accesses_become_those_of_a_slot() {
    becomes(
        "Const3; MakeBlock1 0; PushConst0; PushAcc1; GetField0; PushAcc2; SetField0; Acc1; \
         OffsetRef -2; PushAcc2; OffsetRef 5; Pop 3; Stop",
        "Const3; Pop 0; PushConst0; PushAcc1; Event; Assign 1; OffsetSlot 1 -2; \
         PushOffsetSlot 2 5; Pop 3; Stop",
    );
}

#[test]
fn slots_far_from_the_top_take_the_room_that_there_is() {
    let pushes = "Push; ".repeat(9);
    becomes(
        &format!(
            "Const3; MakeBlock1 0; PushConst0; {pushes} Acc 9; GetField0; PushAcc 10; SetField0; \
             Acc 9; OffsetRef 1; PushAcc 10; OffsetRef 2; Stop"
        ),
        &format!(
            "Const3; Pop 0; PushConst0; {pushes} Acc 9; Event; Assign 9; Event; \
             OffsetSlot 9 1; Event; PushOffsetSlot 10 2; Event; Stop"
        ),
    );
}

/// `let x = ref 3 in while !x <> 0 do decr x done`, and what comes after it.
fn counting(after: &str) -> String {
    format!(
        "Const3; MakeBlock1 0; Push; Branch @test; body: CheckSignals; Acc0; OffsetRef -1; \
         test: Const0; PushAcc1; GetField0; Neq; BranchIf @body; Const0; {after}; Stop"
    )
}

#[test]
fn a_loop_counts_in_a_slot() {
    let code = kept(&counting("Acc0; GetField0")).expect("it does not escape");
    let opcodes = decode::instructions(&code).map(|instruction| instruction.opcode);
    let opcodes: Vec<Opcode> = opcodes.collect();
    assert!(opcodes.contains(&Opcode::OffsetSlot) && !opcodes.contains(&Opcode::MakeBlock1));
    assert_eq!(run(&counting("Acc0; GetField0")), Ok(0));
}

#[test]
fn what_is_used_otherwise_stays_a_block() {
    for escape in [
        "Acc0",
        "Acc0; Push; Const0",
        "PushAcc1; Pop 1; Const0",
        "Acc0; Assign 0; Const0",
        "Acc0; SetGlobal 0",
        "Acc0; Closure 1 @f",
        "Closure 0 @f; PushAcc1; PushAcc1; Apply1",
        "Acc0; GetField1; Const0",
        "Acc0; IsInt",
        "Const0; PushAcc1; Eq",
        "Acc0; PushAcc1; SetField0",
        "Acc0; BranchIf @on; on: Const0",
        "Const1; BranchIf @on; Acc0; Branch @on; on: Const0",
        "Const0; MakeBlock2 0",
        "Const0; CCall2 0",
        "Const1; Assign 0",
    ] {
        let code = format!("{}; f: Acc0; Return 1", counting(escape));
        assert_eq!(kept(&code), None, "{escape}");
    }
}

#[test]
fn the_accumulator_after_the_push_is_not_the_block() {
    let code = |after: &str| format!("Const3; MakeBlock1 0; Push; {after}; Stop");
    assert_eq!(kept(&code("IsInt")), None);
    assert_eq!(kept(&code("Push; Const0")), None);
    assert_eq!(kept(&code("GetField0")), None);
    assert!(kept(&code("CheckSignals; Acc0; GetField0")).is_some());
    assert!(
        kept(&code(
            "Closure 0 @f; Push; Acc1; GetField0; Stop; f: Acc0; Return 1"
        ))
        .is_some()
    );
}

#[test]
fn a_handler_sees_what_was_written_before_the_exception() {
    let code = "Const1; MakeBlock1 0; Push; PushTrap @handler; Const2; PushAcc5; SetField0; \
                Const0; Raise; handler: Push; Acc1; GetField0; Stop";
    assert!(kept(code).is_some());
    assert_eq!(run(code), Ok(2));
}

#[test]
fn ways_that_disagree_let_blocks_escape() {
    let code = |one: &str, other: &str| {
        format!(
            "Const1; Push; Acc0; BranchIf @other; {one}; Push; Branch @on; other: {other}; Push; \
             on: Acc0; GetField0; Stop"
        )
    };
    assert_eq!(
        kept(&code("Const1; MakeBlock1 0", "Const2; MakeBlock1 0")),
        None
    );
    assert_eq!(kept(&code("Const1; MakeBlock1 0", "GetGlobal 13")), None);
    assert_eq!(kept(&code("GetGlobal 13", "Const2; MakeBlock1 0")), None);
}

#[test]
fn of_many_blocks_the_last_are_kept() {
    let made = "Const0; MakeBlock1 0; PushConst0; ".repeat(MOST + 1);
    let code = kept(&format!("{made} Stop")).expect("all but one");
    let blocks = decode::instructions(&code).filter(|made| made.opcode == Opcode::MakeBlock1);
    assert_eq!(blocks.map(|made| made.position).collect::<Vec<_>>(), [1]);
}

#[test]
fn an_integer_is_added_to_a_slot() {
    let counted = "Const3; MakeBlock1 0; PushConst0; Acc0; OffsetRef";
    assert_eq!(run(&format!("{counted} 4; Acc0; GetField0; Stop")), Ok(7));
    let pushed = "Const3; MakeBlock1 0; PushAcc0; OffsetRef -4; PushAcc1; GetField0; Stop";
    assert_eq!(run(pushed), Ok(-1));
}
