//! A guest as this tool sees it: the module, and what depends on the language of its programs.
//!
//! Invariant: what the rest of the tool knows of a language it knows by a value of [`Guest`]. It
//! comes from a manifest ([`manifest`], `docs/guests.md`): a user's, or the one of the guest that
//! the build embeds. That one has a few functions beside its manifest, which others do without.

pub mod manifest;
pub mod ocaml;
mod words;

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result};
use wasmparser::ExternalKind;

use crate::exports::Exports;

pub use manifest::{Code, Direction, Manifest, Stack};

/// The guest of programs for which none is named.
pub fn default() -> Arc<Guest> {
    static DEFAULT: LazyLock<Arc<Guest>> = LazyLock::new(|| Arc::new(ocaml::guest()));
    Arc::clone(&DEFAULT)
}

/// A description of an interpreter and of the programs that it runs.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The interpreter with its annotations.
    pub module: Cow<'static, [u8]>,
    /// The file that it was read from, if it was.
    pub file: Option<PathBuf>,
    pub manifest: Manifest,
    /// What a file that is no program is, if it belongs to the guest's world.
    pub recognise: fn(file: &Unknown) -> Option<Foreign>,
    /// What C is compiled with that its programs call ([`crate::stubs`]): headers, and sources of
    /// which each file of stubs has a copy; by path.
    pub headers: &'static [(&'static str, &'static str)],
    /// The shared libraries with functions in C that a program names, if it is one.
    pub libraries: fn(program: &mut dyn Source) -> Vec<String>,
    /// Whether a program has a library by which it can create threads.
    pub has_threads: fn(program: &[u8]) -> bool,
    /// The smallest program: all that a build makes of it is what all programs have.
    pub smallest: Option<fn() -> Vec<u8>>,
}

/// A program that is read in parts.
pub trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// A file whose kind is to be found out.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    pub path: &'a Path,
    /// Its first bytes, [`Guest::header`] of them if it has so many.
    pub beginning: &'a [u8],
    /// Its last bytes, [`Guest::trailer`] of them if it has so many.
    pub end: &'a [u8],
}

impl Guest {
    /// The guest that a manifest describes.
    pub fn load(path: &Path) -> Result<Self> {
        let place = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", place()))?;
        let manifest = Manifest::parse(&text).with_context(place)?;
        let field = |name: &str| match manifest.line(&text, name) {
            Some(line) => format!("{}, line {line}: `{name}`", path.display()),
            None => format!("{}: `{name}`", path.display()),
        };
        let directory = path.parent().unwrap_or(Path::new(""));
        let file = manifest.module.as_ref();
        let file = directory.join(file.with_context(|| format!("{} is missing", field("module")))?);
        let bytes = fs::read(&file)
            .with_context(|| format!("cannot read {}", file.display()))
            .with_context(|| field("module"))?;
        let module = wat::parse_bytes(&bytes).with_context(|| field("module"))?;
        let exports = Exports::of(&module).with_context(|| field("module"))?;
        exports
            .require(ExternalKind::Func, &manifest.initialize)
            .with_context(|| field("initialize"))?;
        if let Some(cell) = &manifest.collect_cell {
            exports
                .require(ExternalKind::Global, cell)
                .with_context(|| field("collect-cell"))?;
        }
        Ok(Self {
            module: Cow::Owned(module.into_owned()),
            file: Some(file),
            manifest,
            recognise: |_| None,
            headers: &[],
            libraries: |_| Vec::new(),
            has_threads: |_| false,
            smallest: None,
        })
    }

    /// Covers all that a result can depend on.
    pub fn digest(&self) -> blake3::Hash {
        let mut digest = blake3::Hasher::new();
        digest.update(blake3::hash(&self.module).as_bytes());
        digest.update(self.manifest.digest.as_bytes());
        digest.finalize()
    }

    /// How many of a file's first bytes [`Guest::is_program`] wants to see.
    pub fn header(&self) -> usize {
        self.manifest.program.begins.len()
    }

    /// How many of its last bytes.
    pub fn trailer(&self) -> usize {
        let program = &self.manifest.program;
        program.ends_at.unwrap_or(program.ends.len())
    }

    /// Whether a file is a program, of whatever version: the guest itself refuses other versions.
    pub fn is_program(&self, file: Ends<'_>) -> bool {
        let program = &self.manifest.program;
        let has_extension = || {
            let extension = file.path.extension().and_then(|name| name.to_str());
            extension.is_some_and(|name| program.extensions.iter().any(|known| known == name))
        };
        let begins =
            || !program.begins.is_empty() && file.beginning.starts_with(program.begins.as_bytes());
        let ends = || !program.ends.is_empty() && file.end.starts_with(program.ends.as_bytes());
        ends() || begins() || has_extension()
    }

    /// Whether the manifest does not say how programs are known: then all files that are nothing
    /// else are programs.
    pub fn takes_anything(&self) -> bool {
        let program = &self.manifest.program;
        program.extensions.is_empty() && program.begins.is_empty() && program.ends.is_empty()
    }

    /// What its programs are, in the plural, for messages.
    pub fn programs(&self) -> String {
        let Manifest { name, programs, .. } = &self.manifest;
        programs
            .clone()
            .unwrap_or_else(|| format!("programs of {name}"))
    }

    /// What an event of this number is about.
    pub fn event(&self, number: u32) -> String {
        let known = self.manifest.events.get(&manifest::Number(number));
        known.map_or_else(|| format!("event {number}, value"), String::clone)
    }

    /// A value or a word of its stack, for people.
    pub fn word(&self, word: i64) -> String {
        let Manifest { raised, words, .. } = &self.manifest;
        match raised {
            Some(raised) if *raised == word => "(raised)".into(),
            _ => words::show(words, word),
        }
    }
}

/// A file that cannot be run, as far as it has been looked at.
#[derive(Debug)]
pub struct Unknown<'a> {
    pub bytes: &'a [u8],
    /// The names that an ELF file defines.
    pub symbols: Vec<&'a [u8]>,
}

/// What a file is that cannot be run, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// After "this is".
    pub what: String,
    pub advice: String,
}
