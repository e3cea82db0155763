//! What a fault leaves alone, kept in memory so that it is made once: residual functions of other
//! requests, machine code of other functions.
//!
//! Invariant: each is found by a key of all that it depends on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anyhow::Result;
use specializer::{Options, Output, Store};
use wasmtime::{CacheStore, Config, Engine};

use crate::annotated::{Silent, error};

/// Bytes of machine code that are kept for one engine. What sound modules need is a small part; so
/// it is there before mutants, which may leave some out.
const ROOM: usize = 256 << 20;

/// The residual functions of a sound module, by their keys.
#[derive(Default)]
pub struct Bodies(HashMap<[u8; 32], Vec<Vec<u8>>>);

/// The same while the module is made.
#[derive(Default)]
struct Recorder(Mutex<Bodies>);

impl Bodies {
    /// Specializes a module, and keeps its residual functions.
    pub fn record(module: &[u8], options: &Options) -> Result<(Output, Self)> {
        let recorder = Recorder::default();
        let output = specializer::specialize(module, options, Some(&recorder), &Silent)?;
        let bodies = recorder.0.into_inner();
        Ok((output, bodies.unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Store for Bodies {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>> {
        self.0.get(key).cloned().unwrap_or_default()
    }

    /// Nobody asks again for what has a fault in it.
    fn insert(&self, _: &[u8; 32], _: &[u8]) {}
}

impl Store for Recorder {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>> {
        self.0.lock().expect("no holder panics").candidates(key)
    }

    fn insert(&self, key: &[u8; 32], blob: &[u8]) {
        let mut bodies = self.0.lock().expect("no holder panics");
        bodies.0.entry(*key).or_default().push(blob.to_vec());
    }
}

/// An engine that compiles no function twice.
pub fn engine(mut config: Config) -> Engine {
    config
        .enable_incremental_compilation(Arc::new(MachineCode::default()))
        .map_err(error)
        .and_then(|config| Engine::new(config).map_err(error))
        .expect("the configuration is valid")
}

/// Machine code of single functions, for one engine.
#[derive(Default, Debug)]
struct MachineCode(RwLock<Functions>);

#[derive(Default, Debug)]
struct Functions {
    by_key: HashMap<Vec<u8>, Vec<u8>>,
    size: usize,
}

impl CacheStore for MachineCode {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let functions = self.0.read().expect("no holder panics");
        functions.by_key.get(key).cloned().map(Cow::Owned)
    }

    fn insert(&self, key: &[u8], code: Vec<u8>) -> bool {
        let mut functions = self.0.write().expect("no holder panics");
        let is_room = functions.size + code.len() <= ROOM;
        if is_room {
            functions.size += code.len();
            functions.by_key.insert(key.to_vec(), code);
        }
        is_room
    }
}
