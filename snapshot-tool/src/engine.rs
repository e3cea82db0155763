//! Wasmtime as this tool uses it: its configuration, machine code from the cache, errors.
//!
//! Invariant: every module runs on a thread of [`guest_thread`], because the configuration promises
//! guests more native stack than a thread has by default.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use cache::{Cache, Kind};
use rustix::mm::{self, MapFlags, ProtFlags};
use rustix::process::{Resource, getrlimit};
use wasmtime::{
    CacheStore, Config, Engine, Module, OptLevel, ProfilingStrategy, RegallocAlgorithm,
};

const NO_STACK: &str = "cannot reserve 1 GiB of address space for the stack (is `ulimit -v` set?)";

/// Native stack of a running guest, at least, so that a limit of the guest's own is the one that is
/// met: with a stack of 1 Mi words (8 MiB) and some 500,000 activations, this is 2 KiB for each.
/// Virtual memory: only what is touched is used.
const LEAST_WASM_STACK: usize = 1 << 30;

/// Native stack of each of a guest's stacks, where it has several.
pub const STACK_OF_SEVERAL: usize = LEAST_WASM_STACK;

/// Native stack of a guest where the system can reserve that much: for programs that raise the
/// limit of their own stack.
const WASM_STACK: usize = 16 << 30;

/// Whether programs can have several stacks here: Wasmtime switches them on this architecture only.
pub const HAS_STACKS: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

/// What the host functions that a guest calls may need beyond it.
const HOST_STACK: usize = 16 << 20;

/// What an engine has to do for a program, beside running it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// Count instructions. The machine code is another, and slower.
    pub fuel: bool,
    /// Bytes of native stack that the program may use; without it, as much as the system gives.
    pub stack: Option<usize>,
    /// Write `/tmp/perf-PID.map`, from which `perf` learns what is called how. The machine code is
    /// the same.
    pub perf_map: bool,
    /// Spend no time on making the machine code fast.
    pub hurry: bool,
    /// Copy what memory begins with, which takes no file, in place of mapping it.
    pub copied_memory: bool,
}

/// Machine code of single functions, which engines look for before they compile them
/// ([`crate::known_code`]).
pub type Store = Option<Arc<dyn CacheStore>>;

/// An engine for programs. A program's memory begins as a private mapping of the file that the
/// machine code comes from, or of an unnamed one, unless it is to be copied.
pub fn new(store: Store, needs: &Needs) -> Result<Engine> {
    engine(config_for(needs)?, store)
}

/// Whether a limit on the size of files (`ulimit -f`) may forbid the unnamed file that [`new`]
/// speaks of.
pub fn may_not_write_images() -> bool {
    getrlimit(Resource::Fsize).current.is_some()
}

/// An engine for modules that are used once: to map their memory is not worth a file.
pub fn for_one_use(store: Store, needs: &Needs) -> Result<Engine> {
    let needs = Needs {
        copied_memory: true,
        ..*needs
    };
    new(store, &needs)
}

/// An engine for programs whose guests can be stopped, by its epoch. Its machine code is slower.
pub fn interruptible(store: Store) -> Result<Engine> {
    let mut config = config();
    config.epoch_interruption(true);
    engine(config, store)
}

fn config_for(needs: &Needs) -> Result<Config> {
    let mut config = config();
    config.memory_init_cow(!needs.copied_memory);
    config.consume_fuel(needs.fuel);
    if needs.perf_map {
        config.profiler(ProfilingStrategy::PerfMap);
    }
    if needs.hurry {
        config
            .cranelift_opt_level(OptLevel::None)
            .cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
    }
    if let Some(bytes) = needs.stack {
        let most = wasm_stack();
        ensure!(
            bytes <= most,
            "a stack of {bytes} bytes cannot be had here, {most} can"
        );
        config.max_wasm_stack(bytes);
    }
    Ok(config)
}

fn config() -> Config {
    let mut config = Config::new();
    config.memory_init_cow(false);
    // The ticker has addresses in a guest's memory.
    config.memory_may_move(false);
    config.wasm_tail_call(true);
    config.wasm_stack_switching(HAS_STACKS);
    config.max_wasm_stack(wasm_stack());
    config.async_stack_size(wasm_stack() + HOST_STACK);
    config.generate_address_map(false);
    // For unwinders other than Wasmtime's own.
    config.native_unwind_info(false);
    // Calls through the table need not ask whether their entry has been filled.
    config.table_lazy_init(false);
    config
}

fn engine(mut config: Config, store: Store) -> Result<Engine> {
    if let Some(store) = store {
        config
            .enable_incremental_compilation(store)
            .map_err(error)?;
    }
    Engine::new(&config)
        .map_err(error)
        .context("cannot set up Wasmtime on this machine")
}

/// Wasmtime's error as the rest of the tool passes errors on.
pub fn error(error: wasmtime::Error) -> anyhow::Error {
    anyhow::Error::from_boxed(error.into())
}

/// Runs `work` on a thread with the stack that guests were promised.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = guest_thread("guest".into())
            .spawn_scoped(scope, work)
            .context(NO_STACK)?;
        thread
            .join()
            .map_err(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs `work` likewise, but waits for `limit` only. Returns nothing if it takes longer: the work
/// then goes on until this process ends.
pub fn with_deadline<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>> {
    let (sender, done) = sync_channel(1);
    let work = move || {
        // This fails if the time was over: nobody waits for the result.
        let _ = sender.send(work());
    };
    let thread = guest_thread("guest".into()).spawn(work).context(NO_STACK)?;
    match done.recv_timeout(limit) {
        Ok(result) => Ok(Some(result)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("work that ends sends its result"),
        },
    }
}

/// A thread with the stack that guests were promised.
pub fn guest_thread(name: String) -> std::thread::Builder {
    std::thread::Builder::new()
        .name(name)
        .stack_size(wasm_stack() + HOST_STACK)
}

/// The largest native stack, of a few sizes, that a thread can have here.
fn wasm_stack() -> usize {
    static SIZE: OnceLock<usize> = OnceLock::new();
    *SIZE.get_or_init(|| {
        let mut size = WASM_STACK;
        while size > LEAST_WASM_STACK && !is_possible(size + HOST_STACK) {
            size /= 2;
        }
        size
    })
}

/// Whether the system would give a thread this stack: memory to be written. A thread to find out
/// would cost more than the rest of the set-up.
fn is_possible(stack: usize) -> bool {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the memory is new, and nobody else knows of it before it is given back.
    unsafe {
        mm::mmap_anonymous(null_mut(), stack, access, MapFlags::PRIVATE)
            .is_ok_and(|memory| mm::munmap(memory, stack).is_ok())
    }
}

/// Where a compiled module came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Compiled,
    Cached,
    /// It came with the command.
    Precompiled,
    /// Compiled here, as what came with the command could not be used, for this reason.
    Replaced(String),
}

/// Whether a module has several stacks.
pub fn has_stacks(module: &Module) -> bool {
    let mut exports = module.exports();
    exports.any(|export| export.name() == annotations::STACKS_EXPORT)
}

/// A module that has several stacks, in an engine of its own, which takes no more for each than a
/// guest needs at least. An engine reserves as much for each of a program's stacks as the first one
/// may use, and the system need not have that so often. `file` holds the module as well, where it
/// is mapped from one: to map it once more costs nothing.
pub fn with_its_stacks(module: &Module, file: Option<&Path>, needs: &Needs) -> Result<Module> {
    let needs = Needs {
        stack: Some(STACK_OF_SEVERAL),
        ..*needs
    };
    // A module does not say which of the two made it; it can be used with that one.
    let with_images = again(module, file, &new(None, &needs)?);
    with_images.or_else(|_| again(module, file, &for_one_use(None, &needs)?))
}

/// The same module for another engine.
fn again(module: &Module, file: Option<&Path>, engine: &Engine) -> Result<Module> {
    if let Some(module) = file.and_then(|file| load(engine, file).ok()) {
        return Ok(module);
    }
    let code = module.serialize().map_err(error)?;
    // SAFETY: another engine of this process made it.
    unsafe { Module::deserialize(engine, code) }.map_err(error)
}

/// Compiles `wasm`, or takes the machine code of the whole module from the cache.
pub fn compile(engine: &Engine, wasm: &[u8], cache: Option<&Cache>) -> Result<(Module, Origin)> {
    let Some(cache) = cache else {
        return Ok((Module::new(engine, wasm).map_err(error)?, Origin::Compiled));
    };
    let key = machine_code_key(engine, "module", wasm);
    if let Some((module, _)) = cached_module(engine, cache, &key) {
        return Ok((module, Origin::Cached));
    }
    let module = Module::new(engine, wasm).map_err(error)?;
    keep_module(cache, &key, &module)?;
    Ok((module, Origin::Compiled))
}

/// The machine code of `wasm`, if the cache has it.
pub fn cached(engine: &Engine, wasm: &[u8], cache: Option<&Cache>) -> Option<Module> {
    let key = machine_code_key(engine, "module", wasm);
    cached_module(engine, cache?, &key).map(|(module, _)| module)
}

/// Keeps the machine code of `module` under `key`.
pub fn keep_module(cache: &Cache, key: &[u8], module: &Module) -> Result<()> {
    cache.insert_file(Kind::Module, key, &module.serialize().map_err(error)?);
    Ok(())
}

/// The module whose serialised form is under `key`, if there is a usable one, and its file.
pub fn cached_module(engine: &Engine, cache: &Cache, key: &[u8]) -> Option<(Module, PathBuf)> {
    let file = cache.get_file(Kind::Module, key)?;
    Some((load(engine, &file).ok()?, file))
}

/// A module from the file that holds what `Module::serialize` wrote: mapped, so that only what is
/// used of it takes memory. Whoever calls this trusts the file as much as a program that it starts:
/// it is machine code.
pub fn load(engine: &Engine, serialised: &Path) -> Result<Module> {
    // SAFETY: machine code must come from Wasmtime. That from the cache is a file of the user's
    // own, as writable to others as the tool itself is, and checked against the digest that it was
    // stored with; that from the command line the user allowed with `--allow-precompiled`. Wasmtime
    // checks that its own version and settings made it.
    unsafe { Module::deserialize_file(engine, serialised) }.map_err(error)
}

/// A key that covers `input`, and everything about `engine` that machine code depends on.
pub fn machine_code_key(engine: &Engine, purpose: &str, input: &[u8]) -> [u8; 32] {
    let mut digest = Digest(blake3::Hasher::new_derive_key("bactrian machine code 1"));
    engine.precompile_compatibility_hash().hash(&mut digest);
    purpose.hash(&mut digest);
    digest.0.update(input);
    digest.0.finalize().into()
}

/// BLAKE3 as a `Hasher`, for the part of a key that Wasmtime gives only as something to be hashed.
struct Digest(blake3::Hasher);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the digest is taken from the inner hasher")
    }
}
