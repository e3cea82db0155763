//! Execution of lifted WebAssembly against results known from its specification.

use super::*;
use crate::ir::{Func, Generic, generic};
use crate::module::Module;
use crate::{lift, verify};

/// A module all of whose functions are lifted, calling each other.
struct Program {
    functions: Map<Func, generic::Function>,
}

impl Program {
    fn new(wat: &str) -> Self {
        let bytes = wat::parse_str(wat).expect("valid text");
        let module = Module::parse(&bytes).expect("a module");
        let lifted = (0..module.functions.len()).map(|index| {
            let function = lift::function(&module, Func(index as u32)).expect("it lifts");
            verify::generic(&function, &module).expect("the lifter keeps the rules");
            function
        });
        Self {
            functions: lifted.collect(),
        }
    }
}

impl Host for Program {
    fn call(
        &mut self,
        state: &mut State,
        callee: Callee,
        args: &[Const],
    ) -> Result<Option<Const>, Stop> {
        let Callee::Direct(func) = callee else {
            return Err(Stop::Call("indirect"));
        };
        let function = self.functions[func].clone();
        run(&function, args, state, self)
    }

    fn address(&mut self, _: Symbol) -> u32 {
        unreachable!("generic code has no symbols")
    }
}

/// Calls the module's first function.
fn call(wat: &str, args: &[Const]) -> Result<Option<Const>, Stop> {
    let mut state = State::new(PAGE, vec![Const::I32(0)], 10_000);
    Program::new(wat).call(&mut state, Callee::Direct(Func(0)), args)
}

#[test]
fn recursion() {
    let fibonacci = "(module (func $fib (param i32) (result i32)
        (if (result i32) (i32.lt_s (local.get 0) (i32.const 2))
            (then (local.get 0))
            (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1)))
                           (call $fib (i32.sub (local.get 0) (i32.const 2))))))))";
    assert_eq!(
        call(fibonacci, &[Const::I32(12)]),
        Ok(Some(Const::I32(144)))
    );
}

#[test]
fn swapped_loop_variables() {
    // The arguments of the back edge are a permutation of the parameters.
    let swap =
        "(module (func (param $n i32) (param $a i32) (param $b i32) (result i32) (local $t i32)
        (loop $again
            (local.set $t (local.get $a))
            (local.set $a (local.get $b))
            (local.set $b (local.get $t))
            (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (i32.sub (local.get $a) (local.get $b))))";
    let args = |n| [Const::I32(n), Const::I32(10), Const::I32(3)];
    assert_eq!(call(swap, &args(1)), Ok(Some(Const::I32(-7))));
    assert_eq!(call(swap, &args(2)), Ok(Some(Const::I32(7))));
}

#[test]
fn switches() {
    let switch = "(module (func (param i32) (result i32)
        (block (block (block (br_table 0 1 2 (local.get 0))) (return (i32.const 10)))
            (return (i32.const 20)))
        (i32.const 30)))";
    for (index, result) in [(0, 10), (1, 20), (2, 30), (-1, 30)] {
        assert_eq!(
            call(switch, &[Const::I32(index)]),
            Ok(Some(Const::I32(result)))
        );
    }
}

#[test]
fn memory() {
    let memory = "(module (memory 1) (func (param i32) (result i64)
        (i64.store offset=8 (local.get 0) (i64.const 0x8081828384858687))
        (memory.copy (i32.const 100) (i32.add (local.get 0) (i32.const 8)) (i32.const 8))
        (memory.fill (i32.const 104) (i32.const 0x1ff) (i32.const 2))
        (i64.load32_s offset=4 (i32.const 100))))";
    assert_eq!(
        call(memory, &[Const::I32(0)]),
        Ok(Some(Const::I64(0xffff_ffff_8081_ffff_u64 as i64)))
    );
    assert_eq!(call(memory, &[Const::I32(-8)]), Err(Stop::OutOfBounds));
}

#[test]
fn cells_are_memory_and_hints_are_nothing() {
    let wat = r#"(module
        (func (param i32) (result i64)
            (i64.store (local.get 0) (i64.const 5))
            (i64.load (local.get 0))))"#;
    let cells = "function(i32) -> i64 {
        bb0(g0: i32):
            g1: i64 = i64.const 5
            context.update g0
            cells.write g0, g1
            cells.sync
            g2: i32 = specialize.active
            g3: i32 = specialize.value g0, g2, g2
            cells.invalidate
            g4: i64 = cells.read g3
            return g4
        }";
    let function = crate::text::parse::<Generic>(cells).expect("it parses");
    let mut state = State::new(16, vec![], 10);
    assert_eq!(
        run(&function, &[Const::I32(8)], &mut state, &mut NoHost),
        call(wat, &[Const::I32(8)])
    );
    assert_eq!(state.memory[8], 5);
}

#[test]
fn traps_and_fuel() {
    assert_eq!(call("(module (func (loop (br 0))))", &[]), Err(Stop::Fuel));
    assert_eq!(
        call("(module (func (unreachable)))", &[]),
        Err(Stop::Unreachable)
    );
    let divide = "(module (func (param i32) (drop (i32.div_u (i32.const 1) (local.get 0)))))";
    assert_eq!(call(divide, &[Const::I32(0)]), Err(Stop::Arithmetic));
    assert_eq!(call(divide, &[Const::I32(1)]), Ok(None));
}

#[test]
fn tail_calls() {
    let even = "(module
        (func $even (param i32) (result i32)
            (if (i32.eqz (local.get 0)) (then (return (i32.const 1))))
            (return_call $odd (i32.sub (local.get 0) (i32.const 1))))
        (func $odd (param i32) (result i32)
            (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
            (return_call $even (i32.sub (local.get 0) (i32.const 1)))))";
    assert_eq!(call(even, &[Const::I32(9)]), Ok(Some(Const::I32(0))));
}
