//! What is found out about small programs.

use super::super::assemble::{assemble, run};
use super::super::tests::check;
use super::*;

mod boxed;
mod callees;

use boxed::SomeFacts;

/// Nothing is known.
pub struct NoFacts;

impl Facts for NoFacts {
    fn given_by(&self, _: usize) -> Option<Given> {
        None
    }

    fn opens(&self, _: usize) -> bool {
        false
    }

    fn access(&self, _: usize) -> Option<Access> {
        None
    }

    fn computes(&self, _: usize) -> bool {
        false
    }

    fn constant(&self, _: usize) -> Option<u32> {
        None
    }

    fn is_closed(&self) -> bool {
        true
    }
}

#[test]
fn callees_are_guessed() {
    // f is captured by g, which is in a block in a global, which h reads; each calls the other
    // once.
    let text = "Closure 0 @f; Closure 1 @g; MakeBlock1 0; SetGlobal 12;
        Closure 0 @h; Push; Const0; PushAcc1; Apply1; Stop;
        f: Acc0; Return 1;
        g: Acc0; PushEnvAcc2; AppTerm1 2;
        h: Acc0; PushGetGlobalField 12 0; Apply1; Return 1";
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let found = find(&words, &entries, CodePointers::Stay, &NoFacts).calls;
    let callees: Vec<usize> = found
        .iter()
        .map(|hint| {
            entries
                .iter()
                .position(|entry| vec![entry.position] == hint.entries)
                .expect("an entry")
        })
        .collect();
    // In the order of the calls: the program calls h, g calls f, h calls g.
    assert_eq!(callees, [3, 1, 2]);
    assert_eq!(run(text), Ok(0));
}

#[test]
fn calls_of_own_and_sibling_closures_are_certain() {
    // f calls itself, then its sibling g, then itself through a slot.
    let code = |jump_back: &str| {
        assemble(&format!(
            "ClosureRec 2 0 @f @g; Stop;
            f: Acc0; PushOffsetClosure0; {jump_back} Apply1; Push; Acc0; PushOffsetClosure3; Apply1;
            Pop 1; OffsetClosure0; Push; Acc1; PushAcc1; Apply1; Pop 1; Return 1;
            g: Acc0; BranchIf @back; Acc0; Return 1; back: Acc0; Return 1"
        ))
    };
    let certain = |words: &[i32], pointers| {
        let entries = check(words).expect("well-formed");
        let found = find(words, &entries, pointers, &NoFacts).calls.into_iter();
        found
            .map(|hint| hint.certainty == Certainty::Certain)
            .collect::<Vec<_>>()
    };
    let words = code("");
    assert_eq!(certain(&words, CodePointers::Stay), [true, true, true]);
    assert_eq!(certain(&words, CodePointers::Change), [false; 3]);
    // The closure could have come another way.
    let joined = code("BranchIf @call; Acc1; call:");
    assert_eq!(certain(&joined, CodePointers::Stay), [false, true, true]);
}

/// Whether each guessed call is certain, in their order.
fn certain_calls(text: &str) -> Vec<bool> {
    certain_calls_knowing(text, &NoFacts)
}

fn certain_calls_knowing(text: &str, facts: &dyn Facts) -> Vec<bool> {
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let found = find(&words, &entries, CodePointers::Stay, facts).calls;
    let found = found.into_iter();
    found
        .map(|hint| hint.certainty == Certainty::Certain)
        .collect()
}

#[test]
fn captured_closures_are_certain_where_all_captures_agree() {
    // g captures f and calls it; a second instruction makes a closure of g.
    let code = |second: &str| {
        format!(
            "Closure 0 @f; Push; Acc0; Closure 1 @g; Push; {second} Closure 1 @g; Stop;
            f: Acc0; Return 1;
            g: Acc0; PushEnvAcc2; AppTerm1 2"
        )
    };
    assert_eq!(certain_calls(&code("Acc1;")), [true]);
    assert_eq!(certain_calls(&code("GetGlobal 11;")), [false]);
}

#[test]
fn fields_of_modules_are_certain() {
    let code = |fields: &str| {
        format!(
            "Closure 0 @f; MakeBlock1 0; SetGlobal 12; Const0; {fields} Apply1; Stop;
            f: Acc0; Return 1"
        )
    };
    assert_eq!(certain_calls(&code("PushGetGlobalField 12 0;")), [true]);
    assert_eq!(certain_calls(&code("PushGetGlobal 12; GetField0;")), [true]);
    // A global that comes with the file.
    assert_eq!(certain_calls(&code("PushGetGlobalField 11 0;")), []);
}

#[test]
fn fields_are_certain_of_blocks_that_nothing_unknown_can_write_to() {
    let code = |use_of_block: &str| {
        format!(
            "Closure 0 @f; MakeBlock1 0; Push; {use_of_block}
            Acc0; Closure 1 @g; Push; Const0; PushAcc1; Apply1; Stop;
            f: Acc0; Return 1;
            g: Const0; PushEnvAcc 2; GetField0; Apply1; Return 1"
        )
    };
    assert_eq!(certain_calls(&code("")), [true, true]);
    let loads_code = SomeFacts { is_closed: false };
    assert_eq!(certain_calls_knowing(&code(""), &loads_code), [true, false]);
    // Another one of the same place may be in another activation's hands.
    assert_eq!(certain_calls(&code("Acc0; CCall1 1;")), [true, false]);
    assert_eq!(
        certain_calls(&code("Acc0; MakeBlock1 0; CCall1 1;")),
        [true, false]
    );
    let assigned = |value: &str| certain_calls(&code(&format!("{value} PushAcc1; SetField0;")));
    assert_eq!(assigned("Acc0;"), [true, true]);
    assert_eq!(assigned("GetGlobal 11;"), [true, false]);
    assert_eq!(
        certain_calls(&code("Acc0; PushConst0; Push; GetGlobal 11; Apply1;")),
        [true, true]
    );
    assert_eq!(
        certain_calls(&code("Acc0; PushGetGlobal 11; Apply1;")),
        [true, false]
    );
}

/// What is certain of what instructions load, in their order.
fn loads(text: &str) -> Vec<Loaded> {
    loads_knowing(text, &NoFacts)
}

fn loads_knowing(text: &str, facts: &dyn Facts) -> Vec<Loaded> {
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let found = find(&words, &entries, CodePointers::Stay, facts).loads;
    found.into_iter().map(|(_, loaded)| loaded).collect()
}

#[test]
fn numbers_are_known_where_all_agree() {
    let facts = SomeFacts { is_closed: true };
    let code = |captured: &str, others: &str| {
        format!(
            "{captured} Closure 1 @f; Push; {others} Closure 1 @f;
            MakeBlock1 0; SetGlobal 12; GetGlobal 5; MakeBlock1 0; SetGlobal 13; Stop;
            f: EnvAcc2; PushGetGlobalField 13 0; CCall1 1; Pop 1; Const0; Return 1"
        )
    };
    let float = |others| loads_knowing(&code("GetGlobal 5;", others), &facts);
    let both = [Loaded::Number(0), Loaded::Number(0)];
    assert_eq!(float("GetGlobal 5;"), both);
    assert_eq!(float("Const1; CCall1 1;"), both);
    assert_eq!(float("Const1; CCall1 4;"), both[1..], "another kind");
    assert_eq!(float("Const1;"), both[1..]);
}

#[test]
fn boxes_that_somebody_looks_at_are_not_told_of() {
    let facts = SomeFacts { is_closed: true };
    let told = |use_of_it: &str| {
        let code = format!(
            "GetGlobal 5; MakeBlock1 0; SetGlobal 13; Closure 0 @f; Push; Const0; PushAcc1; Apply1;
            Stop; f: GetGlobalField 13 0; {use_of_it}; Const0; Return 1;
            g: EnvAcc2; MakeBlock1 0; Return 1"
        );
        loads_knowing(&code, &facts)
    };
    assert_eq!(told("CCall1 1"), [Loaded::Number(0)]);
    assert_eq!(told("Push; Pop 1"), [Loaded::Number(0)]);
    assert_eq!(told("MakeBlock1 0"), []);
    assert_eq!(told("Push; Acc0; Push; Acc1; Eq; Pop 1"), []);
    assert_eq!(told("Closure 1 @g"), []);
}

#[test]
fn integers_are_known_where_all_agree() {
    let code = |fields: &str, body: &str| {
        format!(
            "ConstInt 5; Closure 1 @f; Push; {fields} Closure 1 @f;
            MakeBlock1 0; SetGlobal 12; Stop;
            f: {body}; Return 1"
        )
    };
    let captured = |fields| loads(&code(fields, "EnvAcc2"));
    assert_eq!(captured("ConstInt 5;"), [Loaded::Integer(5)]);
    assert_eq!(captured("ConstInt 6;"), []);
    assert_eq!(captured("GetGlobal 11;"), []);
    assert_eq!(captured("Acc0;"), []);
    let module = "Const3; MakeBlock1 0; SetGlobal 13; ConstInt 5;";
    let body = "GetGlobalField 13 0; PushEnvAcc2; PushGetGlobal 13; GetField0; Pop 2";
    let both = [Loaded::Integer(3), Loaded::Integer(5)];
    assert_eq!(loads(&code(module, body)), both);
}

#[test]
fn arithmetic_of_what_is_known_is_known() {
    // What is computed of 5, and of 3 below it, is captured.
    let code = |computed: &str| {
        format!(
            "Const3; PushConstInt 5; {computed}; Closure 1 @f; MakeBlock1 0; SetGlobal 12; Stop;
            f: EnvAcc2; Return 1"
        )
    };
    let is = |computed: &str, integer: i32| {
        assert_eq!(
            loads(&code(computed)),
            [Loaded::Integer(integer)],
            "{computed}"
        );
    };
    is("OffsetInt -7", -2);
    is("NegInt", -5);
    is("AddInt", 8);
    is("SubInt", 2);
    is("MulInt", 15);
    is("DivInt", 1);
    is("ModInt", 2);
    is("AndInt", 1);
    is("OrInt", 7);
    is("XorInt", 6);
    is("LslInt", 40);
    is("LsrInt", 0);
    is("AsrInt", 0);
    is("NegInt; AsrInt", -1);
    for unknown in [
        "NegInt; LsrInt",
        "Push; Const0; PushAcc1; DivInt",
        "ConstInt 40; PushConst1; LslInt",
        "ConstInt 31; PushConst1; LslInt",
        "GetGlobal 11; AddInt",
    ] {
        assert_eq!(loads(&code(unknown)), [], "{unknown}");
    }
    let given = "Const0; CCall1 7; Closure 1 @f; MakeBlock1 0; SetGlobal 12; Stop;
        f: EnvAcc2; Return 1";
    let facts = SomeFacts { is_closed: true };
    assert_eq!(loads_knowing(given, &facts), [Loaded::Integer(7)]);
}

#[test]
fn a_loop_changes_what_is_certain() {
    // The slot is f at first, and what the second round finds in it is what the first has put
    // there.
    let code = |assigned: &str| {
        format!(
            "Closure 0 @f; Push; Branch @test;
            body: Const0; PushAcc1; Apply1; {assigned} Assign 0; test: Const0; BranchIf @body; Stop;
            f: Acc0; Return 1;
            g: Acc0; Return 1"
        )
    };
    assert_eq!(certain_calls(&code("Acc0;")), [true]);
    assert_eq!(certain_calls(&code("Closure 0 @g;")), [true]);
    assert_eq!(certain_calls(&code("GetGlobal 11;")), [false]);
}

/// Of what is called and what is not, only the first is called.
#[test]
fn one_of_a_few_is_certain_where_nothing_else_comes() {
    // A field of one block or another, or of none, is called.
    let code = |other: &str| {
        format!(
            "Const0; BranchIf @second; Closure 0 @f; MakeBlock1 0; Branch @call;
            second: Const1; BranchIf @third; Const0; Push; Closure 0 @g; MakeBlock2 1; Branch @call;
            third: {other}
            call: Push; Const0; PushAcc1; GetField0; Apply1; Stop;
            f: Acc0; Return 1;
            g: Acc0; Return 1"
        )
    };
    for (other, certain) in [
        ("Const0;", true),
        ("Atom 3;", true),
        ("GetGlobal 11;", false),
        ("Const0; CCall1 2;", false),
    ] {
        assert_eq!(certain_calls(&code(other)), [certain], "{other}");
    }
    let words = assemble(&code("Const0;"));
    let entries = check(&words).expect("well-formed");
    let found = find(&words, &entries, CodePointers::Stay, &NoFacts);
    assert_eq!(found.calls[0].entries.len(), 2);
    assert_eq!(found.certain_callee()(found.calls[0].call), None);
}

/// A partial application that waits for more than it gets is called as well.
#[test]
fn partial_applications_that_wait_for_others_leave_nothing_certain() {
    let code = |arguments: &str| {
        format!(
            "Const0; BranchIf @other; Closure 0 @f; Branch @call;
            other: {arguments} Closure 0 @g; Apply1;
            call: Push; Const0; PushAcc1; Apply1; Stop;
            f: Acc0; Return 1;
            Restart; g: Grab 2; Acc0; Return 3"
        )
    };
    let words = assemble(&code("Const0; Push;"));
    let entries = check(&words).expect("well-formed");
    let found = find(&words, &entries, CodePointers::Stay, &NoFacts);
    let certainty = found.calls.iter().map(|hint| hint.certainty);
    let certainty: Vec<_> = certainty.collect();
    assert_eq!(certainty, [Certainty::Certain, Certainty::Guessed]);
}

#[test]
fn handlers_know_what_the_body_does_not_assign() {
    let code = |body: &str| {
        format!(
            "Closure 0 @f; Push; PushTrap @handler; {body} PopTrap; Branch @after;
            handler: Const0; after: Const0; PushAcc1; Apply1; Stop;
            f: Acc0; Return 1"
        )
    };
    assert_eq!(certain_calls(&code("Const0; Raise;")), [true]);
    assert_eq!(certain_calls(&code("Const0;")), [true]);
    assert_eq!(certain_calls(&code("GetGlobal 11; Assign 4;")), [false]);
    let inner = "PushTrap @inner; GetGlobal 11; Assign 8; PopTrap; inner:";
    assert_eq!(certain_calls(&code(inner)), [false]);
}

/// By call, the cells whose code it may be that is called, counted from the first function's entry.
fn callees(text: &str) -> Vec<Vec<usize>> {
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let first = entries[1].position;
    let facts = SomeFacts { is_closed: true };
    let found = find(&words, &entries, CodePointers::Stay, &facts).calls;
    let relative = |hint: Hint| hint.entries.iter().map(|at| at - first).collect();
    found.into_iter().map(relative).collect()
}

#[test]
fn partial_applications_are_callees_by_their_restart() {
    // The program gives f one argument after the other, the last two at once.
    let text = "Closure 0 @f; Push; Const0; PushAcc1; Apply1; Push; Const0; PushAcc1; Apply1; Push;
        Const0; Push; Const0; PushAcc2; Apply2; Stop;
        Restart; f: Grab 3; Acc0; Return 4";
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let f = entries[1].position;
    let found = find(&words, &entries, CodePointers::Stay, &NoFacts);
    // The second call gives a partial application no more than some of what it waits for.
    let [first, last] = &found.calls[..] else {
        panic!("two calls are known: {:?}", found.calls)
    };
    assert_eq!(
        (&first.entries[..], &last.entries[..]),
        (&[f][..], &[f - 1][..])
    );
    assert_eq!([first.certainty, last.certainty], [Certainty::Certain; 2]);
    assert!(found.partial.contains(&(f, 3)) && found.partial.contains(&(f, 2)));
}

#[test]
fn what_a_function_returns_is_applied_to_further_arguments() {
    // f returns g, so g is given h, which it calls.
    let text = "Closure 0 @h; Push; Const0; Push; Closure 0 @f; Apply2; Stop;
        f: Closure 0 @g; Return 1;
        g: Const0; PushAcc1; Apply1; Return 1;
        h: Acc0; Return 1";
    assert_eq!(callees(text), [[0], [10]]);
}

#[test]
fn fields_of_a_few_blocks_are_followed() {
    // h applies the first field of what it is given, once a block with f, once one with g.
    let functor = "Closure 0 @f; MakeBlock1 0; Push; Closure 0 @g; MakeBlock1 0; Push;
        Closure 0 @h; Push; Acc2; PushAcc1; Apply1; Acc1; PushAcc1; Apply1; Stop;
        f: Acc0; Return 1;
        g: Acc0; Return 1;
        h: Const0; PushAcc1; GetField0; Apply1; Return 1";
    assert_eq!(callees(functor), [vec![6], vec![6], vec![0, 3]]);
    let array = "Closure 0 @f; Push; Closure 0 @g; MakeBlock2 0; Push;
        Const0; Push; Const0; PushAcc2; GetVectItem; Apply1; Stop;
        f: Acc0; Return 1;
        g: Acc0; Return 1";
    assert_eq!(callees(array), [[0, 3]]);
    // The same by primitives.
    let array = "Closure 0 @f; Push; Closure 0 @g; MakeBlock1 0; Push;
        Acc1; Push; Const0; PushAcc2; CCall3 8;
        Const0; Push; Const0; PushAcc2; CCall2 3; Apply1; Stop;
        f: Acc0; Return 1;
        g: Acc0; Return 1";
    assert_eq!(callees(array), [[0, 3]]);
}

#[test]
fn what_is_assigned_to_a_field_is_followed() {
    let reference = "Closure 0 @f; MakeBlock1 0; Push; Closure 0 @g; PushAcc1; SetField0;
        Const0; PushAcc1; GetField0; Apply1; Stop;
        f: Acc0; Return 1;
        g: Acc0; Return 1";
    assert_eq!(callees(reference), [[0, 3]]);
}

/// Each function returns one of two, so there are as many ways as sequences of them.
#[test]
fn long_applications_are_followed_once_for_each_argument() {
    let arguments = "Push; Const0; ".repeat(60);
    let text = format!(
        "ClosureRec 2 0 @f @g; {arguments} PushAcc 60; Apply 60; Stop;
        f: Acc0; BranchIf @g_of_f; OffsetClosure0; Return 1; g_of_f: OffsetClosure3; Return 1;
        g: Acc0; BranchIf @f_of_g; OffsetClosure0; Return 1; f_of_g: OffsetClosureM3; Return 1"
    );
    assert_eq!(callees(&text), [[0]]);
}
