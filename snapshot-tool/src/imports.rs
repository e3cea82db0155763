//! The functions that a guest may import: WASI, what is served beyond it, what counts callees, and
//! the intrinsics, for modules that are not linked yet.
//!
//! Leaves out: everything else. A module with any other import does not start.

use annotations::{Intrinsic, Meaning, NO_STACKS, STACKS_MODULE, StackFunction};
use anyhow::Result;
use wasmtime::{Caller, Engine, Extern, FuncType, Linker, Val, ValType};

use crate::host::Host;
use crate::memory::{Fault, parts, slice_mut};
use crate::{engine, unconfined, wasi};

/// A linker with WASI and with what [`unconfined`] serves. WASI is Wasmtime's, but for what
/// [`wasi`] does itself, exit statuses among it (Wasmtime's own stop at 125).
pub fn linker<T: AsMut<Host> + Send + 'static>(engine: &Engine) -> Result<Linker<T>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p1::add_to_linker_sync(&mut linker, |host: &mut T| &mut host.as_mut().wasi)
        .map_err(engine::error)?;
    wasi::shadow(&mut linker).map_err(engine::error)?;
    ticks(&mut linker).map_err(engine::error)?;
    unconfined::define(&mut linker, |host: &mut T| host.as_mut().unconfined())
        .map_err(engine::error)?;
    let name = Intrinsic::ProfileCallee.name();
    linker
        .func_wrap(annotations::MODULE, name, count_callee)
        .map_err(engine::error)?;
    Ok(linker)
}

/// Starts the guest's ticker, see [`crate::ticker`], in the sandbox as well: it tells nothing of
/// the outside. The numbers are the addresses of its words.
fn ticks<T: AsMut<Host> + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        unconfined::MODULE,
        "tick",
        |mut caller: Caller<'_, T>,
         pending: i64,
         alert: i64,
         _: i64,
         _: u32,
         _: u32,
         _: u32,
         _: u32| {
            let (memory, host) = parts(&mut caller)?;
            let pending = aligned_word(memory, pending)?;
            let alert = aligned_word(memory, alert)?;
            // SAFETY: the words are aligned and within the memory, whose address space is reserved
            // as a whole, so that it stays where it is while the store has it; the store drops
            // the host's state first.
            let is_started = unsafe { host.as_mut().start_ticker(pending, alert) };
            wasmtime::Result::Ok(if is_started { 0 } else { unconfined::NOBODY })
        },
    )?;
    Ok(())
}

fn aligned_word(memory: &mut [u8], address: i64) -> wasmtime::Result<*mut u32> {
    let word = slice_mut(memory, address as u32, size_of::<u32>())?;
    let word = word.as_mut_ptr().cast::<u32>();
    match word.is_aligned() {
        true => Ok(word),
        false => Err(Fault.into()),
    }
}

/// [`Intrinsic::ProfileCallee`] in a module that counts: no callee is expected.
fn count_callee<T: AsMut<Host>>(mut caller: Caller<'_, T>, call: u32, code: u32) -> u32 {
    let host: &mut Host = caller.data_mut().as_mut();
    *host.callees.entry((call, code)).or_default() += 1;
    0
}

/// Adds the intrinsics with their generic meaning, for an annotated module that runs before it is
/// linked. It has one stack.
pub fn add_intrinsics<T: 'static>(linker: &mut Linker<T>) -> Result<()> {
    define_intrinsics(linker).map_err(engine::error)?;
    define_stacks(linker).map_err(engine::error)
}

fn define_stacks<T: 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    for function in StackFunction::ALL {
        let parameters = vec![ValType::I32; function.parameters()];
        let ty = FuncType::new(linker.engine(), parameters, [ValType::I32]);
        linker.func_new(STACKS_MODULE, function.name(), ty, |_, _, results| {
            results[0] = Val::I32(NO_STACKS);
            Ok(())
        })?;
    }
    Ok(())
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
