//! What a guest is started with, its arguments and variables, as WASI hands them over.
//!
//! Wasmtime's own takes UTF-8 only; names of files and values of variables need not be that.
//! Invariant: a guest gets the bytes that the sandbox has, each string followed by a zero.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::memory::{Fault, slice_mut};

/// A list of strings.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    /// With a zero behind each.
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<u32>,
}

impl Strings {
    pub fn push(&mut self, string: &OsStr) {
        self.starts.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(string.as_bytes());
        self.bytes.push(0);
    }

    /// Adds `name=value`.
    pub fn push_variable(&mut self, name: &OsStr, value: &OsStr) {
        self.push(&[name, value].join(OsStr::new("=")));
    }

    /// Writes how many there are, and how many bytes they take.
    pub fn put_sizes(&self, memory: &mut [u8], count: u32, size: u32) -> Result<(), Fault> {
        put_word(memory, count, self.starts.len() as u32)?;
        put_word(memory, size, self.bytes.len() as u32)
    }

    /// Writes the strings to `bytes`, and the address of each to `pointers`.
    pub fn put(&self, memory: &mut [u8], pointers: u32, bytes: u32) -> Result<(), Fault> {
        let addresses = self.starts.iter().map(|start| bytes.wrapping_add(*start));
        let addresses: Vec<u8> = addresses.flat_map(u32::to_le_bytes).collect();
        slice_mut(memory, pointers, addresses.len())?.copy_from_slice(&addresses);
        slice_mut(memory, bytes, self.bytes.len())?.copy_from_slice(&self.bytes);
        Ok(())
    }
}

fn put_word(memory: &mut [u8], address: u32, word: u32) -> Result<(), Fault> {
    slice_mut(memory, address, size_of::<u32>())?.copy_from_slice(&word.to_le_bytes());
    Ok(())
}
