//! Compiles the interpreter ahead of its use, for the build of the command.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use wasmtime::{CacheStore, Module};

use crate::engine::Needs;
use crate::pipeline::{Pipeline, Settings};
use crate::{engine, guest, precompiled, snapshot};

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
    let (_, instrumented) = snapshot::instrument(guest::DEFAULT.module)?;
    let runnable = snapshot::runnable(&instrumented)?;
    let module = Module::new(&engine, runnable).map_err(engine::error)?;
    let code = module.serialize().map_err(engine::error)?;
    Ok(precompiled::sealed(&instrumented, &code))
}

fn functions() -> Result<Vec<u8>> {
    let wasm = Pipeline::new(Settings::default())?.module(&(guest::DEFAULT.smallest)())?;
    let record = Arc::new(Record::default());
    let store = Arc::clone(&record) as Arc<dyn CacheStore>;
    let engine = engine::new(Some(store), &Needs::default())?;
    Module::new(&engine, &wasm).map_err(engine::error)?;
    let compiled = record.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(precompiled::table(&compiled))
}

/// Keeps what Cranelift compiles.
#[derive(Debug, Default)]
struct Record(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl CacheStore for Record {
    fn get(&self, _: &[u8]) -> Option<Cow<'_, [u8]>> {
        None
    }

    fn insert(&self, key: &[u8], code: Vec<u8>) -> bool {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.insert(key.to_vec(), code).is_none()
    }
}
