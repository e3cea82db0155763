//! The functions that a guest may import: WASI, what is served beyond it, what counts callees, and
//! the intrinsics, for modules that are not linked yet.
//!
//! Leaves out: everything else. A module with any other import does not start.

use annotations::{Intrinsic, Meaning, NO_STACKS, STACKS_MODULE, StackFunction};
use anyhow::Result;
use wasmtime::{Caller, Engine, Extern, FuncType, Linker, Module, Val, ValType};

use crate::host::Host;
use crate::import_linker::{ImportLinker, imported};
use crate::memory::{Fault, parts, slice_mut};
use crate::{engine, unconfined, wasi};

/// A linker with what `module` imports of WASI, and of what [`unconfined`] serves. WASI is
/// Wasmtime's, but for what [`wasi`] does itself, exit statuses among it (Wasmtime's own stop at
/// 125).
pub fn linker<T: AsMut<Host> + Send + 'static>(
    engine: &Engine,
    module: &Module,
) -> Result<Linker<T>> {
    let mut linker = ImportLinker::new(engine, module);
    define(&mut linker).map_err(engine::error)?;
    Ok(linker.finish())
}

fn define<T: AsMut<Host> + Send + 'static>(linker: &mut ImportLinker<T>) -> wasmtime::Result<()> {
    wasi::define(linker)?;
    ticks(linker)?;
    unconfined::define(linker, |host: &mut T| host.as_mut().unconfined())?;
    let name = Intrinsic::ProfileCallee.name();
    linker.func_wrap(annotations::MODULE, name, count_callee)
}

/// Starts the guest's ticker, see [`crate::ticker`], in the sandbox as well: it tells nothing of
/// the outside. The numbers are the addresses of its words.
fn ticks<T: AsMut<Host> + 'static>(linker: &mut ImportLinker<T>) -> wasmtime::Result<()> {
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
            if has_long_addresses(&mut caller) {
                return Ok(unconfined::NOBODY);
            }
            let (memory, host) = parts(&mut caller)?;
            let pending = aligned_word(memory, pending)?;
            let alert = aligned_word(memory, alert)?;
            // SAFETY: the words are aligned and within the memory. The engine moves none
            // (`memory_may_move`), so that it stays where it is while the store has it; the store
            // drops the host's state first.
            let is_started = unsafe { host.as_mut().start_ticker(pending, alert) };
            wasmtime::Result::Ok(if is_started { 0 } else { unconfined::NOBODY })
        },
    )
}

/// Whether the guest's memory has addresses of 64 bits: their lower halves are other addresses.
fn has_long_addresses<T: 'static>(caller: &mut Caller<'_, T>) -> bool {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => memory.ty(&*caller).is_64(),
        _ => false,
    }
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

/// Adds the intrinsics that `module` imports with their generic meaning: it is annotated, and runs
/// before it is linked. It has one stack.
pub fn add_intrinsics<T: 'static>(linker: &mut Linker<T>, module: &Module) -> Result<()> {
    define_intrinsics(linker, module).map_err(engine::error)
}

fn define_intrinsics<T: 'static>(linker: &mut Linker<T>, module: &Module) -> wasmtime::Result<()> {
    let imports = imported(module);
    let mut functions = generic_functions();
    functions.retain(|function| imports.contains(&(function.module, function.name)));
    for function in functions {
        let params = function.parameters.iter().map(|&ty| value_type(ty));
        let results = function.result.map(value_type);
        let ty = FuncType::new(linker.engine(), params, results);
        let (module, name) = (function.module, function.name);
        linker.func_new(module, name, ty, move |mut caller, params, results| {
            let params: Vec<i64> = params.iter().map(integer).collect();
            let memory = match caller.get_export("memory") {
                Some(Extern::Memory(memory)) => Some(memory.data_mut(&mut caller)),
                _ => None,
            };
            let number = function.call(&params, memory)?;
            for (result, number) in results.iter_mut().zip(number) {
                *result = match number {
                    Number::I32(number) => Val::I32(number),
                    Number::I64(number) => Val::I64(number),
                };
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn value_type(ty: annotations::Type) -> ValType {
    match ty {
        annotations::Type::I32 => ValType::I32,
        annotations::Type::I64 => ValType::I64,
    }
}

fn integer(value: &Val) -> i64 {
    match *value {
        Val::I32(value) => value.into(),
        ref value => value.unwrap_i64(),
    }
}

/// A function that an annotated module may import before it is linked, whatever runs it.
#[derive(Clone, Debug)]
pub struct GenericFunction {
    pub module: &'static str,
    pub name: &'static str,
    pub parameters: Vec<annotations::Type>,
    pub result: Option<annotations::Type>,
    /// Without it, a function on stacks, in a module that has one.
    intrinsic: Option<Intrinsic>,
}

/// The intrinsics, by each of their names, and the functions on stacks.
pub fn generic_functions() -> Vec<GenericFunction> {
    let mut functions = Vec::new();
    for &intrinsic in Intrinsic::ALL {
        for (module, name) in intrinsic.imports() {
            functions.push(GenericFunction {
                module,
                name,
                parameters: intrinsic.params().to_vec(),
                result: intrinsic.result(),
                intrinsic: Some(intrinsic),
            });
        }
    }
    for function in StackFunction::ALL {
        functions.push(GenericFunction {
            module: STACKS_MODULE,
            name: function.name(),
            parameters: vec![annotations::Type::I32; function.parameters()],
            result: Some(annotations::Type::I32),
            intrinsic: None,
        });
    }
    functions
}

/// A result, of its type.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    I32(i32),
    I64(i64),
}

impl GenericFunction {
    /// Does what the function means in generic code, in the module's memory. Returns its result, if
    /// it has one.
    pub fn call(
        &self,
        params: &[i64],
        memory: Option<&mut [u8]>,
    ) -> wasmtime::Result<Option<Number>> {
        let number = self.perform(params, memory)?;
        Ok(self.result.map(|ty| match ty {
            annotations::Type::I32 => Number::I32(number as i32),
            annotations::Type::I64 => Number::I64(number),
        }))
    }

    fn perform(&self, params: &[i64], memory: Option<&mut [u8]>) -> wasmtime::Result<i64> {
        let Some(intrinsic) = self.intrinsic else {
            return Ok(NO_STACKS.into());
        };
        let width = intrinsic.cell_width() as usize;
        match intrinsic.meaning() {
            Meaning::Nothing | Meaning::Zero => Ok(0),
            Meaning::First => Ok(params[0]),
            Meaning::Load => {
                let mut cell = [0; 8];
                let found = slice_mut(of_module(memory)?, params[0] as u32, width)?;
                cell[..width].copy_from_slice(found);
                Ok(i64::from_le_bytes(cell))
            }
            Meaning::Store => {
                let value = params.last().expect("what is stored").to_le_bytes();
                let cell = slice_mut(of_module(memory)?, params[0] as u32, width)?;
                cell.copy_from_slice(&value[..width]);
                Ok(0)
            }
            Meaning::Trap => Err(wasmtime::Trap::UnreachableCodeReached.into()),
        }
    }
}

fn of_module(memory: Option<&mut [u8]>) -> wasmtime::Result<&mut [u8]> {
    memory.ok_or_else(|| {
        wasmtime::Error::msg("an annotated module must export its memory as `memory`")
    })
}
