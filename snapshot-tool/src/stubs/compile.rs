//! The command that makes a file of stubs: a C compiler that is there, the guest's headers, and a
//! linker that joins what was compiled with what it needs of the C library.
//!
//! What the compiler is, variables say as they do elsewhere, with options or without: `CC`
//! (`clang`), and `WASM_LD` (`wasm-ld`). It has to know the target `wasm32-wasi` and its C library:
//! where that is, or, as `zig cc` makes its own when it is needed, what it links programs with.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, ensure};

use super::diagnostics;
use super::object::{self, Object, Place, Symbol};
use crate::guest::Guest;
use crate::notice;

const TARGET: &str = "--target=wasm32-wasi";

/// What is said of sources. Silent conversions of a value to a shorter number are where C that was
/// written for a `long` of 64 bits goes wrong ([`diagnostics`]); types that do not fit would trap
/// when called.
const WARNINGS: [&str; 7] = [
    "-fno-caret-diagnostics",
    "-Wno-everything",
    "-Wshorten-64-to-32",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-function-pointer-types",
    "-Werror=int-conversion",
    "-Werror=return-type",
];

/// Parts of C's library that WASI has no words for, as wasi-libc imitates them.
const EMULATED: [&str; 4] = ["SIGNAL", "MMAN", "PROCESS_CLOCKS", "GETPID"];

/// What C asks for to know that a system has POSIX's functions.
const UNIX: [&str; 2] = ["__unix__", "__unix"];

/// Libraries whose members are joined where they are needed.
const LIBRARIES: [&str; 7] = [
    "libwasi-emulated-signal.a",
    "libwasi-emulated-mman.a",
    "libwasi-emulated-process-clocks.a",
    "libwasi-emulated-getpid.a",
    "libm.a",
    LONG_DOUBLE,
    "libc.a",
];

/// What formats and scans a `long double`, which wasi-libc has apart: those in its `libc.a` abort.
/// Some C libraries need none.
const LONG_DOUBLE: &str = "libc-printscan-long-double.a";

/// What to compile, and how.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files in C, objects and archives.
    pub files: Vec<PathBuf>,
    /// Directories for headers.
    pub include: Vec<PathBuf>,
    /// Macros, as the compiler's `-D` takes them.
    pub define: Vec<String>,
    /// Further options for the compiler.
    pub flags: Vec<String>,
    /// Functions that nothing needs to define.
    pub missing: Vec<String>,
    /// Files of stubs that define what is used here.
    pub others: Vec<Object>,
}

/// The file of stubs that is made of these sources.
pub fn compile(guest: &Guest, sources: &Sources) -> Result<Vec<u8>> {
    ensure!(
        sources.files.iter().any(|file| !is_archive(file)),
        "{}: of archives only what others use is taken, so programs could call nothing of this; \
         give the objects that they are made of",
        name(&sources.files)
    );
    let place = tempfile::tempdir().context("no directory for temporary files")?;
    for (name, text) in guest.headers {
        let path = place.path().join(name);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(path, text)?;
    }
    let compiler = Compiler {
        search: search(place.path())?,
        headers: place.path(),
    };
    let (mut parts, mut exports) = (Vec::new(), Vec::new());
    for (number, file) in sources.files.iter().enumerate() {
        let is_source = file.extension() == Some(OsStr::new("c"));
        let part = match is_source {
            true => {
                let part = place.path().join(format!("{number}.o"));
                compiler.compile(file, &part, sources)?;
                part
            }
            false => file.clone(),
        };
        if part.extension() == Some(OsStr::new("o")) {
            let bytes =
                fs::read(&part).with_context(|| format!("cannot read {}", part.display()))?;
            let object = Object::parse(&file.display().to_string(), bytes)?;
            exports.extend(object.defined().map(String::from));
        }
        parts.push(part);
    }
    for (name, _) in guest
        .headers
        .iter()
        .filter(|(name, _)| name.ends_with(".c"))
    {
        let part = place.path().join(name).with_extension("o");
        let sources = Sources {
            flags: vec!["-w".into()],
            ..Sources::default()
        };
        compiler.compile(&place.path().join(name), &part, &sources)?;
        parts.push(part);
    }
    let joined = place.path().join("joined.o");
    let mut linker = named_by("WASM_LD", "wasm-ld");
    linker.arg("-r").arg("-o").arg(&joined).args(&parts);
    linker.args(libraries(place.path())?);
    let done = linker.output().with_context(|| cannot_start(&linker))?;
    let mut said = String::from_utf8_lossy(&done.stderr).into_owned();
    for (part, file) in parts.iter().zip(&sources.files) {
        said = said.replace(&*part.to_string_lossy(), &file.to_string_lossy());
    }
    notice::text(&said);
    succeeded(&linker, done.status, "link")?;
    exports.sort_unstable();
    exports.dedup();
    let object = object::with_names(fs::read(&joined)?, &exports, &sources.missing);
    let mut all = vec![Object::read(&name(&sources.files), object.clone())?];
    all.extend(sources.others.iter().cloned());
    super::join(&guest.module, &all)?;
    for name in &sources.missing {
        if !is_missing(&all, name) {
            notice!(
                "bactrian: `--without {name}` changes nothing: it is for a function that is called \
                 and that nothing defines"
            );
        }
    }
    Ok(object)
}

/// Whether the first of these calls a function that none of them defines.
fn is_missing(objects: &[Object], name: &str) -> bool {
    let is_called = objects[0].symbols.iter().any(|symbol| {
        matches!(symbol, Symbol::Function { name: called, place: Place::Import(_), .. }
            if called == name)
    });
    let mut defined = objects.iter().flat_map(Object::defined);
    is_called && !defined.any(|defined| defined == name)
}

fn is_archive(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("a"))
}

/// What these files are called in messages.
fn name(files: &[PathBuf]) -> String {
    let names = files.iter().take(3).map(|file| file.display().to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(3) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// The compiler of one command.
struct Compiler<'a> {
    /// Options that say where it finds the headers of the C library.
    search: Vec<OsString>,
    /// The directory with the guest's headers.
    headers: &'a Path,
}

impl Compiler<'_> {
    fn compile(&self, source: &Path, output: &Path, sources: &Sources) -> Result<()> {
        let mut compiler = compiler();
        compiler.args(["-c", "-O2", "-ffunction-sections", "-fdata-sections"]);
        compiler.args(&self.search);
        compiler.args(UNIX.map(|name| format!("-D{name}=1")));
        compiler.args(EMULATED.map(|part| format!("-D_WASI_EMULATED_{part}")));
        compiler.args(WARNINGS).args(&sources.flags);
        compiler.args(sources.define.iter().map(|macro_| format!("-D{macro_}")));
        for directory in &sources.include {
            compiler.arg("-I").arg(directory);
        }
        compiler.arg("-I").arg(self.headers);
        compiler.arg("-o").arg(output).arg(source);
        let done = compiler.output().with_context(|| cannot_start(&compiler))?;
        notice::text(&diagnostics::kept(&String::from_utf8_lossy(&done.stderr)));
        succeeded(&compiler, done.status, "compile")
    }
}

/// Where this machine has the headers of its own C library and of what is installed for it.
const OF_THIS_MACHINE: [&str; 2] = ["/usr/include", "/usr/local/include"];

/// Options that keep the compiler from looking for headers in directories of this machine's, as a
/// distribution's `clang` does behind those of wasi-libc; none, where it does not.
fn search(place: &Path) -> Result<Vec<OsString>> {
    let source = place.join("empty.c");
    fs::write(&source, "")?;
    let mut compiler = compiler();
    compiler.args(["-E", "-v"]).arg(source);
    let done = compiler.output().with_context(|| cannot_start(&compiler))?;
    let said = String::from_utf8_lossy(&done.stderr);
    let lines = said
        .lines()
        .skip_while(|line| !line.starts_with("#include <...>"));
    let listed = lines.skip(1).take_while(|line| line.starts_with(' '));
    let listed: Vec<_> = listed.map(str::trim).collect();
    let is_foreign = |directory: &&str| OF_THIS_MACHINE.contains(directory);
    if !listed.iter().any(is_foreign) {
        return Ok(Vec::new());
    }
    let own = listed.iter().filter(|directory| !is_foreign(directory));
    let own = own.flat_map(|directory| ["-isystem", directory]);
    Ok(["-nostdinc"]
        .into_iter()
        .chain(own)
        .map(OsString::from)
        .collect())
}

fn compiler() -> Command {
    let mut compiler = named_by("CC", "clang");
    compiler.arg(TARGET);
    compiler
}

/// The command that a variable names, in words.
fn named_by(variable: &str, default: &str) -> Command {
    let said = std::env::var(variable).unwrap_or_default();
    let mut words = said.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(default));
    command.args(words);
    command
}

/// Where the compiler has its libraries; `place` is for files.
fn libraries(place: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let named = LIBRARIES.map(|name| format!("-print-file-name={name}"));
    for question in named
        .iter()
        .map(String::as_str)
        .chain(["-print-libgcc-file-name"])
    {
        let output = compiler()
            .arg(question)
            .output()
            .context("cannot start the C compiler")?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        if path.ends_with(LONG_DOUBLE) && !path.is_file() {
            continue;
        }
        if !path.is_file() {
            let linked = linked_with(place)?;
            ensure!(
                !linked.is_empty(),
                "the C compiler has no {}: install a C library for wasm32-wasi",
                path.display()
            );
            return Ok(linked);
        }
        found.push(path);
    }
    Ok(found)
}

/// The libraries that the compiler says it links a program with.
fn linked_with(place: &Path) -> Result<Vec<PathBuf>> {
    let source = place.join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut compiler = compiler();
    compiler.arg("-o").arg(place.join("empty.wasm")).arg(source);
    let output = compiler
        .env("ZIG_VERBOSE_LINK", "1")
        .output()
        .with_context(|| cannot_start(&compiler))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = said.split_whitespace().map(PathBuf::from);
    Ok(words
        .filter(|word| word.extension() == Some(OsStr::new("a")) && word.is_file())
        .collect())
}

fn cannot_start(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    format!("cannot start {program}: install clang and lld (`make setup` names the packages)")
}

fn succeeded(command: &Command, status: ExitStatus, what: &str) -> Result<()> {
    let program = command.get_program().to_string_lossy();
    ensure!(status.success(), "{program} could not {what} the stubs");
    Ok(())
}
