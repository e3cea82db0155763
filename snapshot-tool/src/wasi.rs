//! The functions of WASI that this tool serves itself: those on the standard streams ([`Streams`]),
//! arguments and variables ([`crate::strings`]), processor time, and the exit status. Calls on
//! every other descriptor and clock go on to Wasmtime's WASI. Which functions there are, and which
//! of them ask ours first, is in `table`.
//!
//! A host without streams, or strings, of its own hands on the calls for these (a snapshot, and of
//! lockstep the side that makes no calls).

pub(crate) mod table;

use std::io::IoSlice;
use std::time::Duration;

use wasmtime::Caller;
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as p1, WasiSnapshotPreview1};

use crate::host::{ExitStatus, Host};
use crate::import_linker::ImportLinker;
use crate::memory::{Fault, buffers, parts, slice, slice_mut, word};
use crate::streams::{Errno, Streams};
use crate::wasi;

pub const MODULE: &str = "wasi_snapshot_preview1";

/// What Wasmtime's WASI may allocate for one call.
pub const CALL_FUEL: usize = 128 << 20;

/// The clocks of processor time: the process's, the thread's.
const PROCESSOR_CLOCKS: [u32; 2] = [2, 3];

/// What a function of ours returns. `None` if the call is not about a stream of ours.
pub type Answer = Option<Result<(), Errno>>;

/// The answer to a call that the tool does not serve itself.
pub const NOBODY: Answer = None;

/// Of `path_open`'s flags: create, fail if it exists, truncate.
pub const CHANGES: u32 = 1 | 4 | 8;

/// What the guest gets for an answer.
pub fn status(answer: Result<(), Errno>) -> i32 {
    answer.map_or_else(|Errno(number)| number.into(), |()| 0)
}

pub fn is_stream(fd: u32) -> bool {
    (0..=2).contains(&fd)
}

/// Defines the functions of the table. Nothing is begun anew here, so that effects do not matter.
macro_rules! define {
    ($linker:ident: $(
        $how:ident $name:ident($($argument:ident: $ty:ty),*) $effect:expr $(, $ours:path)?;
    )*) => {$(
        $linker.func_wrap(
            MODULE,
            stringify!($name),
            |mut caller: Caller<'_, T>, $($argument: $ty),*| -> wasmtime::Result<i32> {
                let (memory, state) = parts(&mut caller)?;
                let host: &mut Host = state.as_mut();
                table::call!($how $name [$($ours)?] memory, host $(, $argument)*)
            },
        )?;
    )*};
}

/// Defines all of WASI.
pub fn define<T: AsMut<Host> + Send + 'static>(
    linker: &mut ImportLinker<T>,
) -> wasmtime::Result<()> {
    table::functions!(define!(linker));
    linker.func_wrap(MODULE, "proc_exit", |status: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::new(ExitStatus(status & 0xff)))
    })
}

/// Which of [`Host::strings`].
pub const ARGUMENTS: usize = 0;
pub const VARIABLES: usize = 1;

pub fn sizes_of<const WHICH: usize>(
    memory: &mut [u8],
    host: &mut Host,
    count: u32,
    size: u32,
) -> Answer {
    let strings = &host.strings.as_ref()?[WHICH];
    Some(strings.put_sizes(memory, count, size).map_err(Errno::from))
}

pub fn strings<const WHICH: usize>(
    memory: &mut [u8],
    host: &mut Host,
    pointers: u32,
    bytes: u32,
) -> Answer {
    let strings = &host.strings.as_ref()?[WHICH];
    Some(strings.put(memory, pointers, bytes).map_err(Errno::from))
}

pub fn close(_: &mut [u8], host: &mut Host, fd: u32) -> Answer {
    Some(mine(host, fd)?.close(fd))
}

pub fn file_status(memory: &mut [u8], host: &mut Host, fd: u32, status: u32) -> Answer {
    let found = mine(host, fd)?.file_status(fd);
    Some(found.and_then(|found| store(memory, status, &found)))
}

pub fn descriptor_status(memory: &mut [u8], host: &mut Host, fd: u32, status: u32) -> Answer {
    let found = mine(host, fd)?.descriptor_status(fd);
    Some(found.and_then(|found| store(memory, status, &found)))
}

pub fn set_size(_: &mut [u8], host: &mut Host, fd: u32, size: i64) -> Answer {
    Some(mine(host, fd)?.set_size(fd, size as u64))
}

pub fn synchronise(_: &mut [u8], host: &mut Host, fd: u32) -> Answer {
    Some(mine(host, fd)?.synchronise(fd))
}

pub fn renumber(_: &mut [u8], host: &mut Host, from: u32, to: u32) -> Answer {
    let streams = host.streams()?;
    let touched = streams.has(from) || streams.has(to);
    touched.then_some(Err(Errno::NOTSUP))
}

/// The streams, if `fd` is one of them.
fn mine(host: &mut Host, fd: u32) -> Option<&mut Streams> {
    host.streams_mut().filter(|streams| streams.has(fd))
}

fn store(memory: &mut [u8], address: u32, bytes: &[u8]) -> Result<(), Errno> {
    slice_mut(memory, address, bytes.len())?.copy_from_slice(bytes);
    Ok(())
}

/// Reads into the first buffer that has room: reading less than was asked for is always allowed.
pub fn get(memory: &mut [u8], host: &mut Host, fd: u32, at: u32, count: u32, read: u32) -> Answer {
    let streams = mine(host, fd)?;
    let mut done = |memory: &mut [u8]| {
        let (start, len) = buffers(memory, at, count)?
            .find(|&(_, len)| len > 0)
            .unwrap_or((0, 0));
        let filled = streams.read(fd, slice_mut(memory, start, len)?)?;
        store(memory, read, &(filled as u32).to_le_bytes())
    };
    Some(done(memory))
}

pub fn put(memory: &mut [u8], host: &mut Host, fd: u32, at: u32, count: u32, out: u32) -> Answer {
    let streams = mine(host, fd)?;
    let done = |memory: &mut [u8]| {
        let slices = buffers(memory, at, count)?;
        let slices = slices.map(|(start, len)| slice(memory, start, len).map(IoSlice::new));
        let slices = slices.collect::<Result<Vec<_>, Fault>>()?;
        let written = streams.write(fd, &slices)?;
        store(memory, out, &(written as u32).to_le_bytes())
    };
    Some(done(memory))
}

pub fn seek_in(
    memory: &mut [u8],
    host: &mut Host,
    fd: u32,
    offset: i64,
    whence: u32,
    position: u32,
) -> Answer {
    let found = mine(host, fd)?.seek(fd, offset, whence);
    Some(found.and_then(|found| store(memory, position, &found.to_le_bytes())))
}

/// The position of a stream: a seek by 0 returns it and moves nothing.
pub fn tell(memory: &mut [u8], host: &mut Host, fd: u32, position: u32) -> Answer {
    const FROM_HERE: u32 = 1;
    seek_in(memory, host, fd, 0, FROM_HERE, position)
}

/// Processor time since the program began; the other clocks are Wasmtime's.
pub fn time_of(
    memory: &mut [u8],
    host: &mut Host,
    clock: u32,
    _precision: i64,
    time: u32,
) -> Answer {
    let spent = host.processor_time()?;
    PROCESSOR_CLOCKS
        .contains(&clock)
        .then(|| store(memory, time, &(spent.as_nanos() as u64).to_le_bytes()))
}

/// Bytes of a subscription and of an event.
const SUBSCRIPTION: usize = 48;
const EVENT: usize = 32;

/// What is waited for, and happens, where it is a time.
const CLOCK: u8 = 0;

/// What a guest waits for.
enum Wanted {
    Time(Duration),
    /// A stream of ours; to be written, or read.
    Stream(u32, bool),
    /// A file, which never keeps anybody waiting.
    File,
}

/// The event that a subscription ends in, and what it is about.
type Subscription = ([u8; EVENT], Wanted);

/// Waits, if one of our streams is among what is waited for.
pub fn poll(
    memory: &mut [u8],
    host: &mut Host,
    wanted: u32,
    events: u32,
    count: u32,
    happened: u32,
) -> Answer {
    let streams = host.streams()?;
    let subscriptions = match subscriptions(memory, wanted, count, streams) {
        Ok(subscriptions) => subscriptions,
        Err(error) => return Some(Err(error)),
    };
    let is_mine = |(_, wanted): &Subscription| matches!(wanted, Wanted::Stream(..));
    if !subscriptions.iter().any(is_mine) {
        return None;
    }
    let done = |memory: &mut [u8]| {
        let ready = ready(&subscriptions, streams)?;
        let found = subscriptions
            .iter()
            .zip(&ready)
            .filter(|(_, ready)| **ready);
        let bytes: Vec<u8> = found.flat_map(|((event, _), _)| *event).collect();
        let count = (bytes.len() / EVENT) as u32;
        store(memory, events, &bytes)?;
        store(memory, happened, &count.to_le_bytes())
    };
    Some(done(memory))
}

fn subscriptions(
    memory: &[u8],
    wanted: u32,
    count: u32,
    streams: &Streams,
) -> Result<Vec<Subscription>, Errno> {
    let (wanted, _) = slice(memory, wanted, SUBSCRIPTION * count as usize)?.as_chunks();
    wanted
        .iter()
        .map(|bytes| subscription(bytes, streams))
        .collect()
}

fn subscription(bytes: &[u8; SUBSCRIPTION], streams: &Streams) -> Result<Subscription, Errno> {
    const ABSOLUTE: u8 = 1;
    let mut event = [0; EVENT];
    event[..8].copy_from_slice(&bytes[..8]);
    event[10] = bytes[8];
    let subject = u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes"));
    let wanted = match bytes[8] {
        CLOCK if bytes[40] & ABSOLUTE != 0 => return Err(Errno::NOTSUP),
        CLOCK => Wanted::Time(timeout(bytes)),
        _ if !streams.has(subject) => Wanted::File,
        tag => Wanted::Stream(subject, tag == 2),
    };
    Ok((event, wanted))
}

/// How long a call of `poll_oneoff` has waited, as far as a clock that it asked for tells.
pub fn time_waited(
    memory: &[u8],
    wanted: u32,
    events: u32,
    count: u32,
    happened: u32,
) -> Result<Duration, Fault> {
    let (wanted, _) = slice(memory, wanted, SUBSCRIPTION * count as usize)?.as_chunks();
    let happened = word(memory, happened)? as usize;
    let (events, _) = slice(memory, events, EVENT * happened)?.as_chunks();
    let is_over = |wanted: &[u8; SUBSCRIPTION]| {
        let is_its = |event: &[u8; EVENT]| (&event[..8], event[10]) == (&wanted[..8], wanted[8]);
        wanted[8] == CLOCK && events.iter().any(is_its)
    };
    let over = wanted.iter().filter(|wanted| is_over(wanted));
    Ok(over.map(timeout).max().unwrap_or_default())
}

/// The time of a subscription to a clock.
fn timeout(wanted: &[u8; SUBSCRIPTION]) -> Duration {
    let (timeout, _) = wanted[24..].split_first_chunk().expect("eight bytes");
    Duration::from_nanos(u64::from_le_bytes(*timeout))
}

/// Waits. Which of the subscriptions come true first.
fn ready(subscriptions: &[Subscription], streams: &Streams) -> Result<Vec<bool>, Errno> {
    let mut timeout = None;
    let mut polled = Vec::new();
    for (_, wanted) in subscriptions {
        match *wanted {
            Wanted::Time(limit) => {
                timeout = Some(timeout.map_or(limit, |old: Duration| old.min(limit)))
            }
            Wanted::Stream(descriptor, write) => polled.push((descriptor, write)),
            Wanted::File => timeout = Some(Duration::ZERO),
        }
    }
    let found = streams.poll(&polled, timeout)?;
    let late = !found.contains(&true);
    let mut found = found.into_iter();
    Ok(subscriptions
        .iter()
        .map(|(_, wanted)| match *wanted {
            Wanted::Time(limit) => late && Some(limit) == timeout,
            Wanted::Stream(..) => found.next().unwrap_or(false),
            Wanted::File => true,
        })
        .collect())
}
