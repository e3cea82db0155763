//! What a plan promises, checked by following the code without it; and small functions by eye.

use super::{Cut, Plan, plan};
use crate::code::opcode::Opcode;
use crate::code::{decode, effect};
use crate::image::assemble::{GLOBALS, PRIMITIVES, assemble, limits, verified};
use crate::image::messages;
use crate::image::mutate::seeds;
use crate::image::verify::Verified;
use std::collections::{BTreeMap, BTreeSet};

fn plan_of(text: &str, longest: usize) -> (Vec<i32>, Plan) {
    let code = assemble(text);
    let verified = verified(&code, &limits(GLOBALS, PRIMITIVES.len()));
    let has_objects = !messages::find(&code, &verified.entries).is_empty();
    let plan = plan(&code, &verified, longest, has_objects);
    (code, plan)
}

/// The instructions that what begins at `first` runs before it comes to another cut.
fn reached(code: &[i32], first: usize, cuts: &BTreeMap<usize, &Cut>) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut work = vec![first];
    while let Some(position) = work.pop() {
        if reached.insert(position) {
            let instruction = decode::instruction(code, position).expect("verified");
            effect::successors(&instruction, |next| {
                let next = next as usize;
                if !cuts.contains_key(&next) {
                    work.push(next);
                }
            });
        }
    }
    reached
}

fn can_be_cut(code: &[i32], position: usize) -> bool {
    let instruction = decode::instruction(code, position).expect("verified");
    effect::call_arity(instruction.opcode, instruction.operands).is_none()
        && instruction.opcode != Opcode::PopTrap
}

/// Checks a plan's promises; how many pieces it has.
fn check(code: &[i32], verified: &Verified, plan: &Plan, longest: usize) -> usize {
    let cuts: BTreeMap<usize, &Cut> = plan.cuts.iter().map(|cut| (cut.position, cut)).collect();
    assert_eq!(cuts.len(), plan.cuts.len(), "each cut is listed once");
    for (&position, cut) in &cuts {
        let at = verified.at(position).expect("a cut is an instruction");
        assert_eq!((at.entry, at.depth), (cut.entry, cut.depth));
        assert!(can_be_cut(code, position));
        assert!(
            verified
                .entries
                .iter()
                .all(|entry| entry.position != position)
        );
    }
    let entries = plan
        .entries
        .iter()
        .map(|entry| (entry.position, entry.position..entry.end));
    let pieces = plan
        .cuts
        .iter()
        .filter_map(|cut| Some((cut.position, cut.piece.clone()?)));
    let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
    let all: Vec<_> = entries.chain(pieces).collect();
    for (first, words) in &all {
        let reached = reached(code, *first, &cuts);
        let mut length = 0;
        for &position in reached
            .iter()
            .filter(|&&position| can_be_cut(code, position))
        {
            let end = decode::instruction(code, position)
                .expect("verified")
                .next();
            length += end - position;
            assert!(words.contains(&position), "{position} is not in {words:?}");
            if let Some(other) = owners.insert(position, *first) {
                panic!("{position} is in the pieces at {first} and {other}");
            }
        }
        let whole = verified
            .entries
            .iter()
            .find(|entry| entry.position == *first);
        let whole = whole.is_some_and(|entry| entry.end - entry.position <= 3 * longest);
        assert!(
            whole || length <= longest.max(40),
            "the piece at {first} has {length} words"
        );
    }
    let functions = verified.entries.iter().filter(|entry| entry.position != 0);
    for entry in functions {
        let inside = (entry.position..entry.end).filter(|&word| {
            verified
                .at(word)
                .is_some_and(|at| at.entry == entry.position)
        });
        for position in inside.filter(|&position| can_be_cut(code, position)) {
            assert!(owners.contains_key(&position), "{position} is in no piece");
        }
    }
    all.len()
}

#[test]
fn plans_keep_their_promises() {
    let mut pieces = 0;
    for program in seeds() {
        let code = program.code();
        let verified = verified(code, &limits(1 << 20, 1 << 20));
        let has_objects = !messages::find(code, &verified.entries).is_empty();
        for longest in [1, 7, 50, 1500] {
            let plan = plan(code, &verified, longest, has_objects);
            pieces += check(code, &verified, &plan, longest);
        }
    }
    assert!(pieces > 10_000, "{pieces}");
}

#[test]
fn only_loops_of_what_runs_once_are_compiled() {
    let (_, plan) = plan_of(
        "Const0; Push; Branch @test; body: CheckSignals; Acc0; OffsetInt 1; Assign 0;
         test: ConstInt 9; PushAcc1; LtInt; BranchIf @body; Const0; Pop 1; Stop",
        1500,
    );
    assert_eq!(plan.entries, []);
    let cut = |position, depth, piece| Cut {
        position,
        entry: 0,
        depth,
        trap: None,
        piece,
    };
    assert_eq!(plan.cuts, [cut(1, 0, Some(1..16)), cut(16, 1, None)]);
}

#[test]
fn straight_code_before_a_loop_is_compiled_with_it() {
    let body = "CheckSignals; Acc0; BranchIf @body";
    let begins = |before: &str| {
        let (_, plan) = plan_of(&format!("Const0; {before}; body: {body}; Stop"), 1500);
        plan.cuts[0].position
    };
    // The program's first instruction is its entry, which is no cut. Calls are none, either.
    assert_eq!(begins("Push; Const1"), 1);
    assert_eq!(begins("Push; Push; Acc0; Apply1; Const1"), 1);
    // In a program with objects, not before a call.
    assert_eq!(begins("Push; GetPubMet 7 0; Apply1; Const1"), 6);
    // Not beyond where paths meet.
    assert_eq!(begins("BranchIf @join; Push; Pop 1; join: Const1; Push"), 6);
    // No more than so many words.
    let many = "Const0; ".repeat(40);
    assert_eq!(begins(&format!("Push; {many} Const1")), 43 - 32);
    // Not outside of the handler that the loop is in.
    let (_, plan) = plan_of(
        "Const0; PushTrap @h; Const1; Push; body: CheckSignals; Acc0; BranchIf @body; Pop 1;
         PopTrap; h: Stop",
        1500,
    );
    assert_eq!(plan.cuts[0].position, 3);
}

#[test]
fn handlers_of_frames_that_cross_a_cut_are_cuts() {
    let body = "Const0; Push; Const0; Pop 1; ".repeat(20);
    let (code, plan) = plan_of(
        &format!(
            "Closure 0 @f; Stop; f: PushTrap @h; {body} PopTrap; Const1; Return 1; h: Return 1"
        ),
        10,
    );
    let handler = code.len() - 2;
    let cut = plan.cuts.iter().find(|cut| cut.position == handler);
    let cut = cut.expect("the handler is a cut");
    assert_eq!((cut.depth, cut.trap), (1, None));
    assert!(plan.cuts.iter().any(|cut| cut.trap == Some(5)));
}

#[test]
fn what_follows_a_call_where_pieces_meet_is_a_cut() {
    let arm = "Const0; Push; Const0; Pop 1; ".repeat(10);
    let (code, plan) = plan_of(
        &format!(
            "Closure 0 @f; Stop; f: Acc0; Push; Acc0; BranchIf @b; {arm} Acc0; Branch @j;
             b: {arm} Acc0;
             j: Apply1; OffsetInt 1; Return 1"
        ),
        30,
    );
    let after = code.len() - 4;
    assert!(
        plan.cuts.iter().any(|cut| cut.position == after),
        "{plan:?}"
    );
}
