//! What a program gets beyond WASI when it may use whatever this process can use (`--unconfined`):
//! the import module `bactrian_host`, by the system's own calls. `interpreter/src/os/host` is its
//! other side and says how calls look.
//!
//! Invariant: a guest reaches only files that it opened itself, and the standard streams, by
//! numbers of its own; the tool's other descriptors it cannot name. A guest without this state (in
//! the sandbox, while its snapshot is taken) gets `ENOSYS` from each function.
//!
//! In the sandbox, a guest may have sockets alone, within what the user opened ([`Network`]).
//!
//! The current directory and the mask of permissions are this process's own, so one guest at a time
//! may have them.

mod files;
mod identity;
mod locks;
mod names;
mod network;
mod processes;
mod signals;
mod sockets;

use std::path::Path;
use std::ptr::NonNull;

use anyhow::{Context, Result};
use libc::c_int;
use rustix::io::Errno;
use specializer::Absent;
use wasmtime::Caller;

use crate::import_linker::ImportLinker;
use crate::memory::{self, Fault, parts, slice, slice_mut};
use crate::streams::Streams;
use files::Files;
use identity::Times;
use network::Allowed;
pub use network::Network;
use signals::Signals;

/// The module name of these imports.
pub const MODULE: &str = "bactrian_host";

/// The answer of each function to a guest that is not served: `-ENOSYS`.
pub const NOBODY: i64 = -(Errno::NOSYS.raw_os_error() as i64);

/// What version [`version`] answers.
const VERSION: i64 = 1;

/// Describes the import module as absent, for programs that run on other hosts.
pub fn absent() -> Absent {
    Absent {
        module: MODULE.into(),
        answer: NOBODY,
    }
}

/// The state of a guest that is served.
#[derive(Debug)]
pub struct Unconfined {
    files: Files,
    started: Times,
    signals: Signals,
    /// All that the guest may do, if it may do no more than that.
    network: Option<Network>,
}

impl Unconfined {
    /// For a guest that begins now, in the directory `start` or in this process's.
    pub fn new(start: Option<&Path>, streams: Streams) -> Result<Self> {
        if let Some(start) = start {
            std::env::set_current_dir(start)
                .with_context(|| format!("the program cannot start in {}", start.display()))?;
        }
        Ok(Self {
            files: Files::new(streams),
            started: Times::now().context("cannot ask for processor time")?,
            signals: Signals::default(),
            network: None,
        })
    }

    /// For a guest in the sandbox that may use this of the network.
    pub fn in_sandbox(streams: Streams, network: Network) -> Result<Self> {
        Ok(Self {
            files: Files::beside_wasi(streams),
            network: Some(network),
            started: Times::now().context("cannot ask for processor time")?,
            signals: Signals::default(),
        })
    }

    /// Refuses what the network is not open to, if the guest is confined to it.
    fn asks(&self, allows: impl FnOnce(&Network) -> Allowed) -> Allowed {
        self.network.as_ref().map_or(Ok(()), allows)
    }

    /// Whether the guest may call this function.
    fn serves(&self, function: &str) -> bool {
        self.network.is_none() || network::FUNCTIONS.contains(&function)
    }

    /// Signals that the guest handles are kept for it. There is one such guest at a time.
    pub fn keep_signals(&mut self) {
        self.signals.kept = true;
    }

    pub fn streams(&self) -> &Streams {
        self.files.streams()
    }

    pub fn streams_mut(&mut self) -> &mut Streams {
        self.files.streams_mut()
    }
}

/// One call: its numbers, and what it hands over and has room for.
struct Call<'a> {
    numbers: [i64; 3],
    input: &'a [u8],
    output: &'a mut [u8],
    /// The guest's memory, which parts of are in use as input and output.
    memory: NonNull<[u8]>,
}

/// A number that is not negative, or how many bytes were put out.
type Answer = Result<i64, Errno>;

type Function = fn(&mut Unconfined, &mut Call) -> Answer;

impl Call<'_> {
    /// Puts out `bytes`.
    fn put(&mut self, bytes: &[u8]) -> Answer {
        let room = self.output.get_mut(..bytes.len()).ok_or(Errno::RANGE)?;
        room.copy_from_slice(bytes);
        Ok(bytes.len() as i64)
    }

    /// Puts out numbers, eight bytes each.
    fn put_words(&mut self, words: &[i64]) -> Answer {
        let bytes: Vec<[u8; 8]> = words.iter().map(|word| word.to_le_bytes()).collect();
        self.put(bytes.as_flattened())
    }

    /// A word of the guest's memory, for as long as the guest has it.
    fn word(&self, address: u32) -> Result<*mut u32, Errno> {
        let end = address as usize + size_of::<u32>();
        if end > self.memory.len() || !address.is_multiple_of(4) {
            return Err(Errno::FAULT);
        }
        Ok(self
            .memory
            .as_ptr()
            .cast::<u8>()
            .wrapping_add(address as usize)
            .cast())
    }

    /// The two paths that the call hands over.
    fn two(&self) -> Result<(&[u8], &[u8]), Errno> {
        let middle = self.input.iter().position(|&byte| byte == 0);
        let (first, second) = self.input.split_at(middle.ok_or(Errno::INVAL)?);
        Ok((first, &second[1..]))
    }
}

/// The number of an error that the system reported.
fn refused(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

/// The answer of a function of C's that returns 0, unless it fails.
fn checked(result: c_int) -> Answer {
    match result {
        0 => Ok(0),
        _ => Err(refused(std::io::Error::last_os_error())),
    }
}

fn done(result: Result<(), Errno>) -> Answer {
    result.map(|()| 0)
}

fn version(_: &mut Unconfined, _: &mut Call) -> Answer {
    Ok(VERSION)
}

/// Defines the functions for guests that import them. A guest is served if `state` has something
/// for it.
pub fn define<T: memory::Store + 'static>(
    linker: &mut ImportLinker<T>,
    state: fn(&mut T) -> Option<&mut Unconfined>,
) -> wasmtime::Result<()> {
    let all = [("version", version as Function)].into_iter();
    let all = all.chain(files::FUNCTIONS).chain(names::FUNCTIONS);
    let all = all.chain(locks::FUNCTIONS).chain(processes::FUNCTIONS);
    let all = all.chain(signals::FUNCTIONS).chain(sockets::FUNCTIONS);
    for (name, function) in all.chain(identity::FUNCTIONS) {
        linker.func_wrap(
            MODULE,
            name,
            move |mut caller: Caller<'_, T>,
                  a: i64,
                  b: i64,
                  c: i64,
                  input: u32,
                  input_len: u32,
                  output: u32,
                  output_len: u32| {
                let (memory, host) = parts(&mut caller)?;
                let Some(state) = state(host).filter(|state| state.serves(name)) else {
                    return Ok(NOBODY);
                };
                let input = (input, input_len as usize);
                let output = (output, output_len as usize);
                let answer = serve(state, function, [a, b, c], memory, input, output);
                Ok(answer.unwrap_or_else(|errno| -i64::from(errno.raw_os_error())))
            },
        )?;
    }
    Ok(())
}

/// Makes a call whose bytes lie in `memory`. What comes in beside an output is copied, as the two
/// could overlap.
fn serve(
    state: &mut Unconfined,
    function: Function,
    numbers: [i64; 3],
    memory: &mut [u8],
    (input, input_len): (u32, usize),
    (output, output_len): (u32, usize),
) -> Answer {
    let whole = NonNull::from(&mut *memory);
    if output_len == 0 {
        let (input, output) = (slice(memory, input, input_len)?, &mut [][..]);
        let mut call = Call {
            numbers,
            input,
            output,
            memory: whole,
        };
        return function(state, &mut call);
    }
    let input = &slice(memory, input, input_len)?.to_vec();
    let output = slice_mut(memory, output, output_len)?;
    let mut call = Call {
        numbers,
        input,
        output,
        memory: whole,
    };
    function(state, &mut call)
}

impl From<Fault> for Errno {
    fn from(Fault: Fault) -> Self {
        Errno::FAULT
    }
}
