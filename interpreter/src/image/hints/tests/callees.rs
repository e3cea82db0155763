//! Calls of one of a few functions: how many of them are compared, and in which order.

use super::callees;
use crate::code::{MAX_CANDIDATES, MAX_GUESSED, MAX_IN_PLACE};

/// The callees of a call of one of the functions with these bodies.
fn callees_of_one_of(bodies: &[&str]) -> Vec<Vec<usize>> {
    callees_of_one_or(bodies, "Stop")
}

/// The same, where it may be what `otherwise` brings.
fn callees_of_one_or(bodies: &[&str], otherwise: &str) -> Vec<Vec<usize>> {
    let chosen = |index| {
        format!("Const0; BranchIf @no{index}; Closure 0 @f{index}; Branch @call; no{index}: ")
    };
    let chosen: String = (0..bodies.len()).map(chosen).collect();
    let functions: String = (0..)
        .zip(bodies)
        .map(|(index, body)| format!("f{index}: {body}; Return 1;"))
        .collect();
    callees(&format!(
        "{chosen} {otherwise}; call: Push; Const0; PushAcc1; Apply1; Stop; {functions}"
    ))
}

#[test]
fn a_few_callees_are_guessed() {
    let of_one_of = |count: usize| callees_of_one_of(&vec!["Acc0"; count]);
    assert_eq!(of_one_of(1), [[0]]);
    assert_eq!(of_one_of(2), [[0, 3]]);
    let most = |count| vec![(0..count).map(|index| 3 * index).collect::<Vec<usize>>()];
    assert_eq!(of_one_of(MAX_CANDIDATES), most(MAX_CANDIDATES));
    assert!(of_one_of(MAX_CANDIDATES + 1).is_empty());
    // Fewer where others may come as well.
    let guessed = |count| callees_of_one_or(&vec!["Acc0"; count], "GetGlobal 11");
    assert_eq!(guessed(MAX_GUESSED), most(MAX_GUESSED));
    assert!(guessed(MAX_GUESSED + 1).is_empty());
}

#[test]
fn functions_that_only_hand_on_a_constant_are_not_compared() {
    let of = |then: &str| {
        let calls = format!("Acc0; PushOffsetClosure0; Apply1; {then}");
        callees_of_one_of(&["Acc0", &calls])
    };
    assert_eq!(of("Const0"), [[3]]);
    assert_eq!(of("GetGlobal 5"), [vec![0, 3], vec![3]]);
    assert_eq!(of("OffsetInt 1"), [vec![0, 3], vec![3]]);
}

#[test]
fn the_shortest_of_many_callees_is_compared_first() {
    let bodies = [
        "Const0; Acc0",
        "Const0; Const0; Acc0",
        "Acc0",
        "Const0; Acc0",
        "Acc0",
    ];
    assert_eq!(callees_of_one_of(&bodies), [[9, 16, 0, 12, 4]]);
    let those_in_place = &bodies[..MAX_IN_PLACE];
    assert_eq!(callees_of_one_of(those_in_place), [[0, 4, 9, 12]]);
}
