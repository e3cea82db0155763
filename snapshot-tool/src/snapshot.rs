//! Snapshot: an annotated module initialises itself, and its program runs up to its first effect
//! ([`crate::evaluation`]); then memory, globals and exports are frozen into a new module (Wizer).
//!
//! Invariant: the module finds its program on standard input, and nothing else is open to it. So
//! the result depends on the module and the program alone, and can be cached under their digest.

use std::borrow::Cow;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, Waker};

use annotations::{
    APPLY_BY_CALL_EXPORT, KEEP_REFERENCES_EXPORT, ONE_CANDIDATE_EXPORT, THREADS_EXPORT,
    ThreadSupport,
};
use anyhow::{Context, Result, bail};
use cache::Kind;
use specializer::module::references;
use wasmparser::ValType;
use wasmtime::{Engine, Instance, Module, Store, Val};
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};
use wasmtime_wasi::{Deterministic, WasiCtxBuilder};
use wasmtime_wizer::{InstanceState, ModuleContext, SnapshotVal, Wizer};

use crate::cells::Cells;
use crate::engine::{self, Needs, Origin};
use crate::evaluation::{self, Eval, Evaluated};
use crate::exports;
use crate::host::{ExitStatus, Host, Sandbox};
use crate::imports;
use crate::known_code::KnownCode;
use crate::specialize;
use crate::texts;

/// The export that initialises; a module without it needs no snapshot.
pub const INIT: &str = annotations::INITIALIZE_EXPORT;

/// What the engine has to do for it: an evaluation is limited in instructions.
pub const NEEDS: Needs = Needs {
    fuel: true,
    stack: None,
    perf_map: false,
    hurry: false,
    copied_memory: true,
};

/// How much an initialisation may write to standard error.
const MESSAGE_LIMIT: usize = 1 << 16;

/// The guest refused its program: what it said and the status it ended with.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    pub message: String,
    pub status: i32,
}

/// How a snapshot is taken.
#[derive(Clone, Copy, Debug)]
pub struct Preparation<'a> {
    /// The export that initialises.
    pub initialize: &'a str,
    pub eval: Eval,
    /// Whether references that nobody else sees are no blocks
    /// ([`annotations::KEEP_REFERENCES_EXPORT`]).
    pub references: bool,
    /// Whether functions are applied to fewer or more arguments than they take in place
    /// ([`annotations::APPLY_BY_CALL_EXPORT`]).
    pub applications: bool,
    /// Whether calls are compared with several functions
    /// ([`annotations::ONE_CANDIDATE_EXPORT`]).
    pub candidates: bool,
    /// What there is for threads ([`annotations::THREADS_EXPORT`]).
    pub threads: ThreadSupport,
}

/// A frozen module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub module: Vec<u8>,
    /// What the guest said of the program on standard error while it initialised itself; mostly
    /// nothing.
    pub notice: String,
    /// How far the program was evaluated, for people: what follows the snapshot's size.
    pub evaluation: String,
}

impl Snapshot {
    fn to_blob(&self) -> Vec<u8> {
        texts::join(&self.module, [&self.notice, &self.evaluation])
    }

    fn from_blob(blob: Vec<u8>) -> Option<Self> {
        let (module, [notice, evaluation]) = texts::split(blob)?;
        Some(Self {
            module,
            notice,
            evaluation,
        })
    }
}

/// Initialises `module` with `program`, evaluates that up to its first effect, and freezes it. The
/// origin says whether the snapshot was in the cache; if not, where the machine code came from with
/// which it was taken.
pub fn take(
    module: &[u8],
    program: &[u8],
    preparation: Preparation<'_>,
    code: &Arc<KnownCode>,
) -> Result<(Snapshot, Origin)> {
    let key = key(module, program, preparation);
    let cache = code.cache();
    let cache = cache.as_deref();
    let known = cache.and_then(|cache| cache.get(Kind::Snapshot, &key).pop());
    if let Some(snapshot) = known.and_then(Snapshot::from_blob) {
        return Ok((snapshot, Origin::Cached));
    }
    let (snapshot, origin) =
        engine::on_large_stack(|| freeze(module, program, preparation, code))??;
    if let Some(cache) = cache {
        cache.insert(Kind::Snapshot, &key, &snapshot.to_blob());
    }
    Ok((snapshot, origin))
}

fn key(module: &[u8], program: &[u8], preparation: Preparation<'_>) -> [u8; 32] {
    let mut key = blake3::Hasher::new_derive_key("bactrian snapshot 4");
    key.update(format!("{preparation:?} {}", env!("BACTRIAN_FINGERPRINT")).as_bytes());
    key.update(blake3::hash(module).as_bytes());
    key.update(program);
    key.finalize().into()
}

/// `module` with what the linker wants to know of its relocations in place of these.
pub fn prepared(module: &[u8]) -> Result<Cow<'_, [u8]>> {
    references::condensed(module).context("not a WebAssembly module")
}

/// A prepared module with exports of all its state, as it is compiled to be initialised.
pub fn instrument<'a>(module: &'a [u8], initialize: &str) -> Result<(ModuleContext<'a>, Vec<u8>)> {
    wizer(initialize)
        .instrument(module)
        .map_err(engine::error)
        .context("the module cannot be frozen")
}

fn wizer(initialize: &str) -> Wizer {
    let mut wizer = Wizer::new();
    wizer.init_func(initialize);
    wizer
}

/// An instrumented module as it runs: intrinsics are plain operations, where a program may be
/// evaluated; others run too little to make that worth the while.
pub fn runnable(instrumented: &[u8]) -> Result<Vec<u8>> {
    if exports::has(instrumented, annotations::EVALUATE_EXPORT)? {
        let options = specialize::Options {
            to_initialise: true,
            ..specialize::Options::default()
        };
        specialize::link_generic(instrumented, &options)
    } else {
        Ok(instrumented.to_vec())
    }
}

/// Machine code for an instrumented module.
fn machine_code(
    engine: &Engine,
    instrumented: &[u8],
    code: &KnownCode,
) -> Result<(Module, Origin)> {
    let cache = code.cache();
    let cache = cache.as_deref();
    match code
        .precompiled
        .and_then(|precompiled| precompiled.module(engine, instrumented))
    {
        Some(Ok(module)) => Ok((module, Origin::Precompiled)),
        Some(Err(unfit)) => {
            let (module, _) = engine::compile(engine, &runnable(instrumented)?, cache)?;
            Ok((module, Origin::Replaced(format!("{unfit:#}"))))
        }
        None => engine::compile(engine, &runnable(instrumented)?, cache),
    }
}

fn freeze(
    module: &[u8],
    program: &[u8],
    preparation: Preparation<'_>,
    code: &Arc<KnownCode>,
) -> Result<(Snapshot, Origin)> {
    let engine = engine::for_one_use(code.store(), &NEEDS)?;
    let module = prepared(module)?;
    let (layout, instrumented) = instrument(&module, preparation.initialize)?;
    let (compiled, origin) = machine_code(&engine, &instrumented, code)?;
    let messages = MemoryOutputPipe::new(MESSAGE_LIMIT);
    let mut wasi = WasiCtxBuilder::new();
    // Random numbers that the guest draws are part of the snapshot. They are fixed, so that the
    // same program gives the same snapshot.
    wasi.secure_random(Deterministic::new(vec![0x2e, 0x71, 0x9d, 0x04, 0xb8]));
    wasi.stdin(MemoryInputPipe::new(program.to_vec()))
        .stderr(messages.clone());
    let mut store = Store::new(&engine, Host::new(wasi.build_p1(), &Sandbox::default()));
    store.set_fuel(u64::MAX).map_err(engine::error)?;
    let mut linker = imports::linker(&engine, &compiled)?;
    imports::add_intrinsics(&mut linker, &compiled)?;
    let instance = linker
        .instantiate(&mut store, &compiled)
        .map_err(engine::error)?;
    let switches = [
        (!preparation.references as u32, KEEP_REFERENCES_EXPORT),
        (!preparation.applications as u32, APPLY_BY_CALL_EXPORT),
        (!preparation.candidates as u32, ONE_CANDIDATE_EXPORT),
        (preparation.threads as u32, THREADS_EXPORT),
    ];
    for (value, export) in switches {
        if value != 0 {
            set(&mut store, instance, export, value)?;
        }
    }
    if preparation.eval == Eval::Pure {
        evaluation::make_room(&mut store, instance)?;
    }
    initialise(&mut store, instance, preparation.initialize)
        .map_err(|error| refusal(error, &messages))?;
    let evaluated = match preparation.eval {
        Eval::None => Evaluated::default(),
        Eval::Pure => evaluation::to_first_effect(&mut store, instance, &compiled)?,
    };
    let wizer = wizer(preparation.initialize);
    let module = match evaluated.instance {
        None => frozen(&wizer, &layout, &mut store, instance)?,
        Some((mut store, instance)) => frozen(&wizer, &layout, &mut store, instance)?,
    };
    let snapshot = Snapshot {
        module,
        notice: text(&messages),
        evaluation: evaluated.report,
    };
    Ok((snapshot, origin))
}

/// Gives what a module exports under this name this value, if it exports it.
fn set(store: &mut Store<Host>, instance: Instance, export: &str, value: u32) -> Result<()> {
    match Cells::of(store, instance, export) {
        Some(cells) => cells.set(store, 0, value),
        None => Ok(()),
    }
}

/// The module in the state of an instance.
pub fn frozen<T: Send>(
    wizer: &Wizer,
    layout: &ModuleContext<'_>,
    store: &mut Store<T>,
    instance: Instance,
) -> Result<Vec<u8>> {
    frozen_state(wizer, layout, &mut Initialised { store, instance })
}

/// The module in a state that something else than Wasmtime may have.
pub fn frozen_state(
    wizer: &Wizer,
    layout: &ModuleContext<'_>,
    state: &mut impl InstanceState,
) -> Result<Vec<u8>> {
    ready(wizer.snapshot(layout, state)).map_err(engine::error)
}

/// An instance whose state is to be frozen. Wizer has the same, but only together with all of
/// Wasmtime's features.
struct Initialised<'a, T: 'static> {
    store: &'a mut Store<T>,
    instance: Instance,
}

impl<T: Send> InstanceState for Initialised<'_, T> {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut *self.store, name);
        match global.map(|global| global.get(&mut *self.store)) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(bits)) => SnapshotVal::F32(bits),
            Some(Val::F64(bits)) => SnapshotVal::F64(bits),
            Some(Val::V128(value)) => SnapshotVal::V128(value.as_u128()),
            other => unreachable!("Wizer exports globals of numbers only, not {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut *self.store, name);
        contents(memory.expect("Wizer exports it").data(&self.store));
    }
}

/// Calls the function that initialises a module, as a reactor.
pub fn initialise(
    store: &mut Store<Host>,
    instance: Instance,
    function: &str,
) -> wasmtime::Result<()> {
    if let Some(reactor) = instance.get_func(&mut *store, "_initialize") {
        reactor.typed::<(), ()>(&*store)?.call(&mut *store, ())?;
    }
    instance
        .get_typed_func::<(), ()>(&mut *store, function)?
        .call(store, ())
}

fn refusal(error: wasmtime::Error, messages: &MemoryOutputPipe) -> anyhow::Error {
    let said = text(messages);
    match error.downcast::<ExitStatus>() {
        Ok(ExitStatus(status)) => {
            let message = match said.is_empty() {
                true => format!("the initialisation ended with status {status}, and said nothing"),
                false => said,
            };
            Refused { message, status }.into()
        }
        Err(error) if said.is_empty() => engine::error(error).context("the initialisation failed"),
        Err(error) => engine::error(error).context(format!("the initialisation failed: {said}")),
    }
}

fn text(messages: &MemoryOutputPipe) -> String {
    let text = String::from_utf8_lossy(&messages.contents()).into_owned();
    text.trim_end().into()
}

/// The result of a future that never waits. Wizer's interface is asynchronous because of
/// components.
fn ready<T>(future: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    match pin!(future).poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("reading a store's memory does not wait"),
    }
}

/// Fails with a clear message where `module` cannot be frozen because it does not say how.
pub fn require_init(module: &[u8]) -> Result<()> {
    if !exports::has(module, INIT)? {
        bail!("the module exports no `{INIT}`; leave `--init` out if it is a snapshot already");
    }
    Ok(())
}
