//! A program that has been loaded runs on, up to its first effect: what the annotations crate says
//! of the host's part ([`annotations::Evaluation`]).
//!
//! Invariant: the result depends on the loaded state alone. No import can be called, and what an
//! evaluation may cost is counted in instructions. Whatever stops it, the state at its last
//! checkpoint is one that the program passes through in every run whose assumptions hold.

mod loaded;
mod record;

use std::mem::offset_of;

use annotations::{EVALUATE_EXPORT, EVALUATION_EXPORT, Evaluation};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use wasmtime::{Instance, Linker, Module, Store, StoreLimits, StoreLimitsBuilder};

use crate::cells::Cells;
use crate::engine;
use loaded::Loaded;

/// How far a program is run at build time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Eval {
    /// Not at all: it is loaded.
    None,
    /// Until it is about to do something that can be seen from outside, or depends on it.
    #[default]
    Pure,
}

/// Instructions of WebAssembly that an evaluation may take: some tens of milliseconds.
const FUEL: u64 = 40_000_000;

/// Bytes of memory that the guest keeps free for what its program makes, and for the record.
const ROOM: u32 = 6 << 20;

/// Bytes by which its memory may grow.
const GROWTH: usize = 64 << 20;

/// What came of it.
#[derive(Default)]
pub struct Evaluated {
    /// The state to be frozen, if it is another than the loaded one.
    pub instance: Option<(Store<StoreLimits>, Instance)>,
    /// For people: what follows other remarks on the snapshot.
    pub report: String,
}

impl Evaluated {
    /// A program that is only loaded, for this reason.
    fn without(reason: &str) -> Self {
        Self {
            instance: None,
            report: format!("; not evaluated, because of {reason}"),
        }
    }
}

/// Asks the guest to leave room for what its program will make. To be called before it is
/// initialised.
pub fn make_room<T>(store: &mut Store<T>, instance: Instance) -> Result<()> {
    match Cells::of(store, instance, EVALUATION_EXPORT) {
        Some(cells) => cells.set(store, offset_of!(Evaluation, room), ROOM),
        None => Ok(()),
    }
}

/// Runs the program that was loaded into `instance`, whose machine code is `module`, as far as it
/// goes.
pub fn to_first_effect<T>(
    store: &mut Store<T>,
    instance: Instance,
    module: &Module,
) -> Result<Evaluated> {
    if Cells::of(store, instance, EVALUATION_EXPORT).is_none() {
        return Ok(Evaluated::default());
    }
    if module.resources_required().num_memories > 1 {
        // The record by which a program starts over is of one.
        return Ok(Evaluated::without("its several memories"));
    }
    let loaded = Loaded::of(store, instance)?;
    let first = Run::of(&loaded, module, 0, FUEL)?;
    if first.checkpoints == 0 {
        return first.without();
    }
    // It costs less than the first, and what it takes to be parked.
    let second = Run::of(&loaded, module, first.checkpoints, u64::MAX)?;
    if !second.parked {
        return second.without();
    }
    second.finish(&loaded, &first)
}

/// An evaluation that has ended.
struct Run {
    store: Store<StoreLimits>,
    instance: Instance,
    cells: Cells,
    checkpoints: u32,
    parked: bool,
    /// What stopped it, if it is not parked.
    reason: String,
}

impl Run {
    /// Evaluates up to the checkpoint `limit`, or, if that is 0, up to an effect.
    fn of(loaded: &Loaded, module: &Module, limit: u32, fuel: u64) -> Result<Self> {
        let engine = module.engine();
        let limits = StoreLimitsBuilder::new()
            .memory_size(loaded.size + GROWTH)
            .build();
        let mut store = Store::new(engine, limits);
        store.limiter(|limits| limits);
        store.set_fuel(fuel).map_err(engine::error)?;
        let mut linker = Linker::new(engine);
        linker
            .define_unknown_imports_as_traps(module)
            .map_err(engine::error)?;
        let instance = linker
            .instantiate(&mut store, module)
            .map_err(engine::error)?;
        loaded.restore(&mut store, instance)?;
        let cells = Cells::of(&mut store, instance, EVALUATION_EXPORT)
            .context("the cells were there when loaded")?;
        cells.set(&mut store, offset_of!(Evaluation, limit), limit)?;
        let evaluate = instance
            .get_typed_func::<(), ()>(&mut store, EVALUATE_EXPORT)
            .map_err(engine::error)?;
        let reason = match evaluate.call(&mut store, ()) {
            Ok(()) => String::new(),
            Err(error) => reason(&store, cells, &error)?,
        };
        Ok(Self {
            checkpoints: cells.get(&store, offset_of!(Evaluation, checkpoints))?,
            parked: reason.is_empty() && cells.get(&store, offset_of!(Evaluation, parked))? == 1,
            store,
            instance,
            cells,
            reason,
        })
    }

    /// The program is only loaded after all.
    fn without(self) -> Result<Evaluated> {
        Ok(Evaluated::without(&self.reason))
    }

    /// Leaves the record by which the program can start over.
    fn finish(mut self, loaded: &Loaded, first: &Self) -> Result<Evaluated> {
        let cells = self.cells;
        let get = |run: &Self, offset| cells.get(&run.store, offset);
        let statics = get(&self, offset_of!(Evaluation, statics))?;
        let free = get(&self, offset_of!(Evaluation, free))?;
        let free_end = get(&self, offset_of!(Evaluation, free_end))?;
        let position = get(&self, offset_of!(Evaluation, position))?;
        let record = record::of(loaded, cells.memory.data(&self.store), statics as usize);
        if record.len() > free_end.saturating_sub(free) as usize {
            self.reason = "how much it has changed".into();
            return self.without();
        }
        let memory = cells.memory.data_mut(&mut self.store);
        let place = memory.get_mut(free as usize..free as usize + record.len());
        let place = place.context("the place for the record is outside of memory")?;
        ensure!(
            place.iter().all(|&byte| byte == 0),
            "the place for the record is in use"
        );
        place.copy_from_slice(&record);
        let store = &mut self.store;
        cells.set(store, offset_of!(Evaluation, record), free)?;
        cells.set(
            store,
            offset_of!(Evaluation, record_len),
            record.len() as u32,
        )?;
        let report = format!(
            "; evaluated past {} calls, up to {position:#x}, stopped by {}; {} bytes to start over",
            self.checkpoints - 1,
            first.reason,
            record.len()
        );
        Ok(Evaluated {
            instance: Some((self.store, self.instance)),
            report,
        })
    }
}

/// What stopped an evaluation: the guest may say so, else it was an import, or a limit.
fn reason(store: &Store<StoreLimits>, cells: Cells, error: &wasmtime::Error) -> Result<String> {
    let address = cells.get(store, offset_of!(Evaluation, reason))? as usize;
    let len = cells.get(store, offset_of!(Evaluation, reason_len))? as usize;
    let said = cells.memory.data(store).get(address..address + len);
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        return Ok(String::from_utf8_lossy(said).into_owned());
    }
    if let Some(import) = error.downcast_ref::<wasmtime::UnknownImportError>() {
        return Ok(import.name().into());
    }
    Ok(match error.downcast_ref::<wasmtime::Trap>() {
        Some(wasmtime::Trap::OutOfFuel) => "what it costs".into(),
        Some(trap) => trapped(*trap),
        None => error.to_string(),
    })
}

/// What a trap is called, behind "stopped by". What the start of the program determines stands
/// outside of memory, so that who looks at it traps.
fn trapped(trap: wasmtime::Trap) -> String {
    if trap == wasmtime::Trap::MemoryOutOfBounds {
        return "the command line, or an access outside of memory".into();
    }
    let text = trap.to_string();
    let what = text.strip_prefix("wasm trap: ").unwrap_or(&text);
    format!("a trap ({what})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_is_named_in_words() {
        let divides = trapped(wasmtime::Trap::IntegerDivisionByZero);
        assert_eq!(divides, "a trap (integer divide by zero)");
    }
}
