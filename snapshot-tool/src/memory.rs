//! A guest's memory as a host function finds it: what lies at the addresses that a call is given.
//!
//! Invariant: an address outside of the memory is a [`Fault`], never a panic.

use wasmtime::{Caller, Extern, Memory};

use crate::streams::Errno;

/// A call was given an address outside of the guest's memory.
#[derive(Debug, thiserror::Error)]
#[error("a WASI call's pointer is outside of memory")]
pub struct Fault;

impl From<Fault> for Errno {
    fn from(Fault: Fault) -> Self {
        Errno::FAULT
    }
}

/// The state of a store with one guest.
pub trait Store {
    /// The guest's memory, once a call has asked for it: to look it up by its name takes as long as
    /// a short write.
    fn memory(&mut self) -> &mut Option<Memory>;
}

/// The guest's memory and the state of its store.
pub fn parts<'a, T: Store>(
    caller: &'a mut Caller<'_, T>,
) -> wasmtime::Result<(&'a mut [u8], &'a mut T)> {
    let memory = match *caller.data_mut().memory() {
        Some(memory) => memory,
        None => {
            let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
                return Err(wasmtime::Error::msg("the module exports no memory"));
            };
            *caller.data_mut().memory().insert(memory)
        }
    };
    Ok(memory.data_and_store_mut(caller))
}

pub fn slice(memory: &[u8], address: u32, len: usize) -> Result<&[u8], Fault> {
    let start = address as usize;
    memory.get(start..start + len).ok_or(Fault)
}

pub fn slice_mut(memory: &mut [u8], address: u32, len: usize) -> Result<&mut [u8], Fault> {
    let start = address as usize;
    memory.get_mut(start..start + len).ok_or(Fault)
}

pub fn word(memory: &[u8], address: u32) -> Result<u32, Fault> {
    let bytes = slice(memory, address, 4)?;
    Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}

/// Address and length of each buffer in a list of `count`.
pub fn buffers(
    memory: &[u8],
    list: u32,
    count: u32,
) -> Result<impl Iterator<Item = (u32, usize)>, Fault> {
    let (buffers, _) = slice(memory, list, 8 * count as usize)?.as_chunks();
    Ok(buffers.iter().map(|buffer| {
        let buffer = u64::from_le_bytes(*buffer);
        (buffer as u32, (buffer >> 32) as usize)
    }))
}
