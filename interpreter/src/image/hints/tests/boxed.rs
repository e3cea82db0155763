//! What is always the box of a number, and what of that is kept.

use super::super::super::assemble::assemble;
use super::super::super::tests::check;
use super::super::*;
use crate::code::MAX_CANDIDATES;

/// Primitives 1 and 4 open boxes; 1 gives floats, 4 numbers of kind 2. Primitive 3 reads arrays,
/// primitive 8 writes them; primitive 7 gives 7; global 5 is a float.
pub struct SomeFacts {
    pub is_closed: bool,
}

impl Facts for SomeFacts {
    fn given_by(&self, primitive: usize) -> Option<Given> {
        match primitive {
            1 => Some(Given::Number(0)),
            4 => Some(Given::Number(2)),
            7 => Some(Given::Integer(7)),
            _ => None,
        }
    }

    fn opens(&self, primitive: usize) -> bool {
        [1, 4].contains(&primitive)
    }

    fn access(&self, primitive: usize) -> Option<Access> {
        match primitive {
            3 => Some(Access::Read),
            8 => Some(Access::Write),
            _ => None,
        }
    }

    fn computes(&self, _: usize) -> bool {
        false
    }

    fn constant(&self, global: usize) -> Option<u32> {
        (global == 5).then_some(0)
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// What is always a box, by function in the order of the code, as `parameters > result`: the kind,
/// or `-` where it may be something else.
fn boxed_in(words: &[i32], pointers: CodePointers, is_closed: bool) -> Vec<String> {
    let entries = check(words).expect("well-formed");
    let found = find(words, &entries, pointers, &SomeFacts { is_closed });
    let functions = entries.iter().skip(1);
    let described = functions.map(|entry| {
        let boxed = found.boxed.get(&entry.position).cloned();
        let boxed = boxed.unwrap_or_else(|| Boxed {
            parameters: vec![None; entry.arity as usize],
            result: None,
        });
        let kind = |kind: &Option<u32>| kind.map_or("-".to_owned(), |kind| kind.to_string());
        let parameters: Vec<String> = boxed.parameters.iter().map(kind).collect();
        format!("{} > {}", parameters.join(" "), kind(&boxed.result))
    });
    described.collect()
}

fn boxed(text: &str) -> Vec<String> {
    boxed_in(&assemble(text), CodePointers::Stay, true)
}

/// Calls f, a closure of which is in slot 0, with a float and ends.
const CALL: &str = "GetGlobal 5; PushAcc1; Apply1; Stop;";

/// A function that gives its argument to a primitive which gives a float.
const F: &str = "f: Acc0; CCall1 1; Return 1;";

#[test]
fn what_all_calls_pass_is_boxed() {
    assert_eq!(boxed(&format!("Closure 0 @f; Push; {CALL} {F}")), ["0 > 0"]);
    let also = |argument: &str| {
        let call = format!("{argument}; PushAcc1; Apply1;");
        boxed(&format!("Closure 0 @f; Push; {call} {CALL} {F}"))
    };
    assert_eq!(also("Const0; CCall1 1"), ["0 > 0"]);
    assert_eq!(also("Const0; CCall1 4"), ["- > 0"]);
    assert_eq!(also("Const0"), ["- > 0"]);
    assert_eq!(also("GetGlobal 6"), ["- > 0"]);
    assert_eq!(also("Const0; MakeBlock1 0"), ["- > 0"]);
    let field = |index: u32| {
        also(&format!(
            "Const0; PushGetGlobal 5; MakeBlock2 0; GetField {index}"
        ))
    };
    assert_eq!(field(0), ["0 > 0"]);
    assert_eq!(field(1), ["- > 0"]);
}

#[test]
fn what_all_ways_return_is_boxed() {
    let returns = |body: &str| {
        let f = format!("f: {body}");
        boxed(&format!("Closure 0 @f; Push; {CALL} {f}"))
    };
    assert_eq!(returns("Acc0; Return 1"), ["0 > 0"]);
    assert_eq!(
        returns("Acc0; BranchIf @b; Return 1; b: Const0; Return 1"),
        ["- > -"]
    );
    let both = "Acc0; BranchIf @b; Acc0; Return 1; b: Acc0; CCall1 1; Return 1";
    assert_eq!(returns(both), ["0 > 0"]);
    let raises = "Acc0; BranchIf @b; Acc0; Return 1; b: Acc0; Raise";
    assert_eq!(returns(raises), ["0 > 0"]);
    // It never returns, so nothing says what.
    assert_eq!(returns("Acc0; Raise"), ["0 > -"]);
    // What a handler gets may be anything, and so may what was put into a slot before.
    let handles = "PushTrap @h; Acc4; CCall1 1; PopTrap; Return 1; h: Return 1";
    assert_eq!(returns(handles), ["- > -"]);
    let slot = "PushTrap @h; Const0; Assign 4; PopTrap; Acc0; Return 1; h: Acc0; Return 1";
    assert_eq!(returns(slot), ["- > -"]);
}

/// A box that somebody may look at, not at its number, stays one.
#[test]
fn what_is_kept_stays_boxed() {
    let kept = |what: &str| {
        let f = format!("f: {what}; Acc0; CCall1 1; Return 1;");
        boxed(&format!(
            "Closure 0 @f; Push; {CALL} {f} g: Acc0; Return 1; h: Acc0; Return 1"
        ))
    };
    assert_eq!(kept("Acc0; CCall1 4")[0], "0 > 0");
    assert_eq!(kept("Acc0; Push; Acc0; Pop 1")[0], "0 > 0");
    for what in [
        "Acc0; MakeBlock1 0",
        "Acc0; PushConst0; MakeBlock1 0; SetField0",
        "Acc0; SetGlobal 12",
        "Acc0; Closure 1 @g",
        "Acc0; PushConst0; Eq",
        "Acc0; CCall1 2",
        "Acc0; PushGetGlobal 6; Apply1",
        // To a function that returns it to who keeps it, or where nothing more is known of it.
        "Acc0; Push; Closure 0 @h; Apply1; MakeBlock1 0",
        "Acc0; Push; Const0; BranchIf @b; GetGlobal 6; Branch @c; b: Acc0; c: Pop 1",
    ] {
        assert_eq!(kept(what)[0], "- > 0", "{what}");
    }
    // One of two parameters: each is kept where it is.
    let chosen = |what: &str| {
        boxed(&format!(
            "Closure 0 @f; PushGetGlobal 5; PushGetGlobal 5; PushAcc2; Apply2; Stop;
            Restart; f: Grab 1; Const0; BranchIf @b; Acc0; Branch @c; b: Acc1; c: {what}; Return 2"
        ))
    };
    assert_eq!(chosen("CCall1 1"), ["0 0 > 0"]);
    assert_eq!(chosen("MakeBlock1 0"), ["- - > -"]);
    // A result of which a block is made.
    let call = "GetGlobal 5; PushAcc1; Apply1; MakeBlock1 0; Stop;";
    assert_eq!(boxed(&format!("Closure 0 @f; Push; {call} {F}")), ["0 > -"]);
}

#[test]
fn numbers_go_round_in_recursive_functions() {
    let own = "f: Acc0; BranchIf @b; Acc0; Return 1;
        b: Acc0; CCall1 1; PushOffsetClosure0; AppTerm1 2";
    assert_eq!(
        boxed(&format!("Closure 0 @f; Push; {CALL} {own}")),
        ["0 > 0"]
    );
    let integer = own.replace("CCall1 1", "Const1");
    assert_eq!(
        boxed(&format!("Closure 0 @f; Push; {CALL} {integer}")),
        ["- > -"]
    );
    // f calls g, which calls f and returns another kind if that is so.
    let mutual = |last: &str| {
        boxed(&format!(
            "ClosureRec 2 0 @f @g; Acc1; Push; {CALL}
            f: Acc0; PushOffsetClosure3; AppTerm1 2;
            g: Acc0; PushOffsetClosureM3; Apply1; BranchIf @b; Acc0; Return 1;
            b: {last}; Return 1"
        ))
    };
    assert_eq!(mutual("Acc0; CCall1 1"), ["0 > 0", "0 > 0"]);
    assert_eq!(mutual("Acc0; CCall1 4"), ["- > -", "- > -"]);
}

/// What escapes may be called with anything; what it returns is as it was.
#[test]
fn functions_out_of_sight_may_be_given_anything() {
    let then = |what: &str| boxed(&format!("Closure 0 @f; Push; {what}; {CALL} {F}"));
    // Stays in sight: not used, in a block and its fields, by itself or beside something else;
    // looked at by a primitive.
    for what in [
        "Acc0",
        "Acc0; MakeBlock1 0; GetField0",
        "Acc0; MakeBlock1 0; SetGlobal 12",
        "Acc0; PushConst0; MakeBlock1 0; SetField0",
        "Acc0; MakeBlock1 0; Push; Const0; PushAcc1; GetVectItem; Pop 1",
        "Acc0; MakeBlock1 0; Push; Const0; PushAcc1; CCall2 3; Pop 1",
        "Const0; Push; Acc1; Assign 0; Pop 1",
        "Acc0; CCall1 1",
    ] {
        assert_eq!(then(what), ["0 > 0"], "{what}");
    }
    // To a primitive, by itself and in blocks; into something unknown; out as an exception.
    for what in [
        "Acc0; CCall1 2",
        "Acc0; MakeBlock1 0; CCall1 2",
        "Acc0; MakeBlock1 0; MakeBlock1 0; CCall1 2",
        "Const0; MakeBlock1 0; Push; CCall1 2; Acc1; PushAcc1; SetField0; Pop 1",
        "Acc0; PushGetGlobal 6; SetField0",
        "Acc0; Push; Const0; PushGetGlobal 6; SetVectItem",
        "Acc0; BranchIf @r; Branch @n; r: Acc0; Raise; n: Acc0",
    ] {
        assert_eq!(then(what), ["- > 0"], "{what}");
    }
    // Among too many others, where a field is read.
    let names = (0..MAX_CANDIDATES).map(|name| format!("f{name}"));
    let others: String = names
        .clone()
        .map(|name| format!("Closure 0 @{name}; Push; "))
        .collect();
    let bodies: String = names
        .map(|name| format!("{name}: Const0; Return 1; "))
        .collect();
    let array = |read: &str| {
        boxed(&format!(
            "Closure 0 @f; Push; {others} Acc {MAX_CANDIDATES}; MakeBlock {} 0; Push; Const0;
            PushAcc1; {read} Pop 2; {CALL} {F} {bodies}",
            MAX_CANDIDATES + 1,
        ))
    };
    assert_eq!(array("GetField0;")[0], "0 > 0");
    assert_eq!(array("GetVectItem; Push;")[0], "- > 0");
    // To a function of which nothing is known.
    assert_eq!(then("Acc0; PushGetGlobal 6; Apply1"), ["- > 0"]);
}

/// What one of two is given both are, and what they return goes where both do.
#[test]
fn one_of_two_is_followed_as_both() {
    let joined = |what: &str, other: &str| {
        boxed(&format!(
            "Closure 0 @f; Push; Const0; BranchIf @b; Acc0; Branch @c; b: Closure 0 @f2; c: Pop 1;
            PushGetGlobal 5; PushAcc1; Apply1; {what}; Stop; {F} f2: {other}; Return 1"
        ))
    };
    assert_eq!(joined("Pop 1", "Acc0"), ["0 > 0", "0 > 0"]);
    assert_eq!(joined("CCall1 1", "Acc0"), ["0 > 0", "0 > 0"]);
    assert_eq!(joined("MakeBlock1 0", "Acc0"), ["0 > -", "- > -"]);
    assert_eq!(joined("CCall1 1", "Const0"), ["0 > -", "0 > -"]);
    assert_eq!(joined("CCall1 1", "Acc0; CCall1 4"), ["0 > -", "0 > -"]);
}

#[test]
fn functions_are_followed_that_are_applied_otherwise() {
    let then = |applied: &str| {
        boxed(&format!(
            "Closure 0 @f; Push; {applied} GetGlobal 5; PushGetGlobal 5; PushAcc2; Apply2; Stop;
            Restart; f: Grab 1; Acc0; CCall1 1; Return 2"
        ))
    };
    assert_eq!(then(""), ["0 0 > 0"]);
    let partial = |held: &str| format!("{held}; PushAcc1; Apply1;");
    assert_eq!(then(&partial("GetGlobal 5")), ["0 0 > 0"]);
    assert_eq!(then(&partial("Const0")), ["- 0 > 0"]);
    let completed = |given: &str| {
        let held = partial("GetGlobal 5");
        format!("{held} Push; {given}; PushAcc1; Apply1; Pop 1;")
    };
    assert_eq!(then(&completed("GetGlobal 5")), ["0 0 > 0"]);
    assert_eq!(then(&completed("Const0")), ["0 - > 0"]);
    let over = |last: &str| format!("{last}; PushGetGlobal 5; PushGetGlobal 5; PushAcc3; Apply3;");
    assert_eq!(then(&over("Const0")), ["0 0 > 0"]);
    // A partial application that is out of sight.
    let lost = format!("{} CCall1 2;", partial("GetGlobal 5"));
    assert_eq!(then(&lost), ["- - > 0"]);
}

/// g is called with f, and is called by nobody else.
#[test]
fn functions_that_are_given_are_followed() {
    let program = |argument: &str| {
        boxed(&format!(
            "Closure 0 @f; PushAcc0; Closure 0 @g; Push; Acc1; PushAcc1; Apply1; Stop;
            {F} g: {argument}; PushAcc1; AppTerm1 2"
        ))
    };
    assert_eq!(program("GetGlobal 5"), ["0 > 0", "- > 0"]);
    assert_eq!(program("Const0"), ["- > 0", "- > 0"]);
}

/// It is a guess that f is called: it is all the same, but what becomes of the result is not
/// followed.
#[test]
fn guessed_calls_count() {
    let program = |argument: &str| {
        boxed(&format!(
            "Closure 0 @f; Push; GetGlobal 11; Assign 0; {argument}; PushAcc1; Apply1; Stop; {F}"
        ))
    };
    assert_eq!(program("GetGlobal 5"), ["0 > -"]);
    assert_eq!(program("Const0"), ["- > -"]);
}

/// A second CLOSUREREC gives one of the functions another sibling.
#[test]
fn siblings_at_two_places_are_out_of_sight() {
    let text = |second: &str| {
        format!(
            "ClosureRec 2 0 @f @g; Acc1; Push; {second} {CALL}
            f: Acc0; PushOffsetClosure3; AppTerm1 2;
            g: Acc0; CCall1 1; Return 1; h: Acc0; Return 1"
        )
    };
    assert_eq!(boxed(&text(""))[..2], ["0 > 0", "0 > 0"]);
    let two = boxed(&text("ClosureRec 2 0 @f @h; Pop 2;"));
    assert_eq!(two, ["- > -", "- > 0", "- > -"]);
}

#[test]
fn programs_that_load_code_or_write_it_are_not_followed() {
    let words = assemble(&format!("Closure 0 @f; Push; {CALL} {F}"));
    assert_eq!(boxed_in(&words, CodePointers::Stay, false), ["- > 0"]);
    assert_eq!(boxed_in(&words, CodePointers::Change, true), ["- > -"]);
    let mut many = words.clone();
    many.resize(MOST_FOLLOWED + 1, Opcode::Const0 as i32);
    many.push(Opcode::Stop as i32);
    assert_eq!(boxed_in(&many, CodePointers::Stay, true), ["- > 0"]);
}

/// What a jump brings to a place whose state stays as it was is lost there all the same.
#[test]
fn jumps_that_lead_to_nothing_new_lose_what_they_bring() {
    let stored = "Closure 0 @f; PushGetGlobal 5; PushGetGlobal 5; PushAcc2; Apply2; Stop;
        Restart; f: Grab 1; Acc0; Branch @join; x: Acc1; join: MakeBlock1 0; Const0; BranchIf @x;
        Const0; Raise";
    assert_eq!(boxed(stored), ["- - > -"]);
    // Too many functions meet, c as the last one: it is called with a float, and with 0 at the
    // join.
    let others = 0..=MAX_CANDIDATES;
    let bring = |name: usize| {
        format!("Const0; BranchIf @after_{name}; Closure 0 @f{name}; Branch @join; after_{name}: ")
    };
    let body = |name: usize| format!("f{name}: Const0; Return 1; ");
    let called = format!(
        "Closure 0 @c; PushGetGlobal 5; PushAcc1; Apply1; Closure 0 @f; Push; Const0; PushAcc1;
        Apply1; Stop;
        c: Const0; Raise; f: {} Const0; Raise;
        x: Closure 0 @c; join: Push; Const0; PushAcc1; Apply1; Pop 1; Const0; BranchIf @x; Const0;
        Raise; {}",
        others.clone().map(bring).collect::<String>(),
        others.map(body).collect::<String>(),
    );
    assert_eq!(boxed(&called)[0], "- > -");
}
