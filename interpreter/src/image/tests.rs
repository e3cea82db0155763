//! Malformed files: each is a typed error with a place, none a panic.

use super::assemble::{GLOBALS, PRIMITIVES, assemble, executable, run, sections};
use super::hints::CodePointers;
use super::hints::tests::NoFacts;
use super::verify::Limits;
use super::{hints, parse, verify};
use crate::code::Entry;
use crate::code::error::{CodeProblem, ImageError};

pub fn check(code: &[i32]) -> Result<Vec<Entry>, ImageError> {
    let limits = Limits {
        parameters: 0,
        globals: GLOBALS,
        primitives: PRIMITIVES.len(),
        rewritten: false,
        primitive_arity: &|index| match index {
            0 => Some(6),
            2 => None,
            3 => Some(2),
            8 => Some(3),
            _ => Some(1),
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
    assert_eq!(problem("CCall1 9; Stop"), (0, CodeProblem::OperandRange(9)));
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
                hints::find(&changed, &entries, CodePointers::Stay, &NoFacts);
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
fn the_table_of_primitives_has_an_end() {
    let names = vec![&b"caml_exit"[..]; super::bind::MAX_PRIMITIVES + 1];
    let error = super::bind::bind(&names, std::iter::empty())
        .err()
        .expect("it does not fit");
    assert_eq!(error, ImageError::TooManyPrimitives { count: names.len() });
}
