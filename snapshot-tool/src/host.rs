//! What the tool keeps for a guest while it runs: its WASI context within the sandbox that the user
//! opened, its limits, what it may use of this process, and its processor time.
//!
//! Leaves out the functions that a guest calls: see [`crate::imports`].

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use cpu_time::ProcessTime;
use wasmtime::{Memory, StoreLimits, StoreLimitsBuilder};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::engine;
use crate::limits::Limits;
use crate::memory;
use crate::status_line::StatusLine;
use crate::streams::{self, Streams};
use crate::strings::Strings;
use crate::ticker::Ticker;
use crate::unconfined::{Network, Unconfined};

/// A directory that the guest may use.
#[derive(Clone, Debug)]
pub struct Directory {
    pub host: PathBuf,
    pub guest: String,
}

/// What the user opened to the program, beside standard input and output.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    /// The program's arguments, its name first.
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub directories: Vec<Directory>,
    pub limits: Limits,
    /// Bytes of native stack that the program has, where the guest is to know it: the user's limit
    /// or the tool's own.
    pub stack: Option<usize>,
    /// The directory in which the program starts, by the name that it has for the program.
    pub start: Option<PathBuf>,
    /// Whether the program may use what this process can use, beyond WASI.
    pub unconfined: bool,
    /// What it may use of the network, if it may not.
    pub network: Network,
}

/// The variable by which the guest learns where it starts; programs do not see it.
const START: &str = "BACTRIAN_CWD";

/// The variable by which it learns which signals were ignored when this process began; programs do
/// not see it either.
const IGNORED: &str = "BACTRIAN_IGNORED";

/// The variable by which it learns how many words of its own stack the native stack has room for.
const STACK: &str = "BACTRIAN_STACK";

impl Sandbox {
    /// A WASI context without the standard streams, and without arguments and variables
    /// ([`Host::started_by`]).
    pub fn context(&self) -> Result<WasiCtxBuilder> {
        let mut wasi = WasiCtxBuilder::new();
        wasi.allow_blocking_current_thread(true);
        for Directory { host, guest } in &self.directories {
            wasi.preopened_dir(host, guest, FsPerms::ReadWrite)
                .map_err(engine::error)
                .with_context(|| {
                    format!("cannot open directory {} (from --dir)", host.display())
                })?;
        }
        Ok(wasi)
    }

    fn arguments(&self) -> Strings {
        let mut arguments = Strings::default();
        for argument in &self.args {
            arguments.push(argument);
        }
        arguments
    }

    /// The program's variables, and what the guest is told by variables, which no other sets.
    fn variables(&self) -> Strings {
        let mut variables = Strings::default();
        for (name, value) in &self.env {
            if ![START, STACK, IGNORED].iter().any(|told| name == told) {
                variables.push_variable(name, value);
            }
        }
        let mut tell = |name, value: &OsStr| variables.push_variable(OsStr::new(name), value);
        if let Some(start) = &self.start {
            tell(START, start.as_os_str());
        }
        if let Some(bytes) = self.stack {
            tell(STACK, words_within(bytes).to_string().as_ref());
        }
        let ignored = streams::ignored_signals();
        if ignored != 0 {
            tell(IGNORED, format!("{ignored:x}").as_ref());
        }
        variables
    }
}

/// How many words of its own stack a guest may use, so that it meets that limit before it has used
/// `native` bytes of native stack.
fn words_within(native: usize) -> usize {
    /// Native bytes for a word of the guest's stack. Measured with recursive functions: 256 are too
    /// few for generic code, 384 are enough; residual code takes at most 100.
    const A_WORD: usize = 384;
    /// For what is called at the end of it.
    const REST: usize = 1 << 16;
    native.saturating_sub(REST) / A_WORD
}

/// What a guest may use of this process, beyond its WASI context.
#[derive(Debug)]
enum Inherited {
    Nothing,
    /// In place of the context's own streams.
    Streams(Streams),
    /// The same, and sockets.
    Network(Unconfined),
    /// All that [`crate::unconfined`] serves, the streams too.
    Everything(Unconfined),
}

/// The state of one guest.
pub struct Host {
    pub wasi: WasiP1Ctx,
    pub limits: StoreLimits,
    memory: Option<Memory>,
    /// By the addresses of a call and of code, how often the one called the other, in a module that
    /// counts.
    pub callees: HashMap<(u32, u32), u64>,
    /// Its arguments and variables, where they are not those of its context.
    pub strings: Option<[Strings; 2]>,
    inherited: Inherited,
    /// Whether the guest may have one, and the one that it has.
    ticks: bool,
    ticker: Option<Ticker>,
    /// Processor time of this process when the program began; without it the guest has no such
    /// clock.
    started: Option<ProcessTime>,
}

impl Host {
    /// The state of a guest in `sandbox`, whose standard streams are those of its context, and
    /// which knows no processor time.
    pub fn new(wasi: WasiP1Ctx, sandbox: &Sandbox) -> Self {
        let limits = StoreLimitsBuilder::new();
        let limits = match sandbox.limits.memory {
            Some(bytes) => limits.memory_size(bytes),
            None => limits,
        };
        Self {
            wasi,
            limits: limits.build(),
            memory: None,
            callees: HashMap::new(),
            strings: None,
            inherited: Inherited::Nothing,
            ticks: false,
            ticker: None,
            started: None,
        }
    }

    /// The same with the streams of this process, on one of which a status line may be, and with
    /// everything if the sandbox is open.
    pub fn inheriting(
        wasi: WasiP1Ctx,
        sandbox: &Sandbox,
        line: Option<Arc<StatusLine>>,
    ) -> Result<Self> {
        let streams = Streams::inherited(line).context("cannot hand on the standard streams")?;
        let inherited = if sandbox.unconfined {
            Inherited::Everything(Unconfined::new(sandbox.start.as_deref(), streams)?)
        } else if !sandbox.network.is_closed() {
            Inherited::Network(Unconfined::in_sandbox(streams, sandbox.network.clone())?)
        } else {
            Inherited::Streams(streams)
        };
        Ok(Self {
            inherited,
            ..Self::new(wasi, sandbox)
        })
    }

    /// The same with the arguments and variables of `sandbox`.
    pub fn started_by(self, sandbox: &Sandbox) -> Self {
        Self {
            strings: Some([sandbox.arguments(), sandbox.variables()]),
            ..self
        }
    }

    /// The same with these variables, and without arguments.
    pub fn with_variables(self, all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut variables = Strings::default();
        for (name, value) in all {
            variables.push_variable(&name, &value);
        }
        Self {
            strings: Some([Strings::default(), variables]),
            ..self
        }
    }

    /// The same with a clock of processor time, which begins now.
    pub fn timed(self) -> Self {
        Self {
            started: Some(ProcessTime::now()),
            ..self
        }
    }

    /// The same with a ticker, if the guest asks for one.
    pub fn ticking(self) -> Self {
        Self {
            ticks: true,
            ..self
        }
    }

    /// Starts the guest's ticker, which writes to these words; whether it has one.
    ///
    /// # Safety
    ///
    /// As for [`Ticker::start`], until this state is dropped.
    pub unsafe fn start_ticker(&mut self, pending: *mut u32, alert: *mut u32) -> bool {
        if self.ticks && self.ticker.is_none() {
            // SAFETY: the caller promises it.
            self.ticker = unsafe { Ticker::start(pending, alert) }.ok();
        }
        self.ticker.is_some()
    }

    /// The same with the signals that the guest handles, if the sandbox is open.
    pub fn keeping_signals(mut self) -> Self {
        if let Inherited::Everything(unconfined) = &mut self.inherited {
            unconfined.keep_signals();
        }
        self
    }

    /// The streams of this process, if the guest may use them.
    pub fn streams(&self) -> Option<&Streams> {
        match &self.inherited {
            Inherited::Nothing => None,
            Inherited::Streams(streams) => Some(streams),
            Inherited::Network(state) | Inherited::Everything(state) => Some(state.streams()),
        }
    }

    pub fn streams_mut(&mut self) -> Option<&mut Streams> {
        match &mut self.inherited {
            Inherited::Nothing => None,
            Inherited::Streams(streams) => Some(streams),
            Inherited::Network(state) | Inherited::Everything(state) => Some(state.streams_mut()),
        }
    }

    /// What a guest gets beyond WASI.
    pub fn unconfined(&mut self) -> Option<&mut Unconfined> {
        match &mut self.inherited {
            Inherited::Nothing | Inherited::Streams(_) => None,
            Inherited::Network(state) | Inherited::Everything(state) => Some(state),
        }
    }

    /// Processor time since the program began.
    pub fn processor_time(&self) -> Option<Duration> {
        self.started.map(|started| started.elapsed())
    }
}

/// The guest asked to end with this status.
#[derive(Debug, thiserror::Error)]
#[error("the program exits with status {0}")]
pub struct ExitStatus(pub i32);

impl<T: AsMut<Host>> memory::Store for T {
    fn memory(&mut self) -> &mut Option<Memory> {
        &mut self.as_mut().memory
    }
}

impl AsMut<Host> for Host {
    fn as_mut(&mut self) -> &mut Host {
        self
    }
}
