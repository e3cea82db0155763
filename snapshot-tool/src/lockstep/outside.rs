//! Calls to the outside under lockstep: one side makes them, the other is given the same results.
//!
//! The generic side's calls of WASI, and of what [`unconfined`] serves, are recorded with the
//! memory that they read and wrote. The residual side plays them back in order. What depends on the
//! process alone (arguments, environment, clocks that count, fixed "random" numbers) each side asks
//! for itself.
//!
//! Invariant: files, directories, streams and waiting happen once. A call that differs between the
//! sides, in its name, its numbers or the bytes it hands over, ends the run.
//!
//! A host function finds its caller's memory by the caller's export. So a recorded call goes
//! through a module in between, the relay, which shares the guest's memory and forwards.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use anyhow::{Context, Result};
use wasmtime::{Caller, Func, FuncType, Linker, Memory, Module, Store, Val, ValType};

use super::side::Guest;
use crate::engine;
use crate::imports::linker;
use crate::memory::{Fault, buffers, slice, slice_mut, word};
use crate::{unconfined, wasi};

/// The module name of WASI's imports.
const WASI: &str = "wasi_snapshot_preview1";

/// A part of memory that a call reads or writes, by the call's parameters.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// `bytes` at `pointer`.
    Fixed { pointer: usize, bytes: usize },
    /// As many bytes at `pointer` as parameter `len` says.
    Sized { pointer: usize, len: usize },
    /// As many units of `unit` bytes at `pointer` as the u32 at parameter `count` says after the
    /// call.
    Counted {
        pointer: usize,
        count: usize,
        unit: usize,
    },
    /// As many bytes at `pointer` as the call answers, if parameter `len` says that there is room.
    Answered { pointer: usize, len: usize },
    /// The buffers in the list at parameter `list`, whose length follows; those of a read as far as
    /// the u32 at parameter `count` says.
    Vectors { list: usize, count: Option<usize> },
}

/// What is recorded of a function: parameters that are compared as numbers, parts that it reads and
/// writes.
#[derive(Debug)]
struct Shape {
    name: &'static str,
    numbers: &'static [usize],
    reads: &'static [Part],
    writes: &'static [Part],
}

macro_rules! shapes {
    ($($name:tt $numbers:tt $reads:tt $writes:tt)*) => {
        [$(Shape { name: $name, numbers: &$numbers, reads: &$reads, writes: &$writes }),*]
    };
}

const fn fixed(pointer: usize, bytes: usize) -> Part {
    Part::Fixed { pointer, bytes }
}

const fn path(pointer: usize) -> Part {
    Part::Sized {
        pointer,
        len: pointer + 1,
    }
}

const fn counted(pointer: usize, count: usize, unit: usize) -> Part {
    Part::Counted {
        pointer,
        count,
        unit,
    }
}

const fn sent(list: usize) -> Part {
    Part::Vectors { list, count: None }
}

const fn received(list: usize, count: usize) -> Part {
    let count = Some(count);
    Part::Vectors { list, count }
}

/// Sizes of WASI's structures: fdstat, filestat, event.
const FDSTAT: usize = 24;
const FILESTAT: usize = 64;
const EVENT: usize = 32;

/// The functions that wait, also for a time: of WASI, and beyond it.
const POLL_ONEOFF: &str = "poll_oneoff";
const POLL: &str = "poll";

/// The functions that are played back; the layouts are those of `wasi_snapshot_preview1.witx`.
static SHAPES: [Shape; 31] = shapes! {
    "fd_advise" [0, 1, 2, 3] [] []
    "fd_allocate" [0, 1, 2] [] []
    "fd_close" [0] [] []
    "fd_datasync" [0] [] []
    "fd_fdstat_get" [0] [] [fixed(1, FDSTAT)]
    "fd_fdstat_set_flags" [0, 1] [] []
    "fd_fdstat_set_rights" [0, 1, 2] [] []
    "fd_filestat_get" [0] [] [fixed(1, FILESTAT)]
    "fd_filestat_set_size" [0, 1] [] []
    "fd_filestat_set_times" [0, 1, 2, 3] [] []
    "fd_pread" [0, 2, 3] [] [fixed(4, 4), received(1, 4)]
    "fd_pwrite" [0, 2, 3] [sent(1)] [fixed(4, 4)]
    "fd_read" [0, 2] [] [fixed(3, 4), received(1, 3)]
    "fd_readdir" [0, 2, 3] [] [fixed(4, 4), counted(1, 4, 1)]
    "fd_renumber" [0, 1] [] []
    "fd_seek" [0, 1, 2] [] [fixed(3, 8)]
    "fd_sync" [0] [] []
    "fd_tell" [0] [] [fixed(1, 8)]
    "fd_write" [0, 2] [sent(1)] [fixed(3, 4)]
    "path_create_directory" [0] [path(1)] []
    "path_filestat_get" [0, 1] [path(2)] [fixed(4, FILESTAT)]
    "path_filestat_set_times" [0, 1, 4, 5, 6] [path(2)] []
    "path_link" [0, 1, 4] [path(2), path(5)] []
    "path_open" [0, 1, 4, 5, 6, 7] [path(2)] [fixed(8, 4)]
    "path_readlink" [0, 4] [path(1)] [fixed(5, 4), counted(3, 5, 1)]
    "path_remove_directory" [0] [path(1)] []
    "path_rename" [0, 3] [path(1), path(4)] []
    "path_symlink" [2] [path(0), path(3)] []
    "path_unlink_file" [0] [path(1)] []
    POLL_ONEOFF [2] [] [fixed(3, 4), counted(1, 3, EVENT)]
    "sched_yield" [] [] []
};

/// The functions of [`unconfined`] all have this shape (see `interpreter/src/os/host`).
static BEYOND_WASI: Shape = Shape {
    name: "a call beyond WASI",
    numbers: &[0, 1, 2, 4, 6],
    reads: &[path(3)],
    writes: &[Part::Answered { pointer: 5, len: 6 }],
};

/// A function that a module imports and that is played back.
#[derive(Clone, Debug)]
struct Import {
    module: String,
    name: String,
    ty: FuncType,
    shape: &'static Shape,
}

impl Import {
    /// Whether a call failed that answers `answer`; it then has written nothing.
    fn failed(&self, answer: i64) -> bool {
        if self.module == WASI {
            answer != 0
        } else {
            answer < 0
        }
    }
}

/// A call that was made.
#[derive(Debug)]
pub struct Call {
    name: String,
    numbers: Vec<i64>,
    read: Vec<u8>,
    answer: i64,
    written: Vec<Vec<u8>>,
}

/// What a side does about its calls.
#[derive(Debug)]
pub enum Outside {
    /// Makes them, and tells the other side.
    Record {
        calls: Sender<Call>,
        /// Whether a call is being made.
        waits: Arc<AtomicBool>,
        /// The relay's functions, in the order of the module's imports, once there is a memory to
        /// share.
        relay: Vec<Func>,
    },
    /// Takes the results that the other side got.
    Replay(Receiver<Call>),
}

/// Puts recording or playing back in place of these functions.
pub fn link(linker: &mut Linker<Guest>, module: &Module) -> Result<()> {
    linker.allow_shadowing(true);
    for (index, import) in imports(module).into_iter().enumerate() {
        let (module, name) = (import.module.clone(), import.name.clone());
        let ty = import.ty.clone();
        linker
            .func_new(&module, &name, ty, move |mut caller, params, results| {
                call(&mut caller, (index, &import), params, results)?;
                if !import.failed(number(&results[0])) {
                    let waited = waited(&caller, &import, params)?;
                    caller.data().clock.advance(waited);
                }
                Ok(())
            })
            .map_err(engine::error)?;
    }
    Ok(())
}

/// Makes the relay, where the side makes calls.
pub fn connect(store: &mut Store<Guest>, module: &Module, memory: Memory) -> Result<()> {
    if let Outside::Replay(_) = store.data().outside {
        return Ok(());
    }
    let imports = imports(module);
    let relay = wat::parse_str(relay(&imports)).context("the relay's text")?;
    let relay = Module::new(store.engine(), relay).map_err(engine::error)?;
    let mut linker = linker(store.engine(), &relay)?;
    linker
        .define(&mut *store, "guest", "memory", memory)
        .map_err(engine::error)?;
    let instance = linker
        .instantiate(&mut *store, &relay)
        .map_err(engine::error)?;
    let functions = (0..imports.len()).map(|index| {
        instance
            .get_func(&mut *store, &index.to_string())
            .context("the relay has each function that the module imports")
    });
    let functions = functions.collect::<Result<_>>()?;
    if let Outside::Record { relay, .. } = &mut store.data_mut().outside {
        *relay = functions;
    }
    Ok(())
}

/// The functions that `module` imports and that are played back.
fn imports(module: &Module) -> Vec<Import> {
    let mut found = Vec::new();
    for import in module.imports() {
        let shape = match import.module() {
            WASI => SHAPES.iter().find(|shape| shape.name == import.name()),
            unconfined::MODULE => Some(&BEYOND_WASI),
            _ => None,
        };
        if let (Some(shape), Some(ty)) = (shape, import.ty().func()) {
            found.push(Import {
                module: import.module().into(),
                name: import.name().into(),
                ty: ty.clone(),
                shape,
            });
        }
    }
    found
}

/// The text of a module that forwards to these functions, by number, and exports the guest's
/// memory.
fn relay(imports: &[Import]) -> String {
    let mut text = String::from("(module\n");
    let mut functions = String::new();
    for (index, import) in imports.iter().enumerate() {
        let Import {
            module, name, ty, ..
        } = import;
        let params: Vec<String> = ty.params().map(|ty| ty.to_string()).collect();
        let results: Vec<String> = ty.results().map(|ty| ty.to_string()).collect();
        let signature = format!(
            "(param {}) (result {})",
            params.join(" "),
            results.join(" ")
        );
        let arguments: String = (0..params.len())
            .map(|i| format!(" (local.get {i})"))
            .collect();
        let _ = writeln!(
            text,
            "(import \"{module}\" \"{name}\" (func $f{index} {signature}))"
        );
        let _ = writeln!(
            functions,
            "(func (export \"{index}\") {signature} (call $f{index}{arguments}))"
        );
    }
    text.push_str("(import \"guest\" \"memory\" (memory 0))\n(export \"memory\" (memory 0))\n");
    text.push_str(&functions);
    text.push(')');
    text
}

fn call(
    caller: &mut Caller<'_, Guest>,
    (index, import): (usize, &Import),
    params: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let shape = import.shape;
    let memory = caller
        .data()
        .memory
        .context("the module calls the outside before it is instantiated")
        .map_err(error)?;
    let numbers = shape
        .numbers
        .iter()
        .map(|&at| number(&params[at]))
        .collect();
    let read = gather(memory.data(&*caller), shape.reads, (params, 0))
        .map_err(error)?
        .concat();
    let (relay, waits) = match &mut caller.data_mut().outside {
        Outside::Replay(calls) => {
            let call = calls.recv().map_err(|_| {
                wasmtime::Error::msg(format!(
                    "{}: the generic side makes no such call",
                    import.name
                ))
            })?;
            return play(
                &call,
                import,
                (numbers, read),
                memory.data_mut(caller),
                params,
                results,
            );
        }
        Outside::Record { relay, waits, .. } => (relay[index], Arc::clone(waits)),
    };
    waits.store(true, Ordering::Relaxed);
    let result = relay.call(&mut *caller, params, results);
    waits.store(false, Ordering::Relaxed);
    result?;
    let answer = number(&results[0]);
    let writes = if import.failed(answer) {
        &[]
    } else {
        shape.writes
    };
    let call = Call {
        name: import.name.clone(),
        numbers,
        read,
        answer,
        written: gather(memory.data(&*caller), writes, (params, answer)).map_err(error)?,
    };
    if let Outside::Record { calls, .. } = &mut caller.data_mut().outside {
        // This fails if the other side has ended, which the comparison reports.
        let _ = calls.send(call);
    }
    Ok(())
}

/// How long a call has waited because it was to wait for no longer.
fn waited(caller: &Caller<'_, Guest>, import: &Import, params: &[Val]) -> Result<Duration, Fault> {
    let memory = caller.data().memory.expect("the call was made");
    let memory = memory.data(caller);
    let param = |at: usize| number(&params[at]) as u32;
    match (&*import.module, &*import.name) {
        (WASI, POLL_ONEOFF) => wasi::time_waited(memory, param(0), param(1), param(2), param(3)),
        (unconfined::MODULE, POLL) => {
            let is_over = slice(memory, param(5), param(6) as usize)?
                .iter()
                .all(|ready| *ready == 0);
            let timeout = u64::try_from(number(&params[0])).unwrap_or_default();
            Ok(Duration::from_nanos(if is_over { timeout } else { 0 }))
        }
        _ => Ok(Duration::ZERO),
    }
}

/// Gives the results of `call` to a side that calls `import` with these numbers and these bytes.
fn play(
    call: &Call,
    import: &Import,
    (numbers, read): (Vec<i64>, Vec<u8>),
    memory: &mut [u8],
    params: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    if (&call.name, &call.numbers, &call.read) != (&import.name, &numbers, &read) {
        let agreed = call.read.iter().zip(&read).take_while(|(a, b)| a == b);
        let at = agreed.count();
        return Err(wasmtime::Error::msg(format!(
            "the sides call the outside differently: generic {}{:?}, residual {}{numbers:?}; \
             what they hand over differs from byte {at} on: {:?}, {:?}",
            call.name,
            call.numbers,
            import.name,
            excerpt(&call.read[at..]),
            excerpt(&read[at..])
        )));
    }
    if !import.failed(call.answer) {
        for (part, bytes) in import.shape.writes.iter().zip(&call.written) {
            scatter(memory, part, (params, call.answer), bytes).map_err(error)?;
        }
    }
    results[0] = match import.ty.result(0) {
        Some(ValType::I64) => Val::I64(call.answer),
        Some(_) | None => Val::I32(call.answer as i32),
    };
    Ok(())
}

/// The beginning of some bytes, as text.
fn excerpt(bytes: &[u8]) -> String {
    const LENGTH: usize = 120;
    String::from_utf8_lossy(&bytes[..bytes.len().min(LENGTH)]).into_owned()
}

fn number(value: &Val) -> i64 {
    match value {
        Val::I32(value) => i64::from(*value),
        Val::I64(value) => *value,
        Val::F32(_)
        | Val::F64(_)
        | Val::V128(_)
        | Val::FuncRef(_)
        | Val::ExternRef(_)
        | Val::AnyRef(_)
        | Val::ExnRef(_)
        | Val::ContRef(_) => unreachable!("the outside takes and gives integers"),
    }
}

/// A call's parameters, and its answer once it has one.
type Made<'a> = (&'a [Val], i64);

/// The bytes of each part.
fn gather(memory: &[u8], parts: &[Part], made: Made) -> Result<Vec<Vec<u8>>> {
    parts
        .iter()
        .map(|part| {
            let mut bytes = Vec::new();
            for (start, len) in ranges(memory, part, made)? {
                bytes.extend_from_slice(slice(memory, start, len)?);
            }
            Ok(bytes)
        })
        .collect()
}

/// Writes `bytes` where `part` lies. A count is among the parts before those that it measures.
fn scatter(memory: &mut [u8], part: &Part, made: Made, bytes: &[u8]) -> Result<()> {
    let mut rest = bytes;
    for (start, len) in ranges(memory, part, made)? {
        let (now, later) = rest
            .split_at_checked(len)
            .context("the buffers differ in size")?;
        slice_mut(memory, start, len)?.copy_from_slice(now);
        rest = later;
    }
    Ok(())
}

/// Where `part` lies: starts and lengths.
fn ranges(memory: &[u8], part: &Part, (params, answer): Made) -> Result<Vec<(u32, usize)>> {
    let param = |index: usize| number(&params[index]) as u32;
    let count_at = |index: usize| word(memory, param(index)).map(|count| count as usize);
    Ok(match *part {
        Part::Fixed { pointer, bytes } => vec![(param(pointer), bytes)],
        Part::Sized { pointer, len } => vec![(param(pointer), param(len) as usize)],
        Part::Counted {
            pointer,
            count,
            unit,
        } => vec![(param(pointer), count_at(count)? * unit)],
        Part::Answered { pointer, len } => match param(len) {
            0 => vec![],
            _ => vec![(param(pointer), answer as usize)],
        },
        Part::Vectors { list, count } => {
            let mut left = count.map_or(Ok(usize::MAX), count_at)?;
            let buffers = buffers(memory, param(list), param(list + 1))?;
            let taken = buffers.map(|(start, len)| {
                let taken = left.min(len);
                left -= taken;
                (start, taken)
            });
            taken.collect()
        }
    })
}

fn error(error: anyhow::Error) -> wasmtime::Error {
    wasmtime::Error::msg(format!("{error:#}"))
}
