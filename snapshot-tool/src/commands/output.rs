//! What commands write: where it goes, and what it must not write over.
//!
//! Invariant: a command refuses an output that cannot be written, or is one of its inputs, before
//! it does any work. `-` is standard output for all of them.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cache::whole;

use crate::streams;

/// Whether a path stands for standard output.
pub fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path == Path::new(name))
}

/// Refuses to write over what is read.
pub fn require_others<'p>(output: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    let identity = |path| {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((file.dev(), file.ino()))
    };
    let Some(written) = identity(output).filter(|_| !is_standard_output(output)) else {
        return Ok(());
    };
    for input in inputs {
        ensure!(
            identity(input) != Some(written),
            "{}: this would be overwritten with what is made of it",
            input.display()
        );
    }
    Ok(())
}

/// Refuses a file to be written whose directory is not there, before the work for it is done.
pub fn require_place(output: &Path) -> Result<()> {
    let directory = whole::directory(output);
    ensure!(
        is_standard_output(output) || directory.is_dir(),
        "cannot write {}: there is no directory {}",
        output.display(),
        directory.display()
    );
    Ok(())
}

/// Writes a module, which no terminal can show.
pub fn write(path: &Path, contents: &[u8]) -> Result<()> {
    ensure!(
        !is_standard_output(path) || !io::stdout().is_terminal(),
        "standard output is a terminal, which cannot show a module: name a file in place of `-`"
    );
    put(path, contents)
}

/// Writes what a terminal can show as well.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    put(path, text.as_bytes())
}

fn put(path: &Path, contents: &[u8]) -> Result<()> {
    if is_standard_output(path) {
        return put_out(contents);
    }
    whole::write_out(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

/// Prints what a command is there to print.
pub fn say(text: &str) -> Result<()> {
    put_out(text.as_bytes())
}

fn put_out(contents: &[u8]) -> Result<()> {
    ensure!(
        !streams::is_closed(1),
        "cannot write to standard output: it is closed"
    );
    let mut output = io::stdout();
    output
        .write_all(contents)
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}
