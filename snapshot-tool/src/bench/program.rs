//! One program: compiled, built cold and warm, run in all three ways.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cache::Cache;
use tempfile::TempDir;

use super::bytecode;
use super::compiler::Compiler;
use super::measure::{self, Measured, bactrian, ocamlrun};
use super::programs::Source;
#[cfg(test)]
use super::programs::{Group, Shelf};
use crate::engine;
use crate::known_code::Counts;
use crate::pipeline::{Mode, Pipeline, Settings};
use crate::precompiled::Precompiled;
use crate::specialize::{self, Summary};
use crate::stats::Stages;

/// Enough for any one program.
const CACHE_LIMIT: u64 = 1 << 30;

/// Where and how to measure.
pub struct Bench {
    directory: TempDir,
    runs: usize,
    ocamlrun: bool,
    ocamlopt: bool,
    precompiled: Precompiled,
}

/// Everything that is measured of one program.
pub struct Measurement {
    pub name: String,
    /// Absent where `ocamlrun` is not installed.
    pub ocamlrun: Option<Measured>,
    pub generic: Measured,
    pub residual: Measured,
    pub cold: Build,
    pub warm: Build,
    pub bytecode_bytes: usize,
    /// Instructions in it.
    pub instructions: usize,
    /// What the specializer takes without a cache, on all threads.
    pub specialize_cpu: Duration,
}

/// A program of ours, and what was measured of it.
pub struct Entry {
    pub source: Source,
    pub measurement: Measurement,
    /// As `ocamlopt` compiles it; absent where that is not installed.
    pub ocamlopt: Option<Measured>,
}

/// One build with a cache.
#[derive(Default)]
pub struct Build {
    /// From bytecode to machine code.
    pub wall: Duration,
    /// Size of the linked module.
    pub wasm_bytes: usize,
    /// Size of its machine code.
    pub code_bytes: usize,
    /// Size of that with all that is mapped beside it: the program's data above all.
    pub image_bytes: usize,
    pub summary: Summary,
    /// Functions by where their machine code came from.
    pub functions: Counts,
    /// What each stage took.
    pub stages: Stages,
}

impl Bench {
    pub fn new(runs: usize, precompiled: Precompiled) -> Result<Self> {
        let directory = TempDir::new().context("cannot make a scratch directory")?;
        let is_there = |tool: &str| Command::new(tool).arg("-version").output().is_ok();
        Ok(Self {
            directory,
            runs,
            ocamlrun: is_there("ocamlrun"),
            ocamlopt: is_there(Compiler::Native.command()),
            precompiled,
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Compiles an OCaml source, away from the source's directory. What else the compiler needs,
    /// such as a library, is in `NAME.flags` beside it, an item a line.
    pub fn compile(&self, compiler: Compiler, source: &Path) -> Result<PathBuf> {
        let name = source.file_name().context("a source has a name")?;
        let text = read(source)?;
        let flags = std::fs::read_to_string(source.with_extension("flags")).unwrap_or_default();
        let flags: Vec<&str> = flags.lines().collect();
        let copy = self.path_of(Path::new(name), &text)?;
        compiler.compile(&flags, &copy)
    }

    /// Compiles the OCaml source `text` to bytecode, to be in a file of this name.
    pub fn compile_text(&self, name: impl AsRef<Path>, text: &[u8]) -> Result<PathBuf> {
        let source = self.path_of(name.as_ref(), text)?;
        Compiler::Bytecode.compile(&[], &source)
    }

    /// A scratch file with this text.
    fn path_of(&self, name: &Path, text: &[u8]) -> Result<PathBuf> {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).context("cannot write a scratch file")?;
        Ok(path)
    }

    /// Builds and runs a program of ours, also under `ocamlopt` if there is one.
    pub fn measure_source(&self, source: Source) -> Result<Entry> {
        let bytecode = self.compile(Compiler::Bytecode, &source.path)?;
        let measurement = self.measure(&source.name, &bytecode)?;
        let native = |source: &Source| {
            let program = self.compile(Compiler::Native, &source.path)?;
            self.run(self.runs, || Ok(Command::new(&program)))
        };
        let entry = Entry {
            ocamlopt: self.ocamlopt.then(|| native(&source)).transpose()?,
            source,
            measurement,
        };
        let residual = &entry.measurement.residual;
        if let Some(native) = &entry.ocamlopt
            && !native.ends_as(residual)
        {
            bail!("the program's output is not what it is under ocamlopt");
        }
        Ok(entry)
    }

    /// Measures a program that does nothing: what every process takes, whatever it runs.
    pub fn measure_nothing(&self) -> Result<Measurement> {
        self.measure(
            "nothing",
            &self.compile_text("nothing.ml", b"let () = ()\n")?,
        )
    }

    /// Builds and runs `bytecode`, and insists that all outputs are the same.
    pub fn measure(&self, name: &str, bytecode: &Path) -> Result<Measurement> {
        let program = read(bytecode)?;
        let cache = self.path(&format!("{name}.sqlite"));
        let (residual, cold) = self.build(&program, Mode::Residual, Some(&cache))?;
        let (again, warm) = self.build(&program, Mode::Residual, Some(&cache))?;
        if residual != again {
            bail!("a warm build gives other machine code than a cold one");
        }
        let (generic, _) = self.build(&program, Mode::Generic, None)?;
        let measurement = Measurement {
            name: name.into(),
            ocamlrun: self
                .ocamlrun
                .then(|| self.run(self.runs, || Ok(ocamlrun(bytecode))))
                .transpose()?,
            generic: self.run_compiled("generic.cwasm", &generic)?,
            residual: self.run_compiled("residual.cwasm", &residual)?,
            cold,
            warm,
            bytecode_bytes: program.len(),
            instructions: bytecode::count(&program).map_or(0, |(_, instructions)| instructions),
            specialize_cpu: self.specialize(&program)?.0,
        };
        measurement.check()?;
        Ok(measurement)
    }

    /// Machine code for `program`, and what it took.
    pub fn build(
        &self,
        program: &[u8],
        mode: Mode,
        cache: Option<&Path>,
    ) -> Result<(Vec<u8>, Build)> {
        let cache = cache
            .map(|path| Cache::open(path, CACHE_LIMIT))
            .transpose()?
            .map(Arc::new);
        let start = std::time::Instant::now();
        let mut settings = Settings {
            mode,
            cache,
            precompiled: Some(self.precompiled),
            ..Settings::default()
        };
        // As `run` has it: machine code names imports by their numbers.
        settings.options.shares_code = true;
        settings.options.stacks = engine::HAS_STACKS;
        let mut pipeline = Pipeline::new(settings)?;
        let wasm = pipeline.module(program)?;
        let module = pipeline.machine_code(&wasm)?;
        let bytes = module.serialize().map_err(engine::error)?;
        let wall = start.elapsed();
        let image = module.image_range();
        let build = Build {
            wall,
            wasm_bytes: wasm.len(),
            code_bytes: module.text().len(),
            image_bytes: image.end as usize - image.start as usize,
            summary: pipeline.summary.unwrap_or_default(),
            functions: pipeline.functions.unwrap_or_default(),
            stages: pipeline.stages,
        };
        Ok((bytes, build))
    }

    /// The CPU time that the specializer takes for `program` when nothing is cached, and what it
    /// does.
    pub fn specialize(&self, program: &[u8]) -> Result<(Duration, Summary)> {
        let mut pipeline = Pipeline::new(Settings {
            precompiled: Some(self.precompiled),
            ..Settings::default()
        })?;
        pipeline.module(program)?;
        let stage = pipeline.stages.get("specialize");
        let cpu = stage.context("the stage was run")?.cpu;
        Ok((cpu, pipeline.summary.context("the specializer was run")?))
    }

    /// Machine code of residual code made with these options, and the residual code's size.
    pub fn residual(
        &self,
        bytecode: &Path,
        options: specialize::Options,
        cache: &Path,
    ) -> Result<(Vec<u8>, usize)> {
        let program = read(bytecode)?;
        let mut pipeline = Pipeline::new(Settings {
            options,
            cache: Some(Arc::new(Cache::open(cache, CACHE_LIMIT)?)),
            precompiled: Some(self.precompiled),
            ..Settings::default()
        })?;
        let wasm = pipeline.module(&program)?;
        let module = pipeline.machine_code(&wasm)?;
        let module = module.serialize().map_err(engine::error)?;
        let summary = pipeline.summary.context("the specializer was run")?;
        Ok((module, summary.residual_bytes))
    }

    /// Puts machine code into a file of this name.
    pub fn compiled(&self, name: &str, module: &[u8]) -> Result<PathBuf> {
        let path = self.path(name);
        std::fs::write(&path, module).context("cannot write a scratch file")?;
        Ok(path)
    }

    /// A run of machine code, to be in a file of this name.
    pub fn run_compiled(&self, name: &str, module: &[u8]) -> Result<Measured> {
        let path = self.compiled(name, module)?;
        self.run(self.runs, || command(&path))
    }

    /// Each of these files of machine code is run once, then each once more, and so on. Returns
    /// the runs of each file.
    pub fn in_turn(&self, paths: &[PathBuf]) -> Result<Vec<Vec<Measured>>> {
        let mut all = vec![Vec::new(); paths.len()];
        for _ in 0..self.runs.max(1) {
            for (path, runs) in paths.iter().zip(&mut all) {
                runs.push(self.run(1, || command(path))?);
            }
        }
        Ok(all)
    }

    /// The median of `runs` runs of a command.
    pub fn run(&self, runs: usize, command: impl Fn() -> Result<Command>) -> Result<Measured> {
        measure::median(runs, self.directory.path(), command)
    }

    /// How often a program is run.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Whether there is an `ocamlrun` to compare with.
    pub fn has_ocamlrun(&self) -> bool {
        self.ocamlrun
    }
}

impl Build {
    /// What a stage took, on all threads; nothing if there was no such stage.
    pub fn cpu_of(&self, stage: &str) -> Duration {
        let stage = self.stages.get(stage);
        stage.map_or(Duration::ZERO, |stage| stage.cpu)
    }

    /// The same for all stages.
    pub fn cpu(&self) -> Duration {
        self.stages.iter().map(|stage| stage.cpu).sum()
    }
}

impl Measurement {
    /// Fails where the three ways of running it do not agree.
    fn check(&self) -> Result<()> {
        let same = |other: &Measured| other.ends_as(&self.residual);
        if !same(&self.generic) {
            bail!("generic and residual runs end differently: `bactrian lockstep` says where");
        }
        if !self.ocamlrun.as_ref().is_none_or(same) {
            bail!("the program's output is not what it is under ocamlrun");
        }
        Ok(())
    }

    /// How much faster residual code is than the interpreter under Wasmtime.
    pub fn over_generic(&self) -> f64 {
        ratio(self.generic.cpu, self.residual.cpu)
    }

    /// Residual code's peak memory over `ocamlrun`'s, each without what `nothing` takes.
    pub fn memory_over_ocamlrun(&self, nothing: &Measurement) -> Option<f64> {
        let own = |all: &Measured, base: &Measured| all.peak.saturating_sub(base.peak) as f64;
        let (ocamlrun, base) = (self.ocamlrun.as_ref()?, nothing.ocamlrun.as_ref()?);
        Some(own(&self.residual, &nothing.residual) / own(ocamlrun, base).max(1.0))
    }

    /// How much more time the interpreter under Wasmtime takes than `ocamlrun`.
    pub fn generic_over_ocamlrun(&self) -> Option<f64> {
        Some(ratio(self.generic.cpu, self.ocamlrun.as_ref()?.cpu))
    }

    /// How much faster residual code is than `ocamlrun`.
    pub fn over_ocamlrun(&self) -> Option<f64> {
        Some(ratio(self.ocamlrun.as_ref()?.cpu, self.residual.cpu))
    }
}

pub fn ratio(numerator: Duration, denominator: Duration) -> f64 {
    numerator.as_secs_f64() / denominator.as_secs_f64().max(1e-9)
}

impl Entry {
    /// Which part of the speed of `ocamlopt`'s code residual code has.
    pub fn of_ocamlopt(&self) -> Option<f64> {
        Some(ratio(
            self.ocamlopt.as_ref()?.cpu,
            self.measurement.residual.cpu,
        ))
    }

    /// How much faster `ocamlopt`'s code is than `ocamlrun`.
    pub fn ocamlopt_over_ocamlrun(&self) -> Option<f64> {
        let (ocamlrun, ocamlopt) = (self.measurement.ocamlrun.as_ref()?, self.ocamlopt.as_ref()?);
        Some(ratio(ocamlrun.cpu, ocamlopt.cpu))
    }
}

/// Runs a file of machine code.
fn command(path: &Path) -> Result<Command> {
    let mut command = bactrian()?;
    command.args(["run", "--no-cache", "--allow-precompiled"]);
    command.arg(path);
    Ok(command)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
impl Entry {
    /// A program that takes so many milliseconds under `ocamlrun`, generic, residual and under
    /// `ocamlopt`; 0 stands for what is not installed.
    pub fn sample(name: &str, group: Group, shelf: Shelf, millis: [u64; 4]) -> Self {
        let [ocamlrun, generic, residual, ocamlopt] = millis.map(|millis| Measured {
            cpu: Duration::from_millis(millis),
            peak: 0,
            status: Some(0),
            output: Vec::new(),
        });
        let is_installed = |measured: &Measured| !measured.cpu.is_zero();
        Self {
            source: Source {
                path: name.into(),
                name: name.into(),
                group,
                shelf,
            },
            measurement: Measurement {
                name: name.into(),
                ocamlrun: Some(ocamlrun).filter(is_installed),
                generic,
                residual,
                cold: Build::default(),
                warm: Build::default(),
                bytecode_bytes: 0,
                instructions: 0,
                specialize_cpu: Duration::ZERO,
            },
            ocamlopt: Some(ocamlopt).filter(is_installed),
        }
    }
}
