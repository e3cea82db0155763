//! The way of a program: executable, snapshot, residual module, machine code.
//!
//! Invariant: each stage is timed. Where there is a cache, its result is looked up first, and a
//! result from the cache is the one that the stage would give.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotations::ThreadSupport;
use anyhow::{Context, Result};
use cache::{Cache, Kind};
use wasmtime::{Engine, Module};

use crate::engine::{self, Needs, Origin};
use crate::evaluation::Eval;
use crate::guest::{self, Guest};
use crate::known_code::{Counts, KnownCode};
use crate::precompiled::Precompiled;
use crate::product::{Emit, Ingredients, Product};
use crate::snapshot::{self, Preparation};
use crate::specialize::{self, Summary};
use crate::stats::{Stages, size};
use crate::stubs::search::Found;

/// What to make of a program.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    /// The interpreter as it is.
    Generic,
    /// Specialized.
    #[default]
    Residual,
}

/// How to build.
#[derive(Clone)]
pub struct Settings {
    /// Whose programs these are.
    pub guest: Arc<Guest>,
    pub mode: Mode,
    pub eval: Eval,
    pub options: specialize::Options,
    pub cache: Option<Arc<Cache>>,
    /// What came with the command.
    pub precompiled: Option<Precompiled>,
    pub needs: Needs,
    /// What there is for threads where the program will run.
    pub threads: ThreadSupport,
    /// The libraries of the program that were looked for.
    pub libraries: Found,
    /// Is called with what the guest has to say of the program, before it is specialized.
    pub tell: fn(&str),
}

impl Default for Settings {
    fn default() -> Self {
        let (mode, eval, options, cache, precompiled, needs, libraries) = Default::default();
        let tell = |_: &str| ();
        Self {
            guest: guest::default(),
            mode,
            eval,
            options,
            cache,
            precompiled,
            needs,
            threads: ThreadSupport::default(),
            libraries,
            tell,
        }
    }
}

impl Settings {
    /// What of them a linked module depends on: all but whether it was verified.
    fn fingerprint(&self) -> Vec<u8> {
        let options = specialize::Options {
            verify: false,
            ..self.options.clone()
        };
        let Self {
            mode,
            eval,
            threads,
            options: _,
            guest: _,
            cache: _,
            precompiled: _,
            needs: _,
            libraries: _,
            tell: _,
        } = self;
        format!("{mode:?} {eval:?} {threads:?} {options:?}").into_bytes()
    }
}

/// The stages and what they have in common.
pub struct Pipeline {
    pub engine: Engine,
    pub settings: Settings,
    /// What the settings name as the source of machine code.
    pub known_code: Arc<KnownCode>,
    pub stages: Stages,
    /// What the specializer did, once it has run.
    pub summary: Option<Summary>,
    /// Where the machine code of functions came from, once there is some.
    pub functions: Option<Counts>,
    /// How many events agreed, once it was run in lockstep.
    pub events: Option<u64>,
    /// Whether the whole program was in the cache.
    pub is_known: bool,
    /// The file that holds its machine code, where it is mapped from one.
    pub known_file: Option<PathBuf>,
    /// What the guest said of the program whose snapshot was taken last.
    notice: String,
}

impl Pipeline {
    pub fn new(settings: Settings) -> Result<Self> {
        let known_code = KnownCode::new(settings.precompiled, settings.cache.as_ref());
        let engine = engine::new(known_code.store(), &settings.needs)?;
        Ok(Self {
            engine,
            settings,
            known_code,
            stages: Stages::default(),
            summary: None,
            functions: None,
            events: None,
            is_known: false,
            known_file: None,
            notice: String::new(),
        })
    }

    /// What `build` writes for a program. Where this very program was built before, nothing else is
    /// done.
    pub fn product(&mut self, program: &[u8], emit: Emit) -> Result<Product> {
        let key = self
            .ingredients(&blake3::hash(program))
            .key(&self.engine, emit);
        let cache = self.settings.cache.clone();
        let known = self.stages.time("look up", || {
            cache
                .as_deref()
                .and_then(|cache| Product::known(cache, &key))
        });
        if let Some(product) = known {
            self.note_known();
            self.tell(&product.notice);
            return Ok(product);
        }
        let wasm = self.module(program)?;
        let fit = self.summary.as_ref().and_then(|summary| summary.fit);
        let product = Product {
            bytes: match emit {
                Emit::Wasm => wasm,
                Emit::Cwasm => {
                    let module = self.machine_code(&wasm)?;
                    module.serialize().map_err(engine::error)?
                }
            },
            notice: std::mem::take(&mut self.notice),
            fit: fit.as_ref().map(specialize::fit).unwrap_or_default(),
        };
        if let Some(cache) = cache {
            self.stages.time("keep", || product.keep(&cache, &key));
        }
        Ok(product)
    }

    /// Machine code for a program. Where this very program was built before, nothing else is done.
    pub fn program(&mut self, program: &[u8]) -> Result<Module> {
        let key = self.program_key(&blake3::hash(program));
        match self.known_program(&key) {
            Some(module) => Ok(module),
            None => self.new_program(&key, program),
        }
    }

    /// The same for the executable in a file, which is read into memory only if there is something
    /// to do.
    pub fn program_file(&mut self, path: &Path) -> Result<Module> {
        let unreadable = || format!("cannot read {}", path.display());
        let mut digest = blake3::Hasher::new();
        let file = File::open(path).with_context(unreadable)?;
        digest.update_reader(file).with_context(unreadable)?;
        let key = self.program_key(&digest.finalize());
        if let Some(module) = self.known_program(&key) {
            return Ok(module);
        }
        let program = fs::read(path).with_context(unreadable)?;
        // The file may have changed since it was hashed.
        let key = self.program_key(&blake3::hash(&program));
        self.new_program(&key, &program)
    }

    /// Builds a program, and keeps it under its key.
    fn new_program(&mut self, key: &[u8; 32], program: &[u8]) -> Result<Module> {
        let wasm = self.module(program)?;
        let module = self.machine_code(&wasm)?;
        if let Some(cache) = &self.settings.cache {
            engine::keep_module(cache, key, &module)?;
            if !self.notice.is_empty() {
                cache.insert(Kind::Module, key, self.notice.as_bytes());
            }
        }
        Ok(module)
    }

    /// The program with this key, if the cache has it. What the guest said of it is said again.
    fn known_program(&mut self, key: &[u8; 32]) -> Option<Module> {
        let (engine, cache) = (&self.engine, self.settings.cache.as_deref()?);
        let (module, file) = self
            .stages
            .time("look up", || engine::cached_module(engine, cache, key))?;
        // Most programs have none, which is no reason to ask other machines at each start.
        let notice = cache.get_here(Kind::Module, key).pop().unwrap_or_default();
        self.known_file = Some(file);
        self.note_known();
        self.tell(&String::from_utf8_lossy(&notice));
        Some(module)
    }

    /// Notes that the last stage found all that there was to do.
    fn note_known(&mut self) {
        self.is_known = true;
        self.stages
            .note("the whole program is in the cache: nothing to specialize or compile");
    }

    fn tell(&self, notice: &str) {
        if !notice.is_empty() {
            let advice = self.settings.libraries.advice(notice);
            let lines: Vec<_> = std::iter::once(notice.to_owned()).chain(advice).collect();
            (self.settings.tell)(&lines.join("\n"));
        }
    }

    /// The linked module for a program.
    pub fn module(&mut self, program: &[u8]) -> Result<Vec<u8>> {
        let guest = Arc::clone(&self.settings.guest);
        let snapshot = self.snapshot(&guest.module, program)?;
        self.linked(&snapshot)
    }

    /// `module`, initialised with `program` as the guest's manifest says, and frozen.
    pub fn snapshot(&mut self, module: &[u8], program: &[u8]) -> Result<Vec<u8>> {
        let optimisations = self.settings.options.optimisations;
        let preparation = Preparation {
            initialize: &self.settings.guest.manifest.initialize,
            eval: self.settings.eval,
            references: optimisations.references,
            applications: optimisations.applications,
            // That it is the last one follows from comparisons with the others: guesses.
            candidates: optimisations.candidates && optimisations.guesses,
            threads: match (self.settings.guest.has_threads)(program) {
                true => self.settings.threads,
                false => ThreadSupport::default(),
            },
        };
        let code = &self.known_code;
        let (snapshot, origin) = self.stages.time("snapshot", || {
            snapshot::take(module, program, preparation, code)
        })?;
        let module = snapshot.module;
        self.stages.note(format!(
            "{}{}{}",
            size(module.len()),
            whence(&origin),
            snapshot.evaluation
        ));
        self.tell(&snapshot.notice);
        self.notice = snapshot.notice;
        Ok(module)
    }

    /// A snapshot, specialized or not, without intrinsics.
    pub fn linked(&mut self, snapshot: &[u8]) -> Result<Vec<u8>> {
        let (mode, options, cache) = (
            &self.settings.mode,
            &self.settings.options,
            self.settings.cache.as_deref(),
        );
        let linked = match mode {
            Mode::Generic => self
                .stages
                .time("link", || specialize::link_generic(snapshot, options))?,
            Mode::Residual => {
                let (linked, summary, stages) = specialize::run(snapshot, options, cache)?;
                if let Some(cache) = cache {
                    cache.write_meanwhile();
                }
                self.stages.extend(stages);
                self.summary = Some(summary);
                linked
            }
        };
        self.stages.note(size(linked.len()));
        Ok(linked)
    }

    /// Machine code for a linked module.
    pub fn machine_code(&mut self, wasm: &[u8]) -> Result<Module> {
        let (engine, cache) = (&self.engine, self.settings.cache.as_deref());
        let before = self.known_code.counts();
        let module = self
            .stages
            .time("compile", || Module::new(engine, wasm))
            .map_err(engine::error)?;
        let counts = self.known_code.counts().since(before);
        self.functions = Some(counts);
        let size = size(module.text().len());
        let Counts {
            precompiled,
            cached,
            compiled,
        } = counts;
        self.stages.note(format!(
            "{size}, {precompiled} functions precompiled, {cached} from the cache, {compiled} \
             compiled"
        ));
        if let Some(cache) = cache {
            cache.write_meanwhile();
        }
        Ok(module)
    }

    /// Covers all that a program's machine code depends on.
    fn program_key(&self, program: &blake3::Hash) -> [u8; 32] {
        engine::machine_code_key(&self.engine, "program", &self.ingredients(program).bytes())
    }

    /// All that the linked module of a program depends on.
    fn ingredients(&self, program: &blake3::Hash) -> Ingredients {
        Ingredients {
            tool: env!("BACTRIAN_FINGERPRINT"),
            guest: self.settings.guest.digest().into(),
            program: (*program).into(),
            settings: self.settings.fingerprint(),
        }
    }
}

fn whence(origin: &Origin) -> String {
    match origin {
        Origin::Compiled => String::new(),
        Origin::Cached => ", from the cache".into(),
        Origin::Precompiled => ", the interpreter precompiled".into(),
        Origin::Replaced(reason) => {
            format!(
                ", the interpreter compiled: what came with the command is not for here ({reason})"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_changes_no_key() {
        let mut settings = Settings::default();
        let plain = settings.fingerprint();
        settings.options.verify = true;
        assert_eq!(settings.fingerprint(), plain);
    }
}
