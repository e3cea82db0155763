//! The functions of WASI that this tool does itself: those on the standard streams ([`Streams`]), processor time, and the
//! exit status. For every other descriptor and clock they hand the call on to Wasmtime's WASI.
//!
//! A host without streams (a snapshot, a side of lockstep) hands everything on.

use std::future::Future;
use std::io::IoSlice;
use std::time::Duration;

use wasmtime::{Caller, Extern, Linker};
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as p1, WasiSnapshotPreview1};
use wasmtime_wasi::runtime::in_tokio;
use wiggle::GuestMemory;

use crate::host::{ExitStatus, Host};
use crate::streams::{Errno, Streams};

const MODULE: &str = "wasi_snapshot_preview1";

/// What Wasmtime's WASI may allocate for one call.
const CALL_FUEL: usize = 128 << 20;

/// The clocks of processor time: the process's, the thread's.
const PROCESSOR_CLOCKS: [u32; 2] = [2, 3];

/// An address outside of the guest's memory.
const FAULT: Errno = Errno(21);

/// What a function of ours comes to; `None`: it is not about a stream of ours.
type Answer = Option<Result<(), Errno>>;

/// The guest's memory and the host's state.
fn parts<'a, T: AsMut<Host>>(
    caller: &'a mut Caller<'_, T>,
) -> wasmtime::Result<(&'a mut [u8], &'a mut Host)> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Err(wasmtime::Error::msg("the module exports no memory"));
    };
    let (memory, data) = memory.data_and_store_mut(caller);
    Ok((memory, data.as_mut()))
}

/// Our answer, or Wasmtime's.
async fn or_else<F: Future<Output = wasmtime::Result<i32>>>(
    answer: Answer,
    rest: F,
) -> wasmtime::Result<i32> {
    match answer {
        Some(Ok(())) => Ok(0),
        Some(Err(Errno(number))) => Ok(number.into()),
        None => rest.await,
    }
}

/// Defines a function that asks `$ours` first, and hands the call on if that has no answer.
macro_rules! shadow {
    ($linker:ident, $name:ident($($argument:ident: $ty:ty),*), $ours:expr) => {
        $linker.func_wrap(
            MODULE,
            stringify!($name),
            |mut caller: Caller<'_, T>, $($argument: $ty),*| {
                let (memory, host) = parts(&mut caller)?;
                let ours: fn(&mut [u8], &mut Host, $($ty),*) -> Answer = $ours;
                let answer = ours(memory, host, $($argument),*);
                host.wasi.set_hostcall_fuel(CALL_FUEL);
                let mut memory = GuestMemory::Unshared(memory);
                in_tokio(or_else(
                    answer,
                    p1::$name(&mut host.wasi, &mut memory, $($argument),*),
                ))
            },
        )?
    };
}

/// Replaces these functions of Wasmtime's, which `linker` has.
pub fn shadow<T: AsMut<Host> + Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker.func_wrap(MODULE, "proc_exit", |status: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::new(ExitStatus(status & 0xff)))
    })?;
    shadow_transfers(linker)?;
    shadow_status(linker)?;
    linker.func_wrap(MODULE, "clock_time_get", clock::<T>)?;
    Ok(())
}

fn shadow_transfers<T: AsMut<Host> + Send + 'static>(
    linker: &mut Linker<T>,
) -> wasmtime::Result<()> {
    shadow!(linker, fd_read(fd: i32, vectors: i32, count: i32, read: i32), get);
    shadow!(linker, fd_write(fd: i32, vectors: i32, count: i32, written: i32), put);
    shadow!(linker, fd_seek(fd: i32, offset: i64, whence: i32, position: i32), seek_in);
    linker.func_wrap(MODULE, "fd_tell", tell::<T>)?;
    shadow!(linker, fd_close(fd: i32), |_, host, fd| {
        Some(mine(host, fd)?.close(fd as u32))
    });
    shadow!(
        linker,
        poll_oneoff(wanted: i32, events: i32, count: i32, happened: i32),
        poll
    );
    Ok(())
}

fn shadow_status<T: AsMut<Host> + Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    shadow!(linker, fd_filestat_get(fd: i32, status: i32), |memory, host, fd, status| {
        let found = mine(host, fd)?.file_status(fd as u32);
        Some(found.and_then(|found| store(memory, status, &found)))
    });
    shadow!(linker, fd_fdstat_get(fd: i32, status: i32), |memory, host, fd, status| {
        let found = mine(host, fd)?.descriptor_status(fd as u32);
        Some(found.and_then(|found| store(memory, status, &found)))
    });
    shadow!(linker, fd_filestat_set_size(fd: i32, size: i64), |_, host, fd, size| {
        Some(mine(host, fd)?.set_size(fd as u32, size as u64))
    });
    shadow!(linker, fd_sync(fd: i32), |_, host, fd| {
        Some(mine(host, fd)?.synchronise(fd as u32))
    });
    shadow!(linker, fd_datasync(fd: i32), |_, host, fd| {
        Some(mine(host, fd)?.synchronise(fd as u32))
    });
    shadow!(linker, fd_renumber(from: i32, to: i32), |_, host, from, to| {
        let streams = host.streams.as_ref()?;
        let touched = streams.has(from as u32) || streams.has(to as u32);
        touched.then_some(Err(Errno::NOTSUP))
    });
    Ok(())
}

/// The streams, if `fd` is one of them.
fn mine(host: &mut Host, fd: i32) -> Option<&mut Streams> {
    host.streams
        .as_mut()
        .filter(|streams| streams.has(fd as u32))
}

/// The guest's memory from `address` on.
fn range(memory: &mut [u8], address: i32, len: usize) -> Result<&mut [u8], Errno> {
    let start = address as u32 as usize;
    memory.get_mut(start..start + len).ok_or(FAULT)
}

/// The same, to be read.
fn range_of(memory: &[u8], address: i32, len: usize) -> Result<&[u8], Errno> {
    let start = address as u32 as usize;
    memory.get(start..start + len).ok_or(FAULT)
}

fn store(memory: &mut [u8], address: i32, bytes: &[u8]) -> Result<(), Errno> {
    range(memory, address, bytes.len())?.copy_from_slice(bytes);
    Ok(())
}

fn word<const LEN: usize>(memory: &mut [u8], address: i32) -> Result<[u8; LEN], Errno> {
    let bytes = range(memory, address, LEN)?;
    Ok(<[u8; LEN]>::try_from(&*bytes).expect("as many as were asked for"))
}

/// Address and length of each vector.
fn vectors(memory: &mut [u8], address: i32, count: i32) -> Result<Vec<(i32, usize)>, Errno> {
    (0..count)
        .map(|index| {
            let vector: [u8; 8] = word(memory, address.wrapping_add(index.wrapping_mul(8)))?;
            let (start, len) = vector.split_at(4);
            let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            Ok((number(start) as i32, number(len) as usize))
        })
        .collect()
}

/// Reads into the first vector that has room: reading less than was asked for is always allowed.
fn get(memory: &mut [u8], host: &mut Host, fd: i32, at: i32, count: i32, read: i32) -> Answer {
    let streams = mine(host, fd)?;
    let done = |memory: &mut [u8]| {
        let found = vectors(memory, at, count)?;
        let (start, len) = found
            .into_iter()
            .find(|&(_, len)| len > 0)
            .unwrap_or((0, 0));
        let filled = streams.read(fd as u32, range(memory, start, len)?)?;
        store(memory, read, &(filled as u32).to_le_bytes())
    };
    Some(done(memory))
}

fn put(memory: &mut [u8], host: &mut Host, fd: i32, at: i32, count: i32, out: i32) -> Answer {
    let streams = mine(host, fd)?;
    let done = |memory: &mut [u8]| {
        let found = vectors(memory, at, count)?;
        let mut slices = Vec::new();
        for (start, len) in found {
            slices.push(IoSlice::new(range_of(memory, start, len)?));
        }
        let written = streams.write(fd as u32, &slices)?;
        store(memory, out, &(written as u32).to_le_bytes())
    };
    Some(done(memory))
}

fn seek_in(
    memory: &mut [u8],
    host: &mut Host,
    fd: i32,
    offset: i64,
    whence: i32,
    position: i32,
) -> Answer {
    let found = mine(host, fd)?.seek(fd as u32, offset, whence as u32);
    Some(found.and_then(|found| store(memory, position, &found.to_le_bytes())))
}

/// The position, which is where no move leads to.
fn tell<T: AsMut<Host>>(
    mut caller: Caller<'_, T>,
    fd: i32,
    position: i32,
) -> wasmtime::Result<i32> {
    const FROM_HERE: i32 = 1;
    let (memory, host) = parts(&mut caller)?;
    match seek_in(memory, host, fd, 0, FROM_HERE, position) {
        Some(result) => Ok(result.map_or_else(|Errno(number)| number.into(), |()| 0)),
        None => p1::fd_tell(
            &mut host.wasi,
            &mut GuestMemory::Unshared(memory),
            fd,
            position,
        ),
    }
}

/// Processor time since the program began; the other clocks are Wasmtime's.
fn clock<T: AsMut<Host>>(
    mut caller: Caller<'_, T>,
    clock: i32,
    precision: i64,
    time: i32,
) -> wasmtime::Result<i32> {
    let (memory, host) = parts(&mut caller)?;
    let processor = host.processor_time();
    if let Some(spent) = processor.filter(|_| PROCESSOR_CLOCKS.contains(&(clock as u32))) {
        let stored = store(memory, time, &(spent.as_nanos() as u64).to_le_bytes());
        return Ok(stored.map_or_else(|Errno(number)| number.into(), |()| 0));
    }
    p1::clock_time_get(
        &mut host.wasi,
        &mut GuestMemory::Unshared(memory),
        clock,
        precision,
        time,
    )
}

/// Bytes of a subscription and of an event.
const SUBSCRIPTION: i32 = 48;
const EVENT: usize = 32;

/// What a guest waits for.
enum Wanted {
    Time(Duration),
    /// A stream of ours; to be written, or read.
    Stream(u32, bool),
    /// A file, which never keeps anybody waiting.
    File,
}

/// Waits, if one of our streams is among what is waited for.
fn poll(
    memory: &mut [u8],
    host: &mut Host,
    wanted: i32,
    events: i32,
    count: i32,
    happened: i32,
) -> Answer {
    let streams = host.streams.as_ref()?;
    let subscriptions: Result<Vec<_>, _> = (0..count)
        .map(|index| {
            subscription(
                memory,
                wanted.wrapping_add(index.wrapping_mul(SUBSCRIPTION)),
                streams,
            )
        })
        .collect();
    let subscriptions = match subscriptions {
        Ok(subscriptions) => subscriptions,
        Err(error) => return Some(Err(error)),
    };
    let is_mine = |(_, wanted): &([u8; EVENT], Wanted)| matches!(wanted, Wanted::Stream(..));
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
        store(memory, events, &bytes)?;
        store(
            memory,
            happened,
            &((bytes.len() / EVENT) as u32).to_le_bytes(),
        )
    };
    Some(done(memory))
}

/// A subscription: the event that it ends in, and what it is about.
fn subscription(
    memory: &mut [u8],
    at: i32,
    streams: &Streams,
) -> Result<([u8; EVENT], Wanted), Errno> {
    const ABSOLUTE: u8 = 1;
    let bytes: [u8; SUBSCRIPTION as usize] = word(memory, at)?;
    let mut event = [0; EVENT];
    event[..8].copy_from_slice(&bytes[..8]);
    event[10] = bytes[8];
    let subject = u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes"));
    let timeout = u64::from_le_bytes(bytes[24..32].try_into().expect("eight bytes"));
    let wanted = match bytes[8] {
        0 if bytes[40] & ABSOLUTE != 0 => return Err(Errno::NOTSUP),
        0 => Wanted::Time(Duration::from_nanos(timeout)),
        _ if !streams.has(subject) => Wanted::File,
        tag => Wanted::Stream(subject, tag == 2),
    };
    Ok((event, wanted))
}

/// Which of the subscriptions come true first.
fn ready(subscriptions: &[([u8; EVENT], Wanted)], streams: &Streams) -> Result<Vec<bool>, Errno> {
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
