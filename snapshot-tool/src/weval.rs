//! What the command `weval` does beside specializing: modules initialise themselves with what this
//! process has, as under weval.
//!
//! Invariant: nothing of the outside is in a key, so such a snapshot is never kept.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use wasmtime::Store;
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};
use wasmtime_wizer::Wizer;

use crate::engine::{self, Needs};
use crate::host::{Host, Sandbox};
use crate::imports;
use crate::interpreted::{self, Outcome};
use crate::known_code::KnownCode;
use crate::snapshot;

/// The exported function that takes the place of `_start` in an initialised module.
const RESUME: &str = "wizer.resume";

/// The nodes that the evaluation of a request may have, as many as weval gives it blocks: the code
/// of its interpreters is short, and they are large.
pub const NODES: u32 = 100_000;

/// How a module is initialised.
#[derive(Clone, Debug)]
pub struct Initialisation {
    /// The exported function that does it.
    pub function: String,
    pub keeps_function: bool,
    /// Directories of this process that it may use, under their names.
    pub directories: Vec<PathBuf>,
}

/// `module` as its initialisation leaves it. That has the streams and the environment of this
/// process; functions that nobody provides trap. What there is to say of it is handed to `say`.
pub fn initialised(
    module: &[u8],
    how: &Initialisation,
    code: &Arc<KnownCode>,
    say: impl Fn(&str),
) -> Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer
        .init_func(&how.function)
        .keep_init_func(how.keeps_function)
        .func_rename("_start", RESUME);
    let (layout, instrumented) = wizer
        .instrument(module)
        .map_err(engine::error)
        .context("the module cannot be frozen")?;
    // What runs once, and does little, takes longer to compile.
    let needs = Needs {
        hurry: true,
        ..Needs::default()
    };
    let engine = engine::for_one_use(code.store(), &needs)?;
    let cache = code.cache();
    let cache = cache.as_deref();
    let mut host = host(&how.directories)?;
    let compiled = match engine::cached(&engine, &instrumented, cache) {
        Some(compiled) => compiled,
        None => {
            let outcome =
                interpreted::initialised(&instrumented, &wizer, &layout, &how.function, host)?;
            host = self::host(&how.directories)?;
            match outcome {
                Outcome::Frozen(module) => return Ok(module),
                Outcome::Unfit(reason) => say(&format!("The module is compiled first: {reason}")),
                Outcome::GivenUp { input } => {
                    say("That takes long or goes deep: the module begins anew, compiled ...");
                    let streams = host.streams_mut().expect("it has this process's");
                    streams.unread(input);
                }
            }
            engine::compile(&engine, &instrumented, cache)?.0
        }
    };
    engine::on_large_stack(|| {
        let mut store = Store::new(&engine, host);
        let mut linker = imports::linker(&engine, &compiled)?;
        imports::add_intrinsics(&mut linker, &compiled)?;
        linker
            .define_unknown_imports_as_traps(&compiled)
            .map_err(engine::error)?;
        let instance = linker
            .instantiate(&mut store, &compiled)
            .map_err(engine::error)?;
        snapshot::initialise(&mut store, instance, &how.function)
            .map_err(engine::error)
            .with_context(|| format!("`{}` failed", how.function))?;
        snapshot::frozen(&wizer, &layout, &mut store, instance)
    })?
}

fn host(directories: &[PathBuf]) -> Result<Host> {
    let mut wasi = WasiCtxBuilder::new();
    wasi.allow_blocking_current_thread(true);
    for directory in directories {
        let name = directory.to_string_lossy();
        wasi.preopened_dir(directory, &name, FsPerms::ReadWrite)
            .map_err(engine::error)
            .with_context(|| format!("cannot open directory {name} (from --dir)"))?;
    }
    let host = Host::inheriting(wasi.build_p1(), &Sandbox::default(), None)?;
    Ok(host.with_variables(std::env::vars_os()))
}
