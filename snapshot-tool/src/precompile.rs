//! Compiles the interpreter ahead of its use, for the build of the command.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use wasmtime::{CacheStore, Module};

use crate::engine::Needs;
use crate::pipeline::{Pipeline, Settings};
use crate::{engine, guest, precompiled, snapshot, unconfined};

/// What [`crate::precompiled::Precompiled`] has, to be written to files.
#[derive(Default)]
pub struct Made {
    pub interpreter: Vec<u8>,
    pub functions: Vec<u8>,
}

/// Compiles the interpreter for this machine, as snapshots are taken with it and as part of a
/// program.
pub fn make() -> Result<Made> {
    Ok(Made {
        interpreter: interpreter().context("cannot compile the interpreter")?,
        functions: functions().context("cannot compile the functions of the runtime")?,
    })
}

fn interpreter() -> Result<Vec<u8>> {
    let engine = engine::for_one_use(None, &snapshot::NEEDS)?;
    let guest = guest::default();
    let module = snapshot::prepared(&guest.module)?;
    let (_, instrumented) = snapshot::instrument(&module, &guest.manifest.initialize)?;
    let runnable = snapshot::runnable(&instrumented)?;
    let module = Module::new(&engine, runnable).map_err(engine::error)?;
    let code = module.serialize().map_err(engine::error)?;
    Ok(precompiled::sealed(&instrumented, &code))
}

/// Most times that a program is compiled.
const ROUNDS: usize = 6;

fn functions() -> Result<Vec<u8>> {
    let smallest = guest::default().smallest;
    let smallest = smallest.context("the guest has no smallest program")?;
    let record = Arc::new(Record::default());
    // As `run` and as `build` have programs.
    for absent in [None, Some(unconfined::absent())] {
        let mut pipeline = Pipeline::new(Settings::default())?;
        pipeline.settings.options.absent = absent;
        pipeline.settings.options.shares_code = true;
        pipeline.settings.options.keeps_unreached = true;
        let wasm = pipeline.module(&smallest())?;
        // Cranelift 0.135 leaves the exception table of a trampoline to the functions that it
        // compiles next with the same memory, and counts it in their keys. So a function has
        // several keys; with those of each round known to the next, most are met.
        for _ in 0..ROUNDS {
            let before = record.known().len();
            let store = Arc::clone(&record) as Arc<dyn CacheStore>;
            let engine = engine::new(Some(store), &Needs::default())?;
            Module::new(&engine, &wasm).map_err(engine::error)?;
            let known = record.known().len();
            if known - before <= known / 100 {
                break;
            }
        }
    }
    let known = record.known();
    Ok(precompiled::table(&known))
}

/// Keeps what Cranelift compiles.
#[derive(Debug, Default)]
struct Record(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Record {
    fn known(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheStore for Record {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        self.known().get(key).cloned().map(Cow::Owned)
    }

    fn insert(&self, key: &[u8], code: Vec<u8>) -> bool {
        self.known().insert(key.to_vec(), code).is_none()
    }
}
