//! Tests of lowering: what is written for each shape of code, and that random functions keep their
//! meaning through lowering and lifting.

use std::collections::BTreeSet;
use std::convert::Infallible;

use fastrand::Rng;
use wasm_encoder as enc;

use super::{Indices, LinkedAs, Lowered, Relocation, RelocationKind};
use crate::cleanup;
use crate::exec::{self, Host, State, Stop};
use crate::index::Map;
use crate::ir::residual::Function;
use crate::ir::{self, Callee, Func, Global, Stage, Symbol};
use crate::lift;
use crate::module::Module;
use crate::op::Const;
use crate::optimisations::Optimisations;
use crate::random;

/// A module with `lowered` as function 1 after an imported `report`, a memory and a global.
pub fn module(lowered: Lowered) -> Vec<u8> {
    use enc::ValType::{I32, I64};
    let mut types = enc::TypeSection::new();
    types.ty().function([I32, I64], [I64]);
    let mut imports = enc::ImportSection::new();
    imports.import("host", "report", enc::EntityType::Function(0));
    let mut functions = enc::FunctionSection::new();
    functions.function(0);
    let mut memories = enc::MemorySection::new();
    let memory = enc::MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    memories.memory(memory);
    let mut globals = enc::GlobalSection::new();
    let global = enc::GlobalType {
        val_type: I32,
        mutable: true,
        shared: false,
    };
    globals.global(global, &enc::ConstExpr::i32_const(16));
    let mut code = enc::CodeSection::new();
    code.raw(&relocate(lowered));
    let mut module = enc::Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&memories);
    module.section(&globals).section(&code);
    module.finish()
}

/// `i32.const` of an address becomes a load, and a sum where it is not the address itself.
#[test]
fn an_address_is_loaded_from_its_cell() {
    let body = [&[0, 0x41][..], &[0x80, 0x80, 0x80, 0x80, 0], &[0x1a, 0x0b]].concat();
    let kind = RelocationKind::SymbolAddress(Symbol {
        base: ir::Base(0),
        offset: 0,
    });
    let relocations = vec![Relocation { offset: 2, kind }];
    let lowered = Lowered { body, relocations };
    let linked = |offset| {
        let loaded = LinkedAs::Loaded { cell: 80, offset };
        lowered.linked(Indices::Short, |_| Ok::<_, Infallible>(loaded))
    };
    let load = [0, 0x41, 0xd0, 0, 0x28, 2, 0];
    let plain = [&load[..], &[0x1a, 0x0b]].concat();
    assert_eq!(linked(0), Ok(plain));
    let sum = [&load[..], &[0x41, 0x78, 0x6a], &[0x1a, 0x0b]].concat();
    assert_eq!(linked(-8), Ok(sum));
}

#[test]
fn indices_may_take_as_many_bytes_whatever_they_are() {
    let call = |indices: Indices, callee| {
        let lowered = Lowered {
            body: [&[0, 0x10][..], &[0x80, 0x80, 0x80, 0x80, 0], &[0x0b]].concat(),
            relocations: vec![Relocation {
                offset: 2,
                kind: RelocationKind::CallFunction(Func(0)),
            }],
        };
        let linked = lowered.linked(indices, |_| Ok::<_, Infallible>(LinkedAs::Value(callee)));
        let mut copied = enc::Function::new([]);
        indices.write(&enc::Instruction::Call(callee), &mut copied);
        indices.write(&enc::Instruction::End, &mut copied);
        assert_eq!(linked.as_ref(), Ok(&copied.into_raw_body()));
        linked
    };
    assert_eq!(call(Indices::Short, 5), Ok(vec![0, 0x10, 5, 0x0b]));
    assert_eq!(call(Indices::Even, 5), Ok(vec![0, 0x10, 0x85, 0, 0x0b]));
    assert_eq!(call(Indices::Even, 0x80), call(Indices::Short, 0x80));
}

/// The body with direct calls to the generic module's functions, and symbols at address 0.
fn relocate(lowered: Lowered) -> Vec<u8> {
    let relocated = lowered.relocated(|kind| match kind {
        RelocationKind::CallFunction(func) => Ok::<_, std::convert::Infallible>(func.0),
        RelocationKind::SymbolAddress(symbol) => Ok(symbol.offset as u32),
        RelocationKind::CallSlot { .. } | RelocationKind::CallIntrinsic(_) => {
            unreachable!("random functions have none")
        }
    });
    relocated.expect("each relocation has a value")
}

pub fn validate(bytes: &[u8]) -> Result<(), wasmparser::BinaryReaderError> {
    wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
        .validate_all(bytes)
        .map(drop)
}

/// What can be observed of a run.
#[derive(PartialEq, Debug)]
pub struct Observed {
    result: Result<Option<Const>, Stop>,
    reports: Vec<Vec<Const>>,
    memory: Vec<u8>,
    globals: Map<Global, Const>,
}

/// Takes reports until it has had enough.
struct Reporter(Vec<Vec<Const>>);

const MOST_REPORTS: usize = 200;

impl Host for Reporter {
    fn call(
        &mut self,
        state: &mut State,
        _: Callee,
        args: &[Const],
    ) -> Result<Option<Const>, Stop> {
        if self.0.len() == MOST_REPORTS {
            return Err(Stop::Call("enough"));
        }
        self.0.push(args.to_vec());
        // A call may change what loads see, and globals.
        let [Const::I32(first), Const::I64(second)] = *args else {
            panic!("the type of report")
        };
        state.memory[first as usize & 0xff] ^= second as u8;
        if first & 1 == 1 {
            state.globals[random::GLOBAL] = Const::I32(first);
        }
        Ok(Some(Const::I64(
            second.wrapping_mul(7).wrapping_add(first.into()) ^ self.0.len() as i64,
        )))
    }

    fn address(&mut self, symbol: Symbol) -> u32 {
        symbol.offset as u32
    }
}

/// Blocks that a run may enter.
const FUEL: u64 = 10_000_000;

/// Runs a function of [`random`]'s signature.
fn observe<S: Stage>(function: &ir::Function<S>, args: (i32, i64)) -> Observed {
    observe_within(FUEL, function, args)
}

fn observe_within<S: Stage>(fuel: u64, function: &ir::Function<S>, args: (i32, i64)) -> Observed {
    let mut state = State::new(512, vec![Const::I32(16)], fuel);
    for (place, byte) in state.memory.iter_mut().enumerate() {
        *byte = place as u8;
    }
    let mut host = Reporter(Vec::new());
    let args = [Const::I32(args.0), Const::I64(args.1)];
    let result = exec::run(function, &args, &mut state, &mut host);
    if let Err(Stop::Arithmetic | Stop::Unreachable) = result {
        // Nobody looks at the globals of an instance that has trapped.
        state.globals = Map::default();
    }
    Observed {
        result,
        reports: host.0,
        memory: state.memory,
        globals: state.globals,
    }
}

const ARGUMENTS: [(i32, i64); 3] = [(0, 5), (1, -1), (100, 1 << 40)];

fn relifted(function: &Function) -> ir::generic::Function {
    let bytes = module(super::function(function));
    if let Err(error) = validate(&bytes) {
        panic!("lowered code is not valid: {error}\n{function}");
    }
    let module = Module::parse(&bytes).expect("the test's module parses");
    lift::function(&module, Func(1)).expect("lowered code lifts")
}

/// What cleanup leaves of a function; `after` sees what each pass leaves.
fn cleaned(function: &Function, mut after: impl FnMut(&'static str, &Function)) -> Function {
    let mut clean = function.clone();
    cleanup::run(
        &mut clean,
        &[],
        None,
        cleanup::Trapped::Ends,
        &Optimisations::default(),
        &mut |pass, left| after(pass, left),
    );
    clean
}

/// Lowering and cleanup keep the meaning of a function.
fn check_meaning(function: &Function) {
    let clean = cleaned(function, |pass, left| {
        if let Err(fault) = crate::verify::residual(left, &random::Types) {
            panic!("{pass} leaves a function that breaks a rule: {fault}\n{function}");
        }
    });
    let reduced = super::make_reducible(&clean);
    crate::verify::residual(&reduced, &random::Types).expect("reduction leaves a valid function");
    let mut plain = function.clone();
    cleanup::addresses::run(&mut plain);
    let lowered = relifted(&plain);
    let lowered_clean = relifted(&clean);
    for args in ARGUMENTS {
        // What takes much longer than others takes another number of blocks when it has changed.
        let expected = observe_within(FUEL / 100, function, args);
        if expected.result == Err(Stop::Fuel) {
            continue;
        }
        assert_eq!(observe(&lowered, args), expected, "lowering of {function}");
        assert_eq!(
            observe(&clean, args),
            expected,
            "cleanup of {function} to {clean}"
        );
        assert_eq!(
            observe(&lowered_clean, args),
            expected,
            "lowering of clean {clean}"
        );
    }
}

fn random_function(seed: u64) -> Function {
    random::function(&mut Rng::with_seed(seed), 1 + seed as usize % 24)
}

#[test]
fn random_functions_keep_their_meaning() {
    for seed in random::cases(1500) {
        let function = random_function(seed);
        crate::verify::residual(&function, &random::Types).expect("generated functions are valid");
        check_meaning(&function);
    }
}

/// Passes that find nothing to do in random functions, where nothing is allocated or loaded again,
/// and hardly a number is kept over a call on one arm of two. Tests of their own have.
const UNREACHED: [&str; 4] = ["reloads", "scalars", "allocations", "arms"];

/// So that a fault in a pass can show in random functions.
#[test]
fn random_functions_reach_each_pass() {
    let mut reached = BTreeSet::new();
    for seed in 0..1500 {
        let function = random_function(seed);
        let mut before = function.to_string();
        cleaned(&function, |pass, left| {
            let after = left.to_string();
            if after != before {
                reached.insert(pass);
            }
            before = after;
        });
    }
    let passes = cleanup::PASSES.iter().map(|pass| pass.name);
    let expected = passes.filter(|name| !UNREACHED.contains(name));
    assert_eq!(reached, expected.collect());
}

/// The copy of `v1` needs no code if both have one local, which `v2` must not get in between.
#[test]
fn nobody_writes_to_a_local_while_a_copy_to_itself_is_under_way() {
    let function = "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load offset=0 v0
    v3: i32 = i64.eq v2, v2
    jump bb1(v1, v3)
bb1(v4: i64, v5: i32):
    v6: i64 = i64.extend_i32_u v5
    v7: i64 = i64.sub v4, v6
    return v7
}
";
    let function: Function = crate::text::parse(function).expect("well-formed");
    let lowered = relifted(&function);
    for args in ARGUMENTS {
        assert_eq!(
            observe(&lowered, args),
            observe(&function, args),
            "{args:?}"
        );
    }
}

/// A cycle into each of whose blocks the function's beginning jumps, each with values of its own.
fn entered_everywhere(entries: usize) -> Function {
    let [mut text, mut targets] = ["", ""].map(String::from);
    for entry in 0..entries {
        let [first, second, third, selector] = [0, 1, 2, 3].map(|value| 2 + 4 * entry + value);
        let separator = if entry == 0 { "" } else { ", " };
        targets.push_str(&format!("{separator}bb{}(v1, v0)", entry + 1));
        let next = 1 + (entry + 1) % entries;
        text.push_str(&format!(
            "bb{}(v{first}: i64, v{second}: i32):
    v{third}: i64 = call fn0 v{second}, v{first}
    v{selector}: i32 = i64.eqz v{third}
    branch v{selector} ? bb{next}(v{third}, v{second}) : bb{}()
",
            entry + 1,
            entries + 1
        ));
    }
    let text = format!(
        "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    switch v0 [{targets}] default bb1(v1, v0)
{text}bb{}():
    return v1
}}
",
        entries + 1
    );
    crate::text::parse(&text).expect("well-formed")
}

/// Each edge into such a cycle set variables for all entries, so code grew as their square.
#[test]
fn code_is_in_proportion_to_the_entries_of_a_cycle() {
    check_meaning(&entered_everywhere(5));
    let [fewer, more] = [50, 100].map(|entries| {
        let lowered = super::function(&entered_everywhere(entries));
        lowered.body.len()
    });
    assert!(more < 3 * fewer, "{fewer}, {more}");
}
