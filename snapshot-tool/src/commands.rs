//! What each command does.
//!
//! Invariant: a failure of the tool is a message on standard error and the status 125; the output
//! and the status of a program that runs are its own.

mod build;
mod cache;
mod output;
mod start;
mod stubs;
mod weval;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use wasmtime::Module;

use crate::cli::{
    BuildOptions, CheckArgs, Cli, Command, LockstepArgs, ProductOptions, RunArgs, SandboxOptions,
    SpecializeArgs, StatsFormat, StatsOption,
};
use crate::engine::Needs;
use crate::evaluation::Eval;
use crate::guest::Guest;
use crate::host::{Directory, Sandbox};
use crate::input::{self, Kind};
use crate::limits::Limits;
use crate::lockstep::{self, Setup, Standard, Verdict};
use crate::notice;
use crate::pipeline::{Mode, Pipeline, Settings};
use crate::precompiled::Precompiled;
use crate::run::{Exit, Run};
use crate::snapshot::{self, Refused};
use crate::status_line::StatusLine;
use crate::unconfined::Network;
use crate::{
    bench, check, engine, file_limit, jit_dump, profile, report, run, specialize, unconfined,
};

use output::{require_others, require_place, say, write, write_text};
use stubs::Joined;

/// The status for a failure of the tool: one that programs rarely use.
const FAILURE: u8 = 125;

/// Does what the command line says; the result is the process's status.
/// `precompiled` is the machine code that came with the command.
pub fn execute(cli: &Cli, precompiled: Precompiled) -> u8 {
    let limit = file_limit::Ignored::new();
    let result = match &cli.command {
        Command::Run(args) => run_program(args, precompiled, limit),
        Command::Build(args) => build::run(args, precompiled).map(|()| 0),
        Command::Specialize(args) => specialize(args, precompiled).map(|()| 0),
        Command::Check(args) => check(args, precompiled),
        Command::Lockstep(args) => run_in_lockstep(args, precompiled),
        Command::Stubs(args) => stubs::compile(args).map(|()| 0),
        Command::Demo(args) => bench::demo(args, precompiled).map(|()| 0),
        Command::Bench(args) => bench::bench(args, precompiled).map(|()| 0),
        Command::Cache(args) => cache::look_after(args),
        Command::Weval(args) => weval::run(args, precompiled).map(|()| 0),
    };
    result.unwrap_or_else(|error| {
        // What a library says may end its own line.
        notice!("bactrian: {}", format!("{error:#}").trim_end());
        let refused = error.downcast_ref::<Refused>();
        // A program that was refused did not end well, whatever the guest says.
        refused.map_or(FAILURE, |refused| match refused.status as u8 {
            0 => FAILURE,
            status => status,
        })
    })
}

fn run_program(args: &RunArgs, precompiled: Precompiled, limit: file_limit::Ignored) -> Result<u8> {
    let program = args.call.program();
    let (mut pipeline, module) = runnable(args, precompiled)?;
    finish(&pipeline);
    if args.jitdump {
        jit_dump::write(&module, Path::new("."))?;
    }
    let mut sandbox = sandbox(program, args.call.args(), &args.sandbox)?;
    let module = match engine::has_stacks(&module) && sandbox.limits.stack.is_none() {
        true => {
            sandbox.stack = Some(engine::STACK_OF_SEVERAL);
            let file = pipeline.known_file.as_deref();
            engine::with_its_stacks(&module, file, &pipeline.settings.needs)?
        }
        false => module,
    };
    let engine = module.engine().clone();
    drop(limit);
    let Run { exit, profile } = pipeline
        .stages
        .time("run", || run::run(&engine, &module, &sandbox))
        .with_context(|| program.display().to_string())?;
    let status = end(program, &exit);
    let written = match (&args.profile, profile) {
        (Some(path), Some(profile)) => write_text(path, &profile.to_string()),
        (Some(path), None) => {
            notice!(
                "bactrian: {}: there is no profile, as it was stopped",
                path.display()
            );
            Ok(())
        }
        (None, _) => Ok(()),
    };
    print_stats(&args.product.stats, &pipeline);
    written.map(|()| status)
}

/// Prints how the program ended, where it could not say so itself. Returns its status.
fn end(program: &Path, exit: &Exit) -> u8 {
    if let Some(message) = exit.message() {
        notice!("bactrian: {}: {message}", program.display());
    }
    exit.status() as u8
}

fn sandbox(program: &Path, args: &[OsString], options: &SandboxOptions) -> Result<Sandbox> {
    let name = std::iter::once(program.as_os_str().to_owned());
    let mut env = Vec::new();
    let limits = Limits::of(&options.limits);
    let mut directories = start::directories(options)?;
    if options.unconfined {
        env.extend(std::env::vars_os());
        directories.push(Directory {
            host: "/".into(),
            guest: "/".into(),
        });
    }
    // A guest finds the first of a name, and what is said last counts.
    for (name, value) in &options.env {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), value.clone()));
    }
    Ok(Sandbox {
        args: name.chain(args.iter().cloned()).collect(),
        limits,
        stack: limits.stack,
        start: start::start(options, &directories)?,
        unconfined: options.unconfined,
        network: Network {
            listen: options.listen.clone(),
            inherit: options.inherit_network,
        },
        env,
        directories,
    })
}

fn run_in_lockstep(args: &LockstepArgs, precompiled: Precompiled) -> Result<u8> {
    let limits = Limits::of(&args.sandbox.limits);
    ensure!(
        Limits {
            memory: limits.memory,
            ..Limits::default()
        } == limits,
        "of `-W`, lockstep takes max-memory-size only: the two sides use \
         unlike amounts of everything else"
    );
    let program = args.call.program();
    let joined = stubs::joined(&args.build, program)?;
    input::require_program(program, &joined.guest)?;
    let bytes = read(program)?;
    let mut settings = settings(&args.build, precompiled, program, &joined)?;
    settings.options.stacks = engine::HAS_STACKS;
    settings.options.profile = args.profile.as_deref().map(profile::read).transpose()?;
    let mut pipeline = Pipeline::new(settings)?;
    let line = StatusLine::new().map(Arc::new);
    let setup = Setup {
        guest: joined.guest,
        sandbox: sandbox(program, args.call.args(), &args.sandbox)?,
        standard: Standard::Inherited(line.clone()),
        stress: args.stress,
        patience: Duration::from_secs(args.patience),
        functions: Vec::new(),
    };
    let verdict = lockstep::program(&mut pipeline, &bytes, setup);
    if let Some(line) = line {
        line.clear();
    }
    let verdict = verdict.with_context(|| program.display().to_string())?;
    finish(&pipeline);
    let declined = pipeline.summary.as_ref();
    let declined = declined.map_or(0, |summary| summary.declined.len());
    if declined > 0 {
        notice!("bactrian: {declined} functions were declined, and not compared: see `--stats`");
    }
    if pipeline.events == Some(0) {
        notice!("bactrian: nothing was compared but how it ended: the guest reports no events");
    }
    let status = match verdict {
        Verdict::Diverged(divergence) => Err(anyhow!("{}: {divergence}", program.display())),
        Verdict::Agree { end, .. } => Ok(self::end(program, &end.exit)),
    };
    print_stats(&args.stats, &pipeline);
    status
}

/// The first option that is given and is of no use for what is compiled already: it says how
/// programs are compiled, or opens what a module of `build` does not ask for.
fn of_programs(args: &RunArgs) -> Option<&'static str> {
    let options = [
        ("--profile", args.profile.is_some()),
        ("--generic", args.product.generic),
        ("--keep-unreached", args.product.keep_unreached),
        ("--eval", args.build.eval != Eval::default()),
        ("--stubs", !args.build.stubs.is_empty()),
        ("-O", !args.build.optimisations.is_empty()),
        ("--budget", !args.build.budgets.is_empty()),
        ("--inherit-network", args.sandbox.inherit_network),
        ("--tcp-listen", !args.sandbox.listen.is_empty()),
    ];
    let given = options.into_iter().find(|(_, is_given)| *is_given);
    given.map(|(option, _)| option)
}

/// Machine code for whatever kind of program there is to run.
fn runnable(args: &RunArgs, precompiled: Precompiled) -> Result<(Pipeline, Module)> {
    let program = args.call.program();
    let joined = stubs::joined(&args.build, program)?;
    let compile: fn(&mut Pipeline, &Path) -> Result<Module> =
        match input::kind(program, &joined.guest)? {
            Kind::Precompiled | Kind::Wasm if let Some(option) = of_programs(args) => {
                bail!(
                    "{}: this is compiled already; `{option}` needs the program it was made of",
                    program.display()
                );
            }
            Kind::Precompiled if !args.allow_precompiled => {
                return Err(input::not_allowed(program).into());
            }
            Kind::Precompiled => return load(args),
            Kind::Wasm => |pipeline, path| pipeline.machine_code(&read(path)?),
            Kind::Program => Pipeline::program_file,
        };
    let mut settings = Settings {
        needs: Needs {
            copied_memory: engine::may_not_write_images(),
            ..needs(args)
        },
        ..settings(&args.build, precompiled, program, &joined)?
    };
    shape(&args.product, &mut settings);
    if let Some(profile) = &args.profile {
        let read = [program].into_iter();
        require_others(profile, read.chain(joined.files(&args.build)))?;
        require_place(profile)?;
        settings.options.counts = true;
        // What was done at build time would not be counted.
        settings.eval = Eval::None;
        settings.options.optimisations.inlining = false;
    }
    settings.options.shares_code = true;
    settings.options.stacks = engine::HAS_STACKS && !settings.needs.fuel;
    if settings.needs.fuel && (joined.guest.has_threads)(&read(program)?) {
        notice!(
            "bactrian: {}: with `-W fuel` a program has one stack, so Thread.create raises \
             Sys_error, see docs/threads.md",
            program.display()
        );
    }
    let mut pipeline = Pipeline::new(settings)?;
    let module = compile(&mut pipeline, program).with_context(|| program.display().to_string())?;
    Ok((pipeline, module))
}

/// Machine code is mapped, not read, and needs no cache.
fn load(args: &RunArgs) -> Result<(Pipeline, Module)> {
    let needs = needs(args);
    let program = args.call.program();
    let name = || program.display().to_string();
    ensure!(
        !needs.fuel,
        "{}: this is machine code that counts no instructions; `-W fuel` needs the program it was \
         made of",
        name()
    );
    let mut pipeline = Pipeline::new(Settings {
        needs,
        ..Settings::default()
    })?;
    let module = engine::load(&pipeline.engine, program)
        .context("this is not machine code that this version of Bactrian made")
        .with_context(name)?;
    pipeline.known_file = Some(program.into());
    Ok((pipeline, module))
}

/// What the program's limits ask of the engine.
fn needs(args: &RunArgs) -> Needs {
    let limits = Limits::of(&args.sandbox.limits);
    Needs {
        fuel: limits.fuel.is_some(),
        stack: limits.stack,
        perf_map: args.perfmap,
        ..Needs::default()
    }
}

fn specialize(args: &SpecializeArgs, precompiled: Precompiled) -> Result<()> {
    let name = || args.module.display().to_string();
    require_place(&args.output)?;
    let joined = stubs::joined(&args.build, &args.module)?;
    let read = [&*args.module].into_iter().chain(args.init.as_deref());
    require_others(&args.output, read.chain(joined.files(&args.build)))?;
    let guest = Arc::clone(&joined.guest);
    let mut settings = settings(&args.build, precompiled, &args.module, &joined)?;
    shape(&args.product, &mut settings);
    settings.options.absent = Some(unconfined::absent());
    let mut pipeline = Pipeline::new(settings)?;
    let module = if args.build.guest.is_some() {
        of_guest(&args.module, &guest, &mut pipeline).with_context(name)
    } else {
        input::require_module(&args.module, &guest)?;
        let init = args.init.as_deref();
        annotated(&args.module, init, &args.build, &mut pipeline).with_context(name)
    }?;
    let linked = pipeline.linked(&module).with_context(name)?;
    if args.build.guest.is_none() {
        tell_of_no_requests(&pipeline, &args.module, "`--init FILE`");
    }
    if let Some(directory) = &args.text {
        write_texts(directory, &module, &pipeline.settings.options)?;
    }
    write(&args.output, &linked)?;
    finish(&pipeline);
    print_stats(&args.product.stats, &pipeline);
    Ok(())
}

/// Says so where a module asks for nothing: that nothing is specialized can be meant, but it seldom
/// is.
fn tell_of_no_requests(pipeline: &Pipeline, module: &Path, option: &str) {
    let summary = pipeline.summary.as_ref();
    if summary.is_some_and(|summary| summary.requests == 0) {
        notice!(
            "bactrian: {}: it asks for nothing, and nothing is specialized; {option} initialises a \
             module first",
            module.display()
        );
    }
}

/// Writes the residual function of each request as text.
fn write_texts(directory: &Path, snapshot: &[u8], options: &specialize::Options) -> Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    for (number, text) in (0..).zip(specialize::texts(snapshot, options)?) {
        write(&directory.join(format!("{number}.txt")), text.as_bytes())?;
    }
    Ok(())
}

/// Says what is wrong with a module's annotations; 1 if any of it is an error.
fn check(args: &CheckArgs, precompiled: Precompiled) -> Result<u8> {
    let name = || args.module.display().to_string();
    let joined = stubs::joined(&args.build, &args.module)?;
    let guest = Arc::clone(&joined.guest);
    let settings = settings(&args.build, precompiled, &args.module, &joined)?;
    let mut pipeline = Pipeline::new(settings)?;
    let is_program = matches!(input::kind(&args.module, &guest), Ok(Kind::Program));
    let (module, named) = if is_program && args.init.is_none() {
        let module = of_guest(&args.module, &guest, &mut pipeline).with_context(name)?;
        (module, guest.module.to_vec())
    } else {
        input::require_module(&args.module, &guest)?;
        let init = args.init.as_deref();
        let module = annotated(&args.module, init, &args.build, &mut pipeline);
        let module = module.with_context(name)?;
        (module, wat::parse_bytes(&read(&args.module)?)?.into_owned())
    };
    let report = check::check(&module, &named, &pipeline.settings.options).with_context(name)?;
    say(&report.text)?;
    finish(&pipeline);
    Ok(u8::from(report.errors > 0))
}

/// The snapshot of a guest's program.
fn of_guest(program: &Path, guest: &Guest, pipeline: &mut Pipeline) -> Result<Vec<u8>> {
    input::require_program(program, guest)?;
    pipeline.snapshot(&guest.module, &read(program)?)
}

/// A module that is no guest's, initialised if that is asked for.
fn annotated(
    module: &Path,
    init: Option<&Path>,
    options: &BuildOptions,
    pipeline: &mut Pipeline,
) -> Result<Vec<u8>> {
    ensure!(
        options.stubs.is_empty(),
        "this is a module; `--stubs` joins functions in C to what runs a program"
    );
    let bytes = read(module)?;
    let module = wat::parse_bytes(&bytes)?;
    match init {
        Some(init) => {
            snapshot::require_init(&module)?;
            pipeline.snapshot(&module, &read(init)?)
        }
        None => Ok(module.into_owned()),
    }
}

/// What the options ask for, for a program in this file.
fn settings(
    options: &BuildOptions,
    precompiled: Precompiled,
    program: &Path,
    joined: &Joined,
) -> Result<Settings> {
    let cache = cache::open(&options.cache, program)?;
    Ok(Settings {
        eval: options.eval,
        options: specialize::Options {
            verify: options.verify,
            ..specialize::options(&options.optimisations, &options.budgets)?
        },
        cache: cache.map(Arc::new),
        precompiled: Some(precompiled),
        guest: Arc::clone(&joined.guest),
        libraries: joined.libraries.clone(),
        tell: |notice| notice!("bactrian: {notice}"),
        ..Settings::default()
    })
}

/// What of the program is to be made.
fn shape(options: &ProductOptions, settings: &mut Settings) {
    if options.generic {
        settings.mode = Mode::Generic;
    }
    settings.options.keeps_unreached = options.keep_unreached;
}

/// Writes what the cache buffers, and leaves for other machines what is new.
fn finish(pipeline: &Pipeline) {
    if let Some(cache) = &pipeline.settings.cache {
        cache.share();
        cache::tell(cache);
    }
}

/// Prints what `--stats` asks for.
fn print_stats(option: &StatsOption, pipeline: &Pipeline) {
    match option.format {
        Some(StatsFormat::Text) => {
            notice::text(&(report::said(pipeline) + &report::text(pipeline)))
        }
        Some(StatsFormat::Json) => notice!("{}", report::json(pipeline)),
        None => {}
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
