//! Running a linked module to its end, in the sandbox, on a thread with the stack it was promised.

use anyhow::{Context, Result};
use wasmtime::{Engine, Module, Store, Trap};

use crate::engine;
use crate::host::{self, ExitStatus, Host, Sandbox};

/// The status a process reports when its program trapped: that of an aborted process, as `wasmtime` does.
pub const TRAP_STATUS: i32 = 134;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    Status(i32),
    /// It trapped: a fault in the guest or in the specializer, never in an OCaml program.
    Trapped(String),
}

impl Exit {
    /// The status that a process which ran the program should report.
    pub fn status(&self) -> i32 {
        match self {
            Exit::Status(status) => *status,
            Exit::Trapped(_) => TRAP_STATUS,
        }
    }
}

/// Runs `module` with the process's standard streams.
pub fn run(engine: &Engine, module: &Module, sandbox: &Sandbox) -> Result<Exit> {
    let mut wasi = sandbox.context()?;
    let mut store = Store::new(engine, Host::inheriting(wasi.build_p1(), sandbox)?);
    store.limiter(|host| &mut host.limits);
    let linker = host::linker(engine)?;
    engine::on_large_stack(move || {
        let instance = linker
            .instantiate(&mut store, module)
            .map_err(engine::error)?;
        let start = instance
            .get_typed_func::<(), ()>(&mut store, "_start")
            .map_err(engine::error)
            .context("the module is not a WASI command")?;
        Ok(exit(start.call(&mut store, ())))
    })?
}

/// How the program ended, from what its `_start` returned.
pub fn exit(result: wasmtime::Result<()>) -> Exit {
    let Err(error) = result else {
        return Exit::Status(0);
    };
    if let Some(ExitStatus(status)) = error.downcast_ref() {
        return Exit::Status(*status);
    }
    let advice = match error.downcast_ref() {
        Some(Trap::StackOverflow) => {
            "the native stack was used up before OCaml's own limit was reached"
        }
        Some(_) | None => {
            "if a compiler made the program, this is a fault in Bactrian: `bactrian lockstep` shows where execution goes wrong"
        }
    };
    Exit::Trapped(format!("the program trapped: {error:?}\n{advice}"))
}
