//! Hand-assembled programs: instructions that ocamlc does not emit, and the ways to call.

use crate::heap;
use crate::image::assemble::{assemble, run, with_loaded};
use crate::image::bind;
use crate::raise::Predefined;
use crate::start::run_loaded;
use crate::testing::start_machine;
use crate::value::Value;
use crate::vm::vm;

#[test]
fn env_access() {
    // Field 1 of a closure is its closure information: the environment starts at field 2.
    assert_eq!(
        run("Const1; Closure 1 @f; PushConst0; PushAcc1; Apply1; Stop; f: EnvAcc1; Return 1"),
        Ok(2)
    );
    let call = "PushConst0; PushAcc1; Apply1; Stop";
    let three = format!("Const3; PushConst2; PushConst1; Closure 3 @f; {call};");
    assert_eq!(
        run(&format!("{three} f: PushEnvAcc4; Pop 1; Return 1")),
        Ok(3)
    );
    assert_eq!(
        run(&format!("{three} f: PushEnvAcc1; Pop 1; Return 1")),
        Ok(2)
    );
    assert_eq!(
        run(&format!(
            "{three} f: EnvAcc2; PushEnvAcc4; SubInt; Return 1"
        )),
        Ok(2)
    );
}

#[test]
fn atoms() {
    assert_eq!(run("Atom 7; VectLength; Stop"), Ok(0));
    assert_eq!(run("Const2; PushAtom0; VectLength; AddInt; Stop"), Ok(2));
    assert_eq!(
        run("Const2; PushAtom 3; Switch 262144 @a @b @c @d; \
             a: Stop; b: Stop; c: Stop; d: Acc0; Stop"),
        Ok(2)
    );
}

#[test]
fn unsigned_comparisons() {
    for (top, accu, below) in [
        (1, 2, false),
        (2, 1, true),
        (1, -1, false),
        (-1, 1, true),
        (3, 3, false),
    ] {
        assert_eq!(
            run(&format!(
                "ConstInt {top}; PushConstInt {accu}; UltInt; Stop"
            )),
            Ok(below.into())
        );
        assert_eq!(
            run(&format!(
                "ConstInt {top}; PushConstInt {accu}; UgeInt; Stop"
            )),
            Ok((!below).into())
        );
    }
    let branch = |opcode: &str, operand: i64, accu: i64| {
        run(&format!(
            "ConstInt {accu}; {opcode} {operand} @yes; Const0; Stop; yes: Const1; Stop"
        ))
    };
    assert_eq!(branch("BultInt", 5, 6), Ok(1));
    assert_eq!(branch("BultInt", 6, 6), Ok(0));
    assert_eq!(branch("BultInt", 5, -1), Ok(1));
    assert_eq!(branch("BugeInt", -1, 5), Ok(1));
    assert_eq!(branch("BugeInt", 5, 6), Ok(0));
}

#[test]
fn signed_branches() {
    let branch = |opcode: &str| {
        run(&format!(
            "ConstInt 3; {opcode} -2 @yes; Const0; Stop; yes: Const1; Stop"
        ))
    };
    let taken = ["Beq", "Bneq", "BltInt", "BleInt", "BgtInt", "BgeInt"].map(branch);
    assert_eq!(taken, [Ok(0), Ok(1), Ok(1), Ok(1), Ok(0), Ok(0)]);
}

#[test]
fn float_fields() {
    // The bits of a boxed float go in and come out unchanged: here those of a tagged integer.
    let float = "ConstInt 42; MakeBlock1 253";
    let record = format!("{float}; Push; {float}; MakeFloatBlock 2");
    let program =
        format!("{record}; Push; ConstInt 7; MakeBlock1 253; PushAcc1; SetFloatField 1; Acc0; ");
    let read = |index: u32| run(&format!("{program} GetFloatField {index}; GetField0; Stop"));
    assert_eq!((read(0), read(1)), (Ok(42), Ok(7)));
}

#[test]
fn six_arguments_to_a_primitive() {
    let program =
        "Const3; PushConst2; PushConst1; PushConst3; PushConst2; PushConst1; CCallN 6 0; Stop";
    assert_eq!(run(program), Ok(123_123));
    let between = "ConstInt 9; PushConst2; PushConst1; CCallN 2 0; PushAcc0; Pop 1; AddInt; Stop";
    assert_eq!(run(between), Ok(12 + 9));
}

/// The finaliser left a request to call the primitive once more, which did, and the exception was
/// lost.
#[test]
fn what_a_finaliser_raises_after_a_primitive_is_no_failure_of_that() {
    let program = "Closure 0 @f; CCall1 5; Stop; f: Const0; CCall1 6; Const3; Raise";
    assert_eq!(run(program), Err(3));
}

#[test]
fn a_primitive_that_nothing_defines_fails_when_called() {
    assert_eq!(
        run("PushTrap @h; Const0; CCall1 2; Stop; h: GetField0; Stop"),
        Ok(Predefined::Failure as i64)
    );
    assert_eq!(run("Const1; BranchIf @end; CCall1 2; end: Stop"), Ok(1));
}

#[test]
fn what_decides_how_a_program_is_compiled_fails_when_it_is_not_reached() {
    let text = "Closure 0 @f; SetGlobal 0; PushTrap @h; Const0; CCall1 7; Const0; Stop;
        h: GetField0; Stop; f: CCall1 7; Return 1";
    let keeps_positions = |text: &str| with_loaded(assemble(text), || vm().keeps_positions.get());
    assert_eq!(run(text), Ok(0));
    assert_eq!(keeps_positions(text), 1);
    let unreached = text.replacen("CCall1 7", "CCall1 1", 1);
    assert_eq!(keeps_positions(&unreached), 0);
    // As if the search had missed the call.
    let failure = with_loaded(assemble(text), || {
        bind::take_back(7);
        run_loaded().map(Value::as_int)
    });
    assert_eq!(failure, Ok(Predefined::Failure as i64));
}

#[test]
fn division() {
    assert_eq!(run("ConstInt -2; PushConstInt 7; DivInt; Stop"), Ok(-3));
    assert_eq!(run("ConstInt -2; PushConstInt 7; ModInt; Stop"), Ok(1));
    let zero = Err(Predefined::DivisionByZero as i64);
    assert_eq!(run("ConstInt 0; PushConstInt 7; DivInt; Stop"), zero);
    assert_eq!(run("ConstInt 0; PushConstInt 7; ModInt; Stop"), zero);
    let least = "ConstInt 62; PushConst1; LslInt";
    assert_eq!(
        run(&format!("ConstInt -1; Push; {least}; DivInt; Stop")),
        Ok(-(1 << 62))
    );
    assert_eq!(
        run(&format!("ConstInt -1; Push; {least}; ModInt; Stop")),
        Ok(0)
    );
}

#[test]
fn integers_wrap_at_63_bits() {
    let least = "ConstInt 62; PushConst1; LslInt";
    assert_eq!(
        run(&format!("{least}; OffsetInt -1; Stop")),
        Ok((1 << 62) - 1)
    );
    assert_eq!(run(&format!("{least}; NegInt; Stop")), Ok(-(1 << 62)));
    assert_eq!(run(&format!("{least}; Push; Const2; MulInt; Stop")), Ok(0));
    assert_eq!(
        run("Const1; PushConstInt -8; LsrInt; Stop"),
        Ok((1 << 62) - 4)
    );
    assert_eq!(run("Const1; PushConstInt -8; AsrInt; Stop"), Ok(-4));
}

/// A program that applies a function of `arity` parameters, giving the digits 1, 2, … of its
/// arguments, to `direct` arguments, and what that gives to the others, one by one.
fn application(arity: usize, direct: usize) -> String {
    let digit = |index: usize| (index + 1) % 10;
    let general = direct > 3;
    let mut program = String::from("Closure 0 @f; Push;");
    if general {
        program += "PushRetAddr @r;";
    }
    for index in (0..direct).rev() {
        program += &format!("ConstInt {}; Push;", digit(index));
    }
    program += &format!("Acc {};", direct + if general { 3 } else { 0 });
    program += &if general {
        format!("Apply {direct}; r:")
    } else {
        format!("Apply{direct};")
    };
    for index in direct..arity {
        program += &format!("Push; ConstInt {}; PushAcc1; Apply1;", digit(index));
    }
    let entry = if arity > 1 {
        format!("Restart; f: Grab {};", arity - 1)
    } else {
        "f:".to_owned()
    };
    // All arguments are pushed again, the first is the accumulator.
    let arguments = format!("Acc {}; Push;", arity - 1).repeat(arity - 1);
    format!(
        "{program} Stop; {entry} {arguments} Acc {}; CCallN {arity} 0; Return {arity}",
        arity - 1
    )
}

#[test]
fn applications_of_every_kind() {
    for arity in [1, 2, 3, 5, 7, 8, 9] {
        let digits = (1..=arity as i64).fold(0, |number, digit| number * 10 + digit % 10);
        for direct in 1..=arity {
            assert_eq!(
                run(&application(arity, direct)),
                Ok(digits),
                "arity {arity}, {direct} at once"
            );
        }
    }
}

#[test]
fn more_arguments_than_parameters() {
    let call = "Closure 0 @f; Push; Const3; PushConst2; PushConst1; PushAcc3; Apply3; Stop;";
    let g = "Restart; g: Grab 1; Acc1; PushAcc1; SubInt; Return 2";
    assert_eq!(
        run(&format!("{call} f: Closure 0 @g; Return 1; {g}")),
        Ok(-1)
    );
    // The same from a tail call, whose frame is reused.
    let tail = "f: Const3; PushConst2; PushConst1; Push; Closure 0 @f2; AppTerm3 4; \
        f2: Closure 0 @g; Return 1";
    let call_one = "Closure 0 @f; Push; Const3; PushAcc1; Apply1; Stop;";
    assert_eq!(run(&format!("{call_one} {tail}; {g}")), Ok(-1));
    // The result of the first application raises.
    assert_eq!(run(&format!("{call} f: Acc0; Raise")), Err(1));
}

#[test]
fn tail_calls_do_not_use_the_stack() {
    // let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1)
    let program = "ClosureRec 2 0 @even @odd; ConstInt 100001; PushAcc2; Apply1; Stop;
        even: Acc0; BranchIf @e; Const1; Return 1;
            e: Acc0; OffsetInt -1; PushOffsetClosure3; AppTerm1 2;
        odd: Acc0; BranchIf @o; Const0; Return 1;
            o: Acc0; OffsetInt -1; PushOffsetClosureM3; AppTerm1 2";
    assert_eq!(run(program), Ok(0));
    // A tail call of nine arguments: f n a b c d e g h i = if n = 0 then i else f (n - 1) ...
    let push = "Acc 8; Push;".repeat(8);
    let program = format!(
        "ClosureRec 1 0 @f; PushRetAddr @r; Const1; PushConst2; PushConst3;
        PushConst1; PushConst2; PushConst3; PushConst1;
        PushConst2; PushConstInt 50000; Push; Acc 12; Apply 9; r: Stop;
        Restart; f: Grab 8; Acc0; BranchIf @more; Acc 8; Return 9;
        more: {push} Acc 8; OffsetInt -1; PushOffsetClosure0; AppTerm 9 18"
    );
    assert_eq!(run(&program), Ok(1));
}

#[test]
fn deep_recursion_overflows_the_ocaml_stack() {
    let program = "ClosureRec 1 0 @f; Const0; PushAcc1; Apply1; Stop; \
        f: Acc0; PushOffsetClosure0; Apply1; OffsetInt 1; Return 1";
    assert_eq!(run(program), Err(Predefined::StackOverflow as i64));
}

#[test]
fn handlers_nest() {
    // try (try raise 5 with x -> raise (x + 1)) with y -> y + 10
    let program =
        "PushTrap @outer; PushTrap @inner; ConstInt 5; Raise; inner: OffsetInt 1; Reraise;
        outer: OffsetInt 10; Stop";
    assert_eq!(run(program), Ok(16));
    assert_eq!(
        run(
            "PushTrap @h; Const1; PopTrap; Push; PushTrap @h2; Const3; RaiseNoTrace; \
             h: Stop; h2: AddInt; Stop"
        ),
        Ok(4)
    );
    // Through an activation that has no handler of its own.
    let program = "Const2; Push; PushTrap @h; Const3; Push; Closure 0 @f; Apply1; Stop; \
        h: AddInt; Stop; f: Acc0; Raise";
    assert_eq!(run(program), Ok(5));
    assert_eq!(run("Const3; Raise"), Err(3));
}

#[test]
fn switches() {
    let program = |scrutinee: &str| {
        run(&format!(
            "{scrutinee}; Switch 131075 @a @b @c @d @e; a: ConstInt 10; Stop; b: ConstInt 11; Stop;
            c: ConstInt 12; Stop; d: ConstInt 20; Stop; e: ConstInt 21; Stop"
        ))
    };
    let cases = [
        "Const0",
        "Const1",
        "Const2",
        "MakeBlock1 0",
        "Const3; MakeBlock1 1",
    ]
    .map(program);
    assert_eq!(cases, [Ok(10), Ok(11), Ok(12), Ok(20), Ok(21)]);
}

#[test]
fn methods_are_found_by_label() {
    // An object whose method table has the labels 20 and 40.
    let table = "ConstInt 40; PushConstInt 4; PushConstInt 20; PushConstInt 2; PushConst0; \
        PushConst2; MakeBlock 6 0";
    let object = format!("Const0; Push; {table}; MakeBlock2 248");
    let method = |label: u32| format!("{object}; GetPubMet {label} 0; Stop");
    assert_eq!((run(&method(20)), run(&method(40))), (Ok(2), Ok(4)));
    assert_eq!(
        run(&format!("{object}; Push; ConstInt 40; GetDynMet; Stop")),
        Ok(4)
    );
    assert_eq!(
        run(&format!("{object}; Push; Const3; GetMethod; Stop")),
        Ok(20)
    );
}

#[test]
fn bytes_and_references() {
    assert_eq!(
        run(
            "Const0; MakeBlock1 252; Push; ConstInt 65; PushConst2; PushAcc2; \
             SetBytesChar; Const2; PushAcc1; GetStringChar; Stop"
        ),
        Ok(65)
    );
    assert_eq!(
        run("Const3; MakeBlock1 0; Push; OffsetRef 4; Acc0; GetField0; Stop"),
        Ok(7)
    );
    assert_eq!(
        run("Const3; SetGlobal 14; GetGlobal 14; PushGetGlobal 13; AddInt; Stop"),
        Ok(16)
    );
    assert_eq!(
        run(
            "Const2; PushConst1; MakeBlock2 0; Push; ConstInt 9; PushConst1; PushAcc2; \
             SetVectItem; Const1; PushAcc1; GetVectItem; Stop"
        ),
        Ok(9)
    );
    assert_eq!(run("Const1; BoolNot; IsInt; Stop"), Ok(1));
}

/// The search once did not end when the table's first field was even, as it is in no table of an
/// object.
#[test]
fn a_search_in_what_is_no_object_ends() {
    start_machine();
    let fields = [
        Value(4),
        Value::int(0),
        Value::int(1),
        Value::int(5),
        Value::int(2),
        Value::int(9),
    ];
    let methods = heap::alloc_fields(0, &fields);
    let object = heap::alloc_fields(0, &[methods]);
    let method = super::methods::method(object.0, Value::int(7).0);
    assert_eq!(Value(method), Value::int(1));
}
