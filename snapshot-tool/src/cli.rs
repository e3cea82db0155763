//! The command line. Flags that open the sandbox have the names that the `wasmtime` command gives
//! them.

mod values;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::evaluation::Eval;
use crate::host::Directory;
use crate::limits::{self, Limit};
use crate::product::Emit;
use crate::{snapshot, specialize};
use values::{budget, directory, mebibytes, switch, variable};

/// Compiles OCaml bytecode, and whatever an annotated interpreter runs, to WebAssembly.
#[derive(Debug, Parser)]
#[command(name = "bactrian", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Compile a program and run it; its output and its exit status are the program's.
    Run(RunArgs),
    /// Compile a program to a WASI command.
    Build(BuildArgs),
    /// Specialize an annotated module, whatever language it interprets.
    Specialize(SpecializeArgs),
    /// Look for misuse of the intrinsics in an annotated module, and say where it is.
    ///
    /// The status is 1 if there are errors. docs/check.md says what is found.
    Check(CheckArgs),
    /// Run a program generic and specialized at once, and compare every step.
    ///
    /// What one reads and does outside, the other is given as its own. Output and status are the
    /// program's; at the first difference both stop, and it is reported with status 125.
    Lockstep(LockstepArgs),
    /// Compile functions in C that programs call, for `--stubs`.
    Stubs(StubsArgs),
    /// Look after the cache.
    Cache(CacheArgs),
    /// Take a few programs through everything, and show what each stage makes of them.
    Demo(DemoArgs),
    /// Measure the benchmark programs under `ocamlrun`, generic and specialized.
    Bench(BenchArgs),
    /// Do what the command `weval weval` does, with its options, for tools that call it.
    Weval(WevalArgs),
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub product: ProductOptions,
    #[command(flatten)]
    pub sandbox: SandboxOptions,
    /// Run machine code that `bactrian build --emit cwasm` wrote. No sandbox holds machine code: it
    /// can do all that this process can.
    #[arg(long)]
    pub allow_precompiled: bool,
    /// Tell `perf` what functions are called, in `/tmp/perf-PID.map`.
    #[arg(long)]
    pub perfmap: bool,
    /// Tell `perf inject` what functions are called, and their machine code, in `jit-PID.dump`,
    /// here.
    #[arg(long)]
    pub jitdump: bool,
    /// Count how often each function is activated, and write that to a file, for `bactrian build
    /// --profile FILE`; `-` is standard output, after the program's. The program takes longer.
    #[arg(long, value_name = "FILE", conflicts_with = "generic")]
    pub profile: Option<PathBuf>,
    #[command(flatten)]
    pub call: Call,
}

#[derive(Debug, Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub product: ProductOptions,
    /// Programs of the guest (of OCaml: executables that `ocamlc` made).
    #[arg(required = true, value_name = "PROGRAM")]
    pub programs: Vec<PathBuf>,
    /// The file to write, `-` for standard output; with several programs, the directory for a file
    /// of each.
    #[arg(short, long)]
    pub output: PathBuf,
    /// A module for any runtime with tail calls, or machine code for this machine's Wasmtime.
    #[arg(long, value_enum, default_value = "wasm")]
    pub emit: Emit,
    /// Let a module have threads, for engines with the stack-switching proposal of WebAssembly's.
    /// Machine code has them where this machine's Wasmtime can.
    #[arg(long)]
    pub stack_switching: bool,
    /// Compile by what `bactrian run --profile FILE` has counted: nothing that never ran, more of
    /// what ran often.
    #[arg(long, value_name = "FILE", conflicts_with = "generic")]
    pub profile: Option<PathBuf>,
    /// Leave out the names of functions, which traps, profilers and debuggers show.
    #[arg(long)]
    pub strip: bool,
}

#[derive(Debug, Args)]
pub struct SpecializeArgs {
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub product: ProductOptions,
    /// A module, binary or text, with a request table (see the annotations crate); with `--guest`,
    /// a program.
    pub module: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Initialise the module and freeze it first: call its `wizer-initialize` with this file as
    /// standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "guest")]
    pub init: Option<PathBuf>,
    /// Write residual functions as text into this directory, by number of the request.
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "generic")]
    pub text: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub build: BuildOptions,
    /// A module, binary or text, with a request table (see the annotations crate); with `--guest`,
    /// a program, whose functions its interpreter is checked with; with nothing else, a program of
    /// OCaml's.
    pub module: PathBuf,
    /// Initialise the module and freeze it first: call its `wizer-initialize` with this file as
    /// standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "guest")]
    pub init: Option<PathBuf>,
}

/// What is made, for commands that make one module of what they are given.
#[derive(Clone, Debug, Default, Args)]
pub struct ProductOptions {
    /// Do not specialize: run the interpreter as it is.
    #[arg(long)]
    pub generic: bool,
    /// Leave in the module what the program cannot reach of the runtime.
    #[arg(long)]
    pub keep_unreached: bool,
    #[command(flatten)]
    pub stats: StatsOption,
}

#[derive(Clone, Debug, Default, Args)]
pub struct StatsOption {
    /// Report requests, sizes and times by stage on standard error.
    #[arg(long = "stats", value_enum, value_name = "FORMAT", num_args = 0..=1,
          require_equals = true, default_missing_value = "text")]
    pub format: Option<StatsFormat>,
}

/// How code is made, for all commands that specialize.
#[derive(Clone, Debug, Default, Args)]
pub struct BuildOptions {
    /// The guest whose programs are meant, by its manifest (docs/guests.md) [default: OCaml's; for
    /// `specialize` none].
    #[arg(long, value_name = "MANIFEST")]
    pub guest: Option<PathBuf>,
    /// Join functions in C to the guest, which `bactrian stubs` has compiled (docs/stubs.md).
    #[arg(long, value_name = "FILE")]
    pub stubs: Vec<PathBuf>,
    /// Look in this directory for NAME.stubs, where the program names a library NAME with functions
    /// in C; then in those of $BACTRIAN_STUBS_PATH, then in bactrian/stubs in $XDG_DATA_HOME or
    /// ~/.local/share.
    #[arg(long, value_name = "DIRECTORY")]
    pub stubs_path: Vec<PathBuf>,
    /// How far the program is run at build time.
    #[arg(long, value_enum, default_value_t)]
    pub eval: Eval,
    #[command(flatten)]
    pub cache: CacheLocation,
    #[arg(short = 'O', value_name = "NAME=on|off",
          value_parser = switch, help = specialize::help())]
    pub optimisations: Vec<(String, bool)>,
    #[arg(long = "budget", value_name = "NAME=N", value_parser = budget,
          help = specialize::help_with_budgets())]
    pub budgets: Vec<(String, u32)>,
    /// Check code after each stage of the specializer, as its tests do; what breaks a rule is a
    /// panic.
    #[arg(long, hide = true)]
    pub verify: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// For people.
    Text,
    /// One line, an object.
    Json,
}

#[derive(Clone, Debug, Default, Args)]
pub struct CacheLocation {
    /// The cache to use [default: bactrian/cache.sqlite in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long = "cache", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Use no cache.
    #[arg(long, conflicts_with = "file")]
    pub no_cache: bool,
    /// How large the cache may become.
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = mebibytes(),
          conflicts_with = "no_cache")]
    pub cache_size: u64,
    /// Share the cache with other machines by a store: s3://BUCKET/PATH, redis://HOST:PORT or
    /// fs:///PATH [default: $BACTRIAN_REMOTE, or none].
    #[arg(long, value_name = "URL", conflicts_with = "no_cache")]
    pub remote: Option<String>,
    /// Take what other machines have left there, and leave nothing.
    #[arg(long, conflicts_with = "no_cache")]
    pub remote_read_only: bool,
    /// Go on without the store if one object takes longer than this to come or go.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        conflicts_with = "no_cache"
    )]
    pub remote_timeout: u64,
}

#[derive(Clone, Debug, Default, Args)]
pub struct SandboxOptions {
    /// Let the program use a directory, under its own name or another.
    #[arg(long = "dir", value_name = "HOST[::GUEST]",
          value_parser = OsStringValueParser::new().try_map(directory),
          conflicts_with = "unconfined")]
    pub directories: Vec<Directory>,
    /// Give the program an environment variable; without a value, this process's. Of two values the
    /// last counts.
    #[arg(long, value_name = "NAME[=VALUE]",
          value_parser = OsStringValueParser::new().try_map(variable))]
    pub env: Vec<(OsString, OsString)>,
    #[arg(short = 'W', value_name = "LIMIT=VALUE", value_delimiter = ',', help = limits::help())]
    pub limits: Vec<Limit>,
    /// Where the program starts, an absolute name [default: here, if a directory is open under its
    /// own name; else in `/`].
    #[arg(long, value_name = "GUEST")]
    pub cwd: Option<PathBuf>,
    /// Let the program wait for TCP connections at this address.
    #[arg(
        long = "tcp-listen",
        value_name = "IP:PORT",
        conflicts_with = "unconfined"
    )]
    pub listen: Vec<SocketAddr>,
    /// Let the program use the network as this process can: TCP, UDP, and names of hosts.
    #[arg(long, conflicts_with = "unconfined")]
    pub inherit_network: bool,
    /// Let the program use what this process can use: all files, and the whole environment.
    #[arg(long)]
    pub unconfined: bool,
}

/// A program and its arguments. Options of ours come before it, as those of `ocamlrun` do.
#[derive(Debug, Args)]
pub struct Call {
    /// A program of the guest (of OCaml: an executable that `ocamlc` made; `run` takes what
    /// `bactrian build` made of one as well), and its arguments: all that follows it, also what
    /// looks like an option of this command. A `--` that is the first of them is left out.
    #[arg(required = true, trailing_var_arg = true, num_args = 1..,
          value_names = ["PROGRAM", "ARGS"])]
    words: Vec<OsString>,
}

impl Call {
    pub fn program(&self) -> &Path {
        Path::new(&self.words[0])
    }

    pub fn args(&self) -> &[OsString] {
        match &self.words[1..] {
            [first, rest @ ..] if first == "--" => rest,
            args => args,
        }
    }
}

#[derive(Debug, Args)]
pub struct LockstepArgs {
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub stats: StatsOption,
    #[command(flatten)]
    pub sandbox: SandboxOptions,
    /// Collect garbage at every safepoint.
    #[arg(long)]
    pub stress: bool,
    /// Specialize as `bactrian build` does with this profile.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// How long one side may keep the other waiting.
    #[arg(long, value_name = "SECONDS", default_value = "60",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub patience: u64,
    #[command(flatten)]
    pub call: Call,
}

#[derive(Debug, Args)]
pub struct StubsArgs {
    /// The guest whose programs call them, by its manifest [default: OCaml's].
    #[arg(long, value_name = "MANIFEST")]
    pub guest: Option<PathBuf>,
    /// Sources in C, objects (.o) and archives (.a) for wasm32-wasi.
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// The file to write.
    #[arg(short, long, required_unless_present = "library")]
    pub output: Option<PathBuf>,
    /// Write the file that programs which name this library find by themselves: NAME.stubs in
    /// bactrian/stubs in $XDG_DATA_HOME or ~/.local/share.
    #[arg(long = "for", value_name = "NAME", conflicts_with = "output")]
    pub library: Option<String>,
    /// Look for headers in this directory.
    #[arg(short = 'I', value_name = "DIRECTORY")]
    pub include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Give the compiler this option.
    #[arg(long = "cflag", value_name = "OPTION", allow_hyphen_values = true)]
    pub flags: Vec<String>,
    /// Join this file of stubs as well before it is looked for what nothing defines.
    #[arg(long = "with", value_name = "FILE")]
    pub others: Vec<PathBuf>,
    /// Do without this C function: a call of it raises an exception with its name.
    #[arg(long, value_name = "NAME")]
    pub without: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub action: CacheAction,
    /// The cache to use [default: bactrian/cache.sqlite in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long = "cache", value_name = "FILE", global = true)]
    pub file: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum CacheAction {
    /// What is in it.
    Stats,
    /// Check every entry; remove what is damaged.
    Verify,
    /// Remove every entry.
    Clear,
    /// Remove what was used longest ago, until it has a size.
    Gc {
        /// How large it may be.
        #[arg(long = "cache-size", value_name = "MIB", default_value = "1024",
              value_parser = mebibytes())]
        cache_size: u64,
    },
    /// Write it to a file for other machines: all but whole programs.
    Export {
        /// The file to write.
        to: PathBuf,
    },
    /// Take over what was exported. It has machine code, which builds then use: import what you
    /// would run.
    Import {
        /// A file that was exported.
        from: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Executables that `ocamlc` made [default: those in `demo`].
    pub programs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Only these programs and tasks (ocamlc, hello), or these checks of numbers.
    #[arg(conflicts_with_all = ["readme", "docs"])]
    pub names: Vec<String>,
    /// Compare numbers with those of `ocamlrun` instead: formatted, read and computed.
    #[arg(long, conflicts_with_all = ["readme", "docs"])]
    pub numbers: bool,
    /// How many values each check of numbers has.
    #[arg(long, default_value = "1000000", requires = "numbers")]
    pub values: u64,
    /// Where the checks' random numbers begin.
    #[arg(long, default_value = "1", requires = "numbers")]
    pub seed: u64,
    /// Only measure cold builds of programs that are large in one way.
    #[arg(long, conflicts_with_all = ["numbers", "docs"])]
    pub shapes: bool,
    /// Only measure what each optimisation is worth, on the programs that are not held back.
    #[arg(long, conflicts_with_all = ["numbers", "shapes", "readme"])]
    pub ladder: bool,
    /// Only measure builds after edits.
    #[arg(long, conflicts_with_all = ["numbers", "shapes", "ladder", "readme"])]
    pub rebuild: bool,
    /// Where the sources are.
    #[arg(long, value_name = "DIRECTORY", default_value = "tests/bench")]
    pub programs: PathBuf,
    /// How often each program is run; the median counts.
    #[arg(long, default_value = "5")]
    pub runs: usize,
    /// Put figures and means into this file, between its markers.
    #[arg(long, value_name = "FILE")]
    pub readme: Option<PathBuf>,
    /// Put the table of programs and the ladder into `bench.md` in this directory, between its
    /// markers, a chart into `bench.svg`, and the table of rebuilds into `caching.md`.
    #[arg(long, value_name = "DIRECTORY")]
    pub docs: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct WevalArgs {
    /// A core module that is annotated for weval.
    #[arg(short, value_name = "MODULE")]
    pub input: PathBuf,
    /// The specialized module to write; `-` is standard output.
    #[arg(short, value_name = "MODULE")]
    pub output: PathBuf,
    /// Initialise the module and freeze it first. It may use this process's streams and
    /// environment.
    #[arg(short)]
    pub wizen: bool,
    /// Let the initialisation use a directory, under its own name.
    #[arg(long = "dir", value_name = "DIRECTORY", requires = "wizen")]
    pub directories: Vec<PathBuf>,
    /// The exported function that initialises.
    #[arg(long, value_name = "NAME", default_value = snapshot::INIT, requires = "wizen")]
    pub init_func: String,
    /// Export it from the initialised module as well.
    #[arg(long, requires = "wizen")]
    pub keep_init_func: bool,
    #[command(flatten)]
    pub cache: CacheLocation,
    /// Another cache to take from, and to leave as it is. One that weval wrote is of no use.
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache")]
    pub cache_ro: Option<PathBuf>,
    /// Report requests, sizes and times by stage on standard error.
    #[arg(long)]
    pub show_stats: bool,
    /// Write residual functions as text into this directory.
    #[arg(long, value_name = "DIRECTORY")]
    pub output_ir: Option<PathBuf>,
    /// Say what happens, and what the interpreter's `print` and `trace.line` say.
    #[arg(short, long)]
    pub verbose: bool,
}
