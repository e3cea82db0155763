//! Annotated modules under Wasmtime: linked generically and specialized, and what a call of `run`
//! does in each.
//!
//! A module may import `env.report (param i64)`, whose arguments are the trace, and exports its
//! memory as `memory`. Leaves out what is expected: generic and residual have to agree, and the
//! callers know more.

pub mod random;

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use specializer::{Observer, Options, Output};
use wasmtime::{Caller, Engine, Instance, Linker, Module, Store, Val, ValType};

/// Is told nothing.
pub struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The bits of the result; absent if it trapped.
    pub result: Option<u64>,
    pub trace: Vec<i64>,
    /// Memory at the end.
    pub memory: Vec<u8>,
}

/// Memory of [`random`] modules that specialization may change, as ranges: the slots, the flag of
/// [`specializer::fault::Act::TrapReaders`], boxes and blocks and their addresses, and the stack,
/// whose dead part is not stored.
const MAY_DIFFER: [Range<usize>; 10] = [
    0x40..0x44,
    0x80..0x84,
    0x90..0x94,
    0xa8..0xb0,
    0x960..0x980,
    0x12dc..0x12e0,
    0x1adc..0x1ae0,
    0x11040..0x11060,
    0x18000..0x20000,
    0x20100..0x50000,
];

/// The memory of a [`random`] module without what may differ.
pub fn comparable(outcome: &Outcome) -> Vec<u8> {
    let mut memory = outcome.memory.clone();
    for range in MAY_DIFFER {
        memory[range].fill(0);
    }
    memory
}

/// Fails unless generic and residual code agree on a call of `run`: on the result, the trace, and
/// if it does not trap, on what is `comparable` of memory. What residual code did.
pub fn agree<M: PartialEq>(
    [generic, residual]: [&Program; 2],
    argument: i64,
    comparable: impl Fn(&Outcome) -> M,
) -> Result<Outcome> {
    let (expected, found) = (generic.run(&[argument])?, residual.run(&[argument])?);
    ensure!(
        expected.result == found.result && expected.trace == found.trace,
        "run {argument}: {:?} after {:?}, but residual code gives {:?} after {:?}",
        expected.result,
        expected.trace,
        found.result,
        found.trace
    );
    ensure!(
        expected.result.is_none() || comparable(&expected) == comparable(&found),
        "run {argument}: memory differs"
    );
    Ok(found)
}

/// Options with which every stage is verified.
pub fn verified() -> Options {
    Options {
        verify: true,
        ..Options::default()
    }
}

/// The same for [`random`] modules, which are declined early: where computed jumps make the
/// accumulator decide positions, there is no end of these.
pub fn declining_early() -> Options {
    let mut options = verified();
    options.budgets.nodes = 6000;
    options.budgets.nodes_per_byte = 0;
    options
}

/// Options with one optimisation less each.
pub fn ablations(full: &Options) -> [Options; 3] {
    let mut ablations = [full.clone(), full.clone(), full.clone()];
    ablations[0].optimisations.virtual_stack = false;
    ablations[1].optimisations.direct_calls = false;
    ablations[2].optimisations.guesses = false;
    ablations
}

/// Specializes every request.
pub fn specialize(snapshot: &[u8], options: &Options) -> Result<Output> {
    Ok(specializer::specialize(snapshot, options, None, &Silent)?)
}

/// A linked module, ready to be called.
pub struct Program {
    engine: Engine,
    module: Module,
}

impl Program {
    /// Compiles; fails if the module is not valid.
    pub fn new(engine: &Engine, bytes: &[u8]) -> Result<Self> {
        let module = Module::new(engine, bytes).map_err(error)?;
        Ok(Self {
            engine: engine.clone(),
            module,
        })
    }

    /// Calls `run` in a fresh instance.
    pub fn run(&self, args: &[i64]) -> Result<Outcome> {
        self.run_in(Store::new(&self.engine, Vec::new()), args)
    }

    /// Calls `run` with so much fuel, which the engine has to count; without fuel it traps.
    pub fn run_within(&self, fuel: u64, args: &[i64]) -> Result<Outcome> {
        let mut store = Store::new(&self.engine, Vec::new());
        store.set_fuel(fuel).map_err(error)?;
        self.run_in(store, args)
    }

    fn run_in(&self, mut store: Store<Vec<i64>>, args: &[i64]) -> Result<Outcome> {
        let mut linker = Linker::new(&self.engine);
        linker
            .func_wrap("env", "report", |mut caller: Caller<Vec<i64>>, value| {
                caller.data_mut().push(value)
            })
            .map_err(error)?;
        let instance = linker
            .instantiate(&mut store, &self.module)
            .map_err(error)?;
        let result = call(&mut store, &instance, args)?;
        let memory = instance
            .get_memory(&mut store, "memory")
            .context("the module exports `memory`")?;
        Ok(Outcome {
            result,
            memory: memory.data(&store).to_vec(),
            trace: store.into_data(),
        })
    }
}

fn call(store: &mut Store<Vec<i64>>, instance: &Instance, args: &[i64]) -> Result<Option<u64>> {
    let run = instance
        .get_func(&mut *store, "run")
        .context("the module exports `run`")?;
    let types: Vec<ValType> = run.ty(&*store).params().collect();
    anyhow::ensure!(types.len() == args.len(), "`run` takes {types:?}");
    let args = types.iter().zip(args).map(|(ty, &arg)| match ty {
        ValType::I32 => Val::I32(arg as i32),
        ValType::F32 => Val::F32(arg as u32),
        ValType::F64 => Val::F64(arg as u64),
        _ => Val::I64(arg),
    });
    let args: Vec<Val> = args.collect();
    let mut results = [Val::I64(0)];
    if run.call(&mut *store, &args, &mut results).is_err() {
        return Ok(None);
    }
    Ok(Some(match results[0] {
        Val::I32(value) => i64::from(value) as u64,
        Val::I64(value) => value as u64,
        Val::F32(bits) => u64::from(bits),
        Val::F64(bits) => bits,
        ref other => anyhow::bail!("`run` returns {other:?}"),
    }))
}

/// Wasmtime's error as the rest of the tests passes errors on.
pub fn error(error: wasmtime::Error) -> anyhow::Error {
    anyhow::Error::from_boxed(error.into())
}
