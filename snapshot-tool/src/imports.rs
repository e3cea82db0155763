//! The functions that a guest may import: WASI, what is served beyond it, what counts callees, and
//! the intrinsics, for modules that are not linked yet.
//!
//! Leaves out: everything else. A module with any other import does not start.

use annotations::{Intrinsic, Meaning};
use anyhow::Result;
use wasmtime::{Caller, Engine, Extern, FuncType, Linker, Val, ValType};

use crate::host::Host;
use crate::{engine, unconfined, wasi};

/// A linker with WASI and with what [`unconfined`] serves. WASI is Wasmtime's, but for what
/// [`wasi`] does itself, exit statuses among it (Wasmtime's own stop at 125).
pub fn linker<T: AsMut<Host> + Send + 'static>(engine: &Engine) -> Result<Linker<T>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p1::add_to_linker_sync(&mut linker, |host: &mut T| &mut host.as_mut().wasi)
        .map_err(engine::error)?;
    wasi::shadow(&mut linker).map_err(engine::error)?;
    unconfined::define(&mut linker, |host: &mut T| host.as_mut().unconfined())
        .map_err(engine::error)?;
    let name = Intrinsic::ProfileCallee.name();
    linker
        .func_wrap(annotations::MODULE, name, count_callee)
        .map_err(engine::error)?;
    Ok(linker)
}

/// [`Intrinsic::ProfileCallee`] in a module that counts: no callee is expected.
fn count_callee<T: AsMut<Host>>(mut caller: Caller<'_, T>, call: u32, code: u32) -> u32 {
    let host: &mut Host = caller.data_mut().as_mut();
    *host.callees.entry((call, code)).or_default() += 1;
    0
}

/// Adds the intrinsics with their generic meaning, for an annotated module that runs before it is
/// linked.
pub fn add_intrinsics<T: 'static>(linker: &mut Linker<T>) -> Result<()> {
    define_intrinsics(linker).map_err(engine::error)
}

fn define_intrinsics<T: 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    for &intrinsic in Intrinsic::ALL {
        let params = intrinsic.params().iter().map(|&ty| value_type(ty));
        let results = intrinsic.result().map(value_type);
        let ty = FuncType::new(linker.engine(), params, results);
        for (module, name) in intrinsic.imports() {
            linker.func_new(
                module,
                name,
                ty.clone(),
                move |mut caller, params, results| perform(intrinsic, &mut caller, params, results),
            )?;
        }
    }
    Ok(())
}

fn value_type(ty: annotations::Type) -> ValType {
    match ty {
        annotations::Type::I32 => ValType::I32,
        annotations::Type::I64 => ValType::I64,
    }
}

/// Does what an intrinsic means in generic code.
fn perform<T>(
    intrinsic: Intrinsic,
    caller: &mut Caller<'_, T>,
    params: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let width = intrinsic.cell_width() as usize;
    match intrinsic.meaning() {
        Meaning::Nothing => {}
        Meaning::First => results[0] = params[0],
        Meaning::Zero => results[0] = Val::I32(0),
        Meaning::Load => {
            let mut cell = [0; 8];
            memory(caller)?.read(&*caller, address(&params[0]), &mut cell[..width])?;
            let value = i64::from_le_bytes(cell);
            results[0] = match intrinsic.result() {
                Some(annotations::Type::I32) => Val::I32(value as i32),
                _ => Val::I64(value),
            };
        }
        Meaning::Store => {
            let value = params.last().expect("what is stored");
            let value = match *value {
                Val::I32(value) => i64::from(value),
                ref value => value.unwrap_i64(),
            };
            let cell = value.to_le_bytes();
            memory(caller)?.write(&mut *caller, address(&params[0]), &cell[..width])?;
        }
        Meaning::Trap => return Err(wasmtime::Trap::UnreachableCodeReached.into()),
    }
    Ok(())
}

fn address(value: &Val) -> usize {
    value.unwrap_i32() as u32 as usize
}

fn memory<T>(caller: &mut Caller<'_, T>) -> wasmtime::Result<wasmtime::Memory> {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory),
        _ => Err(wasmtime::Error::msg(
            "an annotated module must export its memory as `memory`",
        )),
    }
}
