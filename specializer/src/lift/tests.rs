//! Lifting by example, and of random programs.

use expect_test::{Expect, expect};
use fastrand::Rng;

use crate::exec::{self, NoHost, State};
use crate::ir::{Func, Generic};
use crate::lift::{Reason, Unsupported, programs};
use crate::module::Module;
use crate::op::Const;
use crate::{text, verify};

/// Lifts the first function that is not imported.
fn check(wat: &str, expected: Expect) {
    let bytes = wat::parse_str(wat).expect("valid text");
    let module = Module::parse(&bytes).expect("a module");
    let first = u32::try_from(module.imports.len()).expect("few imports");
    let text = match super::function(&module, Func(first)) {
        Ok(function) => function.to_string(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&text);
}

#[test]
fn straight_line() {
    check(
        "(module (func (param i32 i64) (result i64)
            (i64.add (local.get 1) (i64.extend_i32_u (local.get 0)))))",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(g0: i32, g1: i64):
                g2: i64 = i64.extend_i32_u g0
                g3: i64 = i64.add g1, g2
                return g3
            }
        "#]],
    );
}

#[test]
fn a_loop_carries_only_live_locals() {
    check(
        "(module (func (param $n i32) (param $dead i64) (result i32)
            (local $sum i32) (local $never i32)
            (loop $again
                (local.set $sum (i32.add (local.get $sum) (local.get $n)))
                (local.tee $n (i32.sub (local.get $n) (i32.const 1)))
                (br_if $again))
            (local.get $sum)))",
        expect![[r#"
            function(i32, i64) -> i32 {
            bb0(g0: i32, g1: i64):
                g8: i32 = i32.const 0
                jump bb1(g0, g8)
            bb1(g3: i32, g2: i32):
                g4: i32 = i32.add g2, g3
                g5: i32 = i32.const 1
                g6: i32 = i32.sub g3, g5
                branch g6 ? bb1(g6, g4) : bb2(g4)
            bb2(g7: i32):
                return g7
            }
        "#]],
    );
}

#[test]
fn an_if_without_else_needs_no_block_for_it() {
    check(
        "(module (func (param i32) (result i32)
            (if (local.get 0) (then (local.set 0 (i32.const 7))))
            (local.get 0)))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                branch g0 ? bb1() : bb2(g0)
            bb1():
                g1: i32 = i32.const 7
                jump bb2(g1)
            bb2(g2: i32):
                return g2
            }
        "#]],
    );
}

#[test]
fn values_below_a_block_stay_on_the_stack() {
    check(
        "(module (func (param i32 i64) (result i64)
            (local.get 1)
            (if (result i64) (local.get 0) (then (i64.const 1)) (else (i64.const 2)))
            (i64.add)))",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(g0: i32, g1: i64):
                branch g0 ? bb1(g1) : bb2(g1)
            bb1(g2: i64):
                g4: i64 = i64.const 1
                jump bb3(g2, g4)
            bb2(g3: i64):
                g7: i64 = i64.const 2
                jump bb3(g3, g7)
            bb3(g5: i64, g6: i64):
                g8: i64 = i64.add g5, g6
                return g8
            }
        "#]],
    );
}

#[test]
fn switches_cut_the_stack() {
    check(
        "(module (func (param i32) (result i32)
            (block $a (result i32) (block $b (result i32) (i32.const 9)
                (i32.const 10) (br_table $a $b $a (local.get 0)))
             (i32.add (i32.const 1)))
            ))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                g1: i32 = i32.const 9
                g2: i32 = i32.const 10
                switch g0 [bb2(g2), bb1(g2)] default bb2(g2)
            bb1(g4: i32):
                g5: i32 = i32.const 1
                g6: i32 = i32.add g4, g5
                jump bb2(g6)
            bb2(g3: i32):
                return g3
            }
        "#]],
    );
}

#[test]
fn unreachable_code_is_dropped() {
    check(
        "(module (func (param i32) (result i32)
            (block (br 0) (loop (if (i32.const 1) (then (br 1)) (else (drop)))))
            (block (br 0) (try_table (nop)))
            (return (local.get 0))
            (i32.add)))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                jump bb1(g0)
            bb1(g1: i32):
                return g1
            }
        "#]],
    );
}

#[test]
fn branches_to_the_function_return() {
    check(
        "(module (func (param i32) (result i32)
            (br_if 0 (i32.const 5) (local.get 0)) (drop)
            (if (local.get 0) (then (br 1 (i32.const 6))))
            (i32.const 7)))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                g1: i32 = i32.const 5
                branch g0 ? bb1(g1) : bb2(g1, g0)
            bb1(g2: i32):
                return g2
            bb2(g3: i32, g4: i32):
                branch g4 ? bb3() : bb4()
            bb3():
                g5: i32 = i32.const 6
                return g5
            bb4():
                g6: i32 = i32.const 7
                return g6
            }
        "#]],
    );
}

#[test]
fn endless_loops() {
    check(
        "(module (func (loop (loop (br 1)))))",
        expect![[r#"
        function() {
        bb0():
            jump bb1()
        bb1():
            jump bb1()
        }
    "#]],
    );
}

#[test]
fn calls_and_intrinsics() {
    check(
        r#"(module
            (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
            (import "bactrian" "context.update" (func $update (param i32)))
            (import "host" "print" (func $print (param i64)))
            (type $entry (func (param i32 i64) (result i64)))
            (table 1 funcref)
            (func (param i32 i64) (result i64)
                (call $update (local.get 0))
                (call $print (call $read (local.get 0)))
                (drop (call_indirect (type $entry) (local.get 0) (local.get 1) (i32.const 3)))
                (return_call_indirect (type $entry) (local.get 0) (local.get 1) (i32.const 4))))"#,
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(g0: i32, g1: i64):
                context.update g0
                g2: i64 = cells.read g0
                call fn2 g2
                g3: i32 = i32.const 3
                g4: i64 = call_indirect sig0 t0 g0, g1, g3
                g5: i32 = i32.const 4
                tail_call_indirect sig0 t0 g0, g1, g5
            }
        "#]],
    );
}

#[test]
fn memory_and_globals() {
    check(
        "(module (memory 1) (global $g (mut i32) (i32.const 0))
            (func (param i32) (result i32)
                (global.set $g (i32.load8_s offset=5 (local.get 0)))
                (i64.store32 offset=8 (local.get 0) (i64.const -1))
                (memory.fill (local.get 0) (i32.const 0) (memory.size))
                (select (global.get $g) (memory.grow (i32.const 1)) (local.get 0))))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                g1: i32 = i32.load8_s offset=5 g0
                global.set global0 g1
                g2: i64 = i64.const -1
                i64.store32 offset=8 g0, g2
                g3: i32 = i32.const 0
                g4: i32 = memory.size
                memory.fill g0, g3, g4
                g5: i32 = global.get global0
                g6: i32 = i32.const 1
                g7: i32 = memory.grow g6
                g8: i32 = select g5, g7, g0
                return g8
            }
        "#]],
    );
}

#[test]
fn memories_above_the_first() {
    check(
        "(module (memory 1) (memory $m 1) (memory $n 1)
            (func (param i32)
                (i64.store $n offset=8 (local.get 0) (i64.load16_s $m (local.get 0)))
                (memory.fill $m (local.get 0) (memory.size $n) (memory.grow $m (local.get 0)))
                (memory.copy $m 0 (local.get 0) (local.get 0) (local.get 0))
                (memory.copy 0 $n (local.get 0) (local.get 0) (local.get 0))))",
        expect![[r#"
            function(i32) {
            bb0(g0: i32):
                g1: i64 = i64.load16_s memory=1 g0
                i64.store memory=2 offset=8 g0, g1
                g2: i32 = memory.size memory=2
                g3: i32 = memory.grow memory=1 g0
                memory.fill memory=1 g0, g2, g3
                memory.copy memory=1 from=0 g0, g0, g0
                memory.copy memory=0 from=2 g0, g0, g0
                return
            }
        "#]],
    );
}

#[test]
fn unsupported_functions_say_why() {
    check(
        "(module (func (result i32 i32) (i32.const 1) (i32.const 2)))",
        expect![
            "the interpreter's function fn0 cannot be specialized: offset 0x18: types other than \
             i32, i64, f32 and f64, or several results"
        ],
    );
    check(
        "(module (func (drop (ref.null func))))",
        expect![
            "the interpreter's function fn0 cannot be specialized: offset 0x17: operator RefNull { \
             hty: Abstract { shared: false, ty: Func } } of proposal `reference_types`"
        ],
    );
    check(
        r#"(module (import "bactrian" "cells.reed" (func (param i32)))
            (func (call 0 (i32.const 1))))"#,
        expect![
            "the interpreter's function fn1 cannot be specialized: offset 0x36: there is no \
             intrinsic `cells.reed` with this signature"
        ],
    );
}

#[test]
fn random_programs_compute_what_they_should() {
    for seed in crate::random::cases(400) {
        let mut random = Rng::with_seed(seed);
        let program = programs::random(&mut random);
        let bytes = wat::parse_str(program.wat()).expect("valid text");
        wasmparser::validate(&bytes).expect("valid by construction");
        let module = Module::parse(&bytes).expect("a module");
        let function = super::function(&module, Func(0)).expect("it lifts");
        verify::generic(&function, &module).expect("the lifter keeps the rules");
        for args in [[0, 0], [1, 5], [-3, 2]] {
            let expected = program.run(args[0], args[1]);
            let mut state = State::new(0, vec![], 100_000);
            let found = exec::run(&function, &args.map(Const::I32), &mut state, &mut NoHost);
            assert_eq!(
                found,
                Ok(Some(Const::I32(expected))),
                "seed {seed}, {args:?}:\n{function}"
            );
        }
        let printed = function.to_string();
        let parsed = text::parse::<Generic>(&printed).expect("what is printed parses");
        assert_eq!(parsed.to_string(), printed);
    }
}

/// Blocks pass on what lives on: with many of both, too much.
#[test]
fn functions_of_many_blocks_and_many_locals_are_refused() {
    let locals = 4_000;
    let writes: String = (0..locals)
        .map(|n| format!("(local.set {n} (local.get 0))"))
        .collect();
    let reads: String = (0..locals)
        .map(|n| format!("(drop (local.get {n}))"))
        .collect();
    let locals = " i32".repeat(locals);
    for (blocks, is_lifted) in [(10, true), (2_000, false)] {
        let branches = "(if (local.get 0) (then (local.set 0 (i32.const 1))))".repeat(blocks);
        let text = format!("(module (func (local{locals}) {writes} {branches} {reads}))");
        let bytes = wat::parse_str(text).expect("valid text");
        let module = Module::parse(&bytes).expect("a module");
        let lifted = super::function(&module, Func(0));
        assert_eq!(lifted.is_ok(), is_lifted);
        let is_told = |refused: Unsupported| {
            refused.can_stay_generic() && matches!(refused.reason, Reason::Values(_))
        };
        assert!(lifted.err().is_none_or(is_told));
    }
}

/// Each label leads to the next one, and all to the end; one leads back to itself.
#[test]
fn rows_of_jumps_are_jumped_over() {
    check(
        "(module (func (param i32) (result i32)
            (block $out
                (block (block (block
                    (br_table 0 1 2 $out (local.get 0))))))
            (loop $again (br_if $again (local.get 0)) (loop $for_ever (br $for_ever)))
            (i32.const 1)))",
        expect![[r#"
            function(i32) -> i32 {
            bb0(g0: i32):
                switch g0 [bb1(g0), bb1(g0), bb1(g0)] default bb1(g0)
            bb1(g1: i32):
                branch g1 ? bb1(g1) : bb2()
            bb2():
                jump bb2()
            }
        "#]],
    );
}

/// A tail call of an intrinsic is that, and a return.
#[test]
fn tail_calls_of_intrinsics_are_intrinsics() {
    check(
        r#"(module
            (import "bactrian" "value.nonzero" (func $nonzero (param i64) (result i64)))
            (func (param i64) (result i64) (return_call $nonzero (local.get 0))))"#,
        expect![[r#"
            function(i64) -> i64 {
            bb0(g0: i64):
                g1: i64 = value.nonzero g0
                return g1
            }
        "#]],
    );
}
