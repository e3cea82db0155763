//! One side of a lockstep run: a module on a thread of its own. Its events go to the comparing
//! thread in batches.

use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Memory, Module, Store};
use wasmtime_wasi::Deterministic;
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};

use super::clock::Clock;
use super::event::{BATCH, Batch, STACK_WORDS, Said};
use super::outside::{self, Outside};
use super::{End, Setup, Standard};
use crate::engine;
use crate::guest::{Direction, Stack};
use crate::host::Host;
use crate::imports;
use crate::run;

/// How much a program may write to each stream under lockstep.
const OUTPUT_LIMIT: usize = 256 << 20;

/// Batches on their way; more would only let one side run ahead.
const IN_FLIGHT: usize = 16;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Generic,
    Residual,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Generic => "generic",
            Side::Residual => "residual",
        })
    }
}

/// A side that runs.
pub struct Started {
    pub side: Side,
    pub events: Receiver<Batch>,
    pub thread: JoinHandle<Result<End>>,
}

/// Starts `module` on a thread of its own.
pub fn start(
    engine: &Engine,
    side: Side,
    module: &Module,
    outside: Outside,
    setup: &Setup,
) -> Result<Started> {
    let (sender, events) = sync_channel(IN_FLIGHT);
    let (engine, module, setup) = (engine.clone(), module.clone(), setup.clone());
    let thread = engine::guest_thread(side.to_string())
        .spawn(move || run_side(&engine, &module, outside, &setup, sender))
        .context(
            "cannot reserve 1 GiB of address space for each of two stacks (is `ulimit -v` set?)",
        )?;
    Ok(Started {
        side,
        events,
        thread,
    })
}

/// What the side came to.
pub fn join(thread: JoinHandle<Result<End>>) -> Result<End> {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn run_side(
    engine: &Engine,
    module: &Module,
    outside: Outside,
    setup: &Setup,
    sender: SyncSender<Batch>,
) -> Result<End> {
    let (stdout, stderr) = (
        MemoryOutputPipe::new(OUTPUT_LIMIT),
        MemoryOutputPipe::new(OUTPUT_LIMIT),
    );
    let mut wasi = setup.sandbox.context()?;
    if let Standard::Given(input) = &setup.standard {
        wasi.stdin(MemoryInputPipe::new(input.clone()))
            .stdout(stdout.clone())
            .stderr(stderr.clone());
    }
    let clock = Clock::default();
    wasi.wall_clock(clock.clone())
        .monotonic_clock(clock.clone());
    wasi.secure_random(Deterministic::new(vec![0x5a, 0xc3, 0x17, 0x88, 0x2e]));
    let wasi = wasi.build_p1();
    let host = match (&setup.standard, &outside) {
        (Standard::Inherited(line), Outside::Record { .. }) => {
            Host::inheriting(wasi, &setup.sandbox, line.clone())?
        }
        (Standard::Inherited(_), Outside::Replay(_)) | (Standard::Given(_), _) => {
            Host::new(wasi, &setup.sandbox)
        }
    };
    let guest = Guest {
        host: host.started_by(&setup.sandbox),
        memory: None,
        recorder: Recorder {
            batch: Batch::default(),
            stack: setup.guest.manifest.stack,
            base: None,
            sender,
        },
        outside,
        clock,
    };
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| &mut guest.host.limits);
    store.set_epoch_deadline(1);
    let mut linker = linker(engine, module)?;
    outside::link(&mut linker, module)?;
    let instance = linker
        .instantiate(&mut store, module)
        .map_err(engine::error)?;
    let memory = prepare(&mut store, instance, setup)?;
    outside::connect(&mut store, module, memory)?;
    let start = instance
        .get_typed_func::<(), ()>(&mut store, "_start")
        .map_err(engine::error)?;
    let exit = run::exit(start.call(&mut store, ()), &setup.sandbox.limits);
    store.into_data().recorder.finish();
    Ok(End {
        exit,
        stdout: stdout.contents().into(),
        stderr: stderr.contents().into(),
    })
}

fn linker(engine: &Engine, module: &Module) -> Result<Linker<Guest>> {
    let mut linker = imports::linker(engine, module)?;
    linker
        .func_wrap("bactrian", "lockstep.event", record)
        .map_err(engine::error)?;
    Ok(linker)
}

/// Finds the memory, and switches stress on if it is asked for.
fn prepare(store: &mut Store<Guest>, instance: Instance, setup: &Setup) -> Result<Memory> {
    let memory = instance
        .get_memory(&mut *store, "memory")
        .context("the module does not export its memory")?;
    store.data_mut().memory = Some(memory);
    if setup.stress {
        let name = setup
            .guest
            .manifest
            .collect_cell
            .as_deref()
            .context("the guest knows no stress mode")?;
        let cell = match instance.get_export(&mut *store, name) {
            Some(Extern::Global(global)) => global.get(&mut *store).i32(),
            _ => None,
        };
        let address = cell.with_context(|| {
            format!("the module exports no cell `{name}`: it knows no stress mode")
        })?;
        memory
            .write(store, address as u32 as usize, &1u32.to_le_bytes())
            .context("the stress cell is outside of memory")?;
    }
    Ok(memory)
}

fn record(
    mut caller: Caller<'_, Guest>,
    kind: u32,
    position: u32,
    sp: u32,
    value: i64,
) -> wasmtime::Result<()> {
    let Some(memory) = caller.data().memory else {
        return Ok(());
    };
    let (memory, guest) = memory.data_and_store_mut(&mut caller);
    let said = Said {
        kind,
        position,
        sp,
        value,
    };
    guest.recorder.record(memory, said)
}

/// The state of a side's guest.
pub struct Guest {
    host: Host,
    /// Once the module is instantiated.
    pub memory: Option<Memory>,
    recorder: Recorder,
    pub outside: Outside,
    pub clock: Clock,
}

impl AsMut<Host> for Guest {
    fn as_mut(&mut self) -> &mut Host {
        &mut self.host
    }
}

struct Recorder {
    batch: Batch,
    stack: Stack,
    /// The stack pointer so far that is the farthest from the top: words beyond it are not on the
    /// stack, or those of a program that began before its snapshot.
    base: Option<u32>,
    sender: SyncSender<Batch>,
}

impl Recorder {
    fn record(&mut self, memory: &[u8], said: Said) -> wasmtime::Result<()> {
        let sp = said.sp;
        let most = self.stack.cell.bytes() * STACK_WORDS;
        let base = self.base.unwrap_or(sp);
        let (start, end, base) = match self.stack.grows {
            Direction::Down => {
                let base = base.max(sp);
                (sp as usize, (sp as usize + most).min(base as usize), base)
            }
            Direction::Up => {
                let base = base.min(sp);
                let start = (sp as usize).saturating_sub(most);
                (start.max(base as usize), sp as usize, base)
            }
        };
        self.base = Some(base);
        let stack = memory.get(start..end).unwrap_or_default();
        self.batch.push(said, stack);
        if self.batch.len() == BATCH {
            let batch = std::mem::take(&mut self.batch);
            self.sender
                .send(batch)
                .map_err(|_| wasmtime::Error::msg("the comparison has ended"))?;
        }
        Ok(())
    }

    /// Sends what is left. Nobody may be there to receive it any more.
    fn finish(self) {
        let _ = self.sender.send(self.batch);
    }
}
