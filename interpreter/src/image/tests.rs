//! Malformed files: each is a typed error with a place, none a panic.

use super::assemble::{GLOBALS, PRIMITIVES, assemble, executable, run, sections};
use super::hints::{CodePointers, Loaded};
use super::verify::Limits;
use super::{hints, parse, verify};
use crate::code::error::{CodeProblem, ImageError};
use crate::code::{Certainty, Entry};

fn check(code: &[i32]) -> Result<Vec<Entry>, ImageError> {
    let limits = Limits {
        parameters: 0,
        globals: GLOBALS,
        primitives: PRIMITIVES.len(),
        rewritten: false,
        primitive_arity: &|index| {
            *[Some(6), Some(1), None, Some(2)]
                .get(index)
                .unwrap_or(&Some(1))
        },
    };
    Ok(verify::verify(code, &limits)?.entries)
}

/// Where the program is malformed, and why.
fn problem(text: &str) -> (usize, CodeProblem) {
    match check(&assemble(text)) {
        Err(ImageError::Code { position, problem }) => (position, problem),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn functions_are_found() {
    let entries = check(&assemble(
        "Closure 0 @g; Push; Closure 0 @f; Stop; f: Acc0; Return 1; \
         Restart; g: Grab 1; Acc1; Return 2",
    ));
    let expected = [
        Entry {
            position: 0,
            arity: 0,
            end: 8,
        },
        Entry {
            position: 8,
            arity: 1,
            end: 11,
        },
        Entry {
            position: 12,
            arity: 2,
            end: 17,
        },
    ];
    assert_eq!(entries, Ok(expected.to_vec()));
}

#[test]
fn words_that_are_no_instructions() {
    assert_eq!(
        check(&[149]),
        Err(ImageError::Code {
            position: 0,
            problem: CodeProblem::Opcode(149)
        })
    );
    assert_eq!(
        check(&[-1]),
        Err(ImageError::Code {
            position: 0,
            problem: CodeProblem::Opcode(-1)
        })
    );
    assert_eq!(
        check(&[]),
        Err(ImageError::Code {
            position: 0,
            problem: CodeProblem::End
        })
    );
    assert_eq!(problem("Const0"), (1, CodeProblem::End));
    assert_eq!(problem("ConstInt"), (0, CodeProblem::End));
    assert_eq!(problem("Const0; Switch 196608 1"), (1, CodeProblem::End));
    assert_eq!(problem("ClosureRec 1000000 0"), (0, CodeProblem::End));
    assert_eq!(
        problem("ClosureRec -1 0"),
        (0, CodeProblem::OperandRange(-1))
    );
}

#[test]
fn operands() {
    assert_eq!(
        problem("GetGlobal 16; Stop"),
        (0, CodeProblem::OperandRange(16))
    );
    assert_eq!(
        problem("SetGlobal -1; Stop"),
        (0, CodeProblem::OperandRange(-1))
    );
    assert_eq!(
        problem("MakeBlock1 256; Stop"),
        (0, CodeProblem::OperandRange(256))
    );
    assert_eq!(
        problem("MakeBlock 0 0; Stop"),
        (0, CodeProblem::OperandRange(0))
    );
    assert_eq!(problem("CCall1 8; Stop"), (0, CodeProblem::OperandRange(8)));
    assert_eq!(
        problem("CCall1 3; Stop"),
        (0, CodeProblem::PrimitiveArity(3))
    );
    assert_eq!(
        problem("Push; Acc 1; Stop"),
        (1, CodeProblem::OperandRange(1))
    );
    assert_eq!(problem("Acc0; Stop"), (0, CodeProblem::StackUnderflow));
    assert_eq!(problem("PushAcc1; Stop"), (0, CodeProblem::StackUnderflow));
}

#[test]
fn jumps() {
    assert_eq!(problem("Branch 100"), (0, CodeProblem::JumpRange(101)));
    assert_eq!(problem("Branch -2"), (0, CodeProblem::JumpRange(-1)));
    assert_eq!(
        problem("ConstInt 99; BranchIf -2; Stop"),
        (1, CodeProblem::JumpInside)
    );
    assert_eq!(
        problem("BranchIf 2; ConstInt 99; Stop"),
        (3, CodeProblem::JumpInside)
    );
}

#[test]
fn stacks() {
    assert_eq!(problem("Pop 1; Stop"), (0, CodeProblem::StackUnderflow));
    assert_eq!(problem("AddInt; Stop"), (0, CodeProblem::StackUnderflow));
    assert_eq!(
        problem("Const0; BranchIf @a; Push; a: Stop").1,
        CodeProblem::StackMismatch
    );
    assert_eq!(problem("a: Push; Branch @a").1, CodeProblem::StackMismatch);
    let function = |body: &str| problem(&format!("Closure 0 @f; Stop; f: {body}")).1;
    assert_eq!(function("Acc0; Return 2"), CodeProblem::StackLeft);
    assert_eq!(function("Push; Return 1"), CodeProblem::StackLeft);
    assert_eq!(
        function("Push; Push; Acc1; AppTerm1 2"),
        CodeProblem::StackLeft
    );
    assert_eq!(problem("Return 0"), (0, CodeProblem::StackLeft));
}

#[test]
fn trap_frames() {
    assert_eq!(problem("PopTrap; Stop"), (0, CodeProblem::StackUnderflow));
    assert_eq!(
        problem("Push; Push; Push; Push; PopTrap; Stop"),
        (4, CodeProblem::TrapFrame)
    );
    assert_eq!(
        problem("PushTrap @h; Pop 1; h: Stop"),
        (2, CodeProblem::TrapFrame)
    );
    assert_eq!(
        problem("PushTrap @h; Push; PopTrap; h: Stop"),
        (3, CodeProblem::TrapFrame)
    );
    assert_eq!(
        problem("PushTrap @h; Assign 3; h: Stop"),
        (2, CodeProblem::OperandRange(3))
    );
    assert_eq!(
        problem("Closure 0 @f; Stop; f: PushTrap @h; Return 5; h: Return 1").1,
        CodeProblem::StackLeft
    );
}

#[test]
fn entries() {
    assert_eq!(problem("Push; Grab 1; Stop").1, CodeProblem::Entry);
    assert_eq!(problem("Restart; Stop").1, CodeProblem::Entry);
    assert_eq!(
        problem("Closure 0 @f; Stop; f: Grab 1; Return 2").1,
        CodeProblem::Entry
    );
    assert_eq!(
        problem("Closure 0 @f; Stop; f: Apply1; Return 0").1,
        CodeProblem::Entry
    );
    assert_eq!(
        problem("Closure 0 @f; Stop; Restart; f: Grab 8388606; Return 8388607").1,
        CodeProblem::Arity(8_388_607)
    );
    assert_eq!(
        problem("Closure 0 @f; Branch @f; f: Const0; Stop").1,
        CodeProblem::Shared
    );
}

#[test]
fn files_without_a_program() {
    let parse = |file: &[u8]| parse::executable(file).expect_err("malformed");
    assert_eq!(parse(b""), ImageError::NoTrailer);
    assert_eq!(
        parse(b"#!/bin/sh\necho a script that is long enough\n"),
        ImageError::NoTrailer
    );
    let mut other = executable(&assemble("Stop"));
    other.truncate(other.len() - 1);
    other.push(b'1');
    assert_eq!(parse(&other), ImageError::Magic(*b"Caml1999X031"));
    assert_eq!(
        parse(&sections(&[("CODE", &[]), ("DATA", &[])])),
        ImageError::Missing { section: "PRIM" }
    );
    let odd = sections(&[("CODE", &[1, 2, 3]), ("DATA", &[]), ("PRIM", &[])]);
    assert_eq!(parse(&odd), ImageError::OddCode { length: 3 });
}

#[test]
fn truncated_files() {
    let whole = executable(&assemble("Const0; Stop"));
    for cut in 1..whole.len() - 44 {
        // The front is missing, so a section begins before the file does.
        assert!(
            matches!(
                parse::executable(&whole[cut..]),
                Err(ImageError::Truncated { .. })
            ),
            "{cut} bytes cut"
        );
    }
    let mut table = b"\xff\xff\xff\xff".to_vec();
    table.extend_from_slice(parse::MAGIC);
    assert!(matches!(
        parse::executable(&table),
        Err(ImageError::Truncated { .. })
    ));
}

#[test]
fn changed_words_never_panic() {
    let program =
        "Closure 0 @f; Push; Const0; Push; PushTrap @h; Const1; PopTrap; Switch 65538 @a @b @b;
        a: Const2; PushAcc2; Apply1; b: Stop; h: Stop; Restart; g: Grab 1; Acc1; Return 2;
        f: Push; Closure 1 @g; PushConst2; PushAcc1; AppTerm1 4";
    let words = assemble(program);
    assert!(check(&words).is_ok());
    for place in 0..words.len() {
        for value in (-3..152).chain([255, 65_535, i32::MAX, i32::MIN]) {
            let mut changed = words.clone();
            changed[place] = value;
            if let Ok(entries) = check(&changed) {
                hints::find(&changed, &entries, CodePointers::Stay);
            }
        }
    }
}

/// Case 3010584 of an earlier version: the loader panicked at the primitive.
#[test]
fn code_that_nothing_leads_to_may_name_anything() {
    let dead = "dead: CheckSignals; CCall1 65; GetGlobal 100000000; Branch @dead";
    assert_eq!(
        run(&format!("Const1; Branch @end; {dead}; end: Stop")),
        Ok(1)
    );
    let dead = "GetGlobal -1; PushGetGlobal -100000; Pop 1";
    assert_eq!(run(&format!("Const2; Stop; {dead}; Stop")), Ok(2));
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
    let found = hints::find(&words, &entries, CodePointers::Stay).calls;
    let callees: Vec<usize> = found
        .iter()
        .map(|hint| {
            entries
                .iter()
                .position(|entry| entry.position == hint.entry)
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
        let found = hints::find(words, &entries, pointers).calls.into_iter();
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
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let found = hints::find(&words, &entries, CodePointers::Stay)
        .calls
        .into_iter();
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
    assert_eq!(certain_calls(&code("Const0;")), [false]);
}

#[test]
fn fields_of_modules_are_certain_and_other_fields_are_not() {
    let code = |fields: &str| {
        format!(
            "Closure 0 @f; MakeBlock1 0; SetGlobal 12; Const0; {fields} Apply1; Stop;
            f: Acc0; Return 1"
        )
    };
    assert_eq!(certain_calls(&code("PushGetGlobalField 12 0;")), [true]);
    assert_eq!(
        certain_calls(&code("PushGetGlobal 12; GetField0;")),
        [false]
    );
    // A global that comes with the file.
    assert_eq!(certain_calls(&code("PushGetGlobalField 11 0;")), []);
}

/// What is certain of what instructions load, in their order.
fn loads(text: &str) -> Vec<Loaded> {
    let words = assemble(text);
    let entries = check(&words).expect("well-formed");
    let found = hints::find(&words, &entries, CodePointers::Stay).loads;
    found.into_iter().map(|(_, loaded)| loaded).collect()
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
    assert_eq!(certain_calls(&code("Const0;")), [false]);
    assert_eq!(certain_calls(&code("Closure 0 @g;")), []);
}

#[test]
fn handlers_know_nothing_for_certain() {
    let text = "Closure 0 @f; Push; PushTrap @handler; Const0; Assign 4; PopTrap; Stop;
        handler: Const0; PushAcc1; Apply1; Stop;
        f: Acc0; Return 1";
    assert_eq!(certain_calls(text), [false]);
}

#[test]
fn two_callees_are_no_guess() {
    let words = assemble(
        "Const0; BranchIf @a; Closure 0 @f; Branch @b;
        a: Closure 0 @g; b: Push; Const0; PushAcc1; Apply1; Stop;
        f: Acc0; Return 1; g: Acc0; Return 1",
    );
    let entries = check(&words).expect("well-formed");
    assert_eq!(hints::find(&words, &entries, CodePointers::Stay).calls, []);
}

#[test]
fn the_table_of_primitives_has_an_end() {
    let names = vec![&b"caml_exit"[..]; super::bind::MAX_PRIMITIVES + 1];
    let error = super::bind::bind(&names, std::iter::empty())
        .err()
        .expect("it does not fit");
    assert_eq!(error, ImageError::TooManyPrimitives { count: names.len() });
}
