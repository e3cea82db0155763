//! The file by which `perf` learns where machine code lies in this process, what it is, and what
//! its functions are called: `jit-PID.dump`, in the format that `perf inject --jit` reads
//! (`jitdump-specification.txt` in Linux's sources).
//!
//! Wasmtime can write such files, but only together with other profilers' libraries. The other
//! format, `/tmp/perf-PID.map`, has names without code; [`crate::engine`] leaves that to Wasmtime.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process;
use std::ptr;

use anyhow::{Context, Result};
use object::elf;
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::time::{ClockId, clock_gettime};
use wasmtime::Module;

/// `JiTD`, in this machine's order of bytes, and the version of the format.
const MAGIC: u32 = 0x4A69_5444;
const VERSION: u32 = 1;

/// Bytes of the file's header, and of a record before the function's name.
const HEADER_SIZE: u32 = 40;
const RECORD_SIZE: usize = 56;

/// The record of a function's code.
const CODE_LOAD: u32 = 0;

/// Machine code as ELF names it.
const MACHINE: u16 = if cfg!(target_arch = "aarch64") {
    elf::EM_AARCH64
} else {
    elf::EM_X86_64
};

/// A function in memory.
struct Function<'a> {
    number: u64,
    name: &'a str,
    code: &'a [u8],
}

/// Writes the file for `module` into `directory`. Returns its path.
pub fn write(module: &Module, directory: &Path) -> Result<PathBuf> {
    let path = directory.join(format!("jit-{}.dump", process::id()));
    write_file(module, &path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn write_file(module: &Module, path: &Path) -> io::Result<()> {
    // `perf` finds the file through the mapping of its first page, so it must not be another's.
    let file = File::create_new(path)?;
    let mut output = BufWriter::new(&file);
    write_header(&mut output)?;
    for (number, function) in (0..).zip(module.functions()) {
        let name = function
            .name
            .unwrap_or_else(|| format!("function {number}"));
        let code = &module.text()[function.offset..][..function.len];
        let name = &name;
        write_function(&mut output, &Function { number, name, code })?;
    }
    output.flush()?;
    drop(output);
    announce(&file)
}

fn write_header(output: &mut impl Write) -> io::Result<()> {
    let words = [
        MAGIC,
        VERSION,
        HEADER_SIZE,
        MACHINE.into(),
        0,
        process::id(),
    ];
    for word in words {
        output.write_all(&word.to_ne_bytes())?;
    }
    output.write_all(&now().to_ne_bytes())?;
    output.write_all(&0u64.to_ne_bytes())
}

fn write_function(output: &mut impl Write, function: &Function) -> io::Result<()> {
    let Function { number, name, code } = function;
    let name = name.replace('\0', "_");
    let size = RECORD_SIZE + name.len() + 1 + code.len();
    let size = u32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let address = code.as_ptr().addr() as u64;
    let process = process::id();
    for word in [CODE_LOAD, size] {
        output.write_all(&word.to_ne_bytes())?;
    }
    output.write_all(&now().to_ne_bytes())?;
    // Code belongs to the process; its thread is the first one's.
    for word in [process, process] {
        output.write_all(&word.to_ne_bytes())?;
    }
    for word in [address, address, code.len() as u64, *number] {
        output.write_all(&word.to_ne_bytes())?;
    }
    output.write_all(name.as_bytes())?;
    output.write_all(&[0])?;
    output.write_all(code)
}

/// Nanoseconds of the clock that `perf record -k mono` uses.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Maps the file as code, which is the event that `perf record` notes. It stays mapped until this
/// process ends.
fn announce(file: &File) -> io::Result<()> {
    let (length, access) = (HEADER_SIZE as usize, ProtFlags::READ | ProtFlags::EXEC);
    // SAFETY: the system chooses where, so no other memory changes; nothing refers to the mapping.
    unsafe {
        mmap(
            ptr::null_mut(),
            length,
            access,
            MapFlags::PRIVATE,
            file.as_fd(),
            0,
        )
    }?;
    Ok(())
}
