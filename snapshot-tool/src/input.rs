//! What a file is, found out before anything in it is believed.
//!
//! Invariant: machine code is loaded only where the user allowed it, and only by
//! [`Kind::Precompiled`]; a file of no known kind is an error that says what it is and what to do.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use object::{Object, ObjectKind, ObjectSymbol};
use wasmtime::{Engine, Precompiled};

use crate::guest::{Ends, Foreign, Guest, Unknown};

/// A file that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program of the guest.
    Program,
    /// A module of WebAssembly.
    Wasm,
    /// A module that Wasmtime has compiled: machine code.
    Precompiled,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    /// What is read twice must be there twice.
    #[error("{}: this is a pipe or a device; Bactrian reads from files", path.display())]
    NoFile { path: PathBuf },
    #[error("{}: this is {}; {}", path.display(), foreign.what, foreign.advice)]
    Foreign { path: PathBuf, foreign: Foreign },
}

const WASM_MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// The kind of the file at `path`, which may be a program of `guest`.
pub fn kind(path: &Path, guest: &Guest) -> Result<Kind, Error> {
    let unreadable = |source| Error::Unreadable {
        path: path.into(),
        source,
    };
    require_file(path)?;
    let (is_program, beginning) = beginning(path, guest).map_err(unreadable)?;
    if is_program {
        return Ok(Kind::Program);
    }
    if beginning.starts_with(&WASM_MODULE) {
        return Ok(Kind::Wasm);
    }
    // An error means that the file is no complete ELF file, and so no machine code.
    let precompiled = Engine::detect_precompiled_file(path).unwrap_or(None);
    if let Some(Precompiled::Module) = precompiled {
        return Ok(Kind::Precompiled);
    }
    if guest.takes_anything() {
        return Ok(Kind::Program);
    }
    let foreign = match precompiled {
        Some(_) => precompiled_component(),
        None => foreign(&fs::read(path).map_err(unreadable)?, guest),
    };
    Err(refusal(path, foreign))
}

/// Fails where there is a pipe or a device, before it is opened, which may wait for somebody.
fn require_file(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() && !there.is_dir() => {
            Err(Error::NoFile { path: path.into() })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Fails where the file is anything but a program of `guest`.
pub fn require_program(path: &Path, guest: &Guest) -> Result<(), Error> {
    let what = match kind(path, guest)? {
        Kind::Program => return Ok(()),
        Kind::Wasm => "a WebAssembly module",
        Kind::Precompiled => "a module that Wasmtime has compiled",
    };
    let advice = format!("this command takes {}", guest.programs());
    let what = what.into();
    Err(refusal(path, Foreign { what, advice }))
}

/// Fails where the file is no module, in binary form or as text, for a command that takes modules.
pub fn require_module(path: &Path, guest: &Guest) -> Result<(), Error> {
    let modules = || "this command takes WebAssembly modules, binary or as text".into();
    let foreign = match kind(path, guest) {
        Ok(Kind::Program) => Foreign {
            what: "a program and no module".into(),
            advice: format!(
                "`bactrian run` and `bactrian build` take {}; this command takes a program with \
                 `--guest`, which says what runs it",
                guest.programs()
            ),
        },
        Ok(Kind::Precompiled) => Foreign {
            what: "a module that Wasmtime has compiled".into(),
            advice: modules(),
        },
        Err(Error::Foreign { foreign, .. }) if !may_be_module(path) => Foreign {
            advice: modules(),
            ..foreign
        },
        Err(error @ (Error::NoFile { .. } | Error::Unreadable { .. })) => return Err(error),
        Ok(Kind::Wasm) | Err(Error::Foreign { .. }) => return Ok(()),
    };
    Err(refusal(path, foreign))
}

/// Fails where the file is no core module in binary form, whoever made it.
pub fn require_core_module(path: &Path) -> Result<(), Error> {
    const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";
    require_file(path)?;
    let bytes = fs::read(path).map_err(|source| Error::Unreadable {
        path: path.into(),
        source,
    })?;
    if bytes.starts_with(&WASM_MODULE) {
        return Ok(());
    }
    let elf = object::File::parse(&bytes[..]).ok();
    let advice = match bytes.starts_with(&COMPONENT) {
        true => "specialize the core module that it is made of, before the component is",
        false => "this command takes core modules of WebAssembly, in binary form",
    };
    let foreign = Foreign {
        what: general(&bytes, elf.as_ref().map(object::File::kind)).into(),
        advice: advice.into(),
    };
    Err(refusal(path, foreign))
}

/// Whether a file begins as a module's text does: with a parenthesis, or a comment.
fn may_be_module(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.trim_start().starts_with(['(', ';']))
}

/// The error for machine code that nobody allowed.
pub fn not_allowed(path: &Path) -> Error {
    let foreign = Foreign {
        what: "machine code that Wasmtime compiled, which no sandbox holds".into(),
        advice: "if you know who made it, `--allow-precompiled` runs it".into(),
    };
    refusal(path, foreign)
}

fn refusal(path: &Path, foreign: Foreign) -> Error {
    Error::Foreign {
        path: path.into(),
        foreign,
    }
}

/// Whether a file is one of the guest's programs by its ends; no, if it cannot be read.
pub fn is_program(path: &Path, guest: &Guest) -> bool {
    let is_file = require_file(path).is_ok();
    is_file && beginning(path, guest).is_ok_and(|(is_program, _)| is_program)
}

/// Whether a file is a program by its ends, and its beginning. A program is known by its end,
/// whatever it begins with: a script's first line, or another program.
fn beginning(path: &Path, guest: &Guest) -> std::io::Result<(bool, Vec<u8>)> {
    let header = guest.header().max(WASM_MODULE.len());
    let (beginning, end) = ends(path, header, guest.trailer())?;
    let ends = Ends {
        path,
        beginning: &beginning,
        end: &end,
    };
    Ok((guest.is_program(ends), beginning))
}

/// The first and the last bytes of a file, as many as these lengths; fewer where there are not so
/// many.
fn ends(path: &Path, header: usize, trailer: usize) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let (mut beginning, mut end) = (Vec::new(), Vec::new());
    (&mut file)
        .take(header as u64)
        .read_to_end(&mut beginning)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(trailer as u64)))?;
    file.take(trailer as u64).read_to_end(&mut end)?;
    Ok((beginning, end))
}

/// What a file is that is no program, no module and no machine code of ours.
fn foreign(bytes: &[u8], guest: &Guest) -> Foreign {
    let elf = object::File::parse(bytes).ok();
    let symbols = elf.as_ref().map(defined).unwrap_or_default();
    let unknown = Unknown { bytes, symbols };
    if let Some(foreign) = (guest.recognise)(&unknown) {
        return foreign;
    }
    Foreign {
        what: general(bytes, elf.as_ref().map(object::File::kind)).into(),
        advice: format!("Bactrian runs {} and WebAssembly modules", guest.programs()),
    }
}

/// The names that an ELF file defines. Of a stripped file, those that other files may use.
fn defined<'a>(elf: &object::File<'a>) -> Vec<&'a [u8]> {
    elf.symbols()
        .chain(elf.dynamic_symbols())
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name_bytes().ok())
        .collect()
}

fn general(bytes: &[u8], elf: Option<ObjectKind>) -> &'static str {
    match elf {
        Some(ObjectKind::Executable) => return "an ELF executable",
        Some(ObjectKind::Dynamic) => return "an ELF executable or shared library",
        Some(ObjectKind::Relocatable) => return "an ELF object file",
        Some(_) => return "an ELF file",
        None => {}
    }
    let text = || std::str::from_utf8(bytes).ok();
    match bytes {
        [] => "an empty file",
        [0x7f, b'E', b'L', b'F', ..] => "a damaged ELF file",
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => "a WebAssembly component",
        [0, b'a', b's', b'm', ..] => "WebAssembly of another version",
        _ if text().is_some_and(|text| text.trim_start().starts_with("(module")) => {
            "WebAssembly as text"
        }
        _ if text().is_some() => "text",
        _ => "a file of a kind that Bactrian does not know",
    }
}

fn precompiled_component() -> Foreign {
    Foreign {
        what: "a component that Wasmtime has compiled".into(),
        advice: "Bactrian runs modules".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest;

    fn what(bytes: &[u8]) -> String {
        foreign(bytes, &guest::default()).what
    }

    #[test]
    fn a_pipe_is_refused_before_it_is_opened() {
        let place = tempfile::tempdir().expect("a directory");
        let pipe = place.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).expect("a scratch pipe");
        let guest = guest::default();
        let is_refused = |error| matches!(error, Err(Error::NoFile { .. }));
        assert!(is_refused(kind(&pipe, &guest).map(|_| ())));
        assert!(is_refused(require_module(&pipe, &guest)));
        assert!(is_refused(require_core_module(&pipe)));
        assert!(!is_program(&pipe, &guest));
    }

    #[test]
    fn anything_has_a_description() {
        assert_eq!(what(b""), "an empty file");
        assert_eq!(what(b"\x7fELF"), "a damaged ELF file");
        assert_eq!(what(b"\0asm\x0d\0\x01\0"), "a WebAssembly component");
        assert_eq!(what(b"\0asm\x02\0\0\0"), "WebAssembly of another version");
        assert_eq!(what(b" (module)"), "WebAssembly as text");
        assert_eq!(what(b"no bytecode at all"), "text");
        assert_eq!(
            what(b"\xff\xfe\x00"),
            "a file of a kind that Bactrian does not know"
        );
    }
}
