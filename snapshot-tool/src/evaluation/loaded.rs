//! The state of a module whose program was loaded, to be given to other instances of it.

use anyhow::{Context, Result};
use wasmtime::{Extern, Instance, Memory, Store, Val};

use crate::engine;

/// What memory is compared and copied by.
pub const PAGE: usize = 1 << 16;

static ZEROS: [u8; PAGE] = [0; PAGE];

/// Memory and variables.
pub struct Loaded {
    /// Bytes of memory.
    pub size: usize,
    /// Its pages; nothing where all is zero.
    pages: Vec<Option<Box<[u8]>>>,
    globals: Vec<(String, Val)>,
}

impl Loaded {
    pub fn of<T>(store: &mut Store<T>, instance: Instance) -> Result<Self> {
        let globals = globals(store, instance);
        let memory = memory(store, instance)?;
        Ok(Self::new(memory.data(&*store), globals))
    }

    pub fn new(memory: &[u8], globals: Vec<(String, Val)>) -> Self {
        let pages = memory.chunks(PAGE);
        let pages = pages.map(|page| (page != ZEROS).then(|| page.into()));
        Self {
            size: memory.len(),
            pages: pages.collect(),
            globals,
        }
    }

    /// Puts this state into an instance that was just made.
    pub fn restore<T>(&self, store: &mut Store<T>, instance: Instance) -> Result<()> {
        let memory = memory(store, instance)?;
        let fresh = memory.data_size(&*store) / PAGE;
        let missing = self.size / PAGE - fresh;
        memory
            .grow(&mut *store, missing as u64)
            .map_err(engine::error)?;
        let places = memory.data_mut(&mut *store).chunks_mut(PAGE);
        for ((index, place), page) in places.enumerate().zip(&self.pages) {
            match page {
                Some(page) => place.copy_from_slice(page),
                // What was added is zero.
                None if index >= fresh => {}
                None => place.fill(0),
            }
        }
        for (name, value) in &self.globals {
            let global = instance.get_global(&mut *store, name);
            let global = global.context("instances of a module have the same exports")?;
            global.set(&mut *store, *value).map_err(engine::error)?;
        }
        Ok(())
    }

    /// A page; zeros beyond the end.
    pub fn page(&self, index: usize) -> &[u8] {
        match self.pages.get(index) {
            Some(Some(page)) => page,
            Some(None) | None => &ZEROS,
        }
    }
}

fn memory<T>(store: &mut Store<T>, instance: Instance) -> Result<Memory> {
    let memory = instance.get_memory(store, "memory");
    memory.context("the module does not export its memory")
}

/// The variables that can change: all of them are exported, as the module is one to be frozen.
fn globals<T>(store: &mut Store<T>, instance: Instance) -> Vec<(String, Val)> {
    let exports = instance.exports(&mut *store);
    let globals: Vec<_> = exports
        .filter_map(|export| {
            let name = export.name().to_owned();
            match export.into_extern() {
                Extern::Global(global) => Some((name, global)),
                _ => None,
            }
        })
        .collect();
    let mut found = Vec::new();
    for (name, global) in globals {
        if global.ty(&*store).mutability().is_var() {
            found.push((name, global.get(&mut *store)));
        }
    }
    found
}
