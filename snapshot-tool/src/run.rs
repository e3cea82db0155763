//! Runs a linked module to its end, in the sandbox, on a thread with the native stack that the
//! engine's configuration promises.

use std::mem::ManuallyDrop;
use std::time::Duration;

use anyhow::{Context, Result};
use specializer::Profile;
use wasmtime::{Engine, Module, Store, Trap};

use crate::engine;
use crate::host::{ExitStatus, Host, Sandbox};
use crate::imports;
use crate::limits::Limits;
use crate::profile;

/// The status a process reports when its program trapped: that of an aborted process, as `wasmtime`
/// does.
pub const TRAP_STATUS: i32 = 134;

/// The status where a limit that the user set was reached: that of a command which `timeout` ended.
pub const LIMIT_STATUS: i32 = 124;

/// What a run leaves.
#[derive(Debug)]
pub struct Run {
    pub exit: Exit,
    /// What was counted, in a module that counts; absent where the program goes on though its time
    /// is over.
    pub profile: Option<Profile>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    Status(i32),
    /// It reached a limit that the user set.
    Limited(Reached),
    /// It trapped. A program of a guest never does: then the guest or the specializer is at fault.
    /// Any other module may.
    Trapped(String),
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reached {
    #[error("it begins with more memory than {0} bytes (-W max-memory-size)")]
    Memory(usize),
    #[error("it has used its fuel of {0} (-W fuel)")]
    Fuel(u64),
    #[error("it has run for its time of {0:?} (-W timeout)")]
    Time(Duration),
    #[error(
        "it has used its native stack of {0} bytes (-W max-wasm-stack), \
         before the limit of its own stack was reached"
    )]
    Stack(usize),
}

impl Run {
    /// One that ended before anything was counted, or goes on.
    fn uncounted(exit: Exit) -> Self {
        Self {
            exit,
            profile: None,
        }
    }
}

impl Exit {
    /// The status that a process which ran the program should report.
    pub fn status(&self) -> i32 {
        match self {
            Exit::Status(status) => *status,
            Exit::Limited(_) => LIMIT_STATUS,
            Exit::Trapped(_) => TRAP_STATUS,
        }
    }

    /// What is to be said of it, where the program could not.
    pub fn message(&self) -> Option<String> {
        match self {
            Exit::Status(_) => None,
            Exit::Limited(reached) => Some(format!("the program was stopped: {reached}")),
            Exit::Trapped(message) => Some(message.clone()),
        }
    }
}

/// Runs `module` with the process's standard streams. A program that was stopped by its time limit
/// may go on until this process ends. The program's memory is the system's to take back then, all
/// at once: to give it back here took a tenth of the time of hello world.
pub fn run(engine: &Engine, module: &Module, sandbox: &Sandbox) -> Result<Run> {
    let limits = sandbox.limits;
    let mut wasi = sandbox.context()?;
    let host = Host::inheriting(wasi.build_p1(), sandbox, None)?;
    let host = host.started_by(sandbox).timed();
    let host = host.keeping_signals().ticking();
    let mut store = ManuallyDrop::new(Store::new(engine, host));
    store.limiter(|host| &mut host.limits);
    if let Some(fuel) = limits.fuel {
        store.set_fuel(fuel).map_err(engine::error)?;
    }
    let linker = imports::linker(engine, module)?;
    if let Some(bytes) = limits.memory.filter(|&bytes| bytes < first_memory(module)) {
        return Ok(Run::uncounted(Exit::Limited(Reached::Memory(bytes))));
    }
    let module = module.clone();
    let work = move || {
        let instance = match linker.instantiate(&mut *store, &module) {
            Ok(instance) => instance,
            Err(error) if error.is::<Trap>() => {
                return Ok(Run::uncounted(exit(Err(error), &limits)));
            }
            Err(error) => return Err(engine::error(error)),
        };
        let start = instance
            .get_typed_func::<(), ()>(&mut *store, "_start")
            .map_err(engine::error)
            .context("the module is not a WASI command")?;
        let exit = exit(start.call(&mut *store, ()), &limits);
        let profile = Some(profile::counted(&mut store, &instance));
        Ok(Run { exit, profile })
    };
    match limits.time {
        None => engine::on_large_stack(work)?,
        Some(time) => {
            let stopped = Run::uncounted(Exit::Limited(Reached::Time(time)));
            engine::with_deadline(time, work)?.unwrap_or(Ok(stopped))
        }
    }
}

/// Bytes of memory with which a program begins.
fn first_memory(module: &Module) -> usize {
    const PAGE: usize = 1 << 16;
    let pages = module.resources_required().max_initial_memory_size;
    pages.unwrap_or_default() as usize * PAGE
}

/// How the program ended, from what its `_start` returned.
pub fn exit(result: wasmtime::Result<()>, limits: &Limits) -> Exit {
    let Err(error) = result else {
        return Exit::Status(0);
    };
    if let Some(ExitStatus(status)) = error.downcast_ref() {
        return Exit::Status(*status);
    }
    let advice = match (error.downcast_ref(), limits.fuel, limits.stack) {
        (Some(Trap::OutOfFuel), Some(fuel), _) => return Exit::Limited(Reached::Fuel(fuel)),
        (Some(Trap::StackOverflow), _, Some(bytes)) => {
            return Exit::Limited(Reached::Stack(bytes));
        }
        (Some(Trap::StackOverflow), _, None) => {
            "the native stack was used up before the program's own limit was reached"
        }
        (Some(_) | None, _, _) => {
            "if a compiler made the program, and no C of its own is at fault, this is a fault in \
             Bactrian: `bactrian lockstep` shows where execution goes wrong"
        }
    };
    Exit::Trapped(format!("the program trapped: {error:?}\n{advice}"))
}
