//! WASI for an interpreted module: what the tool serves itself, else Wasmtime's.
//!
//! Invariant: what can be seen from outside, or cannot be had twice, lifts the limit on
//! instructions before it happens, so that the initialisation is not begun anew after it. Reading
//! standard input is the exception: streams keep what was read.

use anyhow::Result;
use wasmi::{Caller, Error, Extern, Linker};
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as p1, WasiSnapshotPreview1};

use super::Failure;
use crate::host::{ExitStatus, Host};
use crate::wasi::{self, MODULE, table};

/// Defines the functions of the table.
macro_rules! define {
    ($linker:ident: $(
        $how:ident $name:ident($($argument:ident: $ty:ty),*) $effect:expr $(, $ours:path)?;
    )*) => {$(
        $linker.func_wrap(
            MODULE,
            stringify!($name),
            |mut caller: Caller<'_, Host>, $($argument: $ty),*| -> Result<i32, Error> {
                if $effect {
                    caller.set_fuel(u64::MAX)?;
                }
                let (memory, host) = parts(&mut caller)?;
                table::call!($how $name [$($ours)?] memory, host $(, $argument)*)
                    .map_err(Failure::of)
            },
        )?;
    )*};
}

/// Defines all of WASI.
pub fn define(linker: &mut Linker<Host>) -> Result<()> {
    table::functions!(define!(linker));
    linker.func_wrap(MODULE, "proc_exit", |status: i32| -> Result<(), Error> {
        Err(Failure::of(ExitStatus(status & 0xff)))
    })?;
    Ok(())
}

/// The module's memory, and its host.
fn parts<'a>(caller: &'a mut Caller<'_, Host>) -> Result<(&'a mut [u8], &'a mut Host), Error> {
    match caller.get_export("memory").and_then(Extern::into_memory) {
        Some(memory) => Ok(memory.data_and_store_mut(caller)),
        None => Err(Error::new("the module exports no memory")),
    }
}
