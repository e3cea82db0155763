//! Initialisation of a module without machine code: an interpreter of WebAssembly runs it (wasmi,
//! which translates a function when it is first called). Most of a large module never runs before
//! it is frozen, so compiling all of it costs far more than interpreting a little.
//!
//! Invariant: an interpreted initialisation does what a compiled one does, and one that is given up
//! has done nothing that can be seen: it can begin anew, compiled, with the input that it had read.
//!
//! Leaves out: what wasmi does not know (threads, exceptions), and modules that import what is
//! served beyond WASI. Such a module is compiled.

mod wasi;

use anyhow::{Context, Result};
use wasmi::{
    Config, Engine, Error, ExternType, Func, Instance, Linker, Module, Store, TrapCode, Val,
};
use wasmparser::ValType;
use wasmtime_wizer::{InstanceState, ModuleContext, SnapshotVal, Wizer};

use crate::host::Host;
use crate::imports::{self, Number};
use crate::streams::Streams;
use crate::{snapshot, unconfined};

/// Instructions that an interpreter may run for each byte of a module, before it is given up. They
/// take about as long as compiling the module, so that a long initialisation takes at most twice
/// as long as if it had been compiled at once.
const INSTRUCTIONS_A_BYTE: u64 = 200;

/// Instructions that any module may run.
const LEAST_INSTRUCTIONS: u64 = 20_000_000;

/// Calls within calls. Machine code goes deeper, where the system has stack for it.
const DEPTH: usize = 1 << 20;

/// Slots of the interpreter's stack, at most.
const STACK: usize = 1 << 26;

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    /// The frozen module.
    Frozen(Vec<u8>),
    /// The module cannot be interpreted; nothing has run.
    Unfit(String),
    /// It takes long or goes deep. This is what it has read of standard input; nothing else has
    /// happened.
    GivenUp { input: Vec<u8> },
}

/// A host function's error, on its way through the interpreter.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(wasmtime::Error);

impl wasmi::errors::HostError for Failure {}

impl Failure {
    fn of(error: impl Into<wasmtime::Error>) -> Error {
        Error::host(Self(error.into()))
    }
}

/// Initialises a module that was instrumented for `wizer` by calling `function`, and freezes it.
pub fn initialised(
    instrumented: &[u8],
    wizer: &Wizer,
    layout: &ModuleContext<'_>,
    function: &str,
    mut host: Host,
) -> Result<Outcome> {
    let engine = Engine::new(&config());
    let module = match Module::new(&engine, instrumented) {
        Ok(module) => module,
        Err(error) => return Ok(Outcome::Unfit(error.to_string())),
    };
    if let Some(import) = module
        .imports()
        .find(|import| import.module() == unconfined::MODULE)
    {
        return Ok(Outcome::Unfit(format!("it imports `{}`", import.name())));
    }
    if let Some(streams) = host.streams_mut() {
        streams.keep_input();
    }
    let mut store = Store::new(&engine, host);
    let instructions = (instrumented.len() as u64 * INSTRUCTIONS_A_BYTE).max(LEAST_INSTRUCTIONS);
    store.set_fuel(instructions)?;
    let linker = linker(&engine, &module)?;
    match run(&mut store, &linker, &module, function) {
        Ok(instance) => {
            let mut state = Initialised { store, instance };
            snapshot::frozen_state(wizer, layout, &mut state).map(Outcome::Frozen)
        }
        Err(error) if is_beyond(&error) && store.get_fuel()? <= instructions => {
            let streams = store.data_mut().streams_mut();
            let input = streams.map(Streams::take_kept).unwrap_or_default();
            Ok(Outcome::GivenUp { input })
        }
        Err(error) => Err(told(error)).with_context(|| format!("`{function}` failed")),
    }
}

/// Whether it is the interpreter that cannot go on.
fn is_beyond(error: &Error) -> bool {
    let trap = error.as_trap_code();
    matches!(trap, Some(TrapCode::OutOfFuel | TrapCode::StackOverflow))
}

fn config() -> Config {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .ignore_custom_sections(true)
        .set_max_recursion_depth(DEPTH)
        .set_max_stack_height(STACK);
    config
}

/// Everything that the module may import. Functions that nobody provides trap.
fn linker(engine: &Engine, module: &Module) -> Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    wasi::define(&mut linker)?;
    define_intrinsics(&mut linker)?;
    linker.allow_shadowing(false);
    for import in module.imports() {
        let ExternType::Func(ty) = import.ty() else {
            continue;
        };
        let said = format!(
            "`{}` of `{}` is not provided",
            import.name(),
            import.module()
        );
        let trap = move |_: wasmi::Caller<'_, Host>, _: &[Val], _: &mut [Val]| {
            Err(Error::new(said.clone()))
        };
        // It fails for what is there already.
        let _ = linker.func_new(import.module(), import.name(), ty.clone(), trap);
    }
    Ok(linker)
}

fn run(
    store: &mut Store<Host>,
    linker: &Linker<Host>,
    module: &Module,
    function: &str,
) -> Result<Instance, Error> {
    let instance = linker.instantiate_and_start(&mut *store, module)?;
    for name in ["_initialize", function] {
        let found: Option<Func> = instance.get_func(&*store, name);
        match found {
            Some(found) => found.typed::<(), ()>(&*store)?.call(&mut *store, ())?,
            None if name == function => {
                return Err(Error::new(format!("there is no function `{name}`")));
            }
            None => {}
        }
    }
    Ok(instance)
}

/// An error as the rest of the tool knows it.
fn told(error: Error) -> anyhow::Error {
    match error.downcast_ref::<Failure>() {
        Some(Failure(failure)) => anyhow::anyhow!("{failure:#}"),
        None => anyhow::anyhow!("{error}"),
    }
}

/// The intrinsics with their generic meaning.
fn define_intrinsics(linker: &mut Linker<Host>) -> Result<()> {
    for function in imports::generic_functions() {
        let types = |types: &[annotations::Type]| types.iter().map(value_type).collect::<Vec<_>>();
        let parameters = types(&function.parameters);
        let ty = wasmi::FuncType::new(parameters, types(function.result.as_slice()));
        let (module, name) = (function.module, function.name);
        linker.func_new(module, name, ty, move |mut caller, parameters, results| {
            let values: Vec<i64> = parameters.iter().map(integer).collect();
            let memory = caller
                .get_export("memory")
                .and_then(wasmi::Extern::into_memory);
            let memory = memory.map(|memory| memory.data_mut(&mut caller));
            let number = function.call(&values, memory).map_err(Failure::of)?;
            for (result, number) in results.iter_mut().zip(number) {
                *result = match number {
                    Number::I32(number) => Val::I32(number),
                    Number::I64(number) => Val::I64(number),
                };
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn value_type(ty: &annotations::Type) -> wasmi::ValType {
    match ty {
        annotations::Type::I32 => wasmi::ValType::I32,
        annotations::Type::I64 => wasmi::ValType::I64,
    }
}

fn integer(value: &Val) -> i64 {
    match *value {
        Val::I32(value) => value.into(),
        Val::I64(value) => value,
        ref other => unreachable!("intrinsics take integers, not {other:?}"),
    }
}

/// An instance whose state is to be frozen.
struct Initialised {
    store: Store<Host>,
    instance: Instance,
}

impl InstanceState for Initialised {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&self.store, name);
        match global.map(|global| global.get(&self.store)) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(value)) => SnapshotVal::F32(value.to_bits()),
            Some(Val::F64(value)) => SnapshotVal::F64(value.to_bits()),
            Some(Val::V128(value)) => SnapshotVal::V128(value.as_u128()),
            other => unreachable!("Wizer exports globals of numbers only, not {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&self.store, name);
        contents(memory.expect("Wizer exports it").data(&self.store));
    }
}
