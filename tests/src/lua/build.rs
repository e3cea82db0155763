//! Builds Lua as a guest: Debian's source package with our edits, by clang.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{edits, unwind};
use crate::conformance::source;
use crate::{process, workspace};

/// Debian's package.
const PACKAGE: &str = "lua5.4";

/// Lua's files that are no part of its library, or that wasi-libc has nothing for.
const LEFT_OUT: [&str; 2] = ["lua.c", "luac.c"];

/// Builds the guest in `directory`: the module, and its manifest, whose path this gives.
pub fn guest(directory: &Path) -> Result<PathBuf> {
    let ours = workspace().join("guests/lua");
    let edited = edited_source(&directory.join("source"), &ours, &directory.join("lua"))?;
    let guest = directory.join("lua.wasm");
    let linked = directory.join("linked.wasm");
    compile(&edited, &ours, &linked)?;
    fs::write(&guest, unwind::with_tests(&fs::read(&linked)?)?)?;
    let manifest = directory.join("lua.toml");
    fs::copy(ours.join("lua.toml"), &manifest)?;
    Ok(manifest)
}

/// Lua's source tree, fetched unless it is there.
fn tree(directory: &Path) -> Result<PathBuf> {
    let existing = || -> Result<Option<PathBuf>> {
        for entry in fs::read_dir(directory)? {
            let source = entry?.path().join("src");
            if source.join("lvm.c").is_file() {
                return Ok(Some(source));
            }
        }
        Ok(None)
    };
    fs::create_dir_all(directory)?;
    if let Some(found) = existing()? {
        return Ok(found);
    }
    source::fetch(directory, PACKAGE)?;
    existing()?.context("the source package has no directory src")
}

fn edited_source(fetched: &Path, ours: &Path, edited: &Path) -> Result<PathBuf> {
    let source = tree(fetched)?;
    let text = fs::read_to_string(ours.join("lua.edits"))?;
    let edits = edits::parse(&text).context("lua.edits")?;
    fs::create_dir_all(edited)?;
    for entry in fs::read_dir(&source)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.ends_with(".c") && !name.ends_with(".h") || LEFT_OUT.contains(&&*name) {
            continue;
        }
        let mut text = fs::read_to_string(entry.path())?;
        if let Some(edits) = edits.get(&*name) {
            text = edits::apply(&text, edits).with_context(|| format!("lua.edits: {name}"))?;
        }
        fs::write(edited.join(&*name), text)?;
    }
    for name in edits.keys() {
        ensure!(source.join(name).is_file(), "lua.edits: Lua has no {name}");
    }
    Ok(edited.to_owned())
}

fn compile(source: &Path, ours: &Path, linked: &Path) -> Result<()> {
    let mut clang = Command::new("clang");
    clang
        .args(["--target=wasm32-wasi", "-O2", "-mtail-call"])
        .args(["-Wall", "-Wno-unused-label", "-D_WASI_EMULATED_SIGNAL"])
        .arg("-D_WASI_EMULATED_PROCESS_CLOCKS")
        .arg(format!("-I{}", ours.join("libc").display()))
        .arg(format!("-I{}", source.display()))
        .arg(format!("-I{}", ours.display()))
        .arg(format!(
            "-I{}",
            workspace()
                .join("interpreter/annotations/include")
                .display()
        ))
        .arg(format!("-include{}", ours.join("config.h").display()))
        .args([
            "-mexec-model=reactor",
            "-Wl,--export=BACTRIAN_REQUESTS,--export=BACTRIAN_DISPATCHERS",
            "-Wl,--export=unwind_flag",
        ])
        .args(["-Wl,--export-table", "-Wl,-z,stack-size=1048576"])
        .args(["-Wl,--wrap=fopen", "-Wl,--wrap=setlocale"])
        .args(["-lwasi-emulated-signal", "-lwasi-emulated-process-clocks"])
        .args([ours.join("main.c"), ours.join("libc/missing.c")]);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(source)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "c") {
            files.push(path);
        }
    }
    files.sort();
    clang.args(files).arg("-o").arg(linked);
    let outcome = process::run(&mut clang, b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "clang: {said}");
    Ok(())
}
