//! What small modules and the functions that use them reach.

use super::find;
use crate::code::opcode::Opcode;
use crate::image::assemble::{assemble, limits, verified};

/// Which of the functions of a program are reached: those whose bodies begin with `ConstInt` of
/// a number, by that number. Primitive 1 gets at everything.
fn reached(program: &str) -> Vec<i32> {
    let code = assemble(program);
    let verified = verified(&code, &limits(9, 2));
    let reached = find(&code, &verified, |primitive| primitive == 1);
    let positions = reached.positions(&verified).into_iter();
    let bodies = positions.map(|position| &code[position..]);
    let numbered = bodies.filter(|body| body[0] == Opcode::ConstInt as i32);
    let mut numbers: Vec<i32> = numbered.map(|body| body[1]).collect();
    numbers.sort_unstable();
    numbers
}

/// A module of functions 1, 2 and 3, of which 3 captures 1, in global 0; then `rest`, and the
/// functions. Function 4 does `body`.
fn module(rest: &str, body: &str) -> Vec<i32> {
    reached(&format!(
        "Closure 0 @f1; Push; Closure 0 @f2; Push; Acc1; Closure 1 @f3; Push;
         Acc0; Push; Acc2; Push; Acc4; MakeBlock3 0; Pop 3; SetGlobal 0; {rest}; Stop;
         f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1; f3: ConstInt 3; Return 1;
         f4: ConstInt 4; {body}; Return 1"
    ))
}

#[test]
fn what_is_only_put_into_a_module_is_not_reached() {
    assert_eq!(module("Const0", "Const0"), []);
}

#[test]
fn a_field_that_is_read_is_reached_and_what_it_captures() {
    let call = "Closure 0 @f4; CCall1 0";
    assert_eq!(module(call, "GetGlobalField 0 1"), [2, 4]);
    assert_eq!(module(call, "GetGlobal 0; GetField1"), [2, 4]);
    assert_eq!(module(call, "GetGlobal 0; GetField2"), [1, 3, 4]);
    assert_eq!(module(call, "GetGlobal 0; CCall1 0"), [1, 2, 3, 4]);
    assert_eq!(module(call, "CCall1 1"), [1, 2, 3, 4]);
    assert_eq!(module("GetGlobalField 0 0; CCall1 0", "Const0"), [1]);
}

#[test]
fn a_module_in_a_module_is_followed() {
    let copy = "GetGlobal 0; MakeBlock1 0; SetGlobal 1; Closure 0 @f4; CCall1 0";
    assert_eq!(module(copy, "GetGlobalField 1 0; GetField1"), [2, 4]);
    assert_eq!(
        module(copy, "GetGlobalField 1 0; Push; Pop 1"),
        [1, 2, 3, 4]
    );
}

#[test]
fn siblings_come_together_and_so_do_closures_that_are_made() {
    let program = "ClosureRec 2 0 @f1 @f2; Acc0; MakeBlock1 0; SetGlobal 0; Closure 0 @f3;
         CCall1 0; Stop; f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1;
         f3: ConstInt 3; Closure 0 @f4; Return 1; f4: ConstInt 4; Return 1;";
    assert_eq!(reached(program), [3, 4]);
    let read = program.replace("ConstInt 4;", "ConstInt 4; GetGlobalField 0 0;");
    assert_eq!(reached(&read), [1, 2, 3, 4]);
}

#[test]
fn what_one_way_drops_another_way_has() {
    let program = "Closure 0 @f1; Push; Const0; BranchIf @other; Pop 1; Const0; Push; Stop;
         other: Acc0; Push; Const1; Apply1; Stop; f1: ConstInt 1; Return 1";
    assert_eq!(reached(program), [1]);
}

#[test]
fn the_body_of_a_loop_lies_before_its_condition() {
    let program = "Closure 0 @f1; Push; Branch @test; body: Acc0; Push; Const1; Apply1;
         test: Const0; BranchIf @body; Closure 0 @f2; MakeBlock1 0; SetGlobal 0; Stop;
         f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1";
    assert_eq!(reached(program), [1]);
}

#[test]
fn what_a_shallow_way_lacks_a_deeper_way_has() {
    let program = "Const0; BranchIf @shallow; Closure 0 @f1; Push; Const0; BranchIf @deep; Stop;
         shallow: Const0; Stop; deep: Acc0; Push; Const1; Apply1; Stop; f1: ConstInt 1; Return 1";
    assert_eq!(reached(program), [1]);
}

#[test]
fn primitives_count_in_functions_that_are_reached_and_in_the_program_itself() {
    let code = assemble(
        "Closure 0 @f1; Push; Closure 0 @f2; MakeBlock2 0; SetGlobal 0; CCall1 0;
         GetGlobalField 0 0; CCall1 1; Stop; f1: CCall1 2; Return 1; f2: CCall1 3; Return 1",
    );
    let verified = verified(&code, &limits(1, 4));
    let found = |reaches_all| {
        let mut primitives = find(&code, &verified, |index| index == reaches_all).primitives;
        primitives.sort_unstable();
        primitives
    };
    assert_eq!(found(9), [0, 1, 3]);
    assert_eq!(found(0), [0, 1, 2, 3]);
    assert_eq!(found(3), [0, 1, 2, 3]);
}

#[test]
fn both_ways_to_a_join_count() {
    let program = "Const0; BranchIf @other; Closure 0 @f1; Branch @join;
         other: Closure 0 @f2; join: MakeBlock1 0; SetGlobal 0; Stop;
         f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1";
    assert_eq!(reached(program), [1]);
}
