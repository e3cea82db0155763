//! Words in a module's memory that it shares with the host: an export says where.

use anyhow::{Context, Result};
use wasmtime::{Extern, Instance, Memory, Store};

/// Memory from the address on that an export gives.
#[derive(Clone, Copy)]
pub struct Cells {
    pub memory: Memory,
    address: usize,
}

impl Cells {
    /// Those of this export, if the module has it.
    pub fn of<T>(store: &mut Store<T>, instance: Instance, export: &str) -> Option<Self> {
        let memory = instance.get_memory(&mut *store, "memory")?;
        match instance.get_export(&mut *store, export)? {
            Extern::Global(global) => Some(Self {
                memory,
                address: global.get(&mut *store).i32()? as u32 as usize,
            }),
            _ => None,
        }
    }

    /// Writes the word `offset` bytes on.
    pub fn set<T>(self, store: &mut Store<T>, offset: usize, value: u32) -> Result<()> {
        self.memory
            .write(store, self.address + offset, &value.to_le_bytes())
            .context("cells shared with the host are outside of memory")
    }

    /// Reads it.
    pub fn get<T>(self, store: &Store<T>, offset: usize) -> Result<u32> {
        let mut bytes = [0; 4];
        self.memory
            .read(store, self.address + offset, &mut bytes)
            .context("cells shared with the host are outside of memory")?;
        Ok(u32::from_le_bytes(bytes))
    }
}
